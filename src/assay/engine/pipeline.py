"""`verify`: every interface's way into the pipeline.

The rooms are opened when an answer is first verified: their patterns take longer to compile than everything else that
`from assay import check` needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, TypedDict

from assay.anchors import cited_documents
from assay.engine.findings import make_finding, nothing_to_check, worst_action
from assay.engine.gathering import hear, heed_anchors, recall, search
from assay.engine.sources import Source, read
from assay.errors import AnswerError
from assay.judges import Judge, make_judge
from assay.policy import Policy
from assay.types import Claim, Judgement, Passage, Report
from assay.views import audit_mode

if TYPE_CHECKING:
    from assay.cache import Cache
    from assay.lattice.evidence_map import AnyEvidence
    from assay.monitors import Monitor


class Given(TypedDict, total=False):
    """What an answer may come with; an engine that only adds to a run passes it on as it is."""

    sources: Iterable[Source] | Source
    question: str | None
    evidence: AnyEvidence | None
    branches: int
    inline: bool


@dataclass(frozen=True)
class Run:
    """A report with everything that led to it, for the ledger and for replay."""

    report: Report
    claims: tuple[Claim, ...]
    passages: tuple[tuple[Passage, ...], ...]
    judgements: tuple[Judgement, ...]
    policy: Policy
    model: str
    evidence: AnyEvidence | None = None
    branches: int = 0
    inline: bool = False


def check(
    answer: str,
    sources: Iterable[Source] | Source = (),
    question: str | None = None,
    policy: Policy | None = None,
    *,
    evidence: AnyEvidence | None = None,
    judge: str | Judge = "cascade",
) -> Report:
    """A report on every claim of an answer, judged against texts, files, folders, documents or a memory.

    `evidence` is the evidence map the answer was written from: an answer that cites it by pointer is checked to the
    pointer.
    """
    return verify(answer, sources=sources, question=question, policy=policy, evidence=evidence, judge=judge)


def verify(
    answer: str,
    *,
    sources: Iterable[Source] | Source = (),
    question: str | None = None,
    policy: Policy | None = None,
    evidence: AnyEvidence | None = None,
    judge: str | Judge = "cascade",
    branches: int = 0,
) -> Report:
    """The pipeline behind every interface; `judge` is the name of one or a judge of your own."""
    return Engine(policy, judge).verify(
        answer, sources=sources, question=question, evidence=evidence, branches=branches
    )


class Engine:
    """A policy and a judge, ready for many answers from many threads; models are loaded on first use and shared."""

    def __init__(
        self,
        policy: Policy | None = None,
        judge: str | Judge = "cascade",
        *,
        monitor: Monitor | None = None,
        cache: Cache | None = None,
    ) -> None:
        self.policy = policy or Policy()
        self.judge: Judge = make_judge(judge, self.policy) if isinstance(judge, str) else judge
        self.monitor = monitor
        self.cache = cache

    def warm(self) -> None:
        """Loads the judge's models now, so that the first answer need not wait for them."""
        load = getattr(self.judge, "warm", None)
        if load is not None:
            load()

    def verify(
        self,
        answer: str,
        *,
        sources: Iterable[Source] | Source = (),
        question: str | None = None,
        evidence: AnyEvidence | None = None,
        branches: int = 0,
        inline: bool = False,
    ) -> Report:
        """The report alone."""
        return self.run(
            answer, sources=sources, question=question, evidence=evidence, branches=branches, inline=inline
        ).report

    def run(
        self,
        answer: str,
        *,
        sources: Iterable[Source] | Source = (),
        question: str | None = None,
        evidence: AnyEvidence | None = None,
        branches: int = 0,
        inline: bool = False,
    ) -> Run:
        """The report and everything that led to it; `branches` counts earlier attempts at this answer."""
        from assay.bench.calibrate import revise_all
        from assay.claims import extract_claims
        from assay.defuse import shown_passages
        from assay.engine.deciding import decide, raised_halt
        from assay.judges.budget import Budget
        from assay.risks import find_risks

        rules = self.policy
        if not isinstance(answer, str):
            raise AnswerError(f"an answer is text, not {type(answer).__name__}")
        watch, budget = _Stopwatch(), Budget(rules)
        documents, memories, warnings = read(sources)
        hearing, shown = hear(answer, evidence, question, rules)
        documents.extend(shown)
        numbered = bool(documents) or not memories
        watch.lap("sources")
        claims: Sequence[Claim] = hearing.claims if hearing else extract_claims(answer, question, rules)
        watch.lap("claims")
        passages = (
            list(hearing.passages)
            if hearing
            else search(claims, documents, rules, whole=getattr(self.judge, "reads_whole", False))
        )
        remembered: list[tuple[Passage, ...]] = []
        for memory in memories:
            recalled = recall(claims, memory, rules)
            remembered.extend(map(tuple, recalled))
            passages = [(*given, *found) for given, found in zip(passages, recalled, strict=True)]
            documents.extend(
                dict.fromkeys(p.document for found in recalled for p in found if p.document not in documents)
            )
        if hearing is None:
            passages = [
                heed_anchors(claim, given, documents, rules, numbered=numbered)
                for claim, given in zip(claims, passages, strict=True)
            ]
        passages = [tuple(shown_passages(given)) for given in passages]
        watch.lap("evidence")
        actions, halts = raised_halt(self.monitor, rules)
        found = decide(self.judge, claims, passages, question, rules, budget, self.cache, self.monitor, remembered)
        judgements = revise_all(rules, found.judgements, documents)
        watch.lap("judges")
        findings = tuple(
            make_finding(
                claim,
                judgement,
                cited_documents(claim, documents, numbered=numbered),
                actions,
                hearing.violations(number) if hearing else (),
                branches=branches,
                inline=inline,
            )
            for number, (claim, judgement) in enumerate(zip(claims, judgements, strict=True))
        )
        model = getattr(self.judge, "model", self.judge.name)
        report = Report(
            answer=answer,
            findings=findings,
            documents=tuple(documents),
            question=question,
            skipped=nothing_to_check(claims),
            action=worst_action(findings),
            audit_mode=hearing.result.audit_mode if hearing else audit_mode(findings),
            warnings=(*warnings, *found.warnings),
            policy_sha256=rules.sha256,
            model=model,
            timings_ms=watch.laps,
            cost_usd=sum(judgement.cost_usd for judgement in judgements),
        )
        risks = find_risks(report, passages, rules, numbered=numbered)
        watch.lap("report")
        report = replace(report, risk_flags=(*(hearing.flags() if hearing else ()), *found.flags, *halts, *risks))
        if self.monitor is not None:
            from assay.monitors import average_similarity

            self.monitor.note(report, average_similarity(remembered))
        return Run(
            report,
            tuple(claims),
            tuple(passages),
            judgements,
            rules,
            model,
            evidence=evidence,
            branches=branches,
            inline=inline,
        )


class _Stopwatch:
    """Milliseconds per stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self.laps[stage] = (now - self._last) * 1000
        self._last = now
