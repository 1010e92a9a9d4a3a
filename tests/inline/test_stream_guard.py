from __future__ import annotations

import asyncio
import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay.cache import Cache
from assay.engine import Engine
from assay.epistemic import EpistemicConfig
from assay.errors import GeneratorError, UsageError
from assay.inline import BranchEvent, ClaimEvent, DoneEvent, FindingEvent, HaltEvent, RetractEvent, TokenEvent, guard
from assay.inline.checker import StreamChecker
from assay.policy import Policy
from assay.text.tokens import count_tokens
from assay.types import Action, Judgement, Verdict
from tests.inline.streams import AFTER, BAD, GOOD, SOURCE, WRONG, flow, tokens

ENGINE = Engine(judge="lexical")


async def collect(stream, **options):
    options.setdefault("engine", ENGINE)
    options.setdefault("sources", [SOURCE])
    return [event async for event in guard(stream, **options)]


def watch(text: str, pause: float = 0.0, **options):
    events = asyncio.run(collect(flow(text, pause), **options))
    assert isinstance(events[-1], DoneEvent)
    return events, events[-1]


def shown(events) -> str:
    return "".join(event.text for event in events if isinstance(event, TokenEvent))


def remaining(events) -> str:
    """What the reader is left with: what was shown, without what was taken back."""
    retracted = next((event for event in events if isinstance(event, RetractEvent)), None)
    return shown(events)[: retracted.span.start] if retracted else shown(events)


def left_running() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("assay-inline")]


@pytest.mark.parametrize("release", ["stream", "hold"])
def test_a_right_answer_passes_whole_and_unchanged(release):
    events, done = watch(GOOD, release=release)
    assert shown(events) == GOOD
    assert not done.halted
    assert done.report.answer == GOOD
    assert done.report.verdict is Verdict.SUPPORTED
    assert (done.tokens, done.tokens_shown, done.tokens_exposed) == (count_tokens(GOOD), count_tokens(GOOD), 0)


@pytest.mark.parametrize("pause", [1 / 8 / 20, 1 / 100])  # the first stands for 8 tokens a second, only not as long
def test_a_wrong_sentence_is_halted_before_the_next_begins(pause):
    patient = Engine(Policy(inline_wait_ms=60_000), "lexical")  # also on a machine that is busy with other things
    events, done = watch(BAD, pause, engine=patient, release="stream")
    exposed = shown(events).removeprefix(GOOD).strip()
    assert exposed in (WRONG, "")  # nothing of it where the check was slower than the writing
    assert done.halted
    assert done.false_halts == 0
    assert done.tokens_exposed == count_tokens(exposed)
    for retract in [event for event in events if isinstance(event, RetractEvent)]:
        assert retract.text == WRONG
        assert retract.span.of(BAD) == WRONG


@pytest.mark.parametrize("pause", [1 / 8 / 20, 1 / 100])
def test_a_wrong_sentence_is_never_shown_when_held(pause):
    events, done = watch(BAD, pause, release="hold")
    assert shown(events).strip() == GOOD
    assert done.halted
    assert done.tokens_exposed == 0
    assert not any(isinstance(event, RetractEvent) for event in events)


def test_a_wrong_first_sentence_is_held_back_while_the_text_is_too_short_to_halt():
    events, done = watch(f"{WRONG} {GOOD} {AFTER}", 0.03, release="hold")
    assert WRONG not in shown(events)
    assert done.halted
    assert done.tokens_exposed == 0


def test_the_halt_names_the_finding_and_what_the_source_says():
    events, done = watch(BAD)
    halt = next(event for event in events if isinstance(event, HaltEvent))
    assert halt.finding.text == WRONG
    assert halt.finding.action is Action.HALT
    assert "1889" in halt.reason
    assert done.report.action is Action.HALT
    assert halt.finding.claim.span.of(BAD) == WRONG


