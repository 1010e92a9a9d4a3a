"""HTML: the text a person reads on the page, without navigation, scripts, styles and other boilerplate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.errors import SourceError
from assay.memory.readers.dates import infer_date, parse_date
from assay.memory.readers.encoding import decode
from assay.memory.readers.parsed import ParsedDocument, Refusal, TextLayout, name_set
from assay.text.visibility import MAX_DEPTH, Look, PageStyle, nesting
from assay.types import Mark

_DROPPED = name_set(
    "script style noscript template nav footer button select textarea input svg canvas iframe object embed dialog "
    "audio video head datalist map"
)
_PAGE_BOILERPLATE = frozenset(("header", "aside"))  # inside an article they belong to it
_BOILERPLATE_NAMES = name_set(
    "nav navbar navigation menu sidebar breadcrumb breadcrumbs cookie-banner cookie-notice cookie-consent site-header "
    "site-footer footer skip-link advertisement advert ads ad-banner social-share share-buttons mw-editsection"
)
_BOILERPLATE_ROLES = frozenset(("navigation", "banner", "contentinfo", "search", "menu", "menubar", "dialog"))
_BLOCKS = name_set(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header "
    "hr li main ol p pre section summary table tbody td tfoot th thead tr ul caption"
)
_LAYOUT = "table, h1, h2, h3, ul, ol, pre"  # a cell that holds one of these is a column of the page
_TIGHT = frozenset(("li", "dt", "dd", "tr"))
_DATES = ("article:published_time", "article:modified_time", "og:updated_time", "date", "dc.date", "dcterms.date",
          "datepublished", "last-modified", "pubdate")  # fmt: skip
MAX_HTML = 50_000_000
"""Bytes of one page; its parsed form takes some twenty times as much memory."""
_SPACES = re.compile(r" {2,}")
_SPACE = re.compile(r"[ \t\r\n\f]+")
_MOST_LINKS = 2_000
_LONGEST_LINK = 500
_NOWHERE = re.compile(r"(?i)#|(?:mailto|javascript|data|tel|about|blob):")  # leads to no document
_MAIN_SHARE = 0.25  # a <main> with less of the text than this is not where the content is


def read_html(path: Path, data: bytes) -> Iterator[ParsedDocument | Refusal]:
    from selectolax.lexbor import LexborHTMLParser

    if len(data) > MAX_HTML:
        raise SourceError(f"{len(data):,} bytes is more than the {MAX_HTML:,} one page may have; save it as text")
    source, warnings = decode(data)
    if nesting(source) > MAX_DEPTH:
        raise SourceError(f"its tags are nested more than {MAX_DEPTH:,} deep; save the page as text")
    tree: Any = LexborHTMLParser(source)
    page = TextLayout()
    if tree.body is not None:
        _lay_out(_content_root(tree.body), page, PageStyle(tree))
    title = tree.css_first("title")
    name = _squeeze(title.text()) if title is not None else ""
    found = _stated_date(tree) or infer_date(page.text)
    yield ParsedDocument(
        page.text,
        title=name or (page.headings[0].label if page.headings else path.stem),
        date=found,
        date_inferred=found is not None,
        headings=tuple(page.headings),
        links=tuple(page.links),
        warnings=warnings,
    )


def _content_root(body: Any) -> Any:
    main = body.css_first("main, [role=main]")
    if main is None or len(main.text()) < _MAIN_SHARE * len(body.text()):
        return body
    return main


def _stated_date(tree: Any) -> Any:
    stated: dict[str, Any] = {}
    for node in tree.css("meta"):
        name = node.attributes.get("property") or node.attributes.get("name") or node.attributes.get("itemprop") or ""
        stated.setdefault(name.lower(), node.attributes.get("content"))
    for name in _DATES:
        if found := parse_date(stated.get(name)):
            return found
    time = tree.css_first("time[datetime]")
    return parse_date(time.attributes.get("datetime")) if time is not None else None


class _BlockWriter:
    """Collects inline text into lines and hands finished blocks to the page."""

    def __init__(self, page: TextLayout) -> None:
        self.page = page
        self.inline: list[str] = []
        self.worded = False  # whether anything but space stands in `inline`
        self.preformatted = 0
        self.level = 0  # of the heading being read; 0 outside headings
        self.bullet = False
        self.tight = False
        self.articles = 0  # how many <article> and <main> elements are open
        self.links: list[tuple[str, str]] = []  # address and words of the links in the block being read
        self.cells: list[bool] = []  # for each open table cell, whether it holds data, not a part of the page's layout

    @property
    def in_cell(self) -> bool:
        return bool(self.cells) and self.cells[-1]

    def write(self, text: str) -> None:
        if not self.preformatted:
            text = _SPACE.sub(" ", text)
            if text.startswith(" ") and self.inline and self.inline[-1].endswith((" ", "\n")):
                text = text[1:]
        self.worded = self.worded or bool(text.strip())
        self.inline.append(text)

    def flush(self, tight: bool = False) -> None:
        raw = "".join(self.inline)
        self.inline.clear()
        self.worded = False
        text = (
            raw if self.preformatted else "\n".join(_SPACES.sub(" ", line).strip() for line in raw.split("\n")).strip()
        )
        if not text.strip():
            return
        if self.level:
            start = self.page.add_heading(self.level, text)
        else:
            text = "- " + text if self.bullet else text
            start = self.page.add_block(text, gap="\n" if self.tight else "\n\n")
        self._mark_links(start, text)
        self.bullet = False
        self.tight = tight

    def _mark_links(self, start: int, text: str) -> None:
        """Marks where the words of each link stand; a link around a picture or a whole card, where its block begins."""
        at = 0
        for address, words in self.links:
            if len(self.page.links) == _MOST_LINKS:
                break
            found = text.find(words, at) if words else -1
            at = max(found, at)
            self.page.links.append(Mark(start + max(found, 0), address))
        self.links.clear()


def _lay_out(root: Any, page: TextLayout, style: PageStyle) -> None:
    """Walks the tree without recursion: hostile pages nest deeper than the stack."""
    writer = _BlockWriter(page)
    todo = [(root, False, _look_around(root, style))]
    while todo:
        node, leaving, around = todo.pop()
        if leaving:
            _close(node, writer)
        elif node.is_text_node:
            if not around.hidden:
                writer.write(node.text_content or "")
        elif node.is_element_node and not _is_boilerplate(node, writer.articles > 0):
            look = style.of(node, around)
            if look.gone:
                continue
            _open(node, writer)
            todo.append((node, True, look))
            todo.extend((child, False, look) for child in reversed(list(node.iter(include_text=True))))
    writer.flush()


def _look_around(root: Any, style: PageStyle) -> Look:
    """The look of what the root stands in."""
    outer: list[Any] = []
    node = root.parent
    while node is not None and node.is_element_node:
        outer.append(node)
        node = node.parent
    look = Look()
    for node in reversed(outer):
        look = style.of(node, look)
    return look


def _open(node: Any, writer: _BlockWriter) -> None:
    tag = node.tag
    writer.articles += tag in ("article", "main")
    if tag == "a":
        address = (node.attributes.get("href") or "").strip()
        if 0 < len(address) <= _LONGEST_LINK and not _NOWHERE.match(address):
            writer.links.append((address, _squeeze(node.text())))
    if tag == "br":
        writer.inline.append(" " if writer.in_cell else "\n")
    elif tag in ("td", "th"):
        writer.cells.append(node.css_first(_LAYOUT) is None)
        if writer.in_cell and writer.worded:
            writer.inline.append(" | ")
    elif writer.in_cell and tag != "tr":
        writer.inline.append(" " if tag in _BLOCKS else "")
    elif tag in _BLOCKS or _heading_level(tag):
        writer.flush(tight=tag in _TIGHT)
        writer.level = _heading_level(tag)
        writer.bullet = tag == "li"
        writer.preformatted += tag == "pre"


def _close(node: Any, writer: _BlockWriter) -> None:
    tag = node.tag
    writer.articles -= tag in ("article", "main")
    if tag in ("td", "th"):
        if not writer.cells.pop():
            writer.flush()
    elif writer.in_cell and tag != "tr":
        writer.inline.append(" " if tag in _BLOCKS else "")
    elif tag in _BLOCKS or _heading_level(tag):
        writer.flush(tight=tag in _TIGHT)
        writer.preformatted -= tag == "pre"
        writer.level = 0


def _heading_level(tag: str) -> int:
    return int(tag[1]) if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456" else 0


def _is_boilerplate(node: Any, inside_article: bool) -> bool:
    if node.tag in _DROPPED or (node.tag in _PAGE_BOILERPLATE and not inside_article):
        return True
    attributes = node.attributes
    if not attributes:
        return False
    if attributes.get("role") in _BOILERPLATE_ROLES:
        return True
    if node.tag in ("body", "main", "article"):
        return False
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower().split()
    return any(name in _BOILERPLATE_NAMES for name in names)


def _squeeze(text: str) -> str:
    return " ".join(text.split())
