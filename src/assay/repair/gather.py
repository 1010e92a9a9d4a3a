"""The passages a writer is shown for a question: from a memory, from documents, or from both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.policy import Policy
from assay.types import Document, Passage

if TYPE_CHECKING:
    from assay.memory import Memory


def gather(query: str, memory: Memory | None, documents: Sequence[Document], policy: Policy) -> list[Passage]:
    """The best passages for a question, at most as many as a writer is shown."""
    found: list[Passage] = []
    if documents:
        from assay.lexical.index import index_document
        from assay.lexical.search import candidates

        indexes = [index_document(document) for document in documents]
        windows = candidates(query, indexes, policy.writer_passages)
        found.extend(_widened(passage) for passage in windows)
    if memory is not None:
        found.extend(item.passage for item in memory.retrieve(query, policy.writer_passages))
    distinct = {(passage.document.sha256, passage.start): passage for passage in found}
    return list(distinct.values())[: policy.writer_passages]


def _widened(passage: Passage) -> Passage:
    """The paragraph of a window: one sentence alone often does not say what it is about."""
    text = passage.document.text
    first = text.rfind("\n", 0, passage.start) + 1
    last = text.find("\n", passage.end)
    return Passage(passage.document, first, len(text) if last < 0 else last, passage.similarity, passage.reason)
