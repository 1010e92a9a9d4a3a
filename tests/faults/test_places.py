"""Where data lies: read-only disks, folders that cannot be written, who may read the files, a database that is gone."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from assay.cli.app import app
from assay.engine import Engine, Request
from assay.errors import AssayError, DatabaseError, LedgerError, MemoryStoreError, UsageError, mask_password
from assay.ledger import Ledger
from assay.memory import Memory
from assay.memory.stores import stored_embedder
from assay.server.app import make_app
from assay.server.settings import Settings
from tests.faults.crowd import make_document, open_memory

TEXT = "Mount Everest is 8,849 m high."


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Callable[[Path], Path]]:
    """A real read-only mount of a folder; only root can make one."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a folder read-only")
    mounted: list[Path] = []

    def mount(folder: Path) -> Path:
        at = tmp_path / f"mounted-{len(mounted)}"
        at.mkdir()
        for options in (["--bind", str(folder), str(at)], ["-o", "remount,ro,bind", str(at)]):
            if subprocess.run(["mount", *options], check=False).returncode != 0:
                pytest.skip("this machine does not let us mount a folder read-only")
        mounted.append(at)
        return at

    yield mount
    for at in mounted:
        subprocess.run(["umount", "-l", str(at)], check=False)


def record(place: Path) -> None:
    with Ledger(place) as ledger:
        ledger.record(Engine(judge="lexical").run(Request(TEXT, sources=[TEXT])))


@pytest.mark.parametrize("killed", [False, True])
def test_a_memory_and_a_ledger_on_a_read_only_mount_can_be_read(
    tmp_path: Path, read_only: Callable[[Path], Path], killed: bool
) -> None:
    """Also with the log that a killed process left behind."""
    live, folder = tmp_path / "live", tmp_path / "kept"
    memory = open_memory(live)
    memory.add(make_document("x", 1))
    record(live)
    if killed:
        with Ledger(live) as ledger:
            ledger.record(Engine(judge="lexical").run(Request(TEXT, sources=[TEXT])))
            shutil.copytree(live, folder)
        memory.close()
    else:
        memory.close()
        shutil.copytree(live, folder)
    at = read_only(folder)
    assert bool(list(at.glob("*-wal"))) == killed
    before = sorted((path.name, path.stat().st_mtime_ns) for path in folder.iterdir())
    with open_memory(at) as held:
        assert held.retrieve("Fact 3 of document x-1", k=1)[0].document_id == "x-1"
        assert held.verify() == []
        with pytest.raises(MemoryStoreError, match="read-only"):
            held.add(make_document("x", 2))
    with Ledger(at) as ledger:
        assert ledger.verify() is None
        assert len(ledger.runs()) == (2 if killed else 1)
        with pytest.raises(LedgerError, match="read-only"):
            ledger.record(Engine(judge="lexical").run(Request(TEXT, sources=[TEXT])))
    listed = CliRunner().invoke(app, ["audit", "verify", "--ledger", str(at)])
    assert listed.exit_code == 0, listed.output
    assert sorted((path.name, path.stat().st_mtime_ns) for path in folder.iterdir()) == before


def test_an_answer_is_checked_against_a_memory_on_a_read_only_mount(
    tmp_path: Path, read_only: Callable[[Path], Path]
) -> None:
    with Memory(tmp_path / "kept", embedder="static") as memory:
        memory.add([TEXT])
    at = read_only(tmp_path / "kept")
    done = CliRunner().invoke(app, ["check", TEXT, "--memory", str(at), "--judge", "lexical", "--format", "json"])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "not recorded" in done.stderr


