"""Small changes that would make a claim say what a sentence of a source says; whether one holds, the engine decides.

>>> [c.new for c in find_corrections("Everest is 8,489 m high.", "Mount Everest is 8,849 m high.")]
['8,849 m']
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from assay.lexical.agreement import hedge_lost, opposite_words, strength_added
from assay.text.amounts import Match, Quantity, QuantityKind, compare
from assay.text.quantities import find_quantities
from assay.text.tokens import WordToken, is_stop_word, stem, tokenize

_NEGATION = re.compile(r"(?:(?<!\s)\s++)?\b(?:not|never)\b|n['’]t\b")
_NEGATED = re.compile(r"\b(\w+)(\s+not|n['’]t|\s+never)\b")
_REACH = 3  # words on either side that tell where a value belongs
_LONGEST_SWAP = 5  # words of a stretch that may be exchanged for another
_ALIGNED = 4.0  # what it counts for that a value stands in the very place of the other
# Share of the claim's other words that a sentence must have to be about the same thing.
_AGREEMENT = {
    "number": 0.5,
    "date": 0.5,
    "name": 0.6,
    "word": 0.75,
    "opposite": 0.6,
    "negation": 0.6,
    "overstatement": 0.6,
}
# How many such words there must be: two names alone do not tell what was said of them.
_LEAST = {"number": 1, "date": 1, "name": 2, "word": 3, "opposite": 1, "negation": 1, "overstatement": 1}
_BOUND = r"(?<![\w]){}(?![\w])"


@dataclass(frozen=True, slots=True)
class Correction:
    """`claim[start:end]` to be replaced by `new`; a greater weight means a better reason to think so."""

    kind: str
    start: int
    end: int
    new: str
    weight: float

    def applied(self, claim: str) -> str:
        return claim[: self.start] + self.new + claim[self.end :]


def find_corrections(claim: str, sentence: str, title: str = "") -> list[Correction]:
    """Every change that a sentence suggests, the likeliest first; `title` is what the sentence's document is about."""
    pair = _Pair(claim, sentence)
    about = {*pair.their_roots, *(stem(token.text.lower()) for token in tokenize(title))}
    found = [*_values(pair), *_names(pair), *_swaps(pair), *_negations(pair), *_strengths(pair)]
    found = [correction for correction in found if pair.agrees_besides(correction, about)]
    best: dict[str, Correction] = {}
    for correction in found:
        key = correction.applied(claim)
        if key != claim and (key not in best or best[key].weight < correction.weight):
            best[key] = correction
    return sorted(best.values(), key=lambda correction: (-correction.weight, correction.start))


class _Pair:
    """A claim and a sentence, word by word, and how they lie beside each other."""

    def __init__(self, claim: str, sentence: str) -> None:
        self.claim, self.sentence = claim, sentence
        self.ours, self.theirs = tokenize(claim), tokenize(sentence)
        self.our_roots = [stem(token.text.lower()) for token in self.ours]
        self.their_roots = [stem(token.text.lower()) for token in self.theirs]
        matcher = SequenceMatcher(None, self.our_roots, self.their_roots, autojunk=False)
        self.changes = [step[1:] for step in matcher.get_opcodes() if step[0] == "replace"]

    def aligned(self, ours: tuple[int, int], theirs: tuple[int, int]) -> bool:
        """Whether two stretches of words stand in the same gap between words that agree."""
        return any(
            i1 < ours[1] and ours[0] < i2 and j1 < theirs[1] and theirs[0] < j2 for i1, i2, j1, j2 in self.changes
        )

    def nearness(self, ours: tuple[int, int], theirs: tuple[int, int]) -> float:
        """How many words around two stretches agree, the nearer ones counting more."""
        score = 0.0
        for step in range(1, _REACH + 1):
            before = self.our_roots[ours[0] - step] if ours[0] >= step else None
            after = self.our_roots[ours[1] + step - 1] if ours[1] + step <= len(self.our_roots) else None
            near_before = self.their_roots[max(0, theirs[0] - _REACH) : theirs[0]]
            near_after = self.their_roots[theirs[1] : theirs[1] + _REACH]
            score += (before in near_before) / step + (after in near_after) / step
        return score

    def agrees_besides(self, correction: Correction, about: set[str]) -> bool:
        """Whether enough of the claim's words outside a correction stand in the sentence or its document's title."""
        kept = {
            root
            for token, root in zip(self.ours, self.our_roots, strict=True)
            if not (token.start < correction.end and correction.start < token.end) and not is_stop_word(token.text)
        }
        shared = len(kept & about)
        return shared >= _LEAST[correction.kind] and shared >= _AGREEMENT[correction.kind] * len(kept)

    def weight(self, ours: tuple[int, int], theirs: tuple[int, int]) -> float:
        return self.nearness(ours, theirs) + _ALIGNED * self.aligned(ours, theirs)


