from __future__ import annotations

import asyncio

import pytest

import assay
from assay.cache import Cache
from assay.epistemic import (
    Checker,
    EpistemicConfig,
    audit_reasoning,
    detect_hallucinations,
    evidence_dependence,
    verify_claim,
)
from assay.epistemic.results import ClaimVerification, HallucinationReport
from assay.errors import UsageError
from assay.memory import Memory
from assay.types import Document, Importance, Judgement, Verdict
from assay.views import GapType

GUIDE = "Mount Everest is 8,849 m high. It was first climbed in 1953 by Hillary and Tenzing. Climbers may need oxygen."
BREAD = "Bread is made of flour and water. Bakers work at night."
SOURCES = {"guide": GUIDE, "bread": BREAD}
RESPONSE = (
    "Mount Everest is 8,849 m high [1]. Mount Everest was first climbed in 1963 [1]. "
    "Bread is made of flour and water [2]. Was that what you wanted to know?"
)


def verify(claim, evidence=GUIDE, **options):
    return verify_claim(claim, evidence, judge="lexical", **options)


def test_a_supported_claim_hangs_on_its_evidence():
    found = verify("Mount Everest is 8,849 m high.")
    assert not found.is_flagged
    assert found.confidence_justified
    assert found.evidence_support > 0.9
    assert found.evidence_dependence > 0.3
    assert found.consistency_score > 0.9
    assert found.evidence[0].quote == "Mount Everest is 8,849 m high."
    assert found.evidence_ids == ("1",)


def test_a_wrong_number_is_contradicted_with_the_quote():
    found = verify("Mount Everest is 8,489 m high.")
    assert (found.verdict, found.gap_type) == (Verdict.REFUTED, GapType.CONTRADICTED)
    assert "8,849" in found.flag_reason
    assert found.evidence_gap_bits > 1


def test_receipts_hold_in_the_evidence_as_it_was_given():
    source = Document("d", "<b>Mount Everest</b> is old.\n\nMount Everest is 8,849 m high.")
    found = verify("Mount Everest is 8,849 m high.", source)
    assert not found.is_flagged
    assert all(source.text[item.start : item.end] == item.quote for item in found.evidence)


def test_a_phantom_citation_is_the_cap():
    found = verify("Mount Everest is 8,849 m high.", SOURCES, cites=["atlas"])
    assert (found.gap_type, found.evidence_gap_bits) == (GapType.PHANTOM_CITATION, 10.0)
    assert "atlas" in found.flag_reason


def test_a_decorative_citation_is_found_alone_and_in_company():
    alone = verify("Mount Everest is 8,849 m high.", SOURCES, cites=["bread"])
    assert alone.gap_type is GapType.EVIDENCE_INDEPENDENT
    assert "guide" in alone.flag_reason
    third = SOURCES | {"tea": "Tea is drunk hot."}
    beside = verify("Mount Everest is 8,849 m high.", third, cites=["guide", "bread"])
    assert beside.decorative == ("bread",)
    assert beside.is_flagged


def test_a_fact_stated_twice_is_not_independent_of_its_evidence():
    found = verify("Mount Everest is 8,849 m high.", f"{GUIDE} As said, Mount Everest is 8,849 m high.")
    assert not found.is_flagged


@pytest.mark.parametrize(
    "claim", ["All climbers will certainly need oxygen.", "Climbers need oxygen.", "Only climbers may need oxygen."]
)
def test_a_claim_that_says_more_than_its_source_is_flagged(claim):
    assert verify(claim).is_flagged


def test_a_compound_claim_is_as_good_as_its_weakest_part():
    found = verify("Mount Everest is 8,849 m high and Bread is made of stones.", SOURCES)
    assert found.is_flagged
    assert found.claim_text.startswith("Mount Everest")


@pytest.mark.parametrize("judge", ["lexical", "small"])
@pytest.mark.parametrize("claim", ["Ann Lee was born on 4 May 1980.", "Ann Lee was born on 7 June 1991."])
def test_a_row_of_a_table_gets_the_verdict_that_a_check_gives_it(claim, judge):
    table = "| Name | Born |\n| --- | --- |\n| Ann Lee | 4 May 1980 |\n| Bo Ray | 7 June 1991 |"
    (checked,) = assay.check(claim, [Document("t", table)], judge=judge).claims
    found = verify_claim(claim, {"t": table}, judge=judge)
    assert found.verdict is checked.verdict
    assert found.evidence == checked.evidence
    if "1991" in claim:  # a neighbour's value
        assert found.is_flagged or (judge == "small" and found.doubt)


def test_what_states_nothing_is_not_checkable_and_not_flagged():
    found = verify("How high is Mount Everest?")
    assert found.verdict is Verdict.NOT_CHECKABLE
    assert not found.is_flagged
    assert found.evidence_support is None


