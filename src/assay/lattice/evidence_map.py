"""The evidence map: what the runtime shows the model, each object under a short pointer that can be cited.

>>> evidence = EvidenceMap.of([EvidenceObject("E1", "Paris is the capital of France.", title="Paris")])
>>> evidence.resolve("e1").title
'Paris'
>>> evidence.resolve("E7") is None
True
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any, Protocol

from assay.errors import SourceError
from assay.lattice.features import TextFeatures, content_stems, content_tokens
from assay.types import Document, Passage, sha256_of

ALLOWED_ROLES: frozenset[str] = frozenset(
    {"primary_answer_source", "secondary_context_source", "background_source", "unclassified"}
)
"""Roles that may carry a claim unless the caller says otherwise; any other role is blocked."""

_POINTER = re.compile(r"E[0-9]{1,9}\Z")


@dataclass(frozen=True)
class EvidenceObject:
    """One citable stretch of a source: `source.text[start:end] == text`."""

    pointer_id: str
    text: str
    title: str = ""
    source_role: str = "unclassified"
    source_id: str = ""
    source_sha256: str = ""
    chunk_sha256: str = ""
    start: int = 0
    end: int = -1
    evidence_id: str = ""

    def __post_init__(self) -> None:
        pointer = self.pointer_id.upper() if isinstance(self.pointer_id, str) else ""
        if not _POINTER.match(pointer):
            raise SourceError(f"a pointer is E and a number, like E12, not {self.pointer_id!r}")
        if not isinstance(self.text, str):
            raise SourceError(f"the text of {pointer} is a string, not a {type(self.text).__name__}")
        end = self.start + len(self.text) if self.end < 0 else self.end
        if self.start < 0 or end - self.start != len(self.text):
            raise SourceError(f"{pointer}: a text of {len(self.text)} characters cannot stand at {self.start}–{end}")
        chunk = self.chunk_sha256 or sha256_of(self.text)
        computed = {
            "pointer_id": pointer,
            "source_role": self.source_role or "unclassified",
            "end": end,
            "chunk_sha256": chunk,
            "evidence_id": self.evidence_id or evidence_id_of(chunk, self.start, end),
        }
        for name, value in computed.items():
            object.__setattr__(self, name, value)

    @cached_property
    def features(self) -> TextFeatures:
        """What the rules look at in the text."""
        return TextFeatures(self.text)

    @cached_property
    def title_words(self) -> frozenset[str]:
        """The content stems of the title; none of a title that is only the name of its file."""
        return frozenset() if _is_file_name(self.title, self.source_id) else content_stems(self.title)

    @property
    def source(self) -> str:
        """What tells sources apart: the content hash, else the id; empty when the caller gave neither."""
        return self.source_sha256 or self.source_id

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _FIELDS}


_FIELDS = tuple(spec.name for spec in fields(EvidenceObject))


def _is_file_name(title: str, source_id: str) -> bool:
    """Whether a title is the name of the source's file ("3-air" of "3-air.txt") or can only be one ("chapter_03")."""
    name = PurePath(source_id.partition("#")[0])
    if title and title.replace(" ", "_") in (name.name.replace(" ", "_"), name.stem.replace(" ", "_")):
        return True
    return not any(map(str.isspace, title)) and any(sign.isdecimal() or sign == "_" for sign in title)


def evidence_id_of(chunk: str, start: int, end: int) -> str:
    """The content-addressed id of a stretch of a chunk.

    >>> evidence_id_of("ab", 0, 2)
    'Edc1640fe'
    """
    return "E" + sha256_of(f"{chunk}:{start}:{end}")[:8]


