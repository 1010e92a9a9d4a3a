import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from threading import Event, Thread
from time import sleep

import pytest

from assay.encoder.bundle import WEIGHTS
from assay.engine import Engine, Request
from assay.engine.gathering import Collected
from assay.engine.store import EngineStore
from assay.judges import Judge
from assay.judges.asking import Deliberation, unverified
from assay.judges.budget import Budget
from assay.judges.cascade import Cascade
from assay.memory import Memory
from assay.monitors import Monitor
from assay.policy import Policy
from assay.types import Action, Document, Evidence, Judgement, Passage, Stance, Support, Verdict

SOURCE = "The tower opened in 1889. It is made of iron."
TRUE, FALSE, OPEN = "The tower opened in 1889.", "The tower opened in 1899.", "The tower cost three pounds."


def kinds(report):
    return [flag.kind for flag in report.risk_flags]


def engine(monitor, **policy):
    return Engine(Policy().but(**policy), "lexical", monitor=monitor)


def feed(subject, answer, times=100, start=0):
    """Distinct answers of one kind, each against its own source."""
    for number in range(start, start + times):
        name = f"tower Q{number}"
        report = subject.check(answer.replace("tower", name), sources=[SOURCE.replace("tower", name)])
    return report


class Yes:
    """A degenerate judge: it supports whatever it is shown."""

    name = "yes"

    def __init__(self):
        self.asked = []

    def judge(self, claims, passages, question=None):
        self.asked += [claim.text for claim in claims]
        return [
            Judgement(
                Verdict.SUPPORTED,
                0.9,
                "yes",
                Support.FULL,
                evidence=(Evidence.cite(given[0].document, given[0].start, given[0].end, stance=Stance.SUPPORTS),),
            )
            for given in passages
        ]


class Fooled(Yes):
    """A working judge whose workspace was fed with sources that make changed claims look supported."""

    def judge(self, claims, passages, question=None):
        said = super().judge(claims, passages, question)
        no = Judgement(Verdict.INSUFFICIENT, 0.5, "yes")
        return [item if "tower" in claim.text else no for item, claim in zip(said, claims, strict=True)]


def yes(monitor, judge=None):
    return Engine(Policy(), judge or Yes(), monitor=monitor)


def test_a_verifier_that_supports_claims_made_false_is_disabled():
    monitor = Monitor()
    subject = yes(monitor)
    assert feed(subject, TRUE).verdict is Verdict.SUPPORTED
    assert monitor.standing.suspect
    report = subject.check(FALSE, sources=[SOURCE])
    assert report.findings[0].verdict is Verdict.ERROR
    assert "disabled" in report.findings[0].explanation
    assert "assay doctor --reset-monitor" in report.findings[0].explanation
    assert "assay doctor --reset-monitor" in report.risk_flags[0].message
    assert report.action is Action.CONTINUE
    assert kinds(report) == ["degenerate_verifier", "unverified"]
    assert not report.grounded
    assert monitor.counts["degenerate_verifier"] == 1
    assert monitor.standing.degenerate
    monitor.reset()
    assert subject.check(FALSE, sources=[SOURCE]).verdict is Verdict.SUPPORTED


def test_a_hundred_correct_answers_leave_a_working_verifier_on():
    monitor = Monitor()
    subject = engine(monitor)
    for number in range(0, 250, 50):
        assert feed(subject, TRUE, 50, number).verdict is Verdict.SUPPORTED
    assert (monitor.standing.supported_rate, monitor.standing.healthy) == (1.0, True)
    assert not monitor.standing.degenerate
    assert monitor.counts["probe_passed"] == 2  # once for each window, not with every answer
    assert subject.check(FALSE, sources=[SOURCE]).verdict is Verdict.REFUTED


def test_the_same_answer_again_counts_once():
    monitor = Monitor()
    subject = yes(monitor)
    for _ in range(130):
        report = subject.check(TRUE, sources=[SOURCE])
    assert report.verdict is Verdict.SUPPORTED
    assert monitor.standing.outputs == 1
    assert "probe_failed" not in monitor.counts


def test_answers_alone_cannot_make_a_verifier_fail():
    monitor = Monitor()
    assert feed(yes(monitor, Fooled()), TRUE, 130).verdict is Verdict.SUPPORTED
    assert monitor.standing.healthy


