"""The text of a stream as it grows: which sentences have ended, and which of them certainly.

A stop may end a sentence or belong to "U.S. Army" and "3.5". `ended` is where the last sentence ends as the text
stands; `complete` waits until the word after it is whole, and does not move back.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from assay.text.sentences import split_sentences

_STOPS = re.compile(r"[.!?…‽。！？｡．؟।॥۔\n]")
_AT_END = re.compile(r"[.!?…‽。！？｡．؟।॥۔][\"'”’»)\]}*_`」』）】〉》]*(?:\s?\[[^\[\]]{1,40}\])*\s*$")
_OPEN_ANCHOR = re.compile(r"[\[(][^\])]{0,300}$")
_NEAR = 320  # characters before the end within which a stop still matters: an anchor behind it may be this long


class GrowingText:
    """Holds the text and updates `ended` and `complete` as tokens come in."""

    def __init__(self) -> None:
        self.text = ""
        self.ended = 0
        self.complete = 0
        self.stops: list[int] = []  # where the complete sentences end
        self._base = 0

    def add(self, token: str) -> None:
        self.text += token
        near = self.text[max(self._base, len(self.text) - len(token) - _NEAR) :]
        if not _STOPS.search(near):
            self.ended = max(self.complete, min(self.ended, len(self.text)))
            return
        if self.text.count("```") % 2:  # inside a block of code nothing ends
            return
        self.ended = max([self.complete, *self._ends_of(self.text)])
        whole = self.text[: len(self.text.rstrip()) if self.text[-1:].isspace() else _last_word(self.text)]
        surely = [end for end in self._ends_of(whole) if end > self.complete] if len(whole) > self.complete else []
        if surely:
            self.stops += surely
            self.complete = self._base = surely[-1]
            self.ended = max(self.ended, self.complete)

    def finish(self) -> None:
        """Nothing more will come: all of it is complete."""
        self.ended = self.complete = len(self.text)

    def stop_after(self, place: int) -> int | None:
        """Where the first sentence ends that reaches beyond a place; None where it has not ended yet."""
        at = bisect_right(self.stops, place)
        if at < len(self.stops):
            return self.stops[at]
        return self.ended if self.ended > place else None

    def end_before(self, place: int) -> int:
        """Where the last sentence ends that ends at a place or before it."""
        at = bisect_right(self.stops, place)
        known = self.stops[at - 1] if at else 0
        return self.ended if known < self.ended <= place else known

    @property
    def resting(self) -> bool:
        """Whether the text stops where a sentence may end."""
        return bool(_AT_END.search(self.text[-_NEAR:]))

    def _ends_of(self, text: str) -> list[int]:
        """Where the new sentences of a text that are followed by something end."""
        tail = text[self._base :]
        sentences = split_sentences(tail)
        if not tail.endswith("\n\n"):
            if sentences and _OPEN_ANCHOR.fullmatch(tail[sentences[-1].span.start :]):
                sentences.pop()
            sentences = sentences[:-1]
        return [self._base + sentence.span.end for sentence in sentences]


def _last_word(text: str) -> int:
    """Where the last, perhaps unfinished word begins."""
    at = len(text)
    while at and not text[at - 1].isspace():
        at -= 1
    return at
