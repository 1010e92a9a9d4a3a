"""What a claim loses when its evidence is taken away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from assay.epistemic.assessment import NO_EVIDENCE, Assessment, Assessor, Cost, total
from assay.types import Claim, Document, Evidence, Span, Verdict

ROUNDS = 3  # a fact may be stated more than once: each round takes away the place that decided


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """The assessment that is left without the evidence, and what finding it cost."""

    assessment: Assessment
    cost: Cost

    def drop(self, before: float) -> float:
        """How much support went with the evidence: the dependence."""
        return min(1.0, max(0.0, before - (self.assessment.support or 0.0)))


async def scrub_quotes(
    assessor: Assessor, claim: Claim, documents: Sequence[Document], found: Assessment, question: str | None = None
) -> Scrubbed:
    """Takes the quoted places away and assesses again, until the claim is no longer supported.

    Where it still is after some rounds, the documents say it again and again: that is no sign that the claim does not
    depend on them, and what is left without any of them is nothing.
    """
    assessment, costs = found, []
    for _ in range(ROUNDS):
        quoted = [item for item in assessment.evidence if item.quote.strip()]
        if assessment.verdict is not Verdict.SUPPORTED or not quoted:
            break
        documents = [scrub(document, _places(quoted, document)) for document in documents]
        assessment = await assessor.assess(claim, documents, question)
        costs.append(assessment.cost)
    if assessment.verdict is Verdict.SUPPORTED or assessment is found:
        assessment = NO_EVIDENCE
    return Scrubbed(assessment, total(costs))


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
