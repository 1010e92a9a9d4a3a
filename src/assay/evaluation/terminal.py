"""The figures of an evaluation as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import RenderableType

from assay.evaluation.results import SURE, Result, pool_sure
from assay.render.terminal import plain_table

if TYPE_CHECKING:
    from assay.evaluation.written import WrittenFigures

_LEAST_OF_A_KIND = 10  # claims below which a rate says nothing
_HEADINGS = "file|measure|value|95 % range|macro-F1|AUC|ECE|Brier|n|not checkable|error|p50 ms|p95 ms|p99 ms|rows/s"
_WRITTEN_RATES = {
    "right, of three verdicts": "accuracy",
    "true, called REFUTED": "false_refuted",
    "wrong or unbacked, called SUPPORTED": "false_supported",
    "not checked": "not_checked",
    "answers with a false REFUTED": "answers_with_false_refuted",
    "first quote is a deciding sentence": "first_quote",
}


def result_tables(results: Sequence[Result]) -> list[RenderableType]:
    """The figures of each file, and how often a sure verdict is right, file by file and over all of them."""
    figures = plain_table(*_HEADINGS.split("|"), left=(0, 1))
    for result in results:
        main = result.value
        figures.add_row(
            Path(result.path).name,
            f"{result.task.measure.replace('_', ' ')}, {result.task.name}",
            _number(main.value if main else None),
            f"{main.low:.3f}–{main.high:.3f}" if main else "–",
            *(
                _number(found.value if found else None)
                for found in map(result.figures.__getitem__, ("macro_f1", "auc", "ece", "brier"))
            ),
            str(result.n),
            str(result.n_not_checkable),
            str(result.n_error),
            *(_number(figure, 1) for figure in (result.p50_ms, result.p95_ms, result.p99_ms, result.rows_per_second)),
        )
    pooled = pool_sure(results)
    sure = plain_table(f"right where p ≥ {SURE:g}", *pooled)
    named = [(Path(result.path).name, result.sure) for result in results]
    for name, own in [*named, ("all together", pooled)] if len(named) > 1 else named:
        cells = (own.get(verdict, (None, 0)) for verdict in pooled)
        sure.add_row(name, *("–" if share is None else f"{share:.1%} of {count}" for share, count in cells))
    return [figures, sure]


def written_tables(claims: WrittenFigures, whole: WrittenFigures) -> list[RenderableType]:
    """The rates of both measures side by side, then how often each verdict and each kind is judged right."""
    rates = plain_table("", f"{claims.claims} claims", f"{whole.answers} whole answers, {whole.claims} sentences")
    for said, name in _WRITTEN_RATES.items():
        alone = "" if name == "answers_with_false_refuted" else _rate(getattr(claims, name))
        rates.add_row(said, alone, _rate(getattr(whole, name)))
    for part, (share, count) in claims.by_part.items():
        among = whole.by_part.get(part)
        rates.add_row(
            f"right, part {part!r}", f"{share:.1%} of {count}", f"{among[0]:.1%} of {among[1]}" if among else "–"
        )
    kinds = plain_table("verdict and kind", "right", "claims")
    for name, (share, count) in [*claims.by_verdict.items(), *claims.by_kind.items()]:
        if count >= _LEAST_OF_A_KIND or name.isupper():
            kinds.add_row(name, f"{share:.1%}", str(count))
    return [rates, "", kinds]


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _rate(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"
