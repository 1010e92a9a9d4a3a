"""Numbers that are part of a name, an anchor, a list mark or a clock time rather than an amount."""

from __future__ import annotations

from assay.text.dates import MONTH_NUMBERS
from assay.text.numerals import MAGNITUDES, NUMBER_WORDS, SUFFIXES, Lexeme, listed, touches
from assay.text.tokens import STOP_WORDS
from assay.text.units import spelled

_HYPHENS = frozenset("-‐‑–")
# Before a hyphen these do not make a name: "mid-1990s", "sub-20 minutes", "an over-65".
_PREFIXES = frozenset(listed("mid pre post early late sub over under circa non about ages aged above below all"))
# A number after these points to a place or a model; it does not measure anything.
_POINTERS = frozenset(
    listed(
        "page pages p pp section sections sec figure figures fig chapter chapters table tables no nos number article "
        "volume vol issue line lines version step question equation eq ref clause paragraph appendix part item exhibit "
        "phase level type grade class stage tier route highway room flight channel area model season episode act"
    )
)
_NOT_NAMES = frozenset(
    listed(
        "about nearly almost roughly approximately over under only exactly some around total aged age today currently "
        "founded born died established population height weight length width area cost price score founded released "
        "pages plus minus yes no usd eur gbp another additional fewer founded built opened circa"
    )
)


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
    return False


def _is_measured(lexemes: list[Lexeme], word: int) -> bool:
    """'5km-10km' and 'eighty-90': the word before the hyphen is a unit or a number itself."""
    low = lexemes[word].low
    if low in NUMBER_WORDS or low in MAGNITUDES:
        return True
    return spelled(lexemes[word].text) is not None and word > 0 and lexemes[word - 1].kind == "n"


def _is_known(lexemes: list[Lexeme], at: int) -> bool:
    word = lexemes[at]
    if word.text == "s" and lexemes[at - 1].text[-1] == "0":
        return False  # "in his 30s", "the 90s"
    if word.low in ("st", "nd", "rd", "th", "x", "e", "am", "pm", "c", "f", "pct", "percent", "m", "p"):
        return True
    if word.text in SUFFIXES or word.low in MAGNITUDES:
        return True
    return spelled(word.text) is not None or (word.text[-1] in "²³" and spelled(word.text[:-1]) is not None)


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
    if glued or (word.low in _POINTERS and (at == index - 1 or len(word.low) <= 4)):
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


def read_clock(lexemes: list[Lexeme], index: int) -> tuple[int, int] | None:
    """Minutes after midnight and where the time ends: '11:30', '5:15 pm', '5 pm'."""
    hour = lexemes[index]
    if not hour.text.isdecimal() or len(hour.text) > 2 or int(hour.text) > 24:
        return None
    minutes, end = 0, index + 1
    colon = end + 1 < len(lexemes) and lexemes[end].text == ":" and touches(lexemes, end) and touches(lexemes, end + 1)
    if (
        colon
        and lexemes[end + 1].text.isdecimal()
        and len(lexemes[end + 1].text) == 2
        and int(lexemes[end + 1].text) < 60
    ):
        minutes, end = int(lexemes[end + 1].text), end + 2
    half, after = _read_half_day(lexemes, end)
    if not half and end == index + 1:
        return None
    value = int(hour.text) % 12 if half else int(hour.text)
    return (value + (12 if half == "p" else 0)) * 60 + minutes, after


def _read_half_day(lexemes: list[Lexeme], at: int) -> tuple[str, int]:
    """'a' or 'p' for 'am', 'p.m.' and where it ends; nothing when there is neither."""
    if at >= len(lexemes) or lexemes[at].start - lexemes[at - 1].end > 1:
        return "", at
    if lexemes[at].low in ("am", "pm") and lexemes[at].text != "Am":
        return lexemes[at].low[0], at + 1
    dotted = "".join(lexeme.low for lexeme in lexemes[at : at + 4])
    if dotted in ("a.m.", "p.m."):
        return dotted[0], at + 4
    return "", at
