"""What the words around a quantity say it is about: the subject, the predicate and the counted thing."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.text.numerals import COUNTED
from assay.text.quantities import Quantity, QuantityKind, find_quantities
from assay.text.sentences import split_sentences
from assay.text.tokens import WordToken, is_stop_word, stem, tokenize
from assay.text.words import points_back, words
from assay.types import Span

# After a subject these begin the predicate, as do words in -s and -ed; "base" in "Everest base camp" does not.
_VERBS = words("""
    won became went took got made met wrote led held began ran left gave came saw grew built kept lost sold sang
    spoke stood rose fell sits lay lies spent paid found cost hit set put born known drew rode bought brought
""")
_PARTS = re.compile(r"[-‐‑]")
_PLURALS = words("people men women children feet mice teeth police cattle sheep troops series species")
_DETERMINERS = words("the these those its their his her all")
# Words that make a sentence say something else than "it is so": no refutation is built on them.
_UNSURE = words("""
    not no never neither nor cannot false falsely wrong wrongly incorrect incorrectly myth claim claims claimed
    alleged allegedly planned plan plans expected expects forecast projected target would could might if unless
    until estimate estimates estimated estimation prediction predicted originally initially previously formerly
""")
# A heading or a first line this short names what the text is about.
TITLE_WORDS = 6
MAX_CARRIED = 200  # a chain of pronouns longer than this has lost its subject
REACH = 12  # words looked at before a quantity, stop words included


@dataclass(frozen=True, slots=True)
class NumericSentence:
    """One sentence with its words, its quantities, and the words its pronouns may point back to."""

    span: Span
    kind: str
    paragraph: int
    tokens: tuple[WordToken, ...]
    words: frozenset[str]
    carried: frozenset[str]
    quantities: tuple[Quantity, ...]


def words_of(tokens: Sequence[WordToken]) -> frozenset[str]:
    """The stems of the words that carry meaning, hyphenated words whole and in parts."""
    found: set[str] = set()
    for token in tokens:
        if is_stop_word(token.text):
            continue
        low = token.text.lower()
        found.add(stem(low))
        if "-" in low or "‑" in low or "‐" in low:
            found.update(stem(part) for part in _PARTS.split(low) if len(part) > 1 or part.isdigit())
    return frozenset(found)


@lru_cache(maxsize=512)
def read_numeric_sentences(text: str) -> tuple[NumericSentence, ...]:
    """The sentences of a source, each with what it states."""
    sentences = split_sentences(text)
    quantities = find_quantities(text)
    tokens = tokenize(text)
    token_starts = [token.start for token in tokens]
    quantity_starts = [quantity.span.start for quantity in quantities]
    breaks = [match.start() for match in re.finditer(r"\n[ \t]*\n", text)]
    statements: list[NumericSentence] = []
    title: frozenset[str] = frozenset()
    for sentence in sentences:
        start, end = sentence.span.start, sentence.span.end
        own = tokens[bisect_left(token_starts, start) : bisect_left(token_starts, end)]
        words = words_of(own)
        carried = title
        if statements and own and points_back(text, own[0].start):
            carried |= statements[-1].words
            if len(statements[-1].carried) <= MAX_CARRIED:
                carried |= statements[-1].carried
        inside = quantities[bisect_left(quantity_starts, start) : bisect_left(quantity_starts, end)]
        paragraph = bisect_left(breaks, start)
        statements.append(
            NumericSentence(sentence.span, sentence.kind, paragraph, tuple(own), words, carried, tuple(inside))
        )
        if sentence.kind == "heading" or (len(statements) == 1 and _is_title(own)):
            title = words
    return tuple(statements)


def _is_title(tokens: Sequence[WordToken]) -> bool:
    """'Duke of York' names a subject; 'The tower stands in Paris' says something."""
    return len(tokens) <= TITLE_WORDS and all(is_stop_word(t.text) or not t.text[0].islower() for t in tokens)


@dataclass(frozen=True, slots=True)
class NumericClaim:
    """A claim as the prover reads it."""

    text: str
    tokens: list[WordToken]
    quantities: list[Quantity]
    names: frozenset[str]
    content: frozenset[str]
    unsure: bool

    @classmethod
    @lru_cache(maxsize=256)  # a claim is proved against one passage after the other
    def of(cls, claim: str) -> NumericClaim:
        tokens = tokenize(claim)
        quantities = find_quantities(claim)
        names = names_of(tokens, quantities)
        return cls(claim, tokens, quantities, names, content_of(tokens, quantities), is_unsure(tokens))

    def overlap(self, statement: NumericSentence) -> float:
        """Share of the claim's words that the statement holds; only names may come from what it points back to."""
        if not self.content:
            return 0.0
        found = self.content & (statement.words | (statement.carried & self.names))
        return len(found) / len(self.content)

    def about(self, statement: NumericSentence) -> bool:
        """Whether the statement is about what the claim is about."""
        return self.names <= statement.words | statement.carried


def is_unsure(tokens: Sequence[WordToken]) -> bool:
    """Whether a sentence denies, plans or reports; 'no more than 40' and 'the Pro plan' do not."""
    lows = [token.text.lower() for token in tokens]
    for place, low in enumerate(lows):
        limit = low in ("no", "not") and lows[place + 2 : place + 3] == ["than"]
        product = low in ("plan", "plans") and lows[place + 1 : place + 2] != ["to"]
        if not (limit or product) and (low in _UNSURE or low.endswith(("n't", "n’t"))):
            return True
    return False


