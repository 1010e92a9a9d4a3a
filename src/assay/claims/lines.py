"""Stretches of an answer that are read one by one: lines of their own, sentences in code, parts of a long claim.

>>> text = "```python\\n# The default timeout is 30 s.\\nwait(30)\\n```"
>>> [text[start:end] for start, end, prose in lines_of_code(text, 0, len(text)) if prose]
['The default timeout is 30 s.']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from assay.claims.decompose import ClaimClause
from assay.claims.grammar import BINDERS, MODALS, PREPOSITIONS, is_statement
from assay.text.tokens import ENCODER_PIECE, is_stop_word, stem, tokenize

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


_LONGEST = 120  # characters of a label; a longer one is a sentence
_MOST = 4  # labels before one line
_HEADINGS = 2  # of them the last headings
_NUMBERING = re.compile(r"(?:\d{1,2}[.)]|[A-Za-z][.)])\s+")
_ANNOUNCING = re.compile(
    r"(?:here(?:\s+(?:is|are)|(?:'|’)s)|below\s+(?:is|are)|the\s+following\s+(?:is|are)|these\s+are)\s+", re.IGNORECASE
)
# A heading that says nothing about what stands below it.
_GENERAL = re.compile(
    r"(?:(?:the|a|an|some|few|several|my|your|main|key|important|following|quick|short|brief|final|general|additional|other"
    r"|more|most|these|of|follow|next)\s+)*(?:summary|overview|points?|take-?aways?|answers?|conclusions?|details?|notes?|steps?"
    r"|instructions?|introduction|background|information|highlights?|explanation|analysis|examples?|sources?|references?"
    r"|facts?|things?(?:\s+to\s+(?:know|note|remember))?|tips|list|breakdown|faqs?|tl;?dr|response|results?|following|important"
    r"|warning|caution)",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?P<label>[^:.!?;,\n]{1,60}?)\s?:\s+(?=\S)")
_IN_BOLD = re.compile(r"\s*(?:\*\*|__)(?P<label>(?:(?!\*\*|__)[^\n]){1,200})(?:\*\*|__)(?P<behind>\s?[:–—-]?)")
_VALUE = re.compile(r"[$€£¥]\s?\d|\d\s?[%$€£¥]|[:–—-]\s\D{0,3}\d")
# "Bridge opened in 1955": a headline leaves out the article, and states it all the same.
_HEADLINE = re.compile(
    r"\w\s+(?:\w+ed|born|built|made|sold|won|held|begun|begins?|began|rose|fell|grew|set|cut|dies?|opens?|closes?)\s+"
    r"(?:in|on|by|at|to|until|since|from)\s+(?:\S+\s)?\S{0,2}\d"
)
_OPEN_ENDS = BINDERS | PREPOSITIONS | MODALS | {"and", "or", "the", "a"}
BOLD_LINE = 7  # the level of a line in bold: below every heading with a mark


def is_bold(line: str) -> bool:
    """Whether a line is in bold from its first word to its last."""
    match = _IN_BOLD.match(line)
    return match is not None and not line[match.end() :].strip() and match["behind"].strip() in ("", ":")


def announces(text: str) -> bool:
    """Whether a line says that something follows: "Here is how to take it:"."""
    return _ANNOUNCING.match(text) is not None


def bold_label(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the words in bold before a colon or dash stand ("Leave" in "**Leave** – unpaid only"); empty if none do."""
    match = _IN_BOLD.match(text, start, end)
    if not match or not (match["behind"].strip() or match["label"].endswith(":")):
        return start, start
    return match.span("label")


def leading_label(text: str) -> str:
    """The label a line begins with ("Storage" in "Storage: 10 GB"), or nothing."""
    match = _LEAD.match(text)
    return match["label"] if match and not is_statement(match["label"]) else ""


def is_heading(text: str) -> bool:
    """Whether a line that stands out is a heading: no sentence and no value ("Total: $49")."""
    states = is_statement(text) or _VALUE.search(text) or _HEADLINE.search(text)
    return not text.endswith((".", "!", "?")) and not states


