"""`verify`: every interface's way into the pipeline.

The rooms are opened when an answer is first verified: their patterns take longer to compile than everything else that
`from assay import check` needs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypedDict

from assay.anchors import cited_documents
from assay.engine.findings import make_finding, nothing_to_check, worst_action
from assay.engine.gathering import as_passage, collect_evidence, hear
from assay.engine.sources import Source, read
from assay.errors import AnswerError, UsageError
from assay.judges import Judge, make_judge
from assay.policy import Policy
from assay.types import Claim, Document, Finding, Judgement, Passage, Report, Span
from assay.views import audit_mode

if TYPE_CHECKING:
    from assay.cache import Cache
    from assay.judges.budget import Progress
    from assay.lattice.engine_input import LatticeJudgingInput
    from assay.lattice.evidence_map import AnyEvidence
    from assay.memory import Memory
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

    >>> report = check("The mill opened in 1950.", sources=["The mill opened in 1900."])
    >>> report.verdict.value, report.claims[0].evidence[0].quote
    ('REFUTED', 'The mill opened in 1900.')
    """
    return verify(answer, sources=sources, question=question, policy=policy, evidence=evidence, judge=judge)


async def acheck(
    answer: str,
    sources: Iterable[Source] | Source = (),
    question: str | None = None,
    policy: Policy | None = None,
    *,
    evidence: AnyEvidence | None = None,
    judge: str | Judge = "cascade",
) -> Report:
    """`check` in a thread of its own, for callers with an event loop.

    >>> report = asyncio.run(acheck("The mill opened in 1900.", sources=["The mill opened in 1900."]))
    >>> report.grounded
    True
    """
    return await asyncio.to_thread(check, answer, sources, question, policy, evidence=evidence, judge=judge)


def check_many(
    answers: Iterable[Mapping[str, Any]],
    policy: Policy | None = None,
    *,
    judge: str | Judge = "cascade",
    threads: int = 1,
    progress: bool | Callable[[int], None] = False,
) -> list[Report]:
    """A report on each of many answers, in their order; models are loaded once.

    Each item holds what `check` takes: `{"answer": …, "sources": […], "question": …}`. `progress=True` draws a bar, a
    function is called with the number of answers done after each of them.

    >>> reports = check_many([{"answer": "The mill opened in 1900.", "sources": ["The mill opened in 1900."]}])
    >>> len(reports)
    1
    """
    engine, items = Engine(policy, judge), list(answers)
    for number, item in enumerate(items, 1):
        unknown = sorted(set(item) - {"answer", "sources", "question", "evidence"})
        if unknown or "answer" not in item:
            wrong = f"has the unknown key {unknown[0]!r}" if unknown else "has no answer"
            raise UsageError(f"item {number} {wrong}; an item has answer, sources, question, evidence")
    engine.warm()
    found: list[Report] = []
    with ExitStack() as stack:
        step = _draw_bar(stack, len(items)) if progress is True else progress or None
        pool = stack.enter_context(ThreadPoolExecutor(max(1, threads)))
        for report in pool.map(lambda item: engine.verify(**item), items):
            found.append(report)
            if step is not None:
                step(len(found))
    return found


