"""Sentences inside a block of code: a reader sees them, so they are claims; code itself is none.

>>> text = "```python\\n# The default timeout is 30 s.\\nwait(30)\\n```"
>>> [text[start:end] for start, end, prose in lines_of_code(text, 0, len(text)) if prose]
['The default timeout is 30 s.']
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.claims.grammar import is_statement

_COMMENT = re.compile(r"\s*(?:#+!?|//+!?|/\*+|\*(?!/)|--+|;+|%+|<!--|\"\"\"|'''|>+)?\s*")
_COMMENT_ENDS = ("*/", "-->", '"""', "'''")
# A language whose blocks hold text; any other holds sentences in comments, or where a line begins like one.
_PROSE_FENCE = re.compile(
    r"\s*+(?:`{3,}+|~{3,}+)[ \t]*+(?:te?xt|plain(?:text)?|md|markdown|quote|none|output)?[ \t]*+\r?$", re.IGNORECASE
)
_FENCE = re.compile(r"\s*+(?:`{3,}|~{3,})")
_SIGNS = re.compile(r"[={}\\]|[;{]\s*$|\w\(|\(\)|->|::|</|/>|\w\[|^\s*[@$>]\s|^\s*[A-Z]{2,}\b")
_ABOUT_CODE = re.compile(
    r"(?:this|these|that|we|you|i|now|here|note|todo|fixme|if|for|while|return|import|from|def|class|assert|with|else|elif"
    r"|case|match|unless|until|when|where|and|or|not|let|var|const)\b",
    re.IGNORECASE,
)
_FEWEST_WORDS = 4


def lines_of_code(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """The stretches of a block: (start, end, whether it is prose); lines of code that follow each other are one."""
    code = start
    at, prose_fence, first = start, True, True
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        line = text[at:stop]
        if first:
            prose_fence = not _FENCE.match(line) or _PROSE_FENCE.match(line) is not None
        elif found := _sentence(line, prose_fence):
            low, high = at + found[0], at + found[1]
            if text[code:low].strip():
                yield code, low, False
            yield low, high, True
            code = high
        first, at = False, stop + 1
    if text[code:end].strip():
        yield code, end, False


def _sentence(line: str, prose_fence: bool) -> tuple[int, int] | None:
    """Where the words of a line that states something stand."""
    lead = _COMMENT.match(line)
    start = lead.end() if lead else 0
    said = line[start:].rstrip()
    for mark in _COMMENT_ENDS:
        said = said.removesuffix(mark).rstrip()
    end = start + len(said)
    marked = bool(line[:start].strip())
    spoken = prose_fence or marked or said[:1].isupper()
    if not spoken or len(said.split()) < _FEWEST_WORDS or _SIGNS.search(said) or _ABOUT_CODE.match(said):
        return None
    return (start, end) if is_statement(said) else None
