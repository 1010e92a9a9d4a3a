"""Where the words of a claim stand in the answer, also where its text was cleaned or completed.

>>> from assay.claims import extract_claims
>>> answer = "The mill opened in **1900** and closed in 1950."
>>> first, second = extract_claims(answer)
>>> second.text
'The mill closed in 1950'
>>> [place.of(answer) for place in locate(second, Span(4, 23))]
['closed in 1950']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.types import Claim, Span

Run = tuple[int, int, int, int]
"""A stretch of a text (start, end) and the stretch it was read from (start, end)."""

_MARKS = 2  # characters of marks ("**") that do not part a place; the shortest anchor has three


def locate(claim: Claim, stretch: Span) -> tuple[Span, ...]:
    """The places in the answer of a stretch of `claim.text`; words that were carried in from elsewhere have none.

    There is one place for each occurrence of the claim, or more where an anchor or a link stands in between. All of
    them lie in the claim's spans.
    """
    return tuple(place for home in range(len(claim.spans)) for place in _places(claim, home, stretch))


def _places(claim: Claim, number: int, stretch: Span) -> Iterator[Span]:
    home = claim.spans[number]
    found: list[Run] = []
    for low, high, first, last in _runs(claim, number):
        start, end = max(low, stretch.start), min(high, stretch.end)
        if start >= end:
            continue
        if high - low == last - first:
            first, last = first + start - low, last - (high - end)
        before = found[-1] if found else None
        if before and before[1] == start and first - before[3] <= _MARKS:
            found[-1] = (before[0], end, before[2], last)
        else:
            found.append((start, end, first, last))
    for start, end, first, last in found:
        words = claim.text[start:end]
        if not words.isspace():
            first += len(words) - len(words.lstrip())
            last -= len(words) - len(words.rstrip())
            yield Span(home.start + first, home.start + last)


def _runs(claim: Claim, number: int) -> Sequence[Run]:
    if claim.alignment:
        return claim.alignment[number] if number < len(claim.alignment) else ()
    size = len(claim.text)
    return ((0, size, 0, size),) if len(claim.spans[number]) == size else ()
