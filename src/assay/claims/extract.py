"""An answer taken apart into located claims; what states nothing is kept with the reason.

>>> [claim.text for claim in extract_claims("Paris is in France and Berlin is in Germany.")]
['Paris is in France', 'Berlin is in Germany']
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from unicodedata import normalize

from assay.claims.kinds import QuestionFocus, importance_of, kind_of
from assay.claims.pieces import AnswerReader, Piece
from assay.claims.prose import Run
from assay.confusables import as_seen
from assay.policy import Policy
from assay.text.normalise import fold
from assay.types import Citation, Claim, Importance, Span

CITATION_REACH = 20  # an anchor this many characters after a claim still belongs to it


_SHORT = 1024


def extract_claims(text: str, question: str | None = None, policy: Policy = Policy()) -> list[Claim]:  # noqa: B008
    """The claims of an answer in order; every character but white space and marks lies in one of them."""
    reader = AnswerReader(as_seen(text), policy)
    asked = QuestionFocus.by(question) if question else None
    return _without_repeats(list(_make_claims(reader, asked)))


def _make_claims(reader: AnswerReader, asked: QuestionFocus | None) -> Iterator[Claim]:
    pieces = list(reader.pieces())
    anchors = _owners(pieces, reader.citations, CITATION_REACH)
    first = True
    for index, piece in enumerate(pieces):
        said = piece.text
        span = (Span(piece.start, piece.end),)
        cited = tuple(anchors.get(index, ()))
        if piece.reason:
            yield Claim(
                said, span, checkable=False, reason=piece.reason, citations=cited, sentence_index=piece.sentence
            )
            continue
        kind = kind_of(said)
        direct = asked is not None and asked.answered_by(said, first=first)
        first = False
        yield Claim(
            said,
            span,
            kind,
            importance_of(said, kind, direct=direct),
            citations=cited,
            sentence_index=piece.sentence,
            context=piece.context,
            warnings=piece.warnings,
            alignment=() if reader.text[piece.start : piece.end] == said else (_runs(piece),),
        )


def _runs(piece: Piece) -> tuple[Run, ...]:
    return tuple((low, high, first - piece.start, last - piece.start) for low, high, first, last in piece.runs)


def _owners(pieces: list[Piece], citations: list[Citation], reach: int) -> dict[int, list[Citation]]:
    """The anchors of each piece: those inside it, or shortly behind it; one alone on its line backs what it follows."""
    owned: dict[int, list[Citation]] = {}
    starts = [piece.start for piece in pieces]
    speakers: list[int] = []
    for index, piece in enumerate(pieces):
        speakers.append(speakers[-1] if piece.anchors_only and index else index)
    for citation in citations:
        index = bisect_left(starts, citation.span.start + 1) - 1
        if index < 0:
            continue
        index = speakers[index]
        if citation.span.start <= pieces[index].end + reach:
            owned.setdefault(index, []).append(citation)
    return owned


def _without_repeats(claims: list[Claim]) -> list[Claim]:
    """Claims that say the same in the same context become one, with every place where it stands."""
    alike: dict[tuple[str, str, str], list[Claim]] = {}
    for claim in claims:
        alike.setdefault((_norm(claim.text), claim.reason, claim.context), []).append(claim)
    return [same[0] if len(same) == 1 else _merged(same) for same in alike.values()]


def _merged(same: list[Claim]) -> Claim:
    verbatim = not any(claim.alignment for claim in same) and len({len(claim.span) for claim in same}) == 1
    return replace(
        same[0],
        spans=tuple(claim.span for claim in same),
        citations=tuple(citation for claim in same for citation in claim.citations),
        importance=min((claim.importance for claim in same), key=tuple(Importance).index),
        alignment=() if verbatim else tuple(_aligned(claim, same[0]) for claim in same),
    )


def _aligned(claim: Claim, first: Claim) -> tuple[Run, ...]:
    """The runs of one occurrence; none where its letters are composed in another way than in the first."""
    if len(claim.text) != len(first.text):
        return ()
    return claim.alignment[0] if claim.alignment else ((0, len(claim.text), 0, len(claim.text)),)


def _norm(text: str) -> str:
    """The normal form, without the map that nobody asks for here."""
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(normalize("NFC", text).split()).lower() if len(text) <= _SHORT else fold(text).text
