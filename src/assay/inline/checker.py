"""Checks what has been written so far: the engine on what is new in a growing text, off the event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

from assay.cache import Cache
from assay.claims import extract_claims
from assay.engine import Engine, Request, Run, Source
from assay.policy import Policy, decide_action
from assay.text.tokens import count_tokens
from assay.types import Action, Claim, Finding, Report, Verdict

T = TypeVar("T")

KEPT = 1000  # claims of one answer that are remembered
BEFORE = 12_000  # characters before what is new that are read again: headings, and what pronouns point back to


@dataclass(frozen=True, slots=True)
class PartialCheck:
    """The findings on a text between two places; `last` says where the last claim begins, which may be unfinished."""

    done: int
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
        """The findings on the claims that reach beyond `done`, read with what stands before them."""
        start = _context_start(text, done)
        claims = [claim for claim in self._claims(text, start) if claim.spans[-1].end > done]
        last = max((claim.span.start for claim in claims), default=len(text))
        return PartialCheck(done, len(text), self._findings(self._run(self._partial, text, claims)), last)

    def warm(self) -> None:
        """Opens the sources and the models before the first sentence comes."""
        self._run(self._partial, "This sentence is here to wake the judge up.")

    def examine(self, text: str, released: int = 0, settled: Sequence[Finding] = ()) -> Run:
        """The run on the whole text, which counts as one output for the engine's monitor.

        Up to `released` the text cannot be taken back: there the findings by which it went out, `settled`, stand, and
        what follows is judged.
        """
        claims: list[Claim] | None = None
        known = {_key(finding.claim): finding for finding in settled}
        if released:
            fresh = [claim for claim in self._claims(text) if claim.spans[-1].end > released]
            repeated = set(map(_key, fresh))
            old = [finding.claim for key, finding in known.items() if key not in repeated]
            claims = sorted([*old, *fresh], key=lambda claim: claim.span.start)
        run = self._run(self._final, text, claims, inline=True)
        findings = tuple(
            replace(known[_key(one.claim)], claim=one.claim) if _key(one.claim) in known else one
            for one in self._findings(run)
        )
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

    def _claims(self, text: str, start: int = 0) -> list[Claim]:
        """The claims of a text from a place on, with offsets that count from its beginning."""
        found = extract_claims(text[start:], self.question, self.policy)
        return [_moved(claim, start) for claim in found] if start else found

    def _run(self, engine: Engine, text: str, claims: Sequence[Claim] | None = None, *, inline: bool = False) -> Run:
        if self._sources is None:  # folders are read once, not with every sentence
            from assay.engine.request import read_sources

            documents, memories, _ = read_sources(self._given)
            self._sources = [*documents, *memories]
        given = None if claims is None else tuple(claims)
        return engine.run(Request(text, sources=self._sources, question=self.question, claims=given, inline=inline))

    def _findings(self, run: Run) -> tuple[Finding, ...]:
        """The findings with the action of a stream."""
        return tuple(
            replace(one, action=decide_action(one.verdict, one.confidence, policy=self.policy, inline=True))
            for one in run.report.findings
        )


def _key(claim: Claim) -> tuple[str, str]:
    return claim.text, claim.context


def _context_start(text: str, done: int) -> int:
    """Where reading begins: at the beginning, in a very long text at a paragraph some pages before what is new."""
    low = done - BEFORE
    return 0 if low <= 0 else text.find("\n\n", low, done) + 2 if "\n\n" in text[low:done] else low


def _moved(claim: Claim, by: int) -> Claim:
    return replace(
        claim,
        spans=tuple(span.shifted(by) for span in claim.spans),
        citations=tuple(replace(one, span=one.span.shifted(by)) for one in claim.citations),
    )


class CheckWorker:
    """Runs a checker off the event loop, in threads that streams share or in one of its own, which `close` ends.

    A check reads what has been written when its turn comes: the longer streams wait for a thread, the more sentences
    each check takes, so that a busy machine makes fewer checks and not later ones.
    """

    def __init__(self, checker: StreamChecker, shared: Executor | None = None) -> None:
        self.checker = checker
        self._shared = shared
        self.checks = 0
        self.running: asyncio.Future[PartialCheck | None] | None = None
        self.requested = -1
        self._waiting: deque[tuple[str, int]] = deque(maxlen=1)
        self._pool: ThreadPoolExecutor | None = None

    def request(self, text: str, done: int) -> None:
        """Asks for a check of a text; a request that still waits gives way, for the newer text contains its own."""
        self.requested = len(text)
        self._waiting.append((text, done))
        if self.running is None:
            self._start()

    def take(self) -> PartialCheck | None:
        """The finished check; the next one, if any is waiting, starts at once. Raises what the check raised."""
        if self.running is None or not self.running.done():
            raise RuntimeError("no check has finished")
        finished, self.running = self.running, None
        if self._waiting:
            self._start()
        return finished.result()

    def warm(self) -> None:
        """Has everything opened in the thread; what fails there fails again at the first check, and is told.

        Threads that are shared have judged before, and other streams wait for them.
        """
        if self._shared is None:
            self._threads().submit(self.checker.warm)

    async def call(self, function: Callable[..., T], *args: object) -> T:
        """Runs something else after what is running; what was waiting is dropped."""
        self._waiting.clear()
        if self.running is not None:
            await asyncio.wait([self.running])
        return await asyncio.get_running_loop().run_in_executor(self._threads(), function, *args)

    async def close(self) -> None:
        """Waits for a running check, which cannot be interrupted but is short, and ends the thread."""
        self._waiting.clear()
        if self.running is not None:
            await asyncio.wait([self.running])
            if not self.running.cancelled():
                self.running.exception()  # retrieved, so that asyncio does not warn about it
            self.running = None
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _start(self) -> None:
        self.running = asyncio.get_running_loop().run_in_executor(self._threads(), self._inspect)

    def _inspect(self) -> PartialCheck | None:
        """The check of the newest text that was asked for; None when it is not wanted any more."""
        try:
            text, done = self._waiting.pop()
        except IndexError:
            return None
        self.checks += 1
        return self.checker.inspect(text, done)

    def _threads(self) -> Executor:
        if self._shared is not None:
            return self._shared
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="assay-inline")
        return self._pool
