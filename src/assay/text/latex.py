"""Formulas between dollar signs or brackets, read as a person would type them; prices stay prices."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.text.edits import Edit

# No part crosses a mark of its own kind, so that a text of nothing but "$" or "\(" is read once.
_MATH = re.compile(
    r"\$\$(?P<display>[^$]{1,2000})\$\$"
    r"|(?<![\\$\w])\$(?P<inline>(?![\s$])[^$\n]{0,300}?(?<![\s\\]))\$(?![\d$])"
    r"|\\\((?P<round>(?:[^\\]|\\[^()\[\]]){1,500}?)\\\)"
    r"|\\\[(?P<square>(?:[^\\]|\\[^()\[\]]){1,2000}?)\\\]"
)
_SIGN = re.compile(r"[\\^_{}=]")
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
_PIECE = re.compile(
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


def find_math(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The formulas in a stretch of text, with their marks."""
    for match in _MATH.finditer(text, start, end):
        inside = match[match.lastgroup or 0]
        # "$5 and 10$" are prices and "\[1\]" is an escaped bracket; "$8849$" and everything with an index are formulas.
        plain = match.lastgroup == "square" or _WORD.search(inside)
        if match.lastgroup == "display" or not plain or _SIGN.search(inside):
            yield match.span()


def read_math(text: str, start: int, end: int) -> Iterator[Edit]:
    """The edits that turn one formula, marks included, into plain text."""
    mark = 1 if text[start] == "$" and text[start + 1] != "$" else 2
    yield start, start + mark, ""
    for piece in _PIECE.finditer(text, start + mark, end - mark):
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
