"""The cases under cases/*.yaml, one test each."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.claims import extract_claims
from assay.types import Claim

CASES = [
    pytest.param(case, id=f"{path.stem}: {case['name']}")
    for path in sorted((Path(__file__).parent / "cases").glob("*.yaml"))
    for case in yaml.safe_load(path.read_text(encoding="utf-8"))
]
FIELDS = {"text", "kind", "importance", "checkable", "reason", "citations", "context", "places"}


def shown(claim: Claim) -> dict[str, Any]:
    return {
        "text": claim.text,
        "kind": claim.kind.value,
        "importance": claim.importance.value,
        "checkable": claim.checkable,
        "reason": claim.reason,
        "citations": [target for citation in claim.citations for target in citation.targets],
        "context": claim.context,
        "places": len(claim.spans),
    }


@pytest.mark.parametrize("case", CASES)
def test_case(case: dict[str, Any]) -> None:
    assert set(case) <= {"name", "answer", "question", "claims", "count", "absent"}, "unknown key in the case"
    found = [shown(claim) for claim in extract_claims(case["answer"], case.get("question"))]
    rest = iter(found)
    for wanted in case.get("claims", []):
        assert set(wanted) <= FIELDS, "unknown key in a claim"
        claim = next((claim for claim in rest if claim["text"] == wanted["text"]), None)
        assert claim is not None, f"no claim {wanted['text']!r} (in this order) among {[c['text'] for c in found]}"
        assert {key: claim[key] for key in wanted} == wanted
    if "count" in case:
        assert sum(claim["checkable"] for claim in found) == case["count"], [c["text"] for c in found]
    for text in case.get("absent", []):
        assert text not in [claim["text"] for claim in found]


def test_there_are_enough_cases_to_mean_something() -> None:
    assert len(CASES) >= 45
