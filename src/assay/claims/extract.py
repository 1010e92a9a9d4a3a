"""An answer taken apart into located claims; what states nothing is kept with the reason.

>>> [claim.text for claim in extract_claims("Paris is in France and Berlin is in Germany.")]
['Paris is in France', 'Berlin is in Germany']
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from unicodedata import normalize

from assay.claims.pieces import AnswerReader, Piece
from assay.claims.prose import Run
from assay.confusables import Edit, find_disguises
from assay.policy import Policy
from assay.text.normalise import fold
from assay.text.numerals import MAGNITUDES, ONES, TENS
from assay.text.tokens import content_words, is_stop_word, stem, tokenize
from assay.text.words import MONTH_PATTERN, WEEKDAYS, words
from assay.types import Citation, Claim, Importance, Kind, Span

CITATION_REACH = 20  # an anchor this many characters after a claim still belongs to it


_SHORT = 1024


def extract_claims(text: str, question: str | None = None, policy: Policy = Policy()) -> list[Claim]:  # noqa: B008
    """The claims of an answer in order; every character but white space and marks lies in one of them."""
    edits = find_disguises(text)
    shown = _ShownAnswer.of(text, edits) if edits else None
    reader = AnswerReader(shown.text if shown else text, policy)
    asked = QuestionFocus.by(question) if question else None
    claims = list(_make_claims(reader, asked))
    return _without_repeats([shown.in_answer(claim) for claim in claims] if shown else claims)


@dataclass(frozen=True, slots=True)
class _ShownAnswer:
    """An answer as it looks, with the place in the answer where each of its characters starts and ends."""

    answer: str
    text: str
    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, answer: str, edits: list[Edit]) -> _ShownAnswer:
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        done = 0
        for start, end, new in [*edits, (len(answer), len(answer), "")]:
            pieces += (answer[done:start], new)
            # What is shown is at most as long as what was written; its last character stands for the rest.
            starts += [*range(done, start), *range(start, start + len(new))]
            ends += [*range(done + 1, start + 1), *range(start + 1, start + len(new)), *([end] if new else [])]
            done = end
        return cls(answer, "".join(pieces), starts, ends)

    def place(self, span: Span) -> Span:
        return Span(self.starts[span.start], self.ends[span.end - 1])

    def in_answer(self, claim: Claim) -> Claim:
        """A claim read from the shown text, with its places in the answer."""
        home = self.place(claim.span)
        citations = tuple(
            replace(cited, span=(place := self.place(cited.span)), text=place.of(self.answer))
            for cited in claim.citations
        )
        if claim.reason or home.of(self.answer) == claim.text:
            return replace(claim, spans=(home,), citations=citations)
        size = len(claim.text)
        runs = claim.alignment[0] if claim.alignment else ((0, size, 0, size),)
        moved = tuple(part for run in runs for part in self._parts(run, claim.span.start, home.start))
        return replace(claim, spans=(home,), citations=citations, alignment=(moved,))

    def _parts(self, run: Run, shown_at: int, home_at: int) -> Iterator[Run]:
        """A run of the shown text as runs of the answer: one for each stretch with nothing hidden inside."""
        low, high, first, last = run
        first, last = first + shown_at, last + shown_at
        whole = high - low != last - first
        while first < last:
            end = last if whole else first + 1
            while end < last and self.starts[end] == self.ends[end - 1] == self.starts[end - 1] + 1:
                end += 1
            size = high - low if whole else end - first
            yield low, low + size, self.starts[first] - home_at, self.ends[end - 1] - home_at
            low, first = low + size, end


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


# A number that stands for itself: "12 %", "$3", "in 1990"; not the digits of "COVID-19", "B12" or "H2O".
_DIGITS = re.compile(r"(?<![\w-])\d|[½¼¾⅓⅔]")
_PLURALS = words("hundreds thousands millions billions trillions dozens")
_NUMBER_WORDS = frozenset(ONES | TENS | MAGNITUDES) - {"zero", "one"} | _PLURALS | {"twice", "half", "percent"}
_DEFINING = words("is are means refers refer stands denotes describes")
_DEFINITION = re.compile(
    r"\b(?:is|are)\s+(?:an?|defined\s+as|known\s+as|called|one\s+of|the\s+(?:term|name|process|study|practice|act)\b)\s"
    r"|\b(?:means|refers?\s+to|stands\s+for|denotes|is\s+short\s+for|describes\s+the)\b"
)
_RULING = words("""
    must shall should required require requires mandatory compulsory obligatory prohibited prohibits prohibit forbidden
    forbids forbid banned entitled eligible ineligible obliged obligated permitted allowed
