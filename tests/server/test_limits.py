"""What one caller can take from the others, and what the server does when too much is asked of it."""

import asyncio
import json
import socket
import threading
import time

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.server.app import make_app
from assay.server.auth import RateLimiter
from assay.server.body_limit import depth_of
from assay.server.problems import Problem
from assay.server.settings import Settings
from assay.server.worker_pool import WorkerPool
from tests.server.conftest import ANSWER, SOURCE
from tests.server.loopback import running

JSON = {"content-type": "application/json"}


def nested(value):
    if isinstance(value, dict | list):
        return 1 + max((nested(item) for item in (value.values() if isinstance(value, dict) else value)), default=0)
    return 0


@given(
    st.recursive(
        st.none() | st.integers() | st.text(st.sampled_from('a"\\[]{}é\n')),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('a"\\[{', max_size=3), inner, max_size=3),
        max_leaves=20,
    ),
    st.booleans(),
)
@settings(max_examples=200)
def test_depth_is_told_without_parsing(value, ascii_only):
    assert depth_of(json.dumps(value, ensure_ascii=ascii_only).encode()) == nested(value)


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"answer":[', b'[{"a":'])
def test_json_of_ten_thousand_levels_is_refused(client, opening):
    got = client.post("/v1/verify", content=opening * 10_000, headers=JSON)
    assert (got.status_code, got.json()["type"]) == (400, "urn:assay:problem:too-deep")


def test_brackets_in_a_text_are_no_depth(client):
    got = client.post("/v1/verify", json={"answer": "[" * 1_000 + '"{', "sources": [SOURCE]})
    assert got.status_code == 200


def test_large_bodies_are_refused_declared_or_not(serve):
    client = serve(max_body_bytes=10_000)
    big = json.dumps({"answer": "x" * 20_000}).encode()
    assert client.post("/v1/verify", content=big, headers=JSON).status_code == 413
    assert client.post("/v1/verify", content=iter([big[:9_000], big[9_000:]]), headers=JSON).status_code == 413
    assert client.post("/v1/verify", json={"answer": "x" * 5_000}).status_code == 200


def test_large_uploads_and_answers_and_batches_are_refused(serve):
    client = serve(max_upload_bytes=5_000, max_answer_chars=100, max_batch=3)
    assert client.post("/v1/read", files={"files": ("a.txt", b"x" * 10_000)}).status_code == 413
    assert client.post("/v1/read", files=[("files", (f"{n}.txt", b"x")) for n in range(4)]).status_code == 413
    assert client.post("/v1/verify", json={"answer": "x" * 101}).status_code == 413
    assert client.post("/v1/verify/batch", json={"items": [{"answer": "x"}] * 4}).status_code == 413


def test_more_documents_than_allowed_are_refused_and_none_is_stored(serve):
    client = serve(max_documents=50)
    body = {"documents": [{"text": f"Peak {n}."} for n in range(51)]}
    assert client.post("/v1/documents", json=body).status_code == 413
    assert client.get("/v1/documents").json()["total"] == 0
    assert client.post("/v1/verify", json={"answer": "x", "sources": ["y"] * 51}).status_code == 413


def test_a_million_tiny_documents_are_refused_for_their_size(client):
    body = b'{"documents":[' + b",".join([b'{"text":"a"}'] * 1_000_000) + b"]}"
    assert client.post("/v1/documents", content=body, headers=JSON).status_code == 413


def test_a_key_that_asks_too_often_is_told_when_to_come_back(serve):
    client = serve(rate_per_minute=3)
    codes = [client.get("/v1/documents").status_code for _ in range(5)]
    assert codes == [200, 200, 200, 429, 429]
    refused = client.get("/v1/documents")
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert client.get("/v1/health").status_code == 200  # a probe is never turned away


def test_a_bucket_fills_again_evenly():
    now = [0.0]
    buckets = RateLimiter(60, clock=lambda: now[0])
    assert [buckets.take("a") for _ in range(60)] == [0.0] * 60
    assert buckets.take("a") == pytest.approx(1.0)
    assert buckets.take("b") == 0.0
    now[0] = 2.0
    assert [buckets.take("a") for _ in range(3)] == [0.0, 0.0, pytest.approx(1.0)]


def held_gate(slots, queue, seconds=30.0):
    """A gate whose slots are all taken until the event is set."""
    gate, go = WorkerPool(slots, queue, seconds), threading.Event()
    return gate, go, [asyncio.ensure_future(gate.run(go.wait)) for _ in range(slots)]


def test_beyond_the_queue_a_request_is_turned_away_at_once():
    async def story():
        gate, go, running = held_gate(2, 3)
        await asyncio.sleep(0.01)
        waiting = [asyncio.ensure_future(gate.run(lambda: 7)) for _ in range(3)]
        await asyncio.sleep(0.01)
        assert (gate.busy, gate.waiting) == (2, 3)
        with pytest.raises(Problem) as refused:
            await gate.run(lambda: 7)
        assert refused.value.status == 429
        assert int(refused.value.headers["Retry-After"]) >= 1
        go.set()
        assert await asyncio.gather(*waiting) == [7, 7, 7]
        await asyncio.gather(*running)
        assert (gate.busy, gate.waiting) == (0, 0)
        gate.join()

    asyncio.run(story())


def test_a_queue_is_full_when_the_last_in_it_would_wait_too_long():
    async def story():
        gate = WorkerPool(1, 100, 30.0, max_wait=0.5)
        for _ in range(20):
            await gate.run(time.sleep, 0.1)  # now it is known how long a job takes
        go = threading.Event()
        running = asyncio.ensure_future(gate.run(go.wait))
        await asyncio.sleep(0.01)
        jobs = [asyncio.ensure_future(gate.run(lambda: 7)) for _ in range(50)]
        await asyncio.sleep(0.01)
        assert 1 <= gate.waiting <= 5
        go.set()
        got = await asyncio.gather(*jobs, return_exceptions=True)
        assert {item.status for item in got if item != 7} == {429}
        assert 1 <= got.count(7) <= 5
        assert await running
        assert await gate.run(lambda: 7) == 7  # with a thread free nobody is turned away
        gate.join()

    asyncio.run(story())


def test_a_slot_is_held_until_its_thread_is_done_whoever_gave_up():
    async def story():
        gate, go, [running] = held_gate(1, 1, seconds=0.05)
        with pytest.raises(Problem) as late:
            await running
        assert (late.value.status, gate.busy) == (504, 1)
        with pytest.raises(Problem) as refused:
            await gate.run(lambda: 7)
        assert refused.value.status == 429  # its turn did not come in time
        go.set()
        while gate.busy:
            await asyncio.sleep(0.005)
        assert await gate.run(lambda: 7) == 7
        gate.join()

    asyncio.run(story())


def test_one_who_leaves_the_queue_leaves_no_gap():
    async def story():
        gate, go, running = held_gate(1, 5)
        await asyncio.sleep(0.01)
        waiting = [asyncio.ensure_future(gate.run(lambda: 7)) for _ in range(3)]
        await asyncio.sleep(0.01)
        waiting[1].cancel()
        go.set()
        first, second, third = await asyncio.gather(*waiting, return_exceptions=True)
        assert (first, third) == (7, 7)
        assert isinstance(second, asyncio.CancelledError)
        await asyncio.gather(*running)
        while gate.busy:
            await asyncio.sleep(0.005)
        assert gate.waiting == 0
        gate.join()

    asyncio.run(story())


def test_closing_hands_back_what_waits_and_finishes_what_runs():
    async def story():
        gate, go, [running] = held_gate(1, 5)
        await asyncio.sleep(0.01)
        waiting = asyncio.ensure_future(gate.run(lambda: 7))
        await asyncio.sleep(0.01)
        gate.close()
        with pytest.raises(Problem) as handed_back:
            await waiting
        assert (handed_back.value.status, handed_back.value.headers["Retry-After"]) == (503, "2")
        go.set()
        assert await running is True
        with pytest.raises(Problem):
            await gate.run(lambda: 7)
        gate.join()

    asyncio.run(story())


def test_past_its_capacity_a_real_server_says_429_and_recovers(tmp_path):
    settings = Settings(data=str(tmp_path), judge="lexical", warm=False, threads=1, queue=2, record=False)
    app = make_app(settings.but(rate_per_minute=100_000))

    async def story(address):
        async with httpx.AsyncClient(base_url=address, timeout=60, limits=httpx.Limits(max_connections=100)) as client:
            body = {"answer": ANSWER * 20, "sources": [SOURCE] * 3}
            got = await asyncio.gather(*(client.post("/v1/verify", json=body) for _ in range(40)))
            codes = {response.status_code for response in got}
            assert codes <= {200, 429}
            assert 429 in codes
            assert 200 in codes
            assert all("retry-after" in response.headers for response in got if response.status_code == 429)
            assert (await client.post("/v1/verify", json=body)).status_code == 200

    with running(app) as address:
        asyncio.run(story(address))


def test_256_clients_who_never_let_up_are_answered_or_told_when_to_come_back(tmp_path, monkeypatch):
    from assay.server.connection import HeaderTimeoutProtocol

    settings = Settings(data=str(tmp_path), judge="lexical", warm=False, threads=2, queue=8, record=False)
    settings = settings.but(rate_per_minute=10_000_000, header_seconds=120)
    monkeypatch.setenv("ASSAY_SERVER_SETTINGS", settings.to_json())
    told, refusals = [], []

    async def client(address):
        host, port = address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        for number in range(4):
            data = json.dumps({"answer": f"{ANSWER} {number}", "sources": [SOURCE]}).encode()
            head = f"POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n"
            writer.write(f"{head}Content-Type: application/json\r\n\r\n".encode() + data)
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
            headers = dict(line.split(": ", 1) for line in lines[1:] if line)
            body = await reader.readexactly(int(headers["content-length"]))
            told.append(int(lines[0].split()[1]))
            if told[-1] == 429:
                refusals.append((headers, json.loads(body)))
        writer.close()

    async def story(address):
        await asyncio.gather(*(client(address) for _ in range(256)))

    # However slow this machine makes the clients, it is not their silence that ends a connection here.
    with running(make_app(settings), http=HeaderTimeoutProtocol, timeout_keep_alive=600) as address:
        asyncio.run(story(address))
        assert httpx.post(f"{address}/v1/verify", json={"answer": ANSWER, "sources": [SOURCE]}).status_code == 200
    assert set(told) == {200, 429}
    assert len(told) == 1024
    for headers, problem in refusals:
        assert headers["content-type"] == "application/problem+json"
        assert 1 <= int(headers["retry-after"]) <= 60
        assert (problem["status"], problem["type"]) == (429, "urn:assay:problem:capacity")
        assert headers.get("connection") != "close"  # turned away, not thrown out


def test_an_answer_leaves_in_one_piece_unless_it_is_long():
    from assay.server.connection import BufferedTransport

    class Wire:
        sent, closed = [], False

        def write(self, data):
            self.sent.append(data)

        def close(self):
            self.closed = True

    async def story():
        wire = Wire()
        corked = BufferedTransport(wire, asyncio.get_running_loop())
        corked.write(b"head ")
        corked.write(b"body")
        assert wire.sent == []
        await asyncio.sleep(0)
        assert wire.sent == [b"head body"]
        corked.write(b"x" * 100_000)
        assert len(wire.sent) == 2
        corked.write(b"last")
        corked.close()
        assert (wire.sent[-1], wire.closed) == (b"last", True)
        await asyncio.sleep(0)
        assert len(wire.sent) == 3

    asyncio.run(story())


def test_slow_clients_are_hung_up_on_and_others_are_served_meanwhile(tmp_path, monkeypatch):
    from assay.server.connection import HeaderTimeoutProtocol

    settings = Settings(data=str(tmp_path), judge="lexical", warm=False, body_seconds=0.3, header_seconds=0.3)
    monkeypatch.setenv("ASSAY_SERVER_SETTINGS", settings.to_json())
    with running(make_app(settings), http=HeaderTimeoutProtocol) as address:
        host, port = address.removeprefix("http://").split(":")
        head = b"POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n"
        slow_head, slow_body = (socket.create_connection((host, int(port)), timeout=20) for _ in range(2))
        slow_head.sendall(b"POST /v1/verify HT")
        slow_body.sendall(head + b'{"answer')
        assert httpx.get(f"{address}/v1/health").status_code == 200
        assert slow_body.recv(4096).startswith(b"HTTP/1.1 408")
        assert slow_head.recv(4096) == b""  # hung up
        slow_head.close()
        slow_body.close()
        assert httpx.get(f"{address}/v1/health").status_code == 200


def test_a_patient_server_keeps_a_connection_that_speaks(tmp_path, monkeypatch):
    from assay.server.connection import HeaderTimeoutProtocol

    settings = Settings(data=str(tmp_path), judge="lexical", warm=False, header_seconds=0.2)
    monkeypatch.setenv("ASSAY_SERVER_SETTINGS", settings.to_json())
    with running(make_app(settings), http=HeaderTimeoutProtocol) as address, httpx.Client(base_url=address) as client:
        for _ in range(3):
            assert client.get("/v1/health").status_code == 200
            time.sleep(0.15)


def test_a_pool_is_stuck_when_every_thread_is_long_past_its_time():
    async def go():
        pool, hold = WorkerPool(2, 2, 0.05), threading.Event()
        jobs = [asyncio.create_task(pool.run(hold.wait))]
        await asyncio.sleep(0.3)
        assert not pool.stuck  # one thread is free
        jobs.append(asyncio.create_task(pool.run(hold.wait)))
        await asyncio.sleep(0.3)
        assert pool.stuck
        hold.set()
        await asyncio.gather(*jobs, return_exceptions=True)
        await asyncio.to_thread(pool.join)
        assert not pool.stuck

    asyncio.run(go())


def test_a_request_that_needs_too_much_memory_is_told_so(client, monkeypatch):
    from assay.engine import Engine

    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr(Engine, "run", full)
    got = client.post("/v1/verify", json={"answer": ANSWER, "sources": [SOURCE]})
    assert (got.status_code, got.json()["type"]) == (503, "urn:assay:problem:memory-limit")
