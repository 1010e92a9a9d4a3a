"""A project's settings: found upwards, shown by the doctor, under the environment and the flags."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.config import PRESETS, find_config, load_policy
from assay.errors import PolicyError, UsageError
from assay.policy import Policy

runner = CliRunner()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ASSAY_PRESET", "ASSAY_MIN_CONFIDENCE", "ASSAY_JUDGE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "facts.md").write_text("The mill opened in 1900.")
    monkeypatch.chdir(tmp_path / "deep" / "er")
    return tmp_path


def write(project: Path, text: str, name: str = "assay.toml") -> Path:
    (project / name).write_text(text)
    return project / name


def test_the_nearest_file_upwards_counts(project: Path) -> None:
    assert find_config().path is None
    write(project, '[project]\nname = "x"\n[tool.assay]\npreset = "lenient"\n', "pyproject.toml")
    assert (find_config().path, find_config().preset) == (project / "pyproject.toml", "lenient")
    write(project / "deep", 'preset = "strict"')
    assert find_config().preset == "strict"
    write(project / "deep" / "er", "[project]\nname = 'other'\n", "pyproject.toml")
    assert find_config().preset == "strict"  # a project file that does not speak of Assay is passed by


def test_flags_come_before_variables_before_the_file_before_the_preset(project: Path) -> None:
    strict = PRESETS["strict"][0]
    write(project, 'preset = "strict"\n[policy]\nhalt_confidence = 0.6\nthreads = 3\n')
    policy = load_policy(env={})
    assert policy == Policy(**strict | {"halt_confidence": 0.6, "threads": 3})
    assert load_policy(env={"ASSAY_HALT_CONFIDENCE": "0.7"}).halt_confidence == 0.7
    assert load_policy(env={"ASSAY_PRESET": "balanced"}).grounding_confidence == Policy().grounding_confidence
    assert load_policy(env={"ASSAY_MIN_CONFIDENCE": "0.9"}).grounding_confidence == 0.9
    assert load_policy(env={"ASSAY_MIN_CONFIDENCE": "0.9"}, min_confidence=0.7).grounding_confidence == 0.7
    assert load_policy(env={}, preset="lenient").refute_probability == PRESETS["lenient"][0]["refute_probability"]
    (project / "policy.toml").write_text("threads = 4\n")
    assert load_policy(project / "policy.toml", env={}).threads == 4


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("judje = 'small'", "unknown setting 'judje'; did you mean judge?"),
        ("preset = 'harsh'", "no preset 'harsh'; there are strict, balanced, lenient"),
        ("judge = 3", "judge is of type str"),
        ("sources = 3", "sources is a list"),
        ("min_confidence = 'high'", "min_confidence is of type float"),
        ("policy = 3", "policy is a table"),
        ("preset = ", "cannot read the settings in"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file(project: Path, text: str, says: str) -> None:
    path = write(project, text)
    with pytest.raises(UsageError, match=says) as caught:
        find_config()
    assert str(path) in str(caught.value) or "preset" in says
    result = runner.invoke(app, ["doctor"])  # the doctor says so, too, and does not fall over it
    assert result.exit_code == 1
    assert says.split(";")[0] in result.output


def test_a_policy_field_that_is_not_one_is_named_with_its_file(project: Path) -> None:
    write(project, "[policy]\nhalt_confidense = 0.5")
    with pytest.raises(PolicyError, match=r"assay\.toml: unknown policy field 'halt_confidense'"):
        load_policy(env={})


def test_the_doctor_shows_the_file_and_the_variables(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(project, 'judge = "small"\n[policy]\nthreads = 3\n')
    monkeypatch.setenv("ASSAY_HALT_CONFIDENCE", "0.75")
    told = json.loads(runner.invoke(app, ["doctor", "--format", "json"]).output)["config"]
    assert (told["file"], told["settings"]) == (str(path), {"judge": "small", "threads": 3})
    assert "ASSAY_HALT_CONFIDENCE" in told["variables"]
    shown = runner.invoke(app, ["doctor"]).output
    assert f'settings of {path}: judge = "small", threads = 3' in shown
    policy = json.loads(runner.invoke(app, ["doctor", "--policy", "--format", "json"]).output)
    assert (policy["threads"]["value"], policy["halt_confidence"]["value"]) == (3, 0.75)


def check(*arguments: str) -> tuple[int, dict]:
    result = runner.invoke(app, ["check", "The mill opened in 1900.", "--format", "json", *arguments])
    return result.exit_code, json.loads(result.output)


def test_the_command_line_takes_judge_and_sources_from_the_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project, 'judge = "lexical"\nsources = ["facts.md"]\n')
    code, report = check()
    assert (code, report["claims"][0]["evidence"][0]["document"]) == (0, "facts.md")
    assert report["model"].startswith("lexical")
    monkeypatch.setenv("ASSAY_JUDGE", "small")
    assert check()[1]["model"].startswith("small")
    assert check("--judge", "lexical")[1]["model"].startswith("lexical")
    code, report = check("--source-text", "The mill opened in 1950.")  # named sources replace those of the file
    assert (code, report["verdict"]) == (1, "REFUTED")


def test_a_preset_decides_what_fails_unless_a_flag_does(project: Path) -> None:
    invented = ["--judge", "lexical", "--source-text", "The mill stands in Kent, by the river."]
    assert check(*invented)[0] == 1
    assert check(*invented, "--preset", "lenient")[0] == 0
    assert check(*invented, "--preset", "lenient", "--fail-on", "any")[0] == 1
    assert isinstance(runner.invoke(app, ["check", "A.", *invented, "--preset", "soft"]).exception, UsageError)


def test_support_less_sure_than_asked_for_is_insufficient(project: Path) -> None:
    source = ["--judge", "lexical", "--source-text", "The old mill opened, as far as is known, in 1900 or so."]
    sure = check(*source)[1]["claims"][0]
    assert sure["verdict"] == "SUPPORTED"
    code, report = check(*source, "--min-confidence", str(min(1.0, sure["confidence"] + 0.05)))
    assert (code, report["verdict"]) == (1, "INSUFFICIENT")
