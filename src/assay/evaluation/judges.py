"""What can be measured, by name: a judge as a function of (evidence, claim), or the whole engine on an answer."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.calibration import verdict_scores
from assay.encoder.scores import NOTHING, Scores, over_sentences
from assay.errors import UsageError
from assay.evaluation.rows import LabelledRow
from assay.policy import Policy
from assay.types import Claim, Document, Finding, Passage, Report, Span, Verdict

Detail = Mapping[str, Any]
MODES = ("judge", "pipeline")
_SHOWN_QUOTES = 2
_NO_TIME_LIMIT = 600_000.0  # milliseconds


@dataclass(frozen=True, slots=True)
class Prediction:
    """The verdict on one row, with a probability for each of the three verdicts."""

    verdict: Verdict
    scores: Scores


@dataclass(frozen=True)
class MeasuredJudge:
    """A judge or engine ready to be measured: its name, what identifies its model, and what it makes of a row.

    `whole_answers` says that a row's answer, question and sources are judged, not its claim against its evidence; the
    detail beside a prediction is then what was found claim by claim. `workers` rows may be judged at the same time.
    """

    name: str
    model: str
    examine: Callable[[LabelledRow], tuple[Prediction, Detail | None]]
    workers: int = 1
    whole_answers: bool = False

    @classmethod
    def of_pairs(
        cls, name: str, model: str, judge: Callable[[str, str], Prediction], workers: int = 1
    ) -> MeasuredJudge:
        """A judge that is a function of (evidence, claim)."""
        return cls(name, model, lambda row: (judge(row.evidence, row.claim), None), workers)

    def key(self, row: LabelledRow) -> str:
        """What identifies this judge's prediction for a row."""
        seen = [self.model, row.evidence, row.claim]
        if self.whole_answers:
            seen += [row.text, row.question, *row.sources]
        return hashlib.sha256(json.dumps(seen).encode("utf-8")).hexdigest()


def _encoder(name: str, threads: int) -> MeasuredJudge:
    from assay.encoder import Verifier

    verifier = Verifier.load(name, threads=1)  # the rows themselves are spread over the threads

    def judge(evidence: str, claim: str) -> Prediction:
        scores = verifier.score([(evidence, claim)])[0]
        return Prediction(scores.verdict, scores)

    return MeasuredJudge.of_pairs(name, f"{verifier.name} {verifier.version} {verifier.sha256}", judge, threads)


def _lexical(name: str, threads: int) -> MeasuredJudge:
    from assay.judges.lexical import LexicalJudge

    policy = Policy()
    lexical = LexicalJudge(policy)

    def judge(evidence: str, claim: str) -> Prediction:
        passage = Passage(Document(id="evidence", text=evidence), 0, len(evidence))
        judgement = lexical.judge_claim(Claim(claim, (Span(0, len(claim)),)), [passage])
        return Prediction(judgement.verdict, verdict_scores(judgement))

    return MeasuredJudge.of_pairs(name, f"lexical {policy.sha256}", judge)


def _cascade(name: str, threads: int) -> MeasuredJudge:
    """The engine's own judge, with evidence collected as the engine collects it."""
    from assay.engine import Engine, Request

    engine = Engine(Policy().but(threads=threads), "cascade")

    def judge(evidence: str, claim: str) -> Prediction:
        stated = Claim(claim, (Span(0, len(claim)),))
        request = Request(claim, Document("evidence", evidence), claims=(stated,))
        judgement = engine.run(request).report.findings[0].judgement
        return Prediction(judgement.verdict, verdict_scores(judgement))

    return MeasuredJudge.of_pairs(name, f"{engine.model} {engine.policy.sha256}", judge)


JUDGES: dict[str, Callable[[str, int], MeasuredJudge]] = {
    "small": _encoder,
    "base": _encoder,
    "lexical": _lexical,
    "cascade": _cascade,
}


def register_judge(name: str, make: Callable[[str, int], MeasuredJudge]) -> None:
    """Makes a judge known to `assay eval` under a name."""
    JUDGES[name] = make


def find_judge(
    name: str | os.PathLike[str], threads: int = 2, mode: str = "judge", policy: Policy | None = None
) -> MeasuredJudge:
    """The judge of that name or the verifier model in a folder; in the mode "pipeline" the whole engine with it."""
    if mode not in MODES:
        raise UsageError(f"unknown mode {mode!r}; choose {' or '.join(MODES)}")
    if mode == "pipeline":
        return make_pipeline(str(name), policy)
    if str(name) in JUDGES:
        return JUDGES[str(name)](str(name), threads)
    if Path(name).is_dir():
        return _encoder(str(name), threads)
    raise UsageError(f"no judge {str(name)!r}; there are {', '.join(JUDGES)}, or the folder of a verifier model")


def make_pipeline(judge: str, policy: Policy | None = None) -> MeasuredJudge:
    """The engine with a judge, as every interface runs it; an answer is called by its worst claim."""
    from assay.engine import Engine
    from assay.judges import make_judge

    rules = without_time_limit(policy or Policy())
    engine = Engine(rules, make_judge(judge, rules))

    def examine(row: LabelledRow) -> tuple[Prediction, Detail]:
        documents = [Document(str(number), text) for number, text in enumerate(row.sources, 1)]
        report = engine.check(row.text, sources=documents, question=row.question or None)
        return _predict(report), {"claims": [_describe(finding) for finding in report.findings]}

    model = f"engine {judge} {rules.sha256} {_weights_hash(judge)}"
    return MeasuredJudge(judge, model, examine, whole_answers=True)


def without_time_limit(policy: Policy) -> Policy:
    """The policy without the time limit of one claim: on a busy machine it would decide what is measured."""
    return policy.but(verification_timeout_ms=_NO_TIME_LIMIT)


def _weights_hash(judge: str) -> str:
    """What tells one set of weights from another, so that a journal does not outlive them."""
    from assay.encoder.bundle import WEIGHTS
    from assay.weights import find_weights

    sizes = {"lexical": (), "cascade": ("small", "base")}.get(judge, (judge,))
    folders = [folder for size in sizes if (folder := find_weights(WEIGHTS, size)) is not None]
    found = b"".join(path.read_bytes() for folder in folders if (path := folder / "manifest.json").exists())
    return hashlib.sha256(found).hexdigest()[:16]


def _predict(report: Report) -> Prediction:
    """An answer is as well supported as its weakest claim, and refuted when any of them is."""
    every = [verdict_scores(finding.judgement) for finding in report.scored]
    return Prediction(report.verdict, over_sentences(every) if every else NOTHING)


def _describe(finding: Finding) -> Detail:
    """What is kept of a finding: its verdict, where it stands, and its first quotes."""
    return {
        "text": finding.text,
        "spans": [[span.start, span.end] for span in finding.spans],
        "verdict": finding.verdict.value,
        "confidence": round(finding.confidence, 4),
        "method": finding.method,
        "explanation": finding.explanation,
        "quotes": [
            {"document": item.document, "start": item.start, "end": item.end, "quote": item.quote}
            for item in finding.evidence[:_SHOWN_QUOTES]
        ],
    }


def flagged_spans(detail: Detail) -> list[Span]:
    """The stretches of an answer whose claims were found refuted or unsupported."""
    wrong = (Verdict.REFUTED.value, Verdict.INSUFFICIENT.value)
    return [Span(*place) for claim in detail["claims"] if claim["verdict"] in wrong for place in claim["spans"]]
