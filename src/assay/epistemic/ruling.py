"""From what was measured to what is said: the gap, the flag, its reason and the advice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.epistemic.assessing import support_of
from assay.epistemic.bits import GAP_CAP_BITS, gap_bits
from assay.epistemic.config import EpistemicConfig
from assay.epistemic.results import ClaimVerification, EpistemicGap
from assay.policy import Policy
from assay.types import Judgement, Support, Verdict
from assay.views import GapType


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured about one claim; `other` names sources that carry it though it does not cite them."""

    judgement: Judgement
    left: float = 0.0
    dependence: float = 0.0
    consistency: float = 1.0
    phantoms: tuple[str, ...] = ()
    decorative: tuple[str, ...] = ()
    other: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruling:
    """The gap in bits, and why the claim is flagged, if it is, or doubtful without being flagged."""

    bits: float
    gap: GapType | None
    reason: str
    doubt: str = ""


def rule(found: Measured, target: float, config: EpistemicConfig, policy: Policy) -> Ruling:
    """The first reason that applies, the gravest first.

    A claim that the judge supports, if not surely, or leaves open though it may well be supported, is doubtful: most
    faithful claims that are far from the words of their source are among them, and a flag would be wrong.
    """
    judged, support = found.judgement, support_of(found.judgement) or 0.0
    bits = gap_bits(support, found.left, target, GAP_CAP_BITS)
    if found.phantoms:
        return Ruling(GAP_CAP_BITS, GapType.PHANTOM_CITATION, f"cites {_names(found.phantoms)}, which is not there")
    if judged.verdict is Verdict.REFUTED:
        return Ruling(bits, GapType.CONTRADICTED, judged.explanation or "the evidence says otherwise")
    if found.other:
        why = f"the cited evidence does not carry it, {_names(found.other)} does: the citation is decorative"
        return Ruling(bits, GapType.EVIDENCE_INDEPENDENT, why)
    if "over_extrapolation" in judged.violations and judged.verdict is not Verdict.SUPPORTED:
        why = judged.explanation or "the claim says more than its evidence"
        return Ruling(bits, GapType.OVER_EXTRAPOLATION, why)
    if support < config.support_threshold:
        why = judged.explanation or f"support is only {support:.2f}"
        chance = support if judged.support_probability is None else judged.support_probability
        if judged.verdict is Verdict.SUPPORTED or chance >= policy.unsure_low:
            return Ruling(bits, None, "", f"support is likely ({chance:.2f}), but not sure: {why}")
        partial = judged.support is Support.PARTIAL
        return Ruling(bits, GapType.PARTIAL_SUPPORT if partial else GapType.UNSUPPORTED, why)
    if bits > config.gap_threshold_bits:
        why = f"{bits:.1f} bits are missing between what it claims and what the evidence shows"
        return Ruling(bits, GapType.PARTIAL_SUPPORT, why)
    if found.decorative:
        why = f"the citation of {_names(found.decorative)} is decorative: without it nothing changes"
        return Ruling(bits, GapType.EVIDENCE_INDEPENDENT, why)
    if found.dependence < config.dependence_threshold:
        why = f"taking the evidence away changes little (dependence {found.dependence:.2f})"
        return Ruling(bits, GapType.EVIDENCE_INDEPENDENT, why)
    return Ruling(bits, None, "")


def _names(ids: Sequence[str]) -> str:
    return " and ".join(f"“{name}”" for name in ids)


ADVICE = {
    GapType.UNSUPPORTED: "remove it, or find a source that states it",
    GapType.PARTIAL_SUPPORT: "keep only what the evidence states, or cite what states the rest",
    GapType.PHANTOM_CITATION: "cite a source that exists and states it, or remove the claim",
    GapType.CONTRADICTED: "correct it to what the evidence states",
    GapType.OVER_EXTRAPOLATION: "say no more than the evidence says: restore its limits and reservations",
    GapType.EVIDENCE_INDEPENDENT: "cite the source that carries it, or drop the citation",
}


def find_gap(claim: ClaimVerification) -> EpistemicGap | None:
    """The gap of a flagged claim, with the advice; None for a claim that holds or whose check failed."""
    if claim.gap_type is None or claim.verdict is Verdict.ERROR:
        return None
    return EpistemicGap(claim, claim.gap_type, claim.evidence_gap_bits, ADVICE[claim.gap_type])


def write_guidance(gaps: Sequence[EpistemicGap]) -> str:
    """What to tell a writer who is to try again: each gap with its reason, the words of the source and the advice."""
    if not gaps:
        return ""
    lines = ["Write the answer again from the given sources only. These statements cannot stay as they are:"]
    for number, gap in enumerate(gaps, 1):
        reason = gap.claim.flag_reason.rstrip(".")
        quote = next((" ".join(item.quote.split()) for item in gap.claim.evidence if item.quote.strip()), "")
        shown = f" The source: “{quote[:300]}”." if quote else ""
        said = f"{number}. “{gap.claim.claim_text}” ({gap.gap_type.value.replace('_', ' ')}: {reason})."
        lines.append(f"{said}{shown} What to do: {gap.suggested_action}.")
    return "\n".join(lines)
