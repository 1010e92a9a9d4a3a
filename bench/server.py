"""How much one server takes: requests a second, waiting times and memory, against the library called directly.

    python bench/server.py --clients 1 8 64 256 --seconds 10 --judge small
    python bench/server.py --clients 256 --impatient
    python bench/server.py --steady 10000

Everything stays on this machine's own address. A server is started as a process of its own and stopped at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx

from assay.server.settings import Settings
from bench.processes import memory

PROGRAM = """
import sys
from assay.server.run import run
from assay.server.settings import Settings

if __name__ == "__main__":
    run(Settings.from_json(sys.argv[1]))
"""
SOURCE = (
    "Mount Everest is Earth's highest mountain above sea level. Its elevation of 8,849 m was established in 2020 by "
    "the Chinese and Nepali authorities. Edmund Hillary and Tenzing Norgay made the first documented ascent in 1953. "
    "As of May 2024, 340 people had died on Everest. The mountain attracts many climbers; there are two main routes."
)
ANSWER = (
    "Mount Everest is {height} m high. It was first climbed in 1953 by Edmund Hillary and Tenzing Norgay. "
    "There are two main routes to the top."
)


@dataclass(frozen=True)
class Load:
    """What some clients at once got in a while."""

    clients: int
    seconds: float
    answered: int
    refused: int
    failed: int
    per_second: float
    p50_ms: float | None
    p99_ms: float | None
    refused_p99_ms: float | None  # how long a refusal itself takes


def body(number: int, judge: str) -> dict[str, object]:
    """A request; each is another answer, so that no cache helps."""
    return {"answer": ANSWER.format(height=8_000 + number), "sources": [SOURCE], "judge": judge, "record": False}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 8, 64, 256])
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each number of clients asks")
    parser.add_argument("--judge", default="lexical")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--queue", type=int, default=64)
    parser.add_argument("--impatient", action="store_true", help="clients do not wait when they are told to")
    parser.add_argument("--steady", type=int, default=0, help="requests over which the server's memory is watched")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args()
    found: dict[str, object] = {"judge": options.judge, "threads": options.threads, "workers": options.workers}
    found["library"] = direct(options.judge, options.seconds)
    print(f"library, one thread: {found['library']}")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            data=folder,
            port=free_port(),
            judge=options.judge,
            threads=options.threads,
            workers=options.workers,
            queue=options.queue,
            rate_per_minute=100_000_000,
            record=False,
        )
        with served(settings) as (address, pid):
            loads = [
                asyncio.run(measure(address, clients, options.seconds, options.judge, patient=not options.impatient))
                for clients in options.clients
            ]
            found["loads"] = [asdict(load) for load in loads]
            show(loads)
            found["memory_mb"] = memory(pid)
            print("memory of the largest process, MB: PSS {}, USS {}".format(*memory(pid)))
            if options.steady:
                found["steady_mb"] = asyncio.run(watch_memory(address, options.steady, options.judge, pid))
                print("the same while requests go on, PSS:", found["steady_mb"])
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


@contextmanager
def served(settings: Settings, program: str = PROGRAM) -> Iterator[tuple[str, int]]:
    """A server as a process of its own: its address and the number of the process."""
    process = subprocess.Popen([sys.executable, "-c", program, settings.to_json()], stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{settings.port}"
        wait_until_ready(address, process)
        yield address, process.pid
    finally:
        process.terminate()
        process.wait(60)


def direct(judge: str, seconds: float) -> dict[str, float]:
    """The same answers verified by the library in this process, one after the other."""
    from assay.engine import Engine
    from assay.types import Document

    engine, document = Engine(judge=judge), Document("source-1", SOURCE)
    engine.check(ANSWER.format(height=1), sources=[document])
    times, number, began = [], 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        number += 1
        start = time.perf_counter()
        engine.check(ANSWER.format(height=8_000 + number), sources=[document]).to_dict()
        times.append((time.perf_counter() - start) * 1000)
    spent = time.perf_counter() - began
    return {"per_second": round(number / spent, 1), "p50_ms": quantile(times, 0.5), "p99_ms": quantile(times, 0.99)}


async def measure(address: str, clients: int, seconds: float, judge: str, *, patient: bool = True) -> Load:
    """So many clients, each asking again as soon as it is answered; a patient one that is told to wait does."""
    times: list[float] = []
    refusals: list[float] = []
    failed = number = 0
    until = time.perf_counter() + seconds

    async def ask() -> None:
        nonlocal failed, number
        line = Line(address)
        while time.perf_counter() < until:
            number += 1
            start = time.perf_counter()
            try:
                status, retry_after = await line.post("/v1/verify", body(number, judge))
            except (OSError, ValueError, asyncio.IncompleteReadError) as problem:
                print(f"failed: {type(problem).__name__} {problem}", file=sys.stderr)
                failed += 1
                continue
            took = (time.perf_counter() - start) * 1000
            if status == 200:
                times.append(took)
            elif status == 429:
                refusals.append(took)
                if patient:
                    await asyncio.sleep(max(0.0, min(retry_after, until - time.perf_counter())))
            else:
                failed += 1
        line.close()

    began = time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(clients)))
    spent = time.perf_counter() - began
    return Load(
        clients,
        round(spent, 2),
        len(times),
        len(refusals),
        failed,
        round(len(times) / spent, 1),
        quantile(times, 0.5),
        quantile(times, 0.99),
        quantile(refusals, 0.99),
    )


class Line:
    """One connection that is kept open, with just enough HTTP for these answers.

    A full client is no instrument here: with 256 connections in its pool it needs more of the machine than the server
    that is to be measured.
    """

    def __init__(self, address: str) -> None:
        self._host, _, port = address.removeprefix("http://").partition(":")
        self._port = int(port)
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def post(self, path: str, content: dict[str, object]) -> tuple[int, float]:
        """The status, and how long to wait if the answer says so."""
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
        data = json.dumps(content).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nContent-Type: application/json\r\n"
        self._writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        try:
            lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            await self._reader.readexactly(int(headers["content-length"]))
        except BaseException:
            self.close()
            raise
        if headers.get("connection") == "close":
            self.close()
        return int(lines[0].split(" ")[1]), float(headers.get("retry-after", 0))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


async def watch_memory(address: str, requests: int, judge: str, pid: int) -> list[float]:
    """The server's memory at the start, at each tenth, and at the end."""
    seen = [memory(pid).shared_fairly]
    async with httpx.AsyncClient(base_url=address, timeout=120) as client:
        for number in range(requests):
            (await client.post("/v1/verify", json=body(number, judge))).raise_for_status()
            if (number + 1) % max(1, requests // 10) == 0:
                seen.append(memory(pid).shared_fairly)
    return seen


def quantile(values: list[float], share: float) -> float | None:
    if not values:
        return None
    ordered = sorted(values)
    return round(
        statistics.median(ordered) if share == 0.5 else ordered[min(len(ordered) - 1, int(len(ordered) * share))], 2
    )


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_until_ready(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(1_200):
        try:
            if httpx.get(f"{address}/v1/ready", timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            if process.poll() is not None:
                raise SystemExit("the server ended before it was ready") from None
        time.sleep(0.1)
    raise SystemExit("the server never became ready")


def show(loads: list[Load]) -> None:
    titles = f"{'clients':>8} {'answered':>9} {'429':>6} {'failed':>7} {'per s':>8} {'p50 ms':>9} {'p99 ms':>9}"
    print(f"{titles} {'429 p99':>9}")
    for load in loads:
        figures = (load.p50_ms, load.p99_ms, load.refused_p99_ms)
        shown = [f"{value:>9.1f}" if value is not None else f"{'–':>9}" for value in figures]
        counts = f"{load.clients:>8} {load.answered:>9} {load.refused:>6} {load.failed:>7} {load.per_second:>8}"
        print(counts, *shown)


if __name__ == "__main__":
    main()
