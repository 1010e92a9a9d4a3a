"""The written set: claims as assistants write them, with the evidence a retriever would bring, shipped with Assay.

Two measures. Claim by claim a judge gets the claim and its block's evidence. Answer by answer the whole engine gets an
answer put together from a block's claims, with other blocks' passages beside their own, and every sentence is scored.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.types import Document, Span, Verdict

if TYPE_CHECKING:
    from assay.types import Finding, Report

SHIPPED = Path(__file__).parent / "written.jsonl.gz"
LEAST_PASSAGES = 3  # of a whole answer; blocks with fewer are given passages of other blocks
TRUE_SHARE = 0.58  # of the sentences of an answer, as in answers people really get
LEAST, MOST = 6, 12  # sentences of an answer


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim, its label, the kind of its error or support, and where they are known the deciding stretches."""

    text: str
    verdict: Verdict
    kind: str
    deciding: tuple[tuple[int, Span], ...] | None  # passage number and place in it


@dataclass(frozen=True, slots=True)
class WrittenBlock:
    """Passages as documents, and what is claimed about them."""

    name: str
    source: str
    question: str
    documents: tuple[Document, ...]
    claims: tuple[LabelledClaim, ...]


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """An answer with the labelled claims it was put together from and where each stands."""

    block: WrittenBlock
    documents: tuple[Document, ...]
    text: str
    places: tuple[tuple[Span, LabelledClaim], ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled claim, the verdict it got, how sure, and whether its first quote is a deciding sentence."""

    claim: LabelledClaim
    verdict: Verdict
    confidence: float
    first_quote_decides: bool | None
    answer: int


def read_written(path: Path = SHIPPED) -> list[WrittenBlock]:
    """The blocks of a file of written rows."""
    grouped: dict[str, list[dict]] = defaultdict(list)  # type: ignore[type-arg]
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            grouped[row["block"]].append(row)
    return [_block(name, rows) for name, rows in grouped.items()]


def _block(name: str, rows: Sequence[dict]) -> WrittenBlock:  # type: ignore[type-arg]
    evidence = rows[0]["premise"]
    pieces = list(split_passages(evidence))
    documents = tuple(
        Document(id=f"{name}-{number}", text=evidence[start:end], title=title)
        for number, (title, start, end) in enumerate(pieces, 1)
    )
    claims = []
    for row in rows:
        deciding = None
        if "evidence" in row:
            deciding = tuple(
                (number, Span(max(first, start) - start, min(last, end) - start))
                for first, last in row["evidence"]
                for number, (_, start, end) in enumerate(pieces)
                if first < end and last > start
            )
        claims.append(LabelledClaim(row["hypothesis"], Verdict(row["label"]), row["kind"], deciding))
    return WrittenBlock(name, rows[0]["source"], rows[0].get("question", ""), documents, tuple(claims))


def split_passages(text: str) -> Iterator[tuple[str, int, int]]:
    """Title, start and end of each passage: a paragraph "# Title" begins one, others go on with the one before."""
    starts, at = [0], 0
    while (gap := text.find("\n\n", at)) >= 0:
        at = gap + 2
        starts.append(at)
    heads = [start for start in starts if start == 0 or text.startswith("# ", start)]
    for start, end in zip(heads, [*heads[1:], len(text)], strict=True):
        title = ""
        if text.startswith("# ", start):
            line = text.find("\n", start, end)
            line = end if line < 0 else line
            title, start = text[start + 2 : line].strip(), min(line + 1, end)
        kept = text[start:end].rstrip()
        if kept:
            yield title, start, start + len(kept)


def whole_answers(blocks: Sequence[WrittenBlock], seed: int = 0) -> list[WholeAnswer]:
    """One answer a block, of 6 to 12 sentences most of which are true, in the order they were written in."""
    dice = random.Random(seed)
    found = []
    for block in blocks:
        true = [n for n, claim in enumerate(block.claims) if claim.verdict is Verdict.SUPPORTED]
        false = [n for n, claim in enumerate(block.claims) if claim.verdict is not Verdict.SUPPORTED]
        dice.shuffle(true)
        dice.shuffle(false)
        true = true[: round(MOST * TRUE_SHARE)]
        false = false[: max(1, round(len(true) * (1 / TRUE_SHARE - 1)))]
        chosen = sorted(true + false)
        if not LEAST <= len(chosen) <= MOST:
            continue
        others = [other for other in blocks if other.name != block.name]
        documents = list(block.documents)
        while len(documents) < LEAST_PASSAGES:
            documents.append(dice.choice(dice.choice(others).documents))
        dice.shuffle(documents)
        text, places = _joined([block.claims[n] for n in chosen])
        found.append(WholeAnswer(block, tuple(documents), text, places))
    return found


def _joined(claims: Sequence[LabelledClaim]) -> tuple[str, tuple[tuple[Span, LabelledClaim], ...]]:
    """Sentences one after another, fragments and labels as bullets on lines of their own."""
    text, places, bullet = "", [], False
    for claim in claims:
        fragment = claim.text.startswith("**") or not claim.text.rstrip('*"”’)').endswith((".", "!", "?"))
        if text:
            text += "\n" if fragment or bullet else " "
        text += "- " if fragment else ""
        places.append((Span(len(text), len(text) + len(claim.text)), claim))
        text += claim.text
        bullet = fragment
    return text, tuple(places)


def score_answer(answer: WholeAnswer, report: Report, number: int) -> Iterator[Judged]:
    """Each labelled sentence with the verdict of its claims: refuted if one is, else open if one is."""
    for place, claim in answer.places:
        own = [
            f
            for f in report.findings
            if any(span.start < place.end and span.end > place.start for span in f.claim.spans)
        ]
        ranked = sorted(own, key=lambda finding: _ORDER.index(finding.verdict))
        if not ranked:
            yield Judged(claim, Verdict.NOT_CHECKABLE, 0.0, None, number)
            continue
        worst = ranked[0]
        hit = None
        if claim.deciding and claim.verdict is not Verdict.INSUFFICIENT:
            hit = first_quote_decides(answer.block, claim, [worst, *ranked[1:]])
        yield Judged(claim, worst.verdict, worst.confidence, hit, number)


_ORDER = (Verdict.REFUTED, Verdict.ERROR, Verdict.INSUFFICIENT, Verdict.SUPPORTED, Verdict.NOT_CHECKABLE)


def first_quote_decides(block: WrittenBlock, claim: LabelledClaim, findings: Iterable[Finding]) -> bool:
    """Whether the first quote of a finding stands in a deciding sentence of the claim."""
    for finding in findings:
        for item in finding.evidence[:1]:
            for number, span in claim.deciding or ():
                if item.document == block.documents[number].id and item.start < span.end and item.end > span.start:
                    return True
    return False


@dataclass(frozen=True, slots=True)
class WrittenFigures:
    """Rates over judged claims; None where nothing of the kind was judged."""

    claims: int
    answers: int
    accuracy: float
    false_refuted: float | None
    false_supported: float | None
    not_checked: float
    answers_with_false_refuted: float
    first_quote: float | None
    by_kind: dict[str, tuple[float, int]]

    @classmethod
    def of(cls, judged: Sequence[Judged]) -> WrittenFigures:
        true = [j for j in judged if j.claim.verdict is Verdict.SUPPORTED]
        rest = [j for j in judged if j.claim.verdict is not Verdict.SUPPORTED]
        answers = {j.answer for j in judged}
        spoilt = {j.answer for j in true if j.verdict is Verdict.REFUTED}
        quoted = [j.first_quote_decides for j in judged if j.first_quote_decides is not None]
        kinds: dict[str, list[bool]] = defaultdict(list)
        for j in judged:
            kinds[f"{j.claim.verdict.value[0]} {j.claim.kind}"].append(j.verdict is j.claim.verdict)
        return cls(
            claims=len(judged),
            answers=len(answers),
            accuracy=_share(j.verdict is j.claim.verdict for j in judged) or 0.0,
            false_refuted=_share(j.verdict is Verdict.REFUTED for j in true),
            false_supported=_share(j.verdict is Verdict.SUPPORTED for j in rest),
            not_checked=_share(j.verdict in (Verdict.NOT_CHECKABLE, Verdict.ERROR) for j in judged) or 0.0,
            answers_with_false_refuted=len(spoilt) / len(answers) if answers else 0.0,
            first_quote=_share(quoted),
            by_kind={k: (sum(v) / len(v), len(v)) for k, v in sorted(kinds.items(), key=lambda kv: -len(kv[1]))},
        )


def _share(hits: Iterable[bool | None]) -> float | None:
    found = [bool(hit) for hit in hits]
    return sum(found) / len(found) if found else None
