"""One claim by some documents: the engine's judgement, and what is left of it when its evidence is taken away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace

from assay.engine import Engine, Request
from assay.types import Claim, Document, Evidence, Judgement, Span, Verdict

ROUNDS = 3  # a fact may be stated more than once: each round takes away the place that decided
Ask = Callable[[Sequence[Document]], Awaitable[Judgement]]
"""What is asked about one claim again and again, each time by other documents."""

NO_EVIDENCE = Judgement(Verdict.INSUFFICIENT, 1.0, "evidence", explanation="There is no evidence.")


class Assessor:
    """Asks an engine about one claim at a time; `instead` takes its place where its judge may not be paid for."""

    def __init__(self, engine: Engine, instead: Assessor | None = None) -> None:
        self.engine = engine.unwatched()
        self.instead = instead

    @property
    def name(self) -> str:
        return f"{self.engine.model}:{self.engine.policy.sha256[:16]}"

    async def assess(self, claim: Claim, documents: Sequence[Document], question: str | None = None) -> Judgement:
        """The judgement, made in a thread so that several claims can be judged at once."""
        filled = [document for document in documents if document.text.strip()]
        if not filled:
            return NO_EVIDENCE
        # What the claim cites was settled before: these documents are all that it is judged by.
        stated = replace(claim, spans=(Span(0, len(claim.text)),), citations=(), alignment=())
        request = Request(claim.text, filled, question, claims=(stated,))
        judgement = (await asyncio.to_thread(self.engine.run, request)).report.findings[0].judgement
        if self.instead is not None and judgement.verdict is Verdict.ERROR and judgement.method == "none":
            return await self.instead.assess(claim, documents, question)
        return judgement


def support_of(judgement: Judgement) -> float | None:
    """How likely a judge takes a claim to be supported; what another verdict leaves over is shared by the other two.

    >>> support_of(Judgement(Verdict.REFUTED, 0.9, "number"))
    0.05
    """
    if judgement.verdict in (Verdict.ERROR, Verdict.NOT_CHECKABLE):
        return None
    if judgement.verdict is Verdict.SUPPORTED:
        return judgement.confidence
    return round((1.0 - judgement.confidence) / 2, 12)


async def scrub_quotes(ask: Ask, documents: Sequence[Document], found: Judgement) -> tuple[float, float]:
    """The support that is left when the quoted places are taken away, again and again, and what finding it cost.

    Where the claim is still supported after some rounds, the documents say it in many places: that is no sign that it
    does not depend on them, and what is left without any of them is nothing.
    """
    judgement, cost = found, 0.0
    for _ in range(ROUNDS):
        quoted = [item for item in judgement.evidence if item.quote.strip()]
        if judgement.verdict is not Verdict.SUPPORTED or not quoted:
            break
        documents = [scrub(document, _places(quoted, document)) for document in documents]
        judgement = await ask(documents)
        cost += judgement.cost_usd
    settled = judgement.verdict is not Verdict.SUPPORTED and judgement is not found
    return (support_of(judgement) or 0.0) if settled else 0.0, cost


def scrub(document: Document, spans: Iterable[Span]) -> Document:
    """The document without these stretches; the gap is closed by a space.

    >>> scrub(Document("d", "One. Two. Three."), [Span(5, 9)]).text
    'One.  Three.'
    """
    text = document.text
    for span in sorted(spans, reverse=True):
        text = text[: span.start] + text[span.end :]
    return document if text == document.text else replace(document, text=text, pages=(), headings=())


def quotes_alone(documents: Sequence[Document], evidence: Iterable[Evidence]) -> list[Document]:
    """The quotes, each as a document of its own."""
    titles = {document.id: document.title for document in documents}
    return [
        Document(f"{item.document}#{number}", item.quote, titles.get(item.document, ""))
        for number, item in enumerate(evidence, 1)
    ]


def _places(quoted: Sequence[Evidence], document: Document) -> list[Span]:
    """The quoted stretches of a document, those that overlap joined."""
    joined: list[Span] = []
    for span in sorted(Span(item.start, item.end) for item in quoted if item.document == document.id):
        if joined and span.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined
