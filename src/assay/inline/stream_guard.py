"""The guarded stream: tokens in, events out; tokens are released by the release policy and checked meanwhile."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Executor
from time import monotonic
from typing import Any

from assay.engine import Run
from assay.errors import GeneratorError
from assay.inline.checker import CheckWorker, PartialCheck, StreamChecker
from assay.inline.events import ClaimEvent, DoneEvent, Event, FindingEvent, HaltEvent, RetractEvent, TokenEvent
from assay.inline.growing_text import GrowingText
from assay.text.sentences import split_sentences
from assay.text.tokens import count_tokens
from assay.types import Claim, Finding, Report, Span, Verdict


async def guard_stream(
    stream: AsyncIterator[str], checker: StreamChecker, release: str, executor: Executor | None = None
) -> AsyncIterator[Event]:
    """The events of one stream; whatever ends it, the source is closed and no check of it is running."""
    worker = CheckWorker(checker, executor)
    guard = StreamState(worker, release)
    reading: asyncio.Future[str] | None = None
    try:
        worker.warm()
        while not guard.over:
            if reading is None:
                reading = asyncio.ensure_future(anext(stream))
            waiting: set[asyncio.Future[Any]] = {reading, worker.running} if worker.running else {reading}
            await asyncio.wait(waiting, timeout=guard.wait_seconds(), return_when=asyncio.FIRST_COMPLETED)
            if worker.running is not None and worker.running.done():
                for event in guard.take_result():
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


class StreamState:
    """What of one stream has been written, checked and shown."""

    def __init__(self, worker: CheckWorker, release: str) -> None:
        self.worker, self.checker, self.policy = worker, worker.checker, worker.checker.policy
        self.held = release != "stream"
        self.sealed = release == "end"
        self.written = GrowingText()
        self.ends: list[int] = []  # where each piece of the stream ends
        self.shown = 0
        self.verified = 0
        self.since_check = 0
        self.last_token = monotonic()
        self.waiting_for = 0
        self.waiting_since = 0.0
        self.findings: dict[tuple[str, str], Finding] = {}
        self.reported: set[tuple[str, str]] = set()
        self.halt: HaltEvent | None = None
        self.late = 0

    @property
    def over(self) -> bool:
        return self.halt is not None

    # In

    def grow(self, token: str) -> None:
        """Takes a token in, and asks for a check where a sentence ends or enough has been written."""
        written, worker = self.written, self.worker
        written.add(token)
        self.ends.append(len(written.text))
        self.last_token = monotonic()
        self.since_check += 1
        if written.ended > max(worker.requested, self.verified):
            self._request(written.text[: written.ended])
        elif written.resting and (upto := len(written.text.rstrip())) > worker.requested:
            self._request(written.text[:upto])
        elif self.since_check >= self.policy.inline_every_tokens:
            self._request(written.text)

    def _request(self, text: str) -> None:
        self.since_check = 0
        self.worker.request(text, min(self.verified, self.written.complete))

    def take_result(self) -> Iterator[Event]:
        """Events of a finished check: those of complete claims; the first refuted one halts the stream."""
        try:
            partial = self.worker.take()
        except Exception as problem:
            yield from self._fail(problem)
            return
        if partial is None:
            return
        self._remember(partial)
        yield from self._report(partial.last)

    def _remember(self, partial: PartialCheck) -> None:
        written = self.written
        # A check in the middle of a sentence says nothing about the sentence.
        at_rest = written.resting and written.text[: partial.upto].rstrip() == written.text.rstrip()
        self.verified = max(self.verified, partial.upto if at_rest else written.end_before(partial.upto))
        # An earlier reading of the same stretch may have ended in the middle of a sentence. What went out and cannot be
        # taken back stays as it was judged when it went out.
        fixed = max(partial.done, self.shown) if self.held else partial.done
        self.findings = {
            key: one for key, one in self.findings.items() if one.spans[-1].end <= fixed or key in self.reported
        } | {_key(one.claim): one for one in partial.findings if one.spans[-1].end > fixed}

    def _report(self, last: int) -> Iterator[Event]:
        """Events for claims that are complete: in an ended sentence, or with another claim behind them."""
        for key, finding in list(self.findings.items()):
            end = finding.spans[-1].end
            whole = end <= min(self.written.complete, self.verified)
            complete = whole or (end <= last and self._stands(finding.claim))
            if key in self.reported or not complete:
                continue
            self.reported.add(key)
            yield ClaimEvent(finding.claim)
            yield FindingEvent(finding)
            if self.halt is None and (self.checker.halts(finding) or self._is_failed_check(finding)):
                self.halt = HaltEvent(_reason(finding), finding)

    def _stands(self, claim: Claim) -> bool:
        """Whether a clause of an unfinished sentence is still what it was when it was checked."""
        return len(claim.span) != len(claim.text) or claim.span.of(self.written.text) == claim.text

    def _is_failed_check(self, finding: Finding) -> bool:
        """Whether a failed check keeps a clause from being released."""
        return self.held and finding.verdict is Verdict.ERROR

    def _fail(self, problem: Exception) -> Iterator[Event]:
        """A check that raised: with `hold` the stream halts; with `stream` it goes on unverified."""
        if self.held:
            self.halt = HaltEvent(f"the check failed, so nothing more can be released: {problem}")
        self.verified = self.written.ended
        yield from ()

    # Out

    def commit(self) -> Iterator[Event]:
        """The tokens that the reader may see by now."""
        yield from self._report(0)
        if self.halt is None:
            yield from self._show(self._limit())

    def _limit(self) -> int:
        """Up to where text may be shown: all that is checked, and in a stream the sentence after that."""
        if self.sealed:
            return 0
        if self.held:
            # A refutation that may not halt yet, because its claim may go on, must not be shown meanwhile either.
            refuted = [
                f.spans[0].start for f in self.findings.values() if self.checker.halts(f) and self._unreported(f)
            ]
            return min([self.verified, self.written.complete, *refuted])
        suspect = [f.spans[-1].end for f in self.findings.values() if self.checker.halts(f) and self._pending(f)]
        if suspect:
            return min(suspect)
        while (stop := self.written.stop_after(self.verified)) is not None:
            if stop != self.waiting_for:
                self.waiting_for, self.waiting_since = stop, monotonic()
            if (monotonic() - self.waiting_since) * 1000 < self.policy.inline_wait_ms:
                return stop
            self.verified = stop
            self.late += 1
        return len(self.written.text)

    def _pending(self, finding: Finding) -> bool:
        """Whether a refuted claim still stands at the end of a sentence, and has not been acted upon."""
        return self._unreported(finding) and finding.spans[-1].end <= self.written.ended

    def _unreported(self, finding: Finding) -> bool:
        return _key(finding.claim) not in self.reported

    def _show(self, limit: int) -> Iterator[TokenEvent]:
        """Tokens up to a place; one that reaches over it is shown in two pieces."""
        text = self.written.text
        while self.shown < limit:
            number = _after(self.ends, self.shown)
            end = min(self.ends[number], limit)
            yield TokenEvent(text[self.shown : end])
            self.shown = end

    # Waiting

    def wait_seconds(self) -> float | None:
        """How long to wait for the next thing to happen."""
        waits = []
        if self.policy.inline_stall_s:
            waits.append(self.last_token + self.policy.inline_stall_s - monotonic())
        if not self.held and self.written.ended > self.verified:
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
        """The report on the whole text; what it refutes is withheld or retracted, what it does not is shown."""
        text = self.written.text
        if self.halt is None and self.checker.is_exempt(text):
            for token in self._show(len(text)):
                yield token
            yield self._done(self.checker.exempt_report(text))
            return
        if self.halt is None:
            self.written.finish()
        else:
            text = text[: max(self.written.complete, *(span.end for span in self._halted_spans()), self.shown)]
        released = self.shown if self.held else 0
        settled = [one for one in self.findings.values() if one.spans[-1].end <= released]
        run = await self.worker.call(self.checker.examine, text, released, settled)
        report = run.report
        if self.halt is None:
            self.verified = len(text)
            self.findings = {_key(finding.claim): finding for finding in report.findings}
            self.reported -= {key for key, finding in self.findings.items() if self.checker.halts(finding)}
            for told in self._report(len(text)):
                yield told
        if self.halt is None:
            for token in self._show(len(text)):
                yield token
            yield self._done(report, run)
            return
        # What stands before the first refuted sentence was checked with it or earlier, and may be shown.
        wrong = max(self._wrong_start(report), self.shown) if self.held else self._wrong_start(report)
        for token in self._show(0 if self.sealed else wrong):
            yield token
        yield self.halt
        retracted = Span(min(wrong, self.shown), self.shown)
        if len(retracted):
            yield RetractEvent(retracted, retracted.of(self.written.text))
        yield self._done(report, run, retracted)

    def _halted_spans(self) -> tuple[Span, ...]:
        finding = self.halt.finding if self.halt else None
        return finding.spans if finding else ()

    def _wrong_start(self, report: Report) -> int:
        """Where the first refuted sentence begins; where the shown text ends if no claim is to blame."""
        wrong = [*self._halted_spans()[-1:], *(f.spans[-1] for f in report.findings if self.checker.halts(f))]
        return min(map(self._sentence_start, wrong), default=self.shown)

    def _sentence_start(self, span: Span) -> int:
        sentences = [sentence.span.start for sentence in split_sentences(self.written.text[: span.end])]
        return max((one for one in sentences if one <= span.start), default=span.start)

    def _done(self, report: Report, run: Run | None = None, retracted: Span | None = None) -> DoneEvent:
        text = self.written.text
        upheld = any(self.checker.halts(f) and _key(f.claim) in self._halted_keys() for f in report.findings)
        finding = self.halt.finding if self.halt else None
        judged = finding is not None and finding.verdict is Verdict.REFUTED
        return DoneEvent(
            report,
            tokens=count_tokens(text),
            tokens_shown=count_tokens(text[: self.shown]),
            tokens_exposed=0 if retracted is None else count_tokens(retracted.of(text)),
            halted=self.halt is not None,
            false_halts=int(judged and not upheld),
            checks=self.worker.checks,
            late=self.late,
            run=run,
        )

    def _halted_keys(self) -> set[tuple[str, str]]:
        finding = self.halt.finding if self.halt else None
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
