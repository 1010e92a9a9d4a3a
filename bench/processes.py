"""What a program and the processes it has started take: processor time and memory, from /proc."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple


class Memory(NamedTuple):
    """Megabytes of a process: what is shared counted by its share (PSS), and what is its own alone (USS)."""

    shared_fairly: float
    own: float


def family(pid: int) -> list[int]:
    """The process and all that descend from it."""
    found = [pid]
    for one in found:
        for thread in Path(f"/proc/{one}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def processor_seconds(pid: int) -> float:
    """The processor time that a program has used, which does not depend on what else the machine does."""
    ticks = 0
    for one in family(pid):
        ticks += sum(map(int, Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> Memory:
    """The memory of the largest process of a program: a server's workers, not the one that watches over them."""
    return max(map(_memory, family(pid)))


def _memory(pid: int) -> Memory:
    lines = (line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines())
    kilobytes = {words[0]: int(words[1]) for words in lines if len(words) == 3}
    own = kilobytes["Private_Clean:"] + kilobytes["Private_Dirty:"]
    return Memory(round(kilobytes["Pss:"] / 1024, 1), round(own / 1024, 1))
