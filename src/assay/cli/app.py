"""The root of the command line, with every command group registered."""

from __future__ import annotations

from importlib import import_module

import typer

app = typer.Typer(
    name="assay",
    help="Tells, claim by claim, whether an answer is backed by its sources, and shows the proof.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from assay import __version__

        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version."),
) -> None:
    """Tells, claim by claim, whether an answer is backed by its sources, and shows the proof."""


GROUPS = (
    "check",
    "ask",
    "repair",
    "inspect",
    "hallucinations",
    "lattice",
    "index",
    "audit",
    "trace",
    "repl",
    "serve",
    "evaluate",
    "selftest",
    "calibrate",
    "doctor",
)

for group in GROUPS:
    import_module(f"assay.cli.{group}").register(app)
