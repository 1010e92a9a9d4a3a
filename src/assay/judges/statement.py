"""A claim as the model reads it: a sentence of its own, with values as the sources write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.text.quantities import Match, Quantity, compare, find_quantities
from assay.types import Claim, Passage, Span

Edit = tuple[int, int, str]
"""A stretch of a claim's text (start, end) and what the model reads in its place."""

_POINTING = re.compile(r"(it|he|she|they|this|its|his|her|their)\b\s*", re.IGNORECASE)
_POSSESSIVE = frozenset({"its", "his", "her", "their"})
_NAME = re.compile(r"(?:[A-Z][\w’'.-]*\w|[A-Z])(?:\s+(?:(?:of|de|the|van|von|and|&)\s+)?[A-Z][\w’'.-]*\w)*")
_OPENING = re.compile(
    r"(?:the|a|an|in|on|at|by|for|from|after|before|during|since|based|according|however|also|moreover|when|while|as|it|he"
    r"|she|they|this|these|that|its|his|her|their)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """The text a model reads for a claim, and the edits that made it from the claim's own."""

    text: str
    edits: tuple[Edit, ...] = ()

    @classmethod
    def of(cls, claim: Claim, passages: Sequence[Passage] = ()) -> Statement:
        """The claim with the name its first pronoun points to, and values in the form that a source has them in.

        >>> from assay.types import Document
        >>> tower = Claim("It opened at 3 pm.", (Span(0, 18),), context="The Eiffel Tower stands in Paris.")
        >>> source = Document("d", "The Eiffel Tower opened at 15:00.")
        >>> Statement.of(tower, [Passage(source, 0, 33)]).text
        'Eiffel Tower opened at 15:00.'
        """
        edits = [*_name_for_pronoun(claim), *_values_of_sources(claim.text, passages)]
        text, at = "", 0
        for start, end, words in edits:
            text += claim.text[at:start] + words
            at = end
        return cls(text + claim.text[at:], tuple(edits))

    def in_claim(self, span: Span) -> Span:
        """Where a stretch of the text stands in the claim; of words put in, where those they stand for do."""
        return Span(self._origin(span.start, 0), self._origin(span.end, 1))

    def _origin(self, offset: int, side: int) -> int:
        moved = 0  # how far the text behind the last edit lies from the claim's
        for start, end, words in self.edits:
            if offset <= start + moved - (1 - side):
                break
            if offset < start + moved + len(words) + side:
                return (start, end)[side]
            moved += len(words) - (end - start)
        return offset - moved


def _name_for_pronoun(claim: Claim) -> list[Edit]:
    """The name in the sentence before for the pronoun a claim begins with."""
    pointing = _POINTING.match(claim.text)
    name = _first_name(claim.context) if claim.context and pointing else ""
    if not pointing or not name:
        return []
    rest = claim.text[pointing.end() :]
    if pointing[1].lower() in _POSSESSIVE:
        name += "’" if name.endswith("s") else "’s"
    elif pointing[1].lower() == "this" and not re.match(r"(?:is|was|has|had|made|led|will|can)\b", rest):
        return []  # "This treaty …" names what it speaks of
    return [(0, pointing.end(1), name)]


def _values_of_sources(text: str, passages: Sequence[Passage]) -> list[Edit]:
    """For each value that no source writes alike but one states in another form ("3 pm", "15:00"): that form.

    A network of this size cannot convert units, and need not: what is equal is made to look equal. A value that
    differs, or stands for something else there, is left for the model to judge.
    """
    ours = [item for item in find_quantities(text) if _has_forms(item)]
    if not ours:
        return []
    theirs = [item for passage in passages for item in _quantities(passage.text)]
    written = {item.text.lower() for item in theirs}
    edits: list[Edit] = []
    for item in ours:
        if item.text.lower() in written:
            continue
        same = next((other for other in theirs if compare(item, other, 0.0) in (Match.EQUAL, Match.ROUNDED)), None)
        if same is not None:
            edits.append((item.span.start, item.span.end, same.text))
    return edits


def _has_forms(item: Quantity) -> bool:
    """Whether a value can be written for another; rates ("$228 a year") are said with words around the number."""
    return item.period is None and not item.name


@lru_cache(maxsize=1024)
def _quantities(text: str) -> tuple[Quantity, ...]:
    return tuple(item for item in find_quantities(text) if _has_forms(item))


def _first_name(context: str) -> str:
    for match in _NAME.finditer(context):
        name = match.group()
        while opening := _OPENING.match(name):  # "In Paris" at the start of a sentence
            name = name[opening.end() :].lstrip()
        if name and not name.isdigit():
            return name
    return ""
