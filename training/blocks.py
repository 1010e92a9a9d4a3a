"""Blocks: one evidence and all claims about it, as the written rows and the public sets hold them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.encoder.passages import EncodedPassage, encode_claim, encode_passages, encode_question, split_passages
from training.rows import LABELS, NOT_SUPPORTED, read_json

CODES = {label: number for number, label in enumerate((*LABELS, NOT_SUPPORTED))}
CLAIM_TOKENS = 128


@dataclass(frozen=True)
class Claim:
    """A claim, its label, and where they are known the deciding stretches of the evidence and its own wrong words."""

    text: str
    label: str
    kind: str = ""
    deciding: tuple[tuple[int, int], ...] | None = None
    wrong: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True)
class Block:
    """Evidence (passages between blank lines, titles after "# ") and the claims about it."""

    name: str
    source: str
    evidence: str
    claims: tuple[Claim, ...]
    question: str = ""


def read_blocks(path: Path) -> list[Block]:
    """The blocks of a file of rows: those with the same `block`, or (public sets) the same premise."""
    grouped: dict[str, list[dict]] = defaultdict(list)
    for row in read_json(path):
        grouped[row.get("block") or row["premise"]].append(row)
    return [
        Block(
            rows[0].get("block") or f"{rows[0]['source']}/{number}",
            rows[0]["source"],
            rows[0]["premise"],
            tuple(_claim(row) for row in rows),
            rows[0].get("question", ""),
        )
        for number, rows in enumerate(grouped.values())
    ]


def _claim(row: dict) -> Claim:
    def spans(name: str) -> tuple[tuple[int, int], ...] | None:
        return tuple((start, end) for start, end in row[name]) if name in row else None

    return Claim(row["hypothesis"], row["label"], row.get("kind", ""), spans("evidence"), spans("wrong"))


@dataclass(frozen=True)
class EncodedClaim:
    """Token ids, label code, deciding sentences by number (of all sentences of the block), a 0/1 for each token."""

    ids: tuple[int, ...]
    label: int
    deciding: frozenset[int] | None
    wrong: tuple[int, ...] | None


@dataclass(frozen=True)
class EncodedBlock:
    """A block as token ids; sentences are counted through all passages."""

    name: str
    source: str
    passages: tuple[EncodedPassage, ...]
    claims: tuple[EncodedClaim, ...]
    question: EncodedPassage | None = None

    @property
    def tokens(self) -> int:
        return sum(len(p.ids) for p in self.passages) + sum(len(c.ids) for c in self.claims)


def encode_block(block: Block, tokenizer) -> EncodedBlock:
    passages: list[EncodedPassage] = []
    places: list[tuple[int, int]] = []  # of each sentence in the evidence text
    for title, start, end in split_passages(block.evidence):
        for passage in encode_passages(block.evidence[start:end], title, tokenizer):
            passages.append(passage)
            places += [(start + s.span.start, start + s.span.end) for s in passage.sentences]
    claims = []
    for claim in block.claims:
        deciding = None if claim.deciding is None else frozenset(overlapping(claim.deciding, places))
        ids = tuple(encode_claim(claim.text, tokenizer, CLAIM_TOKENS))
        claims.append(EncodedClaim(ids, CODES[claim.label], deciding, wrong_tokens(claim, tokenizer, len(ids))))
    question = encode_question(block.question, tokenizer) if block.question else None
    return EncodedBlock(block.name, block.source, tuple(passages), tuple(claims), question)


def overlapping(spans: Iterable[tuple[int, int]], places: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Numbers of the sentences that share at least half of their characters, or of the stretch's, with a stretch."""
    for number, (start, end) in enumerate(places):
        for first, last in spans:
            shared = min(end, last) - max(start, first)
            if shared > 0 and 2 * shared >= min(end - start, last - first):
                yield number
                break


def wrong_tokens(claim: Claim, tokenizer, length: int) -> tuple[int, ...] | None:
    """1 for each token of the words that are wrong or unbacked; None where nobody has marked them."""
    if claim.label == "SUPPORTED":
        return (0,) * length
    if claim.wrong is None:
        return None
    offsets = tokenizer.encode(claim.text, add_special_tokens=False).offsets[: length - 2]
    inside = [int(any(start < last and end > first for first, last in claim.wrong)) for start, end in offsets]
    return (0, *inside, 0)
