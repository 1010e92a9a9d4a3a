"""What guarding a stream costs: added time for a token, and for the whole stream beside the same stream unguarded."""

from __future__ import annotations

import asyncio
import re
import statistics
import sys
from collections.abc import AsyncIterator
from time import perf_counter, process_time

from assay.engine import Engine
from assay.inline import DoneEvent, Event, HaltEvent, RetractEvent, TokenEvent, guard

FIRST = "Ar Bel Cor Dan El Fal Gor Hal Ir Jor Kel Lam Mor Nor Os Pel Quin Ral Sal Tor Ul Var Wes Yar Zel".split()
NAMES = [f"{first}{last}" for last in ("dor", "lin", "vek", "mas", "tun") for first in FIRST]
TEMPLATES = (
    "The river {} is {} km long.",
    "Mayor {} opened the northern bridge after {} days.",
    "The museum of {} keeps {} paintings.",
    "Farmers near {} grow barley on {} hectares.",
    "Professor {} published {} letters about glaciers.",
    "The library in {} lends {} books every week.",
    "Captain {} sailed around the islands with {} men.",
    "A factory at {} makes {} bicycles in a month.",
    "The choir of {} sang before {} guests.",
    "Engineers in {} built a tunnel of {} m.",
)
FACTS = [TEMPLATES[n % len(TEMPLATES)].format(name, 211 + 7 * n) for n, name in enumerate(NAMES)]
SOURCE = " ".join(FACTS)
WRONG = FACTS[90].replace("841", "4,903")
RATES = {8: 120, 100: 700}  # tokens a second, and how many tokens


def run(judge: str = "small") -> list[tuple[str, str]]:
    engine = Engine(judge=judge)
    asyncio.run(_drain(" ".join(FACTS[100:110]), 1000, engine, "stream"))  # opens the rooms and the model
    rows = []
    for rate, count in RATES.items():
        plain = asyncio.run(_plain(_answer(count), rate))
        for release in ("stream", "hold"):
            took, delays, after, _ = asyncio.run(_drain(_answer(count), rate, engine, release))
            what = f"{release}, {rate} tokens/s, {count} tokens, judge {judge}"
            if release == "stream":
                rows.append((f"added time for a token: {what}", f"{statistics.median(delays) * 1000:.2f} ms (median)"))
            share = (
                f"{(took / plain - 1) * 100:+.2f} % by the clock beside {plain:.2f} s unguarded; processor time after "
                f"the last token {after * 1000:.0f} ms ({after / plain * 100:.2f} %)"
            )
            rows.append((f"whole stream: {what}", share))
        for release in ("stream", "hold"):
            rows.append(_halt(rate, engine, release, judge))
    return rows


def _halt(rate: int, engine: Engine, release: str, judge: str) -> tuple[str, str]:
    before = _answer(60)
    text = f"{before} {WRONG} {' '.join(FACTS[40:50])}"
    *_, events = asyncio.run(_drain(text, rate, engine, release))
    shown = "".join(event.text for event in events if isinstance(event, TokenEvent))
    done = next(event for event in events if isinstance(event, DoneEvent))
    after = len(shown.strip()) > len(before) + 1 + len(WRONG)
    halted = any(isinstance(event, HaltEvent) for event in events)
    taken = next((event.text for event in events if isinstance(event, RetractEvent)), "")
    said = (
        f"halted: {halted}, next sentence begun: {after}, tokens exposed: {done.tokens_exposed}, retracted: {taken!r}"
    )
    return f"a wrong sentence: {release}, {rate} tokens/s, judge {judge}", said


def _answer(count: int) -> str:
    """The first facts, no claim twice: what was judged before would come out of the cache."""
    told = "".join(re.findall(r"\s*\S+", SOURCE)[:count])
    return told[: told.rindex(".") + 1]


async def _paced(text: str, rate: float, made: list[float], busy: list[float]) -> AsyncIterator[str]:
    """Tokens by the clock: one that comes late does not move the others."""
    start = perf_counter()
    for number, token in enumerate(re.findall(r"\s*\S+", text), 1):
        await asyncio.sleep(max(0.0, start + number / rate - perf_counter()))
        made.append(perf_counter())
        busy[:] = [process_time()]
        yield token


async def _plain(text: str, rate: float) -> float:
    start = perf_counter()
    async for _ in _paced(text, rate, [], []):
        pass
    return perf_counter() - start


async def _drain(text: str, rate: float, engine: Engine, release: str) -> tuple[float, list[float], float, list[Event]]:
    made: list[float] = []
    busy: list[float] = []
    delays: list[float] = []
    events: list[Event] = []
    start = perf_counter()
    async for event in guard(_paced(text, rate, made, busy), sources=[SOURCE], engine=engine, release=release):
        events.append(event)
        if isinstance(event, TokenEvent) and len(delays) < len(made):
            delays.append(perf_counter() - made[len(delays)])
    return perf_counter() - start, delays, process_time() - busy[0], events


if __name__ == "__main__":
    for what, value in run(*sys.argv[1:2]):
        sys.stdout.write(f"| {what} | {value} |\n")
