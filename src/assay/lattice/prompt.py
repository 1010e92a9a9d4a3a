"""The text that tells a model how to answer in each form; the wording lives in `prompts/`, one file a form."""

from __future__ import annotations

from assay.lattice.evidence_map import ALLOWED_ROLES, AnyEvidence, EvidenceMap, EvidenceObject
from assay.lattice.kinds import Form
from assay.policy import Policy


def load_template(form: Form | str) -> str:
    """The wording of a form, with `$question`, `$evidence` and `$max_claims` still to be filled in."""
    from importlib.resources import files

    return files("assay.lattice").joinpath("prompts", f"{Form(form).value}.md").read_text(encoding="utf-8")


def write_prompt(form: Form | str, question: str, evidence: AnyEvidence, policy: Policy | None = None) -> str:
    """The whole prompt: what to do, the question, and the evidence under its pointers.

    A source that may not carry a claim is marked, so that the model does not walk into it.
    """
    from string import Template

    shown = "\n\n".join(_show(item) for item in EvidenceMap.of(evidence)) or "(none)"
    limit = (policy or Policy()).lattice_max_claims
    return Template(load_template(form)).substitute(question=question.strip(), evidence=shown, max_claims=limit)


def _show(item: EvidenceObject) -> str:
    title = " ".join(item.title.split()) or "untitled"
    note = "" if item.source_role in ALLOWED_ROLES else " (background only, do not cite)"
    return f"[{item.pointer_id}] {title}{note}\n{item.text.strip()}"
