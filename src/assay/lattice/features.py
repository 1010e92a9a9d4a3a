"""What the lattice rules look at: of a text its stems, names, dates and counts, of a question what it asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from assay.text.comparable import words_of
from assay.text.dates import CalendarMentions, find_calendar_mentions
from assay.text.names import capitalised_words, find_names
from assay.text.numerals import ONES, TENS
from assay.text.quantities import QuantityKind, find_quantities
from assay.text.sentences import split_sentences
from assay.text.tokens import STOP_WORDS, singular
from assay.text.words import MONTH_PATTERN
from assay.types import Span

_MIN_LENGTH = 4


def content_tokens(text: str) -> list[str]:
    """The content words in the singular, in order, with repeats: four characters or more, and no stop words."""
    return [singular(word) for word in words_of(text) if len(word) >= _MIN_LENGTH and word not in STOP_WORDS]


def content_stems(text: str) -> frozenset[str]:
    """The distinct content words in the singular."""
    return frozenset(content_tokens(text))


def all_words(text: str) -> frozenset[str]:
    """All words in the singular, short ones and stop words too."""
    return frozenset({singular(word) for word in words_of(text)})


@dataclass(frozen=True, slots=True)
class Counts:
    """`counts` leaves out years and days of the month, which are dates; `numbers` holds everything."""

    counts: frozenset[Fraction] = frozenset()
    numbers: frozenset[Fraction] = frozenset()


def find_counts(text: str) -> Counts:
    """Every number of a text as it is written, in digits or in words, and those that count something.

    >>> sorted(map(int, find_counts("Twenty-one of 3,500 men, the 12th group, in 1953").counts))
    [12, 21, 3500]
    """
    counts: set[Fraction] = set()
    dated: set[Fraction] = set()
    for item in find_quantities(text):
        if item.kind is QuantityKind.DATE:
            dated.update(Fraction(part) for part in (item.year, item.day) if part is not None)
        elif item.text != "second" or text[: item.span.start].rstrip().endswith("the"):  # "a second" is a time
            written = {item.low / item.scale, item.high / item.scale}
            is_year = len(item.text) == _MIN_LENGTH and item.text.isdecimal() and 1500 <= item.low <= 2199
            (dated if is_year else counts).update(written)
    return Counts(frozenset(counts), frozenset(counts | dated))


@dataclass(frozen=True)
class TextFeatures:
    """The features of one text, each worked out once and only when a rule asks for it."""

    text: str

    @cached_property
    def stems(self) -> frozenset[str]:
        return content_stems(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        return all_words(self.text)

    @cached_property
    def capitalised(self) -> frozenset[str]:
        """The capitalised words in the singular; all words when the text has no capitals, as in a transcript."""
        if self.text == self.text.lower():
            return self.words
        return all_words(" ".join(capitalised_words(self.text)))

    @cached_property
    def calendar(self) -> CalendarMentions:
        return find_calendar_mentions(self.text)

    @cached_property
    def counts(self) -> Counts:
        return find_counts(self.text)

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """Where the sentences lie."""
        return tuple(sentence.span for sentence in split_sentences(self.text))


class QuestionType(StrEnum):
    """The sort of answer a question wants."""

    RELATION = "relation"  # a name: who, where, which company
    LIST = "list"  # several names
    COUNT = "count"
    CAUSE = "cause"
    TIME = "time"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question with its content stems, the last of them (its subject anchor) and what it asks for."""

    text: str
    stems: frozenset[str]
    words: frozenset[str]  # all of them, short ones too
    subject: str
    asks: QuestionType


_WH = re.compile(r"\b(?:who|whom|whose|which|what|where|when|why|how)\b")
_LIST = re.compile(r"(?:\A\W*|\b(?:please|you|to|and|me)\s)(?:name|list)\s|\bmembers? of\b|\bwho (?:are|were) the\b")
_NAMED_THING = (
    "actor|actress|agency|airline|album|architect|artist|author|band|book|brand|capital|city|club|college|company|"
    "composer|continent|corporation|country|county|director|explorer|film|firm|founder|group|inventor|island|king|"
    "lake|language|leader|man|manufacturer|minister|mountain|movie|museum|name|nation|newspaper|novel|ocean|"
    "organisation|organization|painter|party|people|person|planet|player|poet|president|province|publisher|queen|"
    "region|river|scientist|sea|singer|software|song|state|street|studio|team|town|tribe|university|village|woman|"
    "writer"
)
_WHAT_NAMED = re.compile(
    rf"what (?:\w+ )?(?:{_NAMED_THING})s?\b"
    r"|what (?:is|are|was|were) (?:the )?(?:names?|capital|author|founder|inventor|director|composer|president) of\b"
)
_TIME = re.compile(
    r"when\b|(?:what|which) (?:\w+ )?(?:year|date|day|month|decade|century|time)s?\b|how (?:long ago|recently)\b"
)
_COUNT = re.compile(r"how (?:many|much)\b|(?:what|which) (?:\w+ )?(?:number|amount|quantity)\b")


