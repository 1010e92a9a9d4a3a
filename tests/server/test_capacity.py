"""Places for streams: a bounded number and queue, and when to come back; and pages of other origins."""

import asyncio

import pytest

from assay.errors import UsageError
from assay.server.problems import Problem
from assay.server.settings import Settings
from assay.server.worker_pool import StreamSlots
from tests.server.conftest import ANSWER, SOURCE


def test_a_request_waits_for_a_place_and_the_next_is_told_when_to_come_back():
    async def go():
        slots = StreamSlots(1, 1, 5.0)
        release = await slots.take()
        waiting = asyncio.create_task(slots.take())
        await asyncio.sleep(0)
        with pytest.raises(Problem, match="1 streams are open and 1 requests wait") as refused:
            await slots.take()
        assert refused.value.status == 429
        assert int(refused.value.headers["Retry-After"]) >= 1
        release()
        release()  # giving a place back twice gives it back once
        second = await waiting
        assert slots.open == 1
        second()
        assert slots.open == 0

    asyncio.run(go())


def test_whoever_waits_too_long_or_leaves_takes_no_place():
    async def go():
        slots = StreamSlots(1, 2, 0.05)
        release = await slots.take()
        with pytest.raises(Problem):
            await slots.take()
        gone = asyncio.create_task(slots.take())
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        late = asyncio.create_task(slots.take())
        await asyncio.sleep(0)
        release()
        late.cancel()  # in the moment in which it got its turn
        with pytest.raises(asyncio.CancelledError):
            await late
        assert slots.open == 0
        (await slots.take())()
        assert slots.open == 0

    asyncio.run(go())


def test_a_stream_too_many_is_refused_with_retry_after(serve):
    client = serve(streams=1, queue=0)
    slots = client.app.state.assay.slots
    slots.open = 1
    got = client.post("/v1/stream", json={"answer": ANSWER, "sources": [SOURCE]})
    assert (got.status_code, got.headers["retry-after"]) == (429, "10")
    slots.open = 0


def test_streams_share_the_threads_of_the_server(client):
    """A stream of its own thread would leave its name behind; these are judged by the pool alone."""
    import threading

    from assay.engine import Engine

    names, run = set(), Engine.run

    def noted(self, *args, **named):
        names.add(threading.current_thread().name.rpartition("_")[0])
        return run(self, *args, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "run", noted)
        assert client.post("/v1/stream", json={"answer": ANSWER, "sources": [SOURCE]}).status_code == 200
    assert names == {"assay-judge"}


def test_pages_of_named_origins_may_call(serve):
    client = serve(cors_origins=["https://app.example", "http://localhost:3000/"])
    asked = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST"}
    got = client.options("/v1/verify", headers=asked | {"Access-Control-Request-Headers": "authorization,x-api-key"})
    assert (got.status_code, got.headers["access-control-allow-origin"]) == (200, "http://localhost:3000")
    got = client.post(
        "/v1/verify", json={"answer": ANSWER, "sources": [SOURCE]}, headers={"Origin": "https://app.example"}
    )
    assert (got.status_code, got.headers["access-control-allow-origin"]) == (200, "https://app.example")
    got = client.post("/v1/verify", json={"answer": ANSWER}, headers={"Origin": "https://evil.example"})
    assert got.status_code == 403
    assert "access-control-allow-origin" not in got.headers


def test_origins_are_named_in_full_and_all_of_them_only_with_keys():
    with pytest.raises(UsageError, match=r"https://app.example"):
        Settings(cors_origins="app.example")
    with pytest.raises(UsageError, match="only with API keys"):
        Settings(cors_origins="*")
    assert (
        Settings.load(env={"ASSAY_CORS_ORIGINS": "https://a.example, https://b.example"}).origins[1]
        == "https://b.example"
    )
