"""The chat view: corrective retrieval, its options, and what it says about an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.engine import Engine
from assay.epistemic import EpistemicConfig
from assay.errors import UsageError
from assay.llm import Scripted
from assay.memory import Memory
from assay.policy import Policy
from assay.repair import VerificationOptions, chat_with_verification, corrective_rag_loop, verify_response
from assay.repair.strategies import missing_query
from assay.types import Document

QUESTION = "How many pupils does Ashgrove School have?"
RIGHT = "Ashgrove School has 412 pupils."
WRONG = "Ashgrove School has 421 pupils."
TEXT = f"{RIGHT} It stands by the river Tarn in the town of Wellmouth, and was opened in 1904 by the mayor."
ENGINE = Engine(judge="lexical")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m", embedder="static", workspace="schools") as held:
        held.add([Document("school", TEXT, "Ashgrove School")])
        yield held


def chat(memory: Memory, *replies: str, **options):
    model = Scripted(replies)
    return chat_with_verification(QUESTION, memory=memory, generator=model, engine=ENGINE, **options), model


def test_evidence_that_was_shown_already_is_put_in_front_and_the_answer_written_again(memory: Memory) -> None:
    said, model = chat(memory, f"{WRONG} [E1]", f"{RIGHT} [E1]")
    assert said.answer.startswith(RIGHT)
    assert said.verification.is_grounded
    assert said.verification.crag_attempts == 1
    asked = model.calls[1].messages[-1].content
    assert asked.index("421") < asked.index("412")  # the doubtful claim, then what the source says about it
    assert "<doubts" in asked


def test_only_attempts_that_wrote_something_count(memory: Memory) -> None:
    invented = "Bananas are yellow and sweet. [E1]"
    said, _ = chat(memory, invented, "NOT IN THE SOURCES", "NOT IN THE SOURCES")
    assert said.verification.crag_attempts == 0
    loop = corrective_rag_loop(QUESTION, WRONG, memory=memory, engine=ENGINE, attempts=2)
    assert loop.real_attempts == 0  # quoting again gives the same quotes


def test_queries_are_made_from_what_is_missing() -> None:
    report = ENGINE.check(
        "The Ashgrove School choir has 421 singers and won a regional medal.", sources=[Document("school", TEXT)]
    )
    query = missing_query(report.findings[0], TEXT, QUESTION)
    assert query not in report.answer
    assert "choir" in query
    assert "Ashgrove" in query
    refuted = ENGINE.check(WRONG, sources=[Document("school", TEXT)]).findings[0]
    assert "421" not in missing_query(refuted, TEXT, QUESTION)
    assert "Ashgrove" in missing_query(refuted, TEXT)


def test_an_invented_claim_beside_true_ones_starts_the_search_and_is_not_high(memory: Memory) -> None:
    facts = "Ashgrove School was opened in 1904 by the mayor. Ashgrove School stands by the river Tarn."
    mixed = f"{RIGHT} {facts} Bananas grow under glass."
    said, model = chat(memory, mixed, mixed, mixed)
    assert len(model.calls) > 1
    assert said.verification.level != "High"
    assert not said.verification.is_grounded


def test_the_block_names_content_model_and_workspace(memory: Memory) -> None:
    said, _ = chat(memory, f"{RIGHT} [E1]")
    shown = said.to_dict()
    assert (shown["content"], shown["model"], shown["workspace"]) == (said.answer, "scripted", "schools")
    assert shown["verification"]["suggested_corrections"] == []
    assert shown["verification"]["model"].startswith("lexical")


def test_corrections_are_suggested_and_hold(memory: Memory) -> None:
    found = verify_response(QUESTION, f"{WRONG} The head plays the cello.", memory=memory, engine=ENGINE)
    first = next(one for one in found.suggested_corrections if "421" in one.claim)
    assert first.corrected == RIGHT
    assert "412" in first.evidence.quote
    assert "412" in first.instruction
    other = next(one for one in found.suggested_corrections if "cello" in one.claim)
    assert other.corrected is None
    assert found.to_dict()["suggested_corrections"][0]["claim"]


def test_a_correction_is_read_with_what_stands_before_its_quote() -> None:
    said = "Ashgrove School stands by the river Tarn. It was opened in 1904 by the mayor."
    found = verify_response(
        QUESTION, "Ashgrove School was opened in 1914.", sources=[said], engine=Engine(judge="lexical")
    )
    (one,) = found.suggested_corrections
    assert one.corrected == "Ashgrove School was opened in 1904."


def test_a_response_is_verified_by_the_model_that_is_named(memory: Memory, tmp_path: Path) -> None:
    level = {"level": "CONTRADICTED", "inferred": False, "source": "E1", "quote": RIGHT, "reason": "so it is told"}
    script = tmp_path / "script.json"
    script.write_text(json.dumps([json.dumps(level)] * 9), encoding="utf-8")
    found = verify_response(QUESTION, RIGHT, memory=memory, model=f"scripted:{script}")
    assert (found.is_grounded, found.model.split()[0]) == (False, "model:scripted")
    assert verify_response(QUESTION, RIGHT, memory=memory, model="lexical").is_grounded


def test_options_come_from_the_verification_block_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "assay.yaml"
    file.write_text(
        "verification:\n  enabled: false\n  correction: false\n  threshold: 0.5\n  attempts: 1\n  show_claims: true\n",
        encoding="utf-8",
    )
    options = VerificationOptions.load(file, env={})
    assert options == VerificationOptions(False, False, 0.5, 1, True)
    env = {"ASSAY_VERIFICATION_ENABLED": "yes", "ASSAY_VERIFICATION_MODEL": "haiku"}
    assert VerificationOptions.load(file, env=env, attempts=0).but(show_claims=False) == VerificationOptions(
        True, False, 0.5, 0, False, model="haiku"
    )
    assert VerificationOptions.load(env={}, policy=Policy(repair_confidence=0.4)).threshold == 0.4
    with pytest.raises(UsageError, match="did you mean attempts"):
        VerificationOptions().but(attempt=1)
    with pytest.raises(UsageError, match="between 0 and 1"):
        VerificationOptions(threshold=2.0)


def test_all_options_can_be_given_at_once(memory: Memory) -> None:
    off, model = chat(memory, f"{WRONG} [E1]", verification=VerificationOptions(enabled=False))
    assert off.verification is None
    assert len(model.calls) == 1
    once, model = chat(memory, f"{WRONG} [E1]", verification=VerificationOptions(correction=False, show_claims=True))
    assert len(model.calls) == 1
    assert once.verification.to_dict()["claims"]
    over, _ = chat(memory, f"{WRONG} [E1]", verification=VerificationOptions(show_claims=True), attempts=0)
    assert over.verification.crag_attempts == 0


LONG = " Ashgrove School was opened in 1904 by the mayor. Ashgrove School stands by the river Tarn in Wellmouth."


def test_a_chat_can_use_the_epistemic_checks(memory: Memory) -> None:
    options = VerificationOptions(correction=False)
    flagged, _ = chat(memory, WRONG + LONG, verification=options, epistemic=EpistemicConfig())
    assert "[contradicted: " in flagged.answer
    assert flagged.to_dict()["epistemic"]["outcome"] == "flagged"
    config = EpistemicConfig(on_failure="retry")
    again, model = chat(memory, WRONG + LONG, RIGHT + LONG, verification=options, epistemic=config)
    assert again.answer == RIGHT + LONG
    assert again.verification.is_grounded
    assert len(model.calls) == 2
    asked, _ = chat(memory, WRONG + LONG, verification=options, epistemic=EpistemicConfig(on_failure="ask"))
    assert "421" in asked.epistemic.question
