"""A recorded run made again from what was stored, and why each verdict that differs does so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

from assay.codec import Json, encode_fields
from assay.errors import UsageError
from assay.ledger.recording import pack_run
from assay.ledger.rerun import CurrentSources, rerun
from assay.ledger.rows import pack_policy
from assay.ledger.runs import StoredRun
from assay.types import Document

if TYPE_CHECKING:
    from assay.engine import Engine, Run
    from assay.memory import Memory

# What the engine's watch over itself does to a run; it says so in the report.
_WATCHED = ("degenerate_verifier", "irrelevant_evidence", "slow_verification", "excessive_refutations", "fallback")
TOLERANCE = 1e-4  # a confidence that moved less than this is the same: processors round apart
_COMPARED = ("verdict", "support", "confidence", "action", "violations", "evidence")


@dataclass(frozen=True)
class Difference:
    """One claim that came out otherwise: what it was, what it is, and what made the difference.

    `before` is empty for a claim that was not there, `after` for one that is no longer made out.
    """

    claim: int
    text: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    reasons: tuple[str, ...]

    def to_dict(self) -> Json:
        return encode_fields(self)


@dataclass(frozen=True)
class Replay:
    """A run made again; `changes` is all that is not as it was, whether or not it made a difference."""

    run_id: str
    differences: tuple[Difference, ...]
    changes: tuple[str, ...]
    claims: int
    root: str
    recorded_root: str

    @property
    def identical(self) -> bool:
        return not self.differences

    def to_dict(self) -> Json:
        return encode_fields(self, "identical")


def replay(
    stored: StoredRun, engine: Engine | None = None, current: Memory | Iterable[Document] | None = None
) -> Replay:
    """The stored inputs run again, by an engine like the run's own unless another is given."""
    chosen = engine or engine_for(stored)
    replayer = _Replayer(stored, chosen, CurrentSources(current) if current is not None else None)
    now = replayer.outcomes(frozenset())
    before = outcomes_of(stored.report["claims"])
    differing = [key for key in {**before, **now} if not _same(before.get(key), now.get(key))]
    causes = replayer.causes()
    trials = {kept: replayer.outcomes(kept) for kept in _combinations(causes)} if differing else {}
    differences = []
    for key in differing:
        was, became = before.get(key), now.get(key)
        kept = next((k for k, found in trials.items() if _undoes(was, became, found.get(key))), None)
        shown = became or was or {}
        differences.append(
            Difference(
                claim=shown["claim"],
                text=shown["text"],
                before=_changed(was, became),
                after=_changed(became, was),
                reasons=_reasons(kept, causes, (*replayer.model_change(), *replayer.watch_change())),
            )
        )
    return Replay(
        run_id=stored.id,
        differences=tuple(sorted(differences, key=lambda item: item.claim)),
        changes=(*chain.from_iterable(causes.values()), *replayer.model_change(), *replayer.watch_change()),
        claims=len(before),
        root=replayer.root(),
        recorded_root=stored.root,
    )


def engine_for(stored: StoredRun) -> Engine:
    """An engine with the policy and the judge of a run."""
    from assay.engine import Engine

    return Engine(stored.policy, judge_name(stored.model))


def judge_name(model: str) -> str:
    """The judge a model's name begins with."""
    from assay.judges import JUDGES

    word = re.match(r"[\w-]*", model)
    name = word.group() if word else ""
    if name not in JUDGES or "model:" in model.split(" ")[0]:  # a language model is asked again only on request
        raise UsageError(
            f"the run was judged by {model!r}, which is not made again by itself; "
            f"replay it with an engine or --judge of your choice: {', '.join(JUDGES)} or model:PROVIDER/NAME"
        )
    return name