def test_the_source_is_closed_when_the_guard_halts():
    closed: list[str] = []
    asyncio.run(collect(flow(BAD, closed=closed)))
    assert closed
    assert closed[0] in ("GeneratorExit", "CancelledError", "ended")


def test_every_claim_is_found_then_checked_once():
    events, _ = watch(GOOD)
    found = [event.claim.text for event in events if isinstance(event, ClaimEvent)]
    checked = [event.finding.text for event in events if isinstance(event, FindingEvent)]
    assert found == checked
    assert len(set(checked)) == len(checked) == 5


def test_a_claim_is_not_judged_twice():
    class Counting:
        name = "counting"

        def __init__(self):
            self.inner = Engine(judge="lexical").judged_by
            self.texts: list[str] = []

        def judge(self, claims, passages, question=None):
            self.texts += [claim.text for claim in claims if claim.checkable]
            return self.inner.judge(claims, passages, question)

    judge = Counting()
    watch(GOOD, 0.005, engine=Engine(judge=judge))
    assert len(judge.texts) == len(set(judge.texts))


def test_the_report_at_the_end_is_that_of_the_whole_text():
    _, done = watch(GOOD)
    whole = ENGINE.check(GOOD, sources=[SOURCE])
    assert [f.verdict for f in done.report.findings] == [f.verdict for f in whole.findings]
    assert [f.spans for f in done.report.findings] == [f.spans for f in whole.findings]


def test_a_short_output_that_states_nothing_is_exempt_and_shown_whole():
    text = "Hello! You're welcome. Have a nice day!"
    events, done = watch(text)
    assert shown(events) == text
    assert not done.halted
    assert "not checked" in done.report.skipped


@pytest.mark.parametrize("text", [WRONG, f"{WRONG} Have a nice day!", f"Sure! {WRONG}"])
@pytest.mark.parametrize("release", ["stream", "hold"])
def test_a_short_wrong_sentence_is_halted_and_never_shown_when_held(text, release):
    events, done = watch(text, release=release)
    assert done.halted
    assert WRONG not in remaining(events)
    assert release == "stream" or WRONG not in shown(events)


def test_tokens_are_counted_whatever_the_pieces_of_the_stream_are():
    async def pieces():
        yield GOOD

    done = asyncio.run(collect(pieces()))[-1]
    assert (done.tokens, done.tokens_shown) == (count_tokens(GOOD), count_tokens(GOOD))


def test_events_come_in_a_plain_loop_too():
    events = list(guard(iter(tokens(BAD)), sources=[SOURCE], judge="lexical", release="hold"))
    assert shown(events).strip() == GOOD
    assert events[-1].halted
    assert not left_running()
    for event in guard(iter(tokens(GOOD)), sources=[SOURCE], engine=ENGINE):
        if event.kind == "token":
            break  # a reader who leaves early leaves nothing behind
    gc.collect()
    assert not left_running()


def test_a_judge_is_given_as_everywhere_else():
    class Nay:
        name = "nay"

        def judge(self, claims, passages, question=None):
            return [Judgement(Verdict.REFUTED, 0.9, "nay", explanation="It is not so.") for _ in claims]

    assert list(guard(iter(tokens(GOOD)), sources=[SOURCE], judge=Nay()))[-1].halted
    with pytest.raises(UsageError, match="judge or an engine"):
        guard(flow(GOOD), judge="lexical", engine=ENGINE)


class Author:
    """A generator that writes one text after the other, and remembers what it was asked."""

    name = "author"

    def __init__(self, *texts):
        self.texts, self.asked = list(texts), []

    async def stream(self, messages, *, temperature=0.0, max_tokens=512, seed=None):
        self.asked.append((temperature, seed))
        for token in tokens(self.texts.pop(0)):
            yield token


def test_a_halted_answer_is_written_again_where_there_is_a_generator():
    author = Author(BAD, GOOD)
    events, done = watch(BAD, generator=author, question="What is known about mountains?", release="hold")
    assert [event.number for event in events if isinstance(event, BranchEvent)] == [1, 2]
    assert sum(isinstance(event, DoneEvent) for event in events) == 1
    assert (done.halted, done.branches, done.report.answer) == (False, 2, GOOD)
    assert [seed for _, seed in author.asked] == [1, 2]
    assert author.asked[0][0] == 0.0 < author.asked[1][0]
    last = max(number for number, event in enumerate(events) if isinstance(event, BranchEvent))
    assert shown(events[last:]) == GOOD


def test_attempts_are_checked_in_the_same_threads_as_the_first():
    class Counting(ThreadPoolExecutor):
        taken = 0

        def submit(self, work, /, *arguments, **options):
            self.taken += 1
            return super().submit(work, *arguments, **options)

    with Counting(1) as pool:
        _, done = watch(BAD, generator=Author(GOOD), question="What is known about mountains?", executor=pool)
        assert (done.branches, pool.taken > 0) == (1, True)


def test_after_three_branches_the_guard_abstains():
    author = Author(BAD, BAD, BAD, BAD)
    events, done = watch(BAD, generator=author, question="What is known about mountains?")
    assert sum(isinstance(event, BranchEvent) for event in events) == 3
    assert (done.halted, done.branches, done.report.action) == (True, 3, Action.ABSTAIN)


def test_when_no_attempt_passes_the_end_is_about_the_best_of_them():
    author = Author(BAD, f"{WRONG} {GOOD}", f"{WRONG} {GOOD}")
    _, done = watch(f"{WRONG} {GOOD}", generator=author, question="What is known about mountains?")
    assert (done.halted, done.branches) == (True, 3)
    assert done.report.answer.startswith(GOOD)  # the second of four: it got furthest before it was halted


def test_the_epistemic_checks_look_at_the_whole_text_at_the_end():
    _, done = watch(GOOD, epistemic=True)
    assert done.epistemic.outcome in ("passed", "skipped")
    assert done.to_dict()["epistemic"]["answer"] == GOOD
    _, plain = watch(GOOD)
    assert plain.epistemic is None
    _, flagged = watch(BAD, epistemic=EpistemicConfig(on_failure="ask"))
    assert flagged.epistemic.outcome == "ask"
    assert flagged.epistemic.question


def test_a_wrong_first_sentence_of_a_long_output_is_not_exempt():
    events, done = watch(f"{WRONG} {GOOD}{AFTER}", 0.003)
    assert done.halted
    assert shown(events) == WRONG


@pytest.mark.parametrize("size", [1, 3, 40, 10_000])
@pytest.mark.parametrize("release", ["stream", "hold"])
def test_the_size_of_the_pieces_does_not_matter(size, release):
    async def pieces():
        for at in range(0, len(BAD), size):
            await asyncio.sleep(0)
            yield BAD[at : at + size]

    events = asyncio.run(collect(pieces(), release=release))
    assert remaining(events).strip() == GOOD
    assert "stands in Paris" not in shown(events)
    assert release == "stream" or WRONG not in shown(events)
    assert events[-1].halted


def test_an_abbreviation_or_a_decimal_does_not_halt_too_early():
    source = "Lake Baikal is 1.5 km deep. It lies in Siberia."
    text = f"Lake Baikal is 1.5 km deep. It lies in Siberia. {GOOD}"

    async def letters():
        for letter in text:
            await asyncio.sleep(0.0005)
            yield letter

    events = asyncio.run(collect(letters(), sources=[source, SOURCE]))
    assert shown(events) == text
    assert not events[-1].halted


def test_a_plain_iterator_can_be_guarded():
    events = asyncio.run(collect(iter(tokens(BAD))))
    assert remaining(events).strip() == GOOD
    assert "stands in Paris" not in shown(events)


def test_events_are_json_with_their_kind():
    events, _ = watch(BAD, 0.003)
    kinds = {event.to_dict()["kind"] for event in events}
    assert kinds == {"token", "claim", "finding", "halt", "retract", "done"}


# Whatever ends a stream leaves nothing running


