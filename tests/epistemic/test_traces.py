from __future__ import annotations

import itertools
import json
from time import sleep

import pytest

from assay.cache import Cache
from assay.epistemic import Checker
from assay.epistemic.traces import Node, NodeEdge, NodeEdgeKind, NodeKind, Trace, TraceStore
from assay.epistemic.traces.spans import export_spans, import_spans
from assay.errors import UsageError
from assay.memory import Memory
from assay.types import Document, Judgement, Verdict
from assay.views import GapType

NUMBERS = itertools.count(1)


@pytest.fixture(params=["sqlite", "postgres"])
def store(request, tmp_path):
    place = tmp_path / "traces" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    with TraceStore(place, checker=Checker(judge="lexical")) as held:
        yield held


@pytest.fixture
def local(tmp_path):
    with TraceStore(tmp_path / "traces", checker=Checker(judge="lexical")) as held:
        yield held


def climb(store: TraceStore) -> dict[str, str]:
    ids = {"goal": store.add_goal("How high is Everest?")}
    ids["decision"] = store.add("decision", "Look it up", ids["goal"])
    ids["option"] = store.add("option", "Guess", ids["decision"])
    ids["action"] = store.add("action", "Open the guide", ids["decision"], data={"tool": "reader"})
    ids["seen"] = store.add("observation", "Mount Everest is 8,849 m high.", ids["action"])
    ids["right"] = store.add_claim(ids["decision"], "Mount Everest is 8,849 m high.", [ids["seen"]], 0.9)
    ids["wrong"] = store.add_claim(ids["decision"], "Mount Everest is 8,489 m high.", [ids["seen"]])
    ids["phantom"] = store.add_claim(ids["decision"], "Mount Everest lies in Asia.", ["nowhere"])
    ids["outcome"] = store.add("outcome", "The height is known.", ids["decision"])
    return ids


def test_a_claim_is_verified_against_what_it_cites_and_the_verification_is_kept(store):
    ids = climb(store)
    found = store.verify_claim(ids["right"])
    assert not found.is_flagged
    trace = store.get(ids["goal"])
    kept = trace.children(ids["right"])
    assert [node.kind for node in kept] == [NodeKind.VERIFICATION]
    assert NodeEdge(kept[0].id, ids["right"], NodeEdgeKind.VERIFIES) in trace.edges
    assert trace.verification(ids["right"]).to_dict() == found.to_dict()


def test_a_refuted_claim_has_an_edge_that_says_so(store):
    ids = climb(store)
    assert store.verify_claim(ids["wrong"]).verdict is Verdict.REFUTED
    trace = store.get(ids["goal"])
    assert any(edge.kind is NodeEdgeKind.REFUTES and edge.target == ids["wrong"] for edge in trace.edges)


def test_the_gaps_of_a_goal_are_the_widest_first(store):
    ids = climb(store)
    gaps = store.get_epistemic_gaps(ids["goal"])
    assert [gap.gap_type for gap in gaps] == [GapType.PHANTOM_CITATION, GapType.CONTRADICTED]
    assert gaps[0].gap_bits == 10.0
    before = store.get(ids["goal"])
    store.get_epistemic_gaps(ids["goal"])
    assert store.get(ids["goal"]) == before  # what is verified is not verified again


def test_the_report_counts_what_holds_and_what_is_not_verified(store):
    ids = climb(store)
    unverified = store.get_verification_report(ids["goal"], verify=False)
    assert (unverified.total_claims, unverified.left_out, unverified.overall_confidence) == (3, 3, None)
    report = store.get_verification_report(ids["goal"])
    assert (report.total_claims, report.verified_claims, report.flagged_claims, report.left_out) == (3, 1, 2, 0)
    assert "8,849" in report.retry_guidance


def test_a_trace_survives_storing_json_and_storing_again(store):
    ids = climb(store)
    store.get_verification_report(ids["goal"])
    trace = store.get(ids["wrong"])
    again = Trace.from_dict(json.loads(json.dumps(trace.to_dict())))
    assert again == trace
    assert store.delete(ids["goal"])
    assert store.traces() == []
    assert store.save(again) == ids["goal"]
    assert store.get(ids["goal"]) == trace
    assert store.save(again) == ids["goal"]  # in place of itself
    assert [(one.id, one.nodes, one.claims) for one in store.traces()] == [(ids["goal"], len(trace.nodes), 3)]


def test_workspaces_do_not_see_each_other(store):
    ids = climb(store)
    with TraceStore(store.place, workspace="other") as other:
        assert other.traces() == []
        with pytest.raises(UsageError, match="there is no step"):
            other.get(ids["goal"])


