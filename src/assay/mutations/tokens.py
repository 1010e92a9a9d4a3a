"""Single words and values changed in a sentence: number, unit, date, name, negation, quantifier, qualifier.

What comes out must no longer follow from what went in: 1,000 m is never changed into 1 km, and "more than 300" never
into "more than 200".

>>> for made in mutate("Mount Everest is 8,849 m high.", seed=1):
...     print(made.kind, "|", made.text)
number | Mount Everest is 4,424 m high.
unit | Mount Everest is 8,849 cm high.
negation | Mount Everest is not 8,849 m high.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from assay.claims.grammar import finite, words_of
from assay.mutations.clauses import NEGATION
from assay.mutations.scope import change_quantifier, drop_qualifier
from assay.mutations.source import Mutation, MutationInput
from assay.text.amounts import Match, Quantity, QuantityKind, compare
from assay.text.numerals import ONES, ORDINALS
from assay.text.quantities import find_quantities
from assay.text.tokens import is_stop_word
from assay.text.words import MONTH_NUMBERS, words

Change = Callable[[MutationInput], Mutation | None]
Edit = tuple[int, int, str]

MONTHS = tuple(name.capitalize() for name in list(MONTH_NUMBERS)[:12])
CALENDAR = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday").union(MONTHS)
_SMALL_NUMBERS = tuple(word for word, value in ONES.items() if 2 <= value <= 12)
_ORDINALS = tuple(word for word, value in ORDINALS.items() if value <= 10)
_DIGITS = re.compile(r"(?<![\w.,:/–-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|(?<![\w.,:/–-])\d+(?:\.\d+)?(?![\d:/])")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_DAY = re.compile(r"(?<!\d)(?:[1-9]|[12]\d|3[01])(?=(?:st|nd|rd|th)?\b)(?!\d)")
_FACTORS = (Decimal("0.3"), Decimal("0.5"), Decimal("0.7"), Decimal("1.4"), Decimal("2"), Decimal("3"))
_STEPS = (-31, -17, -9, -4, -2, 2, 4, 9, 17, 31)
_FEW = 13  # a count below this is changed by a step, not by a factor

# Units of one dimension: exchanging two of them changes the value by half or more.
_UNITS = tuple(
    tuple(group.split())
    for group in (
        "mm cm m km",
        "millimetres centimetres metres kilometres miles",
        "millimeters centimeters meters kilometers",
        "inches feet yards miles",
        "mg g kg",
        "milligrams grams kilograms tonnes",
        "ounces pounds tons",
        "seconds minutes hours days weeks months years decades centuries",
        "second minute hour day week month year decade century",
        "acres hectares",
        "thousand million billion trillion",
        "dollars euros yen rupees",
        "watts kilowatts megawatts gigawatts",
        "litres gallons",
        "bytes kilobytes megabytes gigabytes terabytes",
        "km² hectares",
    )
)
_SIGNS = {"$": "€", "€": "$", "£": "$", "¥": "£"}
_UNIT_WORDS = {unit: group for group in _UNITS for unit in group}
_NOT_UNITS = words("second minute day")  # "the second man", "minute traces", "the day after"
# Feet and metres are both lengths of the same place: "8,849 m" becomes "8,849 feet" too.
_CROSS = {"m": ("feet",), "metres": ("feet",), "meters": ("feet",), "feet": ("metres",), "km": ("miles",)}


def change_number(given: MutationInput) -> Mutation | None:
    """Another number where one stood; dates, clock times and names ("Apollo 11") are left alone."""
    places = [q for q in _amounts(given) if q.unit != "clock" and not q.ranged]
    return _first_change(given, "number", places, _other_numbers)


def change_unit(given: MutationInput) -> Mutation | None:
    """The number kept and its unit exchanged for another of the same dimension."""
    return _first_change(given, "unit", _amounts(given), _other_units)


def change_date(given: MutationInput) -> Mutation | None:
    """Another year, month or day in a date."""
    places = [q for q in find_quantities(given.text) if q.kind is QuantityKind.DATE]
    return _first_change(given, "date", places, _other_dates)


def _amounts(given: MutationInput) -> list[Quantity]:
    return [q for q in find_quantities(given.text) if q.kind is not QuantityKind.DATE and not q.name]


def _first_change(
    given: MutationInput,
    kind: str,
    places: Sequence[Quantity],
    edits: Callable[[MutationInput, Quantity], Iterator[Edit]],
) -> Mutation | None:
    """The first edit, of the quantities in random order, after which the sentence states another value there."""
    for old in given.rng.sample(places, len(places)):
        for start, end, new in edits(given, old):
            made = given.replaced(kind, start, end, new)
            if _differs(old, find_quantities(made.text), len(made.text) - len(given.text)):
                return made
    return None


def _differs(old: Quantity, found: Sequence[Quantity], growth: int) -> bool:
    """Whether the quantity that now stands there cannot be what was said before."""
    reach = range(old.span.start - 3, old.span.end + max(0, growth) + 3)
    now = [q for q in found if q.span.start in reach and q.span.end in reach and q.kind is old.kind]
    if len(now) != 1:
        return False
    if old.kind is QuantityKind.MONEY and now[0].unit != old.unit:
        return True
    claimed = compare(now[0], old)
    if old.bounded:  # "more than 400" does not follow from "more than 300", though nothing speaks against it
        return claimed in (Match.DIFFERENT, Match.INCOMPARABLE)
    return claimed is Match.DIFFERENT and compare(old, now[0]) is Match.DIFFERENT


def _other_numbers(given: MutationInput, quantity: Quantity) -> Iterator[Edit]:
    stretch = quantity.span.of(given.text)
    for match in _DIGITS.finditer(stretch):
        start, end = quantity.span.start + match.start(), quantity.span.start + match.end()
        if quantity.kind is QuantityKind.ORDINAL:
            value = int(match.group().replace(",", ""))
            ending = re.match(r"(?:st|nd|rd|th)", given.text[end:])
            for step in given.rng.sample((1, 2, 3, 4), 4):
                yield start, end + (ending.end() if ending else 0), _ordinal(value + step)
            continue
        for new in _near(given, match.group()):
            yield start, end, new
    for listed in (_SMALL_NUMBERS, _ORDINALS):
        for match in re.finditer(rf"\b(?:{'|'.join(listed)})\b", stretch, re.IGNORECASE):
            start, end = quantity.span.start + match.start(), quantity.span.start + match.end()
            known = {word for word in listed if word in given.text.lower()}
            for new in given.rng.sample(listed, len(listed)):
                if new not in known:
                    yield start, end, new


def _ordinal(value: int) -> str:
    tail = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{tail}"


def _near(given: MutationInput, written: str) -> Iterator[str]:
    """Numbers of the same look and size, and not far from the old one."""
    plain = Decimal(written.replace(",", ""))
    places = len(written.split(".")[1]) if "." in written else 0
    if plain < _FEW and not places:
        for step in given.rng.sample((1, 2, 3, 4, 5), 5):
            yield str(int(plain) + step)
        return
    for factor in given.rng.sample(_FACTORS, len(_FACTORS)):
        value = plain * factor
        if places:
            yield f"{value:,.{places}f}" if "," in written else f"{value:.{places}f}"
        else:
            whole = int(value) + (int(value) == value and value % 10 == 0) * given.rng.choice((0, 0, 1, 3))
            yield f"{whole:,}" if "," in written else str(whole)


def _other_units(given: MutationInput, quantity: Quantity) -> Iterator[Edit]:
    stretch = quantity.span.of(given.text)
    for match in re.finditer(r"[^\W\d_]+²?", stretch):
        word = match.group()
        group = _UNIT_WORDS.get(word, ())
        if word in _NOT_UNITS and quantity.kind is QuantityKind.ORDINAL:
            continue
        near = [unit for unit in group if unit != word]
        start, end = quantity.span.start + match.start(), quantity.span.start + match.end()
        for new in given.rng.sample(near, len(near)) + list(_CROSS.get(word, ())):
            yield start, end, new
    for place, sign in enumerate(stretch):
        if sign in _SIGNS:
            at = quantity.span.start + place
            yield at, at + 1, _SIGNS[sign]


def _other_dates(given: MutationInput, quantity: Quantity) -> Iterator[Edit]:
    stretch, offset = quantity.span.of(given.text), quantity.span.start
    edits: list[Edit] = []
    for match in _YEAR.finditer(stretch):
        for step in given.rng.sample(_STEPS, len(_STEPS)):
            year = int(match.group()) + step
            if year < 2100:
                edits.append((offset + match.start(), offset + match.end(), str(year)))
    for match in re.finditer(rf"\b(?:{'|'.join(MONTHS)})\b", stretch):
        for month in given.rng.sample(MONTHS, len(MONTHS)):
            if month not in given.text:
                edits.append((offset + match.start(), offset + match.end(), month))
    if quantity.day is not None:
        for match in _DAY.finditer(stretch):
            day = int(match.group())
            new = (day + given.rng.choice((3, 5, 8, 11)) - 1) % 28 + 1
            tail = re.match(r"(?:st|nd|rd|th)", given.text[offset + match.end() :])
            written = _ordinal(new) if tail else str(new)
            edits.append((offset + match.start(), offset + match.end() + (tail.end() if tail else 0), written))
    yield from given.rng.sample(edits, len(edits))


_NAMED = re.compile(r"[A-Z][\w’'-]*\w(?:(?: (?:of|de|von|van|der|the)){0,2} [A-Z][\w’'-]*\w)*")
_PLACES = words("""
    Argentina Australia Austria Belgium Brazil Canada Chile China Denmark Egypt Finland France Germany Greece Hungary
    India Indonesia Iran Ireland Italy Japan Kenya Mexico Nepal Norway Pakistan Peru Poland Portugal Russia Spain Sweden
    Switzerland Thailand Turkey Ukraine Vietnam London Paris Berlin Madrid Rome Vienna Tokyo Moscow Cairo Sydney Toronto
