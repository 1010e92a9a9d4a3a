from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.encoder import Verifier
from assay.encoder.scores import NOTHING
from assay.errors import ContractError, UsageError
from assay.types import Document, Passage, Stance, Verdict
from tests.encoder.conftest import Maker

FACT = "Paris is the capital of France."
NOISE = [" ".join(f"w{(7 * n + m) % 400}" for m in range(12)) + "." for n in range(120)]


def passage(text: str, name: str = "d") -> Passage:
    document = Document(id=name, text=f"Title\n\n{text}\n")
    return Passage(document, 7, 7 + len(text), similarity=0.5)


def test_evidence_that_says_it_supports_and_one_that_denies_it_refutes(verifier: Verifier) -> None:
    found = verifier.score([(FACT, FACT), ("Paris is not the capital of France.", FACT), ("Water boils.", FACT)])
    assert [scores.verdict for scores in found] == [Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT]
    assert all(s.supported + s.refuted + s.insufficient == pytest.approx(1) for s in found)


@pytest.mark.parametrize("pair", [("", FACT), (FACT, ""), ("  \n", FACT), (FACT, "\t"), ("", ""), (FACT, "\u200b\x00")])
def test_nothing_to_read_is_insufficient_without_a_run(make_bundle: Maker, pair: tuple[str, str]) -> None:
    verifier = Verifier.load(make_bundle("nan"))  # a run would raise
    assert verifier.score([pair])[0].verdict is Verdict.INSUFFICIENT


def test_no_pairs_no_scores(verifier: Verifier) -> None:
    assert verifier.score([]) == []


@pytest.mark.parametrize("others", [0, 10, 100])
@pytest.mark.parametrize("fact", [FACT, "Paris is not the capital of France."])
def test_a_fact_is_found_however_much_stands_around_it(verifier: Verifier, others: int, fact: str) -> None:
    alone = verifier.score([(fact, FACT)])[0]
    half = others // 2
    among = verifier.score([(" ".join([*NOISE[:half], fact, *NOISE[half:others]]), FACT)])[0]
    assert among.verdict is alone.verdict
    assert among.confidence == pytest.approx(alone.confidence, abs=0.01)


def test_support_from_both_ends_of_a_long_text_is_found(verifier: Verifier) -> None:
    claim = "Marie Curie won a prize in physics and died in France"
    first, last = "Marie Curie won a prize in physics.", "She died in France and it."
    evidence = " ".join([first, *NOISE[:30], last])
    assert verifier.score([(evidence, claim)])[0].verdict is Verdict.SUPPORTED
    assert verifier.score([(evidence.replace(last, ""), claim)])[0].verdict is not Verdict.SUPPORTED


def test_a_window_about_something_else_does_not_refute(verifier: Verifier) -> None:
    claim = "it is the capital of the big old city of France"  # one name
    denial = "it is not the capital of the big old city of w1"
    assert verifier.score([(denial, claim)])[0].verdict is Verdict.REFUTED
    crowded = " ".join([denial.capitalize() + ".", *NOISE[:20]])
    assert verifier.score([(crowded, claim)])[0].verdict is Verdict.INSUFFICIENT


def test_a_score_does_not_depend_on_the_other_pairs(verifier: Verifier) -> None:
    pairs = [(FACT, FACT), ("Paris is big.", FACT), (" ".join(NOISE), FACT), (FACT, "Rome is a city.")]
    assert verifier.score(pairs) == [verifier.score([pair])[0] for pair in pairs]
    assert verifier.score(pairs[::-1]) == verifier.score(pairs)[::-1]


def test_a_claim_of_ten_thousand_words_is_read_in_parts(verifier: Verifier) -> None:
    claim = "Paris is the capital of France. " * 1700
    assert verifier.score([(FACT, claim)])[0].verdict is Verdict.SUPPORTED
    assert verifier.score([(FACT, claim + "London is in Italy.")])[0].verdict is not Verdict.SUPPORTED


def test_a_claim_of_ten_thousand_words_without_a_stop_is_read_in_parts(verifier: Verifier) -> None:
    assert verifier.score([("the cat sat", "the cat sat " * 3400)])[0].verdict is Verdict.SUPPORTED


def test_sentences_read_apart_are_as_good_as_the_weakest(verifier: Verifier) -> None:
    claim = "Paris is the capital of France. The cat sat on the mat. Rome is old."
    evidence = "Paris is the capital of France. The cat sat on the mat."
    whole = verifier.score([(evidence, claim)])[0]
    apart = verifier.score([(evidence, claim)], by_sentence=True)[0]
    assert whole.verdict is Verdict.SUPPORTED
    assert apart.verdict is Verdict.INSUFFICIENT


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=400), st.text(max_size=80))
def test_any_text_gets_scores(verifier: Verifier, evidence: str, claim: str) -> None:
    found = verifier.score([(evidence, claim)])[0]
    assert found.supported + found.refuted + found.insufficient == pytest.approx(1)
    document = Document(id="d", text=evidence)
    ruling = verifier.judge_passages(claim, [Passage(document, 0, len(evidence))])
    assert all(item.holds_in(document) for item in ruling.evidence)
    assert all(0 <= span.start < span.end <= len(claim) for span in verifier.unsupported_words(claim, evidence))


