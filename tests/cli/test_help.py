"""Help with an example each, values that a shell completes."""

import os
import shlex
import subprocess
import sys

import pytest
from typer.main import get_command

from assay.cli.app import app
from assay.cli.examples import EXAMPLES


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_every_example_is_one_that_its_command_takes(name):
    command = get_command(app)
    words = shlex.split(EXAMPLES[name].split(" > ")[0])
    assert words[: 1 + len(name.split())] == ["assay", *name.split()]
    for part in name.split():
        command = command.commands[part]
    command.make_context(name, words[1 + len(name.split()) :])


def test_every_command_has_an_example():
    def names(command, prefix=""):
        below = getattr(command, "commands", None)
        return {n for k, c in below.items() for n in names(c, f"{prefix} {k}")} if below else {prefix.strip()}

    assert names(get_command(app)) == set(EXAMPLES)


CHOSEN = {"--format", "--judge", "--preset", "--fail-on", "--engine", "--form", "--role", "--mode"}


def options():
    def walk(command, path):
        for name, below in getattr(command, "commands", {}).items():
            yield from walk(below, f"{path} {name}")
        yield from ((path, option) for option in command.params if CHOSEN & {*option.opts})

    return list(walk(get_command(app), "assay"))


@pytest.mark.parametrize(("command", "option"), options(), ids=lambda value: getattr(value, "name", value))
def test_every_option_with_known_values_completes(command, option):
    offered = {item.value for item in option.shell_complete(None, "")}
    assert len(offered) >= 2, f"{command} {option.opts}"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("assay check --judge ", {"cascade", "small", "base", "lexical"}),
        ("assay check --format ju", {"junit"}),
        ("assay check --format s", {"sarif"}),
        ("assay check --preset ", {"strict", "balanced", "lenient"}),
        ("assay eval --format h", {"html"}),
    ],
)
def test_a_shell_completes_values(typed, offered):
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split(" ")) - 1), "_ASSAY_COMPLETE": "complete_bash"}
    code = "import sys; sys.argv = ['assay']; from assay.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | words, capture_output=True, text=True, check=False
    )
    assert offered <= set(done.stdout.split())
