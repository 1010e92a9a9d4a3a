import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.lattice import FIXUPS, looks_like_lattice, verify_answer
from assay.lattice.evidence_map import EvidenceObject
from assay.lattice.forms import has_tag, json_schema, read_json_answer, read_pointer_answer

EVIDENCE = [EvidenceObject("E1", "Mount Everest is the highest mountain.", title="Mount Everest")]

TRICKY = st.text(st.sampled_from("ab 😀é\"\\/\n“”[]{},:E1'\u0301\ud83d"), max_size=12)
ANSWERS = st.lists(st.tuples(TRICKY, st.lists(st.sampled_from(["E1", "E12", "E123", "E2"]), max_size=3)), max_size=3)


def pointer_claims(answer):
    return [(claim.text, claim.pointers) for claim in read_pointer_answer(answer).claims]


@pytest.mark.parametrize(
    ("line", "text", "pointers"),
    [
        ("Paris is in France. [E12]", "Paris is in France.", ("E12",)),
        ("Paris is in France [E1, E4].", "Paris is in France.", ("E1", "E4")),
        ("[E2] Paris is in France.", "Paris is in France.", ("E2",)),
        ("Paris [e2] is in [E2; E3] France [E2]", "Paris is in France", ("E2", "E3")),
        ("Paris is in France. [E1][E2]", "Paris is in France.", ("E1", "E2")),
        ("Paris is in France. [E1 and E2]", "Paris is in France.", ("E1", "E2")),
        ("- Paris is in France. [E1]", "Paris is in France.", ("E1",)),
        ("3) Paris is in France. [E1]", "Paris is in France.", ("E1",)),
        ("Paris is in France. [E0a1b2c3d]", "Paris is in France.", ("E0A1B2C3D",)),
        ("[E1]", "", ("E1",)),
        ("[E1].", "", ("E1",)),
    ],
)
def test_tags_are_read_anywhere_in_a_line(line, text, pointers):
    assert pointer_claims(line) == [(text, pointers)]


@pytest.mark.parametrize(
    "line",
    ["See [Edison] there", "See [1] there", "See [E] there", "See [E1, p. 3] there", "See (E1) there", "E1 it is"],
)
def test_other_brackets_are_words(line):
    assert pointer_claims(line) == [(line, ())]
    assert not has_tag(line)


def test_blank_lines_rules_and_fences_claim_nothing():
    assert pointer_claims("\n  \n---\n```\nParis is in France. [E1]\n```\n") == [("Paris is in France.", ("E1",))]


@given(st.text(st.sampled_from("ab E12[],;\n\r\u2028-#.\t"), max_size=60))
def test_pointer_spans_lie_in_the_answer_in_order(answer):
    at = 0
    for claim in read_pointer_answer(answer).claims:
        assert at <= claim.span.start <= claim.span.end <= len(answer)
        at = claim.span.end
        assert len(claim.pointers) == len(set(claim.pointers))
        shown = claim.span.of(answer)
        assert all(word in shown for word in claim.text.split())


@given(ANSWERS, st.booleans())
def test_valid_json_is_read_as_json_reads_it(claims, ascii_only):
    answer = json.dumps(
        {"claims": [{"text": text, "evidence_ids": ids} for text, ids in claims]}, ensure_ascii=ascii_only
    )
    draft = read_json_answer(answer)
    assert not draft.unreadable
    assert draft.fixups == ()
    expected = [(claim["text"], tuple(dict.fromkeys(claim["evidence_ids"]))) for claim in json.loads(answer)["claims"]]
    assert [(claim.text, claim.pointers) for claim in draft.claims] == expected


@given(ANSWERS, st.booleans(), st.booleans(), st.data())
def test_a_cut_answer_never_holds_more_than_the_whole_one(claims, ascii_only, ids_first, data):
    parts = [
        {"evidence_ids": ids, "text": text} if ids_first else {"text": text, "evidence_ids": ids}
        for text, ids in claims
    ]
    lone = any("\ud83d" in text for text, _ in claims)  # cannot be written in UTF-8, only escaped
    answer = json.dumps({"claims": parts}, ensure_ascii=ascii_only or lone)
    whole = read_json_answer(answer).claims
    raw = answer.encode()
    at = data.draw(st.integers(0, len(raw) - 1))
    cut = raw[:at].decode("utf-8", "ignore")
    _assert_only_less(read_json_answer(cut), whole, cut)


def _assert_only_less(draft, whole, cut):
    assert set(draft.fixups) <= set(FIXUPS)
    assert len(draft.claims) <= len(whole)
    for part, full in zip(draft.claims, whole, strict=False):
        assert full.text.startswith(part.text)
        assert set(part.pointers) <= set(full.pointers)
    if not draft.unreadable:
        # The object was still open, so a closing mark must have been supplied, and said so.
        assert {"close_brace", "close_bracket"} & set(draft.fixups)


