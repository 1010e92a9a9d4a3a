"""What one claim is read with: the sentences of the evidence that fit it best, as one sequence with the claim.

Evidence comes first, passage by passage under its title, then the question where there is one, then the claim. Every
token sees all others, so the network can tell whose value a value is, which a reading of the evidence alone cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.encoder.passages import EncodedPassage

EVIDENCE_TOKENS = 160  # of the chosen sentences with their titles
LEADS = 2  # of the highest sentences: the sentence before each is read too, which says what "it" is
QUESTION_TOKENS = 40
Place = tuple[int, int]  # number of a passage, number of a sentence in it


@dataclass(frozen=True, slots=True)
class CloseInput:
    """Token ids of a sequence, where the claim begins in it, and where each chosen sentence lies."""

    ids: tuple[int, ...]
    claim: int  # place of the claim's first token; the claim reaches to the end
    sentences: tuple[tuple[Place, int, int], ...]


def close_input(
    claim: Sequence[int],
    passages: Sequence[EncodedPassage],
    scores: Sequence[float],
    question: EncodedPassage | None = None,
    room: int = EVIDENCE_TOKENS,
    wanted: Sequence[int] = (),
) -> CloseInput:
    """The sentences that `scores` (one a sentence, through all passages) ranks highest, as many as there is room for.

    They stand in the order of the evidence, under the titles of their passages. `wanted` sentences come first whatever
    their score: training shows those that are known to decide.
    """
    places = [(number, at) for number, passage in enumerate(passages) for at in range(len(passage.sentences))]
    order = sorted(range(len(places)), key=lambda index: -scores[index])
    if wanted:
        first = set(wanted)
        order = [*(n for n in order if n in first), *(n for n in order if n not in first)]
    chosen: set[Place] = set()
    titled: set[int] = set()
    for index in _with_leads(order, places):
        number, at = places[index]
        passage = passages[number]
        size = passage.sentences[at].end - passage.sentences[at].start
        size += 0 if number in titled else passage.title + 1
        if places[index] in chosen or (size > room and chosen):
            continue
        chosen.add(places[index])
        titled.add(number)
        room -= size
        if room <= 0:
            break
    ids: list[int] = []
    spans: list[tuple[Place, int, int]] = []
    for number in sorted(titled):
        passage = passages[number]
        ids += passage.ids[(1 if ids else 0) : 1 + passage.title]  # the mark that begins a text stands once
        for at in sorted(at for owner, at in chosen if owner == number):
            sentence = passage.sentences[at]
            start = len(ids)
            ids += passage.ids[sentence.start : min(sentence.end, sentence.start + EVIDENCE_TOKENS)]
            spans.append(((number, at), start, len(ids)))
        ids.append(passage.ids[-1])
    if question is not None:
        ids += question.ids[1:QUESTION_TOKENS]
        if len(question.ids) > QUESTION_TOKENS:
            ids.append(question.ids[-1])
    return CloseInput((*ids, *claim), len(ids), tuple(spans))


def _with_leads(order: Sequence[int], places: Sequence[Place]) -> Iterator[int]:
    """The order, and after the second sentence on the sentence that stands before each of the highest."""
    for rank, index in enumerate(order):
        yield index
        lead = order[rank - 1] if 0 < rank <= LEADS else -1
        if lead > 0 and places[lead][1] > 0:
            yield lead - 1
