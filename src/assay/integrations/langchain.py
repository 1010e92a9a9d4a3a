"""LangChain: an answer checked at the end of a chain, and a memory as its retriever.

    chain = rag_chain | verifier()
    chain.invoke({"input": "How high is Everest?"})["report"].verdict

Both are plain Runnables: they batch, run in async chains and show up in traces like any other step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError, missing_extra
from assay.types import Document, Mark

if TYPE_CHECKING:
    from langchain_core.documents import Document as Piece
    from langchain_core.runnables import Runnable

    from assay.engine import Engine
    from assay.memory import Memory


def verifier(engine: Engine | None = None) -> Runnable[dict[str, Any], dict[str, Any]]:
    """A step that takes `answer`, `context` and `question` (or `input`), and passes all on with a `report`."""
    from assay.engine import Engine

    checker = engine or Engine()

    def verify(given: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(given, Mapping) or "answer" not in given:
            raise UsageError("the verifier of a chain takes a dictionary with 'answer', 'context' and 'question'")
        question = given.get("question", given.get("input"))
        report = checker.check(
            text_of(given["answer"]),
            sources=documents_of(given.get("context", ())),
            question=question if isinstance(question, str) else None,
        )
        return {**given, "report": report}

    return _runnable(verify, "assay_verifier")


def retriever(memory: Memory, k: int = 5) -> Runnable[str, list[Piece]]:
    """A step that takes a query and gives the passages of a memory that settle it, best first."""

    def retrieve(query: str) -> list[Piece]:
        from langchain_core.documents import Document as Piece

        found = memory.retrieve(query, k)
        return [
            Piece(
                page_content=item.text,
                metadata={
                    "source": item.document_id,
                    "title": item.document.title,
                    "start": item.start,
                    "end": item.end,
                    "page": item.document.page_at(item.start),
                    "heading": item.document.heading_at(item.start),
                    "similarity": item.similarity,
                },
            )
            for item in found
        ]

    return _runnable(retrieve, "assay_retriever")


def documents_of(context: Piece | str | Iterable[Piece | str]) -> list[Document]:
    """What a chain calls context, as sources: each named after the file it was cut from, with its page and heading."""
    from assay.memory.readers import DocumentIds

    names, documents = DocumentIds(), []
    pieces: Iterable[Any] = [context] if isinstance(context, str) or hasattr(context, "page_content") else context
    for number, piece in enumerate(pieces, 1):
        if isinstance(piece, str):
            documents.append(Document(names.assign(f"context-{number}"), piece))
            continue
        known: Mapping[str, Any] = piece.metadata
        wish = str(known.get("source") or piece.id or f"context-{number}")
        documents.append(
            Document(
                names.assign(wish),
                piece.page_content,
                title=str(known.get("title") or ""),
                pages=_pages(known),
                headings=(Mark(0, str(known["heading"])),) if known.get("heading") else (),
            )
        )
    return documents


def text_of(answer: Any) -> str:
    """An answer's words, whether a chain ends with a text or with the message of a model."""
    content = getattr(answer, "content", answer)
    if isinstance(content, list):  # a message in parts
        parts = [part if isinstance(part, str) else part.get("text", "") for part in content]
        return "".join(parts)
    return str(content)


def _pages(metadata: Mapping[str, Any]) -> tuple[Mark, ...]:
    """The page a piece was cut from: as printed if the loader says so, else its number."""
    printed = str(metadata.get("page_label") or "")
    page = printed if printed.isdecimal() else metadata.get("page")
    return () if page is None or not str(page).isdecimal() else (Mark(0, str(page)),)


def _runnable(work: Any, name: str) -> Any:
    try:
        from langchain_core.runnables import RunnableLambda
    except ImportError as problem:
        raise missing_extra("the LangChain adapter", "langchain") from problem
    return RunnableLambda(work, name=name)
