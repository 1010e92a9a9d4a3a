import json

import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.errors import AssayError

SOURCE = "Mount Everest is 8,849 m high. Edmund Hillary and Tenzing Norgay climbed it in 1953."


def run(*arguments):
    result = CliRunner().invoke(app, ["audit-quotes", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit | AssayError):
        raise result.exception
    return result


def test_a_true_quotation_ends_with_0_and_a_made_up_one_with_1(tmp_path):
    path = tmp_path / "everest.md"
    path.write_text(SOURCE)
    found = run('It is "8,849 m high".', "--sources", str(path))
    assert found.exit_code == 0
    assert "everest.md: STRICT by quote, 1 of 1 found" in found.output
    assert "VERIFIED_QUOTE (17–29) “8,849 m high”" in found.output
    made_up = run('Mount Everest is 8,849 m high. He said "we are the champions".', "--sources", str(path))
    assert (made_up.exit_code, "UNGROUNDED by quote" in made_up.output) == (1, True)


def test_json_is_the_result_for_each_source():
    given = ["--source-text", SOURCE, "--source-text", "No.", "--format", "json"]
    shown = json.loads(run('It is "8,849 m high".', *given).output)
    assert [item["document"] for item in shown] == ["text-1", "text-2"]
    assert [item["audit_mode"] for item in shown] == ["STRICT", "UNGROUNDED"]
    place = shown[0]["units"][0]["evidence"][0]
    assert SOURCE[place["start"] : place["end"]] == place["quote"]


def test_the_policy_about_names_comes_from_options():
    answer, given = "Tenzing Norgay, Edmund Hillary.", ["--source-text", SOURCE]
    assert "HYBRID by entity" in run(answer, *given).output
    assert "STRICT by entity" in run(answer, *given, "--entity-policy", "strict").output
    assert "STRICT by entity" in run(answer, *given, "--proximity-n", "2").output
    assert "HYBRID by entity" in run(answer, *given, "--proximity-n", "2", "--proximity-window", "5").output
    assert "UNGROUNDED by none" in run(answer, *given, "--entity-policy", "drop").output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["An answer."], "--source-text TEXT"),
        (["An answer.", "--sources", "gone.md"], "no source 'gone.md'"),
        (["An answer.", "--source-text", "x", "--entity-policy", "vague"], "entity_policy"),
        (["An answer.", "--source-text", "x", "--format", "pdf"], "text or json"),
        (["", "--source-text", "x"], "the answer is empty"),
    ],
)
def test_bad_input_is_explained(arguments, says):
    assert says in str(run(*arguments).exception)
