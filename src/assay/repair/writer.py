"""The writer: drafts an answer from passages, with anchors that the engine can resolve."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from assay.llm.choosing import NOTHING
from assay.llm.delimit import Block, fence, fence_passages
from assay.llm.prompt import load_prompt
from assay.llm.values import Generator, Message
from assay.llm.waiting import run
from assay.policy import Policy
from assay.text.sentences import split_sentences
from assay.types import Passage

_POINTER = re.compile(r"\[\s*((?:E\d{1,4})(?:\s*[,;]\s*E\d{1,4})*)\s*\]")
_TAG = re.compile(r'^[^\S\n]*+</?[a-z]+(?: [^<>\n]*)? ?mark="\w*">?[^\S\n]*+$', re.MULTILINE)
ANCHOR_CHARS = 8
_LONGEST_ANCHOR = 40  # characters of '[E1, E2, …]'


@dataclass(frozen=True, slots=True)
class Draft:
    """What a writer wrote; `refused` when it found no answer in the sources."""

    text: str
    refused: bool
    cost_usd: float | None
    prompt: str


class Writer:
    """A generator that is shown sources under pointers; its pointers become anchors on the documents' hashes."""

    def __init__(self, generator: Generator, policy: Policy) -> None:
        self.generator = generator
        self.policy = policy

    def draft(
        self,
        question: str,
        passages: Sequence[Passage],
        prompt: str = "writer",
        *,
        temperature: float = 0.0,
        seed: int | None = None,
        history: Sequence[Message] = (),
        **blocks: str,
    ) -> Draft:
        """An answer written by one of the prompts; `blocks` are further stretches of text the prompt asks for."""
        loaded = load_prompt(prompt, home="assay.repair")
        system, user = loaded.fill(
            sources=fence_passages(passages),
            question=fence([Block("question", question)]),
            **{name: fence([Block(name, text)]) for name, text in blocks.items()},
        )
        completion = run(
            self.generator.complete(
                [system, *history, user],
                temperature=temperature,
                seed=seed,
                max_tokens=self.policy.writer_max_tokens,
            )
        )
        text = clean(completion.text, cut=completion.finish_reason == "length")
        refused = not text or NOTHING.lower() in text.lower()
        return Draft("" if refused else cite(text, passages), refused, completion.cost_usd, loaded.id)


def clean(text: str, *, cut: bool = False) -> str:
    """A reply without echoed fences, and without the sentence in which the writer was cut off."""
    text = _TAG.sub("", text).strip()
    if cut:
        sentences = split_sentences(text)
        if len(sentences) > 1 and not text.endswith((".", "!", "?", "]")):
            text = text[: sentences[-1].span.start].rstrip()
    return text


def cite(text: str, passages: Sequence[Passage]) -> str:
    """`[E2]` becomes `[cite:1a2b3c4d]`, the beginning of the document's hash; an invented pointer stays a phantom."""

    def anchor(match: re.Match[str]) -> str:
        named = [_target(pointer, passages) for pointer in re.findall(r"E\d+", match[1])]
        return f"[cite:{', '.join(dict.fromkeys(named))}]"

    return _POINTER.sub(anchor, text)


async def cite_stream(texts: AsyncIterator[str], passages: Sequence[Passage]) -> AsyncIterator[str]:
    """The same text with its pointers turned into anchors; what may be the start of a pointer is kept until it ends."""
    held = ""
    async for text in texts:
        held += text
        opening = held.rfind("[")
        until = len(held)
        if opening >= 0 and "]" not in held[opening:] and len(held) - opening <= _LONGEST_ANCHOR:
            until = opening
        if until:
            yield cite(held[:until], passages)
        held = held[until:]
    if held:
        yield held


def _target(pointer: str, passages: Sequence[Passage]) -> str:
    number = int(pointer[1:])
    return passages[number - 1].document.sha256[:ANCHOR_CHARS] if 1 <= number <= len(passages) else pointer
