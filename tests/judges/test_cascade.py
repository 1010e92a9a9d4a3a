import shutil
from dataclasses import replace

import pytest

from assay.encoder import Verifier
from assay.encoder.bundle import WEIGHTS
from assay.encoder.scores import Scores
from assay.engine import Engine
from assay.errors import ContractError, UsageError
from assay.judges import JUDGES, Judge, make_judge, register_judge
from assay.judges.budget import Budget
from assay.judges.cascade import Cascade
from assay.judges.encoder import EncoderTier
from assay.policy import Policy
from assay.types import Action, Claim, Document, Judgement, Passage, Span, Stance, Support, Verdict

EVEREST = "Mount Everest is 8,849 m high. It stands on the border between Nepal and China."
REWORDED = "Everest lies where China meets Nepal."


def claim(text, **more):
    return Claim(text, (Span(0, len(text)),), **more)


def passage(text, id="source"):
    return Passage(Document(id, text), 0, len(text))


class FixedTier(EncoderTier):
    """A tier that gives the same probabilities for everything, and counts what it was shown."""

    def __init__(self, name, scores, wait=lambda: None):
        super().__init__(name, Policy())
        self.scores, self.wait, self.seen = scores, wait, []
        self.model = name

    def load(self):
        return 0.0

    def oppose(self, cases):
        return [() for _ in cases]

    def judge(self, cases):
        self.wait()
        cases = list(cases)
        self.seen += [case.claim.text for case in cases]
        said = Judgement(self.scores.verdict, self.scores.confidence, f"encoder:{self.name}", latency_ms=1.0)
        return [(said, self.scores) for _ in cases]


SURE, UNSURE, NO = Scores(0.95, 0.02, 0.03), Scores(0.6, 0.1, 0.3), Scores(0.1, 0.1, 0.8)


def test_every_name_makes_a_judge_and_loads_nothing():
    before = dict(Verifier._loaded)
    for name in ("lexical", "small", "base", "cascade"):
        judge = make_judge(name)
        assert isinstance(judge, Judge)
        assert judge.name == name
    assert before == Verifier._loaded


def test_an_unknown_judge_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="cascade"):
        make_judge("oracle")


def test_a_registered_judge_can_be_named(monkeypatch):
    monkeypatch.setattr("assay.judges.JUDGES", dict(JUDGES))
    register_judge("mine", lambda policy: make_judge("lexical", policy))
    assert Engine(judge="mine").verify("Everest is high.", sources=[EVEREST]).findings


def test_what_words_prove_never_reaches_a_model():
    tier = FixedTier("first", NO)
    said = Cascade(tiers=(tier,)).judge(
        [claim("Mount Everest is 8,849 m high."), claim("Mount Everest is 8,489 m high.")], [[passage(EVEREST)]] * 2
    )
    assert [j.verdict for j in said] == [Verdict.SUPPORTED, Verdict.REFUTED]
    assert [j.method for j in said] == ["span", "number"]
    assert tier.seen == []


def test_only_the_unsure_go_on_and_each_judgement_names_its_tier():
    first, second = FixedTier("first", UNSURE), FixedTier("second", SURE)
    (said,) = Cascade(tiers=(first, second)).judge([claim(REWORDED)], [[passage(EVEREST)]])
    assert (said.method, said.verdict, said.confidence) == ("encoder:second", Verdict.SUPPORTED, 0.95)
    assert said.latency_ms > 2.0  # words, first and second tier


@pytest.mark.parametrize("scores", [SURE, NO])
def test_the_sure_and_the_hopeless_stop_at_the_first_tier(scores):
    second = FixedTier("second", SURE)
    (said,) = Cascade(tiers=(FixedTier("first", scores), second)).judge([claim(REWORDED)], [[passage(EVEREST)]])
    assert said.method == "encoder:first"
    assert second.seen == []


def test_a_title_in_quotation_marks_does_not_prove_what_is_said_about_it():
    source = '"Rivals" is the first episode of the second season of the old series.'
    tier = FixedTier("first", NO)
    Cascade(tiers=(tier,)).judge(
        [claim('"Rivals" is the second episode of the first season of the old series.')], [[passage(source)]]
    )
    assert tier.seen


def test_a_claim_without_evidence_is_insufficient_and_no_model_is_asked():
    tier = FixedTier("first", SURE)
    (said,) = Cascade(tiers=(tier,)).judge([claim(REWORDED)], [[]])
    assert said.verdict is Verdict.INSUFFICIENT
    assert tier.seen == []


