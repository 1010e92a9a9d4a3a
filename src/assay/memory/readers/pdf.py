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
from assay.memory.readers.draft import Draft, Page, Refusal

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_BROKEN = re.compile(r"(\w{2,40})-\n(\w{1,40})")
_WORD = re.compile(r"\w+(?:-\w+)*")


def read_pdf(path: Path, data: bytes) -> Iterator[Draft | Refusal]:
    try:
        import pypdf
    except ImportError:
        raise missing_extra("Reading PDF", "documents") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its complaints about odd files become our refusals
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise SourceError("an encrypted PDF; save it without a password and add it again")
        raw = [(page.extract_text() or "").translate(_LIGATURES) for page in reader.pages]
        info = reader.metadata
    except SourceError:
        raise
    except Exception as problem:  # a damaged file makes the parser fail in a hundred ways
        if "crypt" in str(problem).lower():
            raise SourceError("an encrypted PDF; save it without a password and add it again") from problem
        raise SourceError(f"a damaged PDF ({type(problem).__name__}: {problem})") from problem
    words = {word.lower() for text in raw for word in _WORD.findall(text)}
    page = Page()
    for number, text in enumerate(raw, start=1):
        page.turn_to(number)
        page.block(_join_broken_words(text, words))
    if not page.text:
        raise SourceError(f"no text in its {len(raw)} pages: a scan needs text recognition first")
    title, stated = _metadata(info)
    found = stated or infer_date(page.text)
    damaged = page.text.count("\ufffd")
    yield Draft(
        page.text,
        title=title or path.stem,
        date=found,
        date_inferred=found is not None,
        pages=tuple(page.pages),
        warnings=(f"{damaged} characters the PDF gives no letter for (U+FFFD)",) if damaged else (),
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
