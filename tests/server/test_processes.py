"""Whole servers as processes of their own: several workers, both databases, a restart in the middle of load."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

from assay.ledger import Ledger
from assay.memory import Memory
from assay.server.settings import Settings
from tests.server.conftest import SOURCE

PROGRAM = """
import sys
from assay.server.run import run
from assay.server.settings import Settings

if __name__ == "__main__":
    run(Settings.from_json(sys.argv[1]), *sys.argv[2:])
"""


class Process:
    """A server started as `assay serve` would."""

    def __init__(self, settings, *factory):
        self.address = f"http://127.0.0.1:{settings.port}"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, settings.to_json(), *factory],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = []
        threading.Thread(target=lambda: self.said.extend(self._process.stderr), daemon=True).start()

    def wait_until_ready(self):
        for _ in range(600):
            try:
                if httpx.get(f"{self.address}/v1/ready", timeout=5).status_code == 200:
                    return self
            except httpx.HTTPError:
                assert self._process.poll() is None, "".join(self.said)
            time.sleep(0.1)
        raise AssertionError("the server never became ready")

    @property
    def pid(self):
        return self._process.pid

    @property
    def running(self):
        return self._process.poll() is None

    def workers(self):
        """The processes that serve, where there are several."""
        below = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [int(one) for one in below if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]

    def kill(self, *processes):
        for process in processes:
            os.kill(process, signal.SIGKILL)
        if self.pid in processes:
            self._process.wait(60)

    def stop(self, how=signal.SIGTERM):
        if self._process.poll() is None:
            self._process.send_signal(how)
        return self._process.wait(60)


def alive(process):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False


def wait_for(holds):
    for _ in range(2_400):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("what was waited for never came")


@pytest.fixture
def start(tmp_path):
    started = []

    def make(*factory, **changes):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        settings = Settings(
            data=str(tmp_path / "data"),
            judge="lexical",
            embedder="static",
            port=port,
            rate_per_minute=1_000_000,
            request_seconds=120,
        ).but(**changes)
        started.append(Process(settings, *factory))
        return started[-1].wait_until_ready()

    yield make
    for process in started:
        if process.running:
            process.kill(*process.workers(), process.pid)


def fill(address, number):
    text = f"Peak number {number} is {1_000 + number} m high."
    with httpx.Client(base_url=address, timeout=120) as client:
        client.post("/v1/documents", json={"documents": [{"id": f"peak-{number}", "text": text}]}).raise_for_status()
        return client.post("/v1/verify", json={"answer": text, "use_memory": True}).raise_for_status().json()


@pytest.mark.slow
def test_workers_share_one_memory_and_one_unbroken_chain(start, tmp_path):
    server = start(workers=2)
    reports = [fill(server.address, number) for number in range(12)]
    assert {report["verdict"] for report in reports} == {"SUPPORTED"}
    assert len({report["run_id"] for report in reports}) == 12
    metrics = httpx.get(f"{server.address}/metrics", timeout=120).text
    assert 'assay_requests_total{method="POST",route="/v1/verify",status="200"} 12.0' in metrics  # both workers' counts
    assert server.stop() == 0
    with Ledger(tmp_path / "data" / "ledger" / "default.db") as ledger:
        assert (ledger.verify(), len(ledger)) == (None, 12)


@pytest.mark.slow
def test_workers_share_a_postgres_database(start, postgres_url):
    server = start(workers=2, data=postgres_url)
    reports = [fill(server.address, number) for number in range(6)]
    assert {report["verdict"] for report in reports} == {"SUPPORTED"}
    body = httpx.get(f"{server.address}/v1/openapi.json", timeout=120).json()["components"]["schemas"]["TraceIn"][
        "examples"
    ][0]
    assert httpx.post(f"{server.address}/v1/traces", json=body, timeout=120).status_code == 201
    assert httpx.get(f"{server.address}/v1/audits/chain", timeout=120).json()["intact"]
    assert httpx.get(f"{server.address}/v1/documents", timeout=120).json()["total"] == 6
    assert server.stop() == 0


def load(address, first, acknowledged, refused, stop):
    """One client that stores and verifies until it is told to stop or the server is gone."""
    number = first
    with httpx.Client(base_url=address, timeout=60) as client:
        while not stop.is_set():
            number += 1
            text = f"Peak number {number} is {number} m high."
            try:
                body = {"documents": [{"id": f"peak-{number}", "text": text}]}
                if client.post("/v1/documents", json=body).status_code == 201:
                    acknowledged.append(("document", f"peak-{number}"))
                got = client.post("/v1/verify", json={"answer": text, "sources": [text]})
                if got.status_code == 200:
                    acknowledged.append(("run", got.json()["run_id"]))
                else:
                    refused.append(got.status_code)
            except httpx.HTTPError:
                time.sleep(0.2)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["stop", "kill everything", "kill the first process", "kill one worker"])
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_a_restart_in_the_middle_of_load_loses_nothing_acknowledged(start, tmp_path, request, store, how):
    """Every document and every run that was answered with success is there afterwards, and the chain holds."""
    data = str(tmp_path / "data") if store == "sqlite" else request.getfixturevalue("postgres_url")
    server = start(workers=2, data=data)
    acknowledged, refused, stop = [], [], threading.Event()
    shared = (acknowledged, refused, stop)
    clients = [threading.Thread(target=load, args=(server.address, first, *shared)) for first in range(0, 4_000, 1_000)]
    for client in clients:
        client.start()
    wait_for(lambda: len(acknowledged) >= 40)
    if how == "stop":
        assert server.stop() == 0
    elif how == "kill everything":
        server.kill(*server.workers(), server.pid)
    elif how == "kill the first process":
        left = server.workers()
        server.kill(server.pid)
        wait_for(lambda: not any(map(alive, left)))  # nobody is left behind to hold the port
    else:
        server.kill(server.workers()[0])
        before = len(acknowledged)
        wait_for(
            lambda: len(acknowledged) >= before + 20 and len(server.workers()) == 2
        )  # it goes on, in full strength
        server.stop()
    stop.set()
    for client in clients:
        client.join(120)
    assert set(refused) <= {503}  # what was not taken was handed back

    again = start(workers=2, data=data, port=int(server.address.rpartition(":")[2]))
    with httpx.Client(base_url=again.address, timeout=120) as client:
        documents = {row["id"] for row in client.get("/v1/documents?limit=10000").json()["documents"]}
        assert {name for kind, name in acknowledged if kind == "document"} <= documents
        held = {name for kind, name in acknowledged if kind == "run"}
        assert {name for name in held if client.get(f"/v1/audits/{name}").status_code == 200} == held
        chain = client.get("/v1/audits/chain").json()
        assert chain["intact"], chain
    again.stop()
    with Memory(tmp_path / "data" / "memory" if store == "sqlite" else data) as memory:
        assert memory.verify() == []


@pytest.mark.slow
def test_a_small_real_model_behind_the_guard(tmp_path):
    """The unmodified client, streaming and not, through the guard to a local language model."""
    gguf = os.environ.get("ASSAY_TEST_GGUF")
    if not gguf:
        pytest.skip("set ASSAY_TEST_GGUF to a small instruction model")
    import openai

    from assay.server.guard.app import make_guard
    from tests.server.loopback import running

    xllamacpp = pytest.importorskip("xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = gguf
    parameters.n_ctx = 1024
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 2
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    model = xllamacpp.Server(parameters)
    settings = Settings(
        data=str(tmp_path), judge="lexical", warm=False, upstream=f"{model.listening_address}/v1", guard="annotate"
    )
    messages = [
        {"role": "system", "content": f"Answer from this context only: {SOURCE}"},
        {"role": "user", "content": "How high is Mount Everest, and when was it first climbed?"},
    ]
    with running(make_guard(settings)) as address, openai.OpenAI(base_url=f"{address}/v1", api_key="none") as client:
        whole = client.chat.completions.create(model="m", messages=messages, max_tokens=48, temperature=0)
        assert whole.choices[0].message.content
        assert whole.assay["report"]["claims"] is not None
        assert whole.assay["sources"] == "prompt"
        chunks = list(
            client.chat.completions.create(model="m", messages=messages, max_tokens=48, temperature=0, stream=True)
        )
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        last = next(chunk for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason)
        assert text.strip() == whole.choices[0].message.content.strip()
        assert last.assay["verdict"] == whole.assay["verdict"]
        held = client.chat.completions.create(
            model="m",
            messages=messages,
            max_tokens=48,
            temperature=0,
            stream=True,
            extra_body={"assay": {"mode": "hold"}, "sources": [SOURCE.replace("8,849", "1,234")]},
        )
        ends = [chunk.choices[0].finish_reason for chunk in held if chunk.choices and chunk.choices[0].finish_reason]
        assert len(ends) == 1
        assert ends[0] in ("stop", "length", "content_filter")


@pytest.mark.slow
def test_a_process_that_a_request_has_frozen_is_replaced(start):
    server = start("tests.server.freezing:make", frozen_seconds=5)
    (before,) = server.workers()
    with pytest.raises(httpx.HTTPError):
        httpx.get(f"{server.address}/v1/freeze", timeout=120)
    assert fill(server.address, 1)["verdict"] == "SUPPORTED"
    assert before not in server.workers()


@pytest.mark.slow
def test_a_process_whose_threads_are_all_stuck_is_replaced(start):
    server = start("tests.server.freezing:make", threads=1, request_seconds=2)
    (before,) = server.workers()
    assert httpx.get(f"{server.address}/v1/stick", timeout=120).status_code == 504
    wait_for(lambda: server.workers() and before not in server.workers())
    server.wait_until_ready()
    assert fill(server.address, 1)["verdict"] == "SUPPORTED"