def test_a_store_is_opened_again_with_what_was_in_it(store):
    ids = climb(store)
    with TraceStore(store.place) as again:
        assert again.get(ids["goal"]) == store.get(ids["goal"])


def test_a_document_of_the_memory_can_be_cited(tmp_path):
    with Memory(tmp_path / "memory", embedder="static") as memory:
        memory.add([Document("guide", "Mount Everest is 8,849 m high.")])
        with TraceStore(tmp_path / "t.db", checker=Checker(judge="lexical"), memory=memory) as store:
            goal = store.add_goal("How high?")
            claim = store.add_claim(goal, "Mount Everest is 8,849 m high.", ["guide"])
            assert not store.verify_claim(claim).is_flagged


def test_bad_steps_are_refused_by_name(local):
    ids = climb(local)
    with pytest.raises(UsageError, match="no step of kind 'thought'"):
        local.add("thought", "x", ids["goal"])
    with pytest.raises(UsageError, match="needs a parent"):
        local.add("decision", "x")
    with pytest.raises(UsageError, match="there is no step 'gone'"):
        local.add("decision", "x", "gone")
    with pytest.raises(UsageError, match="needs a text"):
        local.add_goal(" ")
    with pytest.raises(UsageError, match="between 0 and 1"):
        local.add_claim(ids["decision"], "It is so.", [], 3)
    with pytest.raises(UsageError, match="not a claim"):
        local.verify_claim(ids["decision"])
    with pytest.raises(UsageError, match="already is a step"):
        local.add_goal("Again", id=ids["goal"])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "nodes"),
        ({"nodes": [{"id": "a"}]}, "node 1"),
        ({"nodes": [{"id": "a", "kind": "thought", "text": "x"}]}, "is a 'thought'"),
        ({"nodes": []}, "one goal"),
        ({"nodes": [{"id": "a", "kind": "goal", "text": "x"}, {"id": "b", "kind": "action", "text": "y"}]}, "nothing"),
        (
            {
                "nodes": [
                    {"id": "a", "kind": "goal", "text": "x"},
                    {"id": "a", "kind": "action", "text": "y", "parent": "a"},
                ]
            },
            "have the id 'a'",
        ),
        ({"nodes": [{"id": "a", "kind": "goal", "text": "x"}], "edges": [{"source": "a"}]}, "edge 1"),
        (
            {
                "nodes": [{"id": "a", "kind": "goal", "text": "x"}],
                "edges": [{"source": "b", "target": "a", "kind": "verifies"}],
            },
            "names 'b'",
        ),
    ],
)
def test_a_broken_trace_says_what_is_broken(data, said):
    with pytest.raises(UsageError, match=said):
        Trace.from_dict(data)


def test_parents_in_a_ring_are_refused():
    goal = Node("g", NodeKind.GOAL, "x")
    ring = [Node("a", NodeKind.ACTION, "a", "b"), Node("b", NodeKind.ACTION, "b", "a")]
    with pytest.raises(UsageError, match="ring"):
        Trace((goal, *ring))


# OpenTelemetry


@pytest.fixture
def telemetry():
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    return provider.get_tracer("test"), kept


@pytest.mark.parametrize("as_json", [False, True])
def test_a_trace_comes_back_from_its_spans_as_it_was(local, telemetry, as_json):
    tracer, kept = telemetry
    ids = climb(local)
    local.get_verification_report(ids["goal"])
    trace = local.get(ids["goal"])
    assert export_spans(trace, tracer) == len(trace.nodes)
    spans = kept.get_finished_spans()
    assert {span.attributes.get("gen_ai.operation.name") for span in spans} == {
        "invoke_agent",
        "chat",
        "execute_tool",
        None,
    }
    (back,) = import_spans([span.to_json() for span in spans] if as_json else spans)
    assert back.nodes == trace.nodes
    assert sorted(back.edges) == sorted(trace.edges)


def test_spans_of_another_program_become_steps(telemetry, local):
    tracer, kept = telemetry
    with tracer.start_as_current_span("invoke_agent guide", attributes={"gen_ai.operation.name": "invoke_agent"}):
        messages = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "I will look it up."}]}])
        chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.output.messages": messages}
        with tracer.start_as_current_span("chat m", attributes=chat):
            pass
        tool = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search",
            "gen_ai.tool.call.result": "Mount Everest is 8,849 m high.",
        }
        with tracer.start_as_current_span("execute_tool search", attributes=tool):
            pass
    (trace,) = import_spans(kept.get_finished_spans())
    kinds = sorted(node.kind.value for node in trace.nodes)
    assert kinds == ["action", "decision", "goal", "observation", "outcome"]
    assert "I will look it up." in {node.text for node in trace.nodes}
    goal = local.save(trace)
    claim = local.add_claim(goal, "Mount Everest is 8,849 m high.")
    assert not local.verify_claim(claim).is_flagged


