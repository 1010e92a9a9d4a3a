from __future__ import annotations

from datetime import date

from assay.memory.source_risks import age_in_years, find_conflicts, find_outdated
from assay.policy import Policy
from assay.types import Document, Passage, Stance

CLAIM = "Mount Everest is 8,849 metres high."


def whole(document: Document) -> Passage:
    return Passage(document, 0, len(document.text))


NEW = Document(
    "survey", "In short: Mount Everest is 8,849 metres high.", date=date(2020, 12, 8), role="primary_answer_source"
)
OLD = Document("atlas", "An atlas. Mount Everest is 8,840 metres high. It is cold.", date=date(1990, 1, 1))


def test_two_values_for_the_same_thing_are_a_conflict_with_both_quotes() -> None:
    (conflict,) = find_conflicts(CLAIM, [whole(NEW), whole(OLD)])
    flag = conflict.flag()
    assert (flag.kind, flag.severity) == ("conflict", "high")
    assert [item.holds_in(document) for item, document in zip(flag.evidence, (NEW, OLD), strict=True)] == [True, True]
    assert "8,849 metres" in flag.evidence[0].quote
    assert "8,840 metres" in flag.evidence[1].quote
    assert [item.stance for item in flag.evidence] == [Stance.SUPPORTS, Stance.REFUTES]


def test_the_newer_and_the_more_authoritative_source_are_said() -> None:
    (conflict,) = find_conflicts(CLAIM, [whole(OLD), whole(NEW)])
    assert conflict.newer == "survey"
    assert conflict.more_authoritative == "survey"
    assert "survey is newer" in conflict.message


def test_agreement_silence_and_other_subjects_are_no_conflict() -> None:
    same = Document("echo", "Mount Everest is 8,849 metres high, they say.")
    other = Document("k2", "K2 is 8,611 metres high.")
    silent = Document("poem", "The mountain is silent.")
    assert find_conflicts(CLAIM, [whole(NEW), whole(same), whole(other), whole(silent)]) == []
    assert find_conflicts("Everest is high.", [whole(NEW), whole(OLD)]) == []


def test_one_document_does_not_conflict_with_itself() -> None:
    assert find_conflicts(CLAIM, [whole(OLD), whole(OLD)]) == []


def test_an_old_source_is_flagged_with_its_age() -> None:
    today = date(2021, 6, 1)
    (flag,) = find_outdated([NEW, OLD, Document("undated", "x")], today=today)
    assert (flag.kind, flag.severity) == ("outdated_source", "medium")
    assert "atlas is 31.4 years old" in flag.message
    inferred = Document("guess", "x", date=date(2019, 1, 1), date_inferred=True)
    assert "inferred" in find_outdated([inferred], today=today)[0].message
    assert find_outdated([OLD], Policy(outdated_days=20_000), today) == []
    assert age_in_years(Document("later", "x", date=date(2030, 1, 1)), today) == 0
