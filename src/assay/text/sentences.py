"""Sentences by rule, in one pass: where a stop ends one, and where it belongs to "Dr.", "3.14" or "J. R. R. Tolkien".

>>> text = "Dr. Li paid 3.5 € in May. Was it fair? No."
>>> [sentence.span.of(text) for sentence in split_sentences(text)]
['Dr. Li paid 3.5 € in May.', 'Was it fair?', 'No.']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from assay.text.blocks import find_blocks
from assay.text.tokens import STOP_WORDS
from assay.text.words import MONTH_NAMES, MONTH_NUMBERS, words
from assay.types import Span


@dataclass(frozen=True, slots=True)
class SentenceSpan:
    """A sentence, bullet, heading, table row or code block, without its marks.

    Sentences of one paragraph or bullet have the same `block`; `depth` is the indent of a bullet or the
    level of a heading.
    """

    span: Span
    kind: str
    block: int = 0
    depth: int = 0


# Words whose full stop is no end of a sentence, and words that open one

_SHORT_MONTHS = frozenset(name for name in MONTH_NUMBERS if len(name) < 5) - words("may june july")
# A name or a thing follows: "Dr. Li", "vs. Texas".
_BEFORE_NAME = words("""
    dr mr mrs ms mx prof st messrs mme mlle vs v cf viz approx ca assoc asst attn atty
    """)
# The same, but only with a capital: "Rep. Smith", "Ft. Worth"; "one more rep. Then" ends.
_TITLES = words("""
    gen col maj sen rep gov capt cpt cmdr lt sgt cpl rev hon pres supt fr sr dir adm amb insp ing dipl mt ft
    """)
# Only before a number: "No. 5", "Fig. 2", "Jan. 3", "c. 1850"; "He said no. Then" ends.
_BEFORE_NUMBER = (
    words("""
    no nos fig figs eq eqs sec secs art arts vol vols pp p pt ch chap para tab app ex ver v nr par cl reg b c d fl
    """)
    | _SHORT_MONTHS
)
# Always in the middle.
_INNER = words("e.g i.e eg ie incl excl esp resp al.e n.b c.f")
# At an end only if the next word opens a sentence: "Apple Inc. The", but "Apple Inc. shares".
_OTHER = words("""
    inc corp ltd co bros llc plc jr esq al dept est ave blvd rd univ govt gov intl max temp avg fig vol ed eds tel ext
    misc mfg natl assn cert dist comm
    """)
# The same, but only with a capital: "Sun. The", but "in the sun. Tourists".
_DAYS_AND_MONTHS = _SHORT_MONTHS | words("mon tue tues wed thu thur thurs fri sat sun")
# Behind a number they end a sentence before any capital: "6 ft. Doors", but "6 ft. high".
_UNITS = words("ft in lb lbs oz hr hrs min mins sec secs yr yrs mo wk")
# A single letter behind one of these is a label and no initial: "vitamin C. Tenants", but "John F. Kennedy".
_LABELLED = words("""
    annex appendix article axis band block building category chapter class clause column deck diagram division document
    drive exhibit factor figure form gate grade group hall hepatitis influenza item key level line list lot model module
    option panel part phase plan platform point policy port product protein question rating room route row rule schedule
    score section series set sheet side site size stage step switch tab table task team terminal tier title tower type
    unit variant version vitamin war wing zone
    """)
_OPENERS = words("""
    the a an this that these those it its he she they we you i his her their our your my there here in on at by for from
    with without as after before during since until when while if although though because however but and so or yet
    moreover furthermore therefore thus also additionally nevertheless nonetheless meanwhile instead then now today both
    each every all some many most several few no not one two three such another other what who where why how which to
    under over between among through according despite although overall finally first second third last next only even
    please note dr mr mrs ms prof
    """)

# Every run of stops is looked at once, whatever follows it: a text of a million dots is one run.
_STOP = re.compile(r"(?:[.!?…‽]++|[。！？｡．؟।॥۔︒]++)[\"'”’»)\]}*_`」』）】〉》]*+")
_WIDE = frozenset("。！？｡．؟।॥۔︒")
# "It rose.[1] Then" and "It rose. [1] Then": the anchor goes with the sentence it backs, and so does a link that is put
# in brackets, called a source, or has nothing behind it.
_LINK = r"\[[^\[\]\n]{1,300}\]\([^()\s]{1,1000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?\)"
ANCHOR = (
    r"\[(?:\^?\d{1,4}(?:[ ]?[-–,;][ ]?\^?\d{1,4}){0,50}|E\d{1,4}(?:[ ]?[,;][ ]?E\d{1,4}){0,50}|cite:[^\[\]\n]{1,200})\]"
)
"""A citation in square brackets: `[1]`, `[2, 5-7]`, `[E1, E4]`, `[cite:1a2b3c4d, 5e6f7a8b]`."""
_ANCHOR = re.compile(
    rf"[ \t]{{0,2}}(?:{ANCHOR}(?!\()"
    r"|\((?:[Ss]ources?|[Ss]rc|[Rr]ef|[Ss]ee)\b[^()\n]{0,300}\)\.?"
    rf"|\((?:(?:[Ss]ources?|[Ss]ee|[Vv]ia)\b:?[ ]?)?{_LINK}(?:[,; ]{{1,2}}{_LINK}){{0,9}}\)\.?"
    rf"|(?=\[(?:[Ss]ource|[Rr]ef|[Ll]ink|\^?\d{{1,3}}\])){_LINK}"
    rf"|{_LINK}(?=\s*$|[ \t]*\n))"
)
_BEFORE_WORD = frozenset("\"'“‘([{«*_`/-–—")
_NEXT_WORD = re.compile(r"[\"'“‘«(\[*_`]{0,3}([^\W_]*)")
_NUMBERING = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]")
_OPENING = "\"'“‘«([*_`"
# What goes on behind "9 a.m.": a day, a month or a time zone.
_OF_TIME = re.compile(
    r"[A-Z]{0,2}[SD]?T|UTC|GMT|Eastern|Central|Mountain|Pacific|Greenwich|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
    rf"|{'|'.join(MONTH_NAMES)}"
)
_DOTTED = re.compile(r"[^\W\d_]{1,2}(?:\.[^\W\d_]{1,3})+")
# "Updating fixes it. npm says": these are words and no abbreviations, whatever follows.
_SHORT_WORDS = STOP_WORDS - _BEFORE_NUMBER
_WORD_REACH = 24
_GAP = 4
_LISTED_LETTERS = 3
_PASSAGE = 4_000  # characters; a whole document is split once and not kept


def split_sentences(text: str) -> list[SentenceSpan]:
    """The sentences in order; only white space and the marks of lists, headings and tables lie outside."""
    return list(_split_short(text)) if len(text) <= _PASSAGE else _split_text(text)


@lru_cache(maxsize=1024)  # the words, the numbers and the model each want the sentences of a passage
def _split_short(text: str) -> tuple[SentenceSpan, ...]:
    return tuple(_split_text(text))


def _split_text(text: str) -> list[SentenceSpan]:
    found: list[SentenceSpan] = []
    for number, block in enumerate(find_blocks(text)):
        if block.kind in ("prose", "bullet"):
            pieces = _split(text, block.start, block.end)
        else:
            pieces = iter(((block.start, block.end),))
        for start, end in pieces:
            if span := _trimmed(text, start, end):
                found.append(SentenceSpan(span, block.kind, number, block.depth))
    return found


def _trimmed(text: str, start: int, end: int) -> Span | None:
    stretch = text[start:end]
    kept = stretch.strip()
    if not kept:
        return None
    start += len(stretch) - len(stretch.lstrip())
    return Span(start, start + len(kept))


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences of one paragraph."""
    at = start
    while stop := _STOP.search(text, at, end):
        at = stop.end()
        while anchor := _ANCHOR.match(text, at, end):
            at = anchor.end()
        if _ends_sentence(text, start, stop, at, end):
            yield start, at
            start = at
    if start < end:
        yield start, end


