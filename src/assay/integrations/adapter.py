"""What the adapters share: documents of any framework as sources, and a report as score, pass and reason.

>>> found = assess("Everest is 8,489 m high.", ["Mount Everest is 8,849 m high."], engine=engine_for("lexical"))
>>> found.passed, found.score, [finding.text for finding in found.failing]
(False, 0.0, ['Everest is 8,489 m high.'])
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError, missing_extra
from assay.evaluation.layouts import ANSWER, EVIDENCE, QUESTION
from assay.types import Document, Finding, Mark, Report, Verdict

if TYPE_CHECKING:
    from assay.engine import Engine, Source

_TEXT = ("page_content", "text", "content", "body", "context")  # where frameworks keep the text of a document
_METADATA = ("metadata", "meta")
_NAME = ("file_name", "source", "file_path", "url", "id", "id_", "node_id")
_PAGE = ("page_label", "page", "page_number")
_REPLY = ("content", "text", *ANSWER)


class MissingFrameworkError(UsageError, ImportError):
    """An adapter was imported whose framework is not installed; the message says what to install."""


def missing_framework(name: str, extra: str) -> MissingFrameworkError:
    return MissingFrameworkError(str(missing_extra(f"the {name} adapter", extra)))


@dataclass(frozen=True)
class Outcome:
    """A report in the terms of frameworks that evaluate or guard answers."""

    report: Report

    @property
    def score(self) -> float | None:
        """The share of checked claims that are supported; None, and no number, where nothing could be checked."""
        scored = self.report.scored
        return sum(f.verdict is Verdict.SUPPORTED for f in scored) / len(scored) if scored else None

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong: all claims hold with their citations, or there is nothing to check."""
        return self.report.grounded is True or self.report.verdict is Verdict.NOT_CHECKABLE

    @cached_property
    def failing(self) -> tuple[Finding, ...]:
        """The findings that keep the answer from passing, the weightiest first."""
        from assay.repair.score import failing

        return tuple(failing(self.report))

    @property
    def reason(self) -> str:
        """Why the answer passes or not, with the words of the sources."""
        if self.failing:
            return explain(self.failing)
        if not self.report.scored:
            return f"Nothing could be checked: {self.report.skipped or 'the answer states no fact'}."
        if not self.passed:
            broken = sorted({name for finding in self.report.findings for name in finding.violations})
            return (
                f"The claims are supported, but their citations do not hold: {', '.join(broken) or 'see the report'}."
            )
        return f"Supported by the sources: {len(self.report.scored)} of {len(self.report.scored)} claims."

    def score_or(self, unscored: float) -> float:
        """The score, or this number, for frameworks that must have one."""
        return unscored if self.score is None else self.score

    def to_dict(self) -> dict[str, Any]:
        return {
            "verdict": self.report.verdict.value,
            "passed": self.passed,
            "score": self.score,
            "reason": self.reason,
            "failing": [finding.to_dict() for finding in self.failing],
        }


@cache
def engine_for(judge: str = "cascade", policy: str | None = None) -> Engine:
    """The engine of a judge and a policy file, for adapters set up by plain values; opened once."""
    from assay.engine import Engine
    from assay.policy import Policy

    return Engine(Policy.load(policy) if policy else None, judge)


def assess(answer: Any, context: Any, question: Any = None, *, engine: Engine | None = None) -> Outcome:
    """An answer (a text or a message) checked against whatever a framework calls context."""
    asked = text_of(question) if question is not None else None
    checker = engine or engine_for()
    return Outcome(checker.check(text_of(answer), sources=sources_of(context), question=asked or None))


def sources_of(context: Any) -> list[Source]:
    """Texts, documents of any framework, Paths and memories as sources, each named after the file it was cut from.

    A text is never opened as a path. Documents without any text are left out; what cannot have one is refused.
    """
    from assay.memory.readers import DocumentIds

    names, sources = DocumentIds(), []
    for number, item in enumerate(_items(context), 1):
        if isinstance(item, Document | os.PathLike) or hasattr(item, "retrieve_all"):
            sources.append(item)
            continue
        text, known = _text_and_metadata(item, number)
        if text.strip():
            name = _first((known, item), _NAME)
            sources.append(
                Document(
                    names.assign(str(name) if isinstance(name, str | int) else f"context-{number}"),
                    text,
                    title=str(known.get("title") or ""),
                    pages=_pages(known),
                    headings=(Mark(0, str(known["heading"])),) if known.get("heading") else (),
                )
            )
    return sources


