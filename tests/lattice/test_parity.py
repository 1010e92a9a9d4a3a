"""The same answer in both forms gets the same judgement; only what belongs to one form may differ."""

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.lattice import EvidenceObject, ViolationKind, verify_json_answer, verify_pointer_answer
from assay.lattice.result import OVERFLOW, AnswerForm

WORDS = [
    "mountain", "mountains", "highest", "summit", "Everest", "Mount", "climbed", "Hillary", "Norgay", "1953", "1954",
    "May", "June", "two", "12", "the", "of", "in", "because", "weather", "Paris", "tower", "is", "was",
]  # fmt: skip
ROLES = ["unclassified", "primary_answer_source", "noisy_background_source", "made_up_role"]
QUESTIONS = [
    None,
    "Who climbed the highest mountain?",
    "How many climbed Mount Everest in May 1953?",
    "Why was the weather on the mountain clear?",
    "Name the members of the summit party",
    "What is the tower of Paris?",
]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
CLAIMS = st.lists(
    st.tuples(SENTENCES, st.lists(st.sampled_from(["E1", "E2", "E3", "e1", "E9"]), max_size=4)), max_size=14
)
EVIDENCE = st.lists(
    st.tuples(SENTENCES, st.sampled_from(["", "Mount Everest", "Towers of Paris", "UK"]), st.sampled_from(ROLES)),
    min_size=3,
    max_size=3,
)


@settings(max_examples=80, deadline=None)
@given(CLAIMS, EVIDENCE, st.sampled_from(QUESTIONS))
@example(
    [("the mountain is the highest", ["E1", "E2", "E3"])], [("the highest mountain", "", "unclassified")] * 3, None
)
def test_both_forms_are_judged_alike(claims, objects, question):
    evidence = [
        EvidenceObject(f"E{n}", text, title=title, source_role=role, source_id="d", start=100 * n)
        for n, (text, title, role) in enumerate(objects, 1)
    ]
    pointer = verify_pointer_answer(
        "\n".join(f"{text} [{', '.join(ids)}]" if ids else text for text, ids in claims), evidence, question
    )
    as_json = verify_json_answer(
        json.dumps({"claims": [{"text": text, "evidence_ids": ids} for text, ids in claims]}), evidence, question
    )
    assert pointer.audit_mode == as_json.audit_mode
    assert pointer.rung == as_json.rung
    assert pointer.claim_statuses == as_json.claim_statuses
    assert pointer.evidence_id_pairs == as_json.evidence_id_pairs
    assert (pointer.n_quotes, pointer.n_verified) == (as_json.n_quotes, as_json.n_verified)
    assert pointer.rendered_text == as_json.rendered_text.replace(
        OVERFLOW[AnswerForm.JSON].value, OVERFLOW[AnswerForm.POINTER].value
    )
    assert _common(pointer) == _common(as_json)


def _common(result):
    """The violations, with the one failing that each form names for itself under one name."""
    return [
        ("OVERFLOW" if v.kind in OVERFLOW.values() else v.kind, v.claim_idx, v.pointer_id, v.claims, v.message)
        for v in result.violations
    ]


def test_a_quotation_is_wrong_only_in_json():
    evidence = [EvidenceObject("E1", "Mount Everest is the highest mountain.", title="Mount Everest")]
    text = 'Mount Everest is "the highest" mountain'
    pointer = verify_pointer_answer(f"{text} [E1]", evidence)
    as_json = verify_json_answer(json.dumps({"claims": [{"text": text, "evidence_ids": ["E1"]}]}), evidence)
    assert pointer.violations == ()
    assert [v.kind for v in as_json.violations] == [ViolationKind.MANUAL_QUOTE_VIOLATION]
