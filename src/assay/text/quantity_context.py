"""What the words around a number make of it: part of a name, an anchor or a code, a share, or a hedged amount."""

from __future__ import annotations

from fractions import Fraction

from assay.text.amounts import Hedge
from assay.text.numerals import MAGNITUDES, NUMBER_WORDS, ORDINALS, SUFFIXES, Lexeme, Numeral, read_numeral, touches
from assay.text.tokens import STOP_WORDS
from assay.text.units import Unit, currency_before, read_unit, spelled
from assay.text.words import MONTH_NUMBERS, listed, words

_HYPHENS = frozenset("-‐‑–")
_ENDINGS = words("st nd rd th x e am pm p")
# Before a hyphen these do not make a name: "mid-1990s", "sub-20 minutes", "an over-65".
_PREFIXES = words("mid pre post early late sub over under circa non about ages aged above below all")
# A number after these points to a place or a model; it does not measure anything.
_POINTERS = words("""
    page pages p pp section sections sec figure figures fig chapter chapters table tables no nos number article
    volume vol issue line lines version step question equation eq ref clause paragraph appendix part item exhibit
    phase level type grade class stage tier route highway room flight channel area model season episode act ticket
    invoice isbn issn rfc id docket patent batch lot cohort serotype module week day
""")
# Two numbers tied by a hyphen are a code after these: "Order 1234-56", "see 2000-12".
_CODE_BEFORE = words("""
    see form order ticket part model no nos number ref reference id isbn issn case invoice serial docket code item
    file patent permit lot batch page pages p pp section sections sec figure figures fig table tables clause article
    paragraph appendix line lines room flight tel phone fax call dial § # №
""")
_NOT_NAMES = words("""
    about nearly almost roughly approximately over under only exactly some around total aged age today currently
    founded born died established population height weight length width area cost price score founded released pages
    plus minus yes no usd eur gbp another additional fewer founded built opened circa
""")


def is_anchor(lexemes: list[Lexeme], index: int, text: str) -> bool:
    """Whether this number is a citation ([3], [1, 2]), a list mark ('1.' at a line's start) or '(3)'."""
    number = lexemes[index]
    before = lexemes[index - 1].text if index else ""
    after = lexemes[index + 1].text if index + 1 < len(lexemes) else ""
    if len(number.text) > 3:
        return False
    if before in ("[", "^") and after in ("]", ",", ";", "-", "–"):
        return True
    if after == "]" and before in (",", ";", "-", "–"):
        return True
    if before == "(" and after == ")" and len(number.text) == 1:
        return True
    if after in (".", ")") and touches(lexemes, index + 1) and text[number.end + 1 : number.end + 2].isspace():
        line = text[max(0, number.start - 8) : number.start]
        lead = line.rsplit("\n", 1)[-1]
        # "1. Everest" opens a line; "It was 5." only ends one.
        return (
            not lead.strip(" \t-*#>(")
            and (len(line) < 8 or "\n" in line)
            and not text[number.end + 1 : number.end + 3].isspace()
        )
    return False


def is_part_of_word(lexemes: list[Lexeme], index: int, end: int) -> bool:
    """Whether letters or a hyphen tie the number to a word: 'GPT-4', 'E12', '3D', '747-400ER'."""
    if touches(lexemes, index):
        before = lexemes[index - 1]
        if before.kind == "w" or before.text in "_#@\\":
            return True
        if before.text in _HYPHENS and touches(lexemes, index - 1):
            word = lexemes[index - 2]
            # "29th–31st" and "10-20" are ranges, "COVID-19" is a name.
            if word.kind == "w" and word.low not in _PREFIXES and word.low not in MONTH_NUMBERS:
                return not _is_measured(lexemes, index - 2)
    if touches(lexemes, end):
        after = lexemes[end]
        if after.kind == "w":
            return not _is_known(lexemes, end)
        if after.text == "_":
            return True
        if after.text in _HYPHENS and touches(lexemes, end + 1):
            letters = lexemes[end + 1].text  # "10-K", "12-B", but "5-GB"
            return letters.isupper() and len(letters) < 4 and (letters == "K" or read_unit(lexemes, end + 1) is None)
    return False


