"""Watching the verifier itself: what goes wrong over the last hundred outputs, and the fallback for each.

A monitor is given to an `Engine` that serves many answers; a single `check` keeps no state and is not watched.
"""

from __future__ import annotations

import logging
import os
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from threading import Lock
from typing import TYPE_CHECKING

from assay.policy import Policy
from assay.types import Passage, Report, RiskFlag, Verdict

if TYPE_CHECKING:
    from assay.engine.store import Store

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Output:
    """What is remembered of one verified answer; `similarity` is None where nothing was retrieved."""

    scored: int
    supported: int
    refuted: int
    similarity: float | None
    ms: float


@dataclass(frozen=True, slots=True)
class Standing:
    """How the verifier is to be trusted now: `degenerate` and `refuting` are the rates that crossed their limits."""

    outputs: int = 0
    supported_rate: float | None = None
    refuted_rate: float | None = None
    similarity: float | None = None
    degenerate: bool = False
    refuting: bool = False
    irrelevant: bool = False


class Monitor:
    """The last outputs, kept in a store where a place is given; safe between threads."""

    def __init__(self, place: str | os.PathLike[str] | Store | None = None, policy: Policy | None = None) -> None:
        self.policy = policy or Policy()
        self._lock = Lock()
        self._counts: Counter[str] = Counter()
        self._recent: deque[Output] = deque(maxlen=self.policy.monitor_window)
        self._store: Store | None
        if isinstance(place, str | os.PathLike):
            from assay.engine.store import Store

            self._store = Store(place)
        else:
            self._store = place
        if self._store is not None:
            self._recent.extend(Output(**row) for row in self._store.outputs(self.policy.monitor_window))

    @property
    def counts(self) -> dict[str, int]:
        """How often each thing happened in this process, for metrics."""
        with self._lock:
            return dict(self._counts)

    def count(self, event: str, by: int = 1) -> None:
        with self._lock:
            self._counts[event] += by

    @property
    def standing(self) -> Standing:
        """The rates over the window; they mean nothing before it is full."""
        with self._lock:
            recent = list(self._recent)
        scored = sum(output.scored for output in recent)
        similar = [output.similarity for output in recent if output.similarity is not None]
        if not scored:
            return Standing(len(recent), similarity=_mean(similar))
        supported = sum(output.supported for output in recent) / scored
        refuted = sum(output.refuted for output in recent) / scored
        full = len(recent) >= self.policy.monitor_window
        mean = _mean(similar)
        return Standing(
            len(recent),
            supported,
            refuted,
            mean,
            degenerate=full and supported > self.policy.degenerate_supported,
            refuting=full and refuted > self.policy.excessive_refuted,
            irrelevant=full and mean is not None and mean < self.policy.relevance_floor,
        )

    def note(self, report: Report, similarity: float | None) -> None:
        """Remembers a verified answer; one in which nothing was scored says nothing about the verifier."""
        for finding in report.findings:
            self.count(f"claims_{finding.verdict.value.lower()}")
        self.count("outputs")
        if not report.scored:
            return
        counts = report.counts
        output = Output(
            len(report.scored),
            counts[Verdict.SUPPORTED.value],
            counts[Verdict.REFUTED.value],
            similarity,
            sum(report.timings_ms.values()),
        )
        with self._lock:
            self._recent.append(output)
        if self._store is not None:
            self._store.add_output(asdict(output), self.policy.monitor_window)

    def raise_flag(self, kind: str, message: str, severity: str = "high") -> RiskFlag:
        """A flag for the report, counted and logged."""
        self.count(kind)
        log.warning("%s: %s", kind, message)
        return RiskFlag(kind, severity, message)

    def reset(self) -> None:
        """Forgets all outputs: the way back for a verifier that was disabled, once somebody has looked at it."""
        with self._lock:
            self._recent.clear()
        if self._store is not None:
            self._store.clear_outputs()

    def close(self) -> None:
        if self._store is not None:
            self._store.close()


def average_similarity(passages: Sequence[Sequence[Passage]]) -> float | None:
    """The mean over claims of how like the best retrieved passage is; None where nothing was retrieved."""
    best = [
        max(passage.similarity for passage in given if passage.similarity is not None)
        for given in passages
        if any(passage.similarity is not None for passage in given)
    ]
    return _mean(best)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