def test_bad_calls_say_what_was_wrong():
    with pytest.raises(UsageError, match="empty"):
        verify("  ")
    with pytest.raises(UsageError, match="between 0 and 1"):
        verify("Mount Everest is high.", threshold=1.5)
    with pytest.raises(UsageError, match="not int"):
        verify("Mount Everest is high.", 3)
    with pytest.raises(UsageError, match="step 1 has no claim"):
        audit_reasoning([{"cites": ["guide"]}], SOURCES, judge="lexical")


def test_an_audit_keeps_the_order_and_ids_of_the_steps():
    steps = [
        {"id": "a", "claim": "Mount Everest is 8,849 m high.", "cites": ["guide"]},
        {"claim": "Bread is made of flour and water.", "cites": "bread", "confidence": 0.8},
        {"claim": "Bread is made of flour and water.", "cites": ["nowhere"]},
        {"claim": "Bread is made of flour and water."},
    ]
    found = audit_reasoning(steps, SOURCES, judge="lexical")
    assert [one.claim_id for one in found] == ["a", "2", "3", "4"]
    assert [one.is_flagged for one in found] == [False, False, True, False]


def test_dependence_is_high_on_what_is_used_and_zero_on_what_is_not():
    used = evidence_dependence("How high?", "Mount Everest is 8,849 m high.", GUIDE, judge="lexical")
    idle = evidence_dependence("How high?", "Mount Everest is 8,849 m high.", BREAD, judge="lexical")
    assert used > 0.5
    assert idle == 0.0
    assert evidence_dependence(None, "Hello!", GUIDE, judge="lexical") == 0.0


def test_a_response_is_reported_claim_by_claim_with_guidance():
    report = detect_hallucinations(RESPONSE, SOURCES, judge="lexical")
    assert (report.total_claims, report.not_checkable, report.flagged_claims) == (4, 1, 1)
    assert report.should_retry
    assert report.gaps[0].claim.claim_text.startswith("Mount Everest was first climbed in 1963")
    assert "1953" in report.retry_guidance
    assert report.overall_confidence < 0.7
    assert report.to_dict()["gaps"][0]["suggested_action"]


def test_a_clean_response_has_no_gaps_and_need_not_be_written_again():
    report = detect_hallucinations(RESPONSE.replace("1963", "1953"), SOURCES, judge="lexical")
    assert not report.should_retry
    assert report.retry_guidance == ""
    assert report.max_gap_bits == 0.0


def test_a_fact_that_stands_in_many_places_still_depends_on_its_evidence():
    source = " ".join(["Mount Everest is 8,849 m high."] * 8)
    found = verify("Mount Everest is 8,849 m high.", source)
    assert not found.is_flagged
    assert found.evidence_dependence > 0.5


def test_a_skipped_response_has_no_confidence_at_all():
    report = detect_hallucinations("Short.", SOURCES, judge="lexical")
    assert report.skipped
    assert report.overall_confidence is None
    assert not report.should_retry


MANY = [f"Town number {n} has {n * 1000} inhabitants." for n in range(2, 32)]


def test_the_free_judge_checks_every_claim_whatever_the_limit_for_paid_ones():
    source = " ".join(MANY)
    response = source.replace("21000 inhabitants", "12000 inhabitants")  # the twentieth of thirty
    config = EpistemicConfig(max_claims_per_response=10)
    report = detect_hallucinations(response, {"towns": source}, judge="lexical", config=config)
    assert (len(report.claims), report.left_out) == (30, 0)
    assert ["number 21 " in gap.claim_text for gap in report.gaps] == [True]
    assert not report.all_clear
    assert detect_hallucinations(source, {"towns": source}, judge="lexical").all_clear


def test_what_was_not_looked_at_is_no_all_clear():
    source = " ".join(MANY)
    config = EpistemicConfig(mode="sample", sample_rate=0.1)
    report = detect_hallucinations(source, {"towns": source}, judge="lexical", config=config)
    assert report.left_out > 15
    assert report.flagged_claims == 0
    assert not report.all_clear
    assert report.overall_confidence < 0.8  # a claim that nobody looked at counts for a half


def test_an_empty_draw_is_not_called_not_checkable():
    text = "Bread is made of flour. Bakers work at night. The oven is hot. The street is still dark when they begin."
    config = EpistemicConfig(mode="critical_only")
    report = detect_hallucinations(text, SOURCES, judge="lexical", config=config)
    assert report.claims == ()
    assert (report.left_out, report.not_checkable) == (4, 0)
    assert "critical_only" in report.skipped
    assert report.overall_confidence is None
    assert not report.all_clear


class Sure:
    """Gives one verdict on everything, with the probability of support that a model would name."""

    name = "sure"

    def __init__(self, verdict, confidence, probability):
        self.said = verdict, confidence, probability

    def judge(self, claims, passages, question=None):
        verdict, confidence, probability = self.said
        return [Judgement(verdict, confidence, "sure", support_probability=probability) for _ in claims]


