"""An answer taken apart into located claims; what states nothing is kept with the reason.

>>> [claim.text for claim in extract_claims("Paris is in France and Berlin is in Germany.")]
['Paris is in France', 'Berlin is in Germany']
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from unicodedata import normalize

from assay.claims.checkable import framing_end, opens_references, why_not_checkable
from assay.claims.citations import find_citations, without_anchors
from assay.claims.decompose import split_clauses
from assay.claims.kinds import Asked, importance_of, kind_of
from assay.claims.limits import cut_long
from assay.claims.pronouns import leads_with_pronoun
from assay.policy import Policy
from assay.text.normalise import fold
from assay.text.sentences import Sentence, split_sentences
from assay.text.tokens import count_tokens
from assay.types import Citation, Claim, Importance, Span

_SHORT = 1024
# A sentence that is no claim as a whole may still have one behind it: "This is not legal advice, but …".
_SPLIT_FIRST = frozenset(("refusal", "disclaimer", "imperative"))


@dataclass(slots=True)
class _Piece:
    """A stretch of one sentence before it becomes a claim."""

    start: int
    end: int
    sentence: int
    text: str = ""
    reason: str = ""
    context: str = ""
    warnings: tuple[str, ...] = ()
    anchors_only: bool = False


def extract_claims(text: str, question: str | None = None, policy: Policy = Policy()) -> list[Claim]:  # noqa: B008
    """The claims of an answer in order; every character but white space and marks lies in one of them."""
    reader = _Reader(text, policy)
    asked = Asked.by(question) if question else None
    return _without_repeats(list(_make_claims(reader, asked)))


def _make_claims(reader: _Reader, asked: Asked | None) -> Iterator[Claim]:
    pieces = list(reader.pieces())
    anchors = _owners(pieces, reader.citations, reader.policy.citation_reach)
    first = True
    for index, piece in enumerate(pieces):
        span = (Span(piece.start, piece.end),)
        cited = tuple(anchors.get(index, ()))
        if piece.reason:
            yield Claim(
                piece.text, span, checkable=False, reason=piece.reason, citations=cited, sentence_index=piece.sentence
            )
            continue
        said = " ".join(piece.text.split()) if "\n" in piece.text else piece.text  # a wrapped line is one line
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
        )


class _Reader:
    """One reading of one answer, sentence by sentence, with what earlier sentences said."""

    def __init__(self, text: str, policy: Policy) -> None:
        self.text, self.policy = text, policy
        self.sentences = split_sentences(text)
        self.citations = find_citations(text)
        self._places = [citation.span.start for citation in self.citations]
        self.antecedent = ""
        self.intro = ""
        self.header = ""
        self.listing_sources = False

    def pieces(self) -> Iterator[_Piece]:
        for index, sentence in enumerate(self.sentences):
            start, end = sentence.span.start, sentence.span.end
            if sentence.kind in ("heading", "code"):
                yield _Piece(start, end, index, sentence.span.of(self.text), sentence.kind)
                if sentence.kind == "heading":
                    self.antecedent = self.intro = self.prose(start, end)
                    self.listing_sources = opens_references(self.intro)
            elif sentence.kind == "table":
                yield self.row(index, sentence)
            else:
                yield from self.statement(index, sentence)

    def row(self, index: int, sentence: Sentence) -> _Piece:
        """A table row is one claim, read under the header of its table."""
        start, end = sentence.span.start, sentence.span.end
        after = self.sentences[index + 1] if index + 1 < len(self.sentences) else None
        before = self.sentences[index - 1] if index else None
        if not before or before.kind != "table" or "\n\n" in self.text[before.span.end : start]:
            self.header = ""
        if not self.header and after and after.kind == "table" and "-" in self.text[end : after.span.start]:
            self.header = sentence.span.of(self.text)
            return _Piece(start, end, index, self.header, "heading")
        prose = self.prose(start, end)
        return _Piece(start, end, index, prose, why_not_checkable(prose) and "connector", context=self.header)

    def statement(self, index: int, sentence: Sentence) -> Iterator[_Piece]:
        """The claims of a sentence or bullet, with the framing before them as a piece of its own."""
        start, end = sentence.span.start, sentence.span.end
        whole = self.prose(start, end)
        self.listing_sources = self.listing_sources or opens_references(whole)
        if self.listing_sources or not whole:
            yield _Piece(start, end, index, self.text[start:end], "meta", anchors_only=not whole)
            return
        if sentence.kind != "bullet":
            self.intro = ""
        framed, reason = framing_end(self.text[start:end], 0)
        framed += start
        said = whole
        if framed > start:
            said = self.prose(framed, end)
            # An anchor with nothing before it goes with the frame: "Based on the source [1]".
            yield self.piece(start, framed if said else end, index, reason, self.prose(start, framed))
            start = framed
        if not said:
            return
        reason = why_not_checkable(said)
        if reason and reason not in _SPLIT_FIRST:
            yield self.piece(start, end, index, reason, said)
        else:
            found = list(self.clauses(start, end, index))
            # "I'm sorry, but I could not find it" is one refusal.
            nothing = reason and all(piece.reason for piece in found)
            yield from [self.piece(start, end, index, reason, said)] if nothing else found
        if sentence.kind != "bullet" and whole.endswith(":"):
            self.intro = whole
        if not reason and not leads_with_pronoun(said):
            self.antecedent = said

    def clauses(self, start: int, end: int, index: int) -> Iterator[_Piece]:
        """The claims of a sentence, each with what its pronoun or its bullet leans on."""
        antecedent = self.antecedent or self.intro
        for clause in split_clauses(self.text, start, end):
            said = clause.completed(clause.trimmed(self.prose(clause.words, clause.end)))
            reason = why_not_checkable(said)
            context = self.intro
            if leads_with_pronoun(said):
                context = antecedent
            else:
                antecedent = said
            if reason:
                yield self.piece(clause.start, clause.end, index, reason, said)
            else:
                yield from self.parts(clause.start, clause.end, index, said, context)

    def parts(self, start: int, end: int, index: int, said: str, context: str) -> Iterator[_Piece]:
        """A claim, in several if it is longer than the encoder can read."""
        limit = self.policy.claim_max_tokens
        # A token is a character at least: most claims need no counting.
        size = len(said) if len(said) <= limit else count_tokens(said)
        if size <= limit:
            yield self.piece(start, end, index, "", said, context)
            return
        warning = (f"cut at a clause boundary: {size} tokens, limit {limit}",)
        for low, high in cut_long(self.text, start, end, limit):
            yield self.piece(low, high, index, "", self.prose(low, high), context, warning)

    def piece(
        self,
        start: int,
        end: int,
        index: int,
        reason: str,
        said: str,
        context: str = "",
        warnings: tuple[str, ...] = (),
    ) -> _Piece:
        """A piece without the white space at its ends."""
        stretch = self.text[start:end]
        start += len(stretch) - len(stretch.lstrip())
        return _Piece(start, start + len(stretch.strip()), index, said, reason, context, warnings)

    def prose(self, start: int, end: int) -> str:
        """A stretch without the anchors in it."""
        low = bisect_left(self._places, start)
        inside = []
        while low < len(self._places) and self.citations[low].span.end <= end:
            inside.append(self.citations[low])
            low += 1
        return without_anchors(self.text, start, end, inside) if inside else self.text[start:end].strip()


def _owners(pieces: list[_Piece], citations: list[Citation], reach: int) -> dict[int, list[Citation]]:
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
    return replace(
        same[0],
        spans=tuple(claim.span for claim in same),
        citations=tuple(citation for claim in same for citation in claim.citations),
        importance=min((claim.importance for claim in same), key=tuple(Importance).index),
    )


def _norm(text: str) -> str:
    """The normal form, without the map that nobody asks for here."""
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(normalize("NFC", text).split()).lower() if len(text) <= _SHORT else fold(text).text
