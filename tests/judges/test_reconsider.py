"""A verdict that rests on words which a source does not assert is given again without them, whatever the judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assay.judges.asking import ask
from assay.judges.reconsider import UNASSERTED
from assay.policy import Policy
from assay.types import Claim, Document, Evidence, Judgement, Passage, Stance, Support, Verdict
from tests.judges.opinions import claim, whole

LIE, TRUTH = "Bats are birds.", "Bats are mammals."


class Gullible:
    """Supports whatever shares its first and last word with a passage, and refutes what shares only the first."""

    name = "gullible"

    def __init__(self) -> None:
        self.asked = 0

    def judge(
        self, claims: Sequence[Claim], passages: Sequence[Sequence[Passage]], question: str | None = None
    ) -> list[Judgement]:
        self.asked += len(claims)
        return [self._one(one.text.rstrip(".").lower(), given) for one, given in zip(claims, passages, strict=True)]

    def _one(self, text: str, given: Sequence[Passage]) -> Judgement:
        first, last = text.split()[0], text.split()[-1]
        near = [p for p in given if first in p.text.lower()]
        same = [p for p in near if last in p.text.lower()]
        if not near:
            return Judgement(Verdict.INSUFFICIENT, 0.5, "none", explanation="Nothing found.")
        verdict, stance = (Verdict.SUPPORTED, Stance.SUPPORTS) if same else (Verdict.REFUTED, Stance.REFUTES)
        evidence = tuple(Evidence.cite(p.document, p.start, p.end, stance=stance) for p in same or near)
        support = Support.FULL if same else Support.CONTRADICTED
        return Judgement(verdict, 0.9, "gullible", support, "It says so.", evidence, latency_ms=1.0, cost_usd=0.01)


def judged(text: str, *sources: str) -> Judgement:
    passages = [whole(Document(str(number), source)) for number, source in enumerate(sources, 1)]
    return ask(Gullible(), [claim(text)], [passages], None, Policy()).judgements[0]


def test_a_question_backs_nothing_and_the_reason_is_told() -> None:
    found = judged(LIE, "Are bats birds?")
    assert found.verdict is Verdict.INSUFFICIENT
    assert "asks this, it does not say it" in found.explanation
    assert "“Are bats birds?”" in found.explanation
    assert UNASSERTED in found.violations
    assert found.evidence[0].stance is Stance.NEUTRAL


def test_a_question_contradicts_nothing_either() -> None:
    assert judged(TRUTH, "Is it true that bats, the well-known mammals of the night, are birds?").verdict is not (
        Verdict.REFUTED
    )


@pytest.mark.parametrize(
    "source", ["Are bats really a sort of bird?", "If bats were birds, their wings would have feathers."]
)
def test_a_question_or_supposition_with_few_words_of_the_claim_contradicts_nothing(source: str) -> None:
    found = judged("Bats are furry mammals that suckle their young.", source)
    assert found.verdict is Verdict.INSUFFICIENT
    assert found.evidence[0].stance is Stance.NEUTRAL


@pytest.mark.parametrize("text", ["It is a myth that bats are birds.", "Bats are birds. This is false."])
def test_a_source_that_denies_the_claim_refutes_it(text: str) -> None:
    found = judged(LIE, text)
    assert found.verdict is Verdict.REFUTED
    assert "says that this is not so" in found.explanation
    assert found.evidence[0].stance is Stance.REFUTES


def test_what_stands_beside_the_question_decides() -> None:
    found = judged(LIE, "Are bats birds? Bats are mammals.")
    assert found.verdict is Verdict.REFUTED
    assert found.evidence[0].quote.strip() == "Bats are mammals."


def test_a_claim_that_is_asserted_elsewhere_stays_supported_by_that_sentence() -> None:
    found = judged(TRUTH, "Are bats mammals? Zoologists call bats mammals.")
    assert found.verdict is Verdict.SUPPORTED
    assert "?" not in found.evidence[0].quote


def test_a_claim_that_denies_is_backed_by_a_denial_and_not_refuted_by_it() -> None:
    assert judged("Bats are not birds.", "It is a myth that bats are birds.").verdict is Verdict.SUPPORTED
    assert (
        judged(
            "Bats have no feathers.", "It is a myth that bats have many coloured feathers, say experts of bats."
        ).verdict
        is not Verdict.REFUTED
    )


def test_a_conflict_with_a_question_is_none() -> None:
    class Torn(Gullible):
        def _one(self, text: str, given: Sequence[Passage]) -> Judgement:
            found = super()._one(text, given)
            violations = ("SOURCES_DISAGREE",) if len(given) > 1 else ()
            return replace(found, violations=violations)

    passages = [whole(Document("1", TRUTH)), whole(Document("2", "Are bats mammals?"))]
    found = ask(Torn(), [claim(TRUTH)], [passages], None, Policy()).judgements[0]
    assert (found.verdict, found.violations) == (Verdict.SUPPORTED, ())


def test_one_source_for_it_and_one_that_denies_it_are_a_conflict() -> None:
    found = judged(LIE, "Bats are birds.", "It is a myth that bats are birds.")
    assert found.verdict is Verdict.REFUTED
    assert "SOURCES_DISAGREE" in found.violations
    assert {item.stance for item in found.evidence} == {Stance.SUPPORTS, Stance.REFUTES}


def test_several_sources_for_it_and_one_that_denies_it_keep_it_with_a_flag() -> None:
    found = judged(TRUTH, "Bats are mammals.", "Zoologists call bats mammals.", "It is a myth that bats are mammals.")
    assert found.verdict is Verdict.SUPPORTED
    assert "SOURCES_DISAGREE" in found.violations


def test_plain_evidence_is_judged_once_and_time_and_money_are_summed() -> None:
    judge = Gullible()
    plain, asked = whole(Document("1", TRUTH)), whole(Document("2", "Are bats mammals? Zoologists call bats mammals."))
    found = ask(judge, [claim(TRUTH), claim(TRUTH)], [[plain], [asked]], None, Policy()).judgements
    assert judge.asked == 3
    assert [one.cost_usd for one in found] == [0.01, 0.02]
    assert [one.latency_ms for one in found] == [1.0, 2.0]