def test_an_imported_answer_that_contradicts_its_tool_result_shows_a_gap(telemetry, local):
    tracer, kept = telemetry

    def said(text):
        return json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": text}]}])

    answer = said("Mount Everest is 8,489 m high.")
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.output.messages": answer}
    with tracer.start_as_current_span("invoke_agent guide", attributes=agent):
        tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": "Mount Everest is 8,849 m high."}
        with tracer.start_as_current_span("execute_tool search", attributes=tool):
            pass
        chat = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": answer}
        with tracer.start_as_current_span("chat m", attributes=chat):
            pass
    (trace,) = import_spans(kept.get_finished_spans())
    claims = trace.claims()
    assert [claim.text for claim in claims] == ["Mount Everest is 8,489 m high."] * 2
    result = next(node.id for node in trace.nodes if node.kind is NodeKind.OBSERVATION)
    assert all(trace.cites(claim.id) == [result] for claim in claims)
    gaps = local.get_epistemic_gaps(local.save(trace))
    assert {gap.gap_type for gap in gaps} == {GapType.CONTRADICTED}


def test_a_phantom_is_verified_again_when_its_evidence_arrives(local):
    goal = local.add_goal("How high is Everest?")
    claim = local.add_claim(goal, "Mount Everest is 8,849 m high.", ["seen-1"])
    assert local.get_epistemic_gaps(goal)[0].gap_type is GapType.PHANTOM_CITATION
    before = len(local.get(goal).nodes)
    local.get_epistemic_gaps(goal)
    assert len(local.get(goal).nodes) == before  # nothing changed: nothing is verified again
    local.add("observation", "Mount Everest is 8,849 m high.", goal, id="seen-1")
    assert local.get_epistemic_gaps(goal) == []
    assert not local.get(goal).verification(claim).is_flagged


def test_a_claim_that_does_not_say_how_sure_it_is_is_taken_at_a_half(local):
    goal = local.add_goal("How high is Everest?")
    claim = local.add_claim(goal, "Mount Everest is 8,849 m high.")
    assert local.get(goal).node(claim).data["confidence"] == 0.5


def test_the_verification_model_judges_the_claims(tmp_path):
    said = {
        "level": "CONTRADICTED",
        "inferred": False,
        "source": "E1",
        "quote": "Mount Everest is 8,849 m high.",
        "reason": "",
    }
    script = tmp_path / "script.json"
    script.write_text(json.dumps([json.dumps(said)] * 4), encoding="utf-8")
    with TraceStore(tmp_path / "t", verification_model=f"scripted:{script}") as store:
        goal = store.add_goal("How high?")
        store.add("observation", "Mount Everest is 8,849 m high.", goal)
        store.add_claim(goal, "Mount Everest is 8,849 m high.")
        report = store.get_verification_report(goal)
        assert report.claims[0].verdict is Verdict.REFUTED
        assert (report.response_id, report.model.split()[0]) == (goal, "model:scripted")
        again = store.get_verification_report(goal, verification_model="lexical")
        assert again.claims[0].verdict is Verdict.SUPPORTED
        assert again.model.startswith("lexical")


def test_the_claims_of_a_trace_are_verified_at_the_same_time(tmp_path):
    class Counting:
        name, most, now = "counting", 0, 0

        def judge(self, claims, passages, question=None):
            Counting.now += 1
            Counting.most = max(Counting.most, Counting.now)
            sleep(0.05)
            Counting.now -= 1
            return [Judgement(Verdict.INSUFFICIENT, 0.9, "counting") for _ in claims]

    checker = Checker(judge=Counting(), cache=Cache())
    with TraceStore(tmp_path / "t", checker=checker) as store:
        goal = store.add_goal("Towns?")
        store.add("observation", "Towns lie by rivers.", goal)
        for number in range(2, 6):
            store.add_claim(goal, f"Town {number} has {number * 1000} inhabitants.")
        assert len(store.get_verification_report(goal).claims) == 4
    assert Counting.most > 1


def test_a_span_without_an_id_is_refused():
    with pytest.raises(UsageError, match="span_id"):
        import_spans([{"name": "x"}])