@pytest.mark.parametrize(
    ("verdict", "confidence", "probability", "flagged", "doubtful"),
    [
        (Verdict.SUPPORTED, 0.75, 0.75, 0, 0),
        (Verdict.SUPPORTED, 0.6, 0.6, 0, 3),  # the engine supports it, if not surely
        (Verdict.INSUFFICIENT, 0.55, 0.45, 0, 3),  # open, and it may well be supported
        (Verdict.INSUFFICIENT, 0.55, 0.25, 3, 0),  # open between refuted and not settled
        (Verdict.INSUFFICIENT, 0.9, 0.05, 3, 0),
        (Verdict.INSUFFICIENT, 0.5, None, 3, 0),  # words alone: what is not proven is flagged
        (Verdict.REFUTED, 0.6, 0.35, 3, 0),
    ],
)
def test_what_may_well_be_supported_is_doubtful_and_not_flagged(verdict, confidence, probability, flagged, doubtful):
    checker = Checker(judge=Sure(verdict, confidence, probability), cache=Cache())
    report = asyncio.run(checker.detect_hallucinations(RESPONSE, SOURCES))
    assert (report.flagged_claims, report.doubtful_claims, len(report.gaps)) == (flagged, doubtful, flagged)
    assert report.verified_claims == 3 - flagged - doubtful
    assert report.all_clear is not bool(flagged or doubtful)
    assert report.should_retry is bool(flagged)
    assert all(bool(claim.doubt) is bool(doubtful) for claim in report.claims if claim.evidence_support is not None)


def test_reports_and_gaps_carry_their_ids():
    report = detect_hallucinations(RESPONSE, SOURCES, judge="lexical", response_id="r-7")
    assert report.to_dict()["response_id"] == "r-7"
    gap = report.gaps[0]
    assert (gap.claim_id, gap.claim_text) == (gap.claim.claim_id, gap.claim.claim_text)
    assert gap.to_dict()["claim_text"].startswith("Mount Everest was first climbed in 1963")
    own = detect_hallucinations(RESPONSE, SOURCES, judge="lexical").response_id
    assert own == detect_hallucinations(RESPONSE, SOURCES, judge="lexical").response_id != ""


def verification(support, importance=Importance.MINOR, **more):
    return ClaimVerification("1", "x", evidence_support=support, importance=importance, **more)


def test_the_overall_confidence_is_weighted():
    good, bad = verification(0.9), verification(0.1, Importance.CRITICAL)
    assert HallucinationReport(2, (good, bad)).overall_confidence == pytest.approx((0.9 + 3 * 0.1) / 4)
    phantom = verification(0.9, is_flagged=True, evidence_gap_bits=10.0)
    assert HallucinationReport(1, (phantom,)).overall_confidence == 0.0
    failed = verification(None, verdict=Verdict.ERROR, is_flagged=True)
    assert HallucinationReport(2, (good, failed)).overall_confidence == pytest.approx(0.7)
    assert HallucinationReport(2, (good,), left_out=1).overall_confidence == pytest.approx(0.7)


def test_a_judge_that_fails_is_an_error_and_never_a_half():
    class Broken:
        name = "broken"

        def judge(self, claims, passages, question=None):
            raise RuntimeError("out of order")

    found = verify_claim("Mount Everest is 8,849 m high.", GUIDE, judge=Broken())
    assert found.verdict is Verdict.ERROR
    assert found.evidence_support is None
    assert found.is_flagged
    assert "out of order" in found.flag_reason
    report = detect_hallucinations(RESPONSE, SOURCES, judge=Broken())
    assert (report.errors, report.flagged_claims) == (3, 0)
    assert report.overall_confidence is None


def test_a_memory_can_be_the_evidence(tmp_path):
    with Memory(tmp_path, embedder="static") as memory:
        memory.add([Document("guide", GUIDE)])
        assert not verify("Mount Everest is 8,849 m high.", memory).is_flagged


def test_every_claim_of_a_response_finds_its_evidence_in_a_memory(tmp_path):
    facts = [
        "The ferry to Aston leaves at noon.",
        "Bewley is known for its pears.",
        "Corfield burnt down in a storm.",
        "Dunmore lies below the old quarry.",
        "Elstow printed the first almanac.",
        "Farley sells wool to the coast.",
        "Garston keeps bees on its roofs.",
        "The chapel of Halton was painted blue.",
    ]
    with Memory(tmp_path, embedder="static") as memory:
        memory.add([Document(str(number), fact) for number, fact in enumerate(facts)])
        report = detect_hallucinations(" ".join(facts), memory, judge="lexical")
        chapel = memory.passages("7")[0].sha256[:8]
        cited = verify(f"Bewley is known for its pears [cite:{chapel}].", memory)
    assert (report.total_claims, report.all_clear) == (len(facts), True)
    assert cited.gap_type is GapType.EVIDENCE_INDEPENDENT  # what is cited is there, and does not say so


def test_the_checks_can_be_awaited():
    checker = Checker(judge="lexical")
    found = asyncio.run(checker.verify_claim("Mount Everest is 8,849 m high.", GUIDE))
    assert not found.is_flagged


def test_the_checks_work_inside_a_running_loop():
    async def run():
        return verify("Mount Everest is 8,849 m high.")

    assert not asyncio.run(run()).is_flagged
