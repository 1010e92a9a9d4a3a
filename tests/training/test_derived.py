import random

from assay.text.quantities import find_quantities
from training.derived import contrasts, denials, other_value
from training.rows import INSUFFICIENT, REFUTED, SUPPORTED

EVIDENCE = "The Basic plan costs $19 a month. The Pro plan costs $49 a month and has no limit on users."


def row(text: str, label: str) -> dict:
    return {"premise": EVIDENCE, "hypothesis": text, "label": label, "kind": "", "source": "test", "block": "b"}


def made_by(rule, rows: list[dict], seeds: int = 60) -> list[dict]:
    return [made for seed in range(seeds) for made in rule(rows, random.Random(seed))]


def test_another_value_of_the_evidence_takes_the_place_of_the_claims_own():
    text, label = other_value("Pro is $49 a month.", find_quantities(EVIDENCE), random.Random(1))
    assert (text, label) == ("Pro is $19 a month.", REFUTED)


def test_a_claim_without_values_gets_none_of_the_evidence():
    assert other_value("Pro has no limit on users.", find_quantities(EVIDENCE), random.Random(1)) is None


def test_only_supported_claims_are_contrasted_and_the_change_is_marked():
    rows = [row("The Pro plan costs $49 a month.", SUPPORTED), row("The Pro plan costs $19 a month.", REFUTED)]
    made = made_by(contrasts, rows)
    assert made
    for one in made:
        start, end = one["wrong"][0]
        changed = one["hypothesis"][start:end]
        assert one["label"] != SUPPORTED
        assert changed.strip()
        assert changed not in rows[0]["hypothesis"]


def test_a_denial_exchanges_support_and_refutation_and_leaves_open_claims_open():
    labels = {SUPPORTED: REFUTED, REFUTED: SUPPORTED, INSUFFICIENT: INSUFFICIENT}
    for label, expected in labels.items():
        made = made_by(denials, [row("The Pro plan is $49 a month.", label)])
        assert {one["label"] for one in made} == {expected}
        assert any(" not " in one["hypothesis"] or " never " in one["hypothesis"] for one in made)


def test_a_claim_of_several_clauses_is_denied_only_as_a_whole():
    claim = "The Pro plan is $49 a month, but Basic is $19."
    made = made_by(denials, [row(claim, SUPPORTED)])
    assert made
    assert all(one["hypothesis"].lower().endswith(claim.lower()) for one in made)
