import pytest

from assay.engine import Engine
from assay.errors import AnswerError, PolicyError, UsageError
from assay.lattice import EvidenceObject, ViolationKind, verify_answer, verify_json_answer, verify_pointer_answer
from assay.lattice.result import AnswerForm
from assay.lattice.rules import ANSWER_RULES, OPTIONAL, POINTER_RULES
from assay.policy import Policy
from assay.types import Evidence, Judgement, Stance, Verdict

EVEREST = EvidenceObject(
    "E1", "Mount Everest is the highest mountain. Hillary climbed it in May 1953.", title="Mount Everest"
)
TOWER = EvidenceObject("E2", "The Eiffel Tower stands in Paris.", title="Eiffel Tower")
ANSWER = "Mount Everest is the highest mountain. [E1]\nThe Eiffel Tower stands in Paris. [E2]"


class Scripted:
    """A judge that answers from a table of claim beginnings: (verdict, confidence)."""

    name = "scripted"

    def __init__(self, table):
        self.table = table
        self.pairs = []

    def judge(self, claims, passages, question=None):
        self.pairs += [(claim.text, *(p.text for p in given)) for claim, given in zip(claims, passages, strict=True)]
        return [self._judge(claim, given) for claim, given in zip(claims, passages, strict=True)]

    def _judge(self, claim, given):
        verdict, confidence = next(said for start, said in self.table.items() if claim.text.startswith(start))
        stance = {"SUPPORTED": Stance.SUPPORTS, "REFUTED": Stance.REFUTES}.get(verdict, Stance.NEUTRAL)
        quote = Evidence.cite(given[0].document, 0, len(given[0].document.text), stance=stance)
        return Judgement(Verdict(verdict), confidence, "said", evidence=(quote,))


def scripted(**table):
    return Engine(judge=Scripted(table))


def test_a_clean_answer_that_is_entailed_climbs_to_the_top_rung():
    judge = Scripted({"Mount": ("SUPPORTED", 0.95), "The": ("SUPPORTED", 0.9)})
    result = verify_pointer_answer(ANSWER, [EVEREST, TOWER], engine=Engine(judge=judge))
    assert (result.audit_mode, result.rung) == ("STRICT", "ENTAILMENT-VERIFIED")
    assert judge.pairs == [
        ("Mount Everest is the highest mountain.", EVEREST.text),
        ("The Eiffel Tower stands in Paris.", TOWER.text),
    ]


def test_a_claim_the_model_is_unsure_of_keeps_the_answer_where_it_was():
    engine = scripted(Mount=("SUPPORTED", 0.95), The=("INSUFFICIENT", 0.6))
    result = verify_pointer_answer(ANSWER, [EVEREST, TOWER], engine=engine)
    assert (result.audit_mode, result.rung) == ("STRICT", "EVIDENCE-WARRANTED")


def test_a_linked_claim_that_its_span_refutes_is_flagged():
    engine = scripted(Mount=("SUPPORTED", 0.95), The=("REFUTED", 0.9))
    result = verify_pointer_answer(ANSWER, [EVEREST, TOWER], engine=engine)
    assert [(v.kind, v.claim_idx, v.pointer_id) for v in result.violations] == [("ENTAILMENT_REFUTED", 1, "E2")]
    assert (result.audit_mode, result.rung) == ("HYBRID", "ENTAILMENT-VERIFIED-PARTIAL")  # of the part that is left
    assert result.n_verified == 1
    assert result.rendered_text.index("## Unverified") < result.rendered_text.index("Eiffel Tower stands in Paris")


def test_an_answer_of_refuted_claims_is_ungrounded():
    engine = scripted(Mount=("REFUTED", 0.9), The=("REFUTED", 0.9))
    assert verify_pointer_answer(ANSWER, [EVEREST, TOWER], engine=engine).audit_mode == "UNGROUNDED"


def test_a_claim_with_two_spans_is_judged_by_both_together():
    judge = Scripted({"Mount": ("SUPPORTED", 0.9)})
    verify_pointer_answer("Mount Everest is no tower in Paris. [E1, E2]", [EVEREST, TOWER], engine=Engine(judge=judge))
    assert judge.pairs == [("Mount Everest is no tower in Paris.", EVEREST.text, TOWER.text)]


def test_only_linked_claims_are_read_by_the_model():
    judge = Scripted({"Mount": ("SUPPORTED", 0.9)})
    answer = f"{ANSWER.splitlines()[0]}\nThe tower is uncited."
    result = verify_pointer_answer(answer, [EVEREST], engine=Engine(judge=judge))
    assert len(judge.pairs) == 1
    assert result.rung == "ENTAILMENT-VERIFIED-PARTIAL"


def test_the_entailment_pass_and_check_agree():
    wrong = "Hillary climbed it in May 1954. [E1]"
    engine = Engine(judge="lexical")
    (finding,) = engine.check(wrong, evidence=[EVEREST]).claims
    kinds = [v.kind for v in verify_pointer_answer(wrong, [EVEREST], engine=engine).violations]
    assert (finding.verdict, ViolationKind.ENTAILMENT_REFUTED in kinds) == (Verdict.REFUTED, True)


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
    rules = [*POINTER_RULES.values(), *ANSWER_RULES.values()]
    assert len({rule.__name__ for rule in rules}) == len(rules) == 14