def test_what_is_not_checkable_stays_so():
    opinion = claim("I like it.", checkable=False, reason="opinion")
    assert Cascade(tiers=()).judge([opinion], [[passage(EVEREST)]])[0].verdict is Verdict.NOT_CHECKABLE


@pytest.mark.parametrize(
    ("claims", "passages", "question", "limit"),
    [
        ([claim("word " * 300)], [[passage(EVEREST)]], None, "claim_max_tokens"),
        ([claim(REWORDED)], [[passage(EVEREST, str(n)) for n in range(6)]], None, "passages_per_claim"),
        ([claim(REWORDED)], [[passage("word " * 600)]], None, "passage_max_tokens"),
        ([claim(REWORDED)], [[passage(EVEREST)]], "why " * 300, "question_max_tokens"),
        ([claim(REWORDED)], [], None, "one list for each claim"),
    ],
)
def test_input_beyond_the_contract_is_refused_by_name(claims, passages, question, limit):
    with pytest.raises(ContractError, match=limit):
        Cascade(tiers=()).judge(claims, passages, question)


def test_the_engine_stays_within_the_contract_by_itself():
    long = " ".join(f"Fact {n} is about mountain number {n} in the range." for n in range(400))
    report = Engine(judge=Cascade(tiers=(FixedTier("first", NO),))).verify(
        "Mountain 7 was never climbed by anyone.", sources=[long, EVEREST], question="why " * 400
    )
    assert report.verdict is Verdict.INSUFFICIENT


# Models that cannot be used


def test_a_damaged_model_on_disk_leaves_words_and_numbers_and_says_so_on_every_report(tmp_path):
    folder = tmp_path / "small"
    shutil.copytree(WEIGHTS / "small", folder)
    model = folder / "model.onnx"
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 0xFF
    model.write_bytes(content)
    engine = Engine(judge=Cascade(tiers=(str(folder),)))
    for _ in range(2):
        report = engine.verify(f"Mount Everest is 8,489 m high. {REWORDED}", sources=[EVEREST])
        assert report.risk_flags[0].kind == "fallback"
        assert "is damaged" in report.risk_flags[0].message
        assert [f.verdict for f in report.findings] == [Verdict.REFUTED, Verdict.INSUFFICIENT]
        assert not any(f.method.startswith("encoder") for f in report.findings)


def test_impossible_logits_leave_words_and_numbers(make_model):
    engine = Engine(judge=Cascade(tiers=(make_model("nan"),)))
    report = engine.verify(REWORDED, sources=[EVEREST])
    assert "NaN" in report.risk_flags[0].message
    assert report.findings[0].verdict is Verdict.INSUFFICIENT


def test_a_missing_second_model_leaves_the_first(make_model, tmp_path):
    folder = make_model()
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (broken / "model.onnx").unlink()
    first = FixedTier("first", UNSURE)
    deliberation = Cascade(tiers=(first, str(broken))).deliberate([claim(REWORDED)], [[passage(EVEREST)]])
    assert deliberation.judgements[0].method == "encoder:first"
    assert "'first' judges alone" in deliberation.flags[0].message
    assert deliberation.fallbacks == (str(broken),)


class Nonsense:
    name = "nonsense"

    def judge(self, claims, passages, question=None):
        return [Judgement(Verdict.SUPPORTED, float("nan"), "guess") for _ in claims]


class Broken:
    name = "broken"

    def judge(self, claims, passages, question=None):
        raise RuntimeError("no more disk")


class Short:
    name = "short"

    def judge(self, claims, passages, question=None):
        return []


@pytest.mark.parametrize("judge", [Nonsense(), Short()])
def test_a_judge_that_gives_impossible_answers_is_replaced_by_rules(judge):
    report = Engine(judge=judge).verify("Mount Everest is 8,489 m high.", sources=[EVEREST])
    assert report.verdict is Verdict.REFUTED
    assert report.risk_flags[0].kind == "fallback"


def test_a_judge_that_fails_leaves_errors_with_the_reason_and_never_a_verdict():
    report = Engine(judge=Broken()).verify("Mount Everest is 8,849 m high. Hello!", sources=[EVEREST])
    assert report.findings[0].verdict is Verdict.ERROR
    assert "no more disk" in report.findings[0].explanation
    assert report.findings[0].marks == ("unverified",)
    assert "unverified" in [flag.kind for flag in report.risk_flags]
    assert not report.grounded


