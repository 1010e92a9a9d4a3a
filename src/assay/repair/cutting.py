"""Taking a statement out of an answer, or marking it, without touching its neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.text.sentences import split_sentences
from assay.types import Finding, Report, Span, Verdict

CAVEAT = " (not confirmed by the sources)"

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
