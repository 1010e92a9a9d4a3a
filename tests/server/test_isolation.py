"""One workspace's key never sees what belongs to another."""

import itertools

import pytest

from tests.server.conftest import ANSWER, SOURCE

SECRET = "The secret peak is 7,777 m high and only team A knows of it."


@pytest.fixture
def filled(teams):
    """Team A's documents, runs, marks and evaluations; team B has none."""
    client, headers = teams
    a = headers["a-writer"]
    client.post("/v1/documents", json={"documents": [{"id": "secret", "text": SECRET}]}, headers=a)
    run = client.post("/v1/verify", json={"answer": SECRET, "use_memory": True}, headers=a).json()["run_id"]
    client.post("/v1/feedback", json={"run_id": run, "claim": 0, "right": True, "note": "secret"}, headers=a)
    rows = [{"evidence": SECRET, "claim": SECRET, "label": "SUPPORTED"}]
    judged = client.post("/v1/eval", json={"rows": rows, "judge": "lexical", "name": "secret"}, headers=a).json()["id"]
    trace = client.get("/v1/openapi.json").json()["components"]["schemas"]["TraceIn"]["examples"][0]
    trace["nodes"][0]["text"] = "What is secret?"
    client.post("/v1/traces", json=trace, headers=a)
    return client, headers, run, judged


def test_nothing_of_another_workspace_is_listed_found_or_counted(filled):
    client, headers, _, _ = filled
    b = headers["b-admin"]
    for path in ("documents", "audits", "audits/log", "audits/stale", "feedback", "eval", "traces"):
        got = client.get(f"/v1/{path}", headers=b)
        assert got.status_code == 200, path
        text = got.text
        assert "secret" not in text.lower().replace("7,777", "secret"), path
    assert client.get("/v1/memory/map", headers=b).json()["total"] == 0
    assert client.get("/v1/audits/chain", headers=b).json()["records"] == 0
    assert client.post("/v1/retrieve", json={"query": "secret peak"}, headers=b).json()["passages"] == []
    found = client.post("/v1/verify", json={"answer": SECRET, "use_memory": True}, headers=b).json()
    assert (found["verdict"], found["documents"]) == ("INSUFFICIENT", [])


def test_a_known_id_opens_nothing_elsewhere_and_looks_like_one_that_is_not_there(filled):
    client, headers, run, judged = filled
    b = headers["b-admin"]
    number = run.split("-")[0]
    paths = [
        ("get", "/v1/documents/{}", "secret", "nothing"),
        ("delete", "/v1/documents/{}", "secret", "nothing"),
        ("get", "/v1/audits/{}", run, "9-00000000"),
        ("get", "/v1/audits/{}", number, "9"),
        ("get", "/v1/audits/{}/export", run, "9-00000000"),
        ("post", "/v1/audits/{}/replay", run, "9-00000000"),
        ("get", "/v1/eval/{}", judged, "0000000000000000"),
        ("get", "/v1/traces/{}", "goal-1", "goal-2"),
        ("get", "/v1/traces/{}/gaps", "goal-1", "goal-2"),
        ("delete", "/v1/traces/{}", "goal-1", "goal-2"),
    ]
    for method, path, theirs, nobodys in paths:
        got, none = (getattr(client, method)(path.format(name), headers=b) for name in (theirs, nobodys))
        assert got.status_code == none.status_code == 404, path
        assert got.json()["detail"].replace(theirs, "X") == none.json()["detail"].replace(nobodys, "X")
    mark = {"run_id": run, "claim": 0, "right": False}
    assert client.post("/v1/feedback", json=mark, headers=b).status_code == 404
    assert client.get("/v1/documents/secret", headers=headers["a-reader"]).json()["text"] == SECRET


def test_engines_judges_aside_nothing_that_remembers_is_shared(filled):
    client, _, _, _ = filled
    house = client.app.state.assay.workspaces
    for make in (
        house.memory,
        house.ledger,
        house.engine,
        house.traces,
        house.evaluations,
        house.monitor,
    ):
        assert make("team-a") is make("team-a")
        assert make("team-a") is not make("team-b")


