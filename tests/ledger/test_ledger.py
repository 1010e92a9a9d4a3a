"""What a ledger promises, on both databases."""

import json
from dataclasses import dataclass

import pytest

from assay.engine import Engine, Request
from assay.errors import LedgerError, UsageError
from assay.lattice import EvidenceMap, EvidenceObject
from assay.ledger import Ledger, open_ledger
from assay.ledger.ledger import file_of, find_place
from assay.memory import Memory
from assay.policy import Policy
from assay.types import Document, sha256_of
from tests.ledger.conftest import ANSWER, EVEREST, KTWO, NILE


def test_a_run_comes_back_as_it_was(ledger, run):
    stored = ledger.get(ledger.record(run, user="ann", session="s1", mode="draft"))
    assert stored.report == run.report.to_dict()
    assert stored.as_report().to_dict() == run.report.to_dict()
    assert [f.claim for f in stored.as_report().findings] == [f.claim for f in run.report.findings]
    assert (stored.question, stored.answer) == ("How high are they?", ANSWER)
    assert stored.documents == run.report.documents
    assert stored.claims == run.claims
    assert stored.passages == run.passages
    assert stored.policy == run.policy
    assert stored.evidence_map is None


def test_the_audit_trail_has_what_an_auditor_asks_for(ledger, run):
    attempts = [
        {"answer": "first try", "model_calls": 1, "prompt_tokens": 100, "completion_tokens": 20, "cost_usd": 0.01},
        {"answer": "second try", "model_calls": 2, "prompt_tokens": 50, "completion_tokens": 5, "cost_usd": 0.02},
    ]
    told = ledger.get(ledger.record(run, user="ann", session="s1", attempts=attempts)).to_dict()
    assert told["user"], told["session"] == ("ann", "s1")
    assert (told["workspace"], told["mode"], told["question"]) == ("default", "answer", "How high are they?")
    assert told["time"] == "2026-05-01T00:00:01.000000Z"
    assert told["attempts"] == attempts
    assert told["verdicts"] == {"supported": 2, "weak": 0, "contradicted": 1, "not_found": 1}
    assert told["coverage"] == run.report.to_dict()["coverage"]
    assert set(told["durations_ms"]) == set(run.report.timings_ms)
    spent = {"model_calls": 3, "prompt_tokens": 150, "completion_tokens": 25, "cost_usd": 0.03}
    assert told["spent"] == pytest.approx(spent)
    assert told["retrieved"][0][0] == "everest"
    assert {document["sha256"] for document in told["documents"]} == {d.sha256 for d in (EVEREST, KTWO, NILE)}


def test_attempts_may_be_values_of_any_room(ledger, run):
    @dataclass(frozen=True)
    class Attempt:
        report: object
        strategy: str
        perplexity: float

    stored = ledger.get(ledger.record(run, attempts=[Attempt(run.report, "retry", float("inf"))]))
    (attempt,) = stored.payload["attempts"]
    assert attempt["report"] == run.report.to_dict()
    assert attempt["perplexity"] == "inf"


def test_the_root_is_over_every_stage(ledger, run, engine):
    roots = [
        ledger.get(ledger.record(run)).root,
        ledger.get(ledger.record(run, user="other")).root,
        ledger.get(ledger.record(run, prompt="Write about mountains.")).root,
        ledger.get(ledger.record(run, rendering="<p>shown</p>")).root,
        ledger.get(ledger.record(engine.run(Request(ANSWER, sources=[EVEREST, KTWO, NILE])))).root,
        ledger.get(
            ledger.record(Engine(Policy(max_branches=2), "lexical").run(Request(ANSWER, sources=[EVEREST])))
        ).root,
    ]
    assert roots[0] == roots[1]  # for whom it was made is in the record, not in the run
    assert len(set(roots)) == 5


def test_runs_are_listed_newest_first_and_found_by_number_or_id(ledger, run):
    first, second = ledger.record(run, user="a"), ledger.record(run, user="b")
    assert [summary.id for summary in ledger.runs()] == [second, first]
    assert [summary.user for summary in ledger.runs(1)] == ["b"]
    assert ledger.get("1").id == first
    assert len(ledger) == 2
    for wrong in ("3", "x", "", "1-ffffffff", "-1", "99999999999999999999", f"2{first[1:]}"):
        with pytest.raises(UsageError, match="there is no run"):
            ledger.get(wrong)


def test_a_document_is_kept_once_and_whole(ledger, engine):
    odd = Document("odd", "Oslo is in Norway. \x00 \ud800 é 😀", uri="caf\udce9")
    ids = [ledger.record(engine.run(Request("Oslo is in Norway.", sources=[odd]))) for _ in range(2)]
    assert [ledger.get(run_id).documents for run_id in ids] == [(odd,), (odd,)]
    assert ledger.verify() is None


