import json

import pytest

from assay.errors import UsageError
from assay.server.settings import Settings
from tests.server.conftest import ANSWER, SOURCE
from tests.server.test_stream import events


def fill(client):
    client.post("/v1/documents", json={"documents": [{"id": "everest", "title": "Mount Everest", "text": SOURCE}]})


def test_a_question_is_answered_from_the_documents_with_proof(client):
    fill(client)
    got = client.post("/v1/ask", json={"question": "How high is Mount Everest?"}).json()
    assert "8,849" in got["answer"]
    assert got["abstention"] is None
    assert got["report"]["verdict"] == "SUPPORTED"
    assert client.get(f"/v1/audits/{got['run_id']}").status_code == 200


def test_a_question_without_evidence_gets_an_abstention(client):
    got = client.post("/v1/ask", json={"question": "How high is Mount Everest?"}).json()
    assert got["answer"] is None
    assert got["abstention"]["text"].startswith("I cannot provide a verified answer")


def test_refusals_are_runs_of_the_ledger_with_their_reason(client):
    asked = client.post("/v1/ask", json={"question": "How high is Mount Everest?", "session": "s1"}).json()
    assert asked["report"]["action"] == "ABSTAIN"
    chat = {"messages": [{"role": "user", "content": "How high is Mount Everest?"}], "session": "s2"}
    talked = client.post("/v1/chat", json=chat).json()
    verified = client.post("/v1/verify", json={"answer": ANSWER, "sources": [SOURCE], "session": "s3"}).json()
    listed = client.get("/v1/audits", params={"abstained": True}).json()["audits"]
    assert [(run["id"], run["session"]) for run in listed] == [(talked["run_id"], "s2"), (asked["run_id"], "s1")]
    assert all("no relevant information" in run["abstained"] for run in listed)
    assert client.get(f"/v1/audits/{verified['run_id']}").json()["session"] == "s3"


def test_branches_can_be_given(client):
    body = {"answer": "Mount Everest is 8,489 m high.", "sources": [SOURCE]}
    found = [client.post("/v1/verify", json=body | {"branches": n}).json()["action"] for n in (0, 3)]
    assert found == ["BRANCH", "ABSTAIN"]


def test_a_chat_carries_the_verification_block(client):
    fill(client)
    messages = [{"role": "user", "content": "How high is Mount Everest?"}]
    got = client.post("/v1/chat", json={"messages": messages}).json()
    block = got["verification"]
    assert block["is_grounded"]
    assert block["claims_checked"] == block["claims_supported"] >= 1
    assert set(block) >= {"confidence", "crag_attempts"}
    bare = client.post("/v1/chat", json={"messages": messages, "verification": False}).json()
    assert bare["verification"] is None
    assert client.post("/v1/chat", json={"messages": [{"role": "assistant", "content": "x"}]}).status_code == 422


def test_a_repair_changes_what_the_sources_refute_and_nothing_else(client):
    got = client.post("/v1/repair", json={"answer": ANSWER, "sources": [SOURCE]}).json()
    assert got["answer"] == ANSWER.replace("8,489", "8,849")
    assert got["edits"][0]["old"] != got["edits"][0]["new"]
    assert got["report"]["verdict"] == "SUPPORTED"


def test_a_repair_that_leaves_a_caveat_or_gives_up_is_recorded(client):
    body = {"answer": "Mount Everest was painted green by Otto Varga.", "sources": [SOURCE]}
    got = client.post("/v1/repair", json=body).json()
    assert "not confirmed" in got["answer"]
    assert client.get(f"/v1/audits/{got['run_id']}").status_code == 200


def test_what_is_answered_here_is_judged_once_recorded_with_its_user_and_can_be_replayed(client, runs):
    fill(client)
    messages = [{"role": "user", "content": "How high is Mount Everest?"}]
    for path, body, mode in (
        ("/v1/ask", {"question": "How high is Mount Everest?"}, "ask"),
        ("/v1/chat", {"messages": messages}, "chat"),
        ("/v1/repair", {"answer": ANSWER, "sources": [SOURCE]}, "repair"),
    ):
        runs.clear()
        got = client.post(path, json=body).json()
        assert [run.report.answer for run in runs].count(got["answer"]) == 1, path
        recorded = client.get(f"/v1/audits/{got['run_id']}").json()
        assert (recorded["mode"], recorded["user"]) == (mode, "local")
        assert recorded["report"]["claims"] == got["report"]["claims"]
        assert client.post(f"/v1/audits/{got['run_id']}/replay").json()["identical"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/ask", {"question": "How high is Mount Everest?"}),
        ("/v1/chat", {"messages": [{"role": "user", "content": "How high is Mount Everest?"}]}),
        ("/v1/repair", {"answer": "Mount Everest is the flattest hill of Belgium.", "sources": [SOURCE]}),
    ],
)
def test_what_a_model_was_asked_for_is_in_the_record(serve, tmp_path, path, body):
    client = serve(models={"writer": script(tmp_path, *["Mount Everest is 8,849 m high. [E1]"] * 9)})
    fill(client)
    got = client.post(path, json=body | {"model": "writer"}).json()
    spent = client.get(f"/v1/audits/{got['run_id']}").json()["spent"]
    assert spent["model_calls"] >= 1
    assert spent["prompt_tokens"] > 0
    assert spent["completion_tokens"] > 0


