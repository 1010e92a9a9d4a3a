import itertools
import shutil

import pytest

from assay.engine import Engine, Request
from assay.errors import UsageError
from assay.judges import JUDGES, register_judge
from assay.judges.lexical import LexicalJudge
from assay.lattice import EvidenceMap, EvidenceObject
from assay.ledger import Ledger
from assay.memory import Memory
from assay.policy import Policy
from assay.types import Document
from tests.ledger.conftest import ANSWER, EVEREST, KTWO, NILE

FACTS = {
    "lima": ("Lima is the capital of Peru. It has 10 million inhabitants.", "Lima has 10 million inhabitants."),
    "oslo": ("Oslo is the capital of Norway. It was founded in 1040.", "Oslo was founded in 1050."),
    "bern": ("Bern lies on the Aare. It became a federal city in 1848.", "Bern lies on the Aare."),
    "rome": ("Rome was built on seven hills beside the Tiber.", "Rome was not built beside the Tiber."),
    "cairo": ("Cairo lies on the Nile, near the pyramids of Giza.", "Cairo has an opera house."),
}
DOCUMENTS = [Document(name, text) for name, (text, _) in FACTS.items()]


def hundred_runs(engine, memory):
    """Answers of one to four claims, from documents, from a memory, and by pointer."""
    chosen = itertools.islice(itertools.cycle(itertools.permutations(FACTS, 3)), 100)
    for number, names in enumerate(chosen):
        answer = " ".join(FACTS[name][1] for name in names[: number % 3 + 1])
        if number % 10 == 9:
            shown = EvidenceMap.of([EvidenceObject(f"E{n}", FACTS[name][0]) for n, name in enumerate(names, 1)])
            cited = "\n".join(f"{FACTS[name][1]} [E{n}]" for n, name in enumerate(names, 1))
            yield engine.run(Request(cited, evidence=shown)), {}
        elif number % 3 == 0:
            yield engine.run(Request(answer, sources=memory, question="What is it?")), {"memory": memory}
        elif number % 3 == 1:
            yield engine.run(Request(f"{answer} [2]", sources=[*DOCUMENTS[:2], memory])), {"memory": memory}
        else:
            yield engine.run(Request(f"{answer} [1]", sources=DOCUMENTS[number % 4 :], branches=number % 4)), {}


def test_a_hundred_stored_runs_replay_identically_with_nothing_but_the_ledger(tmp_path, engine):
    ledger = Ledger(tmp_path / "ledger.db")
    with Memory(tmp_path / "memory", embedder="static") as memory:
        memory.add(DOCUMENTS)
        for run, options in hundred_runs(engine, memory):
            ledger.record(run, **options)
    shutil.rmtree(tmp_path / "memory")
    replays = [ledger.replay(summary.id) for summary in ledger.runs(200)]
    assert len(replays) == 100
    assert [replay.differences for replay in replays if not replay.identical] == []
    assert all(replay.root == replay.recorded_root and not replay.changes for replay in replays)
    assert {line.verdict for line in ledger.log()} == {"SUPPORTED", "REFUTED", "INSUFFICIENT"}


def test_a_changed_policy_is_named_where_it_made_the_difference(ledger, run):
    run_id = ledger.record(run)
    replay = ledger.replay(run_id, Engine(Policy(halt_confidence=0.99, grounding_confidence=0.96), "lexical"))
    assert replay.changes == ("policy: grounding_confidence 0.5 → 0.96", "policy: halt_confidence 0.7 → 0.99")
    by_claim = {difference.claim: difference for difference in replay.differences}
    assert by_claim[1].before == {"action": "BRANCH"}
    assert by_claim[1].after == {"action": "CONTINUE"}
    assert (by_claim[0].before["verdict"], by_claim[0].after["verdict"]) == ("SUPPORTED", "INSUFFICIENT")
    assert by_claim[1].reasons == replay.changes
    assert 3 not in by_claim
    assert replay.root != replay.recorded_root


def test_a_policy_that_makes_no_difference_is_only_noted(ledger, run):
    replay = ledger.replay(ledger.record(run), Engine(Policy(retention_days=7), "lexical"))
    assert replay.identical
    assert replay.changes == ("policy: retention_days 90 → 7",)


def test_a_changed_source_is_named_where_it_made_the_difference(ledger, run):
    now = [EVEREST, Document("k2", KTWO.text.replace("8,611", "8,612")), NILE]
    replay = ledger.replay(ledger.record(run), current=now)
    (difference,) = replay.differences
    assert (difference.before["verdict"], difference.after["verdict"]) == ("REFUTED", "SUPPORTED")
    assert difference.reasons == ("source: k2 changed",)