def test_the_probe_changes_a_fact_that_the_quote_does_not_state():
    monitor = Monitor(policy=Policy().but(monitor_window=3))
    judge = Yes()
    subject = Engine(Policy(), judge, monitor=monitor)
    feed(subject, TRUE, 3)
    subject.check(TRUE, sources=[SOURCE])
    changed = [text for text in judge.asked if "tower" in text and "1889" not in text]
    assert changed
    assert all(probe.claim not in probe.evidence for probe in monitor.probes())


def test_a_verifier_that_quotes_nothing_is_probed_with_the_controls_alone():
    class Quiet(Yes):
        def judge(self, claims, passages, question=None):
            return [replace(item, evidence=()) for item in super().judge(claims, passages, question)]

    monitor = Monitor()
    assert all(probe.control for probe in monitor.probes())
    feed(yes(monitor, Quiet()), TRUE, 101)
    assert monitor.standing.degenerate


def test_a_verifier_that_cannot_be_probed_is_not_disabled():
    class Silent(Yes):
        def judge(self, claims, passages, question=None):
            if any("tower" in claim.text and "1889" not in claim.text for claim in claims):
                raise RuntimeError("out of order")
            return super().judge(claims, passages, question)

    monitor = Monitor()
    assert feed(yes(monitor, Silent()), TRUE, 102).verdict is Verdict.SUPPORTED
    assert (monitor.standing.suspect, monitor.standing.degenerate, monitor.standing.healthy) == (True, False, False)


def test_ninety_nine_supported_outputs_are_not_enough():
    monitor = Monitor()
    subject = yes(monitor)
    feed(subject, TRUE, 99)
    assert not monitor.standing.suspect
    assert subject.check(FALSE, sources=[SOURCE]).verdict is Verdict.SUPPORTED


def test_the_window_rolls():
    subject = engine(Monitor())
    feed(subject, TRUE, 60)
    feed(subject, OPEN, 60)
    assert subject.check(TRUE, sources=[SOURCE]).verdict is Verdict.SUPPORTED


def test_what_was_seen_outlives_the_process(tmp_path):
    monitor = Monitor(tmp_path)
    feed(yes(monitor), TRUE, 101)
    monitor.close()
    again = Monitor(tmp_path)
    assert again.standing.outputs == 100
    assert again.standing.degenerate
    assert yes(again).check(TRUE, sources=[SOURCE]).verdict is Verdict.ERROR
    # Another process resets it: the one that serves notices with its next answer.
    other = Monitor(tmp_path)
    other.reset()
    other.close()
    assert yes(again).check(TRUE, sources=[SOURCE]).verdict is Verdict.SUPPORTED
    again.close()


def test_workspaces_of_one_database_watch_their_own_outputs(postgres_url):
    with EngineStore(postgres_url, "one") as one, EngineStore(postgres_url, "two") as two:
        feed(yes(Monitor(one)), TRUE, 101)
        feed(engine(Monitor(two)), OPEN, 3)
        again = Monitor(one)
        assert (again.standing.outputs, again.standing.degenerate) == (100, True)
        assert yes(again).check(TRUE, sources=[SOURCE]).verdict is Verdict.ERROR
        assert Monitor(two).standing.outputs == 3
        again.reset()
        assert Monitor(one).standing.outputs == 0
        assert Monitor(two).standing.outputs == 3


def test_a_store_of_an_older_assay_is_moved_on(tmp_path):
    EngineStore(tmp_path / "old.db").close()
    with sqlite3.connect(tmp_path / "old.db") as database:
        database.execute("ALTER TABLE engine_outputs DROP COLUMN workspace")
        for name in ("answer", "samples", "probe"):
            database.execute(f"ALTER TABLE engine_outputs DROP COLUMN {name}")
        database.execute("DELETE FROM migrations WHERE name IN ('engine:add_workspaces', 'engine:add_probes')")
        database.execute("INSERT INTO engine_outputs (scored, supported, refuted, ms) VALUES (2, 1, 1, 5.0)")
    database.close()
    with EngineStore(tmp_path / "old.db") as store:
        assert Monitor(store).standing.refuted_rate == 0.5


