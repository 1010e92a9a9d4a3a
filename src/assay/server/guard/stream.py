"""A streamed answer, guarded: events from the upstream in, events of the same protocol out."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from assay.abstention import abstain
from assay.server.guard.answers import AnswerGuard, merge_notes, reason_of
from assay.server.guard.wire import Event, StreamPiece, TextKey, Wire, encode
from assay.server.problems import Problem, log, problem_of

if TYPE_CHECKING:
    from assay.inline import DoneEvent, HaltEvent
    from assay.server.state import AppState

_BREAK = "\n\n"  # between two texts of an answer, so that they are checked as paragraphs of their own
_KEEP_ALIVE = 10.0  # seconds of silence after which a comment is sent, which clients skip
_MOST_WAITING = 256  # events that wait for a slow reader
_COMMENT = b": checking\n\n"


class UpstreamFailure(Exception):  # noqa: N818 – an event that is passed on, not a failure here
    """The upstream said in the middle of a stream that it failed."""

    def __init__(self, event: Event) -> None:
        super().__init__("the upstream failed in the middle of its stream")
        self.event = event


class StreamGuard:
    """Guards one streamed answer."""

    def __init__(self, state: AppState, guard: AnswerGuard, wire: Wire) -> None:
        self._state, self._guard, self._wire = state, guard, wire

    async def frames(self, events: AsyncIterator[Event | None]) -> AsyncIterator[bytes]:
        """What goes out to the client; a failure ends it with the error event of the protocol, before any verdict."""
        wire, guard = self._wire, self._guard
        several = guard.request.upstream.get("n") not in (None, 1)
        mode = guard.request.mode
        handle = self._annotate if mode == "annotate" else self._wait if mode == "repair" or several else self._live
        try:
            async for event in _heard(handle(self._pieces(events))):
                yield _COMMENT if event is None else encode(wire.sent(event))
            if wire.tail:
                yield wire.tail
        except UpstreamFailure as failure:
            guard.span.fail("upstream-error", str(failure))
            yield encode(failure.event)
        except Exception as error:
            problem = problem_of(error)
            guard.span.fail(problem.kind, problem.detail)
            log.error("a guarded stream failed: %s", problem.detail, exc_info=None if error is problem else error)
            yield encode(wire.sent(wire.error(problem)))

    async def _pieces(self, events: AsyncIterator[Event | None]) -> AsyncIterator[StreamPiece]:
        wire = self._wire
        async for event in events:
            if event is None:
                wire.complete = True
                break
            if wire.is_failure(event):
                raise UpstreamFailure(event)
            self._guard.span.note(wire.facts(event))
            for piece in wire.pieces(event):
                yield piece
        if not wire.complete:
            raise Problem(
                502, "the upstream ended its stream before the answer was complete", kind="upstream-incomplete"
            )

    async def _annotate(self, pieces: AsyncIterator[StreamPiece]) -> AsyncIterator[Event]:
        """Everything goes through at once; the end waits for the verdicts."""
        texts: dict[TextKey, str] = {}
        held: list[StreamPiece] = []
        async for piece in pieces:
            if piece.key is not None:
                texts[piece.key] = texts.get(piece.key, "") + piece.text
            if piece.last or held:
                held.append(piece)
            elif piece.event is not None:
                yield piece.event
        note = merge_notes(await self._guard.settle_all(texts), self._guard.request.mode)
        for event in self._with_note(held, note):
            yield event

    async def _wait(self, pieces: AsyncIterator[StreamPiece]) -> AsyncIterator[Event]:
        """The answer is waited for, settled as a whole and then sent."""
        texts: dict[TextKey, str] = {}
        held: list[StreamPiece] = []
        async for piece in pieces:
            held.append(piece)
            if piece.key is not None:
                texts[piece.key] = texts.get(piece.key, "") + piece.text
        outcomes = await self._guard.settle_all(texts)
        stopped = {key.choice for key, outcome in outcomes.items() if outcome.stopped}
        changed = {key: outcome.text for key, outcome in outcomes.items() if outcome.text != texts[key]}
        self._guard.count_stopped(bool(stopped))
        sent: list[StreamPiece] = []
        said: set[TextKey] = set()
        for piece in held:
            if piece.key in changed:
                if piece.key not in said and piece.event is not None:
                    said.add(piece.key)
                    sent.append(StreamPiece(self._wire.with_text(piece.event, changed[piece.key])))
            elif piece.key is None and piece.event is not None and (changed or stopped):
                sent.append(StreamPiece(self._wire.rewrite(piece.event, changed, stopped), last=piece.last))
            else:
                sent.append(piece)
        for event in self._with_note(sent, merge_notes(outcomes, self._guard.request.mode)):
            yield event

    async def _live(self, pieces: AsyncIterator[StreamPiece]) -> AsyncIterator[Event]:
        """Claims are checked while the text comes; what is not checked yet, in `block` all of it, is held back."""
        # Nothing waits to be put into it: an event that has left the held ones must not be overtaken.
        out: asyncio.Queue[Event | Iterator[Event] | Exception | None] = asyncio.Queue()

        async def drive() -> None:
            try:
                async for event in self._checked(pieces, out):
                    out.put_nowait(event)
                out.put_nowait(None)
            except Exception as error:
                out.put_nowait(error)

        task = asyncio.create_task(drive())
        try:
            while (item := await out.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                for event in [item] if isinstance(item, dict) else item:
                    yield event
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _checked(self, pieces: AsyncIterator[StreamPiece], out: asyncio.Queue[Any]) -> AsyncIterator[Event]:
        from assay import inline

        guard, request = self._guard, self._guard.request
        engine, memory = await asyncio.to_thread(lambda: (guard.engine, guard.memory))
        held: deque[StreamPiece] = deque()

        async def texts() -> AsyncIterator[str]:
            before: TextKey | None = None
            size = 0
            async for piece in pieces:
                while out.qsize() > _MOST_WAITING:  # a slow reader slows the upstream
                    await asyncio.sleep(0.05)
                if piece.key is None and piece.event is not None and not held and not piece.last:
                    out.put_nowait(piece.event)  # no text comes before it
                    yield ""  # the stream is alive
                    continue
                held.append(piece)
                gap = _BREAK if piece.key is not None and before not in (None, piece.key) else ""
                before, piece.gap = piece.key or before, len(gap)
                size += len(piece.text)
                guard.check_length(size)
                yield gap + piece.text

        halt: HaltEvent | None = None
        done: DoneEvent | None = None
        note: dict[str, Any] = {"mode": request.mode, "sources": request.origin}
        events = inline.guard(
            texts(),
            memory=memory,
            sources=list(request.documents),
            question=request.question,
            engine=engine,
            release="hold" if request.mode == "hold" else "end",
            executor=self._state.pool.executor,
        )
        async for event in events:
            match event.kind:
                case "token" if request.mode == "hold":  # with `block` all of them come at the end, with the note
                    for piece in self._released(held, len(event.text)):
                        yield piece
                case "halt":
                    halt = event
                    note["halt"] = {key: value for key, value in event.to_dict().items() if key != "kind"}
                case "done":
                    done = event
        assert done is not None
        reason = None if halt is None else reason_of(halt.finding) if halt.finding else halt.reason
        abstention = None if reason is None else abstain(done.report, reason)
        run_id = await self._state.pool.run_admitted(guard.record, done.report, done.run, abstention)
        note |= guard.note(done.report, run_id)
        guard.count_stopped(halt is not None)
        if halt is None:
            for rest in self._with_note(held, note):
                yield rest
            return
        said = ""
        if request.mode == "block" and abstention is not None:
            said = abstention.text
            note |= {"action": "ABSTAIN", "abstention": abstention.to_dict()}
        out.put_nowait(self._wire.closing(note, said))  # made when all before it has been sent, which it depends on

    def _released(self, held: deque[StreamPiece], size: int) -> Iterator[Event]:
        """The events of the next characters that may go out; one that reaches further is cut in two."""
        while held and not held[0].last:
            piece = held[0]
            gap = min(size, piece.gap)
            piece.gap, size = piece.gap - gap, size - gap
            if piece.gap or (piece.text and not size):
                return
            if len(piece.text) > size:
                text, piece.text, size = piece.text[:size], piece.text[size:], 0
                if piece.event is not None:
                    yield self._wire.with_text(piece.event, text)
                    piece.event = self._wire.with_text(piece.event, piece.text)
                return
            size -= len(piece.text)
            held.popleft()
            if piece.event is not None:
                yield piece.event

    def _with_note(self, pieces: Iterable[StreamPiece], note: dict[str, Any]) -> Iterator[Event]:
        """The events of some pieces, the last of those that say how the answer ended with the note."""
        left = list(pieces)
        place = max((at for at, piece in enumerate(left) if piece.last), default=len(left))
        for at, piece in enumerate(left):
            if piece.event is not None:
                yield self._wire.attach(piece.event, note) if at == place else piece.event
        if place == len(left):
            yield self._wire.attach(None, note)


async def _heard(events: AsyncIterator[Event]) -> AsyncIterator[Event | None]:
    """The events, and None whenever none has come for a while."""
    waiting: asyncio.Future[Event] | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(events))
            await asyncio.wait([waiting], timeout=_KEEP_ALIVE)
            if not waiting.done():
                yield None
                continue
            finished, waiting = waiting, None
            try:
                yield finished.result()
            except StopAsyncIteration:
                return
    finally:
        if waiting is not None:
            waiting.cancel()
            await asyncio.wait([waiting])
            if not waiting.cancelled():
                waiting.exception()
        await events.aclose()  # type: ignore[attr-defined]
