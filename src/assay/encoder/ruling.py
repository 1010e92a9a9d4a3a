"""One claim against many passages: the verdict, the passages that decided it and the words to quote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.encoder.scores import NOTHING, Outcome, Scores, over_windows
from assay.encoder.subject import Subject, bearings, has_words, rank
from assay.encoder.windows import Window
from assay.errors import ContractError
from assay.policy import Policy
from assay.text.sentences import split_sentences
from assay.types import Evidence, Passage, Span, Stance, Verdict

if TYPE_CHECKING:
    from assay.encoder.pairing import Tokens
    from assay.encoder.verifier import Verifier

MOST_WINDOWS = 24  # those that share most with the claim; the rest cannot matter and costs seconds
LEAST_ROOM = 32  # tokens of evidence below which a reading means nothing
MOST_SENTENCES = 8  # of a deciding window that are read again to find the one to quote
STANCES = {Verdict.SUPPORTED: Stance.SUPPORTS, Verdict.REFUTED: Stance.REFUTES}


@dataclass(frozen=True)
class Ruling:
    """What the passages say together.

    `decided_by` numbers the passages that decided, `evidence` quotes them, `alone` has each passage's own scores (None
    where it shared too little with the claim to be read), `readings` counts the runs of the network.
    """

    scores: Scores
    decided_by: tuple[int, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    alone: tuple[Scores | None, ...] = ()
    readings: int = 0

    @property
    def verdict(self) -> Verdict:
        return self.scores.verdict

    @property
    def confidence(self) -> float:
        return self.scores.confidence


@dataclass(frozen=True)
class _Option:
    """One way to read the evidence: a window of a passage, or the best windows of two; whether it is about the claim's
    subject, and whether it may settle the claim or only complete another."""

    passages: tuple[int, ...]
    windows: tuple[Window, ...]
    scores: Scores
    about: bool
    settles: bool = True


def rule(verifier: Verifier, claim: str, passages: Sequence[Passage], policy: Policy) -> Ruling:
    """Every passage alone, the two best together, then a look at which sentence it was."""
    tokens = verifier.pairing.tokens(claim)
    _check_length(verifier, tokens, policy)
    sources = [verifier.source(passage.text) for passage in passages]
    filled = [source for source in sources if has_words(source.tokens.text)]
    if not has_words(claim) or not filled:
        return Ruling(NOTHING, alone=(None,) * len(passages))
    windows = verifier.windows(filled, tokens)
    chosen = bearings(Subject.of(claim), [window.stems for window in windows], MOST_WINDOWS)
    number_of = {id(source): number for number, source in enumerate(sources)}
    read = verifier.read([(windows[one.number].ids, tokens.ids) for one in chosen])
    options = [
        _Option((number_of[id(windows[one.number].source)],), (windows[one.number],), scores, one.about, one.alone)
        for one, scores in zip(chosen, read, strict=True)
    ]
    alone = tuple(_alone(options, number) for number in range(len(passages)))
    outcome = _weigh(options)
    readings = len(options)
    if max(outcome.scores.supported, outcome.scores.refuted) < policy.unsure_high:
        joint = _join_best(verifier, tokens, options)
        if joint:
            options.append(joint)
            readings += 1
            outcome = _weigh(options)
    if outcome.decider is None:
        return Ruling(NOTHING, alone=alone, readings=readings)
    decider = options[outcome.decider]
    quotes, more = _quote(verifier, tokens, decider, outcome.scores.verdict)
    evidence = tuple(
        Evidence.cite(
            passages[number].document,
            passages[number].start + span.start,
            passages[number].start + span.end,
            stance=STANCES.get(outcome.scores.verdict, Stance.NEUTRAL),
            similarity=passages[number].similarity,
        )
        for number, span in zip(decider.passages, quotes, strict=True)
    )
    return Ruling(outcome.scores, decider.passages, evidence, alone, readings + more)


def _check_length(verifier: Verifier, claim: Tokens, policy: Policy) -> None:
    most = min(policy.claim_max_tokens, verifier.max_tokens - verifier.pairing.specials - LEAST_ROOM)
    if len(claim) > most:
        raise ContractError(
            f"the claim has {len(claim)} tokens and one judgement takes at most {most} "
            "(policy field claim_max_tokens): split it into claims first, or use score()"
        )


def _weigh(options: Sequence[_Option]) -> Outcome:
    return over_windows([o.scores if o.settles else NOTHING for o in options], [o.about for o in options])


def _alone(options: Sequence[_Option], number: int) -> Scores | None:
    own = [option for option in options if option.passages == (number,)]
    return over_windows([option.scores for option in own], [option.about for option in own]).scores if own else None


def _join_best(verifier: Verifier, claim: Tokens, options: Sequence[_Option]) -> _Option | None:
    """The best window, read together with the window of another passage that adds most of the claim's missing words."""
    words = Subject.of(claim.text).words
    if not words:
        return None

    def covers(option: _Option) -> frozenset[str]:
        return words & option.windows[0].stems

    first = max(options, key=lambda option: option.scores.supported + len(covers(option)) / len(words))
    others = [option for option in options if option.passages != first.passages]
    if not others:
        return None
    second = max(others, key=lambda option: (len(covers(option) - covers(first)), option.scores.supported))
    missing = words - covers(first)
    if len(covers(second) & missing) < max(2, len(missing) / 2):
        return None  # one word more, among many passages, is chance
    one, two = sorted((first, second), key=lambda option: option.passages)
    room = verifier.room(claim)
    left, right = one.windows[0].ids, two.windows[0].ids
    if len(left) + len(right) > room:  # the shorter keeps all it can, the longer gives way
        share = max(room - min(len(left), len(right)), room // 2)
        left, right = (left[:share], right[: room - min(len(left), share)])
    scores = verifier.read([(np.concatenate([left, right]), claim.ids)])[0]
    return _Option((*one.passages, *two.passages), (*one.windows, *two.windows), scores, first.about or second.about)


def _quote(verifier: Verifier, claim: Tokens, option: _Option, verdict: Verdict) -> tuple[list[Span], int]:
    """For each window of an option the sentence to quote, in offsets of its passage, and how many readings it took."""
    subject = Subject.of(claim.text)
    if len(option.windows) > 1 or verdict not in STANCES:
        return [_nearest(window, subject) for window in option.windows], 0
    window = option.windows[0]
    spans = _sentences(window)
    if len(spans) < 2:
        return [spans[0] if spans else window.span], 0
    near = rank(subject, [window.source.stems(span) for span in spans], MOST_SENTENCES)
    pieces = [window.source.window(spans[number], verifier.room(claim)) for number in near]
    found = verifier.read([(piece.ids, claim.ids) for piece in pieces])
    of_verdict = [scores.supported if verdict is Verdict.SUPPORTED else scores.refuted for scores in found]
    best = max(range(len(pieces)), key=lambda number: of_verdict[number])
    # No sentence says it alone: then it is their company that does, and the whole window is quoted.
    return [pieces[best].span if found[best].verdict is verdict else _whole(spans)], len(pieces)


def _sentences(window: Window) -> list[Span]:
    return [sentence.span.shifted(window.span.start) for sentence in split_sentences(window.text)]


def _nearest(window: Window, subject: Subject) -> Span:
    spans = _sentences(window)
    shared = [len(subject.words & window.source.stems(span)) for span in spans]
    return spans[max(range(len(spans)), key=lambda number: shared[number])] if spans else window.span


def _whole(spans: Sequence[Span]) -> Span:
    return Span(spans[0].start, spans[-1].end)