def test_the_same_id_in_two_workspaces_is_two_documents(teams):
    client, headers = teams
    for name, text in (("a-writer", "The peak is 1,000 m high."), ("b-admin", "The peak is 2,000 m high.")):
        client.post("/v1/documents", json={"documents": [{"id": "peak", "text": text}]}, headers=headers[name])
    assert "1,000" in client.get("/v1/documents/peak", headers=headers["a-reader"]).json()["text"]
    assert "2,000" in client.get("/v1/documents/peak", headers=headers["b-admin"]).json()["text"]
    client.delete("/v1/documents/peak", headers=headers["b-admin"])
    assert client.get("/v1/documents/peak", headers=headers["a-reader"]).status_code == 200


def test_every_route_of_a_workspace_wants_a_key(teams):
    client, _ = teams
    document = client.get("/v1/openapi.json").json()
    for path, methods in document["paths"].items():
        for method in methods:
            got = client.request(method, path.replace("{", "").replace("}", ""), json={})
            if path in ("/v1/health", "/v1/ready"):
                assert got.status_code in (200, 503)
            else:
                assert got.status_code == 401, (method, path)
                assert got.headers["www-authenticate"] == "Bearer"


def test_keys_are_taken_from_either_header_and_nearly_right_ones_are_not(teams):
    client, headers = teams
    plain = headers["a-reader"]["Authorization"].removeprefix("Bearer ")
    assert client.get("/v1/documents", headers={"X-API-Key": plain}).status_code == 200
    assert client.get("/v1/documents", headers={"Authorization": f"bearer {plain}"}).status_code == 200
    for wrong in (plain[:-1], plain + "x", plain.upper(), "", "x", "Bearer"):
        assert client.get("/v1/documents", headers={"X-API-Key": wrong}).status_code == 401
    assert client.get("/v1/documents", headers={"Authorization": f"Basic {plain}"}).status_code == 401
    assert client.get("/v1/documents", params={"key": plain}).status_code == 401


def test_roles_rise_from_looking_to_changing_to_seeing_all(teams):
    client, headers = teams
    add = {"documents": [{"id": "d", "text": SOURCE}]}
    attempts = {
        "look": lambda h: client.get("/v1/documents", headers=h),
        "check": lambda h: client.post("/v1/verify", json={"answer": ANSWER}, headers=h),
        "change": lambda h: client.post("/v1/documents", json=add, headers=h),
        "purge": lambda h: client.post("/v1/audits/purge", headers=h),
        "metrics": lambda h: client.get("/metrics", headers=h),
    }
    allowed = {
        name: {what for what, ask in attempts.items() if ask(given).status_code < 400}
        for name, given in headers.items()
    }
    assert allowed == {
        "a-reader": {"look", "check"},
        "a-writer": {"look", "check", "change"},
        "b-admin": set(attempts),
    }


def test_without_keys_only_this_machine_and_no_foreign_page_gets_in(client):
    assert client.get("/v1/documents").status_code == 200
    assert client.get("/v1/documents", headers={"Origin": "http://localhost"}).status_code == 200
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
        assert client.get("/v1/documents", headers=headers).status_code == 403, headers
    from starlette.testclient import TestClient

    far = TestClient(client.app, base_url="http://localhost", client=("203.0.113.9", 1))
    assert far.get("/v1/documents").status_code == 403
    assert far.get("/v1/health").status_code == 403


def test_no_secret_text_is_in_the_log_or_the_metrics(filled, caplog):
    client, headers, _, _ = filled
    with caplog.at_level("DEBUG"):
        client.post("/v1/verify", json={"answer": SECRET}, headers=headers["a-writer"])
        client.get("/v1/documents/secret", headers=headers["a-writer"])
    told = "".join(map(str, itertools.chain.from_iterable(record.__dict__.items() for record in caplog.records)))
    key = headers["a-writer"]["Authorization"].removeprefix("Bearer ")
    metrics = client.get("/metrics", headers=headers["b-admin"]).text
    for private in (SECRET, "7,777", key):
        assert private not in told
        assert private not in metrics
    assert "team-a" not in metrics