def settle():
    gc.collect()
    assert left_running() == []


def test_a_stream_that_is_cut_is_judged_as_it_stands():
    _, done = watch(BAD[: BAD.index("1899") + 4])
    assert done.halted
    settle()


def test_a_stream_that_raises_passes_its_error_on():
    async def broken():
        for token in tokens(GOOD)[:20]:
            yield token
        raise ConnectionError("gone")

    async def run():
        with pytest.raises(ConnectionError, match="gone"):
            await collect(broken())
        return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    assert asyncio.run(run()) == []
    settle()


def test_a_stream_that_stalls_is_given_up():
    closed: list[str] = []

    async def stalling():
        try:
            yield "Mount Everest is high. "
            await asyncio.sleep(3600)
        finally:
            closed.append("closed")

    async def run():
        with pytest.raises(GeneratorError, match="silent"):
            await collect(stalling(), engine=Engine(Policy(inline_stall_s=0.05), "lexical"))
        return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    assert asyncio.run(run()) == []
    assert closed == ["closed"]
    settle()


def test_a_cancelled_reader_leaves_nothing():
    closed: list[str] = []

    async def run():
        task = asyncio.create_task(collect(flow(BAD, 0.01, closed)))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return [left for left in asyncio.all_tasks() if left is not asyncio.current_task()]

    assert asyncio.run(run()) == []
    assert closed
    settle()


def test_a_reader_who_leaves_early_leaves_nothing():
    closed: list[str] = []

    async def run():
        events = guard(flow(GOOD, 0.001, closed), sources=[SOURCE], engine=ENGINE)
        async for event in events:
            if isinstance(event, FindingEvent):
                break
        await events.aclose()
        return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    assert asyncio.run(run()) == []
    assert closed
    settle()


class Broken:
    name = "broken"

    def judge(self, claims, passages, question=None):
        raise RuntimeError("out of order")


def test_a_check_that_fails_lets_nothing_more_out_when_held():
    events, done = watch(GOOD, 0.002, engine=Engine(judge=Broken()), release="hold")
    assert shown(events) == ""
    assert done.halted
    assert done.false_halts == 0
    assert "out of order" in next(event.reason for event in events if isinstance(event, HaltEvent))
    settle()


def test_a_check_that_fails_does_not_stop_a_stream_that_shows_everything():
    events, done = watch(GOOD, 0.002, engine=Engine(judge=Broken()), release="stream")
    assert shown(events) == GOOD
    assert done.report.verdict is Verdict.ERROR
    settle()


# Asking for the impossible


def test_bad_calls_are_refused_by_name():
    with pytest.raises(UsageError, match=r"assay\.check"):
        guard("a whole text")
    with pytest.raises(UsageError, match="neither"):
        guard(42)
    with pytest.raises(UsageError, match="release"):
        guard(flow(GOOD), release="maybe")
    with pytest.raises(UsageError, match="not both"):
        guard(flow(GOOD), engine=ENGINE, policy=Policy(halt_confidence=0.9))


# What cannot be taken back


class ChangesItsMind:
    """Refutes one sentence, but only once another has been written."""

    name = "changes its mind"

    def __init__(self, sentence, until):
        self.sentence, self.until, self.seen = sentence, until, False

    def judge(self, claims, passages, question=None):
        self.seen = self.seen or any(self.until in claim.text for claim in claims)
        return [self.judge_one(claim) for claim in claims]

    def judge_one(self, claim):
        wrong = self.seen and claim.text in self.sentence
        return Judgement(Verdict.REFUTED if wrong else Verdict.SUPPORTED, 0.99, "test")


class RefutesVienna:
    name = "refutes Vienna"

    def judge(self, claims, passages, question=None):
        wrong = ["Vienna" in claim.text for claim in claims]
        return [Judgement(Verdict.REFUTED if one else Verdict.SUPPORTED, 0.99, "test") for one in wrong]


