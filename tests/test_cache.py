from threading import Thread

import pytest

from assay.cache import Cache, cache_key
from assay.engine import Engine
from assay.policy import Policy
from assay.types import Claim, Document, Judgement, Passage, Span, Support, Verdict

SOURCE = "The tower opened in 1889. It is made of iron."
ANSWER = "The tower opened in 1899. It is made of iron."


class Counting:
    """The lexical judge under another name, which counts the claims it sees."""

    def __init__(self, model="counting 1", prompt=""):
        from assay.judges.lexical import LexicalJudge

        self.name, self.model, self.prompt_sha256 = "counting", model, prompt
        self.seen = 0
        self._judge = LexicalJudge(Policy())

    def judge(self, claims, passages, question=None):
        self.seen += len(claims)
        return self._judge.judge(claims, passages, question)


def verify(judge, cache, answer=ANSWER, source=SOURCE, policy=None, question=None):
    return Engine(policy, judge, cache=cache).check(answer, sources=[Document("d", source)], question=question)


def bare(report):
    shown = report.to_dict()
    shown.pop("timings_ms")
    for claim in shown["claims"]:
        claim.pop("latency_ms")
    return shown


def test_the_same_claim_on_the_same_evidence_is_judged_once_and_reported_the_same():
    judge, cache = Counting(), Cache()
    first, again = verify(judge, cache), verify(judge, cache)
    assert judge.seen == 2
    assert cache.counts == {"hits": 2, "misses": 2}
    assert bare(first) == bare(again)
    assert again.broken_receipts() == []


def test_a_claim_that_moved_in_the_answer_keeps_its_marks_in_the_right_place():
    judge, cache = Counting(), Cache()
    verify(judge, cache)
    moved = verify(judge, cache, "It is made of iron. The tower opened in 1899.")
    wrong = next(f for f in moved.findings if f.verdict is Verdict.REFUTED)
    assert [span.of(moved.answer) for span in wrong.judgement.unsupported] == ["1899"]


@pytest.mark.parametrize(
    "change",
    [
        {"policy": Policy().but(rounding_tolerance=0.2)},
        {"source": SOURCE + " It is in Paris."},
        {"question": "When did it open?"},
        {"judge": Counting(model="counting 2")},
        {"judge": Counting(prompt="another prompt")},
    ],
)
def test_whatever_decided_a_judgement_is_in_its_key(change):
    judge, cache = Counting(), Cache()
    verify(judge, cache)
    other = change.pop("judge", judge)
    before = other.seen
    verify(other, cache, **change)
    assert other.seen == before + 2


def test_a_key_tells_every_part_apart():
    document, claim = Document("d", SOURCE), Claim("It is iron.", (Span(0, 11),))
    plain = (claim, (Passage(document, 0, 10),), None, "m", "p", Policy())
    others = [
        (Claim("It is steel.", (Span(0, 12),)), *plain[1:]),
        (Claim("It is iron.", (Span(0, 11),), context="The tower opened."), *plain[1:]),
        (Claim("It is iron.", (Span(0, 15),), alignment=(((0, 6, 0, 6), (6, 10, 8, 12)),)), *plain[1:]),
        (claim, (Passage(document, 0, 11),), *plain[2:]),
        (claim, (Passage(Document("e", SOURCE), 0, 10),), *plain[2:]),
        (claim, (Passage(Document("d", SOURCE, title="Tower"), 0, 10),), *plain[2:]),
        (claim, (), *plain[2:]),
        (*plain[:3], "n", *plain[4:]),
        (*plain[:4], "q", *plain[5:]),
        (*plain[:5], Policy().but(max_branches=1)),
    ]
    keys = {cache_key(*parts) for parts in (plain, *others)}
    assert len(keys) == len(others) + 1
    assert cache_key(*plain) == cache_key(*plain)


def test_judgements_outlive_the_process(tmp_path):
    judge, cache = Counting(), Cache(tmp_path)
    first = verify(judge, cache)
    cache.close()
    again = Cache(tmp_path)
    assert bare(verify(judge, again)) == bare(first)
    assert judge.seen == 2
    again.close()


def test_memory_holds_the_last_hundred():
    cache = Cache(size=100)
    claims = [Claim(f"Claim {n}.", (Span(0, 8),)) for n in range(120)]
    said = [Judgement(Verdict.SUPPORTED, 0.9, "said", Support.FULL)] * 120
    cache.keep([str(n) for n in range(120)], claims, said)
    found = cache.find([str(n) for n in range(120)], claims)
    assert [judgement is not None for judgement in found] == [False] * 20 + [True] * 100


class Failing(Counting):
    def judge(self, claims, passages, question=None):
        self.seen += len(claims)
        raise RuntimeError("away")


def test_what_was_not_verified_is_tried_again():
    judge, cache = Failing(), Cache()
    verify(judge, cache)
    verify(judge, cache)
    assert judge.seen == 4


class Nonsense(Counting):
    def judge(self, claims, passages, question=None):
        self.seen += len(claims)
        raise ValueError("NaN")


def test_an_answer_that_a_judge_garbled_is_not_kept():
    judge, cache = Nonsense(), Cache()
    assert verify(judge, cache).risk_flags[0].kind == "unverified"
    assert verify(judge, cache).risk_flags[0].kind == "unverified"
    assert judge.seen == 4


def test_many_threads_share_a_cache(tmp_path):
    cache, reports = Cache(tmp_path, size=5), []

    def work():
        judge = Counting()
        reports.extend(bare(verify(judge, cache, f"The tower opened in {1880 + n}.")) for n in range(12))

    threads = [Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cache.close()
    assert len(reports) == 72
    by_answer = {report["answer_sha256"]: report for report in reports}
    assert all(report == by_answer[report["answer_sha256"]] for report in reports)
