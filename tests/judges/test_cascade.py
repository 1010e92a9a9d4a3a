"""One tier after the other: what goes on and what stops, what is left out, and what a claim is told in the end."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder import Verifier
from assay.encoder.scores import Scores
from assay.engine import Engine
from assay.errors import ContractError, ModelError, UsageError
from assay.judges import JUDGES, Judge, levels, make_judge, register_judge
from assay.judges.budget import Budget
from assay.judges.cascade import Cascade, in_answer
from assay.judges.copied import find_copied
from assay.policy import Policy
from assay.text.language import is_english
from assay.text.sentences import split_sentences
from assay.types import Action, Claim, Document, Judgement, Passage, Span, Stance, Support, Verdict
from tests.encoder.tiny import make_broken_folder
from tests.judges.opinions import NO, SURE, UNSURE, WRONG, FixedTier, claim, passage, sentence, whole

EVEREST = "Mount Everest is 8,849 m high. It stands on the border between Nepal and China."
REWORDED = "Everest lies where China meets Nepal."
PLANS = Document("plans", "The Basic plan is $19 per month. The Pro plan is priced at $49 monthly.")


def judged(tier: FixedTier, text: str, *passages: Passage, policy: Policy | None = None) -> Judgement:
    (said,) = Cascade(policy, (tier,)).judge([claim(text)], [passages or [passage(EVEREST)]])
    return said


# Names


def test_every_name_makes_a_judge_and_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Verifier, "load", lambda *args: pytest.fail("loaded"))
    for name in ("lexical", "small", "base", "cascade"):
        judge = make_judge(name)
        assert isinstance(judge, Judge)
        assert judge.name == name


def test_a_folder_makes_a_judge_of_its_name(folder: Path) -> None:
    judge = make_judge(str(folder))
    (said,) = judge.judge([claim("The Pro plan costs $19 per month.")], [[whole(PLANS)]])
    assert (judge.name, said.method) == ("tiny", "encoder:tiny")
    assert said.evidence
    assert all(item.holds_in(PLANS) for item in said.evidence)


def test_an_unknown_judge_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="cascade"):
        make_judge("oracle")


def test_a_registered_judge_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.judges.JUDGES", dict(JUDGES))
    register_judge("mine", lambda policy: make_judge("lexical", policy))
    assert Engine(judge="mine").check("Everest is high.", sources=[EVEREST]).findings


def test_a_cascade_is_named_by_all_that_decides() -> None:
    tiers = (FixedTier("first", SURE), FixedTier("second", SURE))
    assert Cascade(tiers=tiers).model == "cascade first@first second@second"
    assert Cascade(tiers=tiers[:1], name="mine", last=Paid()).model == "mine first@first paid"


# Which model judges


def test_the_last_model_reads_every_claim_and_each_judgement_names_it() -> None:
    first, second = FixedTier("first", SURE), FixedTier("second", WRONG)
    said = Cascade(tiers=(first, second)).judge(
        [claim("Everest is high."), claim(REWORDED)], [[passage(EVEREST)]] * 2, "Where is it?"
    )
    assert [(j.method, j.verdict, j.confidence) for j in said] == [("encoder:second", Verdict.REFUTED, 0.95)] * 2
    assert (first.seen, second.seen) == ([], ["Everest is high.", REWORDED])
    assert second.questions == ["Where is it?"]


@pytest.mark.parametrize(
    ("scores", "asked"),
    [
        (SURE, False),
        (WRONG, False),
        (NO, False),  # neither support nor refutation is likely enough to come of it
        (Scores(0.05, 0.05, 0.9), False),
        (UNSURE, True),
        (Scores(0.1, 0.6, 0.3), True),
        (Scores(0.3, 0.1, 0.6), True),
        (Scores(0.89, 0.05, 0.06), True),
    ],
)
def test_the_last_judge_is_not_asked_about_the_sure_and_the_hopeless(scores: Scores, asked: bool) -> None:
    cascade = Cascade(Policy().but(max_usd=1.0), (FixedTier("first", scores),), last=Paid())
    said = cascade.deliberate([claim(REWORDED)], [[passage(EVEREST)]])
    assert said.judgements[0].method == ("llm:paid" if asked else "encoder:first")


def test_what_is_unsure_is_for_the_policy_to_say() -> None:
    paid = Paid()
    policy = Policy().but(unsure_high=0.5, max_usd=1.0)
    Cascade(policy, (FixedTier("first", UNSURE),), last=paid).deliberate([claim(REWORDED)], [[passage(EVEREST)]])
    assert paid.asked == []


def test_within_a_time_limit_every_model_reads_and_the_last_one_that_did_is_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr("assay.judges.cascade.perf_counter", lambda: now[0])
    tiers = [FixedTier(name, UNSURE, wait=lambda: now.__setitem__(0, now[0] + 0.004)) for name in ("first", "second")]
    policy = Policy().but(max_ms=1000.0)
    said = Cascade(policy, tiers).deliberate([claim(REWORDED), claim("It is there.")], [[passage(EVEREST)]] * 2)
    assert [j.method for j in said.judgements] == ["encoder:second"] * 2
    assert [j.latency_ms for j in said.judgements] == pytest.approx([4.0, 4.0])  # two tiers, half of each


def test_a_claim_without_evidence_is_insufficient_and_no_model_is_asked() -> None:
    tier = FixedTier("first", SURE)
    (said,) = Cascade(tiers=(tier,)).judge([claim(REWORDED)], [[]])
    assert (said.verdict, said.method, said.evidence) == (Verdict.INSUFFICIENT, "none", ())
    assert said.explanation == "No source speaks of this."
    assert tier.seen == []


def test_what_is_not_checkable_stays_so() -> None:
    tier = FixedTier("first", SURE)
    opinion = claim("I like it.", checkable=False, reason="opinion")
    (said,) = Cascade(tiers=(tier,)).judge([opinion], [[passage(EVEREST)]])
    assert (said.verdict, said.explanation) == (Verdict.NOT_CHECKABLE, "Nothing to check: opinion.")
    assert tier.seen == []


def test_a_pronoun_is_read_as_the_name_before_it() -> None:
    tier = FixedTier("first", WRONG)
    Cascade(tiers=(tier,)).judge(
        [claim("It opened in 1889.", context="The Eiffel Tower stands in Paris.")], [[passage(EVEREST)]]
    )
    assert tier.seen == ["Eiffel Tower opened in 1889."]


@pytest.mark.parametrize(
    ("claims", "passages", "question", "limit"),
    [
        ([claim("word " * 300)], [[passage(EVEREST)]], None, "at most 256: split"),
        ([claim(REWORDED)], [[passage(EVEREST, str(n)) for n in range(6)]], None, "passages_per_claim"),
        ([claim(REWORDED)], [[passage("word " * 600)]], None, "at most 512: cut"),
        ([claim(REWORDED)], [[passage(EVEREST)]], "why " * 300, "at most 256: shorten"),
        ([claim(REWORDED)], [], None, "one list for each claim"),
    ],
)
def test_input_beyond_the_contract_is_refused_by_name(claims, passages, question, limit: str) -> None:
    with pytest.raises(ContractError, match=limit):
        Cascade(tiers=()).judge(claims, passages, question)


def test_the_engine_stays_within_the_contract_by_itself() -> None:
    long = " ".join(f"Fact {n} is about mountain number {n} in the range." for n in range(400))
    report = Engine(judge=Cascade(tiers=(FixedTier("first", NO),))).check(
        "Mountain 7 was never climbed by anyone.", sources=[long, EVEREST], question="why " * 400
    )
    assert report.verdict is Verdict.INSUFFICIENT


# What a judgement says


@pytest.mark.parametrize(
    ("scores", "verdict", "support", "stance"),
    [
        (SURE, Verdict.SUPPORTED, Support.FULL, Stance.SUPPORTS),
        (WRONG, Verdict.REFUTED, Support.CONTRADICTED, Stance.REFUTES),
        (NO, Verdict.INSUFFICIENT, Support.NONE, Stance.NEUTRAL),
    ],
)
def test_a_verdict_has_its_support_and_its_quotes_their_stance(scores, verdict, support, stance) -> None:
    document = Document("d", f"Not shown. {EVEREST} Nor this.")
    shown = Passage(document, 11, 11 + len(EVEREST), similarity=0.4)
    said = judged(FixedTier("first", scores), REWORDED, shown)
    assert (said.verdict, said.support, said.confidence) == (verdict, support, scores.confidence)
    assert [item.quote for item in said.evidence] == [s.span.of(EVEREST) for s in split_sentences(EVEREST)]
    assert {(item.stance, item.similarity) for item in said.evidence} == {(stance, 0.4)}
    assert all(item.holds_in(document) for item in said.evidence)
    assert "8,849 m" in said.explanation


def test_the_words_that_are_wrong_are_marked_where_they_stand_in_the_answer() -> None:
    answer = "Well. Everest lies in France."
    stated = Claim(answer[6:], (Span(6, len(answer)),))
    (said,) = Cascade(tiers=(FixedTier("first", WRONG),)).judge([stated], [[passage(EVEREST)]])
    assert [span.of(answer) for span in said.unsupported] == ["Everest lies in France."]
    (backed,) = Cascade(tiers=(FixedTier("first", SURE),)).judge([stated], [[passage(EVEREST)]])
    assert backed.unsupported == ()
    assert in_answer(stated, [Span(0, 7)]) == (Span(6, 13),)


def test_words_that_are_read_otherwise_are_marked_as_the_answer_has_them() -> None:
    answer = "The Grand Hall is old. It opens at 3 pm every day."
    stated = Claim(answer[23:], (Span(23, len(answer)),), context=answer[:22])
    tier = FixedTier("first", WRONG, wrong=("15:00",))
    (said,) = Cascade(tiers=(tier,)).judge([stated], [[passage("The hall opens at 15:00 on one day.")]])
    assert tier.seen == ["Grand Hall opens at 15:00 every day."]
    assert [span.of(answer) for span in said.unsupported] == ["3 pm"]
    assert "“3 pm”" in said.explanation


def test_the_same_claim_gets_the_same_judgement_in_any_company(folder: Path) -> None:
    engine = Engine(judge=str(folder))
    text = "The Pro plan costs $19 per month."
    alone = engine.check(text, sources=[PLANS]).findings[0]
    others = engine.check(f"Pro lies on the Moon. {text} Basic is a plan for bees.", sources=[PLANS]).findings[1]
    assert (alone.verdict, alone.evidence) == (others.verdict, others.evidence)
    assert alone.confidence == pytest.approx(others.confidence, abs=1e-5)


# The very words of a source


@pytest.mark.parametrize(
    "text",
    [
        "Mount Everest is 8,849 m high.",
        "mount everest is 8849 m high",
        "It stands on the border between Nepal and China!",
    ],
)
@pytest.mark.parametrize("scores", [WRONG, NO])
def test_a_sentence_of_the_source_is_supported_whatever_the_model_says(text: str, scores: Scores) -> None:
    said = judged(FixedTier("first", scores), text)
    assert (said.verdict, said.confidence) == (Verdict.SUPPORTED, levels.SPAN)
    assert said.unsupported == ()
    (quote,) = said.evidence
    assert quote.stance is Stance.SUPPORTS
    assert quote.quote.lower().replace(",", "")[:9] == text.lower().replace(",", "")[:9]


@pytest.mark.parametrize(
    "text", ["Mount Everest is 8,489 m high.", "Mount Everest is high.", "Everest is 8,849 m high.", "8,849"]
)
def test_other_words_are_for_the_model_to_judge(text: str) -> None:
    assert judged(FixedTier("first", WRONG), text).verdict is Verdict.REFUTED


def test_a_pronoun_is_copied_in_either_form() -> None:
    tier = FixedTier("first", WRONG)
    stated = claim("It opened in 1889.", context="The Eiffel Tower stands in Paris.")
    sources = [passage("It opened in 1889."), passage("Eiffel Tower opened in 1889.")]
    said = Cascade(tiers=(tier,)).judge([stated] * 3, [[sources[0]], [sources[1]], [passage("It opened in 1899.")]])
    assert [j.verdict for j in said] == [Verdict.SUPPORTED, Verdict.SUPPORTED, Verdict.REFUTED]


def test_the_first_such_sentence_is_found() -> None:
    document = Document("d", "One is here. Two is here. one is here!")
    sentences = [sentence(document, text) for text in ("Two is here.", "one is here!", "One is here.")]
    assert find_copied(("ONE is here",), sentences) == sentences[1]
    assert find_copied(("Three is here",), sentences) is None
    assert find_copied((), sentences) is None


def test_what_has_no_words_copies_nothing() -> None:
    document = Document("d", "It is. …")
    assert find_copied(("!",), [sentence(document, "…")]) is None


PIECES = st.sampled_from(
    "the is Everest 8,849 8.5 -40 $19 50% 1/2 3–5 (see) “so” it's co-op, ; : — § [1] 2024-01-01 12:30 v1.2 A&B °C 3 pm "
    "naïve".split()
)


@given(st.lists(PIECES, min_size=1, max_size=12), st.sampled_from(".!?…"), st.sampled_from(["", "Before it. "]))
def test_a_sentence_of_the_evidence_is_never_refuted_by_it(pieces: list[str], stop: str, before: str) -> None:
    text = f"{before}{' '.join(pieces)}{stop} After it."
    document = Document("d", text)
    said_twice = [s.span.of(text) for s in split_sentences(text)]
    tier = FixedTier("first", WRONG)
    for copied in said_twice:
        if not any(map(str.isalnum, copied)) or not is_english(copied):
            continue
        (said,) = Cascade(tiers=(tier,)).judge([claim(copied)], [[whole(document)]])
        assert said.verdict is Verdict.SUPPORTED
        assert all(item.holds_in(document) and item.stance is Stance.SUPPORTS for item in said.evidence)


# Languages the models do not read


def test_a_claim_or_a_source_that_is_not_english_never_reaches_a_model() -> None:
    tier = FixedTier("first", WRONG)
    german = "Die Frist beträgt drei Monate und ist nicht kurz."
    said = Cascade(tiers=(tier,)).deliberate(
        [claim(german), claim("The period is short."), claim(REWORDED)],
        [[passage(EVEREST), passage(german, "de")], [passage(german)], [passage(EVEREST)]],
    )
    assert [j.verdict for j in said.judgements] == [Verdict.SUPPORTED, Verdict.INSUFFICIENT, Verdict.REFUTED]
    assert said.judgements[0].evidence[0].document == "de"
    assert tier.seen == [REWORDED]
    (flag,) = said.flags
    assert (flag.kind, flag.message.split(" are")[0]) == ("language_not_supported", "2 claims")


# Sources that disagree


BACKS = Document("a", "The old stone bridge is there for cars.")
DENIES = Document("b", "On the old stone bridge cars are turned away.")
CAR = "Any car may use the stone bridge today."


def torn(text: str, given) -> Scores:
    """Support from the one source, refutation from the other, support from both together."""
    return WRONG if [p.document.id for p in given] == ["b"] else SURE


def test_a_source_that_backs_and_one_that_denies_are_both_quoted() -> None:
    tier = FixedTier("torn", torn)
    report = Engine(judge=Cascade(tiers=(tier,))).check(CAR, sources=[BACKS, DENIES])
    (found,) = report.findings
    assert found.verdict is Verdict.REFUTED  # neither is known to be newer
    assert "SOURCES_DISAGREE" in found.violations
    assert {item.document: item.stance for item in found.evidence} == {"a": Stance.SUPPORTS, "b": Stance.REFUTES}
    assert [flag.kind for flag in report.risk_flags] == ["conflict"]
    assert tier.seen == [CAR] * 3  # both together, then each alone


def test_a_newer_source_decides() -> None:
    newer = Document("a", BACKS.text, date=date(2024, 1, 1))
    older = Document("b", DENIES.text, date=date(2020, 1, 1))
    said = judged(FixedTier("torn", torn), CAR, whole(older), whole(newer))
    assert (said.verdict, said.violations) == (Verdict.SUPPORTED, ("SOURCES_DISAGREE",))
    assert [(item.document, item.stance) for item in said.evidence] == [("a", Stance.SUPPORTS), ("b", Stance.REFUTES)]
    assert "newer (2024-01-01)" in said.explanation


def test_sources_that_agree_are_judged_together() -> None:
    said = judged(FixedTier("first", SURE), CAR, whole(BACKS), whole(DENIES))
    assert (said.verdict, said.violations) == (Verdict.SUPPORTED, ())


def test_one_document_cannot_disagree_with_itself() -> None:
    tier = FixedTier("first", SURE)
    judged(tier, CAR, Passage(BACKS, 0, 13), Passage(BACKS, 14, len(BACKS.text)))
    assert tier.seen == [CAR]


def test_no_time_is_spent_on_conflicts_once_it_is_used_up() -> None:
    now = [0.0]
    policy = Policy().but(max_ms=30.0)
    tier = FixedTier("torn", torn, wait=lambda: now.__setitem__(0, now[0] + 1))
    said = Cascade(policy, (tier,)).deliberate(
        [claim(CAR)], [[whole(BACKS), whole(DENIES)]], None, Budget(policy, clock=lambda: now[0])
    )
    assert said.judgements[0].verdict is Verdict.SUPPORTED
    assert tier.seen == [CAR]


# Models that cannot be used


class BrokenTier(FixedTier):
    """A tier whose model proves unusable when it is loaded, or from the n-th look on."""

    def __init__(self, name: str, looks: int | None = None, scores: Scores = UNSURE) -> None:
        super().__init__(name, scores)
        self.looks, self.loads = looks, 0

    def load(self) -> float:
        self.loads += 1
        if self.looks is None:
            raise ModelError(f"{self.name} is damaged")
        return 0.0

    def judge(self, cases, question):
        if not self.looks:
            raise ModelError(f"{self.name} gives NaN")
        self.looks -= 1
        return super().judge(cases, question)


@pytest.mark.parametrize("looks", [None, 0])
def test_without_any_model_words_and_numbers_judge_and_every_report_says_so(looks: int | None) -> None:
    tier = BrokenTier("broken", looks)
    engine = Engine(judge=Cascade(tiers=(tier,)))
    for _ in range(2):
        report = engine.check(f"Mount Everest is 8,489 m high. {REWORDED}", sources=[EVEREST])
        (flag,) = (flag for flag in report.risk_flags if flag.kind == "fallback")
        assert flag.message.startswith("the model 'broken' cannot be used, words and numbers alone judge: broken ")
        assert [f.verdict for f in report.findings] == [Verdict.REFUTED, Verdict.INSUFFICIENT]
        assert not any(f.method.startswith("encoder") for f in report.findings)
    assert tier.loads == 1  # it is not tried again


@pytest.mark.parametrize("looks", [None, 0])
def test_a_broken_second_model_leaves_the_first(looks: int | None) -> None:
    tiers = (FixedTier("first", UNSURE), BrokenTier("second", looks))
    said = Cascade(tiers=tiers).deliberate([claim(REWORDED)], [[passage(EVEREST)]])
    assert said.judgements[0].method == "encoder:first"
    assert "'first' judges alone" in said.flags[0].message
    assert said.fallbacks == ("second",)


def test_a_broken_first_model_is_not_missed() -> None:
    second = FixedTier("second", NO)
    said = Cascade(tiers=(BrokenTier("first"), second)).deliberate([claim(REWORDED)] * 2, [[passage(EVEREST)]] * 2)
    assert [j.method for j in said.judgements] == ["encoder:second"] * 2
    assert said.flags == ()


def test_a_model_that_breaks_over_the_conflicts_leaves_what_it_said_before() -> None:
    tier = BrokenTier("first", looks=1, scores=SURE)
    said = Cascade(tiers=(tier,)).deliberate([claim(CAR)], [[whole(BACKS), whole(DENIES)]])
    assert (said.judgements[0].verdict, said.fallbacks) == (Verdict.SUPPORTED, ("first",))


def test_a_damaged_model_on_disk_is_a_fallback(folder: Path) -> None:
    content = bytearray((folder / "body.onnx").read_bytes())
    content[len(content) // 2] ^= 0xFF
    (folder / "body.onnx").write_bytes(content)
    report = Engine(judge=Cascade(tiers=(str(folder),))).check(REWORDED, sources=[EVEREST])
    assert "body.onnx is damaged" in report.risk_flags[0].message
    assert report.findings[0].verdict is Verdict.INSUFFICIENT


def test_impossible_numbers_are_a_fallback(tmp_path: Path) -> None:
    folder = make_broken_folder(tmp_path / "nan")
    report = Engine(judge=Cascade(tiers=(str(folder),))).check(REWORDED, sources=[EVEREST])
    assert "NaN" in report.risk_flags[0].message
    assert report.findings[0].verdict is Verdict.INSUFFICIENT


def test_a_model_that_was_never_there_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no verifier model"):
        Cascade(tiers=(str(tmp_path / "nowhere"),)).judge([claim(REWORDED)], [[passage(EVEREST)]])


def test_the_model_that_judges_is_warmed_first() -> None:
    first, second = BrokenTier("first"), BrokenTier("second", looks=9)
    cascade = Cascade(tiers=(first, second))
    cascade.warm_first()
    assert (first.loads, second.loads, cascade.broken) == (0, 1, {})
    cascade.warm()
    assert (first.loads, second.loads, cascade.broken) == (1, 2, {"first": "first is damaged"})


# Budgets


def test_what_the_time_does_not_reach_is_unverified_and_not_guessed() -> None:
    now = [0.0]
    policy = Policy().but(max_ms=30.0)
    slow = FixedTier("slow", SURE, wait=lambda: now.__setitem__(0, now[0] + 0.02))  # 20 ms for each look
    claims = [claim(f"Everest lies where China meets Nepal {n} times.") for n in range(20)]
    said = Cascade(policy, (slow,)).deliberate(
        claims, [[passage(EVEREST)]] * 20, None, Budget(policy, clock=lambda: now[0])
    )
    verdicts = [judgement.verdict for judgement in said.judgements]
    assert verdicts == [Verdict.SUPPORTED] * 16 + [Verdict.ERROR] * 4
    assert len(slow.seen) == 16
    assert "time budget" in said.judgements[-1].explanation
    assert said.warnings == ("slow did not see 4 claims: the time budget was used up",)


def test_what_only_the_second_tier_did_not_see_keeps_the_first_ones_verdict() -> None:
    now = [0.0]
    policy = Policy().but(max_ms=30.0)
    slow = FixedTier("slow", UNSURE, wait=lambda: now.__setitem__(0, now[0] + 0.04))
    second = FixedTier("second", WRONG)
    said = Cascade(policy, (slow, second)).deliberate(
        [claim(REWORDED)], [[passage(EVEREST)]], None, Budget(policy, clock=lambda: now[0])
    )
    assert (said.judgements[0].verdict, said.judgements[0].method) == (Verdict.SUPPORTED, "encoder:slow")
    assert said.warnings == ("second did not see one claim: the time budget was used up",)


def test_loading_is_not_charged_to_the_answer() -> None:
    now = [0.0]
    policy = Policy().but(max_ms=30.0)

    class Slow(FixedTier):
        def load(self) -> None:
            now[0] += 5.0

    said = Cascade(policy, (Slow("slow", SURE),)).deliberate(
        [claim(REWORDED)], [[passage(EVEREST)]], None, Budget(policy, clock=lambda: now[0])
    )
    assert said.judgements[0].verdict is Verdict.SUPPORTED


def test_an_answer_without_any_time_left_is_unverified_as_a_whole() -> None:
    policy = Policy().but(max_ms=1e-6)
    report = Engine(policy, Cascade(policy, (FixedTier("first", SURE),))).check(REWORDED, sources=[EVEREST])
    assert report.verdict is Verdict.ERROR
    assert report.action is Action.CONTINUE
    assert "unverified" in [flag.kind for flag in report.risk_flags]


def test_waiting_for_a_processor_makes_no_claim_late() -> None:
    now, waited = [0.0], [0.0]
    budget = Budget(Policy(), clock=lambda: now[0], late_ms=100.0, waited_ms=lambda: waited[0])
    now[0], waited[0] = 0.3, 250.0
    assert (budget.used_ms, budget.worked_ms, budget.is_late) == (300.0, 50.0, False)
    now[0] = 0.36
    assert budget.is_late
    now[0], waited[0] = 9.9, 9_900.0
    assert not budget.is_late
    now[0], waited[0] = 10.1, 10_100.0  # a judge that hangs is not excused for ever
    assert budget.is_late
    assert budget.out_of_time


def test_a_budget_counts_from_its_clock_and_not_while_paused() -> None:
    now = [0.0]
    budget = Budget(Policy().but(max_ms=100.0), clock=lambda: now[0])
    now[0] = 0.05
    with budget.paused():
        now[0] = 0.25
        assert budget.used_ms == pytest.approx(50)
    assert not budget.out_of_time
    now[0] = 0.35
    assert budget.out_of_time


class Paid:
    """A judge that costs a cent a claim."""

    name = "paid"

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def estimate_usd(self, claim, passages) -> float:
        return 0.01

    def judge(self, claims, passages, question=None):
        self.asked += [(one.text, len(given)) for one, given in zip(claims, passages, strict=True)]
        return [
            Judgement(Verdict.REFUTED, 0.9, "llm:paid", Support.CONTRADICTED, cost_usd=0.01, latency_ms=7.0)
            for _ in claims
        ]


@pytest.mark.parametrize(("money", "asked"), [(0.0, 0), (0.025, 2), (1.0, 3)])
def test_money_is_spent_only_on_the_unsure_and_within_the_budget(money: float, asked: int) -> None:
    policy = Policy().but(max_usd=money)
    judge = Paid()
    sure = "Mount Everest is 8,849 m high."
    cascade = Cascade(policy, (FixedTier("first", lambda text, _: SURE if text == sure else UNSURE),), last=judge)
    answer = f"{REWORDED} Everest is where China and Nepal touch. China has a border on Everest. {sure}"
    report = Engine(policy, cascade).check(answer, sources=[EVEREST])
    assert len(judge.asked) == asked
    assert report.cost_usd == pytest.approx(0.01 * asked)
    assert [f.method for f in report.findings].count("llm:paid") == asked
    assert bool(report.warnings) == (asked < 3)


def test_the_last_judge_is_asked_about_few_passages_and_its_word_stands() -> None:
    policy = Policy().but(max_usd=1.0, passages_per_claim=2)
    judge = Paid()
    cascade = Cascade(policy, (FixedTier("first", UNSURE),), last=judge)
    said = cascade.deliberate([claim(REWORDED)], [[passage(EVEREST, str(n)) for n in range(4)]])
    assert judge.asked == [(REWORDED, 2)]
    (found,) = said.judgements
    assert (found.verdict, found.method) == (Verdict.REFUTED, "llm:paid")
    assert found.latency_ms >= 7.0


def test_the_last_judge_costs_nothing_unless_it_says_so() -> None:
    class Free:
        name = "free"

        def judge(self, claims, passages, question=None):
            return [Judgement(Verdict.SUPPORTED, 0.8, "free") for _ in claims]

    (said,) = Cascade(tiers=(FixedTier("first", UNSURE),), last=Free()).judge([claim(REWORDED)], [[passage(EVEREST)]])
    assert said.method == "free"
