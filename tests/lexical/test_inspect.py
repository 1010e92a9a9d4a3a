import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AnswerError
from assay.lexical import inspect
from assay.types import Document

CONTEXT = (
    "Penicillin was discovered in 1928 by the Scottish scientist Alexander Fleming at St Mary's Hospital in London. "
    "It is false that penicillin cures the common cold. The drug saved 8,849 soldiers."
)


@pytest.mark.parametrize(
    ("unit", "outcome"),
    [
        ("The drug saved 8849 soldiers (source: army).", "verbatim_in_base"),
        (
            "Penicillin was discovered in 1928 by the Scottish scientist Alexander Fleming, who was glad.",
            "trailing_artifact",
        ),
        ("Penicillin was discovered in 1928, which was nice.", "partial"),
        ("In London the scientist Alexander Fleming discovered penicillin.", "paraphrase"),
        ("A German scientist discovered aspirin in some hospital in London.", "partial"),
        ("Turtles lay their eggs on warm beaches.", "no_overlap"),
        ("", "no_overlap"),
    ],
)
def test_outcomes(unit, outcome):
    assert inspect(unit, CONTEXT).outcome.value == outcome


def test_words_that_a_reader_never_sees_are_told_apart():
    document = Document("page", "<p>Seen by all.</p><script>hidden words stand here</script>", markup="html")
    seen = inspect("hidden words stand here", document)
    assert seen.outcome.value == "verbatim_in_raw_only"
    assert seen.evidence.quote == "hidden words stand here"
    assert inspect("Seen by all", document).outcome.value == "verbatim_in_base"


def test_what_is_missing_is_named():
    seen = inspect("Fleming discovered aspirin in London in 1930.", CONTEXT)
    assert seen.missing_words == ("aspirin", "1930")
    assert seen.missing_numbers == ("1930",)
    assert seen.evidence.quote.startswith("Penicillin was discovered")
    assert "missing words: aspirin" in str(seen)


def test_the_tail_that_does_not_match_is_shown():
    unit = "Penicillin was discovered in 1928 by the Scottish scientist Alexander Fleming and sold by him."
    seen = inspect(unit, CONTEXT)
    assert seen.matched_prefix == "Penicillin was discovered in 1928 by the Scottish scientist Alexander Fleming"
    assert seen.unmatched_tail == "and sold by him."


def test_a_denial_is_shown():
    assert inspect("Penicillin cures the common cold.", CONTEXT).negated_by == "It is false that"


def test_a_unit_must_be_text():
    with pytest.raises(AnswerError, match="not int"):
        inspect(3, CONTEXT)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=150), st.text(max_size=150), st.sampled_from(["plain", "html", "wikitext"]))
def test_the_closest_place_is_a_receipt(unit, context, markup):
    document = Document("d", context, markup=markup)
    seen = inspect(unit, document)
    assert seen.evidence is None or seen.evidence.holds_in(document)
    assert 0 <= seen.coverage <= 1
    assert isinstance(seen.to_dict()["outcome"], str)
    assert str(seen)
