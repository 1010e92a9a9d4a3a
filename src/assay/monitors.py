"""Monitor of the verifier: what goes wrong over the last hundred distinct answers, and the fallback for each.

A monitor is given to an `Engine` that serves many answers; a single `check` keeps no state and is not watched. A high
SUPPORTED rate alone disables nothing: the verifier is then probed with claims that were made false (`Monitor.probes`),
and only one that supports these as well is disabled.
"""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from secrets import randbits
from threading import Lock
from typing import TYPE_CHECKING

from assay.policy import Policy
from assay.types import Finding, Report, RiskFlag, Stance, Verdict, sha256_of

if TYPE_CHECKING:
    from assay.engine.store import EngineStore

log = logging.getLogger(__name__)

HOW_TO_RESET = "look at it, then reset the monitor: 'assay doctor --reset-monitor', or POST /v1/monitor/reset (admin)"
PASSED, FAILED = "passed", "failed"
_SAMPLES = 2  # supported claims remembered of one answer
_SAMPLE_CHARS = 600  # longer claims and quotes hold more than the one fact that is changed
_PROBES = 6  # changed claims shown to the verifier
# Pairs of our own, which no caller can write: a working verifier supports none of these claims.
_CONTROLS = (
    ("The harbour bridge is 503 metres long.", "The harbour bridge is 940 metres long."),
    ("The museum is closed on Mondays.", "The museum is not closed on Mondays."),
    ("Copper melts at 1,085 degrees Celsius.", "The choir rehearses in the town hall."),
)


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """What is remembered of one verified answer; `similarity` is None where nothing was retrieved.

    `answer` is the hash of its text, `samples` are supported claims with their quotes as JSON, and `probe` is how the
    verifier did (`passed` or `failed`) if it was probed when this was the last answer.
    """

    scored: int
    supported: int
    refuted: int
    similarity: float | None
    ms: float
    answer: str = ""
    samples: str = "[]"
    probe: str = ""


@dataclass(frozen=True, slots=True)
class MonitorStatus:
    """How the verifier is to be trusted now.

    `suspect`: the SUPPORTED rate is above its limit and nobody has probed the verifier since; `degenerate`: it failed
    the probe and is disabled; `healthy`: it passed the last one.
    """

    outputs: int = 0
    supported_rate: float | None = None
    refuted_rate: float | None = None
    similarity: float | None = None
    suspect: bool = False
    degenerate: bool = False
    healthy: bool = False
    refuting: bool = False
    irrelevant: bool = False


@dataclass(frozen=True, slots=True)
class Probe:
    """Evidence and a claim that it does not support; `control` for a pair that came with no answer."""

    evidence: str
    claim: str
    control: bool = False


