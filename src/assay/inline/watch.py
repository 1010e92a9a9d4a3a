"""The guarded stream: tokens in, events out, nothing shown that should not be and nothing left running."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Iterator
from time import monotonic
from typing import Any

from assay.engine import Run
from assay.errors import GeneratorError
from assay.inline.events import Checked, ClaimFound, Done, Event, Halt, Retract, Token
from assay.inline.growth import Growth
from assay.inline.inspector import Inspection, Inspector
from assay.inline.worker import Worker
from assay.text.sentences import split_sentences
from assay.text.tokens import count_tokens
from assay.types import Claim, Finding, Report, Span, Verdict


async def watch(stream: AsyncIterator[str], inspector: Inspector, release: str) -> AsyncIterator[Event]:
    """The events of one stream; whatever ends it, the source is closed and the checking thread is gone."""
    worker = Worker(inspector)
    guard = _Guard(worker, release)
    reading: asyncio.Future[str] | None = None
    try:
        worker.warm()
        while not guard.over:
            if reading is None:
                reading = asyncio.ensure_future(anext(stream))
            waiting: set[asyncio.Future[Any]] = {reading, worker.running} if worker.running else {reading}
            await asyncio.wait(waiting, timeout=guard.patience(), return_when=asyncio.FIRST_COMPLETED)
            if worker.running is not None and worker.running.done():
                for event in guard.learn():
                    yield event
            if reading.done() and not guard.over:
                finished, reading = reading, None
                try:
                    token = finished.result()
                except StopAsyncIteration:
                    break
                guard.grow(token)
            guard.check_silence(silent=reading is not None and not reading.done())
            for event in guard.commit():
                yield event
        if reading is not None:
            await _drop(reading)
            reading = None
        await _close(stream)
        async for event in guard.finish():
            yield event
    finally:
        if reading is not None:
            await _drop(reading)
        await _close(stream)
        await worker.close()


async def _drop(reading: asyncio.Future[str]) -> None:
    reading.cancel()
    await asyncio.wait([reading])
    if not reading.cancelled():
        reading.exception()


async def _close(stream: AsyncIterator[str]) -> None:
    close = getattr(stream, "aclose", None)
    if close is not None:
        await close()


class _Guard:
    """What has been written, checked and shown of one stream."""

    def __init__(self, worker: Worker, release: str) -> None:
        self.worker, self.inspector, self.policy = worker, worker.inspector, worker.inspector.policy
        self.held = release == "hold"
        self.growth = Growth()
        self.ends: list[int] = []  # where each piece of the stream ends
        self.shown = 0
        self.verified = 0
        self.since_check = 0
        self.last_token = monotonic()
        self.waiting_for = 0
        self.waiting_since = 0.0
        self.found: dict[tuple[str, str], Finding] = {}
        self.told: set[tuple[str, str]] = set()
        self.stopping: Halt | None = None
        self.late = 0

    @property
    def over(self) -> bool:
        return self.stopping is not None

    # In

    def grow(self, token: str) -> None:
        """Takes a token in, and asks for a check where a sentence ends or enough has been written."""
        growth, worker = self.growth, self.worker
        growth.add(token)
        self.ends.append(len(growth.text))
        self.last_token = monotonic()
        self.since_check += 1
        if growth.ended > max(worker.requested, self.verified):
            self._request(growth.text[: growth.ended])
        elif growth.resting and (upto := len(growth.text.rstrip())) > worker.requested:
            self._request(growth.text[:upto])
        elif self.since_check >= self.policy.inline_every_tokens:
            self._request(growth.text)

    def _request(self, text: str) -> None:
        self.since_check = 0
        self.worker.request(text, min(self.verified, self.growth.complete))

    def learn(self) -> Iterator[Event]:
        """What a finished check found: complete claims are told, and the first refuted one stops the stream."""
        try:
            inspection = self.worker.take()
        except Exception as problem:
            yield from self._fail(problem)
            return
        self._remember(inspection)
        yield from self._tell(inspection.last)

    def _remember(self, inspection: Inspection) -> None:
        done = self.growth.text[: inspection.upto]
        if inspection.upto <= self.growth.ended or done.rstrip() == self.growth.text.rstrip():
            self.verified = max(self.verified, inspection.upto)
        else:
            self.verified = max(self.verified, min(self.growth.ended, inspection.upto))
        for finding in inspection.findings:
            self.found[_key(finding.claim)] = finding

    def _tell(self, last: int) -> Iterator[Event]:
        """Events for claims that are complete: in an ended sentence, or with another claim behind them."""
        for key, finding in list(self.found.items()):
            end = finding.spans[-1].end
            complete = end <= self.growth.complete or (end <= last and self._stands(finding.claim))
            if key in self.told or not complete:
                continue
            self.told.add(key)
            yield ClaimFound(finding.claim)
            yield Checked(finding)
            if self.stopping is None and (self.inspector.halts(finding) or self._unheld(finding)):
                self.stopping = Halt(_reason(finding), finding)

    def _stands(self, claim: Claim) -> bool:
        """Whether a clause of an unfinished sentence is still what it was when it was checked."""
        return len(claim.span) != len(claim.text) or claim.span.of(self.growth.text) == claim.text

    def _unheld(self, finding: Finding) -> bool:
        """Whether a failed check keeps a clause from being released."""
        return self.held and finding.verdict is Verdict.ERROR

    def _fail(self, problem: Exception) -> Iterator[Event]:
        """A check that raised: held text stays held for good; a stream that shows all at once goes on unverified."""
        if self.held:
            self.stopping = Halt(f"the check failed, so nothing more can be released: {problem}")
        self.verified = self.growth.ended
        yield from ()

    # Out

    def commit(self) -> Iterator[Event]:
        """The tokens that the reader may see by now."""
        yield from self._tell(0)
        if self.stopping is None:
            yield from self._show(self._limit())

    def _limit(self) -> int:
        """Up to where text may be shown: all that is checked, and in a stream the sentence after that."""
        if self.held:
            # A refutation that may not halt yet, because its claim may go on, must not be shown meanwhile either.
            refuted = [f.spans[0].start for f in self.found.values() if self.inspector.halts(f) and self._untold(f)]
            return min([self.verified, self.growth.complete, *refuted])
        suspect = [f.spans[-1].end for f in self.found.values() if self.inspector.halts(f) and self._pending(f)]
        if suspect:
            return min(suspect)
        while (stop := self.growth.stop_after(self.verified)) is not None:
            if stop != self.waiting_for:
                self.waiting_for, self.waiting_since = stop, monotonic()
            if (monotonic() - self.waiting_since) * 1000 < self.policy.inline_wait_ms:
                return stop
            self.verified = stop
            self.late += 1
        return len(self.growth.text)

    def _pending(self, finding: Finding) -> bool:
        """Whether a refuted claim still stands at the end of a sentence, and has not been acted upon."""
        return self._untold(finding) and finding.spans[-1].end <= self.growth.ended

    def _untold(self, finding: Finding) -> bool:
        return _key(finding.claim) not in self.told

    def _show(self, limit: int) -> Iterator[Token]:
        """Tokens up to a place; one that reaches over it is shown in two pieces."""
        text = self.growth.text
        while self.shown < limit:
            number = _after(self.ends, self.shown)
            end = min(self.ends[number], limit)
            yield Token(text[self.shown : end])
            self.shown = end

    # Waiting

    def patience(self) -> float | None:
        """How long to wait for the next thing to happen."""
        waits = []
        if self.policy.inline_stall_s:
            waits.append(self.last_token + self.policy.inline_stall_s - monotonic())
        if not self.held and self.growth.ended > self.verified:
            waits.append(self.waiting_since + self.policy.inline_wait_ms / 1000 - monotonic())
        return max(0.001, min(waits)) if waits else None

    def check_silence(self, silent: bool) -> None:
        limit = self.policy.inline_stall_s
        if silent and limit and monotonic() - self.last_token >= limit:
            raise GeneratorError(
                f"the stream has been silent for {limit:g} s and was given up; raise inline_stall_s if it is slow"
            )

    # The end

    async def finish(self) -> AsyncIterator[Event]:
        """The report on the whole text; what it refutes is retracted, what it does not is shown."""
        text = self.growth.text
        if self.stopping is None and self.inspector.is_exempt(text):
            for token in self._show(len(text)):
                yield token
            yield self._done(self.inspector.exempt_report(text))
            return
        if self.stopping is None:
            self.growth.finish()
        else:
            text = text[: max(self.growth.complete, *(span.end for span in self._blamed()), self.shown)]
        run = await self.worker.call(self.inspector.examine, text)
        report = run.report
        if self.stopping is None:
            self.found = {_key(finding.claim): finding for finding in report.findings}
            self.told -= {key for key, finding in self.found.items() if self.inspector.halts(finding)}
            for told in self._tell(len(text)):
                yield told
        if self.stopping is None:
            for token in self._show(len(text)):
                yield token
            yield self._done(report, run)
            return
        # What stands before the refuted sentence was checked with it or earlier, and may be shown.
        for token in self._show(self._wrong_start()):
            yield token
        yield self.stopping
        retracted = Span(min(self._wrong_start(), self.shown), self.shown)
        if len(retracted):
            yield Retract(retracted, retracted.of(self.growth.text))
        yield self._done(report, run, retracted)

    def _blamed(self) -> tuple[Span, ...]:
        finding = self.stopping.finding if self.stopping else None
        return finding.spans if finding else ()

    def _wrong_start(self) -> int:
        """Where the refuted sentence begins; where the shown text ends if no claim is to blame."""
        spans = self._blamed()
        if not spans:
            return self.shown
        start = spans[-1].start
        sentences = [sentence.span.start for sentence in split_sentences(self.growth.text[: spans[-1].end])]
        return max((one for one in sentences if one <= start), default=start)

    def _done(self, report: Report, run: Run | None = None, retracted: Span | None = None) -> Done:
        text = self.growth.text
        upheld = any(self.inspector.halts(f) and _key(f.claim) in self._blamed_keys() for f in report.findings)
        finding = self.stopping.finding if self.stopping else None
        judged = finding is not None and finding.verdict is Verdict.REFUTED
        return Done(
            report,
            tokens=count_tokens(text),
            tokens_shown=count_tokens(text[: self.shown]),
            tokens_exposed=0 if retracted is None else count_tokens(retracted.of(text)),
            halted=self.stopping is not None,
            false_halts=int(judged and not upheld),
            checks=self.worker.checks,
            late=self.late,
            run=run,
        )

    def _blamed_keys(self) -> set[tuple[str, str]]:
        finding = self.stopping.finding if self.stopping else None
        return {_key(finding.claim)} if finding else set()


def _key(claim: Claim) -> tuple[str, str]:
    return claim.text, claim.context


def _after(ends: list[int], offset: int) -> int:
    """The number of the piece in which an offset lies."""
    return min(bisect_right(ends, offset), len(ends) - 1)


def _reason(finding: Finding) -> str:
    if finding.verdict is Verdict.ERROR:
        return f"the check failed: {finding.explanation}"
    return finding.explanation or "the sources contradict it"
