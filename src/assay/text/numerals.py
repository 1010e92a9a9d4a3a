"""Numerals as exact values: digits with any grouping, number words, fractions, magnitudes, scientific notation.

A text is cut once into lexemes (numbers, words, single signs); reading a numeral looks a bounded number of lexemes
ahead, so the work is linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from typing import NamedTuple

from assay.text.words import listed, words

# Longer digit strings are keys, hashes or noise, and converting them would take quadratic time.
MAX_DIGITS = 40
MAX_EXPONENT = 300
# "one hundred and twenty-three thousand four hundred and fifty-six" is 9 words; a longer run is a list being counted.
MAX_WORDS = 16

# A rule of dots or dashes is one lexeme, so that a page of them costs nothing.
_LEXEME = re.compile(
    r"(?P<n>(?:(?<![\w.])\.)?\d+(?:[.,]\d+|['’]\d{3}(?!\d))*)|(?P<f>[¼-¾⅐-⅞])|(?P<w>[^\W\d_]+)"
    r"|(?P<p>(?P<sign>[^\s\w])(?P=sign){2,}|[^\s\w]|_)"
)


ONES = {
    word: value
    for value, word in enumerate(
        listed(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        )
    )
}
TENS = {
    word: 20 + 10 * index for index, word in enumerate(listed("twenty thirty forty fifty sixty seventy eighty ninety"))
}
MAGNITUDES = {
    "hundred": 100,
    "thousand": 10**3,
    "lakh": 10**5,
    "lakhs": 10**5,
    "million": 10**6,
    "mln": 10**6,
    "crore": 10**7,
    "crores": 10**7,
    "billion": 10**9,
    "bn": 10**9,
    "trillion": 10**12,
    "tn": 10**12,
    "quadrillion": 10**15,
    "dozen": 12,
}
# What a number before these counts is no year, and "1.2 m" of them are millions, not metres.
COUNTED = words("""
    people users customers inhabitants residents citizens visitors tourists viewers listeners readers subscribers
    members voters workers employees students children women men adults patients passengers households homes jobs
    copies views downloads euros dollars pounds yen rupees francs EUR USD GBP €
