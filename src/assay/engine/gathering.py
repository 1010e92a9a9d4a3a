"""Evidence for every claim at once: from the documents at hand, from memories, from an evidence map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.anchors import cited_documents
from assay.policy import Policy
from assay.text.tokens import count_tokens
from assay.types import Claim, Document, Passage

if TYPE_CHECKING:
    from assay.lattice.evidence_map import AnyEvidence
    from assay.lattice.hearing import Hearing
    from assay.memory import Memory


def hear(
    answer: str, evidence: AnyEvidence | None, question: str | None, policy: Policy
) -> tuple[Hearing | None, list[Document]]:
    """The answer as a lattice, if it cites the evidence map by pointer; and the map's objects as documents."""
    if evidence is None:
        return None, []
    from assay.lattice import EvidenceMap, looks_like_lattice, verify_answer
    from assay.lattice.hearing import Hearing, documents_of

    shown = EvidenceMap.of(evidence)
    documents = documents_of(shown)
    form = looks_like_lattice(answer, shown)
    if form is None:
        return None, list(documents.values())
    result = verify_answer(answer, shown, question, form, policy)
    return Hearing.of(result, documents), list(documents.values())


def search(
    claims: Sequence[Claim], documents: Sequence[Document], policy: Policy, *, whole: bool = False
) -> list[tuple[Passage, ...]]:
    """For each claim the best windows of the documents, those of the documents it cites first.

    `whole`: the judge takes in `evidence_tokens` at once, so documents that are shorter together are shown as they are.
    """
    if not documents:
        return [() for _ in claims]
    if whole and _size(documents, policy.evidence_tokens) <= policy.evidence_tokens:
        shown = tuple(Passage(document, 0, len(document.text)) for document in documents if document.text.strip())
        return [shown if claim.checkable else () for claim in claims]
    from assay.lexical.candidates import candidates
    from assay.lexical.index import index_document

    indexes = [index_document(document) for document in documents]
    most = policy.passages_per_claim
    found: list[tuple[Passage, ...]] = []
    for claim in claims:
        cited = cited_documents(claim, documents)[0] if claim.checkable else []
        first = candidates(claim, [i for i in indexes if i.document in cited], most, policy) if cited else []
        others = [i for i in indexes if i.document not in cited]
        rest = candidates(claim, others, most, policy) if claim.checkable else []
        found.append((*first, *rest) or (_all_of(documents, policy) if claim.checkable else ()))
    return found


def heed_anchors(
    claim: Claim, passages: Sequence[Passage], documents: Sequence[Document], policy: Policy, *, numbered: bool
) -> tuple[Passage, ...]:
    """The passages with those of cited documents first; for anchors that name nothing only what is very like the claim.

    An invented citation must not borrow support from whatever happens to lie nearest.
    """
    cited, dangling = cited_documents(claim, documents, numbered=numbered)
    if cited:
        return tuple(sorted(passages, key=lambda passage: passage.document not in cited))
    if not dangling:
        return tuple(passages)
    return tuple(passage for passage in passages if (passage.similarity or 0.0) > policy.citation_similarity)


def _size(documents: Sequence[Document], enough: int) -> int:
    """Tokens of the documents, counted only as far as `enough` needs."""
    if sum(len(document.text) for document in documents) > 16 * enough:
        return enough + 1
    return sum(count_tokens(document.text) for document in documents)


def _all_of(documents: Sequence[Document], policy: Policy) -> tuple[Passage, ...]:
    """Sources so short that one reading takes them in are read even where no word is shared ("It poured.")."""
    if sum(count_tokens(document.text[: 8 * policy.reading_tokens]) for document in documents) > policy.reading_tokens:
        return ()
    return tuple(Passage(document, 0, len(document.text), 0.0, "all there is") for document in documents)


def recall(claims: Sequence[Claim], memory: Memory, policy: Policy) -> list[list[Passage]]:
    """What a memory holds for each claim, found for all of them at once."""
    asked = [number for number, claim in enumerate(claims) if claim.checkable]
    queries = [f"{claims[number].context} {claims[number].text}".strip() for number in asked]
    found: list[list[Passage]] = [[] for _ in claims]
    for number, passages in zip(asked, memory.retrieve_all(queries, policy.passages_per_claim), strict=True):
        found[number] = [item.passage for item in passages]
    return found
