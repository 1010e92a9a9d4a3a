from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.cache import Cache
from assay.checkpoint import grounded
from assay.engine import Engine, Request
from assay.errors import AnswerError, SourceError
from assay.explanation import EXPLANATION_MAX_TOKENS
from assay.lattice import EvidenceObject
from assay.memory import Memory
from assay.policy import Policy
from assay.text.tokens import count_tokens
from assay.types import Action, AuditMode, Document, Judgement, Support, Verdict

EVEREST = "Mount Everest is 8,849 m high. It stands on the border between Nepal and China."


def verdicts(answer, *sources, **more):
    return {f.text: f.verdict.value for f in assay.check(answer, sources=list(sources), **more).claims}


def test_a_wrong_number_is_refuted_with_the_sources_own_number():
    (found,) = assay.check("Mount Everest is 8,489 m high.", sources=[EVEREST]).claims
    assert found.verdict is Verdict.REFUTED
    assert found.support is Support.CONTRADICTED
    assert "8,849" in found.explanation
    assert "8,849" in found.evidence[0].quote
    assert found.action is Action.BRANCH


def test_what_nothing_proves_is_insufficient():
    report = assay.check("Mount Everest cost three million pounds.", sources=[EVEREST])
    assert report.verdict is Verdict.INSUFFICIENT
    assert not report.grounded


def test_the_sources_own_words_are_supported_at_their_exact_place():
    report = assay.check("It stands on the border between Nepal and China.", sources=[EVEREST])
    (found,) = report.claims
    assert found.verdict is Verdict.SUPPORTED
    assert found.evidence[0].holds_in(report.documents[0])
    assert report.audit_mode is AuditMode.STRICT
    assert report.broken_receipts() == []


def test_an_answer_with_nothing_to_check_is_skipped_and_scored_neither_way():
    report = assay.check("Hello! How can I help you today?", sources=[EVEREST])
    assert report.skipped
    assert report.verdict is Verdict.NOT_CHECKABLE
    assert report.confidence is None
    assert report.to_dict()["coverage"] is None


def test_a_short_answer_is_checked_when_somebody_asks():
    assert assay.check("Everest is 8,489 m high.", sources=[EVEREST]).skipped is None


def test_without_sources_nothing_is_supported():
    report = assay.check("Paris is the capital of France.")
    assert report.verdict is Verdict.INSUFFICIENT
    assert [flag.kind for flag in report.risk_flags] == ["no_evidence"]


def test_a_citation_that_names_no_source_is_a_phantom():
    report = assay.check("It stands on the border between Nepal and China [4].", sources=[EVEREST])
    assert "phantom_citation" in report.claims[0].violations
    assert [flag.kind for flag in report.risk_flags] == ["phantom_citation"]


def test_a_dangling_anchor_is_backed_only_by_what_is_very_like_the_claim():
    claim = "A border of Nepal passes over it [4]."
    (alike,) = assay.check(
        claim, sources=[EVEREST], judge="lexical", policy=Policy().but(citation_similarity=0.0)
    ).claims
    (unlike,) = assay.check(
        claim, sources=[EVEREST], judge="lexical", policy=Policy().but(citation_similarity=1.0)
    ).claims
    assert alike.evidence
    assert not unlike.evidence
    assert unlike.verdict is Verdict.INSUFFICIENT
    assert unlike.explanation == "[4] names no source, and no source says this in almost the same words."
    (own,) = assay.check("It stands on the border between Nepal and China [4].", sources=[EVEREST]).claims
    assert own.verdict is Verdict.SUPPORTED  # its own words are found again above any similarity
    (cited,) = assay.check(claim.replace("4", "1"), sources=[EVEREST], judge="lexical").claims
    assert cited.evidence  # a source that is there is read however little it shares


def test_the_passages_of_a_cited_document_come_first(tmp_path):
    near, far = "The bridge opened in 1901.", "After the flood the council closed a bridge in the north."
    with Memory(tmp_path / "memory", embedder="static") as memory:
        memory.add([Document("near", near), Document("far", far)])
        for name in ("near", "far"):
            run = Engine(judge="lexical").run(Request(f"The bridge opened in 1901 (source: {name}).", sources=memory))
            assert run.passages[0][0].document_id == name


