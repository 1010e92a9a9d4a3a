"""Sources that disagree about a claim: which decides, and what a reader must be told.

Each document that speaks of a claim is judged alone. A claim that one source backs and another contradicts is
contradicted, unless a source with more authority or a later date decides, or more independent sources back it than
speak against it; near-copies count once. A contradiction counts only where the sentence speaks of the same thing as the
claim. Where the others only lean the other way, the claim is left open, or at least flagged. Whatever decides, the
finding carries both quotes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from math import prod

from assay.encoder.verifier import Opinion, PointedSentence
from assay.explanation import name_source, quoted
from assay.judges import levels
from assay.judges.reasons import deciding_sentences
from assay.judges.same_thing import says_otherwise, speaks_of_same
from assay.memory.source_risks import authority_of
from assay.policy import Policy
from assay.text.comparable import stems_of, words_of
from assay.types import Document, Passage, Stance, Verdict

LEAST_WEIGHT = 0.1  # of the decision, from which a document has a say of its own
ABOUT = 0.3  # share of the claim's words from which a document speaks of the claim, whatever its weight
SILENT = 0.8  # probability of INSUFFICIENT from which a document says nothing of a claim
MOST_HEARD = 12  # documents judged alone for one claim
NEAR_COPY = 0.6  # share of the words two deciding sentences have in common, from which they count once
_COMPARED = 80  # words of each that are compared in their order
# Measured on written rows with `small`: where others lean the other way with these chances together, about 3 in 100
# (flagged) and 1 in 100 (left open) of the rightly supported claims are touched.
LEANING = 0.2
LIKELY = 0.6  # a document that backs a claim more surely than this is no rival of it
VOTE = 0.2  # least chance with which a document backs one of two rival statements, so that it is counted for it
CLEARLY = 1.5  # how many times the odds for the one must exceed those for the other
FLAGGED = 0.3
OPEN = 0.5

Voice = tuple[Document, Opinion]
Ask = Callable[[str, Sequence[Document]], Sequence[Opinion]]
"""Gives the opinions that single documents give of another statement; none where the model cannot be asked."""


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


def speaks_of(claim: str, opinion: Opinion) -> bool:
    """Whether a document alone backs or contradicts a claim at all, or says the same with one part of it changed."""
    if opinion.scores.insufficient < SILENT:
        return True
    return any(says_otherwise(claim, s.span.of(s.document.text)) for s in deciding_sentences(opinion)[:1])


@lru_cache(maxsize=1024)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stems_of(text))


def find_conflict(
    claim: str, alone: Sequence[Voice], policy: Policy, verdict: Verdict | None = None, ask: Ask | None = None
) -> Conflict | None:
    """What follows from the opinions that single documents give of a claim; None unless they disagree.

    `verdict` is the one on all of them together.
    """
    alone = [one for one in alone if deciding_sentences(one[1])]
    heard = [one for one in alone if _counts(claim, one, policy)]
    backing = [one for one in heard if one[1].scores.supported >= policy.conflict_probability]
    denying = [one for one in heard if one[1].scores.refuted >= policy.conflict_probability]
    if backing and denying:
        return _settle((backing, denying), _voices(alone, (backing, denying), ask), policy)
    if verdict in (Verdict.SUPPORTED, Verdict.REFUTED):
        return _doubt(claim, alone, heard, verdict)
    return None


def _counts(claim: str, voice: Voice, policy: Policy) -> bool:
    """Whether a document may speak against a claim: by a sentence about the same thing."""
    if not _leans(voice, 1):
        return True
    sentence = deciding_sentences(voice[1])[0]
    text = sentence.span.of(sentence.document.text)
    sure = _chances(voice)[1] >= policy.conflict_probability
    return speaks_of_same(claim, text, sentence.document.title, sure=sure)


def _voices(alone: Sequence[Voice], sides: Sequence[Sequence[Voice]], ask: Ask | None) -> list[list[Voice]]:
    """The documents for the claim and for the surest statement against it, near-copies once.

    A document that is not sure of either counts for the one that it backs far more than the other.
    """
    found = [list(side) for side in sides]
    others = [one for one in alone if not any(one in side for side in sides)]
    if others and ask is not None:
        rival = deciding_sentences(_surest(sides[1], 1)[1])[0]
        answers = ask(rival.span.of(rival.document.text), [document for document, _ in others])
        for one, other in zip(others, answers, strict=bool(answers)):
            odds = _odds(one[1]), _odds(other)
            side = 0 if odds[0] >= odds[1] else 1
            if odds[side] >= CLEARLY * odds[1 - side] and (one[1], other)[side].scores.supported >= VOTE:
                found[side].append(one)
    return [independent(side) for side in found]


def _settle(sides: Sequence[Sequence[Voice]], voices: Sequence[Sequence[Voice]], policy: Policy) -> Conflict:
    """The verdict where sources are sure of the opposite: by the criteria of the policy, one after the other.

    `sides` are those that are sure, for the claim and against it; `voices` all that say the same, copies once.
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
        elif criterion == "provenance":
            known = [[one for one in side if _has_origin(one[0])] for side in sides]
            if bool(known[0]) != bool(known[1]):
                winner = 0 if known[0] else 1
                by = known[winner][0]
                reason = f"{name_source(by[0], capital=True)} has a known origin and decides."
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


