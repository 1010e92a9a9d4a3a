from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AnswerError, PolicyError, SourceError
from assay.lexical import audit_quotes
from assay.types import AuditMode, Document

DATA = yaml.safe_load((Path(__file__).parent / "cases" / "audit.yaml").read_text(encoding="utf-8"))
CASES = DATA["cases"]


def holds(result, answer, document):
    for unit in result.units:
        assert unit.span.of(answer) == unit.text
        for item in unit.evidence:
            assert item.holds_in(document)
        assert bool(unit.evidence) == (unit.status.value != "UNSUPPORTED")


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case):
    context = DATA["contexts"].get(case["context"], case["context"])
    document = Document("context", context)
    options = {"entity_policy": case.get("policy", "proximity"), "proximity_window": case.get("window", 300)}
    result = audit_quotes(case["answer"], document, **options)
    holds(result, case["answer"], document)
    expect = dict(case["expect"])
    assert result.audit_mode.value == expect.pop("mode"), result.to_dict()
    assert result.verifier_method == expect.pop("method"), result.to_dict()
    if "statuses" in expect:
        assert result.claim_statuses == expect.pop("statuses")
    if "unverified" in expect:
        assert result.unverified_quotes == expect.pop("unverified")
    if "quote" in expect:
        assert result.units[0].evidence[0].quote == expect.pop("quote")
    for name in ("n_quotes", "n_verified"):
        if name in expect:
            assert getattr(result, name) == expect.pop(name)
    assert not expect, f"unknown expectation {sorted(expect)}"


def test_an_unknown_policy_is_an_error_that_names_the_valid_ones():
    with pytest.raises(PolicyError, match=r"'vague'.*strict, hybrid, drop, proximity"):
        audit_quotes("x", "y", entity_policy="vague")


def test_what_is_said_about_names_is_heeded():
    answer, context = "Howard Florey, Alexander Fleming.", DATA["contexts"]["penicillin"]
    assert audit_quotes(answer, context).audit_mode is AuditMode.HYBRID
    assert audit_quotes(answer, context, entity_policy="strict").audit_mode is AuditMode.STRICT
    assert audit_quotes(answer, context, entity_policy="drop").audit_mode is AuditMode.UNGROUNDED
    assert audit_quotes(answer, context, proximity_n=2).audit_mode is AuditMode.STRICT
    assert audit_quotes(answer, context, proximity_n=2, proximity_window=10).audit_mode is AuditMode.HYBRID


def test_answer_and_context_must_be_text():
    with pytest.raises(AnswerError, match="not NoneType"):
        audit_quotes(None, "x")
    with pytest.raises(SourceError, match="not int"):
        audit_quotes("x", 3)


def test_a_text_and_a_document_are_audited_alike():
    answer = 'It says "the quick brown fox".'
    as_text = audit_quotes(answer, "See the quick brown fox.")
    assert as_text.units == audit_quotes(answer, Document("context", "See the quick brown fox.")).units


def test_wikitext_is_read_as_prose_and_cited_as_written():
    raw = "'''Penicillin''' was discovered by [[Alexander Fleming|Fleming]] in [[1928]].<ref>Smith</ref>"
    document = Document("wiki", raw, markup="wikitext")
    answer = "Penicillin was discovered by Fleming in 1928."
    result = audit_quotes(answer, document)
    assert (result.audit_mode, result.verifier_method) == (AuditMode.STRICT, "span")
    holds(result, answer, document)
    assert result.units[0].evidence[0].quote.endswith("[[1928")


def test_html_is_read_as_prose_and_cited_as_written():
    document = Document("page", "<p>Prices rose by&nbsp;<b>5&nbsp;%</b> last year.</p>", markup="html")
    answer = "Prices rose by 5% last year."
    result = audit_quotes(answer, document)
    assert result.audit_mode is AuditMode.STRICT
    holds(result, answer, document)


def test_the_result_as_data_has_the_promised_fields():
    data = audit_quotes('He wrote "to be or not to be".', "To be, or not to be: that is it.").to_dict()
    assert {
        key: data[key] for key in ("n_quotes", "n_verified", "audit_mode", "verifier_method", "claim_statuses")
    } == {
        "n_quotes": 1,
        "n_verified": 1,
        "audit_mode": "STRICT",
        "verifier_method": "quote",
        "claim_statuses": ["VERIFIED_QUOTE"],
    }
    assert data["units"][0]["evidence"][0]["quote"] == "To be, or not to be"


