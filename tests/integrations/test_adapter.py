"""The core that all adapters share."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from assay import check_many
from assay.errors import UsageError
from assay.integrations.adapter import Outcome, assess, assess_task, engine_for, row_of, rows_of, sources_of, text_of
from assay.memory import Memory
from assay.types import Document, Report

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."
ENGINE = engine_for("lexical")


@dataclass
class Piece:
    page_content: str | None
    metadata: dict = field(default_factory=dict)


def test_an_outcome_says_what_is_wrong_and_what_the_source_has():
    found = assess(f"{RIGHT} It was first climbed in 1963.", [SOURCE], engine=ENGINE)
    assert (found.passed, found.score) == (False, 0.5)
    [failing] = found.failing
    assert "1963" in failing.text
    assert "1 claim is not supported" in found.reason
    assert "1953" in found.reason
    told = found.to_dict()
    assert told["failing"][0]["text"] == failing.text
    assert told["passed"] is False


def test_nothing_to_check_passes_and_has_no_score():
    found = assess(OPINION, [SOURCE], engine=ENGINE)
    assert (found.passed, found.score, found.score_or(0.25)) == (True, None, 0.25)
    assert "Nothing could be checked" in found.reason
    assert Outcome(Report("", ())).passed


def test_a_claim_with_no_source_does_not_pass():
    found = assess(RIGHT, [], engine=ENGINE)
    assert (found.passed, found.score) == (False, 0.0)


def test_a_check_that_failed_does_not_pass():
    class Broken:
        name = "broken"

        def judge(self, *_, **__):
            raise RuntimeError("no weights")

    from assay.engine import Engine

    found = assess(RIGHT, [SOURCE], engine=Engine(judge=Broken()))
    assert found.report.verdict.value == "ERROR"
    assert (found.passed, found.score) == (False, None)
    assert "ERROR" in found.reason


def test_documents_of_any_framework_become_sources():
    node = {"text": "c", "metadata": {"file_name": "c.pdf", "page_label": "3", "title": "C", "heading": "H"}}
    given = [
        "a",
        Piece("b", {"source": "b.md", "page": 4}),
        node,
        {"content": "d", "id": "d1"},
        Document("e", "e"),
        None,
    ]
    plain, piece, third, fourth, fifth = sources_of(given)
    assert (plain.id, plain.text) == ("context-1", "a")
    assert (piece.id, piece.page_at(0)) == ("b.md", 4)
    assert (third.id, third.page_at(0), third.title, third.heading_at(0)) == ("c.pdf", 3, "C", "H")
    assert (fourth.id, fifth.id) == ("d1", "e")


def test_one_document_is_a_context_too_and_a_name_stands_once():
    assert [document.text for document in sources_of(SOURCE)] == [SOURCE]
    assert [document.text for document in sources_of(Piece(SOURCE))] == [SOURCE]
    first, second = sources_of([Piece("x", {"source": "a"}), Piece("y", {"source": "a"})])
    assert first.id != second.id


def test_a_text_that_reads_like_a_path_is_not_opened(tmp_path):
    file = tmp_path / "a.md"
    file.write_text(SOURCE)
    [read] = sources_of(str(file))
    assert read.text == str(file)
    assert sources_of([file]) == [file]
    with Memory(tmp_path / "memory", embedder="static") as memory:
        assert sources_of(memory) == [memory]


def test_an_empty_document_is_left_out_and_one_that_cannot_have_text_is_refused():
    assert sources_of([Piece(None), "", " "]) == []
    with pytest.raises(UsageError, match="document 2 of the context is a int without a text"):
        sources_of(["a", 3])


def test_the_text_of_messages():
    parts = [{"type": "text", "text": "a "}, {"type": "image_url", "image_url": {}}, "b"]
    assert text_of({"role": "assistant", "content": parts}) == "a b"
    assert text_of({"answer": "c"}) == "c"
    assert text_of(None) == ""
    assert text_of(Path("d")) == "d"


def test_rows_are_read_by_the_usual_names_or_by_names_of_your_own():
    ragas = {"user_input": "How high?", "response": RIGHT, "retrieved_contexts": [SOURCE], "reference": "8,849 m"}
    deepeval = {"input": "How high?", "actual_output": WRONG, "retrieval_context": [SOURCE], "context": ["ideal"]}
    rows = rows_of([ragas, deepeval])
    assert [row["question"] for row in rows] == ["How high?", "How high?"]
    assert [row["sources"][0].text for row in rows] == [SOURCE, SOURCE]
    assert [report.grounded for report in check_many(rows, judge="lexical")] == [True, False]
    assert row_of({"a": RIGHT, "b": SOURCE}, answer="a", context="b")["answer"] == RIGHT
    with pytest.raises(UsageError, match="item 2: there is no context"):
        rows_of([ragas, {"answer": RIGHT}])
    with pytest.raises(UsageError, match="there is no answer: a field such as reply"):
        row_of(ragas, answer="reply")


def test_the_output_of_a_task_may_hold_its_context_or_leave_it_to_metadata_or_input():
    assert assess_task({"answer": RIGHT, "contexts": [SOURCE]}, "How high?", None, engine=ENGINE).passed
    assert assess_task(RIGHT, "How high?", {"context": SOURCE}, engine=ENGINE).report.question == "How high?"
    assert not assess_task(WRONG, {"question": "How high?", "documents": [SOURCE]}, None, engine=ENGINE).passed


def test_files_of_ragas_and_deepeval_are_read_by_assay_check(tmp_path):
    import json

    from assay.batch import check_file

    file = tmp_path / "cases.json"
    file.write_text(json.dumps([{"input": "How high?", "actual_output": WRONG, "retrieval_context": [SOURCE]}]))
    done = check_file(file, tmp_path / "reports.jsonl", judge="lexical")
    assert (done.checked, done.verdicts["REFUTED"]) == (1, 1)