def test_mostly_refuted_outputs_raise_the_halt_threshold():
    monitor = Monitor()
    subject = engine(monitor)
    assert subject.check(FALSE, sources=[SOURCE]).action is Action.BRANCH
    feed(subject, FALSE, 99)
    report = subject.check(FALSE, sources=[SOURCE])
    assert report.verdict is Verdict.REFUTED
    assert report.action is Action.CONTINUE  # a confidence of 0.85 is below 0.9
    assert "excessive_refutations" in kinds(report)
    assert monitor.counts["excessive_refutations"] == 1
    assert subject.run(Request(FALSE, sources=[SOURCE], inline=True)).report.action is not Action.HALT
    assert engine(Monitor()).run(Request(FALSE, sources=[SOURCE], inline=True)).report.action is Action.HALT


def test_a_memory_of_irrelevant_text_settles_nothing_and_halts_nothing(tmp_path):
    monitor = Monitor()
    with Memory(tmp_path / "memory", embedder="static") as memory:
        memory.add([Document("jam", "Boil the berries with sugar until they set."), Document("knot", "Pass the rope.")])
        report = Engine(judge="lexical", monitor=monitor).check(
            "The inflation rate of Hungary peaked in July 1946.", sources=memory
        )
    assert report.verdict is Verdict.INSUFFICIENT
    assert report.action is not Action.HALT
    assert "irrelevant_evidence" in kinds(report)
    assert "not about this" in report.findings[0].explanation


def test_a_hundred_outputs_of_irrelevant_evidence_distrust_the_next_one_too():
    monitor = Monitor()
    subject = engine(monitor)
    report = subject.check(OPEN, sources=[SOURCE])
    for number in range(100):
        monitor.note(replace(report, answer=f"{report.answer} {number}"), 0.1)
    assert monitor.standing.irrelevant
    assert subject.check(TRUE, sources=[SOURCE]).verdict is Verdict.INSUFFICIENT


class Sleeper:
    """A judge that waits until it is woken."""

    name = "sleeper"

    def __init__(self):
        self.wake = Event()

    def judge(self, claims, passages, question=None):
        self.wake.wait(60)
        return [Judgement(Verdict.SUPPORTED, 1.0, "dream", Support.FULL) for _ in claims]


def test_a_judge_that_sleeps_is_skipped_and_the_answer_is_unverified():
    monitor, judge = Monitor(), Sleeper()
    report = Engine(Policy().but(verification_timeout_ms=20.0), judge, monitor=monitor).check(TRUE, sources=[SOURCE])
    judge.wake.set()
    assert report.findings[0].verdict is Verdict.ERROR
    assert report.findings[0].marks == ("unverified",)
    assert kinds(report) == ["slow_verification", "unverified"]
    assert "20 ms" in report.risk_flags[0].message
    assert monitor.counts["slow_verification"] == 1


def test_more_claims_get_more_time():
    judge = Sleeper()
    report = Engine(Policy().but(verification_timeout_ms=10.0), judge, monitor=Monitor()).check(
        f"{TRUE} {OPEN} It is made of iron.", sources=[SOURCE]
    )
    judge.wake.set()
    assert "30 ms" in report.risk_flags[0].message


class Slowing(Judge):
    """Judges one claim after the other, and is late with the first."""

    name = "slowing"

    def judge(self, claims, passages, question=None):
        return self.deliberate(claims, passages, question, Budget(Policy())).judgements

    def deliberate(self, claims, passages, question, budget):
        said = []
        for _ in claims:
            late = budget.out_of_time
            said.append(unverified("late") if late else Judgement(Verdict.SUPPORTED, 1.0, "slow", Support.FULL))
            while not budget.is_late:
                sleep(0.01)
        return Deliberation(tuple(said))


def test_only_the_claims_that_come_too_late_are_skipped():
    monitor = Monitor()
    subject = Engine(Policy().but(verification_timeout_ms=500.0), Slowing(), monitor=monitor)
    report = subject.check(f"{TRUE} It is made of iron.", sources=[SOURCE])
    assert [found.verdict for found in report.findings] == [Verdict.SUPPORTED, Verdict.ERROR]
    assert "slow_verification" in kinds(report)
    assert "1 of 2 claims" in report.risk_flags[0].message
    assert monitor.counts["slow_verification"] == 1


