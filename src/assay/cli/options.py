"""Options that several commands share, so that each is spelt and explained in one way."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AnswerText = Annotated[
    str, typer.Argument(metavar="ANSWER", help="An answer file, '-' for standard input, or the answer itself.")
]
SourcePaths = Annotated[
    list[str] | None,
    typer.Option("--sources", "-s", help="A file, folder or glob with what the answer may lean on; repeatable."),
]
SourceTexts = Annotated[
    list[str] | None, typer.Option("--source-text", help="A text the answer may lean on; repeatable.")
]
Question = Annotated[str | None, typer.Option("--question", "-q", help="The question that was asked.")]
MemoryPlace = Annotated[
    str | None, typer.Option("--memory", "-m", help="The folder or database of an evidence memory.")
]
MemoryNeeded = Annotated[str, typer.Option("--memory", "-m", help="The folder or database of an evidence memory.")]
JudgeName = Annotated[
    str, typer.Option("--judge", "-j", help="lexical, small, base, or cascade: the cheapest that is sure decides.")
]
OtherJudge = Annotated[str | None, typer.Option("--judge", "-j", help="lexical, small, base or cascade.")]
ScoredJudge = Annotated[str, typer.Option("--judge", "-j", help="lexical, small, base, cascade, or a model's folder.")]
PolicyFile = Annotated[Path | None, typer.Option("--policy", help="A TOML or YAML file of thresholds.")]
EpistemicSettings = Annotated[
    list[str] | None,
    typer.Option("--set", help="A setting of the epistemic checks, as mode=sample or on_failure=retry; repeatable."),
]
VerificationModel = Annotated[
    str | None,
    typer.Option("--verification-model", help="Who verifies: a judge, or a model such as haiku or openai:MODEL."),
]
