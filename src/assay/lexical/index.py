"""An index of a source: every word with all its places, and the sentences around any of them.

The words are numbered and kept in one line with single spaces between them, beside an array that says where in that
line each word stands. A phrase is looked up at the places of its rarest word only.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from heapq import merge
from itertools import accumulate, islice

from assay.errors import SourceError
from assay.lru import LruCache
from assay.text.comparable import PIECE, folded_words, split_piece, word_end, words_of
from assay.text.normalise import normalise, strip_markup
from assay.text.sentences import split_sentences
from assay.text.tokens import stem
from assay.types import Document, Span

MAX_SOURCE_CHARS = 500_000_000
"""A larger source does not fit in the memory of an ordinary machine together with its index."""

_CHUNK = 2_048  # characters between two kept places
_COMMON = 5_000  # a phrase whose rarest word is more frequent than this is searched in the line at the speed of C
_KEPT_CHARS = 64_000_000  # of the sources whose indexes are kept for reuse …
_SMALLEST = _KEPT_CHARS // 16  # … where a smaller source counts like this, so that no more than sixteen are kept
_MAGNITUDES = tuple(
    f" {word}" for word in ("%", "‰", "percent", "hundred", "thousand", "million", "billion", "trillion")
)
_NOWHERE: array[int] = array("I")
_BLOCK = 4_096  # characters split at once; blocks end at a line end or a space where there is one near


class SourceIndex:
    """The words of one document and where each of them stands; word numbers count from the start of the source."""

    def __init__(self, document: Document) -> None:
        if len(document.text) > MAX_SOURCE_CHARS:
            raise SourceError(
                f"{document.id}: a source of {len(document.text):,} characters is too large to index "
                f"(the limit is {MAX_SOURCE_CHARS:,}); split it into several documents"
            )
        self.document = document
        self.mapped = normalise(document.text, document.markup)
        self._numbers: dict[str, array[int]] = defaultdict(partial(array, "I"))
        self._in_line = array("I")
        self._chunk_starts = array("I")
        self._chunk_firsts = array("I")
        self._chunk_places: dict[int, array[int]] = {}
        self._line = self._read()

    def _read(self) -> str:
        """Take in all words, chunk by chunk; only the first place of each chunk is kept, the others are found again."""
        numbers, in_line, text = self._numbers, self._in_line, self.mapped.text
        lines: list[str] = []
        offset = number = start = 0
        while start < len(text):
            end = _chunk_end(text, start)
            words = folded_words(text[start:end])
            if words:
                self._chunk_starts.append(start)
                self._chunk_firsts.append(number)
                for following, word in enumerate(words, number):
                    numbers[word].append(following)
                number += len(words)
                lengths = accumulate(map(len, words), lambda at, length: at + length + 1, initial=offset)
                in_line.extend(islice(lengths, len(words)))
                lines.append(" ".join(words))
                offset += len(lines[-1]) + 1
            start = end
        self._numbers = dict(numbers)
        return " ".join(lines)

    def __len__(self) -> int:
        return len(self._in_line)

    def count(self, word: str) -> int:
        """How often a word, exactly as it is, stands in the source."""
        return len(self._numbers.get(word, _NOWHERE))

    def find_words(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Every place where the words stand one after the other, as the numbers of the first and the last word."""
        if not words:
            return
        counts = [self.count(word) for word in words]
        rarest = min(counts)
        if not rarest:
            return
        last = len(words) - 1
        phrase = " ".join(words)
        starts = self._rare_starts(words, counts.index(rarest)) if rarest <= _COMMON else self._common_starts(phrase)
        for first in starts:
            if self._stands_at(phrase, first):
                yield first, first + last

    def find(self, text: str) -> Iterator[Span]:
        """Every place in the document where the words of a text stand, as a span of the raw document."""
        for first, last in self.find_words(words_of(text)):
            yield self.span(first, last)

    def _rare_starts(self, words: Sequence[str], at: int) -> Iterator[int]:
        for place in self._numbers[words[at]]:
            if at <= place and place - at + len(words) <= len(self):
                yield place - at

    def _common_starts(self, phrase: str) -> Iterator[int]:
        """Where the phrase may start, found by a plain search of the line."""
        offset = self._line.find(phrase)
        while offset >= 0:
            number = bisect_left(self._in_line, offset)
            if number < len(self) and self._in_line[number] == offset:
                yield number
            offset = self._line.find(phrase, offset + 1)

    def _stands_at(self, phrase: str, first: int) -> bool:
        """Whether the phrase starts with this word and ends with a whole word ("polar" is not in "bipolar bear").

        A number is whole only with its sign and its magnitude: "5 degrees" is not in "-5 degrees", nor "sold for 300"
        in "sold for 300 million".
        """
        line, start = self._line, self._in_line[first]
        end = start + len(phrase)
        if not line.startswith(phrase, start) or line[end : end + 1] not in ("", " "):
            return False
        if phrase[0].isdigit() and line[max(start - 2, 0) : start] == "- ":
            return False
        return not (phrase[-1].isdigit() and line.startswith(_MAGNITUDES, end))

    def span(self, first: int, last: int) -> Span:
        """The stretch of the raw document from one word to another."""
        end = word_end(self.mapped.text, self.word(last), self.offset(last))
        return self.mapped.to_original(self.offset(first), end)

    def word(self, number: int) -> str:
        """The word with a number."""
        start = self._in_line[number]
        end = self._in_line[number + 1] - 1 if number + 1 < len(self) else len(self._line)
        return self._line[start:end]

    def offset(self, number: int) -> int:
        """Where a word starts in the normal form of the source."""
        chunk = bisect_right(self._chunk_firsts, number) - 1
        places = self._chunk_places.get(chunk)
        if places is None:
            start = self._chunk_starts[chunk]
            places = self._chunk_places[chunk] = _chunk_offsets(self.mapped.text, start)
        return places[number - self._chunk_firsts[chunk]]

    @cached_property
    def _families(self) -> dict[str, list[str]]:
        """The words of the source under their stems."""
        families: dict[str, list[str]] = {}
        for word in self._numbers:
            families.setdefault(stem(word), []).append(word)
        return families

    def count_stem(self, root: str) -> int:
        """How often words with this stem stand in the source."""
        return sum(len(self._numbers[word]) for word in self._families.get(root, ()))

    def has(self, words: Sequence[str]) -> bool:
        """Whether a word in any of its forms, or several words in a row, stand in the source."""
        if len(words) == 1:
            return words[0] in self._numbers or stem(words[0]) in self._families
        return next(self.find_words(words), None) is not None

    def places_of(self, root: str) -> Sequence[int]:
        """The numbers of all words with this stem, in order."""
        family = self._families.get(root, ())
        if len(family) == 1:
            return self._numbers[family[0]]
        return array("I", merge(*(self._numbers[word] for word in family)))

    def occurs(self, root: str, first: int, last: int) -> bool:
        """Whether a word with this stem stands among the words from `first` up to `last`."""
        for word in self._families.get(root, ()):
            numbers = self._numbers[word]
            at = bisect_left(numbers, first)
            if at < len(numbers) and numbers[at] < last:
                return True
        return False

    @cached_property
    def sentences(self) -> SentenceIndex:
        """The sentences of the source, found where they are asked for."""
        return SentenceIndex(self.document)


