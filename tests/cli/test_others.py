import json

import pytest
from typer.testing import CliRunner

from assay.cli.app import FILES, app
from assay.engine.store import EngineStore
from assay.errors import UsageError
from assay.memory import Memory
from assay.types import Document

runner = CliRunner()


def test_claims_lists_every_claim_with_its_place():
    result = runner.invoke(app, ["claims", "Paris is in France and Berlin is in Germany. Is it?", "--format", "json"])
    found = json.loads(result.stdout)
    assert [claim["checkable"] for claim in found] == [True, True, False]
    assert found[2]["reason"] == "question"


def test_claims_are_readable_on_a_terminal():
    assert "critical" in runner.invoke(app, ["claims", "Everest is 8,849 m high."]).stdout


def test_inspect_says_how_close_the_source_comes(tmp_path):
    source = tmp_path / "source.txt"
    source.write_text("Mount Everest stands on the border between Nepal and China.")
    close = runner.invoke(app, ["inspect", "Mount Everest stands on the border", "-s", str(source), "-f", "json"])
    assert json.loads(close.stdout)[0]["outcome"] == "verbatim_in_base"
    far = runner.invoke(app, ["inspect", "Penguins swim under the southern ice", "-s", str(source)])
    assert "no_overlap" in far.stdout


def test_doctor_finds_a_healthy_installation():
    result = runner.invoke(app, ["doctor", "--format", "json"])
    assert result.exit_code == 0, result.stdout
    assert json.loads(result.stdout)["healthy"]


def test_doctor_tells_versions_and_how_to_install_the_rest(monkeypatch):
    from importlib.metadata import PackageNotFoundError

    from assay.cli import doctor

    def version(package):
        if package in ("haystack-ai", "arize-phoenix-otel"):
            raise PackageNotFoundError
        return "1.2"

    monkeypatch.setattr(doctor, "version", version)
    said = runner.invoke(app, ["doctor"]).stdout
    assert "  ok  the LangChain adapter: langchain-core 1.2\n" in said
    assert "  –   the Haystack adapter   pip install 'assay-check[haystack]'\n" in said
    assert "the Phoenix adapter (arize-phoenix-client 1.2 without arize-phoenix-otel)   pip install" in said
    assert "the promptfoo assertion" in said
    facts = json.loads(runner.invoke(app, ["doctor", "--format", "json"]).stdout)
    assert facts["extras"]["haystack"]["packages"] == {"haystack-ai": None}
    assert not facts["extras"]["phoenix"]["installed"]


def test_doctor_lists_every_policy_field():
    assert "halt_confidence" in runner.invoke(app, ["doctor", "--policy"]).stdout


def watched_memory(place, probe):
    """A memory whose monitor has seen a hundred supported answers; the verifier was probed, or is still to be."""
    with Memory(place, embedder="static") as memory:
        memory.add([Document("towers", "The tower opened in 1889. The gate opened in 1902.")])
    samples = json.dumps([["The gate opened in 1902.", "The gate opened in 1902."]])
    with EngineStore(place) as store:
        for number in range(100):
            row = {"scored": 1, "supported": 1, "refuted": 0, "similarity": 0.9, "ms": 1.0}
            store.add_output(row | {"answer": f"{number}", "samples": samples, "probe": ""}, 100)
        store.mark_probe(probe)
    return str(place)


def test_a_hundred_correct_answers_do_not_lock_the_command_line_out(tmp_path):
    place = watched_memory(tmp_path / "memory", "")
    for answer, code in (("The tower opened in 1889.", 0), ("The tower opened in 1899.", 1)):
        result = runner.invoke(app, ["check", answer, "--memory", place, "--judge", "lexical", "--format", "json"])
        assert result.exit_code == code, result.output
        assert "degenerate_verifier" not in result.stdout
    assert not result.stderr


def test_a_disabled_verifier_is_told_on_standard_error_and_can_be_reset(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = watched_memory(tmp_path / ".assay" / "memory", "failed")
    check = ["check", "The tower opened in 1889.", "--memory", place, "--judge", "lexical", "--quiet"]
    result = runner.invoke(app, check)
    assert result.exit_code == 1
    assert "assay doctor --reset-monitor" in result.stderr
    done = runner.invoke(app, ["doctor", "--reset-monitor"])
    assert (done.exit_code, "100 outputs forgotten" in done.stdout) == (0, True)
    assert runner.invoke(app, check).exit_code == 0
    assert runner.invoke(app, ["doctor", "--reset-monitor", "--memory", place]).exit_code == 0
    nowhere = runner.invoke(app, ["doctor", "--reset-monitor", "--data", "nowhere"])
    assert nowhere.exit_code == 2 or "no monitor" in str(nowhere.exception)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("command", [[], ["check"], ["claims"], ["inspect"], ["doctor"]])
def test_every_command_explains_itself(command):
    result = runner.invoke(app, [*command, "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.stdout


def test_every_group_is_registered():
    assert len(app.registered_commands) + len(app.registered_groups) >= len(FILES.split())


ODD_SPANS = (
    "[1, null]",
    "[[]]",
    '[{"context": {"span_id": 1}, "links": [{}]}]',
    '[{"context": {"span_id": "a"}, "attributes": 3}]',
    '[{"context": {"span_id": "a"}, "attributes": {"assay.kind": "wish", "assay.text": "x", "assay.at": 0}}]',
    '[{"context": {"span_id": "a"}, "attributes": {"assay.kind": "goal", "assay.data": "no json"}}]',
    '[{"context": {"span_id": "a"}, "attributes": {"assay.cites": 7}}]',
    '"text"',
    "[" * 50_000,
    '{"resourceSpans": []}',
    '[{"context": {"span_id": "a"}, "links": 5}]',
    '[{"context": {"span_id": "a"}, "attributes": ["gen_ai"]}]',
)


@pytest.mark.parametrize("spans", ODD_SPANS, ids=lambda text: text[:40])
def test_spans_of_other_programs_are_read_or_refused_by_name(tmp_path, spans):
    file = tmp_path / "spans.json"
    file.write_text(spans)
    result = runner.invoke(app, ["trace", "add", str(file), "--store", str(tmp_path / "traces.db")])
    assert isinstance(result.exception, UsageError | None), repr(result.exception)
    assert result.exception is not None


ODD_BASELINES = (
    "null",
    "3",
    "[]",
    '{"claims": 1}',
    '{"claims": [1]}',
    '{"claims": [{"text": 5, "verdict": "REFUTED"}]}',
    '{"claims": [{"text": null, "verdict": []}]}',
    "[" * 50_000,
    '{"claims": {"a": 1}}',
    '{"claims": [["text"]]}',
    "\ud7ff",
)


@pytest.mark.parametrize("baseline", ODD_BASELINES, ids=lambda text: text[:40])
def test_a_baseline_that_is_none_is_refused_by_name(tmp_path, baseline):
    file = tmp_path / "baseline.json"
    file.write_text(baseline)
    arguments = ["check", "A is B.", "--sources", "A is B.", "--judge", "lexical", "--baseline", str(file)]
    result = runner.invoke(app, arguments)
    assert isinstance(result.exception, UsageError), repr(result.exception)
    assert "baseline.json" in str(result.exception)
