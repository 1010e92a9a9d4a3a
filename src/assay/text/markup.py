"""The markup in a text, HTML and wikitext, as edits that leave what a reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

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


_HIDDEN_TAGS = words("ref references gallery math timeline score syntaxhighlight imagemap templatestyles")
_HIDDEN_LINKS = ("file:", "image:", "category:", "media:")

_BRACKET = re.compile(
    r"\{\{|\}\}|\[\[?|\]\]?|\{\||\|\}|<!--|-->|<(?P<close>/?)(?P<name>[A-Za-z]++)[^<>]*+(?P<end>/?>)?|^[#*:;=]++",
    re.MULTILINE,
)
_CLOSES = {"}}": "{{", "]]": "[[", "]": "[", "|}": "{|", "-->": "<!--"}
_ALONE = words("br hr wbr img li dd dt td th tr")
# The parser reads on to the end for each bracket that is never closed. Real articles have a handful of them.
_LONGEST_DETOUR = 4_000_000
_MOST_QUOTES = 100_000
_LONGEST_LEAD = 64  # marks at the start of a line
MAX_MARKS = 30_000
"""Brackets, tags and list marks of one source; a very long article has a third of it."""


def find_wikitext(text: str) -> list[Edit]:
    """The edits that leave the prose; none when the parser is missing or does not give back the text it read."""
    try:
        import mwparserfromhell
    except ImportError:
        return []
    if too_tangled(text):
        return []
    try:
        code = mwparserfromhell.parse(text, skip_style_tags=False)
        if str(code) != text:
            return []
        kept = list(_keep(code, 0))
    except Exception:
        # The parser gives up on some texts ("[[" nested past its depth): such a source is left as it is.
        return []
    return _edits_between(text, kept)


def too_tangled(text: str) -> bool:
    """Whether so many brackets stay open that parsing would take time in the square of the length."""
    depth: dict[str, int] = {}
    lost = 0
    for number, match in enumerate(_BRACKET.finditer(text)):
        if number == MAX_MARKS:
            return True
        mark = match.group()
        if mark[0] in "#*:;=":
            lost += len(mark) if len(mark) > _LONGEST_LEAD else 0
        elif match["name"]:
            if match["end"] is None:
                lost += 1
            elif match["close"]:
                depth["<"] = max(0, depth.get("<", 0) - 1)
            elif match["end"] == ">" and match["name"].lower() not in _ALONE:
                depth["<"] = depth.get("<", 0) + 1
        elif mark in _CLOSES:
            opening = _CLOSES[mark]
            depth[opening] = max(0, depth.get(opening, 0) - 1)
        else:
            depth[mark] = depth.get(mark, 0) + 1
    lost += sum(depth.values()) + text.count("''") // _MOST_QUOTES * len(text)
    return lost * len(text) > _LONGEST_DETOUR


def _edits_between(text: str, kept: list[tuple[int, int, str | None]]) -> list[Edit]:
    """What is not kept is dropped; a kept stretch with a new string is replaced by it."""
    edits: list[Edit] = []
    done = 0
    for start, end, new in kept:
        if start > done:
            edits.append((done, start, ""))
        if new is not None:
            edits.append((start, end, new))
        done = end
    if done < len(text):
        edits.append((done, len(text), ""))
    return edits


def _keep(code: Any, start: int) -> Iterator[tuple[int, int, str | None]]:
    """The stretches of prose below a node list, in order, as (start, end, replacement or none)."""
    for node in code.nodes:
        raw = str(node)
        end = start + len(raw)
        yield from _keep_node(node, raw, start, end)
        start = end


def _keep_node(node: Any, raw: str, start: int, end: int) -> Iterator[tuple[int, int, str | None]]:
    kind = type(node).__name__
    if kind == "Text":
        yield start, end, None
    elif kind == "HTMLEntity":
        yield start, end, str(node.normalize())
    elif kind == "Heading":
        yield from _keep(node.title, start + node.level)
    elif kind == "Wikilink":
        if not str(node.title).strip().lower().startswith(_HIDDEN_LINKS):
            shown = node.title if node.text is None else node.text
            yield from _keep(shown, end - 2 - len(str(shown)))
    elif kind == "ExternalLink":
        shown = node.title if node.title is not None else None if node.brackets else node.url
        if shown is not None:
            yield from _keep(shown, end - (1 if node.brackets else 0) - len(str(shown)))
    elif kind == "Tag":
        yield from _keep_tag(node, raw, start, end)


def _keep_tag(node: Any, raw: str, start: int, end: int) -> Iterator[tuple[int, int, str | None]]:
    name = str(node.tag).strip().lower()
    if name in _HIDDEN_TAGS:
        return
    if node.contents is None or node.self_closing:
        if not node.wiki_markup and break_for(name):
            yield start, end, break_for(name)
        return
    inner = str(node.contents)
    closing = node.closing_wiki_markup if node.wiki_markup else f"</{node.closing_tag}>"
    at = len(raw) - len(closing or "") - len(inner)
    if at < 0 or not raw.startswith(inner, at):
        return
    yield from _keep(node.contents, start + at)
