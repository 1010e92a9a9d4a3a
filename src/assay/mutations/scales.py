"""The same value in another form, and a wrong scale taken for it: 5 % is one in twenty, not one in five."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from assay.mutations.source import Mutation, replace
from assay.text.numerals import ONES

_PERCENT = re.compile(r"(?<![\d.,–-])(\d{1,2}) ?(?:%|per ?cent)(?= of (?!GDP))")
# The share of things that are counted, and of what is not.
_OF_COUNTED = {
    1: ("one in a hundred", "one in ten"),
    2: ("one in fifty", "one in five"),
    4: ("one in twenty-five", "one in four"),
    5: ("one in twenty", "one in five"),
    10: ("one in ten", "one in a hundred"),
    20: ("one in five", "one in twenty"),
    25: ("one in four", "one in twenty-five"),
    50: ("half", "one in five"),
}
_OF_WHOLE = {
    1: ("a hundredth", "a tenth"),
    5: ("a twentieth", "a fifth"),
    10: ("a tenth", "a hundredth"),
    20: ("a fifth", "a twentieth"),
    25: ("a quarter", "a twenty-fifth"),
    50: ("half", "a fifth"),
}
_COUNTED = re.compile(r" of (?:the |all |its |their |these )?(?:[a-z]+ )?(?:[a-z]+(?<!s)s|people|women|men|children)\b")
_COUNTS = {word: value for word, value in ONES.items() if 2 <= value <= 10}
_COUNTS |= {"twenty": 20, "twenty-five": 25, "fifty": 50, "a hundred": 100, "one hundred": 100, "a thousand": 1000}
_ONE_IN = re.compile(
    rf"\b[Oo]ne (?:([a-z]+) )?(?:in|out of) (?:every )?({'|'.join(sorted(_COUNTS, key=len, reverse=True))}|\d+)\b"
    r"(?: (?:of (?:the )?)?(?!(?:is|was|has|as)\b)([a-z]+s|people|women|men|children))?"
    r"(?: (is|was|has|are|were|have)\b)?"
)
_PLURAL_VERB = {"is": "are", "was": "were", "has": "have"}
_FRACTION = re.compile(
    r"(?<!about )(?<!around )(?<!than )(?<!nearly )(?<!least )(?<!almost )(?<!first )(?<!second )"
    r"\b(half|(?:a|one) third|(?:a|one) quarter|(?:a|one) fifth|two thirds|three quarters)(?= of )",
    re.IGNORECASE,
)
_OF_FRACTION = {
    "half": ("50 %", "5 %"),
    "third": ("about 33 %", "3 %"),
    "quarter": ("25 %", "4 %"),
    "fifth": ("20 %", "5 %"),
    "two thirds": ("about 67 %", "23 %"),
    "three quarters": ("75 %", "34 %"),
}
_GROUPED = re.compile(
    r"(?<![\d.,–-])(?<!per )(?<! to )(?<! in )\d{1,3}(?:,\d{3})+(?![\d,.–-]*\d)(?! to \d)"
    r"(?! ?(?:[a-zA-Z]{1,2}\b|[²³°]|million|billion))"
)
_MAGNITUDE = re.compile(r"(?<![\d.,–-])(\d{1,3}(?:\.\d)?) (thousand|million|billion)\b")
_SIZES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_OTHER_SIZE = {"thousand": "million", "million": "billion", "billion": "million"}
_CLOCK = re.compile(r"(?<![\d:–-])(1[3-9]|2[0-3]):([0-5]\d)(?! ?[–-]|:|\d| ?[ap]\.?m)")
_HALF_DAY = re.compile(r"(?<![\d:.–-])(1[0-2]|[1-9])(?::([0-5]\d))? ?([ap])\.?m\b(?:\.(?=\s+[a-z]))?")
_POINTS = re.compile(r"(?<=\d )percentage points\b")


@dataclass(frozen=True, slots=True)
class ValueForm:
    """A value of a sentence in another form: the right one, and the one of a wrong scale; each may be lacking."""

    name: str
    start: int
    end: int
    right: str
    wrong: str


def confuse_scales(text: str) -> Iterator[Mutation]:
    """Every share, large number and time of day given in another form with the wrong scale."""
    for form in find_forms(text):
        if form.wrong:
            yield replace(form.name, text, form.start, form.end, form.wrong)


def find_forms(text: str) -> Iterator[ValueForm]:
    """The values of a sentence that can be given in another form.

    >>> [(form.right, form.wrong) for form in find_forms("About 5 % of the seats are free at 15:00.")]
    [('one in twenty', 'one in five'), ('3 pm', '5 pm')]
    """
    for match in _PERCENT.finditer(text):
        named = _OF_COUNTED if _COUNTED.match(text, match.end()) else _OF_WHOLE
        if int(match[1]) in named:
            yield ValueForm("share", match.start(), match.end(), *named[int(match[1])])
    for match in _ONE_IN.finditer(text):
        yield from _share_of(match)
    for match in _FRACTION.finditer(text):
        name = re.sub(r"^(?:a|one) ", "", match[1].lower())
        yield ValueForm("fraction", match.start(), match.end(), *_OF_FRACTION[name])
    for match in _GROUPED.finditer(text):
        yield from _shortened(match)
    for match in _MAGNITUDE.finditer(text):
        digits = f"{int(Fraction(match[1]) * _SIZES[match[2]]):,}"
        yield ValueForm("magnitude", match.start(), match.end(), digits, f"{match[1]} {_OTHER_SIZE[match[2]]}")
    for match in _CLOCK.finditer(text):
        minutes = "" if match[2] == "00" else f":{match[2]}"
        hour = int(match[1])
        wrong = f"{hour - 10}{minutes} pm" if hour < 22 else f"{hour - 12}{minutes} am"
        yield ValueForm("time of day", match.start(), match.end(), f"{hour - 12}{minutes} pm", wrong)
    for match in _HALF_DAY.finditer(text):
        hour = int(match[1]) % 12 + (12 if match[3] == "p" else 0)
        wrong = f"{match[1]}{':' + match[2] if match[2] else ''} {'a' if match[3] == 'p' else 'p'}m"
        yield ValueForm("time of day", match.start(), match.end(), f"{hour:02}:{match[2] or '00'}", wrong)
    for match in _POINTS.finditer(text):
        yield ValueForm("percentage points", match.start(), match.end(), "", "percent")


def _share_of(match: re.Match[str]) -> Iterator[ValueForm]:
    """ "10 % of seats are" for "one seat in ten is", with the verb made plural."""
    noun, count = match[1], _COUNTS.get(match[2]) or int(match[2])
    things = match[3] or (_plural(noun) if noun else "")
    if not things or not count or 100 % count or count == 1:
        return
    verb = f" {_PLURAL_VERB.get(match[4], match[4])}" if match[4] else ""
    share = 100 // count
    wrong = 10 if share != 10 else 1
    yield ValueForm("share", match.start(), match.end(), f"{share} % of {things}{verb}", f"{wrong} % of {things}{verb}")


def _plural(noun: str) -> str:
    return {"person": "people", "woman": "women", "man": "men", "child": "children"}.get(
        noun, noun if noun.endswith("s") else noun[:-1] + "ies" if re.search(r"[^aeiou]y$", noun) else f"{noun}s"
    )


def _shortened(match: re.Match[str]) -> Iterator[ValueForm]:
    """ "1.2 thousand" for 1,200, wrongly "1.2 million"."""
    value = int(match.group().replace(",", ""))
    size, wrong = ("million", "billion") if value >= 1_000_000 else ("thousand", "million")
    if value % (_SIZES[size] // 10):
        return
    short = f"{value / _SIZES[size]:g}"
    yield ValueForm("magnitude", match.start(), match.end(), f"{short} {size}", f"{short} {wrong}")