def _ends_sentence(text: str, start: int, stop: re.Match[str], at: int, end: int) -> bool:
    """Whether a sentence ends with this run of stops; `at` is where the anchors behind it end."""
    mark = text[stop.start()]
    if mark in _WIDE:
        return True
    if at < end and not text[at].isspace():
        return False
    after = _skip(text, at, end, "")
    if after == end:
        return True
    following = _NEXT_WORD.match(text, after, end)
    word = following[1] if following else ""
    if len(word) == 1 and following and text.startswith(".", following.end()):
        # The "A" of "J. A. Smith" is no article.
        word = word + "."
    # "iPhones", "eBay" and code in backticks open a sentence as they are written.
    lower = word[:1].islower() and word.islower() and text[after] != "`"
    if stop.group()[0] != "." or len(stop.group()) > 1:
        return _ends_loudly(stop.group(), lower)
    return _ends_at_dot(text, start, stop.start(), word, lower)


def _skip(text: str, at: int, end: int, marks: str) -> int:
    """The first place from here on that is neither white space nor one of the marks."""
    while at < end and (text[at].isspace() or text[at] in marks):
        at += 1
    return at


def _ends_loudly(marks: str, lower: bool) -> bool:
    """For "!", "?", "…" and stops inside quotes: '"Really?" he asked' and "Yahoo! said" go on."""
    return not lower or marks.rstrip(")*_]") in ("?", "??", "?!", ".")


