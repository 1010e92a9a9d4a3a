"""DOCX: paragraphs, headings and tables in the order they stand in, without text that Word does not show."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from assay.errors import SourceError, missing_extra
from assay.memory.readers.dates import infer_date, parse_date
from assay.memory.readers.parsed import ParsedDocument, Refusal, TextLayout

MAX_UNPACKED = 300_000_000
"""Bytes that the parts of one file may unpack to."""
_LARGEST_RATIO = 200  # real documents compress ten- to thirtyfold
_RATIO_FROM = 20_000_000  # below this size even a bomb does no harm
_WIDEST_CELL = 63  # columns; Word allows no more in a table
_SMALLEST = 4  # half-points of a letter that can be read
_LIGHTEST = 0xE7  # of each channel: what is lighter cannot be told from the paper
_HEADING = re.compile(r"(?:heading|überschrift|titre)\s*([1-9])$", re.I)
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = frozenset(("0", "false", "off", "none"))
# Elements whose runs belong to the paragraph they stand in; what was deleted (w:del, w:moveFrom) is no part of it.
_INLINE = frozenset(
    f"{_W}{name}" for name in ("hyperlink", "ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple")
)
_SIGNS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}


def read_docx(path: Path, data: bytes) -> Iterator[ParsedDocument | Refusal]:
    try:
        import docx
    except ImportError:
        raise missing_extra("Reading DOCX", "documents") from None
    _reject_zip_bomb(data)
    try:
        document: Any = docx.Document(io.BytesIO(data))
        page = TextLayout()
        _Body(document.styles.element, document.element).lay_out(page)
        properties = document.core_properties
        title, stated = properties.title or "", properties.modified or properties.created
    except Exception as problem:  # a damaged archive makes the parser fail in many ways
        raise SourceError(f"a damaged DOCX ({type(problem).__name__}: {problem})") from problem
    found = parse_date(stated) or infer_date(page.text)
    yield ParsedDocument(
        page.text,
        title=title.strip() or (page.headings[0].label if page.headings else path.stem),
        date=found,
        date_inferred=found is not None,
        headings=tuple(page.headings),
    )


class _Body:
    """The text of a document part; styles are looked up once, however many paragraphs use them."""

    def __init__(self, styles: Any, document: Any) -> None:
        self._styles = {style.get(f"{_W}styleId"): style for style in styles.iter(f"{_W}style")}
        self._default = next(
            (key for key, style in self._styles.items()
             if style.get(f"{_W}type") == "paragraph" and style.get(f"{_W}default") in ("1", "true")), None
        )  # fmt: skip
        self._marks: dict[str | None, dict[str, str]] = {}
        self._body = document.find(f"{_W}body")
        background = document.find(f"{_W}background")
        self._paper = background.get(f"{_W}color") if background is not None else None

    def lay_out(self, page: TextLayout) -> None:
        for item in self._blocks(self._body):
            if item.tag == f"{_W}tbl":
                page.add_block("\n".join(line for line in self._rows(item) if line.strip(" |")))
            else:
                self._paragraph(item, page)

    def _blocks(self, parent: Any) -> Iterator[Any]:
        """The paragraphs and tables below an element, through content controls and insertions."""
        todo = list(reversed(parent))
        while todo:
            item = todo.pop()
            if item.tag in (f"{_W}p", f"{_W}tbl"):
                yield item
            elif item.tag in _INLINE or item.tag == f"{_W}customXml":
                todo.extend(reversed(item))

    def _paragraph(self, item: Any, page: TextLayout) -> None:
        text = self._text(item, self._paper)
        style = self._style_name(_value(item, "pPr", "pStyle"))
        if heading := _HEADING.search(style):
            page.add_heading(int(heading[1]), text)
        elif style == "Title":
            page.add_heading(1, text)
        elif style.startswith("List"):
            page.add_block("- " + text.strip() if text.strip() else "", gap="\n")
        else:
            page.add_block(text)

    def _rows(self, table: Any) -> Iterator[str]:
        """The lines of a table; a cell merged with the one above shows its text again, one merged sideways once."""
        above: dict[int, str] = {}
        ground = "" if self._painted(_value(table, "tblPr", "tblStyle")) else self._paper
        for row in table.iterfind(f"{_W}tr"):
            cells: list[str] = []
            column = 0
            for cell in self._cells(row):
                properties = cell.find(f"{_W}tcPr")
                merged = properties.find(f"{_W}vMerge") if properties is not None else None
                if merged is not None and merged.get(f"{_W}val", "continue") == "continue" and column in above:
                    text = above[column]
                else:
                    behind = _fill(properties) or ground
                    paragraphs = (self._text(item, behind) for item in cell.iter(f"{_W}p"))
                    text = " ".join(" ".join(paragraphs).split())
                cells.append(text)
                above[column] = text
                column += _span(cell)
            yield " | ".join(cells)

    def _cells(self, row: Any) -> Iterator[Any]:
        todo = list(reversed(row))
        while todo:
            item = todo.pop()
            if item.tag == f"{_W}tc":
                yield item
            elif item.tag in _INLINE or item.tag == f"{_W}customXml":
                todo.extend(reversed(item))

    def _text(self, paragraph: Any, ground: str | None) -> str:
        """The words of a paragraph that are shown."""
        own = self._of_style(_value(paragraph, "pPr", "pStyle") or self._default)
        ground = _fill(paragraph.find(f"{_W}pPr")) or ground
        parts: list[str] = []
        todo = list(reversed(paragraph))
        while todo:
            item = todo.pop()
            if item.tag == f"{_W}r":
                properties = item.find(f"{_W}rPr")
                style = self._of_style(_value(item, "rPr", "rStyle"))
                if not _is_hidden({**own, **style, **_look(properties)}, ground):
                    parts.extend(_words(item))
            elif item.tag in _INLINE:
                todo.extend(reversed(item))
        return "".join(parts)

    def _style_name(self, key: str | None) -> str:
        style = self._styles.get(key or self._default)
        return (_value(style, "name") or "") if style is not None else ""

    def _of_style(self, key: str | None) -> dict[str, str]:
        """What a style and those it is based on say about how text is shown."""
        if key not in self._marks:
            chain: list[Any] = []
            at = key
            while (style := self._styles.get(at)) is not None and style not in chain:
                chain.append(style)
                at = _value(style, "basedOn")
            look: dict[str, str] = {}
            for style in reversed(chain):
                look.update(_look(style.find(f"{_W}rPr")))
            self._marks[key] = look
        return self._marks[key]

    def _painted(self, key: str | None) -> bool:
        """Whether a style of tables fills cells with a colour on which white text can be read."""
        style = self._styles.get(key) if key else None
        return style is not None and any(
            fill not in (None, "auto") and not _is_light(fill)
            for fill in (shade.get(f"{_W}fill") for shade in style.iter(f"{_W}shd"))
        )


def _words(run: Any) -> Iterable[str]:
    for item in run:
        if item.tag == f"{_W}t":
            yield item.text or ""
        elif item.tag in _SIGNS:
            yield _SIGNS[item.tag]


def _value(element: Any, *names: str) -> str | None:
    """The value of an element below this one."""
    for name in names:
        element = element.find(f"{_W}{name}") if element is not None else None
    return element.get(f"{_W}val") if element is not None else None


def _span(cell: Any) -> int:
    stated = _value(cell, "tcPr", "gridSpan") or "1"
    return min(int(stated), _WIDEST_CELL) if stated.isdecimal() and len(stated) < 10 else 1


def _look(properties: Any) -> dict[str, str]:
    """What the properties of a run say about whether it can be seen."""
    if properties is None:
        return {}
    look: dict[str, str] = {}
    for name in ("vanish", "color", "sz", "highlight"):
        found = properties.find(f"{_W}{name}")
        if found is not None:
            look[name] = (found.get(f"{_W}val") or "1").lower()
    if fill := _fill(properties):
        look["fill"] = fill
    return look


def _is_hidden(look: dict[str, str], ground: str | None) -> bool:
    """Whether text that looks so is not shown, too small, or of the colour of what is behind it."""
    if look.get("vanish", "0") not in _OFF:
        return True
    size = look.get("sz", "")
    if size.isdecimal() and int(size) < _SMALLEST:
        return True
    colour = look.get("color", "auto")
    if look.get("highlight", "none") not in ("none", "white"):
        return False
    behind = look.get("fill") or ground
    if behind is None or behind == "auto":
        return _is_light(colour)
    return colour != "auto" and (colour == behind.lower() or (_is_light(colour) and _is_light(behind)))


def _fill(properties: Any) -> str | None:
    """The colour that something is filled with, if it is."""
    shade = properties.find(f"{_W}shd") if properties is not None else None
    fill = shade.get(f"{_W}fill") if shade is not None else None
    return fill.lower() if fill and fill.lower() != "auto" else None


def _is_light(colour: str) -> bool:
    try:
        return len(colour) == 6 and all(int(colour[at : at + 2], 16) >= _LIGHTEST for at in (0, 2, 4))
    except ValueError:
        return False


def _reject_zip_bomb(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as problem:
        raise SourceError(f"a damaged DOCX ({problem})") from problem
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MAX_UNPACKED or (unpacked > _RATIO_FROM and unpacked > _LARGEST_RATIO * len(data)):
        raise SourceError(
            f"it would unpack from {len(data):,} to {unpacked:,} bytes (at most {MAX_UNPACKED:,}, and not more than "
            f"{_LARGEST_RATIO} times its size): refused as a zip bomb; save it again without what fills it"
        )
    if not any(part.filename == "word/document.xml" for part in parts):
        raise SourceError("a zip archive that is no Word document; unpack it and add what is inside")
