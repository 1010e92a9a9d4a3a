"""From claims and passages to judgements: the cache first, then the judge, watched where somebody keeps watch."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING
from weakref import WeakSet

from assay.cache import cache_key
from assay.engine.crowding import crowding, waiting_clock
from assay.judges import Judge, levels
from assay.judges.asking import Deliberation, ask, not_checkable, unverified_all
from assay.judges.budget import Budget
from assay.monitors import FAILED, HOW_TO_RESET, PASSED, Monitor
from assay.policy import Policy
from assay.types import Claim, Document, Judgement, Passage, RiskFlag, Span, Verdict

if TYPE_CHECKING:
    from assay.engine.gathering import Collected
    from assay.engine.pipeline import Engine

log = logging.getLogger(__name__)
_LAST_WAIT_S = 30.0  # how long the end of the process waits for judges that were skipped
_SKIPPED: WeakSet[Thread] = WeakSet()  # a thread that runs is held by the interpreter
RAISED_HALT_CONFIDENCE = 0.9  # the least confidence that halts while refutations are excessive


def decide(engine: Engine, claims: Sequence[Claim], evidence: Collected, question: str | None) -> Deliberation:
    """The judgements on an answer, from the cache or the judge."""
    judge, policy, monitor = engine.judged_by, engine.policy, engine.monitor
    if monitor is None:
        return consult(engine, claims, evidence.passages, question, Budget(policy, progress=engine.progress))
    if monitor.standing.degenerate:
        monitor.refresh()
    if monitor.standing.suspect:
        probe(judge, policy, monitor)
    standing = monitor.standing
    if standing.degenerate:
        why = (
            f"{standing.supported_rate:.1%} of all claims in the last {standing.outputs} answers were called "
            "supported, and so were claims that were made false on purpose, so the verifier is disabled"
        )
        flag = monitor.raise_flag("degenerate_verifier", f"{why}; {HOW_TO_RESET}")
        return Deliberation(unverified_all(claims, f"Not verified: {why}; {HOW_TO_RESET}."), (flag,))
    similarity = evidence.similarity
    # What was found for this answer decides; where nothing was looked for, what was found for the last ones.
    shown = standing.similarity if similarity is None and standing.irrelevant else similarity
    if shown is not None and shown < policy.relevance_floor:
        flag = monitor.raise_flag(
            "irrelevant_evidence",
            f"the evidence that was found is not about the answer (similarity {shown:.2f}, "
            f"needed {policy.relevance_floor:.2f}), so nothing is settled",
        )
        return Deliberation(tuple(_unsettled(claim) for claim in claims), (flag,))
    judge.warm_first()  # loading is not to be taken for slowness
    waited = waiting_clock()  # nor is waiting for a processor
    allowed = policy.verification_timeout_ms * (1.0 if waited else crowding())
    most = allowed * max(1, sum(claim.checkable for claim in claims))
    budget = Budget(policy, progress=engine.progress, late_ms=most, waited_ms=waited)
    # The claim that is being judged when time is up may end; those after it are skipped one by one.
    work = partial(consult, engine, claims, evidence.passages, question, budget)
    found = within(allowed, budget, work, f"the judge {judge.name!r}")
    if found is None:
        message = f"the judge {judge.name!r} took more than {budget.late_ms:g} ms and was skipped"
        flag = monitor.raise_flag("slow_verification", message)
        return Deliberation(unverified_all(claims, f"Not verified: {message}."), (flag,))
    if budget.is_late and (late := sum(judgement.verdict is Verdict.ERROR for judgement in found.judgements)):
        message = f"{late} of {len(claims)} claims were skipped, as the others took {budget.late_ms:g} ms"
        found = replace(found, flags=(*found.flags, monitor.raise_flag("slow_verification", message)))
    for name in found.fallbacks:
        monitor.count("fallback")
        log.warning("fallback: %s cannot be used", name)
    return found


def probe(judge: Judge, policy: Policy, monitor: Monitor) -> None:
    """Shows the judge claims that are false by construction, and notes whether it supports them.

    It fails if it supports every control, and most of the changed claims where there are any (a judge that quotes
    nothing leaves nothing to change): answers alone, which anybody may send, cannot make a working verifier fail. A
    judge that decides nothing (an error) is asked again with the next answer.
    """
    probes = monitor.probes()
    claims = [Claim(item.claim, (Span(0, len(item.claim)),)) for item in probes]
    documents = [Document(f"probe-{number}", item.evidence) for number, item in enumerate(probes)]
    passages = [(Passage(document, 0, len(document.text)),) for document in documents]
    found = ask(judge, claims, passages, None, policy, Budget(policy)).judgements
    verdicts = [(item.control, judgement.verdict) for item, judgement in zip(probes, found, strict=True)]
    decided = [(control, verdict is Verdict.SUPPORTED) for control, verdict in verdicts if verdict is not Verdict.ERROR]
    changed = [supported for control, supported in decided if not control]
    controls = [supported for control, supported in decided if control]
    if not controls:
        return
    failed = all(controls) and (sum(changed) * 2 > len(changed) or not changed)
    monitor.note_probe(FAILED if failed else PASSED)
    log.log(
        logging.ERROR if failed else logging.INFO,
        "the verifier was probed with %d false claims and supported %d of them: it is %s",
        len(decided),
        sum(changed) + sum(controls),
        "disabled" if failed else "healthy",
    )


def raised_halt(monitor: Monitor | None, policy: Policy) -> tuple[Policy, tuple[RiskFlag, ...]]:
    """The policy for actions: while most claims are called refuted, only very sure refutations halt."""
    if monitor is None or not monitor.standing.refuting:
        return policy, ()
    standing = monitor.standing
    flag = monitor.raise_flag(
        "excessive_refutations",
        f"{standing.refuted_rate:.0%} of all claims in the last {standing.outputs} outputs were called refuted, "
        f"so only a confidence of {RAISED_HALT_CONFIDENCE:g} halts",
        "medium",
    )
    return policy.but(halt_confidence=max(policy.halt_confidence, RAISED_HALT_CONFIDENCE)), (flag,)


def consult(
    engine: Engine,
    claims: Sequence[Claim],
    passages: Sequence[Sequence[Passage]],
    question: str | None,
    budget: Budget,
) -> Deliberation:
    """What the judge says, or said before about the same claim and the same evidence."""
    judge, policy, cache = engine.judged_by, engine.policy, engine.cache
    if cache is None:
        return ask(judge, claims, passages, question, policy, budget)
    keys = [
        cache_key(claim, given, question, judge.model, judge.prompt_sha256, policy)
        for claim, given in zip(claims, passages, strict=True)
    ]
    known = cache.find(keys, claims)
    new = [number for number, judgement in enumerate(known) if judgement is None]
    if not new:
        return Deliberation(tuple(judgement for judgement in known if judgement is not None))
    fresh = ask(judge, [claims[n] for n in new], [passages[n] for n in new], question, policy, budget)
    if not fresh.fallbacks:  # what another judge said in its place must not be taken for its word
        cache.keep([keys[n] for n in new], [claims[n] for n in new], fresh.judgements)
    rest = iter(fresh.judgements)
    judgements = tuple(next(rest) if judgement is None else judgement for judgement in known)
    return Deliberation(judgements, fresh.flags, fresh.warnings, fresh.fallbacks)


def within(grace_ms: float, budget: Budget, work: Callable[[], Deliberation], name: str) -> Deliberation | None:
    """What the work gives, or None when it is not done that long after it has become late.

    A thread cannot be stopped, so it ends on its own. The process waits for it before it ends: native code that still
    runs while its library is taken down would end in a crash.
    """
    box: list[Deliberation] = []
    problems: list[BaseException] = []

    def run() -> None:
        try:
            box.append(work())
        except BaseException as problem:
            problems.append(problem)

    thread = Thread(target=run, name=f"assay {name}", daemon=True)
    thread.start()
    while thread.is_alive() and (left := budget.late_ms + grace_ms - budget.worked_ms) > 0:
        thread.join(left / 1000)
    if problems:
        raise problems[0]
    if not box:
        _SKIPPED.add(thread)
        return None
    return box[0]


@atexit.register
def _wait_for_skipped() -> None:
    until = perf_counter() + _LAST_WAIT_S
    for thread in list(_SKIPPED):
        thread.join(max(0.0, until - perf_counter()))


def _unsettled(claim: Claim) -> Judgement:
    if not claim.checkable:
        return not_checkable(claim)
    reason = "The evidence that was found is not about this."
    return Judgement(Verdict.INSUFFICIENT, levels.UNSETTLED, "none", explanation=reason)
