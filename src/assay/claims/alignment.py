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


def locate(claim: Claim, stretch: Span) -> tuple[Span, ...]:
    """The places in the answer of a stretch of `claim.text`; words that were carried in from elsewhere have none.

    There is one place for each occurrence of the claim, or more where marks or anchors stand in between. All of them
    lie in the claim's spans.
    """
    return tuple(place for home in range(len(claim.spans)) for place in _places(claim, home, stretch))


def _places(claim: Claim, number: int, stretch: Span) -> Iterator[Span]:
    home = claim.spans[number]
    if claim.alignment:
        runs: Sequence[tuple[int, int, int, int]] = claim.alignment[number] if number < len(claim.alignment) else ()
    else:
        runs = ((0, len(claim.text), 0, len(home)),) if len(home) == len(claim.text) else ()
    for low, high, first, last in runs:
        start, end = max(low, stretch.start), min(high, stretch.end)
        if start >= end or claim.text[start:end].isspace():
            continue
        if high - low == last - first:
            first, last = first + start - low, last - (high - end)
        yield Span(home.start + first, home.start + last)