def names_of(tokens: Sequence[WordToken], quantities: Sequence[Quantity]) -> frozenset[str]:
    """The words that say who or what a claim is about: capitalised words, words with digits, the opening word."""
    names: set[str] = set()
    opening = True
    for token in tokens:
        if _inside(token, quantities):
            continue
        plain = not is_stop_word(token.text)
        if plain and (opening or token.text[:1].isupper() or any(c.isdigit() for c in token.text)):
            names.add(stem(token.text.lower()))
        opening = opening and not plain
    names.update(q.text.lower() for q in quantities if q.name)
    return frozenset(names)


def _inside(token: WordToken, quantities: Sequence[Quantity]) -> bool:
    at = bisect_left(quantities, token.end, key=lambda q: q.span.start)
    while at and quantities[at - 1].span.end > token.start:  # in order, and none overlaps another
        at -= 1
        if not quantities[at].name:
            return True
    return False


def content_of(tokens: Sequence[WordToken], quantities: Sequence[Quantity]) -> frozenset[str]:
    """The stems a claim is made of besides its quantities."""
    return frozenset(
        stem(token.text.lower()) for token in tokens if not is_stop_word(token.text) and not _inside(token, quantities)
    )


def counted(text: str, tokens: Sequence[WordToken], quantity: Quantity) -> str:
    """The stem of the thing a number counts: 'prize' in 'two Nobel Prizes', 'of prize' in 'two of the prizes'."""
    run: list[str] = []
    first = bisect_left(tokens, quantity.span.end, key=_start)
    following = [token.text for token in tokens[first : first + 2]]
    part = "of " if following[:1] == ["of"] else ""
    if part:
        first += 1 + (following[-1] in _DETERMINERS)
    last = tokens[first - 1].end if part else quantity.span.end
    for token in tokens[first : first + 4]:
        between = text[last : token.start]
        if between.strip(" \u00a0-‑") or is_stop_word(token.text) or token.text[:1].isdigit() or len(run) == 3:
            break
        run.append(token.text.lower())
        last = token.end
        if run[-1] in _PLURALS or (run[-1].endswith("s") and not run[-1].endswith(("ss", "us", "is"))):
            return part + stem(run[-1])
    return part + stem(run[0]) if run else ""


def mixes_year_and_count(
    one: Sequence[WordToken], claimed: Quantity, other: Sequence[WordToken], stated: Quantity
) -> bool:
    """Whether one is a date and the other counts people: neither is '1988' a head count nor '1988 people' a year."""
    if claimed.kind is stated.kind:
        return False
    tokens, bare = (one, claimed) if stated.kind is QuantityKind.DATE else (other, stated)
    following = bisect_left(tokens, bare.span.end, key=_start)
    counts = is_count(bare) and following < len(tokens) and tokens[following].text in COUNTED
    return counts and QuantityKind.DATE in (claimed.kind, stated.kind)


def is_modified(names: frozenset[str], words: frozenset[str], text: str, tokens: Sequence[WordToken]) -> bool:
    """Whether a word the claim lacks turns its subject into another thing: 'southern shop', 'Everest base camp'."""
    for place, token in enumerate(tokens):
        if stem(token.text.lower()) not in names:
            continue
        if place and token.text[0].islower() and _is_foreign(tokens[place - 1], words):
            return True
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        if following is None or not _is_foreign(following, words) or text[token.end : following.start] != " ":
            continue
        if not following.text.endswith(("s", "ed")) and following.text not in _VERBS:
            return True
    return False


def _is_foreign(token: WordToken, words: frozenset[str]) -> bool:
    plain = token.text[0].islower() and not is_stop_word(token.text) and not token.text.endswith("ly")
    return plain and stem(token.text.lower()) not in words


def word_before(place: NumericClaim | NumericSentence, quantity: Quantity) -> str:
    """The stem right before a quantity that it most likely belongs to: 'died' in 'born in 1879 and died in 1955'."""
    at = bisect_left(place.quantities, quantity.span.start, key=lambda q: q.span.start)
    floor = place.quantities[at - 1].span.end if at else 0
    first = bisect_left(place.tokens, quantity.span.start, key=_start)
    before = [t for t in place.tokens[max(0, first - REACH) : first] if t.start >= floor and not is_stop_word(t.text)]
    return stem(before[-1].text.lower()) if before else ""


def _start(token: WordToken) -> int:
    return token.start


def _stems(tokens: Sequence[WordToken]) -> tuple[str, ...]:
    return tuple(stem(token.text.lower()) for token in tokens)


def follows_subject(assertion: NumericClaim, claimed: Quantity, statement: NumericSentence, stated: Quantity) -> bool:
    """Whether what a claim opens with, if it comes before the claimed quantity, comes before the stated one too."""
    head: WordToken | None = None
    for token in assertion.tokens:
        if head is not None and not (token.text[0].isupper() and token.start - head.end <= 2):
            break
        if token.end <= claimed.span.start and stem(token.text.lower()) in assertion.names:
            head = token
    if head is None:
        return True
    before = statement.tokens[: bisect_left(statement.tokens, stated.span.start, key=_start)]
    root = stem(head.text.lower())
    return root in statement.carried or root in _stems(before)


def is_count(quantity: Quantity) -> bool:
    """Whether the number counts things, so that the counted thing must be the same."""
    return quantity.kind in (QuantityKind.NUMBER, QuantityKind.ORDINAL) and quantity.unit == ""
