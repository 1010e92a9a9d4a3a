"""Edit: the smallest change that makes the answer say what the sources say; needs no model.

A wrong number, date, name or sign is replaced by the source's, an overstatement is weakened, and (only where `drop` is
set) what nothing supports is taken out or marked. Every change is verified before it is kept: a claim that was changed
must be supported, no other claim may be lost, and the answer as a whole must have become better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assay.engine import Run
from assay.repair.case import Case, Proposal
from assay.repair.corrections import Correction, find_corrections
from assay.repair.cutting import CAVEAT, cut, find_cuts, mark
from assay.repair.relevance import find_quoted_order
from assay.repair.score import failing, rank
from assay.repair.values import Edit
from assay.text.sentences import split_sentences
from assay.text.tokens import is_stop_word, stem, tokenize
from assay.types import Evidence, Finding, Report, Span, Stance, Support, Verdict

_SENTENCES = 5  # sentences of the sources that are tried for one claim
_TRIES = 6  # changes that are verified for one claim


class MinimalEdit:
    """Corrects what can be corrected and, with `drop`, takes out or marks the rest."""

    def __init__(self, *, drop: bool = True) -> None:
        self.drop = drop
        self.name = "edit" if drop else "correct"

    def applies(self, case: Case) -> bool:
        return not case.used(self.name) and bool(failing(case.report))

    def propose(self, case: Case) -> Proposal | None:
        """The answer after all the changes that held; None if none did."""
        state = case.examine(case.answer)
        edits: list[Edit] = []
        given_up: set[str] = set()
        while found := next((f for f in failing(state.report) if f.text not in given_up), None):
            made = self._mend(case, state, found)
            if made is None:
                given_up.add(found.text)
                continue
            edit, state = made
            edits.append(edit)
            if edit.kind == "qualified":
                given_up.add(found.text)
                given_up.update(f.text for f in failing(state.report) if f.claim.span.overlaps(edit.span))
        if not edits:
            return None
        return Proposal(state.report.answer, edits=tuple(edits), report=state.report)

    def _mend(self, case: Case, state: Run, finding: Finding) -> tuple[Edit, Run] | None:
        made = self._correct(case, state, finding)
        if made is None and self.drop:
            made = self._remove(case, state, finding) or self._qualify(case, state, finding)
        return made

    def _correct(self, case: Case, state: Run, finding: Finding) -> tuple[Edit, Run] | None:
        report = state.report
        for edit in self._candidates(case, state, finding):
            answer = report.answer[: edit.span.start] + edit.new + report.answer[edit.span.end :]
            after = case.examine(answer)
            if _holds(report, after.report, finding, edit):
                return edit, after
        return None

    def _candidates(self, case: Case, state: Run, finding: Finding) -> list[Edit]:
        """The likeliest changes for a claim, from the sentences of its passages that share most words with it."""
        asked = _roots(case.question or "")
        found: dict[tuple[Span, str], tuple[float, Edit]] = {}
        for share, evidence, title in sorted(_sentences(state, finding), key=lambda entry: -entry[0])[:_SENTENCES]:
            for correction in find_corrections(finding.text, evidence.quote, title):
                span = _place(state.report.answer, finding, correction)
                if span is None or _changes_the_subject(finding.text, correction, asked):
                    continue
                edit = _edit(state.report.answer, span, correction, evidence)
                weight = correction.weight + _SENTENCES * share
                if (span, edit.new) not in found or found[span, edit.new][0] < weight:
                    found[span, edit.new] = (weight, edit)
        ranked = sorted(found.values(), key=lambda entry: -entry[0])
        return [edit for _, edit in ranked[:_TRIES]]

    def _remove(self, case: Case, state: Run, finding: Finding) -> tuple[Edit, Run] | None:
        report = state.report
        for span in find_cuts(report, finding):
            answer = cut(report.answer, span)
            if not answer.strip():
                continue
            after = case.examine(answer)
            if after.report.counts["SUPPORTED"] and _is_better(report, after.report):
                reason = _why(finding)
                return Edit("dropped", span, span.of(report.answer), "", reason, _first(finding)), after
        return None

    def _qualify(self, case: Case, state: Run, finding: Finding) -> tuple[Edit, Run] | None:
        """Marks a claim that cannot be taken out because nothing else would be left."""
        report, span = state.report, finding.claim.span
        answer = mark(report.answer, span)
        if answer is None or finding.verdict is not Verdict.INSUFFICIENT:
            return None
        after = case.examine(answer)
        if rank(after.report) < rank(report):
            return None
        marked = Edit(
            "qualified", Span(span.start, span.end), span.of(report.answer), "", _why(finding), _first(finding)
        )
        shown = answer[span.start : span.end + len(CAVEAT)]
        return replace(marked, new=shown), after


def _changes_the_subject(claim: str, correction: Correction, asked: frozenset[str]) -> bool:
    """Whether a correction takes away what the question asks about: the answer would then be to another question."""
    if correction.kind not in ("name", "word"):
        return False
    taken = _roots(claim[correction.start : correction.end])
    return bool(taken) and taken <= asked


def _roots(text: str) -> frozenset[str]:
    return frozenset(stem(token.text.lower()) for token in tokenize(text) if not is_stop_word(token.text))


def _holds(before: Report, after: Report, finding: Finding, edit: Edit) -> bool:
    """Whether the changed claim is now supported, by more than a hair, and everything else is as good as it was."""
    changed = [f for f in after.findings if any(span.overlaps(_new_span(edit)) for span in f.spans)]
    supported = changed and all(f.verdict is Verdict.SUPPORTED and f.support is Support.FULL for f in changed)
    supported = supported and find_quoted_order(after) is None
    return bool(supported) and _is_better(before, after) and after.counts["SUPPORTED"] > before.counts["SUPPORTED"]


def _is_better(before: Report, after: Report) -> bool:
    worse = any(after.counts[name] > before.counts[name] for name in ("REFUTED", "INSUFFICIENT", "ERROR"))
    return not worse and rank(after) > rank(before)


def _new_span(edit: Edit) -> Span:
    """Where the change stands afterwards; a deletion is seen in the words around it."""
    if edit.new:
        return Span(edit.span.start, edit.span.start + len(edit.new))
    return Span(max(0, edit.span.start - 1), edit.span.start + 1)


def _sentences(state: Run, finding: Finding) -> Iterator[tuple[float, Evidence, str]]:
    """The sentences of a claim's passages, each with the share of the claim's words that it holds."""
    number = next(index for index, claim in enumerate(state.claims) if claim is finding.claim or claim == finding.claim)
    wanted = {stem(token.text.lower()) for token in tokenize(finding.text)}
    seen: set[tuple[str, int]] = set()
    for passage in state.passages[number]:
        title = {stem(token.text.lower()) for token in tokenize(passage.document.title)}
        for sentence in split_sentences(passage.text):
            span = sentence.span.shifted(passage.start)
            if (passage.document.id, span.start) in seen:
                continue
            seen.add((passage.document.id, span.start))
            held = {stem(token.text.lower()) for token in tokenize(span.of(passage.document.text))}
            share = len(wanted & (held | title)) / len(wanted) if wanted else 0.0
            if share > 0:
                evidence = Evidence.cite(passage.document, span.start, span.end, stance=Stance.SUPPORTS)
                yield share, evidence, passage.document.title


def _place(answer: str, finding: Finding, correction: Correction) -> Span | None:
    """Where a change to a claim's text stands in the answer; None if that cannot be told for certain."""
    span, text = finding.claim.span, finding.text
    if span.of(answer) == text:
        return Span(span.start + correction.start, span.start + correction.end)
    inside = span.of(answer)
    # The claim's text was completed, or anchors were taken out: its words must stand there exactly once.
    for reach in (12, 6, 0):
        before = text[max(0, correction.start - reach) : correction.start]
        after = text[correction.end : correction.end + reach]
        old = text[correction.start : correction.end]
        wanted = before + old + after
        if wanted and inside.count(wanted) == 1:
            start = span.start + inside.index(wanted) + len(before)
            return Span(start, start + len(old))
    return None


def _edit(answer: str, span: Span, correction: Correction, evidence: Evidence) -> Edit:
    reason = {
        "number": "the source gives another number",
        "date": "the source gives another date",
        "name": "the source names another",
        "word": "the source says it differently",
        "opposite": "the source says the opposite",
        "negation": "the source says the opposite",
        "overstatement": "the source says less",
    }[correction.kind]
    return Edit(correction.kind, span, span.of(answer), correction.new, reason, evidence)


def _why(finding: Finding) -> str:
    if finding.verdict is Verdict.REFUTED:
        return f"the sources contradict it: {finding.explanation}".strip(": ")
    return f"the sources do not support it: {finding.explanation}".strip(": ")


def _first(finding: Finding) -> Evidence | None:
    return finding.evidence[0] if finding.evidence else None
