"""Markdown marks and formulas found line by line and paragraph by paragraph, so that only the prose is left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from assay.confusables import Edit
from assay.text.markup import ENTITY, TAG, break_for

_FENCE = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)[^\n]*+")
_LEAD = re.compile(r"(?:[ \t]*+>)*+[ \t]*+(?:#{1,6}(?=[ \t])[ \t]++|[-*+•](?=[ \t])[ \t]++(?:\[[ xX]\][ \t]++)?)?")
_RULE = re.compile(r"[ \t]*+(?:=++|-++|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+|(?:-[ \t]*+){3,}+)\r?$")
_TABLE_RULE = re.compile(r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+\r?$")
_DEFINITION = re.compile(r"[ ]{0,3}\[([^\[\]\n]{1,200})\]:[ \t]++\S++[^\n]*+$", re.MULTILINE)
_TAIL = re.compile(
    r"\]\([ \t]*+(?:<[^<>\n]*+>|[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)(?:\s++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?+[ \t]*+\)"
)
_REFERENCE = re.compile(r"\]\[([^\[\]\n]{0,200})\]")
_TOKEN = re.compile(
    rf"\\[!-/:-@\[-`{{-~]|`++|\*++|_++|~~|!?\[|\]|<(?P<link>(?:https?|mailto):[^\s<>]*+)>|{TAG}|{ENTITY}", re.IGNORECASE
)


def find_markdown(text: str) -> list[Edit]:
    """The edits that remove marks, keep the words of links and images, and decode escapes, entities and formulas."""
    edits: list[Edit] = []
    labels = {match[1].strip().lower() for match in _DEFINITION.finditer(text)}
    for start, end, inline in _stretches(text, edits):
        if inline:
            _Inline(text, start, end, labels).find(edits)
    edits.sort()
    return edits


def _stretches(text: str, edits: list[Edit]) -> Iterator[tuple[int, int, bool]]:
    """The paragraphs to be searched for inline marks; marks at the start of lines go straight into `edits`."""
    fence = ""
    opened = -1
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        match = _FENCE.match(line)
        if match and (not fence or line.strip().startswith(fence)):
            if opened >= 0:
                yield opened, start, True
            opened, fence = -1, "" if fence else match[1]
            edits.append((start, end, ""))
        elif fence:
            pass
        elif not line or line.isspace():
            if opened >= 0:
                yield opened, start, True
            opened = -1
        elif _RULE.match(line) or _DEFINITION.match(line) or ("|" in line and _TABLE_RULE.match(line)):
            if opened >= 0:
                yield opened, start, True
            opened = -1
            edits.append((start, end, ""))
        else:
            lead = _LEAD.match(line)
            width = lead.end() if lead else 0
            if width and line[:width].strip():
                if opened >= 0:
                    yield opened, start, True
                opened = -1
                edits.append((start, start + width, ""))
                if "#" in line[:width]:
                    tail = _closing_hashes(line, width)
                    yield start + width, start + tail, True
                    if tail < len(line):
                        edits.append((start + tail, end, ""))
                else:
                    opened = start + width
            elif opened < 0:
                opened = start
        start = end + 1
    if opened >= 0 and not fence:
        yield opened, len(text), True


def _closing_hashes(line: str, width: int) -> int:
    """Where the words of a heading end ("## Dose ##")."""
    if not line.rstrip().endswith("#"):
        return len(line)
    bare = line.rstrip().rstrip("#")
    return len(bare.rstrip()) if bare[-1:] in (" ", "\t") and len(bare.rstrip()) >= width else len(line)


class _Inline:
    """One reading of one paragraph."""

    def __init__(self, text: str, start: int, end: int, labels: set[str]) -> None:
        self.text, self.start, self.end, self.labels = text, start, end, labels
        self.brackets: list[tuple[int, int]] = []
        self.openers: dict[str, tuple[int, int]] = {}

    def find(self, edits: list[Edit]) -> None:
        tokens = list(_TOKEN.finditer(self.text, self.start, self.end))
        tokens = self._outside_math(tokens, edits)
        closing = _matching_ticks(tokens)
        at, index = self.start, 0
        while index < len(tokens):
            token = tokens[index]
            index += 1
            if token.start() < at:
                continue
            mark, (start, end) = token.group(), token.span()
            first = mark[0]
            if first == "`" and index - 1 in closing:
                close = tokens[closing[index - 1]]
                edits += [(start, end, ""), (close.start(), close.end(), "")]
                at, index = close.end(), closing[index - 1] + 1
            elif first == "\\":
                edits.append((start, start + 1, ""))
            elif first in "*_~":
                self._emphasis(mark, start, end, edits)
            elif mark in ("[", "!["):
                self.brackets.append((start, end))
            elif first == "]":
                at = self._link(start, edits)
            elif token["link"]:
                edits += [(start, start + 1, ""), (end - 1, end, "")]
            elif token["name"]:
                edits.append((start, end, break_for(token["name"])))
            elif first == "&" and (decoded := unescape(mark)) != mark:
                edits.append((start, end, decoded))

    def _outside_math(self, tokens: list[re.Match[str]], edits: list[Edit]) -> list[re.Match[str]]:
        """The tokens that are no part of a formula; what a formula says goes into `edits`."""
        if self.text.find("$", self.start, self.end) < 0 and self.text.find("\\", self.start, self.end) < 0:
            return tokens
        ticks = _matching_ticks(tokens)
        code = [(tokens[first].start(), tokens[last].end()) for first, last in sorted(ticks.items())]
        kept: list[re.Match[str]] = []
        at = passed = 0
        for start, end in _find_math(self.text, self.start, self.end):
            while passed < len(code) and code[passed][1] <= start:
                passed += 1
            if passed < len(code) and code[passed][0] < end:
                continue
            edits.extend(_read_math(self.text, start, end))
            while at < len(tokens) and tokens[at].start() < start:
                kept.append(tokens[at])
                at += 1
            while at < len(tokens) and tokens[at].start() < end:
                at += 1
        return kept + tokens[at:]

    def _link(self, close: int, edits: list[Edit]) -> int:
        """Drops the marks around the words of a link that ends here; where reading goes on."""
        if not self.brackets:
            return close + 1
        start, end = self.brackets.pop()
        tail = _TAIL.match(self.text, close, self.end)
        if not tail:
            tail = _REFERENCE.match(self.text, close, self.end)
            if not tail or (tail[1] or self.text[end:close]).strip().lower() not in self.labels:
                return close + 1
        edits += [(start, end, ""), (close, tail.end(), "")]
        return tail.end()

    def _emphasis(self, mark: str, start: int, end: int, edits: list[Edit]) -> None:
        before = self.text[start - 1] if start > self.start else " "
        after = self.text[end] if end < self.end else " "
        closes, opens = not before.isspace(), not after.isspace()
        if mark[0] == "_":
            # snake_case is one word.
            closes, opens = closes and not after.isalnum(), opens and not before.isalnum()
        elif before.isdigit() and after.isdigit():
            # 2*3*4 is a product.
            closes = opens = False
        if closes and (marks := self._opened(mark)):
            taken = start
            for opener in marks:
                width = opener[1] - opener[0]
                edits += [(*opener, ""), (taken, taken + width, "")]
                taken += width
        elif opens:
            self.openers[mark] = (start, end)

    def _opened(self, mark: str) -> list[tuple[int, int]]:
        """The opening marks that this one closes: its equal, or for '***' the '**' and '*' still open."""
        if mark in self.openers:
            return [self.openers.pop(mark)]
        inner, outer = mark[0], mark[0] * 2
        if len(mark) == 3 and inner in self.openers and outer in self.openers:
            return [self.openers.pop(inner), self.openers.pop(outer)]
        return []


def _matching_ticks(tokens: list[re.Match[str]]) -> dict[int, int]:
    """For each run of backticks the next run of the same length, both by their place in the list."""
    later: dict[int, int] = {}
    closing: dict[int, int] = {}
    for index in range(len(tokens) - 1, -1, -1):
        mark = tokens[index].group()
        if mark[0] == "`":
            if len(mark) in later:
                closing[index] = later[len(mark)]
            later[len(mark)] = index
    return closing


# Formulas between dollar signs or brackets, read as a person would type them; prices stay prices

# No part crosses a mark of its own kind, so that a text of nothing but "$" or "\(" is read once.
_MATH = re.compile(
    r"\$\$(?P<display>[^$]{1,2000})\$\$"
    r"|(?<![\\$\w])\$(?P<inline>(?![\s$])[^$\n]{0,300}?(?<![\s\\]))\$(?![\d$])"
    r"|\\\((?P<round>(?:[^\\]|\\[^()\[\]]){1,500}?)\\\)"
    r"|\\\[(?P<square>(?:[^\\]|\\[^()\[\]]){1,2000}?)\\\]"
)
_MATH_SIGN = re.compile(r"[\\^_{}=]")
_WORD = re.compile(r"[^\W\d_]{2,}")
# Each command with the sign it stands for.
_SYMBOLS = {
    entry[:-1]: entry[-1]
    for entry in """
    approx≈ times× cdot· div÷ pm± mp∓ le≤ leq≤ ge≥ geq≥ neq≠ ne≠ sim~ simeq≈ equiv≡ propto∝ infty∞ to→ rightarrow→
    Rightarrow⇒ leftarrow← ldots… dots… cdots… circ° degree° sqrt√ ll≪ gg≫ in∈ sum∑ prod∏ int∫ partial∂ ellℓ euro€
    pounds£ alphaα betaβ gammaγ deltaδ epsilonε varepsilonε zetaζ etaη thetaθ kappaκ lambdaλ muμ nuν xiξ piπ rhoρ
    sigmaσ tauτ phiφ varphiφ chiχ psiψ omegaω GammaΓ DeltaΔ ThetaΘ LambdaΛ PiΠ SigmaΣ PhiΦ PsiΨ OmegaΩ
    """.split()
}
# Commands about how their argument looks, of which nothing is left.
_SILENT = frozenset(
    "text textbf textit textrm mathrm mathbf mathit mathsf mathbb mathcal operatorname mbox left right big Big bigg"
    " displaystyle limits bm boldsymbol frac dfrac tfrac".split()
)
_SPACES = frozenset((",", ";", ":", "!", " ", "quad", "qquad"))
_MATH_PIECE = re.compile(
    r"\^\s?\{?\s?\\(?:circ|degree)\b\s?\}?(?P<degree>)"
    r"|(?<=[A-Za-z}])\^(?:\{(?P<braced>[23])\}|(?P<power>[23])(?!\d))"
    r"|\{,\}(?P<comma>)"
    r"|\\(?P<command>[A-Za-z]+|[^A-Za-z])"
    r"|\}\s?\{(?P<over>)"
    r"|[{}](?P<brace>)"
    r"|_(?=[\w{\\])(?P<index>)"
    r"|~(?P<tie>)"
)
_RAISED = {"2": "²", "3": "³"}


def _find_math(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The formulas in a stretch of text, with their marks."""
    for match in _MATH.finditer(text, start, end):
        inside = match[match.lastgroup or 0]
        # "$5 and 10$" are prices and "\[1\]" is an escaped bracket; "$8849$" and everything with an index are formulas.
        plain = match.lastgroup == "square" or _WORD.search(inside)
        if match.lastgroup == "display" or not plain or _MATH_SIGN.search(inside):
            yield match.span()


def _read_math(text: str, start: int, end: int) -> Iterator[Edit]:
    """The edits that turn one formula, marks included, into plain text."""
    mark = 1 if text[start] == "$" and text[start + 1] != "$" else 2
    yield start, start + mark, ""
    for piece in _MATH_PIECE.finditer(text, start + mark, end - mark):
        first, last = piece.span()
        kind = piece.lastgroup
        if kind == "command":
            yield first, last, _read_command(piece["command"], text, first, last)
        elif kind in ("braced", "power"):
            yield first, last, _RAISED[piece[kind]]
        else:
            yield first, last, {"degree": "°", "comma": ",", "over": "/", "tie": " "}.get(kind or "", "")
    yield end - mark, end, ""


def _read_command(name: str, text: str, start: int, end: int) -> str:
    if name in _SPACES:
        # "8\,849" is one number, "5\,km" two words.
        return "" if text[start - 1].isdigit() and text[end : end + 1].isdigit() else " "
    if name in _SILENT:
        return ""
    return _SYMBOLS.get(name, "" if name == "\\" else name)