""")
_PEOPLES = words("""
    American British English French German Italian Spanish Canadian Australian Indian Japanese Chinese Russian Irish
    Scottish Dutch Swedish Norwegian Danish Polish Mexican Brazilian Korean Turkish Greek Austrian Swiss Finnish
    Portuguese Hungarian
""")
_DENIED = re.compile(
    r"\b(is|are|was|were|can|will|would|should|has|have|had|does|do|did|must)(?: not|n[’']t)\b(?! (?:only|just|merely))"
)
_HELPERS = words("is are was were can will should has have had does did must")
_BINDS = words("who which that whose where when while because although though if unless as")
_PARTICIPLE = re.compile(r"\w+(?:ed|en|wn|un|ne|ought|aught|ept|old|ade|eld|ost|ent|ung|et|ut)\b")


def change_name(given: MutationInput) -> Mutation | None:
    """Another name where one stood: of the same sources, or another country, city or people."""
    places = [m for m in _NAMED.finditer(given.text) if _is_name(given.text, m)]
    for match in given.rng.sample(places, len(places)):
        for new in _other_names(given, match.group()):
            return given.replaced("name", match.start(), match.end(), new)
    return None


def _is_name(text: str, match: re.Match[str]) -> bool:
    """Not the mere capital of a first word, nor a month, nor what opens a title in quotation marks."""
    first = match.group().split()[0]
    if match.start() == 0 and " " not in match.group() and first not in _PLACES | _PEOPLES:
        return False
    return not is_stop_word(first) and not set(match.group().split()) & CALENDAR and len(match.group()) > 2


def _other_names(given: MutationInput, old: str) -> Iterator[str]:
    own = set(re.findall(r"\w+", given.text))
    for listed in (_PLACES, _PEOPLES):
        if old in listed:
            near = sorted(name for name in listed if name not in own)
            yield from given.rng.sample(near, len(near))
            return
    found = {m.group() for text in given.others for m in _NAMED.finditer(text) if _is_name(text, m)}
    alike = sorted(
        name
        for name in found
        if not set(re.findall(r"\w+", name)) & own
        and name not in _PLACES | _PEOPLES
        and len(name.split()) == len(old.split())
        and name.isupper() == old.isupper()
    )
    yield from given.rng.sample(alike, len(alike))


def change_negation(given: MutationInput) -> Mutation | None:
    """A denial put into a plain statement, or taken out of one that denies."""
    text = given.text
    if text.rstrip().endswith("?"):
        return None
    denials = list(NEGATION.finditer(text))
    if denials:
        denied = _DENIED.search(text)
        if len(denials) > 1 or denied is None or denied[1] in ("does", "do", "did"):
            return None
        return given.replaced("negation", denied.end(1), denied.end(), "")
    found = words_of(text, 0, len(text))
    aside = re.search(r"[(\[\"“«]", text)
    for at, word in enumerate(found):
        if aside and word.start > aside.start():
            return None  # a denial inside brackets or a quotation is not one of the sentence
        if not at or word.lower in _BINDS or text[word.end : word.end + 1] == ",":
            if word.lower in _BINDS and at:
                return None  # the verb of a clause that hangs on the sentence says too little
            continue
        if word.lower in _HELPERS and not word.capital:
            following = found[at + 1].lower if at + 1 < len(found) else ""
            if word.lower in ("has", "have", "had") and not (following == "been" or _PARTICIPLE.fullmatch(following)):
                return given.replaced("negation", word.start, word.start, "never ")
            return given.replaced("negation", word.end, word.end, " not")
        if finite(found, at) and word.lower not in ("may", "might", "could", "would", "do"):
            return given.replaced("negation", word.start, word.start, "never ")
    return None


TOKENS = ("number", "unit", "date", "name", "negation")
CHANGES: dict[str, Change] = {
    "number": change_number,
    "unit": change_unit,
    "date": change_date,
    "name": change_name,
    "negation": change_negation,
    "quantifier": change_quantifier,
    "dropped qualifier": drop_qualifier,
}


def mutate(sentence: str, seed: int = 0, *, others: Sequence[str] = ()) -> list[Mutation]:
    """At most one mutation of each kind, the same for the same seed.

    `others` are further true sentences of the same sources: other names come from them.
    """
    made: list[Mutation] = []
    for kind, change in CHANGES.items():
        found = change(MutationInput(sentence, random.Random(f"{seed}:{kind}:{sentence}"), tuple(others)))
        if found is not None and found.text != sentence:
            made.append(found)
    return made