def test_an_answer_leaves_no_record_where_none_is_wanted(client):
    fill(client)
    got = client.post("/v1/ask", json={"question": "How high is Mount Everest?", "record": False}).json()
    assert got["run_id"] is None
    assert client.get("/v1/audits").json()["total"] == 0


def test_a_question_is_answered_as_a_stream(client):
    fill(client)
    told = events(client.post("/v1/stream", json={"question": "How high is Mount Everest?"}))
    assert "8,849" in "".join(data["text"] for kind, data in told if kind == "token")
    assert told[-1][1]["report"]["verdict"] == "SUPPORTED"
    nothing = events(client.post("/v1/stream", json={"question": "?", "sources": ["x"]}))
    assert nothing[-1][0] in ("done", "error")


def test_only_models_the_settings_name_can_be_asked(client):
    for spec in ("openai:gpt@http://169.254.169.254/", "local:/etc/passwd", "scripted:/etc/passwd", "nobody"):
        got = client.post("/v1/ask", json={"question": "Why?", "model": spec})
        assert (got.status_code, got.json()["type"]) == (422, "urn:assay:problem:usage")


def test_epistemic_checks_answer_in_their_own_words(client):
    claim = {"claim": "Mount Everest is 8,489 m high.", "evidence": [SOURCE]}
    assert client.post("/v1/epistemic/verify_claim", json=claim).json()["gap_type"] == "contradicted"
    steps = {"steps": [{"claim": "It is high.", "cites": ["atlas"]}], "sources": [{"id": "guide", "text": SOURCE}]}
    got = client.post("/v1/epistemic/audit_reasoning", json=steps).json()
    assert (got["steps"][0]["gap_type"], got["flagged"]) == ("phantom_citation", 1)
    response = {"response": ANSWER * 3, "context": [SOURCE]}
    assert client.post("/v1/epistemic/detect_hallucinations", json=response).json()["flagged_claims"] >= 1
    depends = {"answer": ANSWER, "evidence": [SOURCE], "question": "How high is Everest?"}
    assert 0 <= client.post("/v1/epistemic/evidence_dependence", json=depends).json()["evidence_dependence"] <= 1


def test_a_trace_is_kept_its_gaps_are_found_and_it_is_taken_out(client):
    body = client.get("/v1/openapi.json").json()["components"]["schemas"]["TraceIn"]["examples"][0]
    made = client.post("/v1/traces", json=body)
    assert (made.status_code, made.json()) == (201, {"id": "goal-1"})
    assert client.get("/v1/traces").json()["traces"][0]["claims"] == 1
    assert client.get("/v1/traces/goal-1").json()["report"]["left_out"] == 1
    gaps = client.get("/v1/traces/goal-1/gaps").json()["gaps"]
    assert [gap["gap_type"] for gap in gaps] == ["contradicted"]
    kinds = {node["kind"] for node in client.get("/v1/traces/goal-1").json()["nodes"]}
    assert "verification" in kinds
    assert client.delete("/v1/traces/goal-1").status_code == 200
    assert client.get("/v1/traces/goal-1").status_code == client.get("/v1/traces/goal-1/gaps").status_code == 404


def test_a_verification_cannot_be_brought_along(client):
    nodes = [{"id": "g", "kind": "goal", "text": "x"}, {"id": "v", "kind": "verification", "text": "x", "parent": "g"}]
    assert client.post("/v1/traces", json={"nodes": nodes}).status_code == 422
    ring = [{"id": "a", "kind": "claim", "text": "x", "parent": "b"}, {"id": "b", "kind": "claim", "text": "x"}]
    assert client.post("/v1/traces", json={"nodes": ring}).status_code == 422


SUMMIT = "The summit lies on the border between Nepal and the Tibet region of China."
LONG = f"Mount Everest is 8,489 m high. {SUMMIT}"
RIGHT = LONG.replace("8,489", "8,849")
DETECT = "/v1/epistemic/detect_hallucinations"


def script(tmp_path, *replies):
    file = tmp_path / f"script-{len(list(tmp_path.glob('script-*')))}.json"
    file.write_text(json.dumps(list(replies)), encoding="utf-8")
    return f"scripted:{file}"