""")
# "1.2M", "40k": letters that mean a magnitude only when they touch the digits.
SUFFIXES = {"k": 10**3, "K": 10**3, "M": 10**6, "mn": 10**6, "mm": 10**6, "B": 10**9, "T": 10**12}
_SMALL_ORDINALS = {
    word: value
    for value, word in enumerate(
        listed(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth seventeenth eighteenth nineteenth"
        ),
        1,
    )
}
_TENS_ORDINALS = {word[:-1] + "ieth": value for word, value in TENS.items()}
_BIG_ORDINALS = {"hundredth": 100, "thousandth": 1000, "millionth": 10**6}
ORDINALS = _SMALL_ORDINALS | _TENS_ORDINALS
_DENOMINATORS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4, "hundredth": 100, "hundredths": 100}
_DENOMINATORS |= {word: value for word, value in _SMALL_ORDINALS.items() if value > 2}
_DENOMINATORS |= {word + "s": value for word, value in _SMALL_ORDINALS.items() if value > 2}
_EXTRAS = words("half quarter quarters third thirds")
_SLASH_DENOMINATORS = frozenset((2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 25, 32, 50, 64, 100))
NUMBER_WORDS = frozenset(ONES) | frozenset(TENS) | frozenset(ORDINALS) | frozenset(_BIG_ORDINALS)
_HYPHENS = frozenset("-‐‑")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


class Lexeme(NamedTuple):
    """A number, a word or one sign, with its place in the text."""

    text: str
    low: str
    start: int
    end: int
    kind: str


class Numeral(NamedTuple):
    """A value, the size of its last written digit, the lexeme after it, and how it was written."""

    value: Fraction
    step: Fraction
    end: int
    style: str  # "digits" | "words" | "fraction"
    ordinal: bool = False
    magnitude: bool = False


def cut_lexemes(text: str) -> list[Lexeme]:
    """The numbers, words and signs of a text, in order."""
    return [Lexeme(word := m[0], word.lower(), *m.span(), m.lastgroup or "p") for m in _LEXEME.finditer(text)]


def touches(lexemes: list[Lexeme], index: int) -> bool:
    """Whether this lexeme directly follows the one before it."""
    return 0 < index < len(lexemes) and lexemes[index - 1].end == lexemes[index].start


def read_numeral(lexemes: list[Lexeme], index: int, *, decimal_comma: bool = True) -> Numeral | None:
    """The numeral that starts at this lexeme, if one does."""
    lexeme = lexemes[index]
    if lexeme.kind == "n":
        numeral = _read_digits(lexemes, index, decimal_comma)
    elif lexeme.kind == "f":
        numeral = _vulgar(lexemes, index)
    else:
        numeral = _read_words(lexemes, index) if lexeme.kind == "w" else None
    extra = read_extra(lexemes, numeral.end) if numeral and not numeral.ordinal and numeral.step >= 1 else None
    if numeral is None or extra is None:
        return numeral
    # "Two and a half" is as precise as 2.5.
    value, step = numeral.value + extra[0] * numeral.step, numeral.step / 10
    return _magnify(lexemes, numeral._replace(value=value, step=step, end=extra[1]))


def read_extra(lexemes: list[Lexeme], at: int) -> tuple[Fraction, int] | None:
    """The fraction in 'two and a half' and 'an hour and three quarters', and where it ends."""
    places = [at + n for n, lexeme in enumerate(lexemes[at : at + 6]) if lexeme.text not in _HYPHENS][:3]
    words = [lexemes[place].low for place in places]
    if len(words) < 3 or words[0] != "and" or words[2] not in _EXTRAS:
        return None
    count = 1 if words[1] == "a" else ONES.get(words[1], 0)
    value = Fraction(count, _DENOMINATORS[words[2]])
    return (value, places[2] + 1) if 0 < value < 1 and words[2].endswith("s") is (count > 1) else None


def read_plain(text: str, decimal_comma: bool = True) -> tuple[Fraction, Fraction] | None:
    """The value and last-digit size of one written number; None for versions, keys and lists.

    >>> read_plain("8,849.5")
    (Fraction(17699, 2), Fraction(1, 10))
    >>> read_plain("3.11.7") is None
    True
    """
    if len(text) > MAX_DIGITS:
        return None
    text = text.replace("’", "'")
    groups = re.split(r"[.,']", text)
    marks = [c for c in text if c in ".,'"]
    if not marks:
        return Fraction(int(text)), Fraction(1)
    last = marks[-1]
    head_same = len(set(marks[:-1])) <= 1
    if len(set(marks)) == 1 and last != "." and _grouped(groups):
        return Fraction(int("".join(groups))), Fraction(1)
    if last == "." and len(marks) > 1 and len(set(marks)) == 1:
        return (Fraction(int("".join(groups))), Fraction(1)) if _grouped(groups) else None
    decimal = last == "." or (last == "," and decimal_comma and len(groups[-1]) != 3)
    if decimal and head_same and last not in marks[:-1] and (len(groups) == 2 or _grouped(groups[:-1])):
        digits = len(groups[-1])
        return Fraction(int("".join(groups)), 10**digits), Fraction(1, 10**digits)
    return None


def _grouped(groups: list[str]) -> bool:
    """Thousands by threes (1,234,567), or by lakh and crore (12,34,567)."""
    if not 1 <= len(groups[0]) <= 3 or len(groups[-1]) != 3:
        return False
    middle = {len(group) for group in groups[1:-1]}
    return middle <= {3} or (middle == {2} and len(groups[0]) <= 2)


def _read_digits(lexemes: list[Lexeme], index: int, decimal_comma: bool) -> Numeral | None:
    plain = read_plain(lexemes[index].text, decimal_comma)
    if plain is None:
        return None
    value, step = plain
    end = index + 1
    spaced, end = _join_spaced(lexemes, index)
    if spaced is not None:
        value = spaced
    else:
        for reader in (_exponent, _slash, _mixed):
            found = reader(lexemes, end, value, step)
            if found is not None:
                return _magnify(lexemes, found)
    return _magnify(lexemes, Numeral(value, step, end, "digits"))


def _join_spaced(lexemes: list[Lexeme], index: int) -> tuple[Fraction | None, int]:
    """'8 849' and '12 345 678': groups of exactly three digits, one space apart."""
    first = lexemes[index].text
    end = index + 1
    if not first.isdecimal() or len(first) > 3 or first.startswith("0"):
        return None, end
    digits = first
    while end < len(lexemes) and end - index < 6:
        following = lexemes[end]
        if following.kind != "n" or following.start - lexemes[end - 1].end != 1 or not following.text.isdecimal():
            break
        if len(following.text) != 3:
            return None, index + 1
        digits += following.text
        end += 1
    return (Fraction(int(digits)), end) if end > index + 1 else (None, end)


def _exponent(lexemes: list[Lexeme], at: int, value: Fraction, step: Fraction) -> Numeral | None:
    """'1.2e6', '1.2 × 10^6', '1.2×10⁶'."""
    power: int | None = None
    end = at
    if touches(lexemes, at) and lexemes[at].low == "e":
        sign = 1
        end = at + 1
        if touches(lexemes, end) and lexemes[end].text in "+-−":
            sign = 1 if lexemes[end].text == "+" else -1
            end += 1
        if touches(lexemes, end) and lexemes[end].text.isdecimal() and len(lexemes[end].text) <= 3:
            power = sign * int(lexemes[end].text)
            end += 1
    elif at + 2 < len(lexemes) and lexemes[at].low in ("×", "x", "*", "·") and lexemes[at + 1].text == "10":
        mark = lexemes[at + 2]
        raised = mark.text.translate(_SUPERSCRIPTS)
        if touches(lexemes, at + 2) and raised != mark.text and re.fullmatch(r"[+-]?[0-9]{1,3}", raised):
            power, end = int(raised), at + 3
        elif mark.text in ("^", "⁻"):
            end = at + 3
            negative = mark.text == "⁻"
            if end < len(lexemes) and lexemes[end].text in "-−":
                negative, end = True, end + 1
            if end < len(lexemes):
                raised = lexemes[end].text.translate(_SUPERSCRIPTS)
                if re.fullmatch(r"[0-9]{1,3}", raised):
                    power, end = int(raised) * (-1 if negative else 1), end + 1
    if power is None or abs(power) > MAX_EXPONENT:
        return None
    factor = Fraction(10) ** power
    return Numeral(value * factor, step * factor, end, "digits", magnitude=True)


def _slash(lexemes: list[Lexeme], at: int, value: Fraction, step: Fraction) -> Numeral | None:
    """'3/4', but not '24/7', '9/11' or a chain of slashes."""
    if not (at + 1 < len(lexemes) and lexemes[at].text in "/⁄" and touches(lexemes, at) and touches(lexemes, at + 1)):
        return None
    below = lexemes[at + 1]
    if touches(lexemes, at + 2) and lexemes[at + 2].text in "/⁄":
        return None
    if step != 1 or not below.text.isdecimal() or len(below.text) > 3:
        return None
    if int(below.text) not in _SLASH_DENOMINATORS or not 0 < value < int(below.text):
        return None
    return Numeral(value / int(below.text), Fraction(0), at + 2, "fraction")


def _mixed(lexemes: list[Lexeme], at: int, value: Fraction, step: Fraction) -> Numeral | None:
    """'2½' and '1 1/2'."""
    if at >= len(lexemes) or step != 1 or lexemes[at].start - lexemes[at - 1].end > 1:
        return None
    if lexemes[at].kind == "f":
        part: Numeral | None = _vulgar(lexemes, at)
    elif lexemes[at].text.isdecimal() and len(lexemes[at].text) <= 2:
        part = _slash(lexemes, at + 1, Fraction(int(lexemes[at].text)), Fraction(1))
    else:
        return None
    return part._replace(value=value + part.value, style="digits") if part else None


def _vulgar(lexemes: list[Lexeme], index: int) -> Numeral:
    value = Fraction(unicodedata.numeric(lexemes[index].text)).limit_denominator(100)
    return Numeral(value, Fraction(0), index + 1, "fraction")


def _magnify(lexemes: list[Lexeme], numeral: Numeral) -> Numeral:
    """'1.2 million', '3 bn', '40k', '3 hundred thousand', '2 dozen'."""
    for _ in range(2):
        at = numeral.end
        if at >= len(lexemes):
            break
        word = lexemes[at]
        factor = SUFFIXES.get(word.text) if touches(lexemes, at) else None
        if factor is None and lexemes[at].text in _HYPHENS and touches(lexemes, at) and touches(lexemes, at + 1):
            word, at = lexemes[at + 1], at + 1  # "300-million"
        if factor is None and word.start - lexemes[at - 1].end <= 2:
            factor = MAGNITUDES.get(word.low)
        counts = word.text == "m" and at + 1 < len(lexemes) and lexemes[at + 1].text in COUNTED
        if counts and "".join(lexeme.text for lexeme in lexemes[at + 2 : at + 3]) not in ("'", "’"):
            factor = 10**6  # but not "the 100 m women's race"
        if factor is None:
            break
        # "Two dozen" is as exact as 24; "two million" is given to the million.
        step = (numeral.step or Fraction(1, 10)) * (factor if factor >= 1000 else 1)
        numeral = Numeral(numeral.value * factor, step, at + 1, "digits", magnitude=True)
    return numeral


def _next_word(lexemes: list[Lexeme], at: int) -> int | None:
    """The index of the word after this place, across one hyphen or 'and' or white space."""
    if at < len(lexemes) and lexemes[at].text in _HYPHENS and touches(lexemes, at) and touches(lexemes, at + 1):
        return at + 1
    return at if at < len(lexemes) and lexemes[at].kind == "w" else None


def _read_words(lexemes: list[Lexeme], index: int) -> Numeral | None:
    word = lexemes[index].low
    following = lexemes[index + 1].low if index + 1 < len(lexemes) else ""
    if word in ("a", "an"):
        return _read_article(lexemes, index, following)
    if word in ("half", "quarter"):
        return _fraction(lexemes, Fraction(1, _DENOMINATORS[word]), index + 1)
    if word not in NUMBER_WORDS:
        return None
    total, current, step, end, ordinal = _add_words(lexemes, index)
    value = Fraction(total + current)
    if not ordinal:
        fraction = _read_denominator(lexemes, end, value)
        if fraction is not None:
            return fraction
    return Numeral(value, step, end, "words", ordinal, magnitude=step > 1)


def _add_words(lexemes: list[Lexeme], index: int) -> tuple[int, int, Fraction, int, bool]:
    """Reads 'two hundred and twenty-one thousand' as far as it makes one number."""
    total, current, step = 0, 0, Fraction(1)
    room = 10**18  # each part must be smaller than the place the one before it left: "twenty-one", not "one twenty"
    at, end = index, index
    while at - index < MAX_WORDS:
        place = _next_word(lexemes, at) if at > index else index
        if place is None:
            break
        word = lexemes[place].low
        if word == "and" and at > index and (current >= 100 or total):
            after = _next_word(lexemes, place + 1)
            if after is None or lexemes[after].low not in NUMBER_WORDS:
                break
            at = place + 1
            continue
        value = ONES.get(word, TENS.get(word))
        if value is not None and value < room and (value > 0 or at == index):
            current += value
            room = 10 if value in TENS.values() else 1
        elif word in ORDINALS and ORDINALS[word] < room:
            return total, current + ORDINALS[word], Fraction(1), place + 1, True
        elif word in _BIG_ORDINALS and current:
            return total, current * _BIG_ORDINALS[word], Fraction(1), place + 1, True
        elif word == "hundred" and 0 < current < 100:
            current, room = current * 100, 100
        elif word in MAGNITUDES and word != "hundred" and current:
            total += current * MAGNITUDES[word]
            step = Fraction(MAGNITUDES[word] if MAGNITUDES[word] >= 1000 else 1)
            current, room = 0, min(1000, MAGNITUDES[word])
        else:
            break
        if current:
            step = Fraction(1)
        at = end = place + 1
    return total, current, step, max(end, index + 1), False


def _read_denominator(lexemes: list[Lexeme], end: int, value: Fraction) -> Numeral | None:
    """'two thirds', 'one-third', 'three quarters'; 'two quarters' and 'five quarters' count them."""
    place = _next_word(lexemes, end)
    if place is None:
        return None
    word = lexemes[place].low
    below = _DENOMINATORS.get(word)
    if below is None or not 0 < value < below or word.endswith("s") is (value == 1):
        return None
    if below == 4 and value == 2:
        return None
    return _fraction(lexemes, value / below, place + 1)


def _read_article(lexemes: list[Lexeme], index: int, following: str) -> Numeral | None:
    """'a dozen', 'a hundred', 'a million', 'a third', 'a quarter', 'a half'."""
    if following in MAGNITUDES and following not in ("bn", "tn", "mln"):
        numeral = Numeral(Fraction(1), Fraction(1), index + 1, "words")
        return _magnify(lexemes, numeral)._replace(style="words")
    return _read_denominator(lexemes, index + 1, Fraction(1))


def _fraction(lexemes: list[Lexeme], value: Fraction, end: int) -> Numeral:
    """A fraction in words, with the magnitude it is a part of: 'half a million', 'a quarter of a million'."""
    at = after_article(lexemes, end)
    factor = MAGNITUDES.get(lexemes[at].low) if end < at < len(lexemes) else None
    if factor is None:
        return Numeral(value, Fraction(0), end, "fraction")
    return Numeral(value * factor, Fraction(factor, 10), at + 1, "words", magnitude=True)


def after_article(lexemes: list[Lexeme], at: int) -> int:
    """Where the word after 'a' or 'of an' stands; the place itself when there is no article."""
    place = at + (at < len(lexemes) and lexemes[at].low == "of")
    return place + 1 if place < len(lexemes) and lexemes[place].low in ("a", "an") else at
