"""Records as they stand in files: JSON Lines, JSON, CSV, TSV and Parquet, packed or not, each with its line number."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from assay.errors import SourceError, missing_extra

Record = dict[str, Any]
TEXT_ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")
ENDINGS = (*TEXT_ENDINGS, *(f"{ending}.gz" for ending in TEXT_ENDINGS), ".parquet")


def read_records(path: Path) -> Iterator[tuple[int, Record | str]]:
    """Every record of a file with its line (its row, in Parquet), or in its place what is wrong with it."""
    if not path.exists():
        raise SourceError(f"{path} does not exist")
    if path.is_dir():
        raise SourceError(f"{path} is a folder; name the files in it, as in {path}/*.jsonl.gz")
    name = path.name.lower()
    if not name.endswith(ENDINGS):
        raise SourceError(f"{path}: labelled rows are read from {', '.join(TEXT_ENDINGS)} (or .gz) and .parquet files")
    ending = Path(name.removesuffix(".gz")).suffix
    try:
        if ending == ".parquet":
            yield from _parquet(path)
        elif ending in (".csv", ".tsv"):
            yield from _table(path, "," if ending == ".csv" else "\t")
        elif ending == ".json":
            yield from _array(path)
        else:
            yield from _lines(path)
    except (OSError, EOFError) as problem:  # a cut or damaged gzip file, or no permission
        raise SourceError(f"{path} cannot be read: {problem}") from problem


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.name.lower().endswith(".gz") else path.open("rb")  # type: ignore[return-value]


def _lines(path: Path) -> Iterator[tuple[int, Record | str]]:
    with _open(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield number, _object(json.loads(line))
            except ValueError as problem:  # also a byte that is no UTF-8
                yield number, f"no valid JSON: {problem}"


def _object(raw: Any) -> Record | str:
    return raw if isinstance(raw, dict) else f"a {type(raw).__name__} where an object is needed"


def _array(path: Path) -> Iterator[tuple[int, Record | str]]:
    """An array of objects, an object with one array in it, or, as some releases name them, JSON Lines."""
    with _open(path) as file:
        raw = file.read()
    try:
        loaded = json.loads(raw)
    except ValueError:
        yield from _lines(path)
        return
    if isinstance(loaded, dict):
        arrays = [value for value in loaded.values() if isinstance(value, list)]
        loaded = arrays[0] if len(arrays) == 1 and all(isinstance(one, dict) for one in arrays[0]) else [loaded]
    for number, one in enumerate(loaded if isinstance(loaded, list) else [loaded], 1):
        yield number, _object(one)


def _table(path: Path, delimiter: str) -> Iterator[tuple[int, Record | str]]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a document may well be one field
    with _open(path) as file, io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
        reader = csv.DictReader(text, delimiter=delimiter, restkey="")
        try:
            for record in reader:
                if "" in record or None in record.values():
                    yield reader.line_num, "not as many fields as the heading names"
                    continue
                yield reader.line_num, {name.strip(): _cell(value) for name, value in record.items()}
        except UnicodeDecodeError as problem:
            raise SourceError(f"{path} is no UTF-8 text: {problem.reason} at byte {problem.start}") from problem
        except csv.Error as problem:
            raise SourceError(f"{path}, near line {reader.line_num}: {problem}") from problem


def _cell(value: str) -> Any:
    """A list or an object written into a field is read; everything else stays text."""
    if value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _parquet(path: Path) -> Iterator[tuple[int, Record | str]]:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as problem:
        raise missing_extra("reading Parquet", "parquet") from problem
    try:
        number = 0
        for batch in parquet.ParquetFile(path).iter_batches():
            for record in batch.to_pylist():
                number += 1
                yield number, record
    except arrow.ArrowInvalid as problem:
        raise SourceError(f"{path} is no Parquet file: {problem}") from problem


def texts(record: Record, names: Sequence[str]) -> tuple[str, ...]:
    """The text, or the texts of the list, under the first of these names that has any."""
    for name in names:
        found = tuple(_texts(record.get(name)))
        if found:
            return found
    return ()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        yield from _texts(value.get("text") or value.get("content") or value.get("page_content"))
