"""Text as it looks: without characters that no screen shows, with the letters that others only look like.

"n\\u200bot" and "n\\u043et" (with a Cyrillic o) are "not" to a reader, and so they are to every comparison here. Words
that are written in another script throughout stay what they are.

>>> as_seen("Bats are n\\u200bot b\\u0456rds.")
'Bats are not  birds.'
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque

Edit = tuple[int, int, str]
"""Replace `text[start:end]` by a string; edits are given in order and do not overlap."""

_CYRILLIC = dict(zip("аеорсухіјѕԁһԛԝӏАВЕКМНОРСТУХІЈЅԚԜҮѴӀ", "aeopcyxijsdhqwlABEKMHOPCTYXIJSQWYVI", strict=True))
_GREEK = dict(zip("οανρυικτχγϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺ", "oavpuiktxycjABEZHIKMNOPTYXCM", strict=True))
_OTHER = dict(zip("օսոցհԼՏՍɑɡᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ", "ounghLSUagABCDEGHiJKLMPRSTVWZ", strict=True))
_LOOKALIKES = {**_CYRILLIC, **_GREEK, **_OTHER}
# Letters and digits in another dress, each of which has one plain form: full width, bold, script, circled.
_DRESSED = "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff\u24b6-\u24e9\u2102-\u2134"
# No screen shows these anywhere.
_NOWHERE = "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202d\u2060-\u2069\ufeff\U000e0000-\U000e007f"
# These join and part the letters of Persian and Indic words, and choose between the forms of a sign.
_BETWEEN = "\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
_BLANK = "\u2800\u3164\uffa0\u115f\u1160"
_OVERRIDE = "\u202e"
_ENDS = "\u202c"

_SUSPECT = re.compile(f"[{_NOWHERE}{_BETWEEN}{_BLANK}{_OVERRIDE}{_ENDS}{_DRESSED}{''.join(_LOOKALIKES)}]", re.DOTALL)
_UNSEEN = re.compile(
    f"{_OVERRIDE}[^{_ENDS}\n]*+{_ENDS}?|[{_NOWHERE}{_ENDS}]|(?<=[\x20-\u024f])[{_BETWEEN}]|[{_BLANK}]|[{_DRESSED}]"
)
_DRESS = re.compile(f"[{_DRESSED}]")
_WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{_NOWHERE}{_BETWEEN}])*+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")


def find_disguises(text: str) -> list[Edit]:
    """The edits that leave the text as it looks."""
    if text.isascii() or not _SUSPECT.search(text):
        return []
    edits: list[Edit] = []
    for match in _UNSEEN.finditer(text):
        found = match.group()
        new = _shown(found)
        if new != found:
            edits.append((match.start(), match.end(), new))
    turned = deque(edit[:2] for edit in edits if text[edit[0]] == _OVERRIDE)
    for edit in _lookalikes(text):
        while turned and turned[0][1] <= edit[0]:
            turned.popleft()
        if not turned or edit[0] < turned[0][0]:
            edits.append(edit)
    edits.sort()
    return edits


def _shown(found: str) -> str:
    """What a reader sees of a match."""
    if found[0] == _OVERRIDE:
        inside = found.replace(_OVERRIDE, "").removesuffix(_ENDS)
        natural = any(unicodedata.bidirectional(char) in ("R", "AL") for char in inside)
        return inside if natural else as_seen(inside)[::-1].strip(" ")
    if found in _BLANK:
        return " "
    if _DRESS.match(found):
        plain = unicodedata.normalize("NFKC", found)
        return plain if len(plain) == 1 and plain.isascii() else found
    return ""


def _lookalikes(text: str) -> list[Edit]:
    """Letters of another script in words that are Latin but for them, or in a Latin text in words of nothing else."""
    edits: list[Edit] = []
    latin = None
    for word in _WORD.finditer(text):
        if word.group().isascii():
            continue
        letters = [char for char in word.group() if char.isalpha()]
        foreign = [char for char in letters if not _LATIN.match(char)]
        if not foreign or any(char not in _LOOKALIKES for char in foreign):
            continue
        if len(foreign) == len(letters):
            if latin is None:
                latin = sum(map(len, _LATIN.findall(text))) > 4 * sum(char in _LOOKALIKES for char in text)
            if len(letters) < 2 or not latin:
                continue
        for at, char in enumerate(word.group(), word.start()):
            if char in _LOOKALIKES:
                edits.append((at, at + 1, _LOOKALIKES[char]))
    return edits


def as_seen(text: str) -> str:
    """The text as it looks, as long as it was: what is dropped from a word is made up for by blanks behind it."""
    edits = find_disguises(text)
    if not edits:
        return text
    pieces: list[str] = []
    done = owed = 0
    for start, end, new in [*edits, (len(text), len(text), "")]:
        between = text[done:start]
        gap = next((at for at, char in enumerate(between) if char.isspace()), -1) if owed else -1
        if gap >= 0:
            between, owed = f"{between[:gap]}{' ' * owed}{between[gap:]}", 0
        pieces += (between, new)
        owed += end - start - len(new)
        done = end
    pieces.append(" " * owed)
    return "".join(pieces)