def _is_measured(lexemes: list[Lexeme], word: int) -> bool:
    """'5km-10km' and 'eighty-90': the word before the hyphen is a unit or a number itself."""
    low = lexemes[word].low
    if low in NUMBER_WORDS or low in MAGNITUDES:
        return True
    return spelled(lexemes[word].text) is not None and word > 0 and lexemes[word - 1].kind == "n"


def _is_known(lexemes: list[Lexeme], at: int) -> bool:
    word = lexemes[at]
    if word.low in _ENDINGS or word.text in SUFFIXES or word.low in MAGNITUDES:
        return True
    return read_unit(lexemes, at) is not None or (word.text == "b" and currency_before(lexemes, at - 1) is not None)


def name_before(lexemes: list[Lexeme], index: int, *, glued: bool = False) -> str:
    """The name this number belongs to ('apollo' for 'Apollo 11'), or nothing."""
    at = index - 1
    if (glued and touches(lexemes, index) and lexemes[at].text in _HYPHENS) or (
        not glued and at > 0 and lexemes[at].text in (".", "#", "№")
    ):
        at -= 1
    if at < 0:
        return ""
    word = lexemes[at]
    if word.text in ("#", "№", "§"):
        return "number"
    if word.kind != "w":
        return ""
    if (glued and word.low not in _PREFIXES) or (word.low in _POINTERS and (at == index - 1 or len(word.low) <= 4)):
        return word.low
    if at != index - 1 or lexemes[index].start - word.end > 1 or len(lexemes[index].text) > 4:
        return ""
    common = word.low in STOP_WORDS or word.low in _NOT_NAMES or word.low in MONTH_NUMBERS or word.low in NUMBER_WORDS
    capital = word.text[:1].isupper() and not common and len(word.low) > 1
    return word.low if capital and not _counts_in_a_place(lexemes, at, index) else ""


def _counts_in_a_place(lexemes: list[Lexeme], name: int, number: int) -> bool:
    """'In London 45 people died' counts people; 'Apollo 11 landed' does not count."""
    after = lexemes[number + 1].text if number + 1 < len(lexemes) else ""
    plural = after[:1].islower() and (after.endswith("s") or after in ("people", "men", "women", "children"))
    return plural and name > 0 and lexemes[name - 1].low in ("in", "at", "near", "from", "across", "by", "to")


def is_code(lexemes: list[Lexeme], index: int) -> bool:
    """Whether the number is a link of '24/7', '9/11', '978-3-16-148410-0' or another chain that is no amount."""
    left = _linked(lexemes, index - 1)
    right = _linked(lexemes, index + 1)
    if "/" in (left, right):
        return True
    return (
        bool(left and right)
        or bool(left and _linked(lexemes, index - 3))
        or bool(right and _linked(lexemes, index + 3))
    )


def _linked(lexemes: list[Lexeme], at: int) -> str:
    """The hyphen or slash at this place, if it ties two numbers together."""
    if not 0 < at < len(lexemes) - 1 or lexemes[at].text not in ("-", "/", "–"):
        return ""
    tied = touches(lexemes, at) and touches(lexemes, at + 1)
    return lexemes[at].text if tied and lexemes[at - 1].kind == "n" and lexemes[at + 1].kind == "n" else ""


def is_reference(lexemes: list[Lexeme], index: int) -> bool:
    """Whether this number is the first or second of 'Order 1234-56', 'see 2000-12' or 'pages 12–14'."""
    first = index - 2 if _linked(lexemes, index - 1) else index
    before = [lexeme.low for lexeme in lexemes[max(0, first - 3) : first] if lexeme.text not in (".", ":")]
    pointed = bool(before) and before[-1] in _CODE_BEFORE
    return pointed and bool(_linked(lexemes, first + 1)) and read_unit(lexemes, first + 3) is None


# The words before and after a quantity that loosen it or turn it into a limit