def test_a_claim_that_cites_the_wrong_source_says_so():
    other = "K2 stands in the Karakoram."
    (found,) = assay.check("It stands on the border between Nepal and China [2].", sources=[EVEREST, other]).claims
    assert found.verdict is Verdict.SUPPORTED
    assert "wrong_citation" in found.violations


def test_documents_texts_and_files_can_be_mixed(tmp_path):
    file = tmp_path / "k2.txt"
    file.write_text("K2 is 8,611 m high.", encoding="utf-8")
    sources = [Document("everest", EVEREST), file, "Kangchenjunga is 8,586 m high."]
    answer = "Mount Everest is 8,849 m high. K2 is 8,611 m high. Kangchenjunga is 8,586 m high."
    assert set(verdicts(answer, *sources).values()) == {"SUPPORTED"}


def test_a_string_is_never_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "everest.md").write_text(EVEREST)
    for text in (".", "everest.md", "*.md"):
        with pytest.warns(UserWarning, match="give a Path"):
            report = assay.check("Mount Everest is 8,849 m high.", sources=[text], judge="lexical")
        assert [document.text for document in report.documents] == [text]
        assert "give a Path" in report.warnings[0]
    (found,) = assay.check("Mount Everest is 8,849 m high.", sources=Path("*.md"), judge="lexical").claims
    assert found.verdict is assay.Verdict.SUPPORTED


@pytest.mark.parametrize("sources", [None, 7, b"Everest is high."])
def test_sources_of_no_kind_are_an_error_that_says_what_they_may_be(sources):
    with pytest.raises(SourceError, match="texts, Paths, Documents or a Memory, not"):
        assay.check("Everest is high.", sources=sources, judge="lexical")
    with pytest.raises(SourceError, match="leave them out"):
        grounded(sources=sources)


def test_an_empty_answer_says_so():
    report = assay.check("", sources=[EVEREST], judge="lexical")
    assert (report.verdict, report.skipped) == (assay.Verdict.NOT_CHECKABLE, "the answer is empty")
    assert "the answer is empty" in str(report)


def test_sources_that_cannot_be_read_are_an_error_that_names_them(tmp_path):
    garbage = tmp_path / "garbage.bin"
    garbage.write_bytes(bytes(range(256)) * 20)
    with pytest.raises(SourceError, match="garbage"):
        assay.check("Everest is high.", sources=[garbage])


def test_one_unreadable_source_among_good_ones_is_a_warning(tmp_path):
    garbage = tmp_path / "garbage.bin"
    garbage.write_bytes(bytes(range(256)) * 20)
    report = assay.check("Mount Everest is 8,849 m high.", sources=[EVEREST, garbage])
    assert report.verdict is Verdict.SUPPORTED
    assert "garbage" in report.warnings[0]


def test_an_answer_must_be_text():
    with pytest.raises(AnswerError, match="not NoneType"):
        assay.check(None, sources=[EVEREST])


def test_the_report_names_its_policy():
    policy = assay.Policy().but(halt_confidence=0.9)
    assert assay.check("Everest is high.", [EVEREST], policy=policy).to_dict()["policy_sha256"] == policy.sha256


@pytest.mark.parametrize("judge", ["lexical", "small"])
@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.text(max_size=300))
def test_receipts_hold_for_any_text(judge, answer, source):
    report = assay.check(answer, sources=[Document("d", source)], judge=judge)
    assert report.broken_receipts() == []
    for found in report.claims:
        assert all(span.end <= len(answer) for span in found.spans)
    assert len(report.to_dict()["claims"]) >= 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(["Everest", "is", "8,849", "m", "high", "not", ".", "“", '"', "and", "\n", "-"]), max_size=30
    )
)
def test_the_same_question_gets_the_same_report(words):
    answer = " ".join(words)
    first = assay.check(answer, sources=[EVEREST], judge="small").to_dict()
    again = assay.check(answer, sources=[EVEREST], judge="small").to_dict()
    for report in (first, again):
        report.pop("timings_ms")
        for claim in report["claims"]:
            claim.pop("latency_ms")
    assert first == again


EVIDENCE = [
    EvidenceObject("E1", "The Eiffel Tower was completed in March 1889.", title="Eiffel Tower"),
    EvidenceObject("E2", "The Eiffel Tower is 330 m tall and stands in Paris.", title="Eiffel Tower"),
]


