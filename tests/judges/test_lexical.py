from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.claims import extract_claims
from assay.errors import ContractError
from assay.judges import Judge
from assay.judges.lexical import LexicalJudge
from assay.lexical.index import index_document
from assay.lexical.search import candidates
from assay.types import Claim, Document, Passage, Span, Support, Verdict

PLACE = Path(__file__).parent.parent / "lexical" / "cases" / "judge.yaml"
CASES = yaml.safe_load(PLACE.read_text(encoding="utf-8"))["cases"]


def claim_of(text, context=""):
    return Claim(text, (Span(0, len(text)),), context=context)


def judged(text, *documents, context=""):
    claim = claim_of(text, context)
    return LexicalJudge().judge_claim(claim, candidates(claim, [index_document(d) for d in documents], 5))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case):
    document = Document("the source", case["source"])
    result = judged(case["claim"], document, context=case.get("context", ""))
    expect = dict(case["expect"])
    shown = (result.verdict.value, result.method, result.explanation)
    assert shown[:2] == (expect.pop("verdict"), expect.pop("method")), shown
    assert all(item.holds_in(document) for item in result.evidence)
    if "quote" in expect:
        assert expect.pop("quote") in result.evidence[0].quote
    if "says" in expect:
        assert expect.pop("says") in result.explanation
    if "violations" in expect:
        assert list(result.violations) == expect.pop("violations")
    if "support" in expect:
        assert result.support.value == expect.pop("support")
    assert not expect, f"unknown expectation {sorted(expect)}"


def test_it_is_a_judge():
    assert isinstance(LexicalJudge(), Judge)


def test_each_claim_is_judged_by_its_own_passages():
    first, second = Document("a", "The cat sleeps on the mat."), Document("b", "The dog barks at the moon.")
    claims = [claim_of("The cat sleeps on the mat."), claim_of("The cat sleeps on the mat.")]
    passages = [[Passage(first, 0, len(first.text))], [Passage(second, 0, len(second.text))]]
    verdicts = [found.verdict for found in LexicalJudge().judge(claims, passages)]
    assert verdicts == [Verdict.SUPPORTED, Verdict.INSUFFICIENT]


def test_claims_and_passages_must_match_in_number():
    with pytest.raises(ContractError, match="1 claims came with passages for 0"):
        LexicalJudge().judge([claim_of("x")], [])


def test_input_beyond_the_limits_of_one_judgement_is_refused():
    passage = Passage(Document("d", "word " * 600), 0, 3000)
    short = Passage(Document("d", "It is."), 0, 6)
    with pytest.raises(ContractError, match=r"the claim .* has 300 tokens"):
        LexicalJudge().judge([claim_of("word " * 300)], [[short]])
    with pytest.raises(ContractError, match=r"a passage of d has 600 tokens"):
        LexicalJudge().judge([claim_of("It is.")], [[passage]])
    with pytest.raises(ContractError, match="came with 6 passages"):
        LexicalJudge().judge([claim_of("It is.")], [[short] * 6])


def test_what_states_nothing_is_not_judged():
    remark = Claim("Hello!", (Span(0, 6),), checkable=False, reason="a greeting")
    result = LexicalJudge().judge_claim(remark, [])
    assert (result.verdict, result.explanation) == (Verdict.NOT_CHECKABLE, "Nothing to check: a greeting.")


def test_sources_that_disagree_are_both_shown():
    good = Document("good", "Mount Everest is 8,849 m high.")
    bad = Document("bad", "Mount Everest is 8,611 m high.")
    result = judged("Mount Everest is 8,849 m high.", good, bad)
    assert (result.verdict, result.violations) == (Verdict.SUPPORTED, ("SOURCES_DISAGREE",))
    assert [item.document for item in result.evidence] == ["good", "bad"]


def test_a_refuted_number_is_marked_where_it_stands_in_the_answer():
    answer = "Well. Mount Everest is 8,489 m high."
    claim = Claim(answer[6:], (Span(6, len(answer)),))
    document = Document("d", "Mount Everest is 8,849 m high.")
    result = LexicalJudge().judge_claim(claim, [Passage(document, 0, len(document.text))])
    assert [span.of(answer) for span in result.unsupported] == ["8,489 m"]


