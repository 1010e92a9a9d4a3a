"""Both readers and the verifier take anything: no crash, no broken invariant."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.lattice import FIXUPS, EvidenceObject, verify_answer
from assay.types import AuditMode

EVIDENCE = [
    EvidenceObject(
        "E1", "Mount Everest is the highest mountain. It was climbed in May 1953 by two men.", title="Everest"
    ),
    EvidenceObject("E2", "İstanbul ﬁnal \ud800 \x00 ß ½ 1,000 one hundred and five", title="İ", source_role="odd"),
    EvidenceObject("E3", "", title=""),
]
QUESTIONS = [None, "", "Who climbed Everest?", "How many men?", "Why?", "Name the members of it", "\ud800 when"]
PIECES = [
    "{", "}", "[", "]", ",", ":", '"', "“", "”", "\\", "\\u", "\\ud83d", "d83d", "\n", "\r\n", "\u2028", " ", "\t", "`",
    "```json\n", '"claims"', '"text"', '"evidence_ids"', '{"claims": [', '{"text": "', '", "evidence_ids": ["E1"]}',
    '"E1"', '"E9"', "[E1]", "[E1, E2]", "[e3;E4 and E5]", "[E", "E1", "null", "tru", "-1.5e3", "Mount Everest",
    "highest mountain", "1953", "May", "1953-05-29", "29/05/1953", "two", "hundred", "and", "first", "one", "12th",
    "1,000", "is", "the", "İ", "ß", "ﬁ", "½", "\u0301", "\ud800", "\x00", "😀", "عرب", "中文字", "Dr.", "- ", "# ",
    "1. ",
]  # fmt: skip


def scramble(choices):
    """Pieces of both forms thrown together."""
    return "".join(PIECES[choice % len(PIECES)] for choice in choices)


def damage(choices):
    """A good JSON answer of up to three claims with stretches replaced and its end cut off, each by the next byte."""
    bytes_left = iter(choices)

    def draw():
        return next(bytes_left, 0)

    claims = ", ".join(
        f'{{"text": "{scramble([draw()])} {scramble([draw()])}", "evidence_ids": ["E{draw() % 4}"]}}'
        for _ in range(draw() % 4)
    )
    answer = f'{{"claims": [{claims}]}}'
    for _ in range(draw() % 3):
        at, gone, piece = draw() % (len(answer) + 1), draw() % 4, draw()
        answer = answer[:at] + (scramble([piece]) if piece > 100 else "") + answer[at + gone :]
    return answer[: len(answer) - draw() % 100]


# One draw of bytes for a whole input is ten times cheaper than a draw for each piece.
INPUTS = st.binary(max_size=30).map(scramble) | st.binary(max_size=24).map(damage) | st.text(max_size=40)


def survive(answer, question):
    for form in ("pointer", "json"):
        result = verify_answer(answer, EVIDENCE, question, form)
        assert set(result.json_fixups) <= set(FIXUPS)
        assert 0 <= result.n_verified <= result.n_quotes
        assert 0.0 <= result.lazy_anchor_ratio <= 1.0
        assert (result.audit_mode is AuditMode.STRICT) == (result.n_verified > 0 and not result.violations)
        assert (result.audit_mode is AuditMode.UNGROUNDED) == (result.rung == "UNGROUNDED")
        assert all(claim.span.end <= len(answer) for claim in result.claims)
        assert all(v.claim_idx is None or v.claim_idx < len(result.claims) for v in result.violations)
        result.to_dict()


@settings(max_examples=1000, deadline=None)
@given(INPUTS, st.sampled_from(QUESTIONS))
def test_readers_survive_anything(answer, question):
    survive(answer, question)  # in both forms: two thousand readings


@pytest.mark.slow
@settings(max_examples=100_000, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(INPUTS, st.sampled_from(QUESTIONS))
def test_readers_survive_a_hundred_thousand_inputs(answer, question):
    survive(answer, question)


@pytest.mark.parametrize("form", ["pointer", "json"])
@pytest.mark.parametrize(
    "piece",
    [
        '"',
        "[",
        "]",
        "{",
        '{"',
        ".",
        "1",
        " ",
        "\n",
        "a",
        "[E1",
        "[E1]",
        "A ",
        "one ",
        "hundred and ",
        "1953-05-",
        "\\",
        "a\u0301\u0316",
    ],
)
def test_work_grows_with_the_length_only(piece, form):
    """A hundred thousand characters of one thing; anything quadratic would hold up the whole suite."""
    for answer in (piece * (100_000 // len(piece)), '{"claims": [{"text": "' + piece * (100_000 // len(piece))):
        verify_answer(answer, EVIDENCE, "How many men climbed in May 1953?", form)