def test_every_epistemic_setting_can_be_given_with_a_request_or_in_the_settings(serve, tmp_path):
    client = serve(models={"writer": script(tmp_path, RIGHT)})
    body = {"response": LONG, "context": [SOURCE, SUMMIT], "response_id": "r-1"}
    flagged = client.post(DETECT, json=body).json()
    assert (flagged["response_id"], flagged["outcome"]) == ("r-1", "flagged")
    assert "8,489 m high. [contradicted: " in flagged["answer"]
    asked = client.post(DETECT, json=body | {"epistemic": {"on_failure": "ask"}}).json()
    assert "8,489" in asked["question"]
    again = client.post(DETECT, json=body | {"epistemic": {"on_failure": "retry"}, "model": "writer"}).json()
    assert (again["outcome"], again["answer"], again["retries"]) == ("passed", RIGHT, 1)
    off = client.post(DETECT, json=body | {"epistemic": {"enabled": False}}).json()
    assert "disabled" in off["skipped"]
    for wrong in ({"mode": "some"}, {"modus": "full"}, {"verification_model": "openai:x"}, {"max_retries": 99}):
        assert client.post(DETECT, json=body | {"epistemic": wrong}).status_code == 422
    quiet = serve(epistemic={"enabled": False})
    assert "disabled" in quiet.post(DETECT, json=body).json()["skipped"]
    with pytest.raises(UsageError, match="modus"):
        Settings(epistemic={"modus": "full"})


def test_verification_options_can_be_given_with_a_request_or_in_the_settings(serve, tmp_path):
    wrong = "Mount Everest is 8,489 m high. [E1]"
    client = serve(models={"m": script(tmp_path, *[wrong] * 9)}, verification={"correction": False})
    fill(client)
    body = {"messages": [{"role": "user", "content": "How high is Mount Everest?"}]}
    got = client.post("/v1/chat", json=body).json()
    assert (got["content"], got["workspace"], got["model"]) == (got["answer"], "default", "scripted")
    assert got["verification"]["crag_attempts"] == 0
    assert got["verification"]["suggested_corrections"][0]["corrected"] == "Mount Everest is 8,849 m high."
    bare = client.post("/v1/chat", json=body | {"verification": {"show_claims": False, "model": "lexical"}}).json()
    assert "claims" not in bare["verification"]
    assert bare["run_id"]
    tried = client.post("/v1/chat", json=body | {"verification": {"correction": True, "attempts": 1}}).json()
    assert tried["verification"]["crag_attempts"] == 1
    assert client.post("/v1/chat", json=body | {"verification": {"enabled": False}}).json()["verification"] is None
    assert client.post("/v1/chat", json=body | {"verification": {"model": "openai:x"}}).status_code == 422
    assert client.post("/v1/chat", json=body | {"verification": {"threshold": 7}}).status_code == 422
    checked = client.post("/v1/chat", json=body | {"epistemic": {"on_failure": "ask"}}).json()
    assert checked["epistemic"]["outcome"] in ("ask", "skipped")


def test_corrections_are_counted_as_triggered_and_as_improved(serve, tmp_path):
    wrong, right = "Mount Everest is 8,489 m high. [E1]", "Mount Everest is 8,849 m high. [E1]"
    client = serve(models={"m": script(tmp_path, right, wrong, right, wrong, wrong, wrong)})
    fill(client)
    body = {"messages": [{"role": "user", "content": "How high is Mount Everest?"}]}
    for _ in range(3):
        client.post("/v1/chat", json=body)
    text = client.get("/metrics").text
    assert "assay_corrections_triggered_total 2.0" in text
    assert "assay_corrections_improved_total 1.0" in text


def test_a_trace_is_verified_by_the_model_that_is_named(serve, tmp_path):
    quote = "Mount Everest is 8,849 m high."
    said = {"level": "CONTRADICTED", "inferred": False, "source": "E1", "quote": quote, "reason": "told so"}
    client = serve(models={"m": script(tmp_path, *[json.dumps(said)] * 4)})
    nodes = [
        {"id": "goal-1", "kind": "goal", "text": "How high is Everest?"},
        {"id": "seen-1", "kind": "observation", "text": SOURCE, "parent": "goal-1"},
        {"id": "claim-1", "kind": "claim", "text": "Mount Everest is 8,849 m high.", "parent": "goal-1"},
    ]
    client.post("/v1/traces", json={"nodes": nodes})
    assert client.get("/v1/traces/goal-1/gaps").json()["gaps"] == []
    by_model = client.get("/v1/traces/goal-1/gaps", params={"verification_model": "m"}).json()
    assert by_model["gaps"][0]["gap_type"] == "contradicted"
    assert client.get("/v1/traces/goal-1/gaps", params={"verification_model": "openai:x"}).status_code == 422
