"""The texts of the lattice: the prompt for a model, and a verified answer with literal excerpts."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from assay.lattice.evidence_map import ALLOWED_ROLES, AnyEvidence, EvidenceMap, EvidenceObject
from assay.lattice.features import TextFeatures
from assay.lattice.result import SECTIONS, AnswerForm, CheckedClaim, LatticeResult, Link
from assay.lattice.rules import MAX_CLAIMS, NEIGHBOUR_WINDOW
from assay.text.comparable import placed_words
from assay.text.normalise import normalise
from assay.text.tokens import singular
from assay.types import Span


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
    features = TextFeatures(claim.text)
    text = claim.text or "(no text)"
    excerpts = [_render_link(link, features) for link in claim.links if link.verified]
    return "\n".join([" ".join([f"{claim.idx + 1}. {text}", *excerpts]), *(f"   - {line}" for line in problems)])


def _render_link(link: Link, claim: TextFeatures) -> str:
    """`[E5 | title | 8-hex: "excerpt"]`."""
    item = link.evidence
    if item is None:
        return ""
    excerpt = find_excerpt(claim, item, NEIGHBOUR_WINDOW).of(item.text)
    title = " ".join(item.title.replace("|", "/").split()) or "untitled"
    return f'[{item.pointer_id} | {title} | {item.evidence_id[1:]}: "{excerpt}"]'


def find_excerpt(claim: TextFeatures, item: EvidenceObject, window: int) -> Span:
    """The span of `item.text` with the most distinct words of the claim in at most `window` characters.

    It then grows to the bounds of the sentences it begins and ends in, by at most `window` characters on each side.
    """
    core = _richest_window(claim.stems, item.text, window)
    sentences = item.features.sentences
    if not sentences:
        return core
    first = sentences[max(0, bisect_right(sentences, core.start, key=lambda s: s.start) - 1)]
    last = sentences[max(0, bisect_right(sentences, max(core.start, core.end - 1), key=lambda s: s.start) - 1)]
    start = min(core.start, max(first.start, core.start - window))
    end = max(core.end, min(last.end, core.end + window))
    return Span(start, end)


def _richest_window(wanted: frozenset[str], text: str, window: int) -> Span:
    """Two pointers over the places of the claim's words; the first of equally rich windows wins."""
    mapped = normalise(text)
    places = [(root, start, end) for word, start, end in placed_words(mapped) if (root := singular(word)) in wanted]
    best, best_count = Span(0, 0), 0
    inside: Counter[str] = Counter()
    left = 0
    for word, _, end in places:
        inside[word] += 1
        while end - places[left][1] > window and places[left][2] < end:
            inside[places[left][0]] -= 1
            if not inside[places[left][0]]:
                del inside[places[left][0]]
            left += 1
        if len(inside) > best_count:
            best, best_count = Span(places[left][1], end), len(inside)
    return mapped.to_original(best.start, best.end)


def load_template(form: AnswerForm | str) -> str:
    """The wording of a form, with `$question`, `$evidence` and `$max_claims` still to be filled in."""
    from importlib.resources import files

    return files("assay.lattice").joinpath("prompts", f"{AnswerForm(form).value}.md").read_text(encoding="utf-8")


def write_prompt(form: AnswerForm | str, question: str, evidence: AnyEvidence) -> str:
    """The whole prompt: what to do, the question, and the evidence under its pointers.

    A source that may not carry a claim is marked, so that the model does not walk into it.
    """
    from string import Template

    shown = "\n\n".join(_show(item) for item in EvidenceMap.of(evidence)) or "(none)"
    return Template(load_template(form)).substitute(question=question.strip(), evidence=shown, max_claims=MAX_CLAIMS)


def _show(item: EvidenceObject) -> str:
    title = " ".join(item.title.split()) or "untitled"
    note = "" if item.source_role in ALLOWED_ROLES else " (background only, do not cite)"
    return f"[{item.pointer_id}] {title}{note}\n{item.text.strip()}"