def test_an_answer_that_cites_its_evidence_map_is_checked_to_the_pointer():
    answer = "The Eiffel Tower was completed in March 1889. [E1]\nThe Eiffel Tower stands in Rome. [E9]"
    report = assay.check(answer, evidence=EVIDENCE)
    good, bad = report.claims
    assert good.verdict is Verdict.SUPPORTED
    assert good.evidence[0].document == "E1"
    assert "UNKNOWN_EVIDENCE_ID" in bad.violations
    assert bad.verdict is Verdict.INSUFFICIENT
    assert report.audit_mode is AuditMode.HYBRID
    assert report.broken_receipts() == []


def test_a_json_answer_gets_the_same_verdicts_as_its_pointer_form():
    pointer = assay.check("The Eiffel Tower is 300 m tall. [E2]", evidence=EVIDENCE)
    form = '{"claims": [{"text": "The Eiffel Tower is 300 m tall.", "evidence_ids": ["E2"]}]}'
    written = assay.check(form, evidence=EVIDENCE)
    assert pointer.verdict is written.verdict is Verdict.REFUTED
    (found,) = written.claims
    assert found.spans[0].of(form) == "The Eiffel Tower is 300 m tall."


def test_an_answer_that_cites_nothing_is_still_judged_against_its_evidence_map():
    report = assay.check("The Eiffel Tower was completed in March 1889.", evidence=EVIDENCE)
    assert report.verdict is Verdict.SUPPORTED
    assert report.claims[0].evidence[0].document == "E1"


def test_a_memory_is_a_source_like_any_other(tmp_path):
    with Memory(tmp_path / "memory", embedder="static") as memory:
        memory.add([Document("everest", EVEREST), Document("nile", "The Nile flows through Egypt.")])
        report = assay.check("Mount Everest is 8,489 m high. The Nile flows through Egypt [12].", sources=memory)
    assert [f.verdict for f in report.claims] == [Verdict.REFUTED, Verdict.SUPPORTED]
    assert report.broken_receipts() == []
    assert not any(flag.kind == "phantom_citation" for flag in report.risk_flags)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.sampled_from(["Everest", "Nepal", "is", "was", "8,849", "high", "not", "It", ".", "“", "”"]), max_size=30
    ),
    st.lists(
        st.sampled_from(["Mount", "Everest", "Nepal", "is", "8,849", "high.", "It", "\n", "stands."]), max_size=40
    ),
)
def test_receipts_hold_for_text_that_speaks_of_the_same(words, source):
    report = assay.check(" ".join(words), sources=[Document("d", " ".join(source), title="Everest")], judge="small")
    assert report.broken_receipts() == []
    for found in report.claims:
        assert all(span.end <= len(report.answer) for span in found.judgement.unsupported)


def test_the_evidence_counts_wherever_it_stands_among_others():
    claim = "Everest lies where China meets Nepal."
    others = [f"River number {n} flows past town {n} and has {n + 3} bridges." for n in range(100)]
    seen = {
        assay.check(claim, sources=[*others[:few], EVEREST], judge="base").claims[0].verdict for few in (0, 10, 100)
    }
    assert Verdict.REFUTED not in seen  # a hundred other sources may leave it open, but never turn it round


def test_an_engine_is_shared_between_threads():
    from concurrent.futures import ThreadPoolExecutor

    engine = Engine(judge="small")
    answers = [f"Everest lies where China meets Nepal. Everest is {8000 + n} m high." for n in range(12)]
    alone = [Engine(judge="small").check(answer, sources=[EVEREST]) for answer in answers]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda answer: engine.check(answer, sources=[EVEREST]), answers))
    for one, other in zip(alone, together, strict=True):
        assert [(f.verdict, f.confidence) for f in one.findings] == [(f.verdict, f.confidence) for f in other.findings]


def test_what_cannot_be_a_source_is_refused():
    with pytest.raises(SourceError, match="not int"):
        assay.check("Everest is high.", sources=[7])


