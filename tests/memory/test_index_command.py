from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assay.cli.app import app
from assay.errors import AssayError, UsageError


@pytest.fixture
def assay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Runs `assay index …` in an empty folder; an error raised on purpose is given back as the result's exception."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Result:
        result = CliRunner().invoke(app, ["index", *words])
        if result.exception is not None and not isinstance(result.exception, SystemExit | AssayError):
            raise result.exception
        return result

    return run


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "everest.md").write_text("# Everest\n\nMount Everest is 8,849 metres high.\n")
    (folder / "nile.txt").write_text("The Nile flows through Egypt.\n")
    return folder


def test_a_folder_is_added_listed_shown_and_removed(assay, library: Path) -> None:  # type: ignore[no-untyped-def]
    added = assay("add", "library", "--embedder", "static")
    assert (added.exit_code, "2 added, 0 updated, 0 unchanged" in added.output) == (0, True)
    assert "0 added, 0 updated, 2 unchanged" in assay("add", "library").output
    (library / "nile.txt").write_text("The Nile flows through Sudan and Egypt.\n")
    assert "0 added, 1 updated, 1 unchanged" in assay("add", "library").output
    listed = json.loads(assay("list", "--format", "json").stdout)
    assert [(row["id"], row["version"]) for row in listed] == [("everest.md", 1), ("nile.txt", 2)]
    assert "everest.md" in assay("list").output
    assert "Sudan" in assay("show", "nile.txt").output
    assert "Sudan" not in assay("show", "nile.txt", "--version", "1").output
    (passage,) = json.loads(assay("show", "nile.txt", "--format", "json").stdout)["passages"]
    assert f"[cite:{passage['sha256'][:8]}]" in assay("show", "nile.txt", "--passages").output
    assert json.loads(assay("stats", "-f", "json").stdout)["documents"] == 2
    assert "passages" in assay("stats").output
    assert assay("verify").output == "ok\n"
    assert "2 passages indexed again" in assay("rebuild").output
    assert assay("remove", "nile.txt").exit_code == 0
    assert assay("remove", "nile.txt").exit_code == 1


def test_what_cannot_be_read_is_named_and_the_rest_goes_in(assay, library: Path) -> None:  # type: ignore[no-untyped-def]
    (library / "empty.txt").touch()
    result = assay("add", "library", "--embedder", "static", "-f", "json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert sorted(report["added"]) == ["everest.md", "nile.txt"]
    assert sorted(Path(refusal["path"]).name for refusal in report["refused"]) == ["empty.txt"]


def test_a_missing_source_stops_it_before_anything_is_stored(assay, library: Path) -> None:  # type: ignore[no-untyped-def]
    result = assay("add", "library", "missing.pdf", "--embedder", "static")
    assert isinstance(result.exception, UsageError)
    assert "missing.pdf" in str(result.exception)
    assert isinstance(assay("list").exception, UsageError)  # no memory was made


def test_workspaces_are_apart(assay, library: Path) -> None:  # type: ignore[no-untyped-def]
    assay("add", "library/nile.txt", "-w", "rivers", "--embedder", "static")
    assert isinstance(assay("list", "-w", "peaks").exception, UsageError)
    assert len(json.loads(assay("list", "-w", "rivers", "-f", "json").stdout)) == 1


@pytest.mark.parametrize(
    "words", [["show", "nothing"], ["list", "-f", "xml"], ["add", "x", "--embedder", "gpt"], ["list", "-w", "A B"]]
)
def test_mistakes_get_a_clear_error(assay, words: list[str]) -> None:  # type: ignore[no-untyped-def]
    result = assay(*words)
    assert isinstance(result.exception, AssayError)
    assert str(result.exception)


def test_an_interrupted_ingest_says_how_to_go_on(assay, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    from assay.memory.ingest import Ingest

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Ingest, "_store_waiting", stop)
        result = assay("add", "library", "--embedder", "static")
    assert result.exit_code == 130
    assert "run the same command" in result.output
    assert "2 added" in assay("add", "library", "--embedder", "static").output