def parse_question(text: str | None) -> ParsedQuestion | None:
    """The question taken apart; None when there is none."""
    if text is None or not text.strip():
        return None
    tokens = content_tokens(text)
    return ParsedQuestion(
        text, frozenset(tokens), all_words(text), tokens[-1] if tokens else "", _asks(text[:2000].lower())
    )


def _asks(text: str) -> QuestionType:
    if _LIST.search(text):
        return QuestionType.LIST
    found = _WH.search(text)
    if not found:
        return QuestionType.OTHER
    at = found.start()
    # Only the first question word counts: "Who led the country when the war began?" asks for a name.
    patterns = {QuestionType.TIME: _TIME, QuestionType.COUNT: _COUNT, QuestionType.RELATION: _WHAT_NAMED}
    for asks, pattern in patterns.items():
        if pattern.match(text, at):
            return asks
    if found.group() == "why":
        return QuestionType.CAUSE
    return QuestionType.RELATION if found.group() in ("who", "whom", "whose", "which", "where") else QuestionType.OTHER


# Before any model call


@dataclass(frozen=True, slots=True)
class Preflight:
    """Whether a question should be narrowed first, what makes it broad, and how to bound it."""

    flagged: bool
    broad: str = ""
    advice: str = ""


_TOTAL = re.compile(
    r"\b(?:everything|anything|all)\s+(?:there\s+is\s+to\s+know\s+|you\s+know\s+|you\s+can\s+|known\s+)?(?:about|on|regarding|concerning)\b"
    r"|\beverything\s+(?:that\s+)?(?:happened|ever)\b|\ball\s+there\s+is\s+to\s+know\b|\beverything\s+you\s+know\b",
    re.IGNORECASE,
)
# "List all kings" asks for a set; "Are all swans white?" asks about one.
_SET = re.compile(
    r"\b(?:list|name|give|show|tell|enumerate|describe|explain|(?:who|what)\s+(?:is|are|was|were|won)|of|about)"
    r"\s+(?:me\s+|us\s+)?(?:all|every)\s+(?:of\s+)?(?:the\s+|known\s+|possible\s+|single\s+)*[^\W\d_]{3,}"
    r"|\b(?:complete|full|entire|whole|exhaustive)\s+(?:list|history|story|record|overview|account|timeline|summary)\b"
    r"|\bhistory\s+of\s+(?:the\s+)?(?:world|universe|humanity|mankind|everything|science|sports?|music|art)\b",
    re.IGNORECASE,
)
# "the best film of all time", "the longest of all rivers": one thing is wanted, not all of them.
_ONE_OF_A_SET = re.compile(
    r"\b(?:[^\W\d_]{2,12}est|most|best|first|least)\b|\bof all time\b|\bfirst of all\b", re.IGNORECASE
)
_TIME_BOUND = re.compile(
    r"\b(?:1[0-9]{3}|20[0-9]{2}|21[0-9]{2})(?:s|['’]s)?\b|\b[0-9]{1,2}(?:st|nd|rd|th)\s+century\b"
    r"|\b(?:today|yesterday|tonight|currently|this|last|past|previous)\s+(?:year|month|week|season|decade|century|[0-9]+)\b"
    rf"|\b(?!may\b|march\b)(?:{MONTH_PATTERN})\b",
    re.IGNORECASE,
)
_NUMBER = rf"(?:[0-9]{{1,3}}|{'|'.join((ONES | TENS).keys() - {'zero', 'one'})})"
_COUNT_BOUND = re.compile(
    rf"\b(?:top|first|last|best|largest|biggest|main|at most|up to|only)\s+{_NUMBER}\b"
    rf"|\b{_NUMBER}\s+(?:examples?|facts?|points?|items?|sentences?|names?|reasons?)\b",
    re.IGNORECASE,
)
_LONGEST = 2000


def check_question(question: str) -> Preflight:
    """Flags a question that asks for everything and sets no limit of time, number or name."""
    text = question[:_LONGEST]
    total = _TOTAL.search(text)
    kind = total or (None if _ONE_OF_A_SET.search(text) else _SET.search(text))
    if kind is None or _TIME_BOUND.search(text) or _COUNT_BOUND.search(text):
        return Preflight(False)
    # "all members of the Beatles" is a set with an edge; "everything about the Beatles" is not.
    if total is None and any(not name.opens for name in find_names(text)):
        return Preflight(False)
    return Preflight(True, kind.group().strip(), _advice(text))


def _advice(text: str) -> str:
    topic = next(reversed(content_tokens(text)), "the topic")
    return (
        "The question is broad and sets no limit, so no set of sources could back a full answer. "
        f"Bound it by time (since 2020), by number (the five largest), by place or name, or by one aspect of {topic!r}."
    )