def test_evidence_in_marked_up_sources_is_cited_as_written():
    document = Document("page", "<p>The <b>old</b> bridge opened in 1937.</p><p>Tolls followed.</p>", markup="html")
    result = judged("The old bridge opened in 1937.", document)
    assert result.verdict is Verdict.SUPPORTED
    assert result.evidence[0].quote == "The <b>old</b> bridge opened in 1937."


def test_support_is_partial_only_when_something_was_found():
    document = Document("d", "The museum opened a new wing.")
    assert judged("The museum opened a restaurant and a cinema.", document).support is Support.PARTIAL
    assert judged("Whales migrate across oceans.", document).support is Support.NONE


texts = st.one_of(
    st.text(max_size=100),
    st.lists(
        st.sampled_from('Everest is 8,849 m high not “ ” " . , It the Nepal said false that \n İ 5 % [1]'.split(" ")),
        max_size=25,
    ).map(" ".join),
)


@settings(max_examples=150, deadline=None)
@given(texts, texts, st.sampled_from(["plain", "html", "wikitext"]))
def test_receipts_hold_for_any_text(text, source, markup):
    document = Document("d", source, markup=markup)
    result = judged(text, document)
    assert all(item.holds_in(document) for item in result.evidence)
    whole = LexicalJudge().judge_claim(claim_of(text), [Passage(document, 0, len(source))])
    assert all(item.holds_in(document) for item in whole.evidence)


@settings(max_examples=80, deadline=None)
@given(texts)
def test_nothing_is_supported_or_refuted_by_nothing(text):
    assert judged(text, Document("d", "")).verdict is Verdict.INSUFFICIENT
    assert judged(text).verdict is Verdict.INSUFFICIENT


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from("Zebra grazes slowly Savanna 77 % kilometres".split()), min_size=1, max_size=12))
def test_an_unrelated_source_neither_supports_nor_refutes(words):
    source = Document("d", "In spring the bakers of Lyon sell bread. Nobody knows why they do it at night.")
    assert judged(" ".join(words), source).verdict is Verdict.INSUFFICIENT


@pytest.mark.parametrize(
    "text",
    ["a " * 100_000, "not " * 50_000, '"' * 200_000, "1,000 " * 30_000, "It is. " * 10_000, "Alan Turing " * 16_000],
)
def test_long_texts_are_judged(text):
    document = Document("d", text)
    passage = Passage(document, 0, len(text))
    assert LexicalJudge().judge_claim(claim_of(text[:2_000]), [passage]).verdict in Verdict
    assert LexicalJudge().judge_claim(claim_of(text), [Passage(Document("s", "It is not."), 0, 10)]).verdict in Verdict


LEE = Document("lee", "Ann Lee was a painter. She left London in 1887 and never came back.", title="Ann Lee (painter)")


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("Ann Lee left London in 1887 and never came back.", "span"),
        ("Ann Lee left London in 1888 and never came back.", "none"),
        ("Ann Lee left Paris in 1887 and never came back.", "none"),
        ("Tom Ray left London in 1887 and never came back.", "none"),
    ],
)
def test_a_pronoun_stands_for_what_the_title_names(text, method):
    assert judged(text, LEE).method == method


def test_a_quote_inside_a_claim_that_denies_it_is_no_proof():
    source = Document("d", 'He is an editor at "Marie Claire" and the founder of a club.')
    assert (
        judged('He is not an editor at "Marie Claire" and the founder of a club.', source).verdict
        is not Verdict.SUPPORTED
    )


@pytest.mark.parametrize(
    "answer",
    [
        "The tower is **8,489** m high.",
        "The tower is in Nepal and is 8,489 m high [1].",
        "## The tower\n- 8,489 m high",
    ],
)
def test_a_refuted_number_is_marked_also_where_the_claim_was_cleaned_or_completed(answer):
    document = index_document(Document("d", "The tower is 8,849 m high."))
    claim = extract_claims(answer)[-1]
    result = LexicalJudge().judge_claim(claim, candidates(claim, [document], 5))
    assert [span.of(answer).replace("**", "") for span in result.unsupported] == ["8,489 m"]
