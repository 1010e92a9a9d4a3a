"""What the model judge makes of an opinion: verdicts that are earned, receipts, reasons, conflicts, other languages."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder.evidence import MarkedWord, Opinion, PointedSentence, reading_title
from assay.encoder.scores import Scores
from assay.judges import make_judge
from assay.judges.conflicts import documents_with_a_say, find_conflict
from assay.judges.model import earned_verdict, judge_unread, says_the_same
from assay.judges.reasons import deciding_sentences, explain_opinion, marked_stretches
from assay.policy import Policy
from assay.types import Claim, Document, Passage, Span, Verdict

POLICY = Policy()
PLANS = Document(
    id="plans", text="The Basic plan is $19 per month. The Pro plan is priced at $49 monthly.", title="Plans"
)


def sentence(document: Document, text: str, weight: float, kind: str = "prose") -> PointedSentence:
    start = document.text.index(text)
    return PointedSentence(document, Span(start, start + len(text)), weight, kind, None)


def words(claim: str, *wrong: str) -> tuple[MarkedWord, ...]:
    found, at = [], 0
    for word in claim.split():
        start = claim.index(word, at)
        at = start + len(word)
        found.append(MarkedWord(Span(start, at), 0.9 if word.strip(".") in wrong else 0.1))
    return tuple(found)


# Verdicts


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_refutation_is_never_given_below_its_cut_off(one: float, other: float) -> None:
    supported, refuted = min(one, 1 - other), min(other, 1 - min(one, 1 - other))
    scores = Scores(supported, refuted, 1 - supported - refuted)
    verdict, confidence = earned_verdict(scores, 0.7, 0.5)
    assert 0 <= confidence <= 1
    if verdict is Verdict.REFUTED:
        assert confidence == refuted >= 0.7
    if verdict is Verdict.SUPPORTED:
        assert confidence == supported > 0.5


def test_what_looks_wrong_but_not_surely_settles_nothing() -> None:
    assert earned_verdict(Scores(0.2, 0.6, 0.2), 0.7, 0.5) == (Verdict.INSUFFICIENT, pytest.approx(0.8))
    assert earned_verdict(Scores(0.05, 0.9, 0.05), 0.7, 0.5)[0] is Verdict.REFUTED
    assert earned_verdict(Scores(0.45, 0.3, 0.25), 0.7, 0.5)[0] is Verdict.INSUFFICIENT


def test_a_claim_that_is_a_sentence_of_its_source_is_recognised() -> None:
    place = sentence(PLANS, "The Basic plan is $19 per month.", 1.0)
    assert says_the_same("the basic plan is $19 per month", place)
    assert not says_the_same("The Pro plan is $19 per month.", place)


# Receipts and reasons


def test_a_heading_is_never_a_receipt() -> None:
    document = Document(id="d", text="# Prices\nThe Basic plan is $19.")
    opinion = Opinion(
        Scores(0.9, 0.05, 0.05),
        (sentence(document, "Prices", 0.7, "heading"), sentence(document, "The Basic plan is $19.", 0.3)),
    )
    assert [s.span.of(document.text) for s in deciding_sentences(opinion)] == ["The Basic plan is $19."]


def test_a_second_sentence_is_quoted_only_if_it_carries_part_of_the_decision() -> None:
    first, second = (
        sentence(PLANS, text, weight)
        for text, weight in (("The Basic plan is $19 per month.", 0.7), ("The Pro plan is priced at $49 monthly.", 0.3))
    )
    assert len(deciding_sentences(Opinion(Scores(1, 0, 0), (first, second)))) == 2
    weak = PointedSentence(second.document, second.span, 0.1, "prose", None)
    assert len(deciding_sentences(Opinion(Scores(1, 0, 0), (first, weak)))) == 1


def test_neighbouring_marked_words_become_one_stretch() -> None:
    claim = "The Pro plan costs about nineteen dollars per month."
    opinion = Opinion(Scores(0, 1, 0), (), words(claim, "nineteen", "dollars"))
    assert [span.of(claim) for span in marked_stretches(claim, opinion, Verdict.REFUTED)] == ["nineteen dollars"]
    assert marked_stretches(claim, opinion, Verdict.SUPPORTED) == ()


def test_a_refuted_claim_without_a_marked_word_shows_its_likeliest() -> None:
    claim = "Pro costs $19."
    faint = tuple(MarkedWord(w.span, 0.3 if w.span.of(claim) == "costs" else 0.1) for w in words(claim))
    assert [s.of(claim) for s in marked_stretches(claim, Opinion(Scores(0, 1, 0), (), faint), Verdict.REFUTED)] == [
        "costs"
    ]


def test_a_refutation_says_both_values() -> None:
    document = Document(id="d", text="Doors open at 15:00.", title="Programme")
    claim = "Doors open at 5 pm."
    quotes = (sentence(document, "Doors open at 15:00.", 1.0),)
    said = explain_opinion(claim, Verdict.REFUTED, quotes, [Span(14, 18)], POLICY)
    assert "15:00" in said
    assert "5 pm" in said
    assert "something else" not in said


def test_a_refutation_names_the_words_that_are_wrong_and_quotes_the_source() -> None:
    claim = "Carry on with the drops if your eyes turn red."
    document = Document(id="d", text="Stop using the drops if redness occurs.")
    said = explain_opinion(claim, Verdict.REFUTED, (sentence(document, document.text, 1.0),), [Span(0, 8)], POLICY)
    assert "“Carry on”" in said
    assert "Stop using the drops" in said


def test_an_open_claim_names_what_nothing_backs() -> None:
    claim = "Pro is cheaper if paid yearly."
    said = explain_opinion(
        claim,
        Verdict.INSUFFICIENT,
        (sentence(PLANS, "The Pro plan is priced at $49 monthly.", 1.0),),
        [Span(7, 29)],
        POLICY,
    )
    assert said.startswith("No source backs “cheaper if paid yearly”.")


# Conflicts


def opinion_on(document: Document, supported: float, refuted: float) -> tuple[Document, Opinion]:
    place = PointedSentence(document, Span(0, len(document.text)), 1.0, "prose", None)
    return document, Opinion(Scores(supported, refuted, 1 - supported - refuted), (place,))


OLD = Document(id="old", text="The fee is $150.", date=date(2022, 1, 1))
NEW = Document(id="new", text="The fee is $180.", date=date(2024, 1, 1))


def test_the_newer_of_two_sources_decides_and_both_are_quoted() -> None:
    found = find_conflict([opinion_on(OLD, 0.95, 0.02), opinion_on(NEW, 0.02, 0.95)], POLICY)
    assert found is not None
    assert found.verdict is Verdict.REFUTED
    assert (found.deciding.document, found.opposing.document) == (NEW, OLD)
    assert "newer" in found.reason
    backed = find_conflict([opinion_on(OLD, 0.02, 0.95), opinion_on(NEW, 0.95, 0.02)], POLICY)
    assert backed is not None
    assert backed.verdict is Verdict.SUPPORTED


def test_sources_without_dates_that_disagree_leave_the_claim_contradicted() -> None:
    one, other = Document(id="a", text="The fee is $150."), Document(id="b", text="The fee is $180.")
    found = find_conflict([opinion_on(one, 0.95, 0.02), opinion_on(other, 0.02, 0.95)], POLICY)
    assert found is not None
    assert found.verdict is Verdict.REFUTED


def test_one_source_against_several_does_not_win() -> None:
    backing = [opinion_on(Document(id=str(n), text="The fee is $150."), 0.95, 0.02) for n in range(2)]
    found = find_conflict([*backing, opinion_on(Document(id="x", text="The fee is $180."), 0.02, 0.95)], POLICY)
    assert found is not None
    assert found.verdict is Verdict.SUPPORTED


def test_sources_that_agree_are_no_conflict() -> None:
    assert find_conflict([opinion_on(OLD, 0.95, 0.02), opinion_on(NEW, 0.9, 0.02)], POLICY) is None
    assert find_conflict([opinion_on(OLD, 0.95, 0.02), opinion_on(NEW, 0.02, 0.6)], POLICY) is None


def test_only_documents_that_carry_the_decision_have_a_say() -> None:
    other = Document(id="other", text="Bikes are free.")
    opinion = Opinion(
        Scores(1, 0, 0),
        (sentence(PLANS, "The Basic plan is $19 per month.", 0.95), sentence(other, "Bikes are free.", 0.05)),
    )
    assert documents_with_a_say(opinion) == [PLANS]


def test_the_model_reads_a_documents_date_with_its_title() -> None:
    assert reading_title(Document(id="d", text="x", title="Fees", date=date(2024, 1, 1))) == "Fees (2024-01-01)"
    assert reading_title(PLANS) == "Plans"


# Languages the model cannot read


def test_a_foreign_sentence_is_supported_only_by_its_own_words() -> None:
    document = Document(id="d", text="Die Frist beträgt drei Monate. Der Antrag ist kostenlos.")
    passage = Passage(document, 0, len(document.text))
    same = "Die Frist beträgt drei Monate."
    judgement = judge_unread(Claim(same, (Span(0, len(same)),)), [passage], POLICY)
    assert judgement.verdict is Verdict.SUPPORTED
    assert judgement.evidence[0].quote == same
    other = "Die Frist beträgt vier Monate."
    assert judge_unread(Claim(other, (Span(0, len(other)),)), [passage], POLICY).verdict is Verdict.INSUFFICIENT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pytest.importorskip("onnx")
    from tests.encoder.test_reader import make_folder

    return make_folder(tmp_path / "tiny", "mpnet")


def test_a_judge_from_a_folder_gives_receipts_that_are_there(folder: Path) -> None:
    judge = make_judge(str(folder), POLICY)
    claim = "The Pro plan costs $19 per month."
    (judgement,) = judge.judge([Claim(claim, (Span(0, len(claim)),))], [[Passage(PLANS, 0, len(PLANS.text))]])
    assert judgement.evidence
    for item in judgement.evidence:
        assert PLANS.text[item.start : item.end] == item.quote


def test_foreign_claims_are_flagged(folder: Path) -> None:
    from assay import check

    report = check(
        "Der Vertrag wird mit der Post verschickt und nicht per Mail.",
        ["Die Post ist da und der Vertrag ist unterwegs."],
        judge=str(folder),
    )
    assert [flag.kind for flag in report.risk_flags if flag.kind == "language_not_supported"]
    assert all(finding.verdict is not Verdict.REFUTED for finding in report.findings)
