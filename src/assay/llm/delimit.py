"""Sources, answers and questions inside a prompt: fenced by a mark that what stands inside cannot know.

A source may hold "</source>" or "ignore the above"; it cannot hold the end of its own block, because the mark in it is
the hash of everything that is shown.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.text.tokens import tokenize
from assay.types import Passage

PASSAGE_TOKENS = 200  # words of a passage that a writer is shown
_OPEN = re.compile(
    r'<(?P<kind>[a-z]+)(?: id="(?P<id>[^"\n]*)")?(?: title="(?P<title>[^"\n]*)")? mark="(?P<mark>\w{16})">\n'
)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced stretch of a prompt."""

    kind: str
    text: str
    id: str = ""
    title: str = ""


def fence(blocks: Iterable[Block]) -> str:
    """The blocks one after the other, each between an opening and a closing line that carry the same mark."""
    listed = list(blocks)
    content = "\0".join(f"{block.kind}\0{block.id}\0{block.title}\0{block.text}" for block in listed)
    mark = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return "\n\n".join(_show(block, mark) for block in listed)


def fence_passages(passages: Sequence[Passage], most_tokens: int = PASSAGE_TOKENS) -> str:
    """Passages as sources E1, E2, …; one longer than `most_tokens` is cut."""
    if not passages:
        return "(there are no sources)"
    return fence(
        Block("source", _cut(passage.text, most_tokens), f"E{number}", passage.document.title)
        for number, passage in enumerate(passages, 1)
    )


def read_blocks(text: str) -> list[Block]:
    """The blocks of a prompt in order; one that is never closed is not a block."""
    found: list[Block] = []
    place = 0
    while match := _OPEN.search(text, place):
        closing = f'\n</{match["kind"]} mark="{match["mark"]}">'
        end = text.find(closing, match.end() - 1)
        if end < 0:
            place = match.end()
            continue
        inside = text[match.end() : end] if end >= match.end() else ""
        found.append(Block(match["kind"], inside, match["id"] or "", match["title"] or ""))
        place = end + len(closing)
    return found


def _show(block: Block, mark: str) -> str:
    label = f' id="{block.id}"' if block.id else ""
    title = " ".join(block.title.replace('"', "'").split())
    named = f' title="{title}"' if title else ""
    return f'<{block.kind}{label}{named} mark="{mark}">\n{block.text}\n</{block.kind} mark="{mark}">'


def _cut(text: str, most_tokens: int) -> str:
    tokens = tokenize(text)
    return text if len(tokens) <= most_tokens else text[: tokens[most_tokens - 1].end] + " …"
