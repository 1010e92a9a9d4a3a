"""What the guard costs many streams at once: the time of each through it, against the upstream's own.

    python -m bench.streams --streams 100 --rate 8 --mode hold --judge cascade
    python -m bench.streams --streams 4 --rate 50 --sentences 3 --judge lexical   # a quick look

The upstream is a process that plays answers of so many sentences at its own pace; the guard is another. Every stream
has an answer and sources of its own, so that no cache helps. The target: 100 streams of 12 sentences at 8 tokens a
second on two cores within twice the time without the guard.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx
import uvicorn
from fastapi import FastAPI, Request
from starlette.responses import StreamingResponse

from assay.server.settings import Settings
from bench.processes import memory, processor_seconds
from bench.server import free_port, quantile, served, wait_until_ready

GUARD = """
import sys
from assay.server.run import run
from assay.server.settings import Settings

if __name__ == "__main__":
    run(Settings.from_json(sys.argv[1]), "assay.server.guard.app:from_environment")
"""
FACTS = (
    "The {town} bridge was opened in {year}.",
    "It is {metres} metres long and carries two lanes of traffic.",
    "The engineer {person} designed its {count} arches.",
    "Stone for the arches came from a quarry {km} kilometres away.",
    "The bridge cost {million} million crowns, paid by the province.",
    "A flood damaged the northern pier {later} years after the opening.",
    "Repairs took {months} months.",
    "Trams crossed the bridge until {tram}.",
    "About {daily} vehicles use it every day.",
    "The town council listed it as a monument in {listed}.",
    "Its lamps were replaced by {lamps} electric ones in {lit}.",
    "A museum about its construction stands on the {bank} bank.",
)
NAMES = ("Halvorsen", "Okafor", "Lindqvist", "Marchetti", "Duarte", "Novak", "Brandt", "Sato")


@dataclass(frozen=True)
class Streams:
    """What so many streams at once took."""

    streams: int
    finished: int
    refused: int
    stopped: int  # by the guard, as refuted
    failed: int
    p50_s: float | None
    p99_s: float | None
    first_p50_s: float | None  # until the first text


def make_case(number: int, sentences: int) -> tuple[str, str]:
    """A source and an answer that agrees with it, both found nowhere else."""
    draw = random.Random(number)
    values = {
        "town": f"{draw.choice(NAMES)}stad {number}",
        "person": draw.choice(NAMES),
        "bank": draw.choice(("left", "right", "northern", "southern")),
    } | {
        name: draw.randint(2, 900) for name in ("metres", "count", "km", "million", "later", "months", "daily", "lamps")
    }
    values |= {name: draw.randint(1850, 2020) for name in ("year", "tram", "listed", "lit")}
    facts = [fact.format(**values) for fact in FACTS]
    answer = [facts[at % len(facts)] for at in range(sentences)]
    return " ".join(facts), " ".join(answer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", type=int, nargs="*", default=[1, 10, 100])
    parser.add_argument("--rate", type=float, default=8.0, help="tokens a second of the upstream")
    parser.add_argument("--sentences", type=int, default=12)
    parser.add_argument("--mode", default="hold")
    parser.add_argument("--judge", default="cascade")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--upstream", type=int, help=argparse.SUPPRESS)  # serve the upstream on this port
    options = parser.parse_args()
    if options.upstream:
        serve_upstream(options.upstream, options.rate, options.sentences)
        return
    found: dict[str, object] = {
        name: getattr(options, name) for name in ("rate", "sentences", "mode", "judge", "threads")
    }
    with tempfile.TemporaryDirectory() as folder:
        behind = free_port()
        settings = Settings(
            data=folder,
            port=free_port(),
            judge=options.judge,
            threads=options.threads,
            guard=options.mode,
            upstream=f"http://127.0.0.1:{behind}/v1",
            streams=max(options.streams),
            rate_per_minute=100_000_000,
            record=False,
        )
        again = [sys.executable, "-m", "bench.streams", "--upstream", str(behind), "--rate", str(options.rate)]
        upstream = subprocess.Popen([*again, "--sentences", str(options.sentences)], stderr=subprocess.DEVNULL)
        try:
            wait_until_ready(f"http://127.0.0.1:{behind}", upstream)
            with served(settings, GUARD) as (address, guard):
                asyncio.run(measure(address, 1, options.sentences, first=1_000_000))  # loads what is lazy
                rows = []
                for number, count in enumerate(options.streams):
                    start = number * 1_000
                    without = asyncio.run(measure(f"http://127.0.0.1:{behind}", count, options.sentences, first=start))
                    before = processor_seconds(guard)
                    through = asyncio.run(measure(address, count, options.sentences, first=start))
                    spent = round(processor_seconds(guard) - before, 2)
                    rows.append({"without": asdict(without), "guarded": asdict(through), "processor_s": spent})
                    show(without, through)
                    print(f"     processor time of the guard: {spent} s, {spent / count:.3f} s a stream", flush=True)
                found |= {"rows": rows, "memory_mb": memory(guard)}
                print("memory of the guard, MB: PSS {}, USS {}".format(*memory(guard)))
        finally:
            upstream.terminate()
            upstream.wait(60)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


def serve_upstream(port: int, rate: float, sentences: int) -> None:
    """An upstream that plays each answer at its pace."""
    app = FastAPI()

    @app.get("/v1/ready")
    async def ready() -> dict[str, str]:
        return {"status": "ready"}

    @app.post("/v1/chat/completions")
    async def chat(request: Request) -> StreamingResponse:
        number = int((await request.json())["model"])
        words = make_case(number, sentences)[1].split(" ")

        async def play():  # type: ignore[no-untyped-def]
            began = time.monotonic()
            for at, word in enumerate(words):
                yield _chunk({"content": word + " "})
                await asyncio.sleep(max(0.0, began + (at + 1) / rate - time.monotonic()))
            yield _chunk({}, "stop") + "data: [DONE]\n\n"

        return StreamingResponse(play(), media_type="text/event-stream")

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


def _chunk(delta: dict[str, str], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return f"data: {json.dumps(head | {'choices': [choice]})}\n\n"


async def measure(address: str, count: int, sentences: int, *, first: int) -> Streams:
    """So many streams begun at once, each read to its end."""
    times: list[float] = []
    firsts: list[float] = []
    refused = stopped = failed = 0

    async def follow(client: httpx.AsyncClient, number: int) -> None:
        nonlocal refused, stopped, failed
        source, answer = make_case(number, sentences)
        body = {"model": str(number), "messages": [{"role": "user", "content": "Tell me of it."}], "stream": True}
        began, text, shown = time.perf_counter(), "", 0.0
        async with client.stream("POST", f"{address}/v1/chat/completions", json=body | {"sources": [source]}) as got:
            if got.status_code != 200:
                refused += 1
                return
            async for line in got.aiter_lines():
                if line.startswith("data: {"):
                    event = json.loads(line[6:])
                    said = "".join(one["delta"].get("content") or "" for one in event.get("choices", ()))
                    shown = shown or (time.perf_counter() - began if said else 0.0)
                    text += said
                    if any(one.get("finish_reason") == "content_filter" for one in event.get("choices", ())):
                        stopped += 1
                        return
        if text.strip() != answer:
            failed += 1
            return
        times.append(time.perf_counter() - began)
        firsts.append(shown)

    async with httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None)) as client:
        await asyncio.gather(*(follow(client, first + at) for at in range(count)))
    return Streams(
        count, len(times), refused, stopped, failed, quantile(times, 0.5), quantile(times, 0.99), quantile(firsts, 0.5)
    )


def show(without: Streams, through: Streams) -> None:
    for name, one in (("without", without), ("guarded", through)):
        ended = f"{one.finished} finished, {one.stopped} stopped, {one.refused} refused, {one.failed} failed"
        print(f"{one.streams:>4} streams {name}: {ended}; s to the end p50 {one.p50_s} p99 {one.p99_s}, ", end="")
        print(f"to the first text {one.first_p50_s}")
    if without.p99_s and through.p99_s:
        print(f"     ratio of the times at p99: {through.p99_s / without.p99_s:.2f}")


if __name__ == "__main__":
    main()
