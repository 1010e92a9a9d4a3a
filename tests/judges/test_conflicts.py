"""Sources that disagree: who has a say, which decides, and what is said about it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from assay.encoder.scores import Scores
from assay.encoder.verifier import Opinion
from assay.judges.conflicts import Conflict, documents_with_a_say, find_conflict
from assay.policy import Policy
from assay.types import Document, Passage, Stance, Verdict
from tests.judges.opinions import SURE, sentence

POLICY = Policy()
OLD = Document("old", "The fee is $150.", date=date(2022, 1, 1))
NEW = Document("new", "The fee is $180.", date=date(2024, 1, 1))


def on(document: Document, supported: float, refuted: float) -> tuple[Document, Opinion]:
    scores = Scores(supported, refuted, 1 - supported - refuted)
    return document, Opinion(scores, (sentence(document, document.text),))


def backs(document: Document, chance: float = 0.95) -> tuple[Document, Opinion]:
    return on(document, chance, 0.02)


def denies(document: Document, chance: float = 0.95) -> tuple[Document, Opinion]:
    return on(document, 0.02, chance)


def conflict(*alone: tuple[Document, Opinion]) -> Conflict:
    found = find_conflict("The fee is $150.", alone, POLICY)
    assert found is not None
    return found


def undated(name: str, text: str = "The fee is $150.") -> Document:
    return Document(name, text)


@pytest.mark.parametrize("reverse", [False, True])
def test_the_newer_of_two_sources_decides_and_both_are_quoted(reverse: bool) -> None:
    pair = [backs(OLD), denies(NEW, 0.9)]
    found = conflict(*(pair[::-1] if reverse else pair))
    assert (found.verdict, found.confidence) == (Verdict.REFUTED, 0.9)
    assert (found.deciding.document, found.opposing.document) == (NEW, OLD)
    assert "newer (2024-01-01) and decides" in found.reason
    assert "“The fee is $180.”" in found.reason
    assert "“The fee is $150.”" in found.reason


def test_a_newer_source_that_backs_a_claim_decides_too() -> None:
    found = conflict(denies(OLD), backs(NEW))
    assert (found.verdict, found.deciding.document) == (Verdict.SUPPORTED, NEW)


def test_the_newest_decides_over_several_older_ones() -> None:
    older = replace(OLD, id="older", date=date(2020, 1, 1))
    assert conflict(backs(OLD), backs(older), denies(NEW)).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "dates", [(None, None), (date(2024, 1, 1), None), (None, date(2024, 1, 1)), (date(2024, 1, 1),) * 2]
)
def test_sources_of_which_none_is_known_to_be_newer_leave_the_claim_contradicted(dates) -> None:
    one, other = undated("a"), undated("b", "The fee is $180.")
    found = conflict(backs(replace(one, date=dates[0])), denies(replace(other, date=dates[1])))
    assert found.verdict is Verdict.REFUTED
    assert found.deciding.document.id == "b"


def test_one_source_against_several_does_not_win() -> None:
    again = undated("1", "Members pay a fee of $150 each year.")
    found = conflict(backs(undated("0")), backs(again, 0.97), denies(undated("x", "The fee is $180.")))
    assert (found.verdict, found.confidence, found.deciding.document.id) == (Verdict.SUPPORTED, 0.97, "1")
    assert found.reason.startswith("2 sources back this, 1 speaks against it.")


def test_several_sources_speak_against_it() -> None:
    for_it = ["The fee is $150.", "Members pay $150 each year.", "Joining costs 150 dollars."]
    against = ["It costs $180 now.", "The board raised the price to $180 in May."]
    found = conflict(
        *(backs(undated(text, text)) for text in for_it), *(denies(undated(text, text)) for text in against)
    )
    assert found.reason.startswith("3 sources back this, 2 speak against it.")


def test_near_copies_count_once() -> None:
    copies = [undated(str(n), f"{opening} the fee of the club is $150.") for n, opening in enumerate(("", "Now", "So"))]
    others = [undated("x", "Joining costs 180 dollars."), undated("y", "The board raised the price to $180.")]
    found = conflict(*map(backs, copies), *map(denies, others))
    assert found.verdict is Verdict.REFUTED


def test_the_more_authoritative_source_decides_unless_the_policy_says_otherwise() -> None:
    primary = replace(OLD, role="primary_answer_source")
    assert conflict(backs(primary), denies(NEW)).verdict is Verdict.SUPPORTED
    assert "more authoritative" in conflict(backs(primary), denies(NEW)).reason
    by_date = find_conflict("The fee is $150.", [backs(primary), denies(NEW)], POLICY.but(conflict_order="date,count"))
    assert by_date is not None
    assert by_date.verdict is Verdict.REFUTED


def test_a_known_origin_decides_if_the_policy_says_so() -> None:
    filed, sent = replace(OLD, uri="https://example.org/fees"), replace(NEW, uri="upload:fees.txt")
    alone = [backs(filed), denies(sent)]
    weighed = find_conflict("The fee is $150.", alone, POLICY.but(conflict_order="role,provenance,date,count"))
    assert weighed is not None
    assert (weighed.verdict, "known origin" in weighed.reason) == (Verdict.SUPPORTED, True)
    assert conflict(*alone).verdict is Verdict.REFUTED


def test_a_date_read_from_the_text_lets_no_lone_newcomer_overrule_several() -> None:
    newcomer = replace(NEW, date_inferred=True)
    older = replace(undated("older", "Members pay $150 each year."), date=date(2021, 1, 1))
    assert conflict(backs(OLD), backs(older), denies(newcomer)).verdict is Verdict.SUPPORTED
    assert conflict(backs(OLD), denies(newcomer)).verdict is Verdict.REFUTED


def leans(document: Document, supported: float, refuted: float) -> tuple[Document, Opinion]:
    return on(document, supported, refuted)


def test_a_lone_source_against_several_that_lean_the_other_way_settles_nothing() -> None:
    others = [leans(undated(text, text), 0.1, 0.4) for text in ("The fee of a member is $180.", "The fee was raised.")]
    found = find_conflict("The fee is $150.", [backs(NEW), *others], POLICY, Verdict.SUPPORTED)
    assert found is not None
    assert found.verdict is Verdict.INSUFFICIENT
    assert found.stances == (Stance.SUPPORTS, Stance.REFUTES)
    assert found.deciding.document == NEW
    assert find_conflict("The fee is $150.", [backs(NEW), *others], POLICY) is None


def test_one_source_that_leans_the_other_way_is_told_and_decides_nothing() -> None:
    found = find_conflict("The fee is $150.", [backs(NEW), leans(OLD, 0.1, 0.35)], POLICY, Verdict.SUPPORTED)
    assert found is not None
    assert found.verdict is Verdict.SUPPORTED
    assert "Not all sources agree" in found.reason
    assert find_conflict("The fee is $150.", [backs(NEW), leans(OLD, 0.1, 0.15)], POLICY, Verdict.SUPPORTED) is None


def test_a_source_that_says_it_of_another_thing_is_no_conflict() -> None:
    claim = "The Marlow pool closes at 9 pm."
    own, library = undated("pool", claim), undated("library", "The Marlow library closes at 6 pm.")
    assert find_conflict(claim, [backs(own), denies(library)], POLICY, Verdict.SUPPORTED) is None
    same = undated("poster", "From May on the Marlow pool closes at 11 pm.")
    found = find_conflict(claim, [backs(own), denies(library), denies(same)], POLICY, Verdict.SUPPORTED)
    assert found is not None
    assert found.opposing.document == own
    assert found.deciding.document == same


def test_sources_that_are_not_sure_count_for_the_statement_they_back_more() -> None:
    claim = "The fee is $150."
    rival, others = undated("x", "The fee is $180."), [undated("y", "Members pay 150."), undated("z", "Joining: 150.")]
    alone = [backs(undated("o")), denies(rival), *(leans(one, 0.4, 0.45) for one in others)]
    asked = []

    def ask(text: str, documents: list[Document]) -> list[Opinion]:
        asked.append(text)
        return [leans(one, 0.1, 0.7)[1] for one in documents]

    assert find_conflict(claim, alone, POLICY).verdict is Verdict.REFUTED
    found = find_conflict(claim, alone, POLICY, ask=ask)
    assert (found.verdict, asked) == (Verdict.SUPPORTED, ["The fee is $180."])
    assert found.reason.startswith("3 sources back this, 1 speaks against it.")


def test_a_lone_source_beside_one_that_says_it_otherwise_is_told() -> None:
    claim = "The blue whale eats seals."
    lone, other = undated("lone", claim), leans(undated("other", "The blue whale eats krill."), 0.1, 0.15)
    found = find_conflict(claim, [backs(lone), other], POLICY, Verdict.SUPPORTED)
    assert (found.verdict, found.opposing.document) == (Verdict.SUPPORTED, other[0])
    again = undated("again", "Every winter a blue whale hunts for seals near the ice.")
    assert find_conflict(claim, [backs(lone), backs(again), other], POLICY, Verdict.SUPPORTED) is None


def test_sentences_with_the_same_words_in_a_row_count_once() -> None:
    ways = ("As everybody knows, {}", "It has been confirmed that {}", "Recent work of several teams shows that {}")
    copies = [undated(way, way.format("the fee is $180 for all members.")) for way in ways]
    found = conflict(backs(undated("a")), backs(undated("b", "Members pay 150 dollars.")), *map(denies, copies))
    assert found.verdict is Verdict.SUPPORTED


def test_documents_that_speak_of_the_claim_have_a_say_whatever_their_weight() -> None:
    poison, truth, other = undated("p", "The fee is $90."), undated("t", "The fee is $150."), undated("o", "Cats purr.")
    opinion = Opinion(
        SURE,
        (sentence(poison, poison.text, 0.98), sentence(truth, truth.text, 0.01), sentence(other, other.text, 0.01)),
    )
    passages = [Passage(one, 0, len(one.text)) for one in (poison, truth, other)]
    assert documents_with_a_say(opinion) == [poison]
    assert documents_with_a_say(opinion, "The fee is $90.", passages) == [poison, truth]


@pytest.mark.parametrize(
    "alone",
    [
        [],
        [backs(OLD)],
        [denies(OLD)],
        [backs(OLD), backs(NEW)],
        [denies(OLD), denies(NEW)],
        [backs(OLD), denies(NEW, 0.84)],
        [backs(OLD, 0.84), denies(NEW)],
    ],
)
def test_sources_that_agree_or_are_not_sure_are_no_conflict(alone: list[tuple[Document, Opinion]]) -> None:
    assert find_conflict("The fee is $150.", alone, POLICY) is None


def test_how_sure_they_must_be_is_the_policys_to_say() -> None:
    assert (
        find_conflict("The fee is $150.", [backs(OLD, 0.7), denies(NEW, 0.7)], POLICY.but(conflict_probability=0.7))
        is not None
    )


def test_a_document_that_nothing_can_be_quoted_from_takes_no_part() -> None:
    heading = Opinion(Scores(0.02, 0.95, 0.03), (sentence(NEW, NEW.text, kind="heading"),))
    assert find_conflict("The fee is $150.", [backs(OLD), (NEW, heading)], POLICY) is None


def test_only_documents_that_carry_the_decision_have_a_say() -> None:
    plans, bikes, parks = (Document(n, f"Of {n}. More of {n}.") for n in ("plans", "bikes", "parks"))
    opinion = Opinion(
        SURE,
        (
            sentence(plans, "Of plans.", 0.4),
            sentence(bikes, "Of bikes.", 0.3),
            sentence(bikes, "More of bikes.", 0.24),
            sentence(parks, "Of parks.", 0.05),
        ),
    )
    assert documents_with_a_say(opinion) == [bikes, plans]
    assert documents_with_a_say(Opinion(SURE)) == []
