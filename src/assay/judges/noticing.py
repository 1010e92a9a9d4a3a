"""What a lexical judge noticed on the way to its judgement, as numbers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay.judges.signals import Signals
from assay.lexical.agreement import find_objection
from assay.lexical.assertion import names_of
from assay.lexical.comparison import Comparison
from assay.lexical.negation import is_negative
from assay.lexical.numbers import NumberCheck, NumberStatus
from assay.lexical.reading import Line
from assay.policy import Policy
from assay.render.decisive import find_decisive
from assay.types import Judgement

_CHARACTERS = 6  # of a word


def notice(
    compared: Comparison,
    judgement: Judgement,
    violations: Collection[str],
    numbers: Sequence[Sequence[NumberCheck]],
    policy: Policy,
) -> Signals:
    """The signals of a claim; `numbers` are the checks of its numbers against each passage."""
    claim = compared.claim
    everything = compared.everything()
    share, line, near = compared.ranked[0] if compared.ranked else (0.0, None, None)
    around = compared.around(near)
    names, words = _swapped(claim.text, line, around)
    statuses = [min(map(_rank_status, checks)) for checks in zip(*numbers, strict=True)]
    similar = [r.passage.similarity for r in compared.readings if r.passage.similarity is not None]
    closest = line.text if line else ""
    return Signals(
        method=judgement.method,
        verdict=judgement.verdict,
        coverage=share,
        reach=claim.coverage(everything),
        names=len(claim.names),
        names_missing=len(claim.names - everything),
        names_missing_near=len(claim.names - around),
        name_swapped=names,
        word_swapped=words,
        numbers=len(statuses),
        numbers_equal=statuses.count(0),
        numbers_different=statuses.count(1),
        numbers_absent=statuses.count(2),
        # Of 35 labelled claims like this three were supported; from 0.8 on it was 17 of 79.
        number_put_in=2 in statuses and share >= policy.copied_coverage,
        denied="CONTEXT_NEGATED" in violations,
        sign_differs=bool(closest) and is_negative(claim.text) != is_negative(closest),
        objection=bool(closest) and find_objection(claim.text, closest) is not None,
        quote_missing="QUOTE_NOT_FOUND" in violations,
        similarity=max(similar, default=0.0),
        words=len(claim.words),
        evidence_words=sum(len(reading.prose.text) for reading in compared.readings) // _CHARACTERS,
    )


def _swapped(claim: str, line: Line | None, around: frozenset[str]) -> tuple[bool, bool]:
    """Whether a name, or another word, stands in the claim where an otherwise like sentence has another one."""
    found = find_decisive(claim, line.text).claim if line else ()
    strange = [span.of(claim) for span in found]
    names = any(names_of(words) - around for words in strange)
    return names, bool(strange) and not names


def _rank_status(check: NumberCheck) -> int:
    """0 for a number that holds, 1 for one that differs, 2 for one that is not stated."""
    return {NumberStatus.DIFFERENT: 1, NumberStatus.ABSENT: 2}.get(check.status, 0)