@pytest.mark.parametrize("cached", [False, True])
def test_the_output_contract_holds_for_every_judge(cached):
    class Wordy:
        name = "wordy"

        def judge(self, claims, passages, question=None):
            return [Judgement(Verdict.SUPPORTED, 0.9, "wordy", explanation="because " * 2_000) for _ in claims]

    class Broken(Wordy):
        def judge(self, claims, passages, question=None):
            return [Judgement(Verdict.SUPPORTED, 0.9, "wordy", cost_usd=float("nan")) for _ in claims]

    cache = Cache() if cached else None
    told = Engine(judge=Wordy(), cache=cache).check("The sky is blue.", sources=["The sky is blue."])
    assert 0 < count_tokens(told.findings[0].explanation) <= EXPLANATION_MAX_TOKENS
    broken = Engine(judge=Broken()).check("The sky is blue.", sources=["The sky is blue."])
    assert broken.findings[0].verdict is Verdict.ERROR
    assert broken.cost_usd == 0.0


def test_judging_claims_alone_calibrates_as_a_check_does(tmp_path):
    """`Engine.judge` and `Engine.check` are one way from claims and evidence to findings."""
    from assay.calibration import IsotonicMap, Recalibration

    halved = IsotonicMap(((0.0, 0.0), (1.0, 0.7)))
    place = tmp_path / "calibration.json"
    Recalibration(supported=halved, judge="lexical", labels=30).save(place)
    engine = Engine(Policy(calibration=str(place)), "lexical")
    text = "The mill opened in 1900."
    (checked,) = engine.check(text, [text]).claims
    (judged,) = engine.judge([text], [[text]])
    assert checked.confidence < 0.9
    assert (judged.verdict, judged.confidence) == (checked.verdict, checked.confidence)


def test_what_no_reader_sees_is_no_evidence_for_claims_alone_either():
    hidden = "The mill is old.<!-- The mill opened in 1900. -->"
    (judged,) = Engine(judge="lexical").judge(["The mill opened in 1900."], [[hidden]])
    assert judged.verdict is Verdict.INSUFFICIENT


def test_a_request_refuses_what_is_no_answer_and_lists_its_sources():
    from assay.engine import Request
    from assay.errors import AnswerError

    with pytest.raises(AnswerError, match="an answer is text, not int"):
        Request(5)
    assert Request("x", "one text").sources == ("one text",)


def test_many_answers_can_be_watched(capsys):
    from assay import check_many

    items = [{"answer": f"The mill opened in 19{n}.", "sources": ["The mill opened in 1910."]} for n in range(10, 16)]
    told = []
    alone = check_many(items, judge="lexical", progress=told.append)
    assert told == [1, 2, 3, 4, 5, 6]
    together = check_many(items, judge="lexical", threads=3, progress=True)
    assert [report.verdict for report in together] == [report.verdict for report in alone]
    assert capsys.readouterr().out == ""


def test_a_hash_of_a_passage_in_a_memory_is_a_citation_of_it(tmp_path):
    other = [f"Entry {number}: the bridge of village {number} is old." for number in range(40)]
    with Memory(tmp_path / "memory", embedder="static") as memory:
        memory.add([Document("log", "The mill opened in 1900. " * 60 + "\n\nIts wheel is made of oak."), *other])
        named = memory.passages("log")[-1].sha256[:8]
        near = "The bridge of village 7 is old"
        held = assay.check(f"Its wheel is made of oak [cite:{named}].", sources=memory, judge="lexical").findings[0]
        far = assay.check(f"{near} [cite:{named}].", sources=memory, judge="lexical")
        whole = assay.check(f"{near} [cite:{memory.get('log').sha256[:8]}].", sources=memory, judge="lexical")
        gone = assay.check(f"{near} [cite:0badc0de].", sources=memory, judge="lexical")
        memory.quarantine(memory.passages("log")[-1].id)
        shut = assay.check(f"Its wheel is made of oak [cite:{named}].", sources=memory, judge="lexical")
        name = assay.check("Its wheel is made of oak (source: log).", sources=memory, judge="lexical")
    assert (held.verdict, held.violations) == (Verdict.SUPPORTED, ())
    for there in (far, whole):  # what is cited is there, and does not say so
        assert "wrong_citation" in there.findings[0].violations
        assert "phantom_citation" not in [flag.kind for flag in there.risk_flags]
    assert "phantom_citation" in gone.findings[0].violations
    assert shut.verdict is name.verdict is Verdict.INSUFFICIENT  # what is in quarantine is no evidence
