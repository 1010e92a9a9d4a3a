"""Names in an answer, and whether they stand together in a source."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.lexical.index import SourceIndex
from assay.lexical.words import is_number, words_of
from assay.text.tokens import is_stop_word
from assay.types import Span

# A capitalised word, an initial or a run of initials: "O'Brien", "Jean-Luc", "J.", "J.R.R.", "NASA". One look at each
# character: no part can be read in two ways.
_NAME = re.compile(r"[^\W\d_]++(?:[’'\-‐‑][^\W\d_]++)*+(?:\.(?:[^\W\d_]\.)*+)?")
_PARTICLES = frozenset("de da di du del della der den van von la le el al bin ibn dos das ter ten".split())
_GAPS = frozenset((" ", "\t", "\u00a0", "  "))
_INITIALS = 4  # "J." and "St." carry their dot into the name, "England." does not


def find_entities(text: str) -> list[Span]:
    """Phrases of two or more capitalised words on one line, each once, in order.

    >>> text = "When Marie Curie met J. R. Smith\\nBerlin slept."
    >>> [span.of(text) for span in find_entities(text)]
    ['Marie Curie', 'J. R. Smith']
    """
    found: list[Span] = []
    seen: set[tuple[str, ...]] = set()
    for phrase in _phrases(text):
        phrase = _shorn(text, phrase)
        if sum(_is_capital(span.of(text)) for span in phrase) < 2:
            continue
        span = Span(phrase[0].start, _bare_end(text, phrase[-1]))
        key = tuple(words_of(span.of(text)))
        if key and key not in seen:
            seen.add(key)
            found.append(span)
    return found


def _phrases(text: str) -> list[list[Span]]:
    """Runs of capitalised words, with the small words of names between them ("Ludwig van Beethoven")."""
    phrases: list[list[Span]] = []
    run: list[Span] = []
    for match in _NAME.finditer(text):
        word = Span(*match.span())
        joined = bool(run) and text[run[-1].end : word.start] in _GAPS and not _closes(text, run[-1])
        if not _is_capital(match.group()):
            if joined and match.group() in _PARTICLES:
                run.append(word)
                continue
            phrases.append(run)
            run = []
        elif joined:
            run.append(word)
        else:
            phrases.append(run)
            run = [word]
    phrases.append(run)
    return [phrase for phrase in phrases if len(phrase) > 1]


def _closes(text: str, word: Span) -> bool:
    """Whether the dot behind a word ends a sentence: it does not behind an initial or a short title."""
    return text[word.end - 1] == "." and len(word) > _INITIALS and "." not in text[word.start : word.end - 1]


def _is_capital(word: str) -> bool:
    return word[0].isupper()


def _shorn(text: str, phrase: list[Span]) -> list[Span]:
    """The phrase without what only looks like a name at its ends: "When Marie Curie", "Marie Curie de"."""
    while phrase and is_stop_word(phrase[0].of(text).rstrip(".")):
        phrase = phrase[1:]
    while phrase and not _is_capital(phrase[-1].of(text)):
        phrase = phrase[:-1]
    return phrase


def _bare_end(text: str, word: Span) -> int:
    """Where a word ends without its possessive and its full stop."""
    bare = word.of(text)
    if len(bare) > 2:
        bare = bare.rstrip(".")
    for ending in ("'s", "’s", "'", "’"):
        bare = bare.removesuffix(ending)
    return word.start + len(bare)


def cluster(index: SourceIndex, names: Sequence[Sequence[str]], wanted: int, window: int) -> list[Span]:
    """Places of `wanted` different names within `window` characters of the source; empty if there are none.

    Every occurrence of every name is looked at, in the order in which they stand.
    """
    if len(names) < wanted:
        return []
    places = sorted(
        (index.offset(first), index.offset(last) + len(names[i][-1]), i, first, last)
        for i, words in enumerate(names)
        for first, last in index.find_words(words)
    )
    newest: dict[int, tuple[int, int, int, int, int]] = {}
    for place in places:
        newest[place[2]] = place
        close = {i: old for i, old in newest.items() if place[1] - old[0] <= window}
        newest = close or newest
        if len(close) >= wanted:
            return [index.span(first, last) for *_, first, last in sorted(close.values())]
    return []


def asserts_unknown(text: str, index: SourceIndex) -> list[str]:
    """Capitalised words of more than four letters and numbers in a text that the source does not have."""
    unknown = []
    for match in _NAME.finditer(text):
        word = match.group().rstrip(".")
        if len(word) > 4 and _is_capital(word) and not is_stop_word(word) and not index.has(_bare(word)):
            unknown.append(word)
    return unknown + unknown_numbers(text, index)


def _bare(word: str) -> list[str]:
    words = words_of(word)
    return words[:-1] if len(words) > 1 and words[-1] == "s" else words


def unknown_numbers(text: str, index: SourceIndex) -> list[str]:
    """The numbers in a text that do not stand in the source: 8,849 is 8849, but 300 is not 300,000."""
    return [word for word in words_of(text) if is_number(word) and not index.count(word)]