class _Replayer:
    """One run under several conditions: as things are now, and with the old policy or the old sources put back."""

    def __init__(self, stored: StoredRun, engine: Engine, current: CurrentSources | None) -> None:
        self._stored, self._engine = stored, engine
        self._source_changes = current.changes(stored) if current is not None else {}
        self._current = current if self._source_changes else None
        self._done: dict[frozenset[str], Run] = {}

    def causes(self) -> dict[str, list[str]]:
        """What is not as it was and can be put back, each with its description."""
        found = {}
        if policy := self._policy_changes():
            found["policy"] = policy
        if self._source_changes:
            found["source"] = [f"source: {name} {what}" for name, what in self._source_changes.items()]
        return found

    def model_change(self) -> list[str]:
        now = self._run(frozenset()).model
        return [f"model: {self._stored.model} → {now}"] if now != self._stored.model else []

    def watch_change(self) -> list[str]:
        """What the engine did on its own then and not now, or now and not then."""
        then = _watched(self._stored.report["risk_flags"])
        now = _watched(self._run(frozenset()).report.to_dict()["risk_flags"])
        gone = [f"then: {message}" for kind, message in then.items() if kind not in now]
        return [*gone, *(f"now: {message}" for kind, message in now.items() if kind not in then)]

    def outcomes(self, restored: frozenset[str]) -> dict[tuple[Any, ...], dict[str, Any]]:
        return outcomes_of(self._run(restored).report.to_dict()["claims"])

    def root(self) -> str:
        run, kept = self._run(frozenset()), self._stored.payload
        stages = kept["stages"]
        again = pack_run(run, prompt=stages["prompt"], rendering=stages["rendering"], abstention=kept.get("abstention"))
        return str(again[0]["root"])

    def _run(self, restored: frozenset[str]) -> Run:
        if restored not in self._done:
            engine = self._engine
            if "policy" in restored:
                from assay.engine import Engine

                engine = Engine(self._stored.policy, engine.judged_by.name)
            self._done[restored] = rerun(self._stored, engine, self._current if "source" not in restored else None)
        return self._done[restored]

    def _policy_changes(self) -> list[str]:
        from assay.judges import JUDGES

        old, new = dict(self._stored.payload["policy"]), pack_policy(self._engine.policy)
        shared = [f"policy: {name} {old[name]} → {new[name]}" for name in new if name in old and old[name] != new[name]]
        gone = [f"policy: {name} {old[name]} is no longer a setting" for name in sorted(set(old) - set(new))]
        # A judge of the caller's own cannot be made again with another policy.
        return [*shared, *gone] if self._engine.judged_by.name in JUDGES else []


def outcomes_of(findings: Sequence[Mapping[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """What is compared, by claim: its words and its place tell a claim."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for number, item in enumerate(findings):
        key = (item["text"], *((span["start"], span["end"]) for span in item["spans"]))
        receipts = [(e["document"], e["document_sha256"], e["start"], e["end"], e["stance"]) for e in item["evidence"]]
        shown = {name: item[name] for name in _COMPARED if name != "evidence"}
        found[key] = {**shown, "evidence": sorted(receipts), "claim": number, "text": item["text"]}
    return found


def _watched(flags: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {flag["kind"]: flag["message"] for flag in flags if flag["kind"] in _WATCHED}


def _same(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> bool:
    if before is None or after is None:
        return before is after
    plain = all(before[name] == after[name] for name in _COMPARED if name != "confidence")
    return plain and abs(before["confidence"] - after["confidence"]) <= TOLERANCE


def _undoes(was: Mapping[str, Any] | None, became: Mapping[str, Any] | None, found: Mapping[str, Any] | None) -> bool:
    """Whether a rerun takes the difference back; of a verdict that differs, the verdict is to be explained."""
    if was is None or became is None or found is None or was["verdict"] == became["verdict"]:
        return _same(was, found)
    return bool(found["verdict"] == was["verdict"])


def _changed(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> dict[str, Any]:
    """The parts of an outcome that the other one does not share."""
    if one is None:
        return {}
    kept = {name: one[name] for name in _COMPARED if other is None or one[name] != other[name]}
    if "evidence" in kept:
        kept["evidence"] = [
            f"{document}, {start}–{end} ({stance})" for document, _, start, end, stance in kept["evidence"]
        ]
    return kept


def _combinations(causes: Mapping[str, Any]) -> list[frozenset[str]]:
    """Every way to put things back, the smallest first: the first that undoes a difference names its cause."""
    sizes = range(1, len(causes) + 1)
    return [frozenset(kept) for size in sizes for kept in combinations(causes, size)]


def _reasons(
    kept: frozenset[str] | None, causes: Mapping[str, Sequence[str]], beside: Sequence[str]
) -> tuple[str, ...]:
    if kept is not None:
        return tuple(reason for name, reasons in causes.items() if name in kept for reason in reasons)
    if beside:
        return tuple(beside)
    return (
        "not explained: policy, model and sources are the same; the code of Assay has changed, or the judge wavers",
    )
