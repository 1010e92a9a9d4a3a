import json

import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.errors import SourceError, UsageError
from assay.lattice import EvidenceMap, EvidenceObject, build_evidence_map
from assay.types import Document

ANSWER = "Mount Everest is the highest mountain on Earth. [E1]"


@pytest.fixture
def evidence(tmp_path):
    shown = EvidenceMap(
        (EvidenceObject("E1", "Mount Everest is the highest mountain on Earth.", title="Mount Everest"),),
        "What is the highest mountain on Earth?",
    )
    path = tmp_path / "map.json"
    path.write_text(json.dumps(shown.to_dict()), encoding="utf-8")
    return str(path)


def run(*arguments, text=None):
    return CliRunner().invoke(app, ["lattice", *arguments], input=text)


def test_a_strict_answer_ends_with_0_and_shows_its_excerpt(evidence):
    result = run("check", "--evidence", evidence, ANSWER)
    assert result.exit_code == 0
    assert "## Verified" in result.output
    assert result.output.endswith("STRICT · EVIDENCE-WARRANTED · 1 of 1 verified\n")


def test_anything_less_ends_with_1(evidence):
    assert run("check", "--evidence", evidence, "-", text="Mount Everest is purple all over. [E9]\n").exit_code == 1


def test_json_answers_and_json_output(evidence):
    answer = '{"claims": [{"text": "Mount Everest is the highest mountain on Earth", "evidence_ids": ["E1"]}]'
    result = run("check", "--form", "json", "--evidence", evidence, "--format", "json", answer)
    assert result.exit_code == 0
    assert json.loads(result.output)["json_fixups"] == ["close_brace"]


def test_repairs_are_shown_in_the_text_too(evidence):
    answer = (
        '```json\n{"claims": [{"text": "Mount Everest is the highest mountain on Earth", "evidence_ids": ["E1"]\n```'
    )
    result = run("check", "--form", "json", "--evidence", evidence, answer)
    assert "the JSON was repaired: close_brace, close_bracket, fence" in result.output


def test_a_chain_root_lets_a_neighbour_speak(tmp_path):
    texts = ("Radium was isolated by Marie Curie.", "The radium was shown in 1911.")
    objects = [EvidenceObject(f"E{n}", text, "Radium", source_id="r", start=40 * n) for n, text in enumerate(texts, 1)]
    path = tmp_path / "map.json"
    path.write_text(json.dumps(EvidenceMap.of(objects).to_dict()), encoding="utf-8")
    arguments = ["check", "--evidence", str(path), "Radium was isolated by Marie Curie in 1911. [E1]"]
    assert run(*arguments).exit_code == 1
    assert run(*arguments, "--chain-root", "r").exit_code == 0


def test_no_title_is_made_of_a_file_name(tmp_path):
    document = Document("notes/air.txt", "At the summit the air is thin.", title="air")
    titles = [
        item.title for item in build_evidence_map("How thin?", [document, Document("d", "Thin air.", title="Air")])
    ]
    assert sorted(titles) == ["", "Air"]


def test_the_question_of_the_map_is_used_unless_another_is_given(evidence):
    other = run("check", "--evidence", evidence, "--question", "What is deep on Venus?", ANSWER)
    assert "DEFLECTION_DETECTED" in other.output
    assert other.exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(["--form", "xml"], UsageError), (["--format", "pdf"], UsageError), (["--encoder", "huge"], UsageError)],
)
def test_bad_options_are_usage_errors(evidence, arguments, error):
    assert isinstance(run("check", "--evidence", evidence, *arguments, ANSWER).exception, error)


def test_a_missing_map_is_a_usage_error(tmp_path):
    problem = run("check", "--evidence", str(tmp_path / "none.json"), ANSWER).exception
    assert isinstance(problem, SourceError)
    assert "none.json" in str(problem)


def test_a_missing_memory_is_named(tmp_path):
    problem = run("map", "What?", "--memory", str(tmp_path / "none")).exception
    assert isinstance(problem, UsageError)
    assert "assay index add" in str(problem)


def test_a_map_is_made_from_a_memory_and_can_be_checked_against(tmp_path):
    from assay.memory import Memory

    place = str(tmp_path / "memory")
    with Memory(place) as memory:
        memory.add(["Mount Everest is the highest mountain on Earth.", "The Nile flows through Egypt to the sea."])
    made = run("map", "What is the highest mountain on Earth?", "--memory", place)
    assert made.exit_code == 0, made.exception
    path = tmp_path / "map.json"
    path.write_text(made.stdout, encoding="utf-8")
    shown = EvidenceMap.load(path)
    assert {item.text for item in shown} >= {"Mount Everest is the highest mountain on Earth."}
    pointer = next(item.pointer_id for item in shown if "Everest" in item.text)
    result = run("check", "--evidence", str(path), f"Mount Everest is the highest mountain on Earth. [{pointer}]")
    assert "1 of 1 verified" in result.output


def test_the_prompt_comes_bare_or_filled(evidence):
    assert "$evidence" in run("prompt", "--form", "json").output
    filled = run("prompt", "--evidence", evidence).output
    assert "What is the highest mountain on Earth?" in filled
    assert "[E1] Mount Everest" in filled


def test_the_schema_is_printed_as_json():
    assert json.loads(run("schema").output)["required"] == ["claims"]


def test_a_lone_surrogate_does_not_break_the_output(evidence):
    assert (
        run("check", "--form", "json", "--evidence", evidence, '{"claims": [{"text": "\\ud800 is it"}]}').exit_code == 1
    )