class Monitor:
    """The last distinct answers, kept in a store where a place is given; safe between threads."""

    def __init__(self, place: str | os.PathLike[str] | EngineStore | None = None, policy: Policy | None = None) -> None:
        self.policy = policy or Policy()
        self._lock = Lock()
        self._counts: Counter[str] = Counter()
        self._recent: dict[str, AnswerRecord] = {}
        self._store: EngineStore | None
        if isinstance(place, str | os.PathLike):
            from assay.engine.store import EngineStore

            self._store = EngineStore(place)
        else:
            self._store = place
        self.refresh()

    def refresh(self) -> None:
        """Reads the store again: another process may have reset it."""
        if self._store is None:
            return
        rows = [AnswerRecord(**row) for row in self._store.outputs(self.policy.monitor_window)]
        with self._lock:
            self._recent = {row.answer or f"old {number}": row for number, row in enumerate(rows)}

    @property
    def counts(self) -> dict[str, int]:
        """How often each thing happened in this process, for metrics."""
        with self._lock:
            return dict(self._counts)

    def count(self, event: str, by: int = 1) -> None:
        with self._lock:
            self._counts[event] += by

    @property
    def standing(self) -> MonitorStatus:
        """The rates over the window; they mean nothing before it is full."""
        with self._lock:
            recent = list(self._recent.values())
        scored = sum(output.scored for output in recent)
        similar = [output.similarity for output in recent if output.similarity is not None]
        if not scored:
            return MonitorStatus(len(recent), similarity=_mean(similar))
        supported = sum(output.supported for output in recent) / scored
        refuted = sum(output.refuted for output in recent) / scored
        full = len(recent) >= self.policy.monitor_window
        mean = _mean(similar)
        probed = [output.probe for output in recent if output.probe]
        return MonitorStatus(
            len(recent),
            supported,
            refuted,
            mean,
            suspect=full and supported > self.policy.degenerate_supported and not probed,
            degenerate=probed[-1:] == [FAILED],
            healthy=probed[-1:] == [PASSED],
            refuting=full and refuted > self.policy.excessive_refuted,
            irrelevant=full and mean is not None and mean < self.policy.relevance_floor,
        )

    def note(self, report: Report, similarity: float | None) -> None:
        """Remembers a verified answer, each once; one in which nothing was scored says nothing about the verifier."""
        for finding in report.findings:
            self.count(f"claims_{finding.verdict.value.lower()}")
        self.count("outputs")
        if not report.scored:
            return
        counts = report.counts
        output = AnswerRecord(
            len(report.scored),
            counts[Verdict.SUPPORTED.value],
            counts[Verdict.REFUTED.value],
            similarity,
            sum(report.timings_ms.values()),
            sha256_of(" ".join(report.answer.split())),
            json.dumps([sample for finding in report.findings if (sample := _sample(finding))][:_SAMPLES]),
        )
        with self._lock:
            known = self._recent.get(output.answer)
            # An answer that comes again keeps its place, and with it the probe that was made there.
            self._recent[output.answer] = output if known is None else replace(output, probe=known.probe)
            while len(self._recent) > self.policy.monitor_window:
                del self._recent[next(iter(self._recent))]
        if self._store is not None:
            self._store.add_output(asdict(output), self.policy.monitor_window)

    def probes(self) -> list[Probe]:
        """Claims of the last answers with one fact changed, and controls; which fact, and to what, nobody can foresee.

        A change that the quote states as well ("it has 5 or 6 floors") would be no change, and is left out.
        """
        from assay.mutations import mutate

        with self._lock:
            recent = list(self._recent.values())
        made: list[Probe] = []
        for output in reversed(recent):
            for claim, quote in json.loads(output.samples):
                changes = [item for item in mutate(claim, randbits(32)) if item.kind in _CHANGED]
                changes.sort(key=lambda item: _CHANGED.index(item.kind))
                text = next((item.text for item in changes if not _states(quote, item.text, claim)), None)
                if text is not None and len(made) < _PROBES:
                    made.append(Probe(quote, text))
        return [*made, *(Probe(evidence, claim, control=True) for evidence, claim in _CONTROLS)]

    def note_probe(self, outcome: str) -> None:
        """Keeps how the verifier did with the last answer; it holds until that answer leaves the window."""
        self.count(f"probe_{outcome}")
        with self._lock:
            last = next(reversed(self._recent), None)
            if last is None:
                return
            self._recent[last] = replace(self._recent[last], probe=outcome)
        if self._store is not None:
            self._store.mark_probe(outcome)

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


# What is changed, the clearest first: a scale or a qualifier left out may still be true.
_CHANGED = ("number", "date", "name", "negation")


def _sample(finding: Finding) -> tuple[str, str] | None:
    """A supported claim with the words of its source, if both are short."""
    if finding.verdict is not Verdict.SUPPORTED:
        return None
    quote = next((item.quote for item in finding.evidence if item.stance is Stance.SUPPORTS), "")
    fits = quote and max(len(quote), len(finding.text)) <= _SAMPLE_CHARS
    return (finding.text, quote) if fits else None


def _states(quote: str, changed: str, claim: str) -> bool:
    """Whether all words by which a changed claim differs stand in the quote."""
    new = set(changed.lower().split()) - set(claim.lower().split())
    return new <= set(quote.lower().split())


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
