"""The app as a whole: the page, the log, the metrics, starting and stopping; and the commands that start it."""

import json
import logging

import typer
from typer.testing import CliRunner

from assay.cli import guard as guard_command
from assay.cli import serve as serve_command
from assay.errors import UsageError
from assay.server.settings import Settings
from assay.server.watch import JsonLines
from tests.server.conftest import ANSWER, SOURCE


def command(*arguments):
    app = typer.Typer()
    serve_command.register(app)
    guard_command.register(app)
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
    line = json.loads(JsonLines().format(record))
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
    client.app.state.desk.gate.close()
    assert client.get("/v1/ready").status_code == 503
    assert client.post("/v1/verify", json={"answer": ANSWER}).status_code == 503
    assert client.get("/v1/health").status_code == 200


def test_the_verifier_is_watched_and_a_fallback_is_seen_everywhere(serve):
    client = serve(monitor=True, policy={"monitor_window": 3, "verification_timeout_ms": 1e6})
    body = {"answer": "Mount Everest is 8,849 m high.", "sources": [SOURCE]}
    assert [client.post("/v1/verify", json=body).json()["verdict"] for _ in range(3)] == ["SUPPORTED"] * 3
    assert client.get("/v1/monitor").json()["degenerate"]
    report = client.post("/v1/verify", json=body).json()
    assert report["verdict"] != "SUPPORTED"
    assert "degenerate_verifier" in {flag["kind"] for flag in report["risk_flags"]}
    assert 'assay_risk_flags_total{kind="degenerate_verifier"} 1.0' in client.get("/metrics").text
    assert client.post("/v1/monitor/reset").json()["outputs"] == 0
    assert client.post("/v1/verify", json=body).json()["verdict"] == "SUPPORTED"


def test_a_failure_nobody_meant_says_nothing_of_its_inside(client, monkeypatch, caplog):
    def fail(*_, **__):
        raise RuntimeError("the password is hunter2")

    monkeypatch.setattr(client.app.state.desk.house, "engine", fail)
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
