"""Checks what has been written so far: the engine on the last window of a growing text, in a thread of its own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

from assay.cache import Cache
from assay.claims import extract_claims
from assay.engine import Engine, Request, Run, Source
from assay.policy import Policy, decide_action
from assay.text.sentences import split_sentences
from assay.text.tokens import count_tokens
from assay.types import Action, Finding, Report, Span, Verdict

T = TypeVar("T")

KEPT = 1000  # claims of one answer that are remembered
WINDOW = 1200  # characters in which those sentences are looked for
BEFORE = 3  # checked sentences that are read again for what pronouns point back to
_BLOCK = re.compile(r"\n[ \t]*(?:[-*+•|#]|\d+[.)])[ \t]?")


@dataclass(frozen=True, slots=True)
class PartialCheck:
    """The findings on a text up to a place; `last` says where the last claim begins, which may be unfinished."""

    upto: int
    findings: tuple[Finding, ...]
    last: int


class StreamChecker:
    """Checks the text of one stream against its sources."""

    def __init__(self, engine: Engine, sources: Iterable[Source] | Source = (), question: str | None = None) -> None:
        self.engine, self.question = engine, question
        self.policy: Policy = engine.policy
        self._given = sources
        self._sources: list[Source] | None = None
        # A claim is judged once in a stream, whoever asks; only the report at the end counts for the monitor.
        kept = engine.cache if engine.cache is not None else Cache(size=KEPT)
        self._partial = Engine(engine.policy, engine.judged_by, cache=kept)
        self._final = Engine(engine.policy, engine.judged_by, monitor=engine.monitor, cache=kept)

    def inspect(self, text: str, done: int = 0) -> PartialCheck:
        """The findings on what stands after `done`, with the window before it as context."""
        start = _window_start(text, done)
        report = self._run(self._partial, text[start:]).report
        findings = tuple(self._placed(finding, start) for finding in report.findings)
        last = max((finding.claim.span.start for finding in findings), default=len(text))
        return PartialCheck(len(text), tuple(f for f in findings if f.spans[-1].end > done), last)

    def warm(self) -> None:
        """Opens the sources and the models before the first sentence comes."""
        self._run(self._partial, "This sentence is here to wake the judge up.")

    def examine(self, text: str) -> Run:
        """The run on the whole text, which counts as one output for the engine's monitor."""
        run = self._run(self._final, text, inline=True)
        findings = tuple(self._placed(finding, 0) for finding in run.report.findings)
        halted = any(map(self.halts, findings))
        action = Action.HALT if halted else run.report.action
        return replace(run, report=replace(run.report, findings=findings, action=action))

    def is_exempt(self, text: str) -> bool:
        """Whether an output is a greeting or an acknowledgement: short, and without anything that could be checked."""
        if count_tokens(text) > self.policy.exempt_tokens:
            return False
        return not any(claim.checkable for claim in extract_claims(text, self.question, self.policy))

    def exempt_report(self, text: str) -> Report:
        """The report on an output that needs no check."""
        return Report(
            text,
            (),
            question=self.question,
            skipped=f"an output of at most {self.policy.exempt_tokens} tokens that states nothing is not checked",
            policy_sha256=self.policy.sha256,
            model=self.engine.model,
        )

    def halts(self, finding: Finding) -> bool:
        return finding.action is Action.HALT or (
            finding.verdict is Verdict.REFUTED
            and decide_action(finding.verdict, finding.confidence, policy=self.policy, inline=True) is Action.HALT
        )

    def _run(self, engine: Engine, text: str, *, inline: bool = False) -> Run:
        if self._sources is None:  # folders are read once, not with every sentence
            from assay.engine.request import read_sources

            documents, memories, _ = read_sources(self._given)
            self._sources = [*documents, *memories]
        return engine.run(Request(text, sources=self._sources, question=self.question, inline=inline))

    def _placed(self, finding: Finding, by: int) -> Finding:
        """The finding with offsets that count from the start of the stream, and the action of a stream."""
        action = decide_action(finding.verdict, finding.confidence, policy=self.policy, inline=True)
        if not by:
            return replace(finding, action=action)
        claim = replace(
            finding.claim,
            spans=tuple(span.shifted(by) for span in finding.claim.spans),
            citations=tuple(replace(one, span=one.span.shifted(by)) for one in finding.claim.citations),
        )
        moved: tuple[Span, ...] = tuple(span.shifted(by) for span in finding.judgement.unsupported)
        return replace(finding, claim=claim, judgement=replace(finding.judgement, unsupported=moved), action=action)


def _window_start(text: str, done: int) -> int:
    """Where the window begins: some sentences before what is already checked, in a list or table at its start."""
    low = max(0, done - WINDOW)
    paragraph = text.rfind("\n\n", 0, done) + 2 if "\n\n" in text[:done] else 0
    if _BLOCK.search(text, max(paragraph, low)):
        return paragraph
    starts = [low + sentence.span.start for sentence in split_sentences(text[low:done])]
    # The first of them may be half a sentence, cut by the window.
    return starts[-BEFORE] if len(starts) > BEFORE else (low if low == 0 else starts[-1] if starts else 0)


class CheckWorker:
    """Runs a checker off the event loop, in threads that streams share or in one of its own, which `close` ends."""

    def __init__(self, checker: StreamChecker, shared: Executor | None = None) -> None:
        self.checker = checker
        self._shared = shared
        self.checks = 0
        self.running: asyncio.Future[PartialCheck] | None = None
        self.requested = -1
        self._waiting: tuple[str, int] | None = None
        self._pool: ThreadPoolExecutor | None = None

    def request(self, text: str, done: int) -> None:
        """Asks for a check of a text; a request that still waits gives way, for the newer text contains its own."""
        self.requested = len(text)
        self._waiting = (text, done)
        if self.running is None:
            self._start()

    def take(self) -> PartialCheck:
        """The finished check; the next one, if any is waiting, starts at once. Raises what the check raised."""
        if self.running is None or not self.running.done():
            raise RuntimeError("no check has finished")
        finished, self.running = self.running, None
        if self._waiting is not None:
            self._start()
        return finished.result()

    def warm(self) -> None:
        """Has everything opened in the thread; what fails there fails again at the first check, and is told.

        Threads that are shared have judged before, and other streams wait for them.
        """
        if self._shared is None:
            self._threads().submit(self.checker.warm)

    async def call(self, function: Callable[[str], T], text: str) -> T:
        """Runs something else after what is running; what was waiting is dropped."""
        self._waiting = None
        if self.running is not None:
            await asyncio.wait([self.running])
        return await asyncio.get_running_loop().run_in_executor(self._threads(), function, text)

    async def close(self) -> None:
        """Waits for a running check, which cannot be interrupted but is short, and ends the thread."""
        self._waiting = None
        if self.running is not None:
            await asyncio.wait([self.running])
            if not self.running.cancelled():
                self.running.exception()  # retrieved, so that asyncio does not warn about it
            self.running = None
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _start(self) -> None:
        assert self._waiting is not None
        (text, done), self._waiting = self._waiting, None
        self.checks += 1
        loop = asyncio.get_running_loop()
        self.running = loop.run_in_executor(self._threads(), self.checker.inspect, text, done)

    def _threads(self) -> Executor:
        if self._shared is not None:
            return self._shared
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="assay-inline")
        return self._pool
