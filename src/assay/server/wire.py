"""Between the wire and the library: JSON out, documents in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse

from assay.server.bodies import HeadingIn, PageIn, SourceIn
from assay.server.problems import Problem
from assay.types import Document, Mark, sha256_of

if TYPE_CHECKING:
    from assay.engine import Source
    from assay.memory import Memory
    from assay.server.settings import Settings


class Json(JSONResponse):
    """JSON in ASCII: a lone surrogate in a text must not end in a failure."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def documents_of(sources: Sequence[str | SourceIn], settings: Settings) -> list[Document]:
    """Sources of a request as documents. A text is always a text here, even when it reads like a path."""
    if len(sources) > settings.max_documents:
        raise Problem(413, f"a request may carry {settings.max_documents:,} documents here, not {len(sources):,}")
    documents: list[Document] = []
    taken: set[str] = set()
    for number, source in enumerate(sources, 1):
        given = SourceIn(text=source) if isinstance(source, str) else source
        identity = given.id or f"source-{number}"
        if identity in taken:
            raise Problem(422, f"two sources have the id {identity!r}; each needs its own", kind="source")
        taken.add(identity)
        pages, headings = _marks(given.pages, given.text), _marks(given.headings, given.text)
        documents.append(
            Document(identity, given.text, title=given.title, date=given.date, pages=pages, headings=headings)
        )
    return documents


def _marks(given: Sequence[PageIn | HeadingIn], text: str) -> tuple[Mark, ...]:
    """Places in a text, in order; one that lies outside of it is a mistake that would show up on a receipt."""
    if outside := next((mark.start for mark in given if mark.start > len(text)), None):
        raise Problem(422, f"a page or heading begins at {outside}, the text ends at {len(text)}", kind="source")
    return tuple(sorted((Mark(mark.start, mark.label) for mark in given), key=lambda mark: mark.start))


def stored_documents(sources: Sequence[SourceIn], settings: Settings) -> list[Document]:
    """The same for documents that stay: one without an id is known by its contents."""
    named = [
        source if source.id else source.model_copy(update={"id": f"text-{sha256_of(source.text)[:12]}"})
        for source in {source.id or sha256_of(source.text): source for source in sources}.values()
    ]
    return documents_of(named, settings)


def with_memory(documents: Sequence[Document], memory: Memory | None) -> list[Source]:
    """What an answer is checked against: documents, and a memory if there is one."""
    return [*documents] if memory is None else [*documents, memory]


def show_documents(documents: Iterable[Document]) -> list[dict[str, Any]]:
    return [
        {"id": item.id, "title": item.title, "text": item.text, "sha256": item.sha256, "role": item.role}
        for item in documents
    ]


def check_length(text: str, settings: Settings, what: str = "an answer") -> None:
    if len(text) > settings.max_answer_chars:
        raise Problem(413, f"{what} may have {settings.max_answer_chars:,} characters here, not {len(text):,}")
