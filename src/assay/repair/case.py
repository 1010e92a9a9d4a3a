"""What a strategy is given and what it proposes, and the passages a writer is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from assay.engine import Engine, Request, Run, Source
from assay.policy import Policy
from assay.repair.score import rank
from assay.repair.values import CAVEAT, Attempt, Edit
from assay.types import Document, Passage, Report

if TYPE_CHECKING:
    from assay.llm import Generator
    from assay.memory import Memory


def gather(query: str, memory: Memory | None, documents: Sequence[Document], policy: Policy) -> list[Passage]:
    """The best passages for a question, at most as many as a writer is shown."""
    found: list[Passage] = []
    if documents:
        from assay.lexical.index import index_document
        from assay.lexical.search import candidates

        indexes = [index_document(document) for document in documents]
        for window in candidates(query, indexes, policy.writer_passages):
            wide = paragraph_at(window.document, window.start, window.end)
            found.append(replace(wide, similarity=window.similarity, reason=window.reason))
    if memory is not None:
        found.extend(item.passage for item in memory.retrieve(query, policy.writer_passages))
    distinct = {(passage.document.sha256, passage.start): passage for passage in found}
    return list(distinct.values())[: policy.writer_passages]


def paragraph_at(document: Document, start: int, end: int) -> Passage:
    """The paragraph around a stretch of a source: a sentence alone often does not say what it is about."""
    first = document.text.rfind("\n", 0, start) + 1
    last = document.text.find("\n", end)
    return Passage(document, first, len(document.text) if last < 0 else last, reason="evidence")


@dataclass(frozen=True)
class Case:
    """The answer as it stands (the best attempt so far), and everything that may be used to better it."""

    question: str | None
    answer: str
    report: Report
    engine: Engine
    generator: Generator | None = None
    memory: Memory | None = None
    sources: tuple[Source, ...] = ()
    shown: tuple[Passage, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    objections: tuple[str, ...] = ()  # what the skeptic says about the answer as it was first

    @property
    def policy(self) -> Policy:
        return self.engine.policy

    @property
    def may_rewrite(self) -> bool:
        """Whether there is somebody to write again and something to write from; quoting again gives the same quotes."""
        return self.generator is not None and self.generator.name != "extractive" and bool(self.shown)

    def used(self, strategy: str) -> int:
        """How often a strategy was tried."""
        return sum(attempt.strategy == strategy for attempt in self.attempts)

    def examine(self, answer: str) -> Run:
        """The engine's word on another answer, against all that is known, with everything that led to it.

        A caveat says nothing about the world: it is not read, so that it cannot make a claim pass.
        """
        read = answer.replace(CAVEAT, " " * len(CAVEAT))
        evidence = [*self.sources, *documents_of(self.shown), *([self.memory] if self.memory is not None else [])]
        run = self.engine.run(
            Request(read, sources=distinct(evidence), question=self.question, branches=self.used("branch"))
        )
        return run if read == answer else replace(run, report=replace(run.report, answer=answer))

    def better(self, answer: str, report: Report) -> Case:
        """The case with this answer if it is better than the one there is."""
        if rank(report) <= rank(self.report):
            return self
        return replace(self, answer=answer, report=report)


@dataclass(frozen=True)
class Proposal:
    """Another answer: how it came about, what it cost, and the evidence that was newly found for it."""

    answer: str
    cost_usd: float | None = 0.0
    edits: tuple[Edit, ...] = ()
    added: tuple[Passage, ...] = ()
    objections: tuple[str, ...] = ()
    report: Report | None = None


class Strategy(Protocol):
    """One way to better an answer."""

    name: str

    def applies(self, case: Case) -> bool: ...

    def propose(self, case: Case) -> Proposal | None: ...


def documents_of(passages: Iterable[Passage]) -> list[Document]:
    """The documents of some passages, each once."""
    return list({passage.document.id: passage.document for passage in passages}.values())


def distinct(sources: Sequence[Source]) -> list[Source]:
    """The sources, a document with the same text once; memories and paths as they are."""
    kept: list[Source] = []
    seen: set[tuple[str, str]] = set()
    for source in sources:
        if isinstance(source, Document):
            key = (source.id, source.sha256)
            if key in seen:
                continue
            seen.add(key)
        kept.append(source)
    return kept