WORDS = [
    "Fleming",
    "Alexander",
    "polar",
    "not",
    "8,849",
    "300",
    "“",
    "”",
    '"',
    ".",
    "\n",
    "- ",
    "İ",
    "ﬁ",
    "e\u0301",
    "is",
]
texts = st.one_of(
    st.text(max_size=120), st.lists(st.sampled_from([*WORDS, "discovered", "mould", "the"]), max_size=25).map(" ".join)
)


@settings(max_examples=150, deadline=None)
@given(texts, texts, st.sampled_from(["plain", "markdown", "html", "wikitext"]))
def test_receipts_hold_for_any_text(answer, context, markup):
    document = Document("any", context, markup=markup)
    holds(audit_quotes(answer, document), answer, document)


@settings(max_examples=100, deadline=None)
@given(st.text(min_size=1, max_size=80), st.text(max_size=60), st.text(max_size=60))
def test_words_taken_from_a_context_are_always_found_in_it(words, before, after):
    context = f"{before} . {words} . {after}"
    result = audit_quotes(f"“{words.replace('“', '').replace('”', '').replace(chr(34), '')}”", context)
    for unit in result.units:
        assert unit.status.value != "UNSUPPORTED" or any(mark in words for mark in '"“”')


@settings(max_examples=60, deadline=None)
@given(texts)
def test_nothing_is_grounded_in_an_empty_context(answer):
    assert audit_quotes(answer, "").audit_mode is AuditMode.UNGROUNDED


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["Zebra", "grazes", "slowly", "Savanna", "quietly", "77"]), max_size=12).map(" ".join))
def test_nothing_is_grounded_in_a_context_without_its_words(answer):
    assert audit_quotes(answer, "Nothing here fits, not one bit of it.").audit_mode is AuditMode.UNGROUNDED


HOSTILE = {
    "quotes": '"' * 1_000_000,
    "brackets": "[" * 500_000 + "(" * 500_000,
    "closing brackets": "](" * 500_000,
    "dots": "." * 1_000_000,
    "digits": "1" * 1_000_000,
    "commas and digits": "1,000" * 200_000,
    "capital words": "Alan Turing " * 83_000,
    "capital words on lines": "Alan Turing\n" * 83_000,
    "one letter": "a " * 500_000,
    "no spaces": "x" * 1_000_000,
    "short sentences": "So it is now here. " * 52_000,
    "not": "not " * 250_000,
    "quoted words": '"all of it here" ' * 58_000,
    "apostrophes": "'" * 1_000_000,
    "hyphens": "a-" * 500_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_megabyte_of_anything_is_audited(kind):
    text = HOSTILE[kind]
    result = audit_quotes(text[:50_000], text)
    assert result.audit_mode in AuditMode
    assert audit_quotes(text[:100_000], "A short context about Alan Turing.").audit_mode in AuditMode


def test_a_citation_of_several_hashes_is_no_part_of_the_statement():
    answer = "Paris is the capital of France [cite:1a2b3c4d, 5e6f7a8b]."
    result = audit_quotes(answer, "Paris is the capital of France.")
    assert (result.audit_mode.value, result.verifier_method) == ("STRICT", "span")


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("The recommended daily dose for adults taken with water is 500 mg.", True),
        ("The recommended daily dose for adults taken with water is 500 milligrams.", True),
        ("The recommended daily dose for adults taken with water is 500 g.", False),
        ("The recommended daily dose for adults taken with water is 500 ml.", False),
        ("The recommended daily pack for adults, which is sold with water, costs $12.", True),
        ("The recommended daily pack for adults, which is sold with water, costs €12.", False),
        ("The recommended daily weight for adults taken with water is 70 kg.", True),  # the unit stands elsewhere
    ],
)
def test_a_value_with_another_unit_is_not_in_the_context(answer: str, found: bool) -> None:
    context = (
        "Adults: the recommended daily dose is 500 mg, taken with water. The recommended daily pack is sold to adults "
        "with water; a pack costs $12. Recommended daily weight (kg) for adults: 70."
    )
    unit = audit_quotes(answer, context).units[0]
    assert unit.verified is found, unit
    if not found:
        assert "the context lacks" in unit.reason
