"""The worst mistakes, surest first, each with the words of the source it leaned on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.evaluation.evaluate import Evaluation
from assay.evaluation.journal import Trial
from assay.evaluation.results import read_answers
from assay.types import Span, Verdict

_AROUND = 260  # characters of the evidence shown on each side of the quote
_LONGEST = 600  # characters of a quote that are shown


@dataclass(frozen=True)
class Mistake:
    """A row called wrongly: what it is, what was said and how surely, and the receipt."""

    set: str
    line: int
    claim: str
    truth: str
    said: str
    confidence: float
    before: str
    quote: str
    after: str
    explanation: str


def find_mistakes(evaluations: Sequence[Evaluation], judge: str, most: int = 12, each: int = 3) -> list[Mistake]:
    """At most so many of all files and of each, the surest first."""
    found: list[tuple[float, str, Trial]] = []
    for one in evaluations:
        scored = [t for t in one.trials if t.opinion and t.opinion.verdict is not Verdict.NOT_CHECKABLE]
        if not scored:
            continue
        truth, said, likely = read_answers(one.result.task, scored)
        for number, trial in enumerate(scored):
            if truth[number] != said[number]:
                found.append((float(likely[number, said[number]]), one.result.name, trial))
    found.sort(key=lambda item: -item[0])
    taken: Counter[str] = Counter()
    chosen: list[Mistake] = []
    for sure, name, trial in found:
        if taken[name] < each and len(chosen) < most:
            taken[name] += 1
            chosen.append(_describe(sure, name, trial, judge))
    return chosen


def _describe(sure: float, name: str, trial: Trial, judge: str) -> Mistake:
    said = trial.opinion.verdict.value if trial.opinion else "ERROR"
    text, span, explanation = _receipt(trial, judge)
    start, end = max(0, span.start - _AROUND), min(len(text), span.end + _AROUND)
    return Mistake(
        set=name,
        line=trial.row.line,
        claim=trial.row.claim,
        truth=trial.row.label,
        said=said,
        confidence=sure,
        before=("… " if start else "") + text[start : span.start],
        quote=_shortened(span.of(text)),
        after=text[span.end : end] + (" …" if end < len(text) else ""),
        explanation=explanation,
    )


def _shortened(quote: str) -> str:
    return quote if len(quote) <= _LONGEST else f"{quote[: _LONGEST // 2]} […] {quote[-_LONGEST // 2 :]}"


def _receipt(trial: Trial, judge: str) -> tuple[str, Span, str]:
    """The evidence, the stretch of it that decided, and why; asked of the engine where only a judge was measured."""
    detail = trial.detail
    if detail is None:
        detail = _ask_engine(trial, judge)
    for claim in (detail or {}).get("claims", ()):
        for quote in claim["quotes"]:
            number = int(quote["document"]) - 1
            if 0 <= number < len(trial.row.sources):
                return trial.row.sources[number], Span(quote["start"], quote["end"]), claim["explanation"]
    return trial.row.evidence, Span(0, 0), ""


def _ask_engine(trial: Trial, judge: str) -> Mapping[str, Any] | None:
    from assay.evaluation.pipeline import make_pipeline
    from assay.judges import JUDGES

    if judge not in JUDGES:
        return None
    try:
        return make_pipeline(judge).examine(trial.row)[1]
    except Exception:  # the receipt is an extra: a row the engine cannot take is shown without one
        return None
