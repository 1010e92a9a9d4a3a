"""The written set: claims as assistants write them, with the evidence a retriever would bring, shipped with Assay.

Two measures. Claim by claim a judge gets the claim and its block's evidence. Answer by answer the whole engine gets an
answer put together from a block's claims, with other blocks' passages beside their own, and every sentence is scored.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.encoder.passages import split_passages
from assay.evaluation.results import share
from assay.types import Claim, Document, Passage, Span, Verdict

if TYPE_CHECKING:
    from assay.engine.pipeline import Engine
    from assay.types import Evidence, Report

Step = Callable[[], None]
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
    part: str  # of the set: first, answers or short
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
class JudgedClaim:
    """A labelled claim, the verdict it got, how sure, and whether its first quote is a deciding sentence."""

    claim: LabelledClaim
    verdict: Verdict
    confidence: float
    first_quote_decides: bool | None
    answer: int
    part: str = ""

    @property
    def right(self) -> bool:
        return self.verdict is self.claim.verdict


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
    return WrittenBlock(name, rows[0].get("part", ""), rows[0].get("question", ""), documents, tuple(claims))


def whole_answers(blocks: Sequence[WrittenBlock], seed: int = 0) -> list[WholeAnswer]:
    """One answer a block, of 6 to 12 sentences most of which are true, in the order they were written in."""
    rng = random.Random(seed)
    found = []
    for block in blocks:
        true = [n for n, claim in enumerate(block.claims) if claim.verdict is Verdict.SUPPORTED]
        false = [n for n, claim in enumerate(block.claims) if claim.verdict is not Verdict.SUPPORTED]
        rng.shuffle(true)
        rng.shuffle(false)
        true = true[: round(MOST * TRUE_SHARE)]
        false = false[: max(1, round(len(true) * (1 / TRUE_SHARE - 1)))]
        chosen = sorted(true + false)
        if not LEAST <= len(chosen) <= MOST:
            continue
        others = [other for other in blocks if other.name != block.name]
        documents = list(block.documents)
        while len(documents) < LEAST_PASSAGES:
            documents.append(rng.choice(rng.choice(others).documents))
        rng.shuffle(documents)
        text, places = join_claims([block.claims[n] for n in chosen])
        found.append(WholeAnswer(block, tuple(documents), text, places))
    return found


def join_claims(claims: Sequence[LabelledClaim]) -> tuple[str, tuple[tuple[Span, LabelledClaim], ...]]:
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


def judge_claims(engine: Engine, blocks: Sequence[WrittenBlock], step: Step = lambda: None) -> list[JudgedClaim]:
    """Every claim of every block by itself, against the passages of its block."""
    found = []
    for number, block in enumerate(blocks):
        claims = [Claim(claim.text, (Span(0, len(claim.text)),)) for claim in block.claims]
        passages = [tuple(Passage(d, 0, len(d.text)) for d in block.documents)] * len(claims)
        given = engine.judge(claims, passages, block.question or None)
        for claim, finding in zip(block.claims, given, strict=True):
            hit = first_quote_decides(block, claim, [finding.evidence[:1]])
            found.append(JudgedClaim(claim, finding.verdict, finding.confidence, hit, number, block.part))
        step()
    return found


def judge_answers(engine: Engine, answers: Sequence[WholeAnswer], step: Step = lambda: None) -> list[JudgedClaim]:
    """Every sentence of every answer, judged by the whole engine."""
    found: list[JudgedClaim] = []
    for number, answer in enumerate(answers):
        report = engine.check(answer.text, sources=list(answer.documents), question=answer.block.question or None)
        found += score_answer(answer, report, number)
        step()
    return found


def score_answer(answer: WholeAnswer, report: Report, number: int) -> Iterator[JudgedClaim]:
    """Each labelled sentence with the verdict of its claims: refuted if one is, else open if one is."""
    for place, claim in answer.places:
        own = [f for f in report.findings if any(place.overlaps(span) for span in f.claim.spans)]
        own.sort(key=lambda finding: _ORDER.index(finding.verdict))
        if not own:
            yield JudgedClaim(claim, Verdict.NOT_CHECKABLE, 0.0, None, number, answer.block.part)
            continue
        # A sentence in several claims has a quote for each: the one that decides must be first in one of them.
        hit = first_quote_decides(answer.block, claim, [finding.evidence[:1] for finding in own])
        yield JudgedClaim(claim, own[0].verdict, own[0].confidence, hit, number, answer.block.part)


_ORDER = (Verdict.REFUTED, Verdict.ERROR, Verdict.INSUFFICIENT, Verdict.SUPPORTED, Verdict.NOT_CHECKABLE)


def first_quote_decides(block: WrittenBlock, claim: LabelledClaim, quotes: Iterable[Sequence[Evidence]]) -> bool | None:
    """Whether one of the quotes stands in a deciding sentence; None where nobody marked them, or nothing decides."""
    if not claim.deciding or claim.verdict is Verdict.INSUFFICIENT:
        return None
    return any(
        item.document == block.documents[number].id and item.start < span.end and item.end > span.start
        for group in quotes
        for item in group
        for number, span in claim.deciding
    )


@dataclass(frozen=True, slots=True)
class WrittenFigures:
    """Rates over judged claims; None where nothing of the kind was judged."""

    claims: int
    answers: int
    accuracy: float
    false_refuted: float | None
    false_supported: float | None
    caught: float | None  # wrong or unbacked claims called REFUTED
    not_checked: float
    answers_with_false_refuted: float
    first_quote: float | None
    by_part: dict[str, tuple[float, int]]
    by_verdict: dict[str, tuple[float, int]]
    by_kind: dict[str, tuple[float, int]]

    @classmethod
    def of(cls, judged: Sequence[JudgedClaim]) -> WrittenFigures:
        true = [j for j in judged if j.claim.verdict is Verdict.SUPPORTED]
        rest = [j for j in judged if j.claim.verdict is not Verdict.SUPPORTED]
        answers = {j.answer for j in judged}
        spoilt = {j.answer for j in true if j.verdict is Verdict.REFUTED}
        quoted = [j.first_quote_decides for j in judged if j.first_quote_decides is not None]
        return cls(
            claims=len(judged),
            answers=len(answers),
            accuracy=share(j.right for j in judged) or 0.0,
            false_refuted=share(j.verdict is Verdict.REFUTED for j in true),
            false_supported=share(j.verdict is Verdict.SUPPORTED for j in rest),
            caught=share(j.verdict is Verdict.REFUTED for j in rest),
            not_checked=share(j.verdict in (Verdict.NOT_CHECKABLE, Verdict.ERROR) for j in judged) or 0.0,
            answers_with_false_refuted=len(spoilt) / len(answers) if answers else 0.0,
            first_quote=share(quoted),
            by_part=_rates(judged, lambda j: j.part),
            by_verdict=_rates(judged, lambda j: j.claim.verdict.value),
            by_kind=_rates(judged, lambda j: f"{j.claim.verdict.value} {j.claim.kind}"),
        )


def _rates(judged: Sequence[JudgedClaim], group: Callable[[JudgedClaim], str]) -> dict[str, tuple[float, int]]:
    """Share of right verdicts and number of each group, the largest first."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for one in judged:
        groups[group(one)].append(one.right)
    return {name: (sum(hits) / len(hits), len(hits)) for name, hits in sorted(groups.items(), key=lambda g: -len(g[1]))}