def test_the_log_has_the_last_results_first(ledger, run, engine):
    ledger.record(run)
    ledger.record(engine.run(Request("The Nile flows through Egypt.", sources=[NILE])))
    lines = ledger.log()
    assert [(line.run_id[0], line.claim, line.verdict) for line in lines] == [
        ("2", 0, "SUPPORTED"),
        ("1", 0, "SUPPORTED"),
        ("1", 1, "REFUTED"),
        ("1", 2, "SUPPORTED"),
        ("1", 3, "INSUFFICIENT"),
    ]
    assert ledger.log(2) == lines[:2]


def test_the_log_reaches_back_ten_thousand_results(place, run, monkeypatch):
    from assay.ledger import ledger as module

    assert module.LOG_RESULTS == 10_000
    monkeypatch.setattr(module, "LOG_RESULTS", 3)
    with Ledger(place) as ledger:
        ledger.record(run)
        assert len(ledger.log()) == 3


def test_feedback_is_part_of_the_chain_and_becomes_rows(ledger, run):
    run_id = ledger.record(run)
    ledger.feedback(run_id, 0, True, "checked it", "ann")
    ledger.feedback(run_id, 1, False, verdict="SUPPORTED")
    ledger.feedback(run_id, 2, False)
    ledger.feedback(run_id, 3, False)
    assert [mark.claim for mark in ledger.marks(run_id)] == [3, 2, 1, 0]
    assert ledger.marks()[-1].note == "checked it"
    assert ledger.verify() is None
    rows = {row["claim"]: row for row in ledger.calibration_rows()}
    assert {claim: row["label"] for claim, row in rows.items()} == {
        "Mount Everest is 8,849 m high.": "SUPPORTED",
        "K2 is 8,612 m high.": "SUPPORTED",
        "The Nile flows through Egypt.": "NOT_SUPPORTED",
    }  # of the last all that is known is what it is not
    assert rows["K2 is 8,612 m high."]["evidence"] == "K2 is 8,611 m high."


def test_the_last_word_of_readers_counts(ledger, run):
    run_id = ledger.record(run)
    ledger.feedback(run_id, 0, False)
    ledger.feedback(run_id, 0, True)
    assert [row["label"] for row in ledger.calibration_rows()] == ["SUPPORTED"]


def test_rows_are_what_the_bench_reads(ledger, run, tmp_path):
    import json

    from assay.evaluation.layouts import read_rows

    ledger.feedback(ledger.record(run), 0, True)
    file = tmp_path / "labels.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ledger.calibration_rows()))
    (row,) = read_rows(file).rows
    assert (row.claim, row.label) == ("Mount Everest is 8,849 m high.", "SUPPORTED")


@pytest.mark.parametrize(
    ("claim", "right", "verdict", "says"),
    [
        (9, True, None, "none at 9"),
        (-1, True, None, "none at -1"),
        (0, True, "REFUTED", "cannot be right"),
        (0, False, "SUPPORTED", "cannot be wrong"),
        (0, False, "MAYBE", "MAYBE"),
    ],
)
def test_feedback_that_cannot_be_meant_is_refused(ledger, run, claim, right, verdict, says):
    with pytest.raises(UsageError, match=says):
        ledger.feedback(ledger.record(run), claim, right, verdict=verdict)


def test_what_is_too_old_is_emptied_and_the_chain_still_holds(ledger, run, clock):
    old = ledger.record(run)
    ledger.feedback(old, 0, True)
    clock.jump(days=89)
    kept = ledger.record(run)
    assert ledger.purge() == 0
    clock.jump(days=2)
    assert ledger.purge() == 2
    assert ledger.verify() is None
    assert [summary.id for summary in ledger.runs()] == [kept]
    with pytest.raises(UsageError, match="was purged"):
        ledger.get(old)
    assert ledger.get(kept).documents == run.report.documents
    assert ledger.purge(days=0) == 1
    assert ledger.verify() is None
    assert ledger.purge(days=0) == 0
    with pytest.raises(UsageError, match="-1"):
        ledger.purge(days=-1)


def test_what_was_purged_is_not_left_in_the_file(tmp_path, engine):
    with Ledger(tmp_path) as ledger:
        ledger.record(engine.run(Request("The Nile flows through Egypt.", sources=[NILE])), user="a-secret-name")
        assert any(b"a-secret-name" in file.read_bytes() for file in tmp_path.iterdir())
        ledger.purge(days=0)
        for file in tmp_path.iterdir():
            assert b"a-secret-name" not in file.read_bytes()
            assert b"flows through Egypt" not in file.read_bytes()


def test_each_workspace_keeps_to_its_own_retention(place, run, clock):
    ledger = Ledger(place, workspace="a", policy=Policy(retention_days=1), clock=clock)
    other = ledger.within("b")
    other.record(run)
    ledger.record(run)
    clock.jump(days=2)
    assert ledger.purge() == 1
    assert (len(ledger), len(other)) == (0, 1)
    assert other.get("1").documents == run.report.documents
    assert ledger.verify() is None
    assert other.verify() is None
    with pytest.raises(UsageError, match="workspace"):
        ledger.within("No Such")


