"""Sources that disagree about a claim: which decides, and what a reader must be told.

Each document that speaks of a claim is judged alone. A claim that one source backs and another contradicts is
contradicted, unless a source with more authority or a later date decides, or more independent sources back it than
speak against it; near-copies count once. Where the others only lean the other way, the claim is left open, or at least
flagged. Whatever decides, the finding carries both quotes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from assay.encoder.verifier import Opinion, PointedSentence
from assay.explanation import name_source, quoted
from assay.judges import levels
from assay.judges.reasons import deciding_sentences
from assay.memory.source_risks import authority_of
from assay.policy import Policy
from assay.text.comparable import stems_of
from assay.types import Document, Passage, Stance, Verdict

LEAST_WEIGHT = 0.1  # of the decision, from which a document has a say of its own
ABOUT = 0.3  # share of the claim's words from which a document speaks of the claim, whatever its weight
MOST_HEARD = 12  # documents judged alone for one claim
NEAR_COPY = 0.6  # share of the words two deciding sentences have in common, from which they count once
# Measured on written rows with `small`: where others lean the other way with these chances together, about 3 in 100
# (flagged) and 1 in 100 (left open) of the rightly supported claims are touched.
LEANING = 0.2
LIKELY = 0.5  # a document more likely for than against is counted with those that are sure
FLAGGED = 0.3
OPEN = 0.5

Voice = tuple[Document, Opinion]


@dataclass(frozen=True, slots=True)
class Conflict:
    """The verdict over sources that disagree, the sentence that decides first, and why."""

    verdict: Verdict
    confidence: float
    deciding: PointedSentence
    opposing: PointedSentence
    reason: str

    @property
    def stances(self) -> tuple[Stance, Stance]:
        """What the two sentences do to the claim; where it is left open, the one that backs it comes first."""
        backed = self.verdict is not Verdict.REFUTED
        return (Stance.SUPPORTS, Stance.REFUTES) if backed else (Stance.REFUTES, Stance.SUPPORTS)


def documents_with_a_say(opinion: Opinion, claim: str = "", passages: Sequence[Passage] = ()) -> list[Document]:
    """Documents that carry a share of the decision or hold words of the claim, in order of their weight."""
    weights: dict[str, float] = {}
    documents: dict[str, Document] = {}
    for sentence in opinion.sentences:
        weights[sentence.document.id] = weights.get(sentence.document.id, 0.0) + sentence.weight
        documents[sentence.document.id] = sentence.document
    ours = frozenset(stems_of(claim))
    about = {p.document_id for p in passages if ours and len(ours & _stems(p.text)) >= ABOUT * len(ours)}
    heard = [
        name for name in sorted(weights, key=lambda n: -weights[n]) if weights[name] >= LEAST_WEIGHT or name in about
    ]
    return [documents[name] for name in heard[:MOST_HEARD]]


@lru_cache(maxsize=1024)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stems_of(text))


def find_conflict(alone: Sequence[Voice], policy: Policy, verdict: Verdict | None = None) -> Conflict | None:
    """What follows from the opinions that single documents give; None unless they disagree.

    `verdict` is the one on all of them together.
    """
    heard = [(document, opinion) for document, opinion in alone if deciding_sentences(opinion)]
    backing = [one for one in heard if one[1].scores.supported >= policy.conflict_probability]
    denying = [one for one in heard if one[1].scores.refuted >= policy.conflict_probability]
    if backing and denying:
        voices = [independent([one for one in heard if _leans(one, side, LIKELY)]) for side in (0, 1)]
        return _settle((backing, denying), voices, policy)
    if verdict in (Verdict.SUPPORTED, Verdict.REFUTED):
        return _doubt(heard, verdict, policy)
    return None


def _settle(sides: Sequence[Sequence[Voice]], voices: Sequence[Sequence[Voice]], policy: Policy) -> Conflict:
    """The verdict where sources are sure of the opposite: by the criteria of the policy, one after the other.

    `sides` are those that are sure, for the claim and against it; `voices` all that likely say the same, copies once.
    """
    by: Voice | None = None
    winner, reason = 1, "The sources disagree, and none of them is known to be newer."
    for criterion in policy.conflict_order.split(","):
        if criterion == "role":
            best = [min(authority_of(document.role) for document, _ in side) for side in sides]
            if best[0] != best[1]:
                winner = 0 if best[0] < best[1] else 1
                by = next(one for one in sides[winner] if authority_of(one[0].role) == best[winner])
                reason = f"{name_source(by[0], capital=True)} is the more authoritative source and decides."
                break
        elif criterion == "date":
            dated = [max(side, key=_date_of) for side in sides]
            if _date_of(dated[0]) != _date_of(dated[1]) and all(map(_date_of, dated)):
                newer = 0 if _date_of(dated[0]) > _date_of(dated[1]) else 1
                # A date that was only read from the text must not let one source overrule several.
                if dated[newer][0].date_inferred and len(voices[newer]) < len(voices[1 - newer]):
                    continue
                winner, by = newer, dated[newer]
                reason = f"{name_source(by[0], capital=True)} is newer ({by[0].date}) and decides."
                break
        elif len(voices[0]) > len(voices[1]):
            verb = "speaks" if len(voices[1]) == 1 else "speak"
            winner, reason = 0, f"{len(voices[0])} sources back this, {len(voices[1])} {verb} against it."
    first = by or _surest(sides[winner], winner)
    second = max(sides[1 - winner], key=_date_of) if by else _surest(sides[1 - winner], 1 - winner)
    verdict = (Verdict.SUPPORTED, Verdict.REFUTED)[winner]
    return _conflict(verdict, _chances(first)[winner], first, second, reason)


def _doubt(heard: Sequence[Voice], verdict: Verdict, policy: Policy) -> Conflict | None:
    """A verdict that some sources give while the others lean the other way: left open if these lean far enough."""
    side = 0 if verdict is Verdict.SUPPORTED else 1
    own = independent([one for one in heard if _leans(one, side)])
    others = independent([one for one in heard if _leans(one, 1 - side, LEANING)])
    against = 1.0 - prod(1.0 - _chances(one)[1 - side] for one in others)
    if not own or against < FLAGGED:
        return None
    first, second = _surest(own, side), _surest(others, 1 - side)
    if against >= OPEN and len(own) <= len(others):
        first, second = (first, second) if side == 0 else (second, first)
        reason = "The sources disagree about this, so it is not settled."
        return _conflict(Verdict.INSUFFICIENT, levels.UNSETTLED, first, second, reason)
    reason = "Not all sources agree on this."
    return _conflict(verdict, _chances(first)[side], first, second, reason)


def independent(voices: Sequence[Voice]) -> list[Voice]:
    """The voices without those whose deciding sentence nearly repeats that of one before."""
    kept: list[tuple[Voice, frozenset[str]]] = []
    for voice in voices:
        sentence = deciding_sentences(voice[1])[0]
        words = _stems(sentence.span.of(sentence.document.text))
        if not any(len(words & other) >= NEAR_COPY * max(1, len(words | other)) for _, other in kept):
            kept.append((voice, words))
    return [voice for voice, _ in kept]


def _chances(voice: Voice) -> tuple[float, float]:
    return voice[1].scores.supported, voice[1].scores.refuted


def _leans(voice: Voice, side: int, least: float = 0.0) -> bool:
    return _chances(voice)[side] > max(_chances(voice)[1 - side], least)


def _surest(voices: Sequence[Voice], side: int) -> Voice:
    return max(voices, key=lambda voice: _chances(voice)[side])


def _conflict(verdict: Verdict, confidence: float, first: Voice, second: Voice, reason: str) -> Conflict:
    decides, opposes = deciding_sentences(first[1])[0], deciding_sentences(second[1])[0]
    return Conflict(verdict, confidence, decides, opposes, f"{reason} {_says(decides)} {_says(opposes)}")


def _date_of(pair: Voice) -> str:
    return str(pair[0].date or "")


def _says(sentence: PointedSentence) -> str:
    text = sentence.span.of(sentence.document.text)
    return f"{name_source(sentence.document, capital=True)}: {quoted(text)}"