def test_a_source_that_backs_and_one_that_denies_are_both_quoted(make_model):
    class Torn(EncoderTier):
        """A tier whose second document always speaks against the claim."""

        def judge(self, cases):
            said = Judgement(Verdict.SUPPORTED, 0.95, "encoder:torn", Support.FULL)
            return [(said, SURE) for _ in cases]

        def _opposites(self, readings):
            scores = [SURE, Scores(0.02, 0.95, 0.03)]
            return super()._opposites([replace(r, scores=s) for r, s in zip(readings, scores, strict=True)])

    tier = Torn(make_model(), Policy())
    backs, denies = "The old stone bridge is there for cars.", "On the old stone bridge cars are turned away."
    sources = [Document("a", backs), Document("b", denies)]
    report = Engine(judge=Cascade(tiers=(tier,))).verify("Any car may use the stone bridge today.", sources=sources)
    (found,) = report.findings
    assert "SOURCES_DISAGREE" in found.violations
    assert {item.document: item.stance for item in found.evidence} == {"a": Stance.SUPPORTS, "b": Stance.REFUTES}
    assert [flag.kind for flag in report.risk_flags] == ["conflict"]


# Budgets


def test_what_the_time_does_not_reach_is_unverified_and_not_guessed():
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
    assert any("4 claims" in warning for warning in said.warnings)


def test_an_answer_without_any_time_left_is_unverified_as_a_whole():
    report = Engine(Policy().but(max_ms=1e-6), "small").verify(REWORDED, sources=[EVEREST])
    assert report.verdict is Verdict.ERROR
    assert report.action is Action.CONTINUE
    assert "unverified" in [flag.kind for flag in report.risk_flags]


def test_a_budget_counts_from_its_clock_and_gives_loading_back():
    now = [0.0]
    budget = Budget(Policy().but(max_ms=100.0), clock=lambda: now[0])
    now[0] = 0.25
    assert budget.out_of_time
    budget.give_back(200)
    assert not budget.out_of_time
    assert budget.used_ms == pytest.approx(50)


class Paid:
    """A judge that costs a cent a claim."""

    name = "paid"

    def __init__(self):
        self.asked = 0

    def estimate_usd(self, claim, passages):
        return 0.01

    def judge(self, claims, passages, question=None):
        self.asked += len(claims)
        return [Judgement(Verdict.REFUTED, 0.9, "llm:paid", Support.CONTRADICTED, cost_usd=0.01) for _ in claims]


@pytest.mark.parametrize(("budget", "asked"), [(0.0, 0), (0.025, 2), (1.0, 3)])
def test_money_is_spent_only_on_the_unsure_and_within_the_budget(budget, asked):
    policy = Policy().but(max_usd=budget)
    judge = Paid()
    cascade = Cascade(policy, (FixedTier("first", UNSURE),), last=judge)
    answer = f"{REWORDED} Everest is where China and Nepal touch. China has a border on Everest. {EVEREST}"
    report = Engine(policy, cascade).verify(answer, sources=[EVEREST])
    assert judge.asked == asked
    assert report.cost_usd == pytest.approx(0.01 * asked)
    assert [f.method for f in report.findings].count("llm:paid") == asked
    assert bool(report.warnings) == (asked < 3)


# The real small model


@pytest.fixture(scope="module")
def small():
    return Engine(judge="small")


def test_the_model_reads_what_words_cannot_prove_and_quotes_where(small):
    source = "Marie Curie was born in Warsaw. She won the Nobel Prize in Physics in 1903."
    report = small.verify("Marie Curie received a Nobel Prize for physics.", sources=[source])
    (found,) = report.findings
    assert found.method == "encoder:small"
    assert found.verdict in (Verdict.SUPPORTED, Verdict.INSUFFICIENT)  # which of them is for the weights to say
    assert report.broken_receipts() == []
    assert "1903" in found.evidence[0].quote
    assert found.evidence[0].stance is (Stance.SUPPORTS if found.verdict is Verdict.SUPPORTED else Stance.NEUTRAL)
    assert "Nobel" in found.explanation


def test_the_same_claim_gets_the_same_judgement_in_any_company(small):
    source = "Marie Curie was born in Warsaw. She won the Nobel Prize in Physics in 1903."
    text = "Marie Curie received a Nobel Prize for physics."
    alone = small.verify(text, sources=[source]).findings[0]
    others = small.verify(f"Warsaw lies on the Moon. {text} Curie kept bees.", sources=[source]).findings[1]
    assert (alone.verdict, alone.confidence) == (others.verdict, others.confidence)


def test_a_model_is_named_by_its_weights_without_being_loaded():
    tier = EncoderTier("small", Policy())
    assert len(tier.model) == 64
    assert tier._docket is None
    assert Cascade(tiers=(tier,)).model.startswith("cascade small@")
