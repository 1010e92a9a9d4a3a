"""pytest with the plugin, in a scratch project."""

import json

import pytest

pytest_plugins = ["pytester"]

PROJECT = """
SOURCE = "Mount Everest is 8,849 m high. Hillary and Tenzing first climbed it in 1953."

def test_right(assert_grounded):
    report = assert_grounded("Mount Everest is 8,849 m high.", [SOURCE])
    assert report.grounded

def test_wrong(assert_grounded):
    assert_grounded("Mount Everest is 8,489 m high. It was first climbed in 1953.", [SOURCE])

def test_nothing_to_check(assert_grounded):
    assert_grounded("Hello! How can I help?", [SOURCE])

def test_open(assert_grounded):
    assert_grounded("The Nile flows through Egypt.", [SOURCE], allow=["insufficient"])
"""


@pytest.fixture
def project(pytester):
    pytester.makepyfile(test_bot=PROJECT)

    def run(*options, apart=True):
        quiet = ("-p", "no:cacheprovider", "--grounded-judge", "lexical")
        return (pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess)(*quiet, *options)

    return run


def test_an_answer_that_is_not_backed_fails_with_the_proof(project):
    result = project()
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        ["1 claim is not supported by the sources:", "*REFUTED*8,489 m high.", "*8,849*", "*“Mount Everest is 8,849*”"]
    )


def test_a_baseline_forgives_what_is_known_and_nothing_else(project, pytester):
    project("--grounded-baseline", "known.json", "--grounded-update").assert_outcomes(passed=4)
    written = json.loads((pytester.path / "known.json").read_text())
    assert written["claims"] == [{"test": "test_bot.py::test_wrong", "claim": "Mount Everest is 8,489 m high."}]
    result = project("--grounded-baseline", "known.json")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["1 known unsupported claims forgiven by known.json"])
    pytester.makepyfile(test_bot=PROJECT.replace("8,489", "9,999"))
    project("--grounded-baseline", "known.json").assert_outcomes(passed=3, failed=1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--grounded-baseline", "missing.json"), "*cannot read the baseline*"),
        (("--grounded-baseline", "test_bot.py"), "*is no baseline*"),
        (("--grounded-update",), "*needs --grounded-baseline*"),
    ],
)
def test_a_baseline_that_cannot_be_used_is_a_usage_error(project, options, said):
    result = project(*options, apart=False)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])