def _range(tokens: Sequence[WordToken], start: int, end: int) -> tuple[int, int]:
    """The words that lie within a stretch of characters."""
    inside = [index for index, token in enumerate(tokens) if token.start < end and token.end > start]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


# Values


def _values(pair: _Pair) -> Iterator[Correction]:
    """A number or date that the sentence does not give, and those of the same kind that it does give."""
    claimed, stated = find_quantities(pair.claim), find_quantities(pair.sentence)
    for ours in claimed:
        if re.search(r"[\w/-]\Z", pair.claim[: ours.span.start]):
            continue  # "TC/2000" is a name
        if any(compare(ours, theirs) in (Match.EQUAL, Match.ROUNDED) for theirs in stated):
            continue
        others = [quantity for quantity in claimed if quantity is not ours]
        for theirs in stated:
            if not _is_rival(ours, theirs) or any(compare(other, theirs) is Match.EQUAL for other in others):
                continue
            start, end, new = _fit(ours, theirs)
            if re.match(r"[–-]\d", pair.claim[end:]):  # "1983–15": only its first half is meant
                new = re.split(r"[–-]", new)[0]
            weight = pair.weight(
                _range(pair.ours, ours.span.start, ours.span.end),
                _range(pair.theirs, theirs.span.start, theirs.span.end),
            )
            kind = "date" if ours.kind is QuantityKind.DATE else "number"
            yield Correction(kind, start, end, new, weight + 1)


def _is_rival(ours: Quantity, theirs: Quantity) -> bool:
    if ours.name or theirs.name or ours.ranged is not theirs.ranged:
        return False
    if ours.kind is not theirs.kind and QuantityKind.DATE in (ours.kind, theirs.kind):
        return _is_year(ours) and _is_year(theirs)  # a year is sometimes read as a plain number, an ordinal never
    # A unit that was exchanged is a difference too: 8,849 feet for 8,849 m.
    return ours.kind is theirs.kind or ours.unit == theirs.unit


def _is_year(quantity: Quantity) -> bool:
    return len(quantity.text) == 4 and quantity.text.isdecimal()


def _fit(ours: Quantity, theirs: Quantity) -> tuple[int, int, str]:
    """The source's value as precisely as the claim gives its own: a year for a year, a month and year for these."""
    dated = ours.kind is theirs.kind is QuantityKind.DATE
    if dated and ours.year and not ours.month and theirs.year and (match := re.search(r"\d{3,4}", theirs.text)):
        return ours.span.start, ours.span.end, match.group()
    if dated and ours.month and not ours.day and theirs.day and theirs.year:
        month = re.search(r"[^\W\d]{3,}", theirs.text)
        if month:
            return ours.span.start, ours.span.end, f"{month.group()} {theirs.year}"
    return ours.span.start, ours.span.end, theirs.text


# Names and other words


def _names(pair: _Pair) -> Iterator[Correction]:
    """A name that the sentence does not have, and those of the sentence that the claim does not have."""
    own, stated = set(pair.our_roots), set(pair.their_roots)
    ours = [run for run in _runs(pair.ours, pair.claim) if not {pair.our_roots[i] for i in range(*run)} <= stated]
    theirs = [run for run in _runs(pair.theirs, pair.sentence) if not {pair.their_roots[i] for i in range(*run)} & own]
    for run in ours:
        for rival in theirs:
            weight = pair.weight(run, rival)
            if weight > 0:
                yield _swap(pair, "name", run, rival, weight + (len(theirs) == 1))


def _runs(tokens: Sequence[WordToken], text: str) -> list[tuple[int, int]]:
    """Stretches of capitalised words: "Marie Curie", "University of Oxford"; no lone "The"."""
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(tokens):
        if not _capital(tokens[index]):
            index += 1
            continue
        end = index + 1
        while end < len(tokens) and (
            (_capital(tokens[end]) and text[tokens[end - 1].end : tokens[end].start].strip() in ("", "."))
            or (
                tokens[end].text in ("of", "de", "von", "van", "the", "and")
                and end + 1 < len(tokens)
                and _capital(tokens[end + 1])
                and tokens[end].text != "and"
            )
        ):
            end += 1
        if not (end == index + 1 and is_stop_word(tokens[index].text)):
            found.append((index, end))
        index = end
    return found


