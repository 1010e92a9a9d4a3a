"""What headings, introductions and parent bullets say about the lines below them, and which lines need it.

>>> labels = Labels()
>>> labels.open_heading("Pro plan", 2)
>>> labels.complete("$49 per month")
'Pro plan: '
>>> labels.complete("The plan costs $49 per month.")
''
"""

from __future__ import annotations

import re

from assay.claims.grammar import is_statement
from assay.claims.verbs import BINDERS, MODALS, PREPOSITIONS
from assay.text.tokens import is_stop_word, stem, tokenize

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
_BOLD = re.compile(r"\s*(?:\*\*|__)(?P<label>(?:(?!\*\*|__)[^\n]){1,200})(?:\*\*|__)(?P<behind>\s?[:–—-]?)")
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
    match = _BOLD.match(line)
    return match is not None and not line[match.end() :].strip() and match["behind"].strip() in ("", ":")


def announces(text: str) -> bool:
    """Whether a line says that something follows: "Here is how to take it:"."""
    return _ANNOUNCING.match(text) is not None


def bold_label(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the words in bold before a colon or dash stand ("Leave" in "**Leave** – unpaid only"); empty if none do."""
    match = _BOLD.match(text, start, end)
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