def test_when_policy_and_source_changed_each_difference_has_its_own_reason(ledger, run):
    now = [EVEREST, Document("k2", KTWO.text.replace("8,611", "8,612")), NILE]
    other = Engine(Policy(retention_days=7, max_branches=0), "lexical")
    replay = ledger.replay(ledger.record(run), other, current=now)
    reasons = {difference.claim: difference.reasons for difference in replay.differences}
    assert reasons[1] == ("source: k2 changed",)  # of a verdict that differs, the verdict is explained
    assert all(reason.startswith("policy: ") for reason in reasons[3])


def test_a_source_that_is_gone_is_named(ledger, run):
    replay = ledger.replay(ledger.record(run), current=[EVEREST, KTWO])
    (difference,) = replay.differences
    assert difference.text == "The Nile flows through Egypt."
    assert difference.after["verdict"] == "INSUFFICIENT"
    assert difference.reasons == ("source: nile gone",)


@pytest.mark.parametrize("cited", ["[cite:{hash}]", "[source: far]"])
def test_what_a_citation_named_in_a_memory_is_replayed(ledger, engine, tmp_path, cited):
    far = Document("far", "Whoever asks is told: 8,611 m.")
    near = [Document(f"k{n}", f"Peak K{n} is {n},000 m high, as K2 is said to be.") for n in range(3, 9)]
    with Memory(tmp_path / "memory", embedder="static") as memory:
        memory.add([far, *near])
        answer = f"Peak K2 is high {cited.format(hash=far.sha256[:8])}."
        run = engine.run(Request(answer, sources=memory))
        assert "named" in [passage.reason for passage in run.passages[0] if passage.document_id == "far"]
        run_id = ledger.record(run, memory=memory)
    assert ledger.replay(run_id).identical


def test_a_memory_that_moved_on_is_named(ledger, engine, tmp_path):
    with Memory(tmp_path / "memory", embedder="static") as memory:
        memory.add([EVEREST, KTWO, NILE])
        run_id = ledger.record(engine.run(Request("K2 is 8,611 m high. The Nile flows through Egypt.", sources=memory)))
        assert ledger.replay(run_id, current=memory).identical
        memory.add(Document("k2", "K2 is 8,711 m high. It stands on the border between Pakistan and China."))
        (difference,) = ledger.replay(run_id, current=memory).differences
        assert (difference.claim, difference.after["verdict"]) == (0, "REFUTED")
        assert difference.reasons == ("source: k2 changed",)
        assert ledger.replay(run_id).identical


@pytest.fixture
def judges():
    known = dict(JUDGES)
    yield register_judge
    JUDGES.clear()
    JUDGES.update(known)


class Gullible(LexicalJudge):
    name, model = "gullible", "gullible@1"

    def judge_claim(self, claim, passages):
        from dataclasses import replace

        from assay.types import Verdict

        found = super().judge_claim(claim, passages)
        return replace(found, verdict=Verdict.SUPPORTED) if found.verdict is Verdict.REFUTED else found


def test_a_changed_model_is_named(ledger, run, judges):
    judges("gullible", Gullible)
    (difference,) = ledger.replay(ledger.record(run), Engine(judge="gullible")).differences
    assert difference.reasons == ("model: lexical → gullible@1",)
    assert (difference.before["verdict"], difference.after["verdict"]) == ("REFUTED", "SUPPORTED")


def test_the_judge_of_a_run_is_made_again_by_its_name(ledger, judges):
    judges("gullible", Gullible)
    run_id = ledger.record(Engine(judge="gullible").run(Request(ANSWER, sources=[EVEREST, KTWO, NILE])))
    assert ledger.replay(run_id).identical
    JUDGES.pop("gullible")
    with pytest.raises(UsageError, match="gullible@1"):
        ledger.replay(run_id)


def test_a_judge_that_wavers_is_not_explained_away(ledger, run):
    (difference,) = ledger.replay(ledger.record(run), Engine(judge=_named(Gullible(Policy()), "lexical"))).differences
    assert difference.reasons[0].startswith("not explained")


def _named(judge, name):
    judge.name = judge.model = name
    return judge


def test_a_setting_of_another_version_is_named(ledger, run):
    from assay.ledger.rows import unpack_policy

    values = dict(ledger.get(ledger.record(run)).payload["policy"])
    policy, unknown = unpack_policy({**values, "wingspan": 3})
    assert policy == run.policy
    assert unknown == ["wingspan"]
