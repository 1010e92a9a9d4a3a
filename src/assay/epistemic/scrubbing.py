"""What a claim loses when its evidence is taken away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from assay.epistemic.opinion import Cost, Opinion, Referee, total
from assay.types import Claim, Document, Evidence, Span, Verdict

ROUNDS = 3  # a fact may be stated more than once: each round takes away the place that decided


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """The opinion that is left without the evidence, and what finding it cost."""

    opinion: Opinion
    cost: Cost

    def drop(self, before: float) -> float:
        """How much support went with the evidence: the dependence."""
        return min(1.0, max(0.0, before - (self.opinion.support or 0.0)))


async def scrub_quotes(
    referee: Referee, claim: Claim, documents: Sequence[Document], found: Opinion, question: str | None = None
) -> Scrubbed:
    """Takes the quoted places away and weighs again, until the claim is no longer supported or nothing is quoted."""
    opinion, costs = found, [found.cost]
    for _ in range(ROUNDS):
        quoted = [item for item in opinion.evidence if len(item.quote.strip())]
        if not quoted:
            break
        documents = [scrub(document, _places(quoted, document)) for document in documents]
        after = await referee.weigh(claim, documents, question)
        costs.append(after.cost)
        opinion = after
        if after.verdict is not Verdict.SUPPORTED:
            break
    return Scrubbed(opinion, total(costs[1:]))


def scrub(document: Document, spans: Iterable[Span]) -> Document:
    """The document without these stretches; the gap is closed by a space.

    >>> scrub(Document("d", "One. Two. Three."), [Span(5, 9)]).text
    'One.  Three.'
    """
    text = document.text
    for span in sorted(spans, reverse=True):
        text = text[: span.start] + text[span.end :]
    return document if text == document.text else replace(document, text=text, pages=(), headings=())


def only(documents: Sequence[Document], evidence: Iterable[Evidence]) -> list[Document]:
    """The quotes alone, each as a document of its own."""
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
