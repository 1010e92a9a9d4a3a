"""From judgements to findings: what the policy says about each claim and about the answer as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.policy import Policy, decide_action
from assay.types import Action, Citation, Claim, Document, Finding, Judgement, Verdict

UNVERIFIED = "unverified"


def make_finding(
    claim: Claim,
    judgement: Judgement,
    citing: tuple[list[Document], list[Citation]],
    policy: Policy,
    found: Sequence[str] = (),
    *,
    branches: int = 0,
    inline: bool = False,
) -> Finding:
    """One claim with what is to be done about it, and the marks a reader must see."""
    marks: list[str] = []
    violations = [*judgement.violations, *found]
    cited, phantoms = citing
    violations.extend("phantom_citation" for _ in phantoms[:1])
    if phantoms and not cited and judgement.verdict is Verdict.INSUFFICIENT and not judgement.evidence:
        # Nothing was shown to the judge, which says no more than that.
        said = f"{phantoms[0].text} names no source, and no source says this in almost the same words."
        judgement = replace(judgement, explanation=said)
    supporting = {item.document for item in judgement.evidence if item.stance.value == "supports"}
    if judgement.verdict is Verdict.SUPPORTED:
        if judgement.confidence < policy.low_confidence:
            marks.append("low_confidence")
        if cited and supporting and not supporting & {document.id for document in cited}:
            violations.append("wrong_citation")
    elif judgement.verdict is Verdict.REFUTED and judgement.confidence < policy.halt_confidence:
        marks.append("doubtful_refutation")
    elif judgement.verdict is Verdict.INSUFFICIENT and branches >= policy.max_branches:
        marks.append("caveat")
    elif judgement.verdict is Verdict.ERROR:
        marks.append(UNVERIFIED)
    if violations != list(judgement.violations):
        judgement = replace(judgement, violations=tuple(violations))
    action = decide_action(judgement.verdict, judgement.confidence, branches, policy=policy, inline=inline)
    return Finding(claim, judgement, action, tuple(marks))


def worst_action(findings: Sequence[Finding]) -> Action:
    """The action of the worst claim: REFUTED before INSUFFICIENT before SUPPORTED."""
    for verdict in (Verdict.REFUTED, Verdict.INSUFFICIENT, Verdict.SUPPORTED):
        actions = [finding.action for finding in findings if finding.verdict is verdict]
        if actions:
            return max(actions, key=lambda action: action is not Action.CONTINUE)
    return Action.CONTINUE


def nothing_to_check(claims: Sequence[Claim]) -> str | None:
    """Why an answer was not checked; None if it was."""
    if any(claim.checkable for claim in claims):
        return None
    if not claims:
        return "the answer is empty"
    reasons = sorted({claim.reason for claim in claims if claim.reason})
    return f"nothing to check: only {', '.join(reasons)}" if reasons else "nothing to check"