def _draw_bar(stack: ExitStack, total: int) -> Callable[[int], None]:
    """A bar over the answers, on standard error or in a notebook, until the stack is closed."""
    from rich.console import Console
    from rich.progress import Progress

    bar = stack.enter_context(Progress(console=Console(stderr=True), transient=True))
    task = bar.add_task("answers", total=total)
    return lambda done: bar.update(task, completed=done)


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
    """A policy and a judge, ready for many answers from many threads; models are loaded on first use and shared.

    >>> engine = Engine(judge="lexical")
    >>> engine.check("The mill opened in 1900.", ["The mill opened in 1900."]).grounded
    True
    """

    def __init__(
        self,
        policy: Policy | None = None,
        judge: str | Judge = "cascade",
        *,
        monitor: Monitor | None = None,
        cache: Cache | None = None,
    ) -> None:
        self.policy = policy or Policy()
        self.judged_by: Judge = make_judge(judge, self.policy) if isinstance(judge, str) else judge
        self.monitor = monitor
        self.cache = cache
        self.progress: Progress | None = None  # told how far the claims of an answer are, with (who, done, all)

    def unwatched(self) -> Engine:
        """The same engine without a monitor, for runs that are not answers somebody reads."""
        return Engine(self.policy, self.judged_by, cache=self.cache)

    def warm(self) -> None:
        """Loads the judge's models now, so that the first answer need not wait for them."""
        load = getattr(self.judged_by, "warm", None)
        if load is not None:
            load()

    @property
    def model(self) -> str:
        """What identifies the judge and its weights."""
        return str(getattr(self.judged_by, "model", self.judged_by.name))

    def check(self, answer: str, sources: Iterable[Source] | Source = (), question: str | None = None) -> Report:
        """`assay.check` with this engine's policy and judge."""
        return self.verify(answer, sources=sources, question=question)

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
        from assay.claims import extract_claims

        if not isinstance(answer, str):
            raise AnswerError(f"an answer is text, not {type(answer).__name__}")
        watch = _Stopwatch()
        documents, memories, warnings = read(sources)
        hearing, shown = hear(answer, evidence, question, self.policy)
        watch.lap("sources")
        claims: Sequence[Claim] = hearing.claims if hearing else extract_claims(answer, question, self.policy)
        watch.lap("claims")
        run = self.run_claims(
            answer,
            claims,
            [*documents, *shown],
            memories,
            question=question,
            hearing=hearing,
            branches=branches,
            inline=inline,
            warnings=warnings,
            watch=watch,
        )
        return replace(run, evidence=evidence)

    def run_claims(
        self,
        answer: str,
        claims: Sequence[Claim],
        documents: Sequence[Document],
        memories: Sequence[Memory] = (),
        *,
        question: str | None = None,
        hearing: LatticeJudgingInput | None = None,
        branches: int = 0,
        inline: bool = False,
        warnings: Sequence[str] = (),
        watch: _Stopwatch | None = None,
    ) -> Run:
        """The same for claims that are known already: collect the evidence, judge, decide, report."""
        from assay.calibration import revise_all
        from assay.engine.deciding import decide, raised_halt
        from assay.judges.budget import Budget
        from assay.risks import find_risks, mark_uncited

        rules, watch = self.policy, watch or _Stopwatch()
        numbered = bool(documents) or not memories
        collected = collect_evidence(
            claims,
            documents,
            memories,
            rules,
            whole=getattr(self.judged_by, "reads_whole", False),
            found=hearing.passages if hearing else None,
        )
        watch.lap("evidence")
        actions, halts = raised_halt(self.monitor, rules)
        found = decide(
            self.judged_by,
            claims,
            collected.passages,
            question,
            rules,
            Budget(rules, progress=self.progress),
            self.cache,
            self.monitor,
            collected.remembered,
        )
        judgements = revise_all(rules, found.judgements, collected.documents)
        watch.lap("judges")
        findings = tuple(
            make_finding(
                claim,
                judgement,
                cited_documents(claim, collected.documents, numbered=numbered),
                actions,
                hearing.violations(number) if hearing else (),
                branches=branches,
                inline=inline,
            )
            for number, (claim, judgement) in enumerate(zip(claims, judgements, strict=True))
        )
        findings = mark_uncited(findings)
        report = Report(
            answer=answer,
            findings=findings,
            documents=collected.documents,
            question=question,
            skipped=nothing_to_check(claims),
            action=worst_action(findings),
            audit_mode=hearing.result.audit_mode if hearing else audit_mode(findings),
            warnings=(*warnings, *found.warnings),
            policy_sha256=rules.sha256,
            model=self.model,
            timings_ms=watch.laps,
            cost_usd=sum(judgement.cost_usd for judgement in judgements),
        )
        risks = find_risks(report, collected.passages, rules, numbered=numbered)
        watch.lap("report")
        report = replace(report, risk_flags=(*(hearing.flags() if hearing else ()), *found.flags, *halts, *risks))
        if self.monitor is not None:
            from assay.monitors import average_similarity

            self.monitor.note(report, average_similarity(collected.remembered))
        return Run(
            report,
            tuple(claims),
            collected.passages,
            judgements,
            rules,
            self.model,
            branches=branches,
            inline=inline,
        )

    def judge(
        self,
        claims: Sequence[Claim | str],
        evidence: Sequence[Sequence[Passage | Document | str]],
        question: str | None = None,
    ) -> tuple[Finding, ...]:
        """Findings on claims from the evidence given for each: passages, documents or texts, and nothing else.

        >>> Engine(judge="lexical").judge(["The mill opened in 1900."], [["The mill opened in 1900."]])[0].verdict.value
        'SUPPORTED'
        """
        from assay.engine.deciding import decide
        from assay.judges.budget import Budget

        if len(claims) != len(evidence):
            raise UsageError(
                f"{len(claims)} claims came with evidence for {len(evidence)}; give one list for each claim"
            )
        stated = [claim if isinstance(claim, Claim) else Claim(claim, (Span(0, len(claim)),)) for claim in claims]
        passages = [tuple(as_passage(item, n) for n, item in enumerate(given, 1)) for given in evidence]
        found = decide(self.judged_by, stated, passages, question, self.policy, Budget(self.policy), self.cache)
        return tuple(
            make_finding(claim, judgement, ([], []), self.policy)
            for claim, judgement in zip(stated, found.judgements, strict=True)
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
