"""Labelled rows: evidence, claim and the label a person gave, and the records of files that they are read from."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from assay.errors import SourceError, missing_extra
from assay.types import Span

_WORDS = {
    "SUPPORTED": "supported supports support entailment entailed e true yes 1 1.0 correct faithful consistent grounded "
    "pass attributable attributed factual accurate right proven",
    "REFUTED": "refuted refutes refute contradiction contradict contradicts contradicted contradictory c disproven",
    "INSUFFICIENT": "insufficient neutral n nei not_enough_info not_enough_information not_enough_evidence noinfo "
    "unverifiable baseless no_evidence extrapolatory",
    "NOT_SUPPORTED": "not_supported unsupported not_entailment not_entailed hallucinated hallucination false no 0 0.0 "
    "incorrect unfaithful inconsistent ungrounded fail not_attributable nonfactual non-factual inaccurate wrong "
    "partially_supported",
}
_KNOWN = {word: label for label, listed in _WORDS.items() for word in listed.split()}
LABEL_NAMES = ("label", "gold_label", "verdict", "gold", "is_supported", "supported", "grounded", "faithful")
_NLI = {0: "SUPPORTED", 1: "INSUFFICIENT", 2: "REFUTED"}


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """One labelled pair and the line it stands on.

    `contexts` is the evidence piece by piece and `answer` the bare answer, where a file gives them; `spans` are the
    stretches of the answer that a person marked as not backed (None where nobody looked); `kind` is the sort of
    document or the sub-set, for results and thresholds of its own.
    """

    line: int
    evidence: str
    claim: str
    label: str
    question: str = ""
    answer: str = ""
    contexts: tuple[str, ...] = ()
    spans: tuple[Span, ...] | None = None
    kind: str = ""

    @property
    def sources(self) -> tuple[str, ...]:
        return self.contexts or (self.evidence,)

    @property
    def text(self) -> str:
        """What a reader would see: the answer, or the claim where that is all there is."""
        return self.answer or self.claim


@dataclass(frozen=True, slots=True)
class BadRow:
    """A line that is no labelled pair, and why."""

    line: int
    problem: str


@dataclass(frozen=True)
class LabelledFile:
    """What a file holds: its rows, the lines that could not be used, and the layout it was recognised by.

    `known` are the labels of the whole file: they say what is asked, also where a sample happens to lack one.
    """

    path: Path
    rows: tuple[LabelledRow, ...]
    bad: tuple[BadRow, ...] = ()
    layout: str = "pairs"
    known: frozenset[str] = frozenset()

    @property
    def labels(self) -> frozenset[str]:
        return self.known or frozenset(row.label for row in self.rows)

    def sample(self, limit: int | None, seed: int) -> LabelledFile:
        """At most `limit` rows chosen by the seed, in the order of the file; the bad lines stay."""
        if limit is None or limit >= len(self.rows):
            return self
        chosen = sorted(random.Random(seed).sample(range(len(self.rows)), limit))
        return replace(self, rows=tuple(self.rows[number] for number in chosen), known=self.labels)


@dataclass(frozen=True)
class LabelScale:
    """What the bare numbers of a file mean: 0/1/2 are the three of natural-language inference, 0/1 are no and yes."""

    three: bool = False

    @classmethod
    def of(cls, records: Iterable[dict[str, Any]]) -> LabelScale:
        return cls(any(str(record.get("label")) in ("2", "2.0") for record in records))

    def read(self, value: Any) -> str:
        """One of the four labels; a word that is none of them is named in the error.

        >>> LabelScale().read("NOT ENOUGH INFO")
        'INSUFFICIENT'
        >>> LabelScale(three=True).read(0), LabelScale().read(0)
        ('SUPPORTED', 'NOT_SUPPORTED')
        """
        if isinstance(value, bool):
            return "SUPPORTED" if value else "NOT_SUPPORTED"
        if self.three and str(value).removesuffix(".0") in ("0", "1", "2"):
            return _NLI[int(float(value))]
        word = str(value).strip().lower().replace(" ", "_").replace("-", "_").replace("non_factual", "non-factual")
        if value is None or word not in _KNOWN:
            raise ValueError(f"the label is {value!r}; known are SUPPORTED, REFUTED, INSUFFICIENT, NOT_SUPPORTED")
        return _KNOWN[word]


def find_label(record: dict[str, Any], scale: LabelScale) -> str:
    for name in LABEL_NAMES:
        if name in record:
            return scale.read(record[name])
    return scale.read(None)


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