def _capital(token: WordToken) -> bool:
    return token.text[:1].isupper()


def _swaps(pair: _Pair) -> Iterator[Correction]:
    """A short stretch that differs between words that agree on both sides: "a Danish actor" and "a Dutch actor"."""
    for i1, i2, j1, j2 in pair.changes:
        anchored = i1 > 0 and j1 > 0 and (i2 < len(pair.ours) or j2 == len(pair.theirs))
        short = i2 - i1 <= _LONGEST_SWAP and j2 - j1 <= _LONGEST_SWAP
        if anchored and short and _are_words(pair.ours[i1:i2]) and _are_words(pair.theirs[j1:j2]):
            yield _swap(pair, "word", (i1, i2), (j1, j2), pair.nearness((i1, i2), (j1, j2)))
    if opposite := opposite_words(pair.claim, pair.sentence):
        word, other = opposite
        for match in re.finditer(_BOUND.format(re.escape(word)), pair.claim, re.IGNORECASE):
            yield Correction("opposite", *match.span(), _cased(other, match.group()), 3.0)


def _are_words(tokens: Sequence[WordToken]) -> bool:
    """Whether a stretch is of words: values are exchanged for values only."""
    digits = any(sign.isdigit() for token in tokens for sign in token.text)
    return not digits and not all(is_stop_word(token.text) for token in tokens)


def _swap(pair: _Pair, kind: str, ours: tuple[int, int], theirs: tuple[int, int], weight: float) -> Correction:
    start, end = pair.ours[ours[0]].start, pair.ours[ours[1] - 1].end
    new = pair.sentence[pair.theirs[theirs[0]].start : pair.theirs[theirs[1] - 1].end]
    if ours[0] == 0:
        new = new[:1].upper() + new[1:]
    article = re.search(r"\b([Aa])n? $", pair.claim[:start])
    if article and new[:1].isalpha():
        vowel = new[0].lower() in "aeiou"
        return Correction(kind, article.start(), end, f"{article[1]}{'n' if vowel else ''} {new}", weight)
    return Correction(kind, start, end, new, weight)


def _cased(word: str, like: str) -> str:
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


# Signs and strength


def _negations(pair: _Pair) -> Iterator[Correction]:
    """A denial that the sentence does not make taken away, or one that it makes put in."""
    theirs = _NEGATION.search(pair.sentence)
    if theirs is None:
        for match in _NEGATION.finditer(pair.claim):
            yield Correction("negation", *match.span(), "", 3.0)
        return
    if _NEGATION.search(pair.claim):
        return
    for match in _NEGATED.finditer(pair.sentence):
        place = re.search(_BOUND.format(re.escape(match[1])), pair.claim)
        if place:
            yield Correction("negation", place.end(), place.end(), match[2], 3.0)
        else:
            yield from _verbs(pair, match.start(), match.end(), "negation", 3.0)


def _strengths(pair: _Pair) -> Iterator[Correction]:
    """A word by which the claim says more taken away, or a reservation of the sentence put in."""
    if word := strength_added(pair.claim, pair.sentence):
        # Only before another word: "the longest," would leave "the ,".
        for match in re.finditer(_BOUND.format(re.escape(word)) + r"\s+(?=\w)", pair.claim, re.IGNORECASE):
            yield Correction("overstatement", *match.span(), "", 2.0)
    hedge = hedge_lost(pair.claim, pair.sentence)
    if hedge and (place := re.search(_BOUND.format(re.escape(hedge)), pair.sentence)):
        yield from _verbs(pair, place.start(), place.end(), "overstatement", 2.5)


def _verbs(pair: _Pair, start: int, end: int, kind: str, weight: float) -> Iterator[Correction]:
    """The word behind a stretch of the sentence, where the claim has it too: "cures" becomes "does not cure"."""
    following = next((token for token in pair.theirs if token.start >= end), None)
    if following is None:
        return
    root = stem(following.text.lower())
    for token, ours in zip(pair.ours, pair.our_roots, strict=True):
        if ours == root:
            new = pair.sentence[start : following.end]
            yield Correction(kind, token.start, token.end, _cased(new, token.text), weight)
