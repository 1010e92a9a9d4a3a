from datetime import date

import assay
from assay.engine import Engine
from assay.types import Document, Evidence, Judgement, Stance, Support, Verdict

OLD = Document("old", "The tower is 300 m tall.", date=date(2001, 1, 1))
NEW = Document("new", "The tower is 330 m tall.", date=date(2020, 1, 1))


def kinds(report):
    return [flag.kind for flag in report.risk_flags]


def check(answer, *sources, **more):
    return assay.check(answer, list(sources), judge="lexical", **more)


def test_sources_with_different_numbers_are_a_conflict_with_both_quotes():
    report = check("The tower is 330 m tall.", OLD, NEW)
    (flag,) = [flag for flag in report.risk_flags if flag.kind == "conflict"]
    assert {item.document for item in flag.evidence} == {"old", "new"}
    assert "new is newer" in flag.message


def test_one_source_has_no_conflict_with_itself():
    assert "conflict" not in kinds(check("The tower is 330 m tall.", NEW))


def test_only_sources_that_are_leaned_on_are_called_outdated():
    other = Document("other", "Boats sail on the sea.", date=date(1990, 1, 1))
    flags = [
        flag for flag in check("The tower is 330 m tall.", NEW, other).risk_flags if flag.kind == "outdated_source"
    ]
    assert ["new" in flag.message for flag in flags] == [True]


def test_an_undated_source_is_not_outdated():
    assert kinds(check("The tower is 330 m tall.", Document("d", NEW.text))) == []


def test_little_coverage_is_flagged():
    answer = "The tower cost 3 million pounds in 1889. The tower had 7,000 visitors on 6 May 1889."
    report = check(
        answer, Document("d", NEW.text), question="What did the tower cost and how many visitors did it have?"
    )
    assert "low_coverage" in kinds(report)


def test_a_phantom_citation_is_flagged_once_for_each_anchor():
    report = check("The tower is 330 m tall [4].", Document("d", NEW.text))
    assert kinds(report) == ["phantom_citation"]


def test_no_source_means_no_evidence():
    assert kinds(check("The tower is 330 m tall.")) == ["no_evidence"]


class Torn:
    """A judge for whom one source backs the claim and another denies it."""

    name = "torn"

    def judge(self, claims, passages, question=None):
        by_name = {p.document_id: p.document for p in passages[0]}
        evidence = tuple(
            Evidence.cite(by_name[name], 0, len(by_name[name].text), stance=stance)
            for name, stance in (("a", Stance.SUPPORTS), ("b", Stance.REFUTES))
        )
        said = Judgement(Verdict.SUPPORTED, 0.8, "torn", Support.FULL, "", evidence, ("SOURCES_DISAGREE",))
        return [said for _ in claims]


def test_opposite_stances_are_a_conflict_without_any_number():
    sources = [Document("a", "The bridge is open to cars."), Document("b", "The bridge is not open to cars.")]
    report = Engine(judge=Torn()).check("The bridge is open to cars.", sources=sources)
    (flag,) = [flag for flag in report.risk_flags if flag.kind == "conflict"]
    assert "a backs" in flag.message
    assert "b speaks against it" in flag.message


def test_a_wrong_citation_is_flagged_with_the_source_that_backs_the_claim():
    boats = Document("boats", "Boats sail on the sea.")
    report = check("The tower is 330 m tall [2].", Document("d", NEW.text), boats)
    (flag,) = [flag for flag in report.risk_flags if flag.kind == "wrong_citation"]
    assert "[2]" in flag.message
    assert flag.evidence[0].document == "d"
    assert "wrong_citation" not in kinds(check("The tower is 330 m tall [1].", Document("d", NEW.text), boats))


def test_uncited_claims_are_marked_and_critical_ones_flagged_in_an_answer_that_cites():
    source = Document("d", "The tower is 330 m tall. It opened in 1889. Boats sail on the sea.")
    report = check("The tower is 330 m tall [1]. It opened in 1889. Boats sail on the sea.", source)
    assert ["uncited" in finding.marks for finding in report.findings] == [False, True, True]
    (flag,) = [flag for flag in report.risk_flags if flag.kind == "uncited_claim"]
    assert "1889" in flag.message
    assert report.findings[1].to_dict()["marks"] == ["uncited"]


def test_an_answer_that_cites_nothing_has_no_uncited_claims():
    report = check("The tower is 330 m tall. It opened in 1889.", Document("d", "The tower is 330 m tall."))
    assert not any("uncited" in finding.marks for finding in report.findings)
    assert "uncited_claim" not in kinds(report)


def test_the_clauses_of_one_sentence_share_its_citation():
    report = check("Paris is in France and Berlin is in Germany [1].", "Paris is in France. Berlin is in Germany.")
    assert len(report.findings) == 2
    assert not any("uncited" in finding.marks for finding in report.findings)
