"""Edit: the smallest change that makes the answer say what the sources say; needs no model.

A wrong number, date, name or sign is replaced by the source's, an overstatement is weakened, and (only where `drop` is
set) what nothing supports is taken out or marked. Every change is verified before it is kept: a claim that was changed
must be supported, no other claim may be lost, and the answer as a whole must have become better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.engine import Run
from assay.repair.case import Case, Proposal
from assay.repair.corrections import Correction, find_corrections
from assay.repair.score import failing, find_quoted_order, rank
from assay.repair.values import CAVEAT, Edit
from assay.text.sentences import split_sentences
from assay.text.tokens import is_stop_word, stem, tokenize
from assay.types import Evidence, Finding, Report, Span, Stance, Support, Verdict

_SENTENCES = 5  # sentences of the sources that are tried for one claim
_TRIES = 6  # changes that are verified for one claim
_REASONS = {
    "number": "the source gives another number",
    "date": "the source gives another date",
    "name": "the source names another",
    "word": "the source says it differently",
    "opposite": "the source says the opposite",
    "negation": "the source says the opposite",
    "overstatement": "the source says less",
}


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
            made = self._correct(case, state, found)
            if made is None and self.drop:
                made = self._remove(case, state, found) or self._qualify(case, state, found)
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
                old, reason = span.of(state.report.answer), _REASONS[correction.kind]
                edit = Edit(correction.kind, span, old, correction.new, reason, evidence)
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
                return Edit("dropped", span, span.of(report.answer), "", _why(finding), _first(finding)), after
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
        shown = answer[span.start : span.end + len(CAVEAT)]
        return Edit("qualified", span, span.of(report.answer), shown, _why(finding), _first(finding)), after


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


def _why(finding: Finding) -> str:
    told = "contradict" if finding.verdict is Verdict.REFUTED else "do not support"
    return f"the sources {told} it: {finding.explanation}".strip(": ")


def _first(finding: Finding) -> Evidence | None:
    return finding.evidence[0] if finding.evidence else None


_CONNECTORS = "and but while whereas although though which who where because so or".split()
# Matched against the reversed text: searching for the end from every place takes time in the square of the length.
_CONNECTOR = re.compile(rf"\s*+(?:(?:{'|'.join(word[::-1] for word in _CONNECTORS)})\b)?+[\s,;–—-]*+", re.I)
_OPENING = re.compile(r"[\s,;–—-]*+(?:\b(?:and|but|while|whereas|although|though)\b)?+\s*+", re.I)
_MARK = re.compile(r"(?:(?<![ \t])[ \t]++)?(?:[-*+•]|\d{1,3}[.)])[ \t]++\Z")
_ANCHOR_BEHIND = re.compile(r"(?:[ \t]*(?:\[[^\[\]\n]{1,80}\]|\((?:[Ss]ource|[Ss]ee)[^()\n]{0,200}\)))+")


def find_cuts(report: Report, finding: Finding) -> Iterator[Span]:
    """The stretches that may be cut out to be rid of a claim, the smallest first: its clause, its sentence."""
    answer = report.answer
    sentence = _sentence_around(answer, finding.claim.span)
    beside = [
        other
        for other in report.findings
        if other is not finding and any(span.overlaps(sentence) for span in other.spans)
    ]
    if any(other.verdict is Verdict.SUPPORTED for other in beside):
        yield from _clauses(answer, sentence, finding.claim.span)
    yield _whole(answer, sentence)


def cut(answer: str, span: Span) -> str:
    """The answer without a stretch, the gap closed and a sentence begun with a capital."""
    before, after = answer[: span.start], answer[span.end :]
    if not before.strip():
        return _capital(after.lstrip())
    if not after.strip():
        return before.rstrip() + ("\n" if answer.endswith("\n") else "")
    if before.rstrip(" \t").endswith("\n") or after.lstrip(" \t").startswith("\n"):
        return before.rstrip(" \t") + after.lstrip(" \t")
    opens = before.rstrip()[-1:] in '.!?…:”"])'
    stop = after.lstrip()[:1] in ".,;:!?)"
    after = after.lstrip()
    return before.rstrip() + ("" if stop else " ") + (_capital(after) if opens and not stop else after)


def mark(answer: str, span: Span) -> str | None:
    """The answer with the caveat behind a statement, before its stop; None if it stands there already."""
    end = span.end
    while end > span.start and answer[end - 1] in " \t\n.!;,":
        end -= 1
    if answer.startswith(CAVEAT, end) or answer[:end].endswith(CAVEAT):
        return None
    return answer[:end] + CAVEAT + answer[end:]


def _sentence_around(answer: str, span: Span) -> Span:
    touched = [s.span for s in split_sentences(answer) if s.span.overlaps(span)]
    return Span(min(s.start for s in touched), max(s.end for s in touched)) if touched else span


def _clauses(answer: str, sentence: Span, claim: Span) -> Iterator[Span]:
    """The claim with the word that joins it to the rest, if the rest stands on one side of it."""
    text = answer[sentence.start : sentence.end]
    start, end = max(claim.start, sentence.start) - sentence.start, min(claim.end, sentence.end) - sentence.start
    before, after = text[:start], text[end:]
    if before.strip() and not after.strip(' .!?)”"]'):
        joint = _CONNECTOR.match(before[::-1])
        stop = len(text.rstrip()) - len(text.rstrip().rstrip(".!?"))
        yield Span(sentence.start + start - (joint.end() if joint else 0), sentence.start + len(text.rstrip()) - stop)
    elif after.strip() and not before.strip():
        joint = _OPENING.match(after)
        yield Span(sentence.start, sentence.start + end + (joint.end() if joint else 0))


def _whole(answer: str, sentence: Span) -> Span:
    """The sentence with the mark of its list item and the anchors behind it."""
    start, end = sentence.start, sentence.end
    line = answer.rfind("\n", 0, start) + 1
    if bullet := _MARK.search(answer[line:start]):
        start = line + bullet.start()
        if anchors := _ANCHOR_BEHIND.match(answer, end):
            end = anchors.end()
        if answer[end : end + 1] == "\n":
            end += 1
    elif anchors := _ANCHOR_BEHIND.match(answer, end):
        end = anchors.end()
    return Span(start, end)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