def _ends_at_dot(text: str, start: int, dot: int, following: str, lower: bool) -> bool:
    """For a single full stop with a space behind it."""
    word = _word_before(text, start, dot)
    known = word.lower()
    if _NUMBERING.fullmatch(word) and _skip(text, start, dot, _OPENING) == dot - len(word):
        # "1. First", "3.2. Tenants" and "A. Eligibility" are numbers of a list, "in 1990. Then" is an end.
        return False
    if word.isdecimal():
        return not lower
    opens = following.lower() in _OPENERS and not lower
    if known in _UNITS and _word_before(text, start, dot - len(word))[:1].isdigit():
        return not lower
    if known == "st" and word[0] == "S" and opens:
        # "on Elm St. The shop", but "St. Mary's"
        return True
    if known in _BEFORE_NAME or (known in _TITLES and word[0].isupper()):
        return False
    if known in _BEFORE_NUMBER and following[:1].isdigit():
        return False
    if len(word) == 1 and word.isalpha():
        # "John F. Kennedy" goes on, "vitamin C. It" and "class A. Devices" do not.
        return opens or (not lower and (word.islower() or _is_label(text, start, dot - 1)))
    if known in _INNER:
        return False
    if known in ("a.m", "p.m"):
        # "at 9 a.m. Doors open", but "9 a.m. EST" and "9 a.m. Monday"
        return not lower and not _OF_TIME.fullmatch(following)
    if known in _OTHER or _DOTTED.fullmatch(word) or (known in _DAYS_AND_MONTHS and word[0].isupper()):
        # "the U.S. Army" goes on, "in the U.S. The" does not.
        return opens
    return not lower or (word.isalpha() and (len(word) > 3 or known in _SHORT_WORDS))


def _is_label(text: str, start: int, letter: int) -> bool:
    """Whether the capital letter at this place names a class, a unit or a part ("class A or B"), and no person."""
    before = _word_before(text, start, letter)
    for _ in range(_LISTED_LETTERS):
        if before.lower() not in ("and", "or", "to", "through", "&"):
            break
        letter = _end_before(text, start, letter) - len(before)
        listed = _word_before(text, start, letter)
        if len(listed) != 1 or not listed.isupper():
            return False
        letter = _end_before(text, start, letter) - 1
        before = _word_before(text, start, letter)
    return before[:1].isdigit() or before.lower() in _LABELLED


def _word_before(text: str, start: int, at: int) -> str:
    """The word that ends here, or before the white space here."""
    at = _end_before(text, start, at)
    first, low = at, max(start, at - _WORD_REACH)
    while first > low and text[first - 1] not in _BEFORE_WORD and not text[first - 1].isspace():
        first -= 1
    return text[first:at]


def _end_before(text: str, start: int, at: int) -> int:
    """Where the white space before a place begins; a long gap is no gap between two words."""
    low = max(start, at - _GAP)
    while at > low and text[at - 1].isspace():
        at -= 1
    return at
