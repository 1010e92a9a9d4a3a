"""Stretches of an answer that are read one by one: lines of their own, sentences in code, parts of a long claim.

>>> text = "```python\\n# The default timeout is 30 s.\\nwait(30)\\n```"
>>> [text[start:end] for start, end, prose in lines_of_code(text, 0, len(text)) if prose]
['The default timeout is 30 s.']
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.claims.grammar import is_statement
from assay.text.tokens import ENCODER_PIECE

# Lines without a stop between them that stand for themselves: a title in bold, "Price: $5" over "Seats: 3"
_BOLD = re.compile(r"\s*(?:\*\*|__)[^\n]{1,200}?(?:\*\*|__):?\s*$")
_BOLD_LABEL = re.compile(r"\s*(?:\*\*|__)[^*\n]{1,80}?(?:\*\*|__)\s?[:–—-]|\s*(?:\*\*|__)[^*\n]{1,80}?:(?:\*\*|__)\s")
_LABEL = re.compile(r"\s*[^\W\d_a-z][^:.!?\n]{0,40}:\s+\S")
_COLON = re.compile(r":[*_]{0,3}\s*$")


def split_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretches of a sentence that are read one by one; most sentences are one stretch."""
    if text.find("\n", start, end) < 0:
        yield start, end
        return
    labelled = False
    begin = at = start
    while at < end:
        close = text.find("\n", at, end)
        close = end if close < 0 else close
        line = text[at:close]
        bold = _BOLD.match(line) is not None
        label = _LABEL.match(line) is not None
        if bold or _BOLD_LABEL.match(line) or (label and labelled):
            if text[begin:at].strip():
                yield begin, at
            begin = at
        if (bold or _COLON.search(line)) and text[begin:close].strip():
            yield begin, close
            begin = close
        labelled = label
        at = close + 1
    if text[begin:end].strip():
        yield begin, end


# Sentences in a block of code: a reader sees them, so they are claims; code itself is none

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


# Claims too long for the encoder, cut where a clause ends so that nothing is lost

_CLAUSE_END = frozenset(",;:—–.!?)。，；")


def cut_long(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """`text[start:end]` in stretches of at most `limit` encoder tokens, cut at a clause, a space, or anywhere."""
    count, clause, space = 0, start, start
    for piece in ENCODER_PIECE.finditer(text, start, end):
        at = piece.start()
        if at > start and text[at - 1].isspace():
            space = at
            if at >= 2 and text[at - 2] in _CLAUSE_END:
                clause = at
        count += 1
        if count > limit:
            cut = clause if clause > start else space if space > start else at
            yield start, cut
            start = clause = space = cut
            count = sum(1 for _ in ENCODER_PIECE.finditer(text, cut, piece.end()))
    if start < end:
        yield start, end