def test_only_the_owner_may_read_what_is_stored(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with open_memory(tmp_path / "data") as memory:
            memory.add(make_document("x", 1))
            record(tmp_path / "data")
            with TestClient(make_app(settings(tmp_path / "data", monitor=True)), base_url="http://localhost",
                            client=("127.0.0.1", 50000)) as client:  # fmt: skip
                assert client.post("/v1/verify", json={"answer": TEXT, "sources": [TEXT]}).status_code == 200
                for path in ("/v1/eval", "/v1/traces"):
                    assert client.get(path).status_code == 200
            files = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
            assert {path.name for path in files} > {"default.db", "default.db-wal", "default.graph", "default.head"}
            assert {path.name: oct(path.stat().st_mode & 0o777) for path in files} == dict.fromkeys(
                [path.name for path in files], "0o600"
            )
    finally:
        os.umask(before)


def settings(data: Path | str, **changes: object) -> Settings:
    return Settings(data=str(data), judge="lexical", embedder="static", warm=False).but(**changes)


ROUTES = ("/v1/documents", "/v1/audits", "/v1/audits/chain", "/v1/eval", "/v1/traces", "/v1/monitor")


def refused_everywhere(client: TestClient, routes: tuple[str, ...] = ROUTES) -> list[str]:
    """Everything that needs a database says 503 and when to come back; nothing is taken for granted without one."""
    body = {"answer": TEXT, "sources": [TEXT]}
    answers = [client.get(path) for path in routes] + [client.post("/v1/verify", json=body)]
    assert {(answer.request.url.path, answer.status_code) for answer in answers} == {
        (path, 503) for path in (*routes, "/v1/verify")
    }
    assert all("retry-after" in answer.headers for answer in answers)
    assert client.get("/v1/health").status_code == 200
    return [answer.json()["detail"] for answer in answers]


def serve(data: Path | str) -> TestClient:
    made = make_app(settings(data, monitor=True))
    return TestClient(made, base_url="http://localhost", client=("127.0.0.1", 50000), raise_server_exceptions=False)


def test_a_data_folder_that_cannot_be_written_is_503(tmp_path: Path, read_only: Callable[[Path], Path]) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "empty").mkdir()
    for data in (tmp_path / "file" / "data", read_only(tmp_path / "empty")):
        with serve(data) as client:
            for detail in refused_everywhere(client):
                assert "cannot be opened" in detail


def test_a_postgres_that_goes_down_is_503(tmp_path: Path) -> None:
    import pgserver

    folder = tempfile.mkdtemp(prefix="assay-postgres-down-")
    server = pgserver.get_server(folder, cleanup_mode="delete")
    try:
        with serve(server.get_uri()) as client:
            body = {"documents": [{"id": "e", "text": TEXT}]}
            assert client.post("/v1/documents", json=body).status_code == 201
            for path in ROUTES:
                assert client.get(path).status_code == 200
            server.cleanup()
            refused_everywhere(client, ROUTES[:-1])  # what the monitor has seen is held here
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def test_no_password_is_shown_when_a_database_cannot_be_reached(caplog: pytest.LogCaptureFixture) -> None:
    address = "postgresql://ann:s3cret@127.0.0.1:9/x"
    with serve(address) as client, caplog.at_level(logging.DEBUG):
        said = "".join(refused_everywhere(client))
    for attempt in (lambda: Ledger(address), lambda: Memory(address), lambda: stored_embedder(address, "default")):
        with pytest.raises(AssayError) as failed:
            attempt()
        said += str(failed.value)
    assert "s3cret" not in said + caplog.text
    assert "s3cret" not in repr(settings(address))


ODD_ADDRESSES = [
    "mysql://ann:s3cret@db/x",
    "postgresql://ann:s3cret@db:port/x",
    "postgresql://ann:s3cret@pw@db:port/x",
    "postgresql://ann@db:port/x?password=s3cret",
    "postgresql://db:port/x?user=ann&password=s3cret",
    "postgres://ann:s3cret@[::1/x",
]


@pytest.mark.parametrize("address", ODD_ADDRESSES)
@pytest.mark.parametrize(
    "command",
    [
        ["audit", "list", "--ledger"],
        ["audit", "stale", "--memory"],
        ["index", "list", "--memory"],
        ["index", "add", "some text", "--memory"],
        ["trace", "show", "--store"],
        ["check", "x", "--memory"],
        ["check", "x", "--sources", "y", "--ledger"],
    ],
    ids=" ".join,
)
def test_no_password_of_an_odd_address_is_shown(
    address: str, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, [*command, address])
    said = done.output + str(done.exception)
    assert done.exit_code != 0
    assert isinstance(done.exception, SystemExit | AssayError), repr(done.exception)
    assert "s3cret" not in said


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("at postgresql://ann:p@ss/w:rd@db:5432/x?a=b now", "at postgresql://ann:***@db:5432/x?a=b now"),
        ("host=db password=abc user=x", "host=db password=*** user=x"),
        ("password = 'a b' x", "password = *** x"),
        ("http://localhost:8017/v1 is fine", "http://localhost:8017/v1 is fine"),
        ("mail ann@example.org", "mail ann@example.org"),
    ],
)
def test_passwords_are_masked_wherever_they_stand(text: str, masked: str) -> None:
    assert mask_password(text) == masked
    for kind in (UsageError, MemoryStoreError, DatabaseError):
        assert str(kind(text)) == masked