def _doubt(claim: str, alone: Sequence[Voice], heard: Sequence[Voice], verdict: Verdict) -> Conflict | None:
    """A verdict that some sources give while the others lean the other way: left open if these lean far enough."""
    side = 0 if verdict is Verdict.SUPPORTED else 1
    own = independent([one for one in heard if _leans(one, side)])
    others = independent([one for one in heard if _leans(one, 1 - side, LEANING)])
    against = 1.0 - prod(1.0 - _chances(one)[1 - side] for one in others)
    if against < FLAGGED:
        sure = independent([one for one in alone if _chances(one)[0] >= LIKELY])
        rivals = [one for one in alone if _is_rival(claim, one)]
        if side or len(sure) != 1 or not rivals:
            return None
        return _conflict(verdict, _chances(sure[0])[0], sure[0], rivals[0], "Another source says it otherwise.")
    first, second = _surest(own or heard, side), _surest(others, 1 - side)
    if first is second:
        return None
    otherwise = side == 0 and any(_is_rival(claim, one) for one in others)
    if (against >= OPEN or otherwise) and len(own) <= len(others):
        first, second = (first, second) if side == 0 else (second, first)
        reason = "The sources disagree about this, so it is not settled."
        return _conflict(Verdict.INSUFFICIENT, levels.UNSETTLED, first, second, reason)
    reason = "Not all sources agree on this."
    return _conflict(verdict, _chances(first)[side], first, second, reason)


def _is_rival(claim: str, voice: Voice) -> bool:
    """Whether a document that does not back a claim says the same with one part of it changed."""
    sentence = deciding_sentences(voice[1])[0]
    return _chances(voice)[0] < LIKELY and says_otherwise(claim, sentence.span.of(sentence.document.text))


def independent(voices: Sequence[Voice]) -> list[Voice]:
    """The voices without those whose deciding sentence nearly repeats that of one before."""
    kept: list[tuple[Voice, str]] = []
    for voice in voices:
        sentence = deciding_sentences(voice[1])[0]
        text = sentence.span.of(sentence.document.text)
        if not any(_near_copies(text, other) for _, other in kept):
            kept.append((voice, text))
    return [voice for voice, _ in kept]


def _near_copies(one: str, other: str) -> bool:
    """Whether two sentences have most words in common, or the shorter has most of its words from the other in a row."""
    stems = _stems(one), _stems(other)
    if len(stems[0] & stems[1]) >= NEAR_COPY * max(1, len(stems[0] | stems[1])):
        return True
    ours, theirs = words_of(one)[:_COMPARED], words_of(other)[:_COMPARED]
    run = SequenceMatcher(None, ours, theirs, autojunk=False).find_longest_match().size
    return run >= NEAR_COPY * max(1, min(len(ours), len(theirs)))


def _odds(opinion: Opinion) -> float:
    """How much likelier a document backs a statement than it contradicts it."""
    return opinion.scores.supported / max(opinion.scores.refuted, 0.01)


def _chances(voice: Voice) -> tuple[float, float]:
    return voice[1].scores.supported, voice[1].scores.refuted


def _leans(voice: Voice, side: int, least: float = 0.0) -> bool:
    return _chances(voice)[side] > max(_chances(voice)[1 - side], least)


def _surest(voices: Sequence[Voice], side: int) -> Voice:
    return max(voices, key=lambda voice: _chances(voice)[side])


def _conflict(verdict: Verdict, confidence: float, first: Voice, second: Voice, reason: str) -> Conflict:
    decides, opposes = deciding_sentences(first[1])[0], deciding_sentences(second[1])[0]
    return Conflict(verdict, confidence, decides, opposes, f"{reason} {_says(decides)} {_says(opposes)}")


def _has_origin(document: Document) -> bool:
    """Whether it is known where a document comes from: a file or an address, not a text that somebody sent."""
    return bool(document.uri) and not document.uri.startswith(("text:", "upload:"))


def _date_of(pair: Voice) -> str:
    return str(pair[0].date or "")


def _says(sentence: PointedSentence) -> str:
    text = sentence.span.of(sentence.document.text)
    return f"{name_source(sentence.document, capital=True)}: {quoted(text)}"