def test_an_answer_that_cites_by_pointer_is_kept_with_its_map(ledger, engine):
    shown = EvidenceMap.of(
        [
            EvidenceObject("E1", "Everest is 8,849 m high.", source_id="everest", source_sha256=EVEREST.sha256),
            EvidenceObject("E2", "K2 is 8,611 m high."),
        ]
    )
    answer = "Everest is 8,849 m high. [E1]\nK2 is 8,612 m high. [E2]"
    run = engine.run(Request(answer, evidence=shown))
    stored = ledger.get(ledger.record(run))
    assert stored.evidence_map == shown
    assert ledger.replay(stored.id).identical
    leaned = {document for _, document, _ in stored.payload["leanings"]}
    assert "everest" in leaned  # the source behind the pointer
    changed = Document("everest", EVEREST.text + " Indeed.")
    assert [item.claim for item in ledger.stale([changed, Document("E2", shown.resolve("E2").text)])] == [0]


def test_what_a_run_cites_is_protected_in_its_memory(place, tmp_path, engine):
    with Memory(tmp_path / "memory", embedder="static") as memory, Ledger(place) as ledger:
        memory.add([EVEREST, KTWO, NILE])
        run_id = ledger.record(engine.run(Request("The Nile flows through Egypt.", sources=memory)), memory=memory)
        assert memory.evict(0) == 2
        assert [listing.id for listing in memory.documents() if memory.passages(listing.id)] == ["nile"]
        assert ledger.purge(days=0, memory=memory) == 1
        assert memory.evict(0) == 1
        assert run_id


def test_a_run_that_cannot_be_written_protects_nothing(place, tmp_path, engine, monkeypatch):
    with Memory(tmp_path / "memory", embedder="static") as memory, Ledger(place) as ledger:
        memory.add([NILE])
        run = engine.run(Request("The Nile flows through Egypt.", sources=memory))
        monkeypatch.setattr("assay.ledger.store._set_head", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            ledger.record(run, memory=memory)
        assert memory.evict(0) == 1
        assert len(ledger) == 0


def test_a_changed_run_is_not_handed_out(ledger, run, place):
    from sqlalchemy import text

    from assay.storage.database import open_database, writing

    run_id = ledger.record(run)
    with writing(open_database(place)).begin() as connection:
        connection.execute(text("UPDATE ledger_records SET payload = replace(payload, 'REFUTED', 'SUPPORTED')"))
    with pytest.raises(LedgerError, match="was changed"):
        ledger.get(run_id)


def test_one_ledger_serves_several_threads(ledger, run):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(lambda number: ledger.record(run, user=str(number)), range(12)))
        assert all(pool.map(lambda run_id: ledger.get(run_id).id == run_id, ids))
    assert len(set(ids)) == 12
    assert ledger.verify() is None


def test_where_a_ledger_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_LEDGER", raising=False)
    assert file_of(tmp_path) == tmp_path / "ledger.db"
    assert file_of("new/folder").name == "ledger.db"
    assert file_of("audit.sqlite").name == "audit.sqlite"
    assert find_place() == ".assay/ledger.db"
    open_ledger(".assay/memory").close()
    assert find_place() == ".assay/memory/ledger.db"
    open_ledger().close()
    monkeypatch.setenv("ASSAY_LEDGER", "elsewhere.db")
    assert find_place() == "elsewhere.db"
    assert find_place("mine") == "mine"


def test_importing_the_ledger_opens_no_database():
    import subprocess
    import sys

    code = "import assay.ledger, sys; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_hashes_are_of_the_texts(ledger, run):
    stored = ledger.get(ledger.record(run))
    assert all(item["sha256"] == sha256_of(item["text"]) for item in stored.to_dict()["documents"])


def test_a_record_that_is_older_than_the_codec_is_read_as_it_was(ledger, run):
    from dataclasses import replace

    from assay.ledger.runs import StoredRun

    stored = ledger.get(ledger.record(run))
    payload = json.loads(json.dumps(stored.payload))
    for claim in payload["stages"]["claims"]:  # spans were pairs, and findings knew less of their claims
        claim["spans"] = [[span["start"], span["end"]] for span in claim["spans"]]
        for citation in claim["citations"]:
            citation["span"] = [citation["span"]["start"], citation["span"]["end"]]
    for finding in payload["stages"]["verification"]:
        for name in ("checkable", "citations", "sentence_index", "context"):
            del finding[name]
    del payload["report"]["grounded"]
    old = StoredRun(replace(stored.record, payload=payload), stored.documents)
    assert old.as_report() == run.report
    assert old.claims == run.claims
