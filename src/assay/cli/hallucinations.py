"""`assay hallucinations`: which claims of an answer its context does not carry, and what is done about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import options
from assay.cli.output import progress_after, write_output
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.epistemic import EpistemicConfig, ResolvedResponse
    from assay.policy import Policy


def hallucinations(
    answer: options.AnswerText,
    sources: options.SourcePaths = None,
    source_texts: options.SourceTexts = None,
    question: options.Question = None,
    judge: options.OtherJudge = None,
    verification_model: options.VerificationModel = None,
    settings: options.EpistemicSettings = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Who writes the answer again where on_failure is retry.")
    ] = None,
    policy_file: options.PolicyFile = None,
    form: options.TextForm = "text",
) -> None:
    """Check whether an answer used its evidence; exit code 0 all of it holds, 1 not, 2 usage error.

    Settings come from the epistemic table of the --policy file, from ASSAY_EPISTEMIC_* and from --set.
    """
    from assay.cli.inputs import read_answer, read_documents
    from assay.config import load_policy
    from assay.epistemic import Checker
    from assay.epistemic.resolve import resolve
    from assay.llm import make_generator
    from assay.llm.waiting import run

    policy = load_policy(policy_file)
    text, _ = read_answer(answer)
    config = load_config(policy_file, policy, settings, verification_model)
    writer = None if model is None else make_generator(model, policy=policy)
    with progress_after() as step:
        documents = read_documents(sources, source_texts)
        checker = Checker(policy=policy, config=config, judge=judge)
        checker.progress = step
        found = run(resolve(checker, text, documents, question=question, rewrite=writer))
    write_output(json.dumps(found.to_dict(), ensure_ascii=False, indent=2) if form == "json" else render(found))
    raise typer.Exit(0 if found.outcome == "passed" and found.report.all_clear else 1)


def load_config(
    path: Path | None, policy: Policy, settings: Sequence[str] | None, verification_model: str | None
) -> EpistemicConfig:
    """The settings of the file, the environment and the flags."""
    from assay.epistemic import EpistemicConfig

    given: dict[str, Any] = {}
    for item in settings or ():
        name, mark, value = item.partition("=")
        if not mark or not name.strip():
            raise UsageError(f"--set takes NAME=VALUE, such as mode=sample, not {item!r}")
        given[name.strip()] = value.strip()
    if verification_model is not None:
        given["verification_model"] = verification_model
    return EpistemicConfig.load(path, policy=policy, **given)


def render(found: ResolvedResponse) -> str:
    """The answer as it is handed on, and one line for each claim that does not hold."""
    report = found.report
    if found.outcome == "skipped":
        return f"not checked: {report.skipped}"
    lines = [found.answer, ""]
    sure = report.overall_confidence
    lines.append(
        f"{report.verified_claims} claims hold, {report.flagged_claims} flagged, {report.doubtful_claims} doubtful, "
        f"{report.errors} in error, {report.left_out} not looked at; "
        f"confidence {'–' if sure is None else f'{sure:.2f}'}"
    )
    lines += [f"  {gap.gap_bits:.2f} bits  {gap.gap_type.value}: “{gap.claim_text}”" for gap in report.gaps]
    lines += [f"  doubtful: “{claim.claim_text}” ({claim.doubt.rstrip('.')})" for claim in report.claims if claim.doubt]
    if found.question:
        lines += ["", found.question]
    if found.problem:
        lines.append(f"not written again: {found.problem}")
    return "\n".join(lines)
