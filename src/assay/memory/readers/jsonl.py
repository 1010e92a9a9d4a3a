"""JSONL and JSON: one document for each record; the text is taken from the field that holds it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeGuard

from assay.errors import SourceError
from assay.memory.readers.dates import infer_date, parse_date
from assay.memory.readers.encoding import decode
from assay.memory.readers.parsed import ParsedDocument, Refusal

_TEXT = ("text", "content", "body", "passage", "contents", "document", "abstract", "page_content")
_TITLE = ("title", "name", "heading")
_KEY = ("id", "_id", "doc_id", "document_id")
_DATE = ("date", "published", "updated", "timestamp", "created")
_URI = ("url", "uri", "source", "link")


def read_jsonl(path: Path, data: bytes) -> Iterator[ParsedDocument | Refusal]:
    source, warnings = decode(data)
    for number, line in enumerate(source.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            yield _record(json.loads(line), path, str(number), warnings)
        except (ValueError, RecursionError) as problem:
            yield Refusal(where, f"not a JSON record: {problem}")
        except SourceError as problem:
            yield Refusal(where, str(problem))


def read_json(path: Path, data: bytes) -> Iterator[ParsedDocument | Refusal]:
    source, warnings = decode(data)
    try:
        loaded = json.loads(source)
    except (ValueError, RecursionError) as problem:
        raise SourceError(f"not valid JSON: {problem}") from problem
    for number, value in enumerate(loaded if isinstance(loaded, list) else [loaded], start=1):
        try:
            yield _record(value, path, str(number) if isinstance(loaded, list) else "", warnings)
        except SourceError as problem:
            yield Refusal(f"{path}#{number}", str(problem))


def _record(value: Any, path: Path, number: str, warnings: tuple[str, ...]) -> ParsedDocument:
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, Mapping):
        raise SourceError(f"a record is an object or a text, not {type(value).__name__}")
    text = next((value[name] for name in _TEXT if isinstance(value.get(name), str)), None)
    if text is None:
        text = "\n".join(_lines(value))
    if not text.strip():
        raise SourceError("the record holds no text")
    text = text.replace("\r\n", "\n")
    stated = next((found for name in _DATE if (found := parse_date(value.get(name)))), None)
    found = stated or infer_date(text)
    return ParsedDocument(
        text,
        title=str(_first(value, _TITLE) or path.stem),
        date=found,
        date_inferred=found is not None and stated is None,
        role=str(value.get("role") or "unclassified"),
        key=str(_first(value, _KEY) or number),
        uri=next((link for name in _URI if _is_link(link := value.get(name))), ""),
        warnings=warnings,
    )


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if isinstance(value.get(name), str | int)), None)


def _is_link(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and value.startswith(("http://", "https://"))


def _lines(value: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[str]:
    for name, item in value.items():
        if isinstance(item, Mapping) and depth < 20:
            yield from _lines(item, f"{prefix}{name} ", depth + 1)
        elif isinstance(item, list):
            yield f"{prefix}{name}: " + ", ".join(str(part) for part in item)
        elif item is not None:
            yield f"{prefix}{name}: {item}"