@pytest.mark.parametrize("release", ["hold", "end"])
def test_what_is_refuted_by_the_last_check_alone_is_withheld(release):
    text = "Mount Everest is 8,849 m high. Then the Danube flows on through Vienna"  # without a stop: read at the end
    events, done = watch(text, 0.002, engine=Engine(judge=RefutesVienna()), release=release)
    assert "Vienna" not in shown(events)
    assert done.halted
    assert done.report.verdict is Verdict.REFUTED
    assert not any(isinstance(event, RetractEvent) for event in events)


def test_a_held_sentence_that_went_out_is_never_refuted_afterwards():
    first = "Mount Everest is 8,849 m high."
    judge = ChangesItsMind(first, "Baikal")
    events, done = watch(GOOD, 0.02, engine=Engine(judge=judge, cache=Cache(size=1)), release="hold")
    told = shown(events)
    refuted = [one for one in done.report.findings if one.verdict is Verdict.REFUTED]
    assert judge.seen
    assert all(one.spans[-1].start >= len(told) for one in refuted)
    assert not any(isinstance(event, RetractEvent) for event in events)
    assert [one.spans for one in done.report.findings] == [one.spans for one in ENGINE.check(GOOD, [SOURCE]).findings]


def test_with_release_at_the_end_nothing_is_shown_before_the_last_check():
    engine = Engine(judge=ChangesItsMind("Mount Everest is 8,849 m high.", "Baikal"), cache=Cache(size=1))
    events, done = watch(GOOD, 0.02, engine=engine, release="end")
    assert (shown(events), done.halted) == ("", True)
    events, done = watch(GOOD, release="end")
    assert (shown(events), done.halted) == (GOOD, False)
    kinds = [event.kind for event in events]
    assert kinds.index("token") > max(at for at, kind in enumerate(kinds) if kind == "finding")


def test_a_heading_far_above_is_still_read_with_a_sentence():
    """A check of a part of a text reads it as the whole text is read."""
    text = f"## The bridge at Pelmas\n\n{' '.join(f'It has {n} lamps and {n} arches.' for n in range(20, 60))}"
    checker = StreamChecker(ENGINE, [SOURCE])
    done = text.index("It has 57")
    found = {(one.claim.text, one.claim.context, one.spans) for one in checker.inspect(text, done).findings}
    whole = {(one.claim.text, one.claim.context, one.spans) for one in ENGINE.check(text, [SOURCE]).findings}
    assert found <= whole
    assert found


def test_a_clause_that_goes_on_is_not_judged_by_its_beginning():
    """“Everest is 8” is the beginning of a right sentence: a check in the middle of it must not halt the stream."""

    class Hasty:
        name = "hasty"

        def judge(self, claims, passages, question=None):
            wrong = [not claim.text.endswith(("high.", "high")) for claim in claims]
            return [Judgement(Verdict.REFUTED if one else Verdict.SUPPORTED, 0.99, "test") for one in wrong]

    text = "Mount Everest is with all of its snow and ice on the very top about 8,849 m high. "
    for release in ("stream", "hold"):
        policy = Policy(inline_every_tokens=3, exempt_tokens=0)
        events, done = watch(text, 0.01, engine=Engine(policy, Hasty()), release=release)
        assert not done.halted, release
        assert shown(events) == text


def test_streams_that_wait_for_a_thread_are_checked_less_often_and_not_later():
    class Slow:
        name = "slow"

        def judge(self, claims, passages, question=None):
            time.sleep(0.05)
            return [Judgement(Verdict.SUPPORTED, 0.99, "test") for _ in claims]

    async def many():
        with ThreadPoolExecutor(1) as pool:
            engine = Engine(judge=Slow())
            return await asyncio.gather(*(collect(flow(GOOD, 0.01), engine=engine, executor=pool) for _ in range(8)))

    found = asyncio.run(many())
    assert [shown(events) for events in found] == [GOOD] * 8
    # One thread, five sentences of eight streams: each check takes all that was written while the others were checked.
    assert sum(events[-1].checks for events in found) <= 8 * 4