_ONE = {
    **dict.fromkeys(listed("about around approximately approx roughly circa ca some estimated ~ ≈ ∼ ≃ c"), Hedge.ABOUT),
    **dict.fromkeys(listed("nearly almost"), Hedge.NEARLY),
    **dict.fromkeys(listed("over above exceeding exceeds exceeded > surpassing"), Hedge.OVER),
    **dict.fromkeys(listed("under below <"), Hedge.UNDER),
    **dict.fromkeys(listed("≥ minimum"), Hedge.AT_LEAST),
    **dict.fromkeys(listed("≤ maximum max"), Hedge.AT_MOST),
}
_TWO = {
    **dict.fromkeys(("more than", "greater than", "higher than", "longer than", "larger than"), Hedge.OVER),
    **dict.fromkeys(("less than", "fewer than", "lower than", "shorter than", "smaller than"), Hedge.UNDER),
    **dict.fromkeys(("at least", "minimum of", "upwards of"), Hedge.AT_LEAST),
    **dict.fromkeys(("at most", "up to", "maximum of", "capped at", "limited to"), Hedge.AT_MOST),
    **dict.fromkeys(("not exceeding", "not exceed", "not over", "not above"), Hedge.AT_MOST),
    **dict.fromkeys(("not under", "not below"), Hedge.AT_LEAST),
    **dict.fromkeys(("close to", "order of", "estimated at", "> ="), Hedge.ABOUT),
}
_THREE = {
    **dict.fromkeys(("no more than", "not more than"), Hedge.AT_MOST),
    **dict.fromkeys(("no less than", "no fewer than", "not less than", "not fewer than"), Hedge.AT_LEAST),
    **dict.fromkeys(("as many as", "as much as", "as high as"), Hedge.AT_MOST),
}
_DATED = {"before": Hedge.UNDER, "after": Hedge.OVER, "around": Hedge.ABOUT, "about": Hedge.ABOUT}
_DATED |= dict.fromkeys(("circa", "c", "ca", "approximately", "~", "roughly"), Hedge.ABOUT)


def hedge_before(lexemes: list[Lexeme], index: int) -> Hedge:
    """How the words that end just before this lexeme hedge it."""
    words = [lexeme.low for lexeme in lexemes[max(0, index - 4) : index] if lexeme.text != "."]
    if words and words[-1] in ("a", "an", "the") and len(words) > 1:
        words.pop()  # "almost a million", "over the 300"
    for count, table in ((3, _THREE), (2, _TWO), (1, _ONE)):
        found = table.get(" ".join(words[-count:])) if len(words) >= count else None
        if found is not None:
            return found
    return Hedge.NONE


def hedge_after(lexemes: list[Lexeme], index: int) -> Hedge:
    """How the words from this lexeme on hedge the quantity before them: '300+', '300 or more', '300 or so'."""
    first = lexemes[index].low if index < len(lexemes) else ""
    if first == "+" and touches(lexemes, index):
        return Hedge.AT_LEAST
    if first in ("or", "and") and index + 1 < len(lexemes):
        second = lexemes[index + 1].low
        if first == "or" and second == "so":
            return Hedge.ABOUT
        if second in ("more", "over", "above"):
            return Hedge.AT_LEAST
        if second in ("less", "fewer", "under", "below"):
            return Hedge.AT_MOST
    second = lexemes[index + 1].low if index + 1 < len(lexemes) else ""
    return _TWO.get(f"{first} {second}", Hedge.NONE) if first == "at" else Hedge.NONE


def hedge_of_date(lexemes: list[Lexeme], index: int) -> Hedge:
    """'Before 1953', 'after May 1953', 'around 1850'."""
    words = [lexeme.low for lexeme in lexemes[max(0, index - 2) : index] if lexeme.text != "."]
    return _DATED.get(words[-1], Hedge.NONE) if words else Hedge.NONE


SHARE = Unit("%", Fraction(100), Fraction(0), "percent")

_SHORT_HYPHENS = frozenset("-‐‑")
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
    if last.low.endswith("s") or (numeral.end - index > 1 and lexemes[numeral.end - 2].text in _SHORT_HYPHENS):
        return True
    if last.low == "quarter" and numeral.end - index == 1:
        return False  # "the quarter", but "a quarter" and "one quarter"
    before = [lexeme.low for lexeme in lexemes[max(0, index - 2) : index]]
    opens = not before or before[-1] in _BEFORE
    if follows in (_AFTER_HALF if last.low == "half" else _AFTER):
        # "The southern half of the island" is a place.
        return opens or not (last is lexemes[index] and ({"the", "other"} & set(before) or before[-1] in ORDINALS))
    if after is not None and after.text in _SHORT_HYPHENS and touches(lexemes, numeral.end):
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
