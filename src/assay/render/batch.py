"""Pages about many answers: the summary of a run, and what changed between two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.render.page import claim_body, header, html_text, listed, quotation, render_page, table, tile, verdict_line
from assay.render.plain import STYLES
from assay.types import Verdict

if TYPE_CHECKING:
    from assay.batch import ClaimChange

_PROBLEMS = (Verdict.REFUTED.value, Verdict.ERROR.value, Verdict.INSUFFICIENT.value)
_SHOWN = 500  # claims on one page


def render_batch(entries: Sequence[tuple[str, dict[str, Any]]], problems: Sequence[str] = ()) -> str:
    """The page of a run: its figures, a table of the answers, and every claim that is not backed, the worst first.

    An entry is the name of an answer and its report as JSON; `problems` are rows that could not be checked.
    """
    claims = Counter(claim["verdict"] for _, report in entries for claim in report["claims"])
    verdicts = Counter(report["verdict"] for _, report in entries)
    grounded = sum(report["audit_mode"] == "STRICT" and bool(report["claims"]) for _, report in entries)
    tiles = [tile(str(len(entries)), "answers"), tile(str(grounded), "grounded"), tile(str(claims.total()), "claims")]
    tiles += [tile(str(claims[v]), f"claims {STYLES[Verdict(v)].word}") for v in _PROBLEMS if claims[v]]
    rows = [_row(name, report) for name, report in sorted(entries, key=lambda e: _ORDER.index(e[1]["verdict"]))]
    found = [(name, claim) for name, report in entries for claim in report["claims"] if claim["verdict"] in _PROBLEMS]
    found.sort(key=lambda item: (_PROBLEMS.index(item[1]["verdict"]), -item[1]["confidence"]))
    facts = [f"{count} {STYLES[Verdict(verdict)].word}" for verdict, count in verdicts.most_common()]
    title = f"{grounded} of {len(entries)} answers are supported by their sources"
    return render_page(
        "evaluation",
        title,
        header("Assay", f"<h1>{html_text(title)}</h1>", facts),
        f'<section class="tiles">{"".join(tiles)}</section>',
        table(
            ["answer", "verdict", "supported", "contradicted", "not confirmed", "confidence", "words"], rows, (0, 1, 6)
        ),
        listed("Claims that are not supported", [_claim(name, claim) for name, claim in found[:_SHOWN]]),
        f"<p>… and {len(found) - _SHOWN} more</p>" if len(found) > _SHOWN else "",
        listed("Not checked", [html_text(problem) for problem in problems]),
    )


_ORDER = (*_PROBLEMS, Verdict.SUPPORTED.value, Verdict.NOT_CHECKABLE.value)


def _row(name: str, report: dict[str, Any]) -> list[str]:
    counts, sure = report["counts"], report["confidence"]
    first = report["claims"][0]["text"] if report["claims"] else ""
    return [
        name,
        f"{STYLES[Verdict(report['verdict'])].symbol} {STYLES[Verdict(report['verdict'])].word}",
        *(str(counts[verdict]) for verdict in ("SUPPORTED", "REFUTED", "INSUFFICIENT")),
        "–" if sure is None else f"{sure:.2f}",
        first if len(first) < 90 else first[:89] + "…",
    ]


def _claim(name: str, claim: dict[str, Any]) -> str:
    style = STYLES[Verdict(claim["verdict"])]
    proof = [
        quotation(
            item["stance"], html_text(item["quote"]), html_text(f"{item['document']} {item['start']}–{item['end']}")
        )
        for item in claim["evidence"][:2]
    ]
    line = verdict_line(style.symbol, None, f"{style.word} {claim['confidence']:.2f}", aside=name)
    return line + claim_body(claim["text"], [claim["explanation"]], *proof)


def _word(verdict: str | None) -> str:
    return STYLES[Verdict(verdict)].word if verdict else "not there"


def count_changes(changes: Sequence[ClaimChange]) -> str:
    """How many of each kind, in words."""
    kinds = Counter(change.kind for change in changes)
    new = kinds["new problem"]
    return f"{new} new problem{'s' * (new != 1)}, {kinds['solved']} solved, {kinds['changed']} changed"


def render_comparison(changes: Sequence[ClaimChange], before: str, after: str) -> str:
    """The page of what changed between two runs: new problems first."""
    title = count_changes(changes)
    sections = []
    for kind, heading in (("new problem", "New problems"), ("changed", "Changed"), ("solved", "Solved")):
        items = [
            verdict_line(
                STYLES[Verdict(change.after or str(change.before))].symbol,
                None,
                f"{_word(change.before)} → {_word(change.after)}",
                aside=change.answer,
            )
            + claim_body(change.text, [change.explanation])
            for change in changes
            if change.kind == kind
        ]
        sections.append(listed(heading, items))
    return render_page(
        "evaluation", title, header("Assay", f"<h1>{html_text(title)}</h1>", [f"{before} → {after}"]), *sections
    )
