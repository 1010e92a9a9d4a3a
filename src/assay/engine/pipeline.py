"""The engine: every interface's way into the pipeline.

The rooms are opened when an answer is first verified: their patterns take longer to compile than everything else that
`from assay import check` needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from assay.anchors import cited_documents
from assay.engine.findings import make_finding, nothing_to_check, worst_action
from assay.engine.gathering import Collected, as_passage, collect_evidence, parse_lattice_answer
from assay.engine.request import Request, Source, read_sources
from assay.errors import UsageError
from assay.judges import Judge, make_judge
from assay.policy import Policy
from assay.types import Claim, Document, Finding, Passage, Report, Span, audit_mode_of

if TYPE_CHECKING:
    from assay.cache import Cache
    from assay.judges.asking import Deliberation
    from assay.judges.budget import Progress
    from assay.lattice.engine_input import LatticeJudgingInput
    from assay.lattice.evidence_map import AnyEvidence
    from assay.monitors import Monitor

_ITEM = ("answer", "sources", "question", "evidence")


@dataclass(frozen=True)
class Run:
    """A report with everything that led to it, for the ledger and for replay."""

    request: Request
    report: Report
    passages: tuple[tuple[Passage, ...], ...]
    policy: Policy
    model: str

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(finding.claim for finding in self.report.findings)


def check(
    answer: str,
    sources: Iterable[Source] | Source = (),
    question: str | None = None,
    policy: Policy | None = None,
    *,
    evidence: AnyEvidence | None = None,
    judge: str | Judge = "cascade",
    branches: int = 0,
) -> Report:
    """A report on every claim of an answer, judged against texts, files, folders, documents or a memory.

    `evidence` is the evidence map the answer was written from: an answer that cites it by pointer is checked to the
    pointer. `judge` is the name of one or a judge of your own.

    >>> report = check("The mill opened in 1950.", sources=["The mill opened in 1900."])
    >>> report.verdict.value, report.claims[0].evidence[0].quote
    ('REFUTED', 'The mill opened in 1900.')
    """
    return Engine(policy, judge).run(Request(answer, sources, question, evidence, branches)).report


verify = check


async def acheck(answer: str, *args: Any, **options: Any) -> Report:
    """`check`, with the same arguments, in a thread of its own, for callers with an event loop.

    >>> import asyncio
    >>> report = asyncio.run(acheck("The mill opened in 1900.", sources=["The mill opened in 1900."]))
    >>> report.grounded
    True
    """
    import asyncio  # takes longer to load than much of a check, and only this needs it

    return await asyncio.to_thread(check, answer, *args, **options)


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
        unknown = sorted(set(item) - set(_ITEM))
        if unknown or "answer" not in item:
            wrong = f"has the unknown key {unknown[0]!r}" if unknown else "has no answer"
            raise UsageError(f"item {number} {wrong}; an item has {', '.join(_ITEM)}")
    engine.warm()
    found: list[Report] = []
    with ExitStack() as stack:
        step = _draw_bar(stack, len(items)) if progress is True else progress or None
        pool = stack.enter_context(ThreadPoolExecutor(max(1, threads)))
        for report in pool.map(lambda item: engine.check(**item), items):
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
        self.judged_by = make_judge(judge, self.policy)
        self.monitor = monitor
        self.cache = cache
        self.progress: Progress | None = None  # told how far the claims of an answer are, with (who, done, all)

    def unwatched(self) -> Engine:
        """The same engine without a monitor, for runs that are not answers somebody reads."""
        return Engine(self.policy, self.judged_by, cache=self.cache)

    def warm(self) -> None:
        """Loads the judge's models now, so that the first answer need not wait for them."""
        self.judged_by.warm()

    @property
    def model(self) -> str:
        """What identifies the judge and its weights."""
        return self.judged_by.model

    def check(
        self,
        answer: str,
        sources: Iterable[Source] | Source = (),
        question: str | None = None,
        evidence: AnyEvidence | None = None,
    ) -> Report:
        """`assay.check` with this engine's policy and judge."""
        return self.run(Request(answer, sources, question, evidence)).report

    def run(self, request: Request) -> Run:
        """The report on an answer, and everything that led to it."""
        from assay.claims import extract_claims
        from assay.risks import find_risks

        rules, watch = self.policy, _Stopwatch()
        documents, memories, warnings = read_sources(request.sources)
        lattice, shown = parse_lattice_answer(request, rules)
        watch.lap("sources")
        claims = request.claims
        if claims is None:
            claims = lattice.claims if lattice else tuple(extract_claims(request.answer, request.question, rules))
        watch.lap("claims")
        collected = collect_evidence(
            claims,
            [*documents, *shown],
            memories,
            rules,
            whole=self.judged_by.reads_whole,
            found=lattice.passages if lattice else None,
        )
        watch.lap("evidence")
        findings, judged = self._judge(claims, collected, request, lattice)
        watch.lap("judges")
        report = Report(
            answer=request.answer,
            findings=findings,
            documents=collected.documents,
            question=request.question,
            skipped=nothing_to_check(claims),
            action=worst_action(findings),
            audit_mode=lattice.result.audit_mode if lattice else audit_mode_of(findings),
            warnings=(*warnings, *judged.warnings),
            policy_sha256=rules.sha256,
            model=self.model,
            cost_usd=sum(finding.judgement.cost_usd for finding in findings),
        )
        risks = find_risks(report, collected.passages, rules, numbered=collected.numbered)
        watch.lap("report")
        flags = (*(lattice.flags() if lattice else ()), *judged.flags, *risks)
        report = replace(report, risk_flags=flags, timings_ms=watch.laps)
        if self.monitor is not None:
            self.monitor.note(report, collected.similarity)
        return Run(request, report, collected.passages, rules, self.model)

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
        if len(claims) != len(evidence):
            raise UsageError(
                f"{len(claims)} claims came with evidence for {len(evidence)}; give one list for each claim"
            )
        stated = [claim if isinstance(claim, Claim) else Claim(claim, (Span(0, len(claim)),)) for claim in claims]
        given = Collected.of([as_passage(item, n) for n, item in enumerate(one, 1)] for one in evidence)
        engine = self.unwatched()
        engine.progress = self.progress
        return engine._judge(stated, given, Request("", question=question))[0]

    def _judge(
        self,
        claims: Sequence[Claim],
        collected: Collected,
        request: Request,
        lattice: LatticeJudgingInput | None = None,
    ) -> tuple[tuple[Finding, ...], Deliberation]:
        """The one way from claims and evidence to findings: judge, calibrate, decide what is to be done."""
        from assay.calibration import revise_all
        from assay.engine.deciding import decide, raised_halt
        from assay.risks import mark_uncited

        actions, halts = raised_halt(self.monitor, self.policy)
        judged = decide(self, claims, collected, request.question)
        judgements = revise_all(self.policy, judged.judgements, collected.documents)
        findings = [
            make_finding(
                claim,
                judgement,
                cited_documents(claim, collected.documents, numbered=collected.numbered),
                actions,
                lattice.violations(number) if lattice else (),
                branches=request.branches,
                inline=request.inline,
            )
            for number, (claim, judgement) in enumerate(zip(claims, judgements, strict=True))
        ]
        return mark_uncited(findings), replace(judged, flags=(*judged.flags, *halts))


class _Stopwatch:
    """Milliseconds per stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self.laps[stage] = (now - self._last) * 1000
        self._last = now
