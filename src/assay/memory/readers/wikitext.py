"""Wikitext: the article as it reads, without templates, references, files and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.errors import missing_extra
from assay.memory.readers.dates import infer_date
from assay.memory.readers.encoding import decode
from assay.memory.readers.parsed import ParsedDocument, Refusal, TextLayout, name_set
from assay.text.markup import too_tangled

_DROPPED_TAGS = name_set("ref gallery timeline math syntaxhighlight templatestyles score graph")
_MEDIA = re.compile(r"\s*(?:file|image|category|datei|kategorie|fichier|catégorie|archivo)\s*:", re.I)
_SPACES = re.compile(r"[ \t]+")


def read_wikitext(path: Path, data: bytes) -> Iterator[ParsedDocument | Refusal]:
    try:
        import mwparserfromhell
    except ImportError:
        raise missing_extra("Reading wikitext", "documents") from None
    source, warnings = decode(data)
    if too_tangled(source):
        note = "too much unclosed or repeated markup to take apart; kept as wikitext source"
        yield ParsedDocument(source, title=path.stem.replace("_", " "), markup="wikitext", warnings=(*warnings, note))
        return
    page = TextLayout()
    running: list[str] = []
    parsed: Any = mwparserfromhell.parse(source, skip_style_tags=True)
    for node in parsed.nodes:
        if type(node).__name__ == "Heading":
            _end_paragraphs(running, page)
            page.add_heading(int(node.level), _plain(node.title))
        else:
            running.append(_text_of(node))
    _end_paragraphs(running, page)
    found = infer_date(page.text)
    yield ParsedDocument(
        page.text,
        title=path.stem.replace("_", " "),
        date=found,
        date_inferred=found is not None,
        headings=tuple(page.headings),
        warnings=warnings,
    )


def _end_paragraphs(running: list[str], page: TextLayout) -> None:
    text = "".join(running).replace("'''", "").replace("''", "")
    running.clear()
    for paragraph in text.split("\n\n"):
        lines = (_SPACES.sub(" ", line).strip() for line in paragraph.split("\n"))
        page.add_block("\n".join(line for line in lines if line and line not in ("*", "#", "----")))


def _text_of(node: Any) -> str:
    match type(node).__name__:
        case "Text":
            return str(node.value)
        case "Wikilink":
            if _MEDIA.match(str(node.title)):
                return ""
            return _plain(node.text if node.text is not None else node.title)
        case "ExternalLink":
            return _plain(node.title) if node.title is not None else str(node.url)
        case "HTMLEntity":
            return str(node.normalize())
        case "Tag":
            return _tag_text(node)
        case _:  # templates, comments, arguments
            return ""


def _tag_text(node: Any) -> str:
    name = str(node.tag).strip().lower()
    if name in _DROPPED_TAGS:
        return ""
    if name == "br":
        return "\n"
    if name == "li":
        return "- "
    inner = _plain(node.contents) if node.contents is not None else ""
    if name in ("td", "th"):
        return inner.strip() + " | "
    if name == "tr":
        return inner.strip(" |\n") + "\n"
    return f"\n\n{inner}\n\n" if name in ("table", "div", "blockquote") else inner


def _plain(code: Any) -> str:
    return "".join(_text_of(node) for node in code.nodes)
