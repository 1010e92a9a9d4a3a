"""PDF: the text layer page by page, words broken at line ends joined, ligatures spelt out."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.errors import SourceError, missing_extra
from assay.memory.readers.dates import infer_date, parse_date
from assay.memory.readers.parsed import ParsedDocument, Refusal, TextLayout
from assay.memory.readers.pdf_visible import visible_text

MAX_PAGES = 20_000
"""Pages of one file."""
MAX_CONTENT = 300_000_000
"""Bytes that the drawing instructions of all pages together may unpack to."""
MAX_PAGE_CONTENT = 20_000_000
"""The same for one page; a page full of text has a thousandth of it."""
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_BROKEN = re.compile(r"(\w{2,40})-\n(\w{1,40})")
_WORD = re.compile(r"\w+(?:-\w+)*")


def read_pdf(path: Path, data: bytes) -> Iterator[ParsedDocument | Refusal]:
    try:
        import pypdf
    except ImportError:
        raise missing_extra("Reading PDF", "documents") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its complaints about odd files become our refusals
    warnings: list[str] = []
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise SourceError("an encrypted PDF; save it without a password and add it again")
        raw = [text.translate(_LIGATURES) for text in _page_texts(reader.pages, warnings)]
        info = reader.metadata
    except SourceError:
        raise
    except Exception as problem:  # a damaged file makes the parser fail in a hundred ways
        if "crypt" in str(problem).lower():
            raise SourceError("an encrypted PDF; save it without a password and add it again") from problem
        raise SourceError(f"a damaged PDF ({type(problem).__name__}: {problem})") from problem
    words = {word.lower() for text in raw for word in _WORD.findall(text)}
    page = TextLayout()
    for number, text in enumerate(raw, start=1):
        page.start_page(number)
        page.add_block(_join_broken_words(text, words))
    if not page.text:
        raise SourceError(f"no text in its {len(raw)} pages: a scan needs text recognition first")
    title, stated = _metadata(info)
    found = stated or infer_date(page.text)
    damaged = page.text.count("\ufffd")
    if damaged:
        warnings.append(f"{damaged} characters the PDF gives no letter for (U+FFFD)")
    yield ParsedDocument(
        page.text,
        title=title or path.stem,
        date=found,
        date_inferred=found is not None,
        pages=tuple(page.pages),
        warnings=tuple(warnings),
    )


def _page_texts(pages: Any, warnings: list[str]) -> Iterator[str]:
    """The text that is seen on each page; a page that is listed more than once is read once."""
    if len(pages) > MAX_PAGES:
        raise SourceError(f"{len(pages):,} pages are more than the {MAX_PAGES:,} one PDF may have; split it")
    seen: set[Any] = set()
    content = 0
    repeated: list[int] = []
    recognised: list[int] = []
    for number, page in enumerate(pages, start=1):
        reference = page.indirect_reference
        key = (reference.idnum, reference.generation) if reference is not None else number
        if key in seen:
            repeated.append(number)
            yield ""
            continue
        seen.add(key)
        drawn = page.get_contents()
        size = len(drawn.get_data()) if drawn is not None else 0
        content += size
        if size > MAX_PAGE_CONTENT or content > MAX_CONTENT:
            raise SourceError(
                f"page {number} draws {size:,} bytes, all pages up to it {content:,}: more than the "
                f"{MAX_PAGE_CONTENT:,} and {MAX_CONTENT:,} allowed; print it to a new PDF"
            )
        text, scanned = visible_text(page)
        if scanned:
            recognised.append(number)
        yield text
    if repeated:
        warnings.append(f"{len(repeated)} pages repeat another one (the first is page {repeated[0]}) and were left out")
    if recognised:
        warnings.append(
            f"the text of {len(recognised)} pages (the first is page {recognised[0]}) is an invisible layer over a "
            "picture, as text recognition writes it; nobody can tell from here whether the picture says the same"
        )


def _join_broken_words(text: str, words: set[str]) -> str:
    """Undoes a hyphen at a line end, unless the document writes the word with its hyphen elsewhere."""
    text = text.replace("\u00ad\n", "").replace("\u00ad", "")

    def join(broken: re.Match[str]) -> str:
        first, second = broken[1], broken[2]
        hyphenated = f"{first}-{second}"
        if hyphenated.lower() in words or not second[0].islower():
            return hyphenated
        return first + second

    return _BROKEN.sub(join, text)


def _metadata(info: Any) -> tuple[str, Any]:
    if info is None:
        return "", None
    try:
        stated = parse_date(info.modification_date or info.creation_date)
    except Exception:  # a malformed date string in the file is no date
        stated = None
    title = info.title if isinstance(info.title, str) else ""
    return ("" if title.lower() in ("untitled", "(anonymous)") else title.strip()), stated
