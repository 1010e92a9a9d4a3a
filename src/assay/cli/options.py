"""Options that several commands share, so that each is spelt and explained in one way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.config import PRESETS
from assay.errors import UsageError


def form_option(*known: str, envvar: str | None = None) -> Any:
    """The option `--format`; another value than these is refused before any work is done, and they complete."""
    listed = f"{', '.join(known[:-1])} or {known[-1]}"

    def check(value: str) -> str:
        if value not in known:
            raise UsageError(f"unknown format {value!r}; choose {listed}")
        return value

    return typer.Option(
        "--format", "-f", callback=check, help=f"{listed}.", envvar=envvar, autocompletion=completer(*known)
    )


def completer(*known: str) -> Callable[[str], list[str]]:
    """What a shell offers for a value: those of the known ones that begin as it does."""
    return lambda incomplete: [value for value in known if value.startswith(incomplete)]


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
_JUDGES = (
    "lexical, small, base, cascade (the cheapest that is sure decides), a language model as model:PROVIDER/NAME, "
    "or one that is asked last as cascade+model:PROVIDER/NAME."
)
complete_judge = completer("cascade", "small", "base", "lexical", "cascade+model:", "model:")
JudgeName = Annotated[
    str, typer.Option("--judge", "-j", envvar="ASSAY_JUDGE", help=_JUDGES, autocompletion=complete_judge)
]
OtherJudge = Annotated[str | None, typer.Option("--judge", "-j", help=_JUDGES, autocompletion=complete_judge)]
ScoredJudge = Annotated[
    str,
    typer.Option(
        "--judge", "-j", help="lexical, small, base, cascade, or a model's folder.", autocompletion=complete_judge
    ),
]
TextForm = Annotated[str, form_option("text", "json")]
RichForm = Annotated[str, form_option("rich", "json")]
LedgerPlace = Annotated[
    str | None,
    typer.Option(
        "--ledger", envvar="ASSAY_LEDGER", help="Record the run in this ledger; without it beside the memory."
    ),
]
ForUser = Annotated[str, typer.Option("--user", envvar="ASSAY_USER", help="For whom it is recorded.")]
PolicyFile = Annotated[Path | None, typer.Option("--policy", help="A TOML or YAML file of thresholds.")]
PresetName = Annotated[
    str | None,
    typer.Option(
        "--preset",
        envvar="ASSAY_PRESET",
        help="strict, balanced (the default) or lenient: how sure a verdict must be, and which verdicts fail.",
        autocompletion=completer(*PRESETS),
    ),
]
MinConfidence = Annotated[
    float | None,
    typer.Option(
        "--min-confidence",
        envvar="ASSAY_MIN_CONFIDENCE",
        min=0.0,
        max=1.0,
        help="Support less sure than this is INSUFFICIENT.",
    ),
]
EpistemicSettings = Annotated[
    list[str] | None,
    typer.Option("--set", help="A setting of the epistemic checks, as mode=sample or on_failure=retry; repeatable."),
]
VerificationModel = Annotated[
    str | None,
    typer.Option("--verification-model", help="Who verifies: a judge, or a model such as haiku or openai:MODEL."),
]
