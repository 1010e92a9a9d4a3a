"""Which words of a claim its evidence does not carry: leave each out and see whether support returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.encoder.subject import has_words, roots
from assay.encoder.windows import Window, split_units
from assay.text.tokens import WORD
from assay.types import Span, Verdict

if TYPE_CHECKING:
    from assay.encoder.pairing import Tokens
    from assay.encoder.verifier import Verifier

MOST_PASSES = 24  # readings of the network spent on one claim
GAIN = 0.15  # support that must return for a word to be the culprit
_JOINTS = frozenset(" \t\n-–/'’.,")


def find_unsupported(verifier: Verifier, claim: str, evidence: str) -> tuple[Span, ...]:
    """The spans of the claim that are not supported; the whole claim where the evidence has nothing to do with it."""
    if not claim.strip():
        return ()
    whole = Span(len(claim) - len(claim.lstrip()), len(claim.rstrip()))
    tokens = verifier.pairing.tokens(claim)
    if not has_words(claim) or not has_words(evidence):
        return (whole,)
    sentences = [_trimmed(claim, unit) for unit in split_units(tokens, verifier.max_tokens // 2)]
    sentences = [span for span in sentences if len(span)]
    verdicts = [scores.verdict for scores in verifier.score([(evidence, span.of(claim)) for span in sentences])]
    doubtful = [span for span, verdict in zip(sentences, verdicts, strict=True) if verdict is not Verdict.SUPPORTED]
    source = verifier.source(evidence)
    found: list[Span] = []
    passes = MOST_PASSES
    for span in doubtful:
        part = verifier.pairing.tokens(span.of(claim))
        windows = verifier.windows([source], part)
        candidates = _phrases(part.text)[: max(0, passes)]
        passes -= len(candidates)
        culprits = _occlude(verifier, part, windows, candidates) if candidates else [Span(0, len(part.text))]
        found.extend(culprit.shifted(span.start) for culprit in culprits)
    return tuple(_merged(claim, found))


def _occlude(
    verifier: Verifier, claim: Tokens, windows: Sequence[Window], candidates: Sequence[Span]
) -> Sequence[Span]:
    words = {root for _, root in roots(claim.text)}
    window = max(windows, key=lambda window: len(words & window.stems))
    missing = [span for span in candidates if not _stems(claim.text, span) & window.stems]
    if len(missing) == len(candidates):
        return [Span(0, len(claim.text))]
    without = [
        verifier.pairing.tokens(claim.text[: span.start] + claim.text[span.end :].lstrip()) for span in candidates
    ]
    before, *after = verifier.read([(window.ids, claim.ids), *((window.ids, rest.ids) for rest in without)])
    gains = [scores.supported - before.supported for scores in after]
    culprits = [span for span, gain in zip(candidates, gains, strict=True) if gain >= GAIN]
    if culprits or missing:
        return culprits or missing
    best = max(range(len(candidates)), key=lambda number: gains[number])
    return [candidates[best]] if gains[best] > 0 else [Span(0, len(claim.text))]


def _stems(text: str, span: Span) -> set[str]:
    return {root for _, root in roots(span.of(text))}


def _phrases(text: str) -> list[Span]:
    """Content words, a name of several words ("New York City") as one."""
    meaningful = {start for start, _ in roots(text)}
    spans: list[Span] = []
    for match in WORD.finditer(text):
        if match.start() not in meaningful:
            continue
        if (
            spans
            and _is_name(text, spans[-1])
            and match.group()[0].isupper()
            and text[spans[-1].end : match.start()] == " "
        ):
            spans[-1] = Span(spans[-1].start, match.end())
        else:
            spans.append(Span(match.start(), match.end()))
    return spans


def _is_name(text: str, span: Span) -> bool:
    return text[span.start].isupper()


def _trimmed(text: str, span: Span) -> Span:
    piece = span.of(text)
    start = span.start + len(piece) - len(piece.lstrip())
    return Span(start, max(start, span.start + len(piece.rstrip())))


def _merged(text: str, spans: Sequence[Span]) -> list[Span]:
    """Spans in order, those joined that only space or a hyphen parts."""
    merged: list[Span] = []
    for span in sorted(set(spans)):
        if merged and set(text[merged[-1].end : span.start]) <= _JOINTS:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged
