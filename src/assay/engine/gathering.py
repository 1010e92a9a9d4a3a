"""Evidence for every claim at once: from the documents at hand, from memories, from an evidence map."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.anchors import cited_documents, hash_of
from assay.defuse import shown_passages
from assay.policy import Policy
from assay.text.sentences import split_sentences
from assay.text.tokens import count_tokens
from assay.types import Claim, Document, Passage

if TYPE_CHECKING:
    from assay.engine.request import Request
    from assay.lattice.engine_input import LatticeJudgingInput
    from assay.memory import Memory

READING_TOKENS = 128  # evidence in one reading of the encoder: 96 loses facts, 200 costs twice as much
GROWN = 900  # characters of a found passage with what stands around it, about 200 tokens


def parse_lattice_answer(request: Request, policy: Policy) -> tuple[LatticeJudgingInput | None, list[Document]]:
    """The answer as a lattice, if it cites the evidence map by pointer; and the map's objects as documents."""
    if request.evidence is None:
        return None, []
    from assay.lattice import EvidenceMap, looks_like_lattice, verify_answer
    from assay.lattice.engine_input import LatticeJudgingInput, documents_of

    shown = EvidenceMap.of(request.evidence)
    documents = documents_of(shown)
    form = looks_like_lattice(request.answer, shown) if request.claims is None else None
    if form is None:
        return None, list(documents.values())
    result = verify_answer(request.answer, shown, request.question, form, policy)
    return LatticeJudgingInput.of(result, documents), list(documents.values())


@dataclass(frozen=True)
class Collected:
    """Evidence for the claims of an answer: each claim's passages, all documents, and what came out of a memory.

    `numbered` says whether a citation such as [2] can name one of the documents.
    """

    passages: tuple[tuple[Passage, ...], ...]
    documents: tuple[Document, ...]
    remembered: tuple[tuple[Passage, ...], ...] = ()
    numbered: bool = True

    @classmethod
    def of(cls, given: Iterable[Sequence[Passage]]) -> Collected:
        """Evidence that a caller has chosen for each claim: what no reader of it would see is taken out here too."""
        passages = tuple(tuple(shown_passages(one)) for one in given)
        return cls(passages, tuple(dict.fromkeys(p.document for one in passages for p in one)))

    @property
    def similarity(self) -> float | None:
        """The mean over claims of how like the best passage out of a memory is; None where none was retrieved."""
        found = [[p.similarity for p in given if p.similarity is not None] for given in self.remembered]
        best = [max(one) for one in found if one]
        return sum(best) / len(best) if best else None


def as_passage(item: Passage | Document | str, number: int) -> Passage:
    """What a caller hands over as evidence, as a passage; a text becomes a document with its number as id."""
    if isinstance(item, Passage):
        return item
    document = item if isinstance(item, Document) else Document(str(number), item)
    return Passage(document, 0, len(document.text))


def collect_evidence(
    claims: Sequence[Claim],
    documents: Sequence[Document],
    memories: Sequence[Memory],
    policy: Policy,
    *,
    whole: bool = False,
    found: Sequence[Sequence[Passage]] | None = None,
) -> Collected:
    """What each claim is judged by, the same for every interface.

    Passages are searched for in the documents (or are those `found` for an answer that cites by pointer) and in the
    memories. Those of cited documents come first. An invented citation must not borrow support from whatever lies
    nearest: it leaves only what is very like the claim. What a reader of the source would not see is taken out.
    `whole`: the judge takes in `evidence_tokens` at once, so documents that are shorter together are shown as they are.
    """
    every, remembered = list(documents), []
    recalled = [recall(claims, memory, policy) for memory in memories]
    for one in recalled:
        remembered += one
        every.extend(dict.fromkeys(p.document for given in one for p in given if p.document not in every))
    passages: list[tuple[Passage, ...]] = []
    searched = search(claims, documents, policy, whole) if found is None else found
    numbered = bool(documents) or not memories
    for number, claim in enumerate(claims):
        given, more = tuple(searched[number]), tuple(p for one in recalled for p in one[number])
        if found is not None:
            passages.append((*given, *more))
            continue
        cited, dangling = cited_documents(claim, every, numbered=numbered)
        if dangling and not cited:
            # What may still back an invented citation is told by its similarity, which whole documents do not have.
            given = search([claim], documents, policy)[0] if whole else given
            near = [p for p in (*given, *more) if (p.similarity or 0.0) > policy.citation_similarity]
            passages.append(tuple(near))
        else:
            shown = (*given, *(_widened(more, policy) if whole else more))
            passages.append(tuple(sorted(shown, key=lambda passage: passage.document not in cited)))
    shown_only = tuple(tuple(shown_passages(given)) for given in passages)
    return Collected(shown_only, tuple(every), tuple(remembered), numbered)


def search(
    claims: Sequence[Claim], documents: Sequence[Document], policy: Policy, whole: bool = False
) -> list[tuple[Passage, ...]]:
    """For each claim the best windows of the documents, those of the documents it cites first."""
    if not documents:
        return [() for _ in claims]
    if whole and (shown := _as_they_are(documents, policy)):
        return [shown if claim.checkable else () for claim in claims]
    from assay.lexical.index import index_document
    from assay.lexical.search import candidates

    indexes = [index_document(document) for document in documents]
    most = policy.passages_per_claim
    found: list[tuple[Passage, ...]] = []
    for claim in claims:
        cited = cited_documents(claim, documents)[0] if claim.checkable else []
        first = candidates(claim, [i for i in indexes if i.document in cited], most) if cited else []
        others = [i for i in indexes if i.document not in cited]
        rest = candidates(claim, others, most) if claim.checkable else []
        given = (*first, *rest) or (_all_of(documents) if claim.checkable else ())
        found.append(_widened(given, policy) if whole else given)
    return found


def _as_they_are(documents: Sequence[Document], policy: Policy) -> tuple[Passage, ...]:
    """The documents whole, where they are short enough together; else nothing."""
    enough = policy.evidence_tokens
    if sum(len(document.text) for document in documents) > 16 * enough:
        return ()
    if sum(count_tokens(document.text) for document in documents) > enough:
        return ()
    return tuple(Passage(document, 0, len(document.text)) for document in documents if document.text.strip())


def _widened(passages: Sequence[Passage], policy: Policy) -> tuple[Passage, ...]:
    """Found passages as a model should read them: short documents whole, others with the sentences around.

    A sentence alone often lacks what it speaks of, and the same document must not be judged otherwise because it was
    found in a memory.
    """
    documents = list(dict.fromkeys(passage.document for passage in passages))
    best = {document: max(p.similarity or 0.0 for p in passages if p.document == document) for document in documents}
    if shown := _as_they_are(documents, policy):
        return tuple(replace(passage, similarity=best[passage.document]) for passage in shown)
    grown: list[Passage] = []
    for passage in passages:
        start, end = _grow(passage.document.text, passage.start, passage.end)
        if not any(p.document == passage.document and p.start <= start and end <= p.end for p in grown):
            grown.append(replace(passage, start=start, end=end))
    return tuple(grown)


def _grow(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch grown on both sides by whole sentences to about `GROWN` characters."""
    room = max(0, GROWN - (end - start)) // 2
    low, high = max(0, start - room), min(len(text), end + room)
    sentences = [sentence.span.shifted(low) for sentence in split_sentences(text[low:high])]
    inside = [span for span in sentences if (span.start > low or low == 0) and (span.end < high or high == len(text))]
    return min([start, *(s.start for s in inside)]), max([end, *(s.end for s in inside)])


def _all_of(documents: Sequence[Document]) -> tuple[Passage, ...]:
    """Sources so short that one reading takes them in are read even where no word is shared ("It poured.")."""
    if sum(count_tokens(document.text[: 8 * READING_TOKENS]) for document in documents) > READING_TOKENS:
        return ()
    return tuple(Passage(document, 0, len(document.text), 0.0, "all there is") for document in documents)


def recall(claims: Sequence[Claim], memory: Memory, policy: Policy) -> list[tuple[Passage, ...]]:
    """What a memory holds for each claim, found for all of them at once."""
    asked = [number for number, claim in enumerate(claims) if claim.checkable]
    queries = [f"{claims[number].context} {claims[number].text}".strip() for number in asked]
    found: list[tuple[Passage, ...]] = [() for _ in claims]
    for number, passages in zip(asked, memory.retrieve_all(queries, policy.passages_per_claim), strict=True):
        retrieved = tuple(item.passage for item in passages)
        found[number] = tuple(dict.fromkeys((*_recall_named(claims[number], memory, retrieved, policy), *retrieved)))
    return found


def _recall_named(claim: Claim, memory: Memory, retrieved: Sequence[Passage], policy: Policy) -> list[Passage]:
    """What the claim's citations name in a memory, however far from the claim a search finds it.

    Of a document that is named whole and was not found, the stretches that speak of the claim, or else how it begins;
    nothing that is in quarantine.
    """
    known = {passage.document for passage in retrieved}
    found: list[Passage] = []
    for citation in claim.citations:
        for target in citation.targets:
            if citation.style == "hash" and (start := hash_of(target)):
                documents, passages = memory.find_by_hash(start)
                found += passages
            else:
                named = memory.get(target) if citation.style in ("source", "link") else None
                documents = [named] if named is not None else []
            for document in documents:
                if document not in known:
                    found += _recall_document(claim, document, memory, policy)
    return [replace(passage, reason="named") for passage in found]


def _recall_document(claim: Claim, document: Document, memory: Memory, policy: Policy) -> list[Passage]:
    entries = memory.passages(document.id)
    usable = [entry for entry in entries if entry.quarantined is None]
    speaking = search([claim], [document], policy)[0]
    if len(usable) < len(entries):
        speaking = tuple(p for p in speaking if any(e.start <= p.start and p.end <= e.end for e in usable))
    return list(speaking) or [Passage(document, entry.start, entry.end) for entry in usable[:1]]
