"""Tags and entities left in a text, found in one pass."""

from __future__ import annotations

import re
from html import unescape

from assay.confusables import Edit
from assay.text.words import words

_INLINE = words("""
    a abbr acronym b bdi bdo big cite code data del dfn em font i img input ins kbd label mark q rp rt ruby s samp small
    span strike strong sub sup time tt u var wbr
""")
_BLOCK = words("""
    address article aside blockquote body br caption center dd details div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 head header hr html li link main meta nav ol p pre section summary table tbody td tfoot th thead
    title tr ul
""")
_HIDDEN = words("script style noscript template")
_NAMES = "|".join(sorted(_INLINE | _BLOCK | _HIDDEN, key=lambda name: (-len(name), name)))

# Only names of HTML count as tags: "if x <y and z> w" stays. No part crosses a "<", so that a text of nothing but "<"
# is read once.
TAG = (
    rf"<(?P<close>/?)(?P<name>{_NAMES})(?=[\s/>])"
    r"(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+>"
)
ENTITY = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
_TOKEN = re.compile(rf"<!--|{TAG}|{ENTITY}", re.IGNORECASE)


def find_html(text: str) -> list[Edit]:
    """The edits that remove tags and comments and decode entities; block tags leave a line break behind."""
    edits: list[Edit] = []
    unclosed: set[str] = set()
    done = 0
    while match := _TOKEN.search(text, done):
        start, done = match.span()
        name = (match["name"] or "").lower()
        if match.group() == "<!--":
            done = _skip_past(text, "-->", done, unclosed)
            edits.append((start, done, ""))
        elif name in _HIDDEN and not match["close"]:
            done = _skip_past(text, f"</{name}>", done, unclosed)
            edits.append((start, done, ""))
        elif name:
            edits.append((start, done, break_for(name)))
        elif (decoded := unescape(match.group())) != match.group():
            edits.append((start, done, decoded))
    return edits


def break_for(name: str) -> str:
    """What a tag leaves behind: a line break where it would start a new line, else nothing."""
    return "\n" if name.lower() in _BLOCK else ""


def _skip_past(text: str, closing: str, start: int, unclosed: set[str]) -> int:
    """Where the hidden stretch ends; without its closing mark only the opening one is hidden."""
    if closing in unclosed:
        return start
    at = text.find(closing, start)
    if at < 0:
        # Looked for once: a text of nothing but "<!--" must not be searched to its end a million times.
        unclosed.add(closing)
        return start
    return at + len(closing)
