"""The lines of a text sorted into paragraphs, bullets, headings, table rows and code, by their marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(slots=True)
class TextBlock:
    """A stretch of one kind; the marks that made it that kind lie outside, `depth` is how far in its mark stands."""

    kind: str
    start: int
    end: int
    depth: int = 0


_FENCE = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)")
_HEADING = re.compile(r"[ \t]*+#{1,6}[ \t]++")
_BULLET = re.compile(
    r"[ \t]*+(?:[-*+•‣◦▪●·–—]|\d{1,3}[.)]|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,4})\))[ \t]++(?:\[[ xX]\][ \t]++)?"
)
_QUOTE = re.compile(r"(?:[ \t]*+>)++[ \t]*+")
_RULE = re.compile(r"[ \t]*+([-=*_])[ \t]*+(?:\1[ \t]*+){2,}+\r?$|[ \t]*+=++[ \t]*+\r?$|[ \t]*+--++[ \t]*+\r?$")
_TABLE_RULE = re.compile(r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+\r?$")
# Most lines are plain prose: one look at the first sign spares them all the patterns above.
_MARKED = re.compile(r"[ \t]*+[^\w\s\"'“‘.,;:!?$€£%&@/\\]|[ \t]*+\w{1,4}[.)]\s")

_LONGEST_FENCE = 64


def find_blocks(text: str) -> Iterator[TextBlock]:
    """The blocks of a text in order, each without its marks; white space at the ends is still in."""
    paragraph: TextBlock | None = None
    in_table = False
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        following = end + 1
        if not line or line.isspace():
            if paragraph:
                yield paragraph
            paragraph, in_table = None, False
        elif "|" in line and (in_table or line.lstrip()[0] == "|" or _is_header(text, line, following)):
            if paragraph:
                yield paragraph
            paragraph, in_table = None, True
            if not _TABLE_RULE.match(line):
                yield TextBlock("table", start, end)
        elif not _MARKED.match(line):
            in_table = False
            if paragraph:
                paragraph.end = end
            else:
                paragraph = TextBlock("prose", start, end)
        elif fence := _FENCE.match(line):
            if paragraph:
                yield paragraph
            paragraph, in_table = None, False
            end = _end_of_code(text, fence[1], following)
            yield TextBlock("code", start, end)
            following = end + 1
        elif _RULE.match(line):
            if paragraph:
                # A line of dashes or equals signs under one line of text makes that line a heading.
                if (
                    "\n" not in text[paragraph.start : paragraph.end]
                    and paragraph.kind == "prose"
                    and line.strip()[0] in "=-"
                ):
                    paragraph.kind = "heading"
                yield paragraph
            paragraph, in_table = None, False
        elif heading := _HEADING.match(line):
            if paragraph:
                yield paragraph
            paragraph, in_table = None, False
            content = line.rstrip().rstrip("#")
            depth = heading.group().count("#")
            yield TextBlock("heading", start + heading.end(), start + max(len(content), heading.end()), depth)
        elif bullet := _BULLET.match(line):
            if paragraph:
                yield paragraph
            in_table = False
            paragraph = TextBlock("bullet", start + bullet.end(), end, _indent(line))
        else:
            in_table = False
            quote = _QUOTE.match(line)
            if paragraph:
                paragraph.end = end
            else:
                paragraph = TextBlock("prose", start + (quote.end() if quote else 0), end)
        start = following
    if paragraph:
        yield paragraph


def _indent(line: str) -> int:
    """How many columns a line is moved in; a tab counts as four."""
    return sum(4 if char == "\t" else 1 for char in line[: len(line) - len(line.lstrip(" \t"))])


def _is_header(text: str, line: str, following: int) -> bool:
    """Whether a line with bars stands over a table's ruler ("Name | Age" over "--- | ---")."""
    end = text.find("\n", following)
    ruler = text[following : end if end >= 0 else len(text)]
    return "|" in ruler and "-" in ruler and _TABLE_RULE.match(ruler) is not None


def _end_of_code(text: str, fence: str, start: int) -> int:
    """Where a fenced block ends: with the line that closes it, or with the text."""
    closing = re.compile(rf"^[ \t]*+{fence[0]}{{{min(len(fence), _LONGEST_FENCE)},}}+[ \t]*+\r?$", re.MULTILINE)
    match = closing.search(text, start)
    return match.end() if match else len(text)