""")
_POLICY = re.compile(
    r"\b(?:may\s+not|may\s+only|can\s?not\s+be|ha(?:s|ve)\s+to|needs?\s+to|(?:is|are)\s+to\s+be|subject\s+to)\b"
)
_STRESSING = words("""
    key primary primarily main mainly only always never most least first largest biggest smallest highest lowest best
    worst essential critical crucial major central principal chief leading sole solely every all none nobody fatal
    dangerous contraindicated guaranteed significant significantly important importantly
""")
_LETTERS = re.compile(r"[a-z]+")


def _is_numeric(text: str, listed: set[str]) -> bool:
    return _DIGITS.search(text) is not None or not _NUMBER_WORDS.isdisjoint(listed)


def kind_of(text: str) -> Kind:
    """Numeric before definition before policy before fact."""
    lowered = text.lower()
    listed = set(_LETTERS.findall(lowered))
    if _is_numeric(text, listed):
        return Kind.NUMERIC
    if not _DEFINING.isdisjoint(listed) and _DEFINITION.search(lowered):
        return Kind.DEFINITION
    if not _RULING.isdisjoint(listed) or _POLICY.search(lowered):
        return Kind.POLICY
    return Kind.FACT


def importance_of(text: str, kind: Kind, *, direct: bool) -> Importance:
    """Critical if it answers the question or gives a number, material if it rules or stresses, else minor."""
    if direct or kind is Kind.NUMERIC:
        return Importance.CRITICAL
    if kind is Kind.POLICY or not _STRESSING.isdisjoint(_LETTERS.findall(text.lower())):
        return Importance.MATERIAL
    return Importance.MINOR


_TIME = re.compile(
    rf"\d|\b(?:{MONTH_PATTERN}|{'|'.join(WEEKDAYS)}|century|today|yesterday|tomorrow|spring|summer|autumn|winter)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"\bhow\s+(?:many|much|long|old|far|tall|high|big|often|large|fast)\b", re.IGNORECASE)
_ASKING = words("who whom whose what which when where why how")
_SHORT_ANSWER = 4


@dataclass(frozen=True, slots=True)
class QuestionFocus:
    """What a question is about, and what its wh-word wants."""

    stems: frozenset[str]
    wants: str

    @classmethod
    def by(cls, question: str) -> QuestionFocus:
        listed = [token.text.lower() for token in tokenize(question)]
        wants = next((word for word in listed if word in _ASKING), "")
        if wants == "how" and _AMOUNT.search(question):
            wants = "number"
        about = (word for word in listed if len(word) > 2 and word not in _ASKING and not is_stop_word(word))
        return cls(frozenset(map(stem, about)), wants)

    def answered_by(self, text: str, *, first: bool) -> bool:
        """Whether a claim shares the question's words and gives what was asked; "Paris." may do so as the `first`."""
        tokens = tokenize(text)
        if not self._gives(text, [token.text for token in tokens]):
            return False
        if first and len(tokens) <= _SHORT_ANSWER:
            return True
        shared = self.stems.intersection(stem(token.text.lower()) for token in tokens)
        return bool(shared) and 2 * len(shared) >= len(self.stems)

    def _gives(self, text: str, listed: list[str]) -> bool:
        if self.wants in ("who", "whom", "whose", "where"):
            return any(word[0].isupper() and stem(word.lower()) not in self.stems for word in listed)
        if self.wants == "when":
            return bool(_TIME.search(text))
        if self.wants == "number":
            return _is_numeric(text, {word.lower() for word in listed})
        if self.wants:
            return any(stem(token.text.lower()) not in self.stems for token in content_words(text)) or any(
                word[0].isdigit() or word[0].isupper() for word in listed if stem(word.lower()) not in self.stems
            )
        return True