def test_truncation_at_every_byte_of_an_answer():
    answer = json.dumps(
        {
            "claims": [
                {"text": "Mount Everest 🏔 is Earth’s highest mountain, \\ 8,849 m", "evidence_ids": ["E1", "E12"]},
                {"evidence_ids": ["E2"], "text": 'The café said "no" to {[E3]}'},
            ]
        },
        ensure_ascii=False,
    ).encode()
    whole = read_json_answer(answer.decode()).claims
    for at in range(len(answer)):
        cut = answer[:at].decode("utf-8", "ignore")
        draft = read_json_answer(cut)
        _assert_only_less(draft, whole, cut)
        result = verify_answer(cut, EVIDENCE, form="json")
        assert result.json_fixups == draft.fixups
        if draft.unreadable:
            assert result.audit_mode == "UNGROUNDED"


MIXED = '{"claims": [{"text": "Mount Everest is the highest mountain", "evidence_ids": ["E1", "E12"]}, {"text": "So"}]}'


def test_truncated_json_in_a_closed_fence_is_read_as_in_an_open_one():
    for at in range(2, len(MIXED)):
        opened = read_json_answer(f"```json\n{MIXED[:at]}")
        for closing in ("\n```", "\r\n```\nHope this helps!", "```"):
            closed = read_json_answer(f"```json\n{MIXED[:at]}{closing}")
            assert closed.claims == opened.claims, closing
            assert set(closed.fixups) - {"fence", "prose_trim"} == set(opened.fixups) - {"fence", "prose_trim"}


@given(st.data())
def test_mixed_quotation_marks_are_read_as_straight_ones(data):
    marks = [at for at, sign in enumerate(MIXED) if sign == '"']
    curly = {at: data.draw(st.sampled_from('"“”„')) for at in marks}
    mixed = "".join(curly.get(at, sign) for at, sign in enumerate(MIXED))
    draft = read_json_answer(mixed)
    assert draft.claims == read_json_answer(MIXED).claims
    assert draft.fixups == (() if mixed == MIXED else ("curly_quotes",))


def test_a_pointer_that_another_mark_closes_does_not_swallow_the_next() -> None:
    draft = read_json_answer(MIXED.replace('"E1", "E12"', '“E1", "E12“'))
    assert draft.claims[0].pointers == ("E1", "E12")


def test_quotation_marks_within_a_claim_stay_as_they_are():
    whole = '{"claims": [{"text": "He said “no”, then “yes” to all", "evidence_ids": ["E1"]}]}'
    draft = read_json_answer(whole)
    assert (draft.claims[0].text, draft.fixups) == ("He said “no”, then “yes” to all", ())
    assert read_json_answer(whole[:44]).claims[0].text == whole[22:44]


def test_a_cut_off_answer_with_mixed_marks_keeps_what_it_cites():
    cut = '{"claims": [{"text": “Mount Everest is the highest mountain", "evidence_ids": ["E1", "E'
    claim = read_json_answer(cut).claims[0]
    assert (claim.text, claim.pointers) == ("Mount Everest is the highest mountain", ("E1",))


def test_a_cut_off_id_never_becomes_another_id():
    cut = '{"claims": [{"text": "Mount Everest is the highest mountain", "evidence_ids": ["E1'
    result = verify_answer(cut, EVIDENCE, form="json")
    assert result.claim_statuses == ("NO_EVIDENCE_POINTER",)


def test_json_spans_hold_the_text_as_written():
    answer = '{"claims": [{"text": "Caf\\u00e9 is \\"it\\"", "evidence_ids": []}]}'
    claim = read_json_answer(answer).claims[0]
    assert claim.text == 'Café is "it"'
    assert claim.span.of(answer) == 'Caf\\u00e9 is \\"it\\"'


def test_the_schema_accepts_a_good_answer_and_describes_both_fields():
    schema = json_schema()
    claim = schema["properties"]["claims"]["items"]
    assert set(claim["properties"]) == set(claim["required"]) == {"text", "evidence_ids"}
    assert schema["required"] == ["claims"]


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        ("Paris is in France. [E1]", "pointer"),
        ('```json\n{"claims": [{"text": "a', "json"),
        ("Paris is in France.", None),
        ('{"answer": "Paris"}', None),
        ("It is [1] so.", None),
    ],
)
def test_lattice_answers_are_recognised(answer, form):
    assert looks_like_lattice(answer, EVIDENCE) == form
    assert looks_like_lattice(answer, []) is None