@dataclass(frozen=True)
class EvidenceMap:
    """Evidence objects in the order they are shown, found by pointer or by content-addressed id."""

    objects: tuple[EvidenceObject, ...]
    question: str | None = None

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for item in self.objects:
            if item.pointer_id in seen:
                raise SourceError(f"the evidence map has {item.pointer_id} twice; every object needs its own pointer")
            seen.add(item.pointer_id)

    @classmethod
    def of(cls, evidence: AnyEvidence) -> EvidenceMap:
        """The map itself, or one made of a list of objects or a mapping of them."""
        if isinstance(evidence, EvidenceMap):
            return evidence
        objects = tuple(evidence.values() if isinstance(evidence, Mapping) else evidence)
        for item in objects:
            if not isinstance(item, EvidenceObject):
                raise SourceError(f"an evidence map holds EvidenceObject values, not {type(item).__name__}")
        return cls(objects)

    def __len__(self) -> int:
        return len(self.objects)

    def __iter__(self) -> Iterator[EvidenceObject]:
        return iter(self.objects)

    @cached_property
    def _by_id(self) -> dict[str, EvidenceObject]:
        found = {item.evidence_id.upper(): item for item in reversed(self.objects)}
        # A pointer wins over an evidence id that happens to be all digits.
        found.update((item.pointer_id, item) for item in self.objects)
        return found

    @cached_property
    def by_source(self) -> dict[str, tuple[EvidenceObject, ...]]:
        """The objects of each known source."""
        grouped: dict[str, list[EvidenceObject]] = {}
        for item in self.objects:
            if item.source:
                grouped.setdefault(item.source, []).append(item)
        return {source: tuple(items) for source, items in grouped.items()}

    def resolve(self, cited: str) -> EvidenceObject | None:
        """The object that a pointer or evidence id names, in any case."""
        return self._by_id.get(cited.strip().upper())

    def to_dict(self) -> dict[str, Any]:
        return {"question": self.question, "evidence": [item.to_dict() for item in self.objects]}

    @classmethod
    def from_dict(cls, data: Any, where: str = "the evidence map") -> EvidenceMap:
        """The map that `to_dict` wrote, or a plain list of objects; a text that does not fit its hash is refused."""
        items = data.get("evidence") if isinstance(data, dict) else data
        if not isinstance(items, list):
            raise SourceError(f'{where}: expected {{"evidence": [...]}} or a list of evidence objects')
        objects = tuple(_read_object(item, f"{where}: object {number}") for number, item in enumerate(items, 1))
        question = data.get("question") if isinstance(data, dict) else None
        return cls(objects, question if isinstance(question, str) else None)

    @classmethod
    def load(cls, path: str | Path) -> EvidenceMap:
        """The map in a JSON file."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8-sig"))
        except OSError as problem:
            raise SourceError(f"cannot read the evidence map {path}: {problem.strerror or problem}") from problem
        except (ValueError, RecursionError) as problem:
            raise SourceError(f"the evidence map {path} is not valid JSON: {problem}") from problem
        return cls.from_dict(data, str(path))


AnyEvidence = EvidenceMap | Iterable[EvidenceObject] | Mapping[str, EvidenceObject]
"""What the verifiers take as evidence."""


def _read_object(item: Any, where: str) -> EvidenceObject:
    if not isinstance(item, dict):
        raise SourceError(f"{where} is a {type(item).__name__}, not an object with pointer_id and text")
    missing = [name for name in ("pointer_id", "text") if not isinstance(item.get(name), str)]
    if missing:
        raise SourceError(f"{where} has no {missing[0]}")
    unknown = sorted(set(item) - set(_FIELDS))
    if unknown:
        raise SourceError(f"{where} has an unknown field {unknown[0]!r}; known are {', '.join(_FIELDS)}")
    for name, value in item.items():
        expected = int if name in ("start", "end") else str
        if type(value) is not expected:
            raise SourceError(f"{where}: {name} is a {expected.__name__}, not {value!r}")
    made = EvidenceObject(**item)
    if made.chunk_sha256 != sha256_of(made.text):
        raise SourceError(f"{where} ({made.pointer_id}): the text was changed after the map was made")
    return made


class Located(Protocol):
    """A stretch of a document: a `Passage`, or what the memory returns for one."""

    @property
    def document(self) -> Document: ...

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def text(self) -> str: ...


class Retriever(Protocol):
    """Anything that finds passages: the evidence memory, or a caller's own search."""

    def retrieve(self, query: str, k: int) -> Sequence[Located]: ...


def build_evidence_map(question: str, sources: Iterable[Located | Document]) -> EvidenceMap:
    """A map of passages (a document stands for its whole text).

    Sources keep the order in which they first come; within a source, objects with more distinct words of the question
    come first, then those that mention them more often, then those that stand earlier.
    """
    wanted = content_stems(question)
    grouped: dict[tuple[str, str], dict[tuple[int, int], Located]] = {}
    for source in sources:
        passage: Located = Passage(source, 0, len(source.text)) if isinstance(source, Document) else source
        if passage.text.strip():
            document = passage.document
            group = grouped.setdefault((document.id, document.sha256), {})
            group.setdefault((passage.start, passage.end), passage)
    ordered = [
        passage for group in grouped.values() for passage in sorted(group.values(), key=lambda p: _rank(p, wanted))
    ]
    return EvidenceMap(tuple(_object_of(p, f"E{number}") for number, p in enumerate(ordered, 1)), question)


def map_from(retriever: Retriever, question: str, k: int = 12) -> EvidenceMap:
    """The map of what a memory finds for a question."""
    return build_evidence_map(question, retriever.retrieve(question, k))


def _rank(passage: Located, wanted: frozenset[str]) -> tuple[int, int, int]:
    mentions = [token for token in content_tokens(passage.text) if token in wanted]
    return -len(set(mentions)), -len(mentions), passage.start


def _object_of(passage: Located, pointer_id: str) -> EvidenceObject:
    document = passage.document
    return EvidenceObject(
        pointer_id=pointer_id,
        text=passage.text,
        title="" if _is_file_name(document.title, document.id) else document.title,
        source_role=document.role,
        source_id=document.id,
        source_sha256=document.sha256,
        start=passage.start,
        end=passage.end,
    )