def text_of(message: Any) -> str:
    """The words of an answer, whether a framework gives a text, a message, its parts, or a record."""
    if message is None or isinstance(message, str):
        return message or ""
    if isinstance(message, list | tuple):
        return "".join(map(text_of, message))
    found = _first((message,), _REPLY)
    return str(message) if found is None and not isinstance(message, Mapping) else text_of(found)


def row_of(*records: Any, answer: str = "", context: str = "", question: str = "") -> dict[str, Any]:
    """What `check_many` takes, from records (mappings or objects) that are asked in turn.

    The usual names of fields are known, those of RAGAS and DeepEval too; the keywords name others.

    >>> row_of({"response": "It is 8,849 m high."}, {"retrieved_contexts": ["Everest is 8,849 m high."]})["answer"]
    'It is 8,849 m high.'
    """
    found = []
    for role, own, names in (("answer", answer, ANSWER), ("context", context, EVIDENCE)):
        value = _first(records, (own,) if own else names)
        if value is None:
            raise UsageError(f"there is no {role}: a field such as {own or ', '.join(names[:5])} is needed")
        found.append(value)
    asked = text_of(_first(records, (question,) if question else QUESTION))
    return {"answer": text_of(found[0]), "sources": sources_of(found[1]), "question": asked or None}


def assess_task(output: Any, given: Any, metadata: Any, *, engine: Engine | None = None) -> Outcome:
    """What an experiment's task gave: a text or a record; the context stands there, in the metadata or the input."""
    told = output if isinstance(output, Mapping) else {"answer": output}
    asked = given if isinstance(given, Mapping) else {"question": given}
    row = row_of(told, metadata or {}, asked)
    return assess(row["answer"], row["sources"], row["question"], engine=engine)


def rows_of(dataset: Iterable[Any]) -> list[dict[str, Any]]:
    """The samples of a RAGAS data set, the test cases of a DeepEval one, or records, for `assay.check_many`."""
    rows = []
    for number, sample in enumerate(dataset, 1):
        try:
            rows.append(row_of(sample))
        except UsageError as problem:
            raise UsageError(f"item {number}: {problem}") from problem
    return rows


def explain(findings: Sequence[Finding]) -> str:
    """What is not grounded, why, and what the sources say instead."""
    lines = [f"{len(findings)} claim{'s are' if len(findings) != 1 else ' is'} not supported by the sources:"]
    for finding in findings:
        lines.append(f"  {finding.verdict.value} ({finding.confidence:.2f})  {finding.text}")
        if finding.explanation:
            lines.append(f"    {finding.explanation}")
        lines += [f"    {item.document}, {item.start}–{item.end}: “{item.quote}”" for item in finding.evidence[:2]]
    return "\n".join(lines)


def _items(context: Any) -> list[Any]:
    if context is None:
        return []
    one = isinstance(context, str | bytes | Mapping | os.PathLike) or not isinstance(context, Iterable)
    one = one or hasattr(context, "retrieve_all") or _first((context,), _TEXT) is not None
    return [context] if one else [item for item in context if item is not None]


def _text_and_metadata(item: Any, number: int) -> tuple[str, Mapping[str, Any]]:
    if isinstance(item, str):
        return item, {}
    known = _first((item,), _METADATA)
    metadata = known if isinstance(known, Mapping) else item if isinstance(item, Mapping) else {}
    text = _first((item,), _TEXT)
    has_field = any(name in item if isinstance(item, Mapping) else hasattr(item, name) for name in _TEXT)
    if not has_field or not isinstance(text, str | None):
        raise UsageError(
            f"document {number} of the context is a {type(item).__name__} without a text; give texts, or documents "
            f"with a field {', '.join(_TEXT[:-1])} or {_TEXT[-1]}"
        )
    return text or "", metadata


def _first(records: Iterable[Any], names: Iterable[str]) -> Any:
    """The first value under these names that is there and is no method."""
    wanted = list(names)
    for record in records:
        for name in wanted:
            value = record.get(name) if isinstance(record, Mapping) else getattr(record, name, None)
            if isinstance(value, str) or (value is not None and not callable(value)):  # LangChain has callable texts
                return value
    return None


def _pages(known: Mapping[str, Any]) -> tuple[Mark, ...]:
    """The page a document was cut from: as printed if the loader says so, else its number."""
    page = next((str(known[name]) for name in _PAGE if str(known.get(name, "")).isdecimal()), "")
    return (Mark(0, page),) if page else ()
