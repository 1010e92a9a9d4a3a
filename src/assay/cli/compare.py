"""`assay compare`: two runs over the same answers, and the claims whose verdict changed."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import form_option
from assay.cli.output import progress_after, write_output


def compare(
    before: Annotated[Path, typer.Argument(help="The earlier run: reports of a file of answers, or one JSON report.")],
    after: Annotated[Path, typer.Argument(help="The later run.")],
    form: Annotated[str, form_option("text", "json", "html")] = "text",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the comparison to this file.")] = None,
) -> None:
    """Show which claims became problems between two runs, and which were solved; exit code 1 for new problems."""
    from assay.batch import compare_runs, read_run
    from assay.render.batch import count_changes, render_comparison
    from assay.render.plain import name_verdict

    with progress_after():
        changes = compare_runs(read_run(before), read_run(after))
    if form == "json":
        text = json.dumps([asdict(change) | {"kind": change.kind} for change in changes], ensure_ascii=False, indent=2)
    elif form == "html":
        text = render_comparison(changes, str(before), str(after))
    else:
        lines = [
            f"{c.kind}: {c.answer}: {name_verdict(c.before)} → {name_verdict(c.after)}: {' '.join(c.text.split())}"
            for c in sorted(changes, key=lambda change: ("new problem", "changed", "solved").index(change.kind))
        ]
        text = "\n".join([*lines, count_changes(changes)])
    write_output(text, output)
    raise typer.Exit(1 if any(change.kind == "new problem" for change in changes) else 0)
