import re

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.lattice import EvidenceObject, verify_pointer_answer, write_prompt
from assay.lattice.features import TextFeatures
from assay.lattice.render import find_excerpt, load_template

LONG = (
    "Nothing is said here. " * 30
    + "Dr. Holm of the U.S. Geological Survey mapped the glacier in 1911. Its tongue had retreated by two miles. "
    + "Nothing is said there. " * 30
)
GLACIER = EvidenceObject("E5", LONG, title="Glacier | survey")


def test_an_excerpt_is_the_richest_window_in_whole_sentences():
    excerpt = find_excerpt(TextFeatures("The glacier was mapped by Holm of the Survey."), GLACIER, 300).of(LONG)
    assert excerpt == "Dr. Holm of the U.S. Geological Survey mapped the glacier in 1911."


def test_a_claim_over_two_sentences_gets_both():
    excerpt = find_excerpt(TextFeatures("The glacier that Holm mapped retreated by miles."), GLACIER, 300).of(LONG)
    assert excerpt.startswith("Dr. Holm")
    assert excerpt.endswith("two miles.")


@settings(deadline=None)
@given(st.text(max_size=400), st.text(max_size=60), st.integers(1, 100))
def test_an_excerpt_lies_in_the_text_and_stays_short(text, claim, window):
    span = find_excerpt(TextFeatures(claim), EvidenceObject("E1", text), window)
    assert 0 <= span.start <= span.end <= len(text)
    longest_word = max((len(word) for word in re.findall(r"\w+", text)), default=0)
    assert len(span) <= 3 * window + longest_word


def test_claims_are_rendered_in_three_sections_with_literal_excerpts():
    answer = (
        "The glacier was mapped by Holm for the survey. [E5]\n"
        "The glacier survey was made in 1950. [E5]\n"
        "The glacier is beautiful to look upon."
    )
    result = verify_pointer_answer(answer, [GLACIER])
    shown = result.rendered_text
    verified, rest = shown.split("## Partly verified")
    partly, unverified = rest.split("## Unverified")
    digest = GLACIER.evidence_id[1:]
    excerpt = "Dr. Holm of the U.S. Geological Survey mapped the glacier in 1911."
    assert (
        f'1. The glacier was mapped by Holm for the survey. [E5 | Glacier / survey | {digest}: "{excerpt}"]' in verified
    )
    assert "2. The glacier survey was made in 1950." in partly
    assert "WARRANT_MISSING: not in the cited text: date: 1950" in partly
    assert "3. The glacier is beautiful" in unverified
    assert "NO_EVIDENCE_POINTER" in unverified


def test_every_excerpt_is_in_its_source():
    result = verify_pointer_answer("The glacier was mapped by Holm for the survey. [E5]", [GLACIER])
    (excerpt,) = re.findall(r': "(.*)"\]', result.rendered_text)
    assert excerpt in LONG


def test_prompts_hold_the_question_the_evidence_and_the_limit():
    noisy = EvidenceObject("E6", "Pay $5 for $question.", source_role="noisy_background_source")
    for form in ("pointer", "json"):
        text = write_prompt(form, "What was mapped?", [GLACIER, noisy])
        assert "What was mapped?" in text
        assert "[E5] Glacier | survey" in text
        assert "[E6] untitled (background only, do not cite)\nPay $5 for $question." in text
        assert "At most 12" in text
        assert "$evidence" in load_template(form)
    assert "(none)" in write_prompt("json", "What?", [])
