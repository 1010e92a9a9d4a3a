"""Parts of a whole: 'a third', 'half of them' and 'one in twenty', as shares that compare with percentages."""

from __future__ import annotations

from fractions import Fraction

from assay.text.numerals import ORDINALS, Lexeme, Numeral, read_numeral, touches
from assay.text.tokens import STOP_WORDS
from assay.text.units import Unit, read_unit
from assay.text.words import words

SHARE = Unit("%", Fraction(100), Fraction(0), "percent")

_HYPHENS = frozenset("-‐‑")
_AFTER = words("of are were have as more less fewer higher lower larger smaller faster slower cheaper")
_AFTER_HALF = _AFTER | words("the its their all his her our your my these those this that")
# Not shares by themselves: "a second and a third is planned", "the third was hurt".
_SINGULAR = words("is was has had will would a an")
_BEFORE = words("""
    by than only just exactly about around approximately roughly nearly almost some least most over under below
    above exceeding to up between is was are were estimated ~ ≈ . ( : ; – —
""")
_SURELY = words("nearly almost roughly approximately than least")
_WHOLES = frozenset((*range(2, 11), 20, 100, *(10**power for power in range(3, 10))))


def read_share(lexemes: list[Lexeme], index: int, numeral: Numeral) -> Numeral | None:
    """The share of a whole that begins with this numeral, if the words around it make it one."""
    found = _read_ratio(lexemes, index, numeral)
    if found is None and (numeral.style != "fraction" or not _is_part(lexemes, index, numeral)):
        return None
    found = found or numeral
    # "A third" is 33 %, "one in a hundred" is 1.0 %.
    return found._replace(step=min(Fraction(1, 100), found.value / 10), style="share")


def _is_part(lexemes: list[Lexeme], index: int, numeral: Numeral) -> bool:
    """'A third of them', 'about a third' and 'two thirds', but not 'a third party', '½ cup' or 'the first half'."""
    after = lexemes[numeral.end] if numeral.end < len(lexemes) else None
    follows = after.low if after is not None and after.kind == "w" else ""
    if lexemes[index].kind != "w":
        return not follows or follows in STOP_WORDS
    last = lexemes[numeral.end - 1]
    if last.low.endswith("s") or (numeral.end - index > 1 and lexemes[numeral.end - 2].text in _HYPHENS):
        return True
    if last.low == "quarter" and numeral.end - index == 1:
        return False  # "the quarter", but "a quarter" and "one quarter"
    before = [lexeme.low for lexeme in lexemes[max(0, index - 2) : index]]
    opens = not before or before[-1] in _BEFORE
    if follows in (_AFTER_HALF if last.low == "half" else _AFTER):
        # "The southern half of the island" is a place.
        return opens or not (last is lexemes[index] and ({"the", "other"} & set(before) or before[-1] in ORDINALS))
    if after is not None and after.text in _HYPHENS and touches(lexemes, numeral.end):
        return False
    if opens and (not follows or (follows in STOP_WORDS and follows not in _SINGULAR)):
        return True
    return bool(before) and before[-1] in _SURELY and follows not in ("a", "an")


def _read_ratio(lexemes: list[Lexeme], index: int, numeral: Numeral) -> Numeral | None:
    """'One in twenty', 'three out of four', 'one seat in a hundred', 'two of every five'."""
    if numeral.step != 1 or numeral.ordinal or numeral.magnitude:
        return None
    at = numeral.end
    while at < len(lexemes) and at < numeral.end + 2 and lexemes[at].kind == "w" and lexemes[at].low not in STOP_WORDS:
        at += 1
    words = [lexeme.low for lexeme in lexemes[at : at + 3]]
    link = 2 if words[:2] == ["out", "of"] else 1
    if words[link - 1 : link] not in (["of"], ["in"]):
        return None
    each = words[link : link + 1] in (["every"], ["each"])
    start = at + link + each
    whole = read_numeral(lexemes, start) if start < len(lexemes) else None
    if whole is None or whole.ordinal or whole.value.denominator != 1 or not 0 < numeral.value < whole.value:
        return None
    marked = each or (lexemes[start].low == "a" and words[0] != "of")
    year = lexemes[start].text.isdecimal() and 1000 < whole.value < 2200  # "one in 1990"
    odd = (link == 2 or numeral.value > 1) and whole.value not in _WHOLES  # "45 out of 50 states" counts states
    if not marked and (words[0] == "of" or year or odd):
        return None
    if read_unit(lexemes, whole.end) is not None:
        return None  # "one in ten minutes"
    after = lexemes[whole.end] if whole.end < len(lexemes) else None
    ends = link == 1 and (after is None or after.kind != "w" or after.low in STOP_WORDS)
    if at > numeral.end and not (each or (numeral.value == 1 and (marked or ends))):
        return None  # "three goals in five games"
    return Numeral(numeral.value / whole.value, Fraction(0), whole.end, "share")
