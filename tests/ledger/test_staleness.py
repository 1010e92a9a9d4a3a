import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine import Engine, Request
from assay.judges.lexical import LexicalJudge
from assay.ledger import Ledger
from assay.memory import Memory
from assay.types import Document
from tests.ledger.conftest import ANSWER, EVEREST, KTWO, NILE

SOURCES = (EVEREST, KTWO, NILE)
ANSWERS = (
    ANSWER,
    "K2 is 8,611 m high.",
    "The Nile flows through Egypt. It is about 6,650 km long.",
    "K2 stands on the border between Pakistan and China. Mount Everest is 8,849 m high.",
    "Nothing of this is known.",
)


def edited(document):
    return Document(document.id, document.text + " This was added later.")


class Counting(LexicalJudge):
    """The lexical judge, counting what it is asked."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def judge_claim(self, claim, passages):
        self.asked.append(claim.text)
        return super().judge_claim(claim, passages)


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    engine, ledger = Engine(judge="lexical"), Ledger(tmp_path_factory.mktemp("stale"))
    for answer in ANSWERS:
        ledger.record(engine.run(Request(answer, sources=SOURCES)))
    return ledger


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["same", "edited", "gone"]), min_size=3, max_size=3))
def test_exactly_the_findings_that_cite_a_changed_document_are_stale(several, fates):
    now = []
    for document, fate in zip(SOURCES, fates, strict=True):
        now += {"same": [document], "edited": [edited(document)], "gone": []}[fate]
    moved = {document.id for document, fate in zip(SOURCES, fates, strict=True) if fate != "same"}
    expected = {
        (summary.id, number)
        for summary in several.runs()
        for number, finding in enumerate(several.get(summary.id).report["claims"])
        if any(item["document"] in moved for item in finding["evidence"])
    }
    stale = several.stale(now)
    assert {(item.run_id, item.claim) for item in stale} == expected
    assert len(stale) == len(expected)
    became = {"edited": "changed", "gone": "gone"}
    fate_of = {document.id: became.get(fate) for document, fate in zip(SOURCES, fates, strict=True)}
    assert all(what == fate_of[document] for item in stale for document, what in item.documents)


def test_after_an_edit_of_one_source_only_its_findings_are_checked_again(ledger, run):
    run_id = ledger.record(run)
    now = [EVEREST, Document("k2", KTWO.text.replace("8,611", "8,612")), NILE]
    stale = ledger.stale(now)
    assert [(item.claim, item.reason) for item in stale] == [(1, "k2 changed")]
    judge = Counting()
    (new,) = ledger.reverify(stale, Engine(judge=judge), current=now, user="ann")
    assert judge.asked == ["K2 is 8,612 m high."]
    assert (new.stale.verdict, new.verdict, new.differs) == ("REFUTED", "SUPPORTED", True)
    stored = ledger.get(new.run_id)
    assert stored.replaces == [(run_id, 1)]
    assert stored.payload["mode"] == "recheck"
    assert stored.summary().rechecks == (run_id,)
    assert stored.answer == ANSWER
    (finding,) = stored.as_report().findings
    assert [span.of(ANSWER) for span in finding.spans] == ["K2 is 8,612 m high."]
    assert ledger.stale(now) == []
    assert ledger.verify() is None
    assert ledger.replay(new.run_id).identical
    assert ledger.get(run_id).report["claims"][1]["verdict"] == "REFUTED"  # what was found then stays as it was


def test_a_finding_checked_again_can_go_stale_again(ledger, run):
    ledger.record(run)
    second = [EVEREST, Document("k2", KTWO.text.replace("8,611", "8,612")), NILE]
    (new,) = ledger.reverify(ledger.stale(second), current=second)
    third = [EVEREST, Document("k2", KTWO.text.replace("8,611", "8,613")), NILE]
    (stale,) = ledger.stale(third)
    assert (stale.run_id, stale.claim) == (new.run_id, new.claim)
    (newer,) = ledger.reverify([stale], current=third)
    assert newer.verdict == "REFUTED"


def test_a_finding_whose_only_source_is_gone_is_no_longer_supported(ledger, run):
    ledger.record(run)
    now = [EVEREST, KTWO]
    (new,) = ledger.reverify(ledger.stale(now), current=now)
    assert (new.stale.text, new.verdict) == ("The Nile flows through Egypt.", "INSUFFICIENT")
    assert ledger.stale(now) == []


def test_a_memory_that_changed(ledger, engine, tmp_path):
    answer = "K2 is 8,611 m high. The Nile flows through Egypt."
    with Memory(tmp_path / "memory", embedder="static") as memory:
        memory.add(SOURCES)
        ledger.record(engine.run(Request(answer, sources=memory)), memory=memory)
        ledger.record(engine.run(Request("Oslo is in Norway.", sources=[Document("oslo", "Oslo is in Norway.")])))
        assert ledger.stale(memory) == []  # a memory knows nothing of a text that was handed over
        memory.add(Document("k2", KTWO.text.replace("8,611", "8,711")))
        memory.remove("nile")
        stale = ledger.stale(memory)
        assert [(item.claim, item.reason) for item in stale] == [(0, "k2 changed"), (1, "nile gone")]
        new = ledger.reverify(stale, current=memory)
        assert [item.verdict for item in new] == ["REFUTED", "INSUFFICIENT"]
        assert ledger.stale(memory) == []
        assert ledger.replay(new[0].run_id).identical
        memory.evict(0)
        assert memory.passages("k2")  # what the new finding cites is protected, too


@pytest.mark.parametrize("mark", ["", " [1]", " [9]"])
def test_a_claim_is_checked_again_exactly_as_check_judges_it(ledger, engine, mark):
    """Also one that cites a source that was never given: the re-check must not record it as if it cited nothing."""
    answer, now = f"K2 is 8,611 m high{mark}.", [edited(KTWO), NILE]
    ledger.record(engine.run(Request(answer, sources=[KTWO, NILE])))
    (new,) = ledger.reverify(ledger.stale(now), engine, current=now)
    (recorded,) = ledger.get(new.run_id).report["claims"]
    (expected,) = engine.check(answer, now).to_dict()["claims"]
    same = ("verdict", "support", "confidence", "method", "violations", "action", "marks", "evidence")
    assert {name: recorded[name] for name in same} == {name: expected[name] for name in same}
    assert ("phantom_citation" in recorded["violations"]) == (mark == " [9]")


def test_what_was_purged_is_not_stale(ledger, run):
    ledger.record(run)
    ledger.purge(days=0)
    assert ledger.stale([]) == []


def test_a_pointer_answer_is_checked_again_against_the_source_behind_it(ledger, engine):
    from assay.lattice import EvidenceMap, EvidenceObject

    quoted = "Mount Everest is 8,849 m high."
    shown = EvidenceMap.of([EvidenceObject("E1", quoted, source_id="everest", source_sha256=EVEREST.sha256)])
    ledger.record(engine.run(Request(f"{quoted} [E1]", evidence=shown)))
    now = [Document("everest", EVEREST.text.replace("8,849", "8,749"))]
    (new,) = ledger.reverify(ledger.stale(now), current=now)
    assert (new.stale.verdict, new.verdict) == ("SUPPORTED", "REFUTED")
    assert ledger.replay(new.run_id).identical