def _chunk_end(text: str, start: int) -> int:
    """Where a chunk ends: behind a space, where no word can be cut; a giant word without one is cut all the same."""
    wanted = start + _CHUNK
    space = text.find(" ", wanted, wanted + 16 * _CHUNK)
    return space + 1 if space >= 0 else min(wanted + 16 * _CHUNK, len(text))


def _chunk_offsets(text: str, start: int) -> array[int]:
    """Where each word of a chunk stands in the text."""
    chunk = text[start : _chunk_end(text, start)]
    return array("I", (start + at for m in PIECE.finditer(chunk) for _, at in split_piece(m.group(), m.start())))


_indexes = LruCache[Document, SourceIndex](
    _KEPT_CHARS, lambda index: min(max(len(index.document.text), _SMALLEST), _KEPT_CHARS)
)


def index_document(document: Document) -> SourceIndex:
    """The index of a document; the same content is read once and kept for a while."""
    known = _indexes.get([document]).get(document)
    if known is None:
        known = SourceIndex(document)
        _indexes.put({document: known})
    return known


def index_context(context: str | Document) -> SourceIndex:
    """The index of a text or a document."""
    if isinstance(context, str):
        context = Document("context", context)
    if not isinstance(context, Document):
        raise SourceError(f"a context is a text or a Document, not {type(context).__name__}")
    return index_document(context)


class SentenceIndex:
    """Where the sentences of a document stand; only the neighbourhood of a question is ever split."""

    def __init__(self, document: Document) -> None:
        self._prose = strip_markup(document.text, document.markup)
        self._cuts = _cut(self._prose.text)
        self._raw_cuts = [self._prose.to_original(cut, cut + 1).start for cut in self._cuts[:-1]]
        self._sentences: dict[int, list[Span]] = {}
        self._roots: dict[Span, frozenset[str]] = {}

    def around(self, span: Span, before: int = 0, after: int = 0) -> list[Span]:
        """The sentences that a stretch of the raw document touches, and some of their neighbours."""
        if not self._raw_cuts:
            return []
        first = max(bisect_right(self._raw_cuts, span.start) - 1, 0)
        last = max(bisect_right(self._raw_cuts, max(span.end - 1, span.start)) - 1, first)
        blocks = range(first - bool(before), last + 1 + bool(after))
        near = [sentence for block in blocks for sentence in self._block(block)]
        touched = [i for i, sentence in enumerate(near) if sentence.start < span.end and span.start < sentence.end]
        if not touched:
            return []
        return near[max(touched[0] - before, 0) : touched[-1] + 1 + after]

    def roots(self, span: Span) -> frozenset[str]:
        """The stems of all words in a stretch of the raw document."""
        known = self._roots.get(span)
        if known is None:
            known = self._roots[span] = frozenset(map(stem, words_of(span.of(self._prose.original))))
        return known

    def _block(self, number: int) -> list[Span]:
        if not 0 <= number < len(self._raw_cuts):
            return []
        known = self._sentences.get(number)
        if known is None:
            start, end = self._cuts[number], self._cuts[number + 1]
            known = self._sentences[number] = [
                self._prose.to_original(start + s.span.start, start + s.span.end)
                for s in split_sentences(self._prose.text[start:end])
            ]
        return known


def _cut(text: str) -> list[int]:
    """Where the blocks begin, and where the text ends."""
    cuts = [0]
    while len(text) - cuts[-1] > 2 * _BLOCK:
        wanted = cuts[-1] + _BLOCK
        for mark in ("\n\n", "\n", ". ", " "):
            at = text.find(mark, wanted, wanted + _BLOCK)
            if at >= 0:
                cuts.append(at + len(mark))
                break
        else:
            cuts.append(wanted)
    return [*cuts, len(text)] if text else [0]
