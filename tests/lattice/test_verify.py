import pytest

from assay.errors import AnswerError, UsageError
from assay.lattice import EvidenceObject, ViolationKind, verify_answer, verify_json_answer, verify_pointer_answer
from assay.lattice.kinds import Form
from assay.lattice.rules import RULES
from assay.policy import Policy

EVEREST = EvidenceObject(
    "E1", "Mount Everest is the highest mountain. Hillary climbed it in May 1953.", title="Mount Everest"
)
TOWER = EvidenceObject("E2", "The Eiffel Tower stands in Paris.", title="Eiffel Tower")
ANSWER = "Mount Everest is the highest mountain. [E1]\nThe Eiffel Tower stands in Paris. [E2]"


class Scripted:
    """A scorer that answers from a table of claim beginnings: (supported, refuted)."""

    def __init__(self, table):
        self.table = table
        self.pairs = []

    def score(self, pairs):
        self.pairs += pairs
        return [self._score(claim) for _, claim in pairs]

    def _score(self, claim):
        supported, refuted = next(scores for start, scores in self.table.items() if claim.startswith(start))

        class Scores:
            pass

        scores = Scores()
        scores.supported, scores.refuted, scores.insufficient = supported, refuted, 1 - supported - refuted
        return scores


def test_a_clean_answer_that_is_entailed_climbs_to_the_top_rung():
    scorer = Scripted({"Mount": (0.95, 0.02), "The": (0.9, 0.0)})
    result = verify_pointer_answer(ANSWER, [EVEREST, TOWER], scorer=scorer)
    assert (result.audit_mode, result.rung) == ("STRICT", "ENTAILMENT-VERIFIED")
    assert scorer.pairs == [
        (EVEREST.text, "Mount Everest is the highest mountain."),
        (TOWER.text, "The Eiffel Tower stands in Paris."),
    ]


def test_a_claim_the_model_is_unsure_of_keeps_the_answer_where_it_was():
    scorer = Scripted({"Mount": (0.95, 0.02), "The": (0.5, 0.1)})
    result = verify_pointer_answer(ANSWER, [EVEREST, TOWER], scorer=scorer)
    assert (result.audit_mode, result.rung) == ("STRICT", "EVIDENCE-WARRANTED")


def test_a_linked_claim_that_its_span_refutes_is_flagged():
    scorer = Scripted({"Mount": (0.95, 0.02), "The": (0.05, 0.9)})
    result = verify_pointer_answer(ANSWER, [EVEREST, TOWER], scorer=scorer)
    assert [(v.kind, v.claim_idx, v.pointer_id) for v in result.violations] == [("ENTAILMENT_REFUTED", 1, "E2")]
    assert (result.audit_mode, result.rung) == ("HYBRID", "ANCHOR-WARRANTED-PARTIAL")
    assert result.n_verified == 1
    assert result.rendered_text.index("## Unverified") < result.rendered_text.index("Eiffel Tower stands in Paris")


def test_an_answer_of_refuted_claims_is_ungrounded():
    scorer = Scripted({"Mount": (0.05, 0.9), "The": (0.05, 0.9)})
    assert verify_pointer_answer(ANSWER, [EVEREST, TOWER], scorer=scorer).audit_mode == "UNGROUNDED"


def test_a_claim_with_two_spans_is_also_read_against_both_together():
    scorer = Scripted({"Mount": (0.9, 0.0)})
    verify_pointer_answer("Mount Everest is no tower in Paris. [E1, E2]", [EVEREST, TOWER], scorer=scorer)
    assert [evidence for evidence, _ in scorer.pairs] == [EVEREST.text, TOWER.text, f"{EVEREST.text}\n\n{TOWER.text}"]


def test_only_linked_claims_are_read_by_the_model():
    scorer = Scripted({"Mount": (0.9, 0.0)})
    result = verify_pointer_answer(f"{ANSWER.splitlines()[0]}\nThe tower is uncited.", [EVEREST], scorer=scorer)
    assert len(scorer.pairs) == 1
    assert result.rung == "ENTAILMENT-VERIFIED-PARTIAL"


def test_a_scorer_that_loses_pairs_is_an_error():
    class Broken:
        def score(self, pairs):
            return []

    with pytest.raises(ValueError, match="given 2 pairs and returned 0"):
        verify_pointer_answer(ANSWER, [EVEREST, TOWER], scorer=Broken())


def test_without_a_question_the_checks_that_need_one_are_named():
    assert verify_pointer_answer(ANSWER, [EVEREST, TOWER]).checks_skipped == (
        "SUBJECT_TOKENS_ABSENT",
        "DEFLECTION_DETECTED",
    )
    assert verify_pointer_answer(ANSWER, [EVEREST, TOWER], "What is Mount Everest?").checks_skipped == ()


def test_thresholds_come_from_the_policy():
    answer = "Mount Everest was painted purple by seventy clever flying robots. [E1]"
    assert verify_pointer_answer(answer, [EVEREST]).audit_mode == "UNGROUNDED"
    lax = Policy(lattice_coverage=0.2)
    assert verify_pointer_answer(answer, [EVEREST], policy=lax).audit_mode == "STRICT"


def test_the_result_has_the_promised_fields_in_both_forms():
    names = {
        "n_quotes", "n_verified", "audit_mode", "unverified_quotes", "verifier_method", "claim_statuses", "violations",
        "rendered_text", "evidence_id_pairs", "pointer_id_distribution", "lazy_anchor_ratio", "claim_indices",
        "json_fixups", "rung",
    }  # fmt: skip
    pointer = verify_pointer_answer("Nothing is cited here at all.\n" + ANSWER, [EVEREST, TOWER])
    as_json = verify_json_answer(
        '{"claims": [{"text": "The Eiffel Tower stands in Paris.", "evidence_ids": ["E2"]}', [TOWER]
    )
    for result in (pointer, as_json):
        assert names <= set(result.to_dict())
        assert all(hasattr(result, name) for name in names)
        assert set(result.claim_indices) == {kind.value for kind in ViolationKind}
    assert pointer.verifier_method == "pointer"
    assert pointer.unverified_quotes == ("Nothing is cited here at all.",)
    assert pointer.pointer_id_distribution == {"E1": 1, "E2": 1}
    assert as_json.json_fixups == ("close_bracket", "close_brace")
    assert as_json.audit_mode == "STRICT"


def test_violations_come_in_the_order_of_the_claims():
    answer = "Yes.\nThe Eiffel Tower stands in Paris. [E9]\nMount Everest is high."
    indices = [v.claim_idx for v in verify_pointer_answer(answer, [EVEREST]).violations]
    assert indices == sorted(indices)


def test_every_rule_is_named_for_what_it_finds():
    files = {rule.__module__.rsplit(".", 1)[1] for rule in RULES}
    assert len(files) == len(RULES) == 14


def test_an_answer_that_is_no_text_is_refused():
    with pytest.raises(AnswerError, match="not a NoneType"):
        verify_pointer_answer(None, [EVEREST])


def test_an_unknown_form_is_refused_by_name():
    assert verify_answer(ANSWER, [EVEREST, TOWER], form="pointer").form is Form.POINTER
    with pytest.raises(UsageError, match="pointer or json, not 'xml'"):
        verify_answer(ANSWER, [EVEREST], form="xml")