def labelled(text: str, clauses: list[ClaimClause]) -> list[ClaimClause]:
    """The clauses of a line, the later ones with the label that it begins with: it holds for all of them."""
    label = leading_label(text)
    if not label or _GENERAL.fullmatch(label):
        return clauses
    return [
        replace(one, subject=f"{label}: {one.subject}".rstrip()) if at and not one.subject.startswith(label) else one
        for at, one in enumerate(clauses)
    ]


def needs_label(text: str) -> bool:
    """Whether a line has no subject of its own, with or without the label it begins with."""
    label = leading_label(text)
    return not is_statement(text[len(label) :].lstrip(" :") if label else text)


class Labels:
    """The headings, the introduction and the parent bullets above the line that is read."""

    def __init__(self) -> None:
        self.headings: list[tuple[int, str]] = []
        self.intro = ""
        self.introduced = False  # whether a line has followed the introduction
        self.inline = ""
        self.parents: list[tuple[int, str, str]] = []  # how far in, what it says to those below it, all it says

    def open_heading(self, text: str, level: int) -> None:
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.headings.append((level, text))
        self.intro = self.inline = ""
        self.parents.clear()

    def open_intro(self, text: str) -> None:
        """A line that ends in a colon speaks for the lines or bullets that follow."""
        self.intro, self.introduced = text, False

    def close_intro(self) -> None:
        self.intro = ""

    def open_block(self, label: str) -> None:
        """A paragraph begins, perhaps with a label in bold; it ends a list and what introduced it."""
        self.inline = label.rstrip(": ")
        if self.introduced:
            self.intro = ""
        self.introduced = True
        self.parents.clear()

    def open_bullet(self, depth: int, text: str, label: str) -> None:
        """A bullet begins; what it says to those below it is its label, or all of it if it is no sentence."""
        while self.parents and self.parents[-1][0] >= depth:
            self.parents.pop()
        self.inline = label.rstrip(": ") or leading_label(text)
        carried = self.inline
        if not carried and (text.endswith(":") or not (text.endswith((".", "!", "?")) or is_statement(text))):
            carried = text
        self.parents.append((depth, carried, text))
        self.introduced = True

    @property
    def context(self) -> str:
        """The nearest line above, as it was written."""
        parent = self.parents[-2][2] if len(self.parents) > 1 else ""
        return parent or self.intro or (self.headings[-1][1] if self.headings else "")

    def complete(self, text: str) -> str:
        """The words to be put before a line so that it can be read alone; nothing before a sentence with a subject."""
        if not needs_label(text) and not self.goes_on():
            return ""
        known = _roots(text)
        kept: list[str] = []
        for label in reversed(self.above()):
            label = _NUMBERING.sub("", label, count=1).rstrip(" :–—-")
            roots = _roots(label)
            if not label or len(label) > _LONGEST or roots <= known or _GENERAL.fullmatch(label) or len(kept) == _MOST:
                continue
            known |= roots
            kept.insert(0, f"{label} " if label.endswith("?") else f"{label}: ")
        return "".join(kept)

    def goes_on(self) -> bool:
        """Whether a line ends the sentence above it: "Do not take it if:", "You must:"."""
        over = self.parents[-2][1] if len(self.parents) > 1 else self.intro if self.parents else ""
        return over.endswith(":") and over.rstrip(": ").rpartition(" ")[2].lower() in _OPEN_ENDS

    def above(self) -> list[str]:
        """The labels above a line, the nearest last; over a sentence no more are needed."""
        announcing = _ANNOUNCING.match(self.intro)
        intro = self.intro[announcing.end() :] if announcing else self.intro
        parents = [label for _, label, _ in self.parents[:-1]]
        listed = [intro[:1].upper() + intro[1:], *parents, self.inline]
        if is_statement(intro) or any(map(is_statement, parents)):
            return listed
        return [text for _, text in self.headings[-_HEADINGS:]] + listed


def _roots(text: str) -> set[str]:
    return {stem(token.text.lower()) for token in tokenize(text[:_LONGEST]) if not is_stop_word(token.text)}
