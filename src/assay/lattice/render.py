"""A verified answer as a reader sees it: each claim with literal excerpts, in three sections."""

from __future__ import annotations

from assay.lattice.excerpt import find_excerpt
from assay.lattice.features import Features
from assay.lattice.result import SECTIONS, CheckedClaim, LatticeResult, Link
from assay.policy import Policy

_WINDOW = Policy().proximity_window


def render_claims(result: LatticeResult) -> str:
    """The claims under the section they belong to; what is wrong with a claim stands behind it."""
    problems: dict[int, list[str]] = {}
    for violation in result.violations:
        if violation.claim_idx is not None:
            problems.setdefault(violation.claim_idx, []).append(f"{violation.kind.value}: {violation.message}")
    sections: dict[str, list[str]] = {name: [] for name in SECTIONS}
    for claim in result.claims:
        sections[result.section_of(claim)].append(_render_claim(claim, problems.get(claim.idx, [])))
    blocks = [f"## {name}\n\n" + "\n".join(lines) for name, lines in sections.items() if lines]
    answer_level = [f"- {v.kind.value}: {v.message}" for v in result.violations if v.claim_idx is None]
    if result.json_fixups:
        answer_level.append(f"- the JSON was repaired: {', '.join(result.json_fixups)}")
    if answer_level:
        blocks.append("## About the whole answer\n\n" + "\n".join(answer_level))
    return "\n\n".join(blocks)


def _render_claim(claim: CheckedClaim, problems: list[str]) -> str:
    features = Features(claim.text)
    text = claim.text or "(no text)"
    excerpts = [_render_link(link, features) for link in claim.links if link.verified]
    return "\n".join([" ".join([f"{claim.idx + 1}. {text}", *excerpts]), *(f"   - {line}" for line in problems)])


def _render_link(link: Link, claim: Features) -> str:
    """`[E5 | title | 8-hex: "excerpt"]`."""
    item = link.evidence
    if item is None:
        return ""
    excerpt = find_excerpt(claim, item, _WINDOW).of(item.text)
    title = " ".join(item.title.replace("|", "/").split()) or "untitled"
    return f'[{item.pointer_id} | {title} | {item.evidence_id[1:]}: "{excerpt}"]'