def test_an_answer_that_is_no_text_is_refused():
    with pytest.raises(AnswerError, match="not a NoneType"):
        verify_pointer_answer(None, [EVEREST])


def test_an_unknown_form_is_refused_by_name():
    assert verify_answer(ANSWER, [EVEREST, TOWER], form="pointer").form is AnswerForm.POINTER
    with pytest.raises(UsageError, match="pointer or json, not 'xml'"):
        verify_answer(ANSWER, [EVEREST], form="xml")


def test_violations_carry_their_details_as_fields():
    objects = [EVEREST, TOWER, EvidenceObject("E3", "Bread is baked of flour.", title="Bread")]
    answer = (
        "Hillary climbed Mount Everest, the highest mountain, in June 1952. [E1]\n"
        "The Eiffel Tower stands in Paris. [E2, E1, E3]\n"
        "Mount Everest is the highest mountain. [E1]"
    )
    result = verify_pointer_answer(answer, objects, "Which bridge stands in Paris?")
    found = {violation.kind.value: violation for violation in result.violations}
    assert found["WARRANT_MISSING"].missing_anchors == ("1952", "June", "Hillary", "Mount Everest")[:2]
    overflow = found["POINTER_OVERFLOW_TRIMMED"]
    assert (overflow.kept_pointers, overflow.dropped_pointers) == (("E2", "E1"), ("E3",))
    assert found["LAZY_ANCHOR_DEMOTE"].ratio == result.lazy_anchor_ratio == 0.75
    mismatch = found["CITATION_MISMATCH"]
    assert (mismatch.ratio, mismatch.absent_tokens) == (0.0, ("eiffel", "paris", "stand", "tower"))
    subject = verify_pointer_answer(
        "Paris bakers sell baguettes, bread of flour. [E3]", objects, "Do Paris bakers sell baguettes?"
    ).violations
    assert {v.kind.value: v.absent_tokens for v in subject}["SUBJECT_TOKENS_ABSENT"] == (
        "baguette",
        "baker",
        "paris",
        "sell",
    )
    assert found["WARRANT_MISSING"].to_dict()["missing_anchors"] == ["1952", "June"]


def test_partly_verified_claims_are_a_list_of_their_own_as_in_the_rendering():
    answer = f"{ANSWER}\nThe Eiffel Tower stands in Paris. [E2, E9]\nThe Eiffel Tower was sold. [E9]"
    result = verify_pointer_answer(answer, [EVEREST, TOWER])
    assert result.partially_verified == ("The Eiffel Tower stands in Paris.",)
    assert result.unverified_quotes == ("The Eiffel Tower was sold.",)
    assert result.to_dict()["partially_verified"] == list(result.partially_verified)


OFFENDING = {
    "CITATION_MISMATCH": "Sailors repaired ships. [E1]",
    "MANUAL_QUOTE_VIOLATION": '{"claims": [{"text": "Everest is “the top” of mountains", "evidence_ids": ["E1"]}]}',
    "TOO_MANY_CLAIMS": "\n".join([ANSWER] * 7),
    "LAZY_ANCHOR_DEMOTE": "\n".join(["Mount Everest is the highest mountain. [E1]"] * 3),
    "WARRANT_MISSING": "Hillary climbed Mount Everest in May 1952. [E1]",
    "TITLE_MISMATCH": "Hillary climbed the highest of them all in May 1953. [E1]",
    "SUBJECT_TOKENS_ABSENT": "Mount Everest, highest mountain: tigers bears wolves. [E1]",
    "DEFLECTION_DETECTED": "Mount Everest is the highest mountain. [E1]",
    "FORMAT_COLLAPSED": "\n".join(["Mount Everest is the highest mountain."] * 5),
}


@pytest.mark.parametrize("name", OPTIONAL)
def test_each_check_can_be_switched_off(name):
    question = "Are tigers bears wolves?" if name == "SUBJECT_TOKENS_ABSENT" else "Is this about Venus?"
    form = "json" if name == "MANUAL_QUOTE_VIOLATION" else "pointer"
    on = verify_answer(OFFENDING[name], [EVEREST, TOWER], question, form)
    off = verify_answer(OFFENDING[name], [EVEREST, TOWER], question, form, Policy(lattice_skip=name.lower()))
    assert (on.has(ViolationKind(name)), off.has(ViolationKind(name))) == (True, False)
    assert (name in on.checks_skipped, name in off.checks_skipped) == (False, True)


def test_what_a_pointer_means_cannot_be_switched_off():
    with pytest.raises(PolicyError, match="'UNKNOWN_EVIDENCE_ID' cannot be left out; these can: CITATION_MISMATCH"):
        verify_pointer_answer(ANSWER, [EVEREST], policy=Policy(lattice_skip="UNKNOWN_EVIDENCE_ID"))


def test_chain_roots_are_a_list():
    with pytest.raises(UsageError, match="a list of source ids"):
        verify_pointer_answer(ANSWER, [EVEREST], chain_roots="radium")