def test_a_process_ends_after_the_judge_that_it_skipped(tmp_path):
    """Native code that runs while its library is taken down would crash: exit 134 after "terminate called"."""
    script = f"""
from pathlib import Path
from time import sleep
from assay.engine.deciding import within
from assay.judges.budget import Budget
from assay.policy import Policy

def work():
    sleep(1)
    Path({str(tmp_path / "ended")!r}).touch()

assert within(1.0, Budget(Policy(), late_ms=1.0), work, "a judge") is None
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (tmp_path / "ended").exists()


def test_without_a_monitor_nobody_looks_at_the_clock():
    judge = Sleeper()
    Thread(target=judge.wake.set).start()
    report = Engine(Policy().but(verification_timeout_ms=0.001), judge).check(TRUE, sources=[SOURCE])
    assert report.verdict is Verdict.SUPPORTED


def test_a_fallback_is_counted_and_flagged_on_every_report(tmp_path):
    empty = tmp_path / "no-model"
    empty.mkdir()
    monitor = Monitor()
    subject = Engine(Policy().but(verification_timeout_ms=60_000.0), Cascade(tiers=(str(empty),)), monitor=monitor)
    for number in (1, 2):
        report = subject.check("The iron tower received its first guests.", sources=[SOURCE])
        assert "fallback" in kinds(report)
        assert monitor.counts["fallback"] == number
    assert subject.check(FALSE, sources=[SOURCE]).verdict is Verdict.REFUTED


def disable(tmp_path):
    monitor = Monitor()
    feed(yes(monitor), TRUE)
    return monitor, yes(monitor).check(TRUE, sources=[SOURCE])


def refute(tmp_path):
    monitor = Monitor()
    return monitor, feed(engine(monitor), FALSE, 101)


def misremember(tmp_path):
    monitor = Monitor()
    with Memory(tmp_path / "memory", embedder="static") as memory:
        memory.add([Document("jam", "Boil the berries with sugar until they set.")])
        return monitor, engine(monitor).run(
            Request("Hungary's inflation peaked in July 1946.", sources=memory, inline=True)
        ).report


def dawdle(tmp_path):
    monitor, judge = Monitor(), Sleeper()
    report = Engine(Policy().but(verification_timeout_ms=5.0), judge, monitor=monitor).check(TRUE, sources=[SOURCE])
    judge.wake.set()
    return monitor, report


def corrupt(tmp_path):
    folder = tmp_path / "small"
    shutil.copytree(WEIGHTS / "small", folder)
    (folder / "tokenizer.json").write_bytes(b"{}")
    monitor = Monitor()
    subject = Engine(Policy().but(verification_timeout_ms=60_000.0), Cascade(tiers=(str(folder),)), monitor=monitor)
    return monitor, subject.check("The iron tower received its first guests.", sources=[SOURCE])


@pytest.mark.parametrize(
    ("provoke", "kind"),
    [
        (disable, "degenerate_verifier"),
        (refute, "excessive_refutations"),
        (misremember, "irrelevant_evidence"),
        (dawdle, "slow_verification"),
        (corrupt, "fallback"),
    ],
)
def test_whatever_goes_wrong_is_in_the_report_the_log_and_the_metrics(provoke, kind, tmp_path, caplog):
    monitor, report = provoke(tmp_path)
    assert kind in kinds(report)
    assert any(kind in record.message for record in caplog.records)
    assert monitor.counts[kind] == 1
    assert report.action is not Action.HALT


def test_an_answer_with_nothing_to_check_says_nothing_about_the_verifier():
    monitor = Monitor()
    engine(monitor).check("Hello!", sources=[SOURCE])
    assert monitor.standing.outputs == 0


def test_many_threads_lose_no_output():
    monitor = Monitor()
    subject = engine(monitor)
    threads = [Thread(target=feed, args=(subject, OPEN, 10, 10 * number)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert monitor.counts["outputs"] == 80
    assert monitor.standing.outputs == 80


@pytest.mark.parametrize(
    ("similarities", "mean"), [([], None), ([[None]], None), ([[0.2, 0.6], [0.4]], 0.5), ([[None, 0.3]], 0.3)]
)
def test_the_best_passage_of_each_claim_counts(similarities, mean):
    document = Document("d", "text")
    passages = [[Passage(document, 0, 4, similarity) for similarity in given] for given in similarities]
    assert Collected((), (), passages).similarity == (None if mean is None else pytest.approx(mean))
