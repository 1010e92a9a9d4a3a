"""The judges that can be measured, by name, each as a function of (evidence, claim)."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.encoder.scores import Scores
from assay.errors import UsageError
from assay.types import Claim, Document, Judgement, Passage, Span, Verdict


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a judge says about one row, with a probability for each of the three verdicts."""

    verdict: Verdict
    scores: Scores


@dataclass(frozen=True)
class Examined:
    """A judge ready to be measured: its name, what identifies its model, and how many rows it may take at once."""

    name: str
    model: str
    judge: Callable[[str, str], Opinion]
    workers: int = 1


def _encoder(name: str, threads: int) -> Examined:
    from assay.encoder import Verifier

    verifier = Verifier.load(name, threads=1)  # the rows themselves are spread over the threads

    def judge(evidence: str, claim: str) -> Opinion:
        scores = verifier.score([(evidence, claim)])[0]
        return Opinion(scores.verdict, scores)

    return Examined(name, f"{verifier.name} {verifier.version} {verifier.sha256}", judge, threads)


def _lexical(name: str, threads: int) -> Examined:
    from assay.judges.lexical import LexicalJudge
    from assay.policy import Policy

    policy = Policy()
    lexical = LexicalJudge(policy)

    def judge(evidence: str, claim: str) -> Opinion:
        document = Document(id="evidence", text=evidence)
        passage = Passage(document, 0, len(evidence))
        judgement = lexical.judge([Claim(claim, (Span(0, len(claim)),))], [[passage]], None)[0]
        return Opinion(judgement.verdict, spread(judgement))

    return Examined(name, f"lexical {policy.sha256}", judge)


def _cascade(name: str, threads: int) -> Examined:
    """The engine's own judge, with evidence collected as the engine collects it."""
    from assay.engine.gathering import collect_evidence
    from assay.judges import make_judge
    from assay.judges.asking import ask
    from assay.policy import Policy

    policy = Policy().but(threads=threads)
    cascade = make_judge("cascade", policy)

    def judge(evidence: str, claim: str) -> Opinion:
        stated = Claim(claim, (Span(0, len(claim)),))
        passages = collect_evidence([stated], [Document(id="evidence", text=evidence)], (), policy, whole=True).passages
        judgement = ask(cascade, [stated], passages, None, policy).judgements[0]
        return Opinion(judgement.verdict, spread(judgement))

    return Examined(name, f"{getattr(cascade, 'model', name)} {policy.sha256}", judge)


def spread(judgement: Judgement) -> Scores:
    """A verdict with its confidence as three probabilities, the rest shared by the other two.

    >>> spread(Judgement(Verdict.SUPPORTED, 0.8, "lexical"))
    Scores(supported=0.8, refuted=0.1, insufficient=0.1)
    """
    other = round((1.0 - judgement.confidence) / 2, 12)
    order = (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT)
    return Scores(*(judgement.confidence if verdict is judgement.verdict else other for verdict in order))


JUDGES: dict[str, Callable[[str, int], Examined]] = {
    "small": _encoder,
    "base": _encoder,
    "lexical": _lexical,
    "cascade": _cascade,
}


def register_judge(name: str, make: Callable[[str, int], Examined]) -> None:
    """Makes a judge known to `assay eval` under a name."""
    JUDGES[name] = make


def find_judge(name: str | os.PathLike[str], threads: int = 2) -> Examined:
    """The judge of that name, or the verifier model in a folder."""
    if str(name) in JUDGES:
        return JUDGES[str(name)](str(name), threads)
    if Path(name).is_dir():
        return _encoder(str(name), threads)
    raise UsageError(f"no judge {str(name)!r}; there are {', '.join(JUDGES)}, or the folder of a verifier model")
