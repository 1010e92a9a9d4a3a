"""A response taken apart into claims, and each claim set beside the evidence it should rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.claims import extract_claims
from assay.defuse import defuse_text
from assay.epistemic.free_answer import HOME
from assay.errors import GeneratorError
from assay.llm.delimit import Block, fence
from assay.llm.prices import CostBudget, Metered
from assay.llm.prompt import load_prompt
from assay.llm.replies import read_object
from assay.llm.values import Generator, Schema
from assay.policy import Policy
from assay.types import Claim, Document, Span

MODEL_TOKENS = 1024
SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "evidence": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["text", "evidence"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["claims"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Part:
    """A claim, and the ids of its evidence where somebody has named them; None leaves it to the claim's own anchors."""

    claim: Claim
    evidence_ids: tuple[str, ...] | None = None


def split_by_rule(response: str, question: str | None = None, policy: Policy | None = None) -> list[Part]:
    """The claims as the engine finds them; their evidence is what they cite, or else all there is."""
    return [Part(claim) for claim in extract_claims(response, question, policy or Policy())]


async def split_by_model(
    generator: Generator, response: str, documents: Sequence[Document], budget: CostBudget, expected: Sequence[Part]
) -> list[Part]:
    """The claims as a language model finds them, or `expected` (those found by rule) where its reply cannot be used.

    A claim must stand in the response word for word, what the model maps it to must exist, and no checkable claim that
    the rules find may be missing: a model that invents or leaves out is not believed. Anchors in the claim itself come
    before the model's mapping.
    """
    blocks = [Block("source", defuse_text(d.text), d.id, d.title) for d in documents]
    messages = load_prompt("decompose", home=HOME).fill(
        blocks=fence([*blocks, Block("response", defuse_text(response))])
    )
    try:
        model = Metered(generator, budget, "decompose")
        completion = await model.complete(messages, max_tokens=MODEL_TOKENS, schema=SCHEMA)
        listed = read_object(completion.text, ("claims",)).get("claims")
    except GeneratorError:
        return list(expected)
    known = {document.id for document in documents}
    parts: list[Part] = []
    at = 0
    for item in listed if isinstance(listed, list) else [None]:
        said = item.get("text") if isinstance(item, dict) else None
        named = item.get("evidence") if isinstance(item, dict) else None
        start = response.find(said, at) if isinstance(said, str) and said.strip() else -1
        if not isinstance(said, str) or start < 0:
            return list(expected)
        at = start + len(said)
        mapped = tuple(name for name in named if name in known) if isinstance(named, list) else ()
        parts += _located(said, start, mapped)
    return parts if _cover(parts, expected) else list(expected)


def _cover(parts: Sequence[Part], expected: Sequence[Part]) -> bool:
    """Whether each checkable claim of `expected` is met by one of the parts."""
    spans = [span for part in parts if part.claim.checkable for span in part.claim.spans]
    return all(
        any(span.overlaps(own) for span in spans for own in part.claim.spans)
        for part in expected
        if part.claim.checkable
    )


def _located(said: str, start: int, mapped: tuple[str, ...]) -> list[Part]:
    return [
        Part(
            replace(claim, spans=tuple(Span(span.start + start, span.end + start) for span in claim.spans)),
            None if claim.citations or not mapped else mapped,
        )
        for claim in extract_claims(said)
    ]
