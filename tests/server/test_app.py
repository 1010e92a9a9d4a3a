"""The app as a whole: the page, the log, the metrics, starting and stopping; and the commands that start it."""

import asyncio
import json
import logging
import time
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.engine import Engine, Request
from assay.errors import UsageError
from assay.judges import make_judge
from assay.ledger import Ledger
from assay.server import app as server_app
from assay.server.keys import ApiKey
from assay.server.settings import Settings
from assay.server.state import AppState
from assay.server.telemetry import JsonFormatter
from assay.server.workspaces import WorkspaceRegistry
from assay.types import Evidence, Judgement, Stance, Support, Verdict
from tests.server.conftest import ANSWER, SOURCE


def command(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_the_page_is_at_the_root_and_needs_no_key(teams):
    client, _ = teams
    got = client.get("/")
    assert got.status_code == 200
    assert got.headers["content-type"].startswith("text/html")
    assert got.headers["x-frame-options"] == "DENY"


def test_a_request_keeps_its_id_from_end_to_end(client, caplog):
    with caplog.at_level(logging.INFO, "assay.server"):
        got = client.get("/v1/health", headers={"X-Request-ID": "from-the-caller"})
    assert got.headers["x-request-id"] == "from-the-caller"
    record = next(record for record in caplog.records if record.name == "assay.server")
    line = json.loads(JsonFormatter().format(record))
    assert (line["request_id"], line["route"], line["status"]) == ("from-the-caller", "/v1/health", 200)
    forged = client.get("/v1/health", headers={"X-Request-ID": "a b\tc"}).headers["x-request-id"]
    assert forged != "a b\tc"


def test_what_was_judged_is_counted(client):
    client.post("/v1/verify", json={"answer": ANSWER, "sources": [SOURCE]})
    client.get("/v1/nowhere")
    text = client.get("/metrics").text
    assert 'assay_claims_total{verdict="REFUTED"} 1.0' in text
    assert 'assay_requests_total{method="POST",route="/v1/verify",status="200"} 1.0' in text
    assert "/v1/nowhere" not in text  # what callers make up must not become a label


def test_ready_means_the_models_are_loaded_and_it_is_not_closing(serve):
    client = serve(warm=True)
    for _ in range(200):
        if client.get("/v1/ready").status_code == 200:
            break
    assert client.get("/v1/ready").json()["slots"] == 2
    client.app.state.assay.pool.close()
    assert client.get("/v1/ready").status_code == 503
    assert client.post("/v1/verify", json={"answer": ANSWER}).status_code == 503
    assert client.get("/v1/health").status_code == 200


WATCHED = {"monitor_window": 3, "verification_timeout_ms": 1e6}


def say_yes(client):
    """The workspace's judge now supports whatever it is shown."""

    class Yes:
        name = "yes"

        def judge(self, claims, passages, question=None):
            cited = [Evidence.cite(p[0].document, p[0].start, p[0].end, stance=Stance.SUPPORTS) for p in passages]
            return [Judgement(Verdict.SUPPORTED, 0.9, "yes", Support.FULL, evidence=(item,)) for item in cited]

    house = client.app.state.assay.workspaces
    make = house.engine

    def engine(*given, **more):
        made = make(*given, **more)
        made.judged_by = make_judge(Yes())
        return made

    house.engine = engine


def ask_about_peaks(client, numbers, **headers):
    for number in numbers:
        text = f"Peak {number} is 8,849 m high."
        yield client.post("/v1/verify", json={"answer": text, "sources": [text]}, headers=headers).json()


def test_the_verifier_is_watched_and_a_fallback_is_seen_everywhere(serve):
    client = serve(monitor=True, policy=WATCHED)
    say_yes(client)
    assert [report["verdict"] for report in ask_about_peaks(client, range(3))] == ["SUPPORTED"] * 3
    assert client.get("/v1/monitor").json()["suspect"]
    (report,) = ask_about_peaks(client, [4])
    assert report["verdict"] != "SUPPORTED"
    assert "degenerate_verifier" in {flag["kind"] for flag in report["risk_flags"]}
    assert client.get("/v1/monitor").json()["degenerate"]
    assert 'assay_risk_flags_total{kind="degenerate_verifier"} 1.0' in client.get("/metrics").text
    assert client.post("/v1/monitor/reset").json()["outputs"] == 0
    (report,) = ask_about_peaks(client, [5])
    assert report["verdict"] == "SUPPORTED"


def test_a_reader_cannot_switch_the_verifier_off_with_true_answers(serve):
    plain, key = ApiKey.make("reader", role="reader")
    client = serve(monitor=True, policy=WATCHED, keys=(key,))
    headers = {"Authorization": f"Bearer {plain}"}
    found = [report["verdict"] for report in ask_about_peaks(client, range(12), **headers)]
    assert found == ["SUPPORTED"] * 12
    shown = client.get("/v1/monitor", headers=headers).json()
    assert (shown["degenerate"], shown["counts"]["probe_passed"] > 1) == (False, True)
    assert client.post("/v1/monitor/reset", headers=headers).status_code == 403


def test_one_key_cannot_switch_the_verifier_off_for_another(serve):
    made = {name: ApiKey.make(name, workspace="team", role=role) for name, role in
            (("reader", "reader"), ("other", "reader"), ("boss", "admin"))}  # fmt: skip
    policy = {"monitor_window": 3, "verification_timeout_ms": 1e6}
    client = serve(monitor=True, policy=policy, keys=[key for _, key in made.values()])

    def ask(name, answer):
        headers = {"Authorization": f"Bearer {made[name][0]}"}
        return client.post("/v1/verify", json={"answer": answer, "sources": [SOURCE]}, headers=headers).json()

    def standing(name, verb="get", path="/v1/monitor"):
        return getattr(client, verb)(path, headers={"Authorization": f"Bearer {made[name][0]}"}).json()

    for number in range(5):
        ask("reader", f"Mount Everest is 8,849 m high, {number} people say.")
    assert standing("reader")["outputs"] > 0
    assert standing("other")["outputs"] == 0  # what one key asks is not counted for another
    assert ask("other", ANSWER)["claims"][0]["verdict"] == "REFUTED"
    assert standing("boss", "post", "/v1/monitor/reset")["outputs"] == 0
    assert standing("reader")["outputs"] == 0


def test_an_edge_of_a_trace_given_twice_is_one_edge(client):
    nodes = [
        {"id": "g", "kind": "goal", "text": "How high is it?"},
        {"id": "c", "kind": "claim", "text": "It is high.", "parent": "g"},
    ]
    edge = {"source": "c", "target": "a", "kind": "cites"}
    assert client.post("/v1/traces", json={"nodes": nodes, "edges": [edge, edge, edge]}).status_code == 201
    assert client.get("/v1/traces/g").json()["edges"] == [edge]


def test_a_failure_nobody_meant_says_nothing_of_its_inside(client, monkeypatch, caplog):
    def fail(*_, **__):
        raise RuntimeError("the password is hunter2")

    monkeypatch.setattr(client.app.state.assay.workspaces, "engine", fail)
    got = client.post("/v1/verify", json={"answer": ANSWER})
    assert got.status_code == 500
    assert "hunter2" not in got.text
    assert got.json()["request_id"] == got.headers["x-request-id"]
    assert "hunter2" in caplog.text


def test_a_new_key_is_shown_once_and_only_its_hash_goes_into_the_settings(tmp_path):
    made = command("keys", "new", "ci", "--workspace", "team-a", "--role", "reader")
    assert made.exit_code == 0
    plain = made.stderr.rpartition(": ")[2].strip()
    assert plain.startswith("assay_")
    assert plain not in made.stdout
    file = tmp_path / "assay.toml"
    file.write_text(made.stdout)
    from assay.server.keys import KeyRing

    key = KeyRing(Settings.load(file, env={}).keys).find(plain)
    assert (key.name, key.workspace, key.role) == ("ci", "team-a", "reader")


def test_a_mistake_in_the_settings_is_told_before_anything_starts(tmp_path):
    for arguments in (
        ("serve", "--host", "0.0.0.0"),
        ("serve", "--judge", "oracle"),
        ("serve", "--config", str(tmp_path / "missing.toml")),
        ("guard",),
        ("guard", "--upstream", "ftp://x"),
        ("guard", "--upstream", "http://x/v1", "--mode", "ask"),
        ("keys", "new", "ci", "--role", "owner"),
    ):
        found = command(*arguments)
        assert isinstance(found.exception, UsageError), arguments


def test_a_server_empties_what_a_workspace_keeps_no_longer(tmp_path):
    data = str(tmp_path / "data")
    old = datetime.now(UTC) - timedelta(days=30)
    run = Engine(judge="lexical").run(Request("The sky is blue.", sources=["The sky is blue."]))
    for name, days in (("short", 7), ("long", 60)):
        with Ledger(tmp_path / "data" / "ledger" / f"{name}.db", workspace=name, clock=lambda: old) as ledger:
            ledger.record(run)
            ledger.set_retention(days)
    house = WorkspaceRegistry(Settings(data=data, judge="lexical", embedder="static", warm=False))
    try:
        assert house.purge() == 2
        assert (len(house.ledger("short")), len(house.ledger("long"))) == (0, 1)
        assert house.ledger("short").own_retention() == 7
        assert house.ledger("short").verify() is None
        assert house.purge() == 0
    finally:
        house.close()


def test_only_an_admin_sets_the_retention(serve):
    admin, admin_key = ApiKey.make("boss", role="admin")
    writer, writer_key = ApiKey.make("writer", role="writer")
    client = serve(keys=(admin_key, writer_key))
    for plain, code in ((writer, 403), (admin, 200)):
        headers = {"Authorization": f"Bearer {plain}"}
        assert client.put("/v1/audits/retention", json={"days": 30}, headers=headers).status_code == code
    assert client.app.state.assay.workspaces.ledger("default").own_retention() == 30


def test_a_reader_sees_for_how_long_records_are_kept(serve):
    client = serve(policy={"retention_days": 45})
    assert client.get("/v1/audits/retention").json() == {"days": 45, "own": False}
    client.put("/v1/audits/retention", json={"days": 30})
    assert client.get("/v1/audits/retention").json() == {"days": 30, "own": True}


def test_memory_is_handed_back_once_when_work_has_ended(monkeypatch):
    """The process works for a while, rests, and works again."""
    spent = iter([0, 9, 9, 9, 9, 9, 9, 18, 18, 18, 18])
    slept, released = [], []

    async def sleep(seconds):
        slept.append(seconds)
        if len(slept) == 6:
            raise asyncio.CancelledError

    monkeypatch.setattr(asyncio, "sleep", sleep)
    monkeypatch.setattr(time, "process_time", lambda: next(spent))
    monkeypatch.setattr(server_app, "release_memory", lambda: released.append(len(slept)))
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(server_app._release_when_idle(AppState(Settings())))
    assert released == [2, 5]