def test_threads_share_one_verifier(verifier: Verifier) -> None:
    pairs = [(" ".join([*NOISE[n : n + 9], FACT]), FACT) for n in range(20)]
    expected = verifier.score(pairs)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(verifier.score, [pairs] * 8))


def test_no_thread_is_no_verifier(make_bundle: Maker) -> None:
    with pytest.raises(UsageError, match="at least one thread"):
        Verifier.load(make_bundle(), threads=0)


def test_the_deciding_sentence_is_quoted_from_the_document(verifier: Verifier) -> None:
    passages = [passage("Water boils at 100 degrees.", "a"), passage(f"Rome is old. {FACT} It is big.", "b")]
    ruling = verifier.judge_passages("Paris is the capital of France", passages)
    assert ruling.verdict is Verdict.SUPPORTED
    assert ruling.decided_by == (1,)
    (quote,) = ruling.evidence
    assert quote.quote == FACT
    assert quote.stance is Stance.SUPPORTS
    assert quote.holds_in(passages[1].document)
    assert ruling.alone[0] is not None
    assert ruling.alone[0].verdict is Verdict.INSUFFICIENT


def test_a_denial_is_quoted_as_refuting(verifier: Verifier) -> None:
    ruling = verifier.judge_passages(
        FACT, [passage("Rome is old. Paris is not the capital of France."), passage("w1 w2 w3.")]
    )
    assert ruling.verdict is Verdict.REFUTED
    assert ruling.evidence[0].quote == "Paris is not the capital of France."
    assert ruling.evidence[0].stance is Stance.REFUTES


def test_support_spread_over_two_passages_is_found(verifier: Verifier) -> None:
    claim = "Marie Curie won a prize in physics and died in France"
    passages = [
        passage("Marie Curie won a prize in physics.", "a"),
        passage("w1 w2", "n"),
        passage("She died in France and it.", "b"),
    ]
    assert all(verifier.judge_passages(claim, [one]).verdict is not Verdict.SUPPORTED for one in passages)
    ruling = verifier.judge_passages(claim, passages)
    assert ruling.verdict is Verdict.SUPPORTED
    assert ruling.decided_by == (0, 2)
    assert [item.document for item in ruling.evidence] == ["a", "b"]


def test_three_hundred_passages_are_read_for_the_one_that_matters(verifier: Verifier) -> None:
    passages = [passage(NOISE[n % 120], f"n{n}") for n in range(300)]
    passages[217] = passage(FACT, "fact")
    ruling = verifier.judge_passages(FACT, passages)
    assert ruling.verdict is Verdict.SUPPORTED
    assert ruling.decided_by == (217,)
    assert len(ruling.alone) == 300
    assert ruling.readings < 100


@pytest.mark.parametrize("passages", [[], [passage("")], [passage(" \n")]])
def test_without_evidence_a_claim_is_insufficient(verifier: Verifier, passages: list[Passage]) -> None:
    ruling = verifier.judge_passages(FACT, passages)
    assert ruling.scores == NOTHING
    assert ruling.evidence == ()


def test_a_claim_beyond_the_contract_is_refused_with_both_numbers(verifier: Verifier) -> None:
    with pytest.raises(ContractError, match=r"the claim has 10000 tokens and one judgement takes at most 29"):
        verifier.judge_passages("cat " * 10_000, [passage(FACT)])


def test_the_word_the_evidence_does_not_carry_is_marked(verifier: Verifier) -> None:
    claim = "Paris is the old capital of Germany"
    evidence = "Paris is the capital of France. Rome is old."
    assert [span.of(claim) for span in verifier.unsupported_words(claim, evidence)] == []
    claim = "Paris is the capital of Germany with 1889 people"
    marked = [span.of(claim) for span in verifier.unsupported_words(claim, FACT)]
    assert "Germany" in marked
    assert any("1889" in words for words in marked)
    assert not any("Paris" in words for words in marked)


def test_a_claim_about_something_else_is_marked_whole(verifier: Verifier) -> None:
    claim = "  Water boils."
    assert [span.of(claim) for span in verifier.unsupported_words(claim, FACT)] == ["Water boils."]
    assert [span.of(claim) for span in verifier.unsupported_words(claim, "")] == ["Water boils."]
    assert verifier.unsupported_words("", FACT) == ()


def test_only_the_unsupported_sentence_is_marked(verifier: Verifier) -> None:
    claim = f"{FACT} Water boils."
    assert [span.of(claim) for span in verifier.unsupported_words(claim, FACT)] == ["Water boils."]
