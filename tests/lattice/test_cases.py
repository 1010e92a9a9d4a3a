"""Behaviour as data: every case also comes in a version that must not fire, and both run in both forms."""

import json
from collections import Counter
from pathlib import Path

import pytest
import yaml

from assay.lattice import AnswerForm, ClaimStatus, EvidenceObject, ViolationKind, check_question, verify_answer
from assay.lattice.forms import read_json_answer
from assay.lattice.json_repair import FIXUPS
from assay.lattice.result import OVERFLOW

CASES = Path(__file__).parent / "cases"


def load(name):
    return yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))


EVIDENCE = load("evidence")
RULED = [case for name in ("pairs", "claims", "demotions", "warrants") for case in load(name)]
FORMS = {"pointer": [AnswerForm.POINTER], "json": [AnswerForm.JSON], None: [AnswerForm.POINTER, AnswerForm.JSON]}


def runs():
    for case in RULED:
        for variant in ("fires", "silent"):
            for form in FORMS[case[variant].get("form", case.get("form"))]:
                yield pytest.param(case, variant, form, id=f"{case['name']} · {variant} · {form}")


def write(variant, form):
    if "answer" in variant:
        return variant["answer"]
    claims = variant.get("claims")
    if "repeat" in variant:
        claims = [
            [f"The Danube flows past station number {n} of many", [f"E{n}"]] for n in range(1, variant["repeat"] + 1)
        ]
    if form is AnswerForm.JSON:
        return json.dumps({"claims": [{"text": text, "evidence_ids": ids} for text, ids in claims]}, ensure_ascii=False)
    return "\n".join(f"{text} [{', '.join(ids)}]" if ids else text for text, ids in claims)


def verify(variant, form):
    objects = variant.get("evidence", EVIDENCE)
    if "repeat" in variant:
        objects = [
            {"pointer_id": f"E{n}", "title": "Danube", "text": f"The Danube flows past station number {n}."}
            for n in range(1, 20)
        ]
    options = {name: variant[name] for name in ("allowed_roles", "chain_roots") if name in variant}
    evidence = [EvidenceObject(**item) for item in objects]
    return verify_answer(write(variant, form), evidence, variant.get("question"), form, **options)


@pytest.mark.parametrize(("case", "variant", "form"), list(runs()))
def test_case(case, variant, form):
    expected = case[variant]
    result = verify(expected, form)
    found = [(v.kind.value, v.claim_idx) for v in result.violations]
    name = OVERFLOW[form].value if case.get("kind") == "OVERFLOW" else case.get("kind")
    if variant == "fires":
        wanted = [(OVERFLOW[form].value if k == "OVERFLOW" else k, idx) for k, idx in expected["violations"]]
        assert Counter(found) == Counter(wanted)
        assert name is None or name in [kind for kind, _ in found]
    else:
        assert name not in [kind for kind, _ in found]
    if "status" in case:
        assert (case["status"] in [s.value for s in result.claim_statuses]) == (variant == "fires")
    assert result.audit_mode.value == expected["mode"]
    for field in ("rung", "n_quotes", "n_verified"):
        assert getattr(result, field) == expected.get(field, getattr(result, field))
    if "statuses" in expected:
        assert [s.value for s in result.claim_statuses] == expected["statuses"]
    if "warrant_chain_claims" in expected:
        assert list(result.warrant_chain_claims) == expected["warrant_chain_claims"]
    if "lazy_anchor_ratio" in expected:
        assert round(result.lazy_anchor_ratio, 6) == expected["lazy_anchor_ratio"]
    for kind, indices in expected.get("indices", {}).items():
        assert list(result.claim_indices[kind]) == indices


def test_there_are_sixty_cases_and_every_kind_and_status_is_among_them():
    assert len(RULED) >= 60
    seen = {kind for case in RULED for kind, _ in case["fires"]["violations"]} - {"OVERFLOW"}
    overflow = {kind.value for kind in OVERFLOW.values()}
    # A refutation needs a model; it is tested with a scripted one.
    assert seen | overflow | {"ENTAILMENT_REFUTED"} == {kind.value for kind in ViolationKind}
    statuses = {status for case in RULED for status in case["fires"].get("statuses", [])}
    assert statuses == {status.value for status in ClaimStatus}


@pytest.mark.parametrize("variant", ["fires", "silent"])
@pytest.mark.parametrize("case", load("repairs"), ids=lambda case: case["name"])
def test_repair_is_made_and_named(case, variant):
    expected = case[variant]
    draft = read_json_answer(expected["answer"])
    assert not draft.unreadable
    assert list(draft.fixups) == expected["fixups"]
    assert (case["fixup"] in draft.fixups) == (variant == "fires")
    assert [[claim.text, list(claim.pointers)] for claim in draft.claims] == expected["claims"]


def test_every_repair_has_a_case():
    assert {case["fixup"] for case in load("repairs")} == set(FIXUPS)


@pytest.mark.parametrize("case", load("unreadable"), ids=lambda case: case["name"])
def test_what_cannot_be_read_fails_closed(case):
    result = verify_answer(case["answer"], [EvidenceObject("E1", "a")], form="json")
    assert [(v.kind.value, v.claim_idx) for v in result.violations] == [("SCHEMA_INVALID", None)]
    assert result.audit_mode.value == "UNGROUNDED"
    assert result.claims == ()
    assert not read_json_answer(case["readable"]).unreadable


@pytest.mark.parametrize("case", load("meaning"), ids=lambda case: case["name"])
def test_meaning_is_read_strictly(case):
    evidence = [EvidenceObject(**item) for item in EVIDENCE]
    other = '{"text": "Alexander Fleming discovered penicillin", "evidence_ids": ["E5"]}'
    bad = verify_answer(f'{{"claims": [{other}, {case["claim"]}]}}', evidence, form="json")
    assert ("SCHEMA_INVALID", 1) in [(v.kind.value, v.claim_idx) for v in bad.violations]
    assert [s.value for s in bad.claim_statuses] == ["EVIDENCE_LINKED", "SCHEMA_INVALID"]
    assert bad.audit_mode.value == "HYBRID"
    sound = verify_answer(f'{{"claims": [{other}, {case["sound"]}]}}', evidence, form="json")
    assert sound.audit_mode.value == "STRICT"


@pytest.mark.parametrize("case", load("preflight"), ids=lambda case: case["flagged"])
def test_broad_and_unbounded_questions_are_flagged(case):
    flagged = check_question(case["flagged"])
    assert flagged.flagged
    assert flagged.broad
    assert "Bound it" in flagged.advice
    assert not check_question(case["bounded"]).flagged
