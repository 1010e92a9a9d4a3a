from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from assay.errors import SourceError
from assay.evaluation.layouts import read_rows
from assay.evaluation.rows import LabelledFile, LabelScale
from assay.types import Span


def write(path: Path, *records: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


def facts(file: LabelledFile) -> list[tuple[str, str, str]]:
    return [(row.evidence, row.claim, row.label) for row in file.rows]


@pytest.mark.parametrize(
    ("record", "layout", "expected"),
    [
        ({"premise": "p", "hypothesis": "h", "label": "REFUTED"}, "pairs", ("p", "h", "REFUTED")),
        ({"evidence": ["p", "q"], "claim": "c", "label": "supports"}, "pairs", ("p\n\nq", "c", "SUPPORTED")),
        ({"premise": "p", "hypothesis": "h", "label": "contradiction"}, "pairs", ("p", "h", "REFUTED")),
        (
            {"uid": "1", "context": "p", "hypothesis": "h", "label": "n", "model_label": "e", "reason": "r"},
            "ANLI",
            ("p", "h", "INSUFFICIENT"),
        ),
        (
            {
                "case_id": "1",
                "unique_id": "1_1",
                "claim": "c",
                "evidence": "e",
                "label": "NOT ENOUGH INFO",
                "page": "P",
            },
            "VitaminC",
            ("e", "c", "INSUFFICIENT"),
        ),
        ({"dataset": "Wice", "doc": "d", "claim": "c", "label": 0}, "LLM-AggreFact", ("d", "c", "NOT_SUPPORTED")),
        ({"document": "d", "claim": "c", "label": 1, "cut": "val"}, "SummaC", ("d", "c", "SUPPORTED")),
        (
            {"question": "Who?", "answer": "Ann did it all.", "contexts": ["x", "y"], "label": "faithful"},
            "questions and answers",
            ("x\n\ny", "Ann did it all.", "SUPPORTED"),
        ),
        (
            {"question": "Who?", "answer": "Ann", "passage": "x", "label": "FAIL"},
            "questions and answers",
            ("x", "Q: Who? A: Ann", "NOT_SUPPORTED"),
        ),
        (
            {"response": "Yes it is.", "context": "x", "is_supported": False},
            "questions and answers",
            ("x", "Yes it is.", "NOT_SUPPORTED"),
        ),
        (
            {"knowledge": "k", "dialogue_history": "[Human]: hi", "response": "r", "hallucination": "yes"},
            "HaluEval",
            ("k [Human]: hi", "r", "NOT_SUPPORTED"),
        ),
    ],
)
def test_published_layouts_are_recognised(
    tmp_path: Path, record: dict[str, Any], layout: str, expected: tuple[str, str, str]
) -> None:
    file = read_rows(write(tmp_path / "rows.jsonl", record))
    assert file.layout == layout
    assert facts(file) == [expected]


def test_halueval_has_two_versions_of_an_answer(tmp_path: Path) -> None:
    record = {"knowledge": "k", "question": "q?", "right_answer": "a", "hallucinated_answer": "b"}
    file = read_rows(write(tmp_path / "qa_data.json", record, record))
    assert facts(file)[:2] == [("k", "Q: q? A: a", "SUPPORTED"), ("k", "Q: q? A: b", "NOT_SUPPORTED")]
    assert [row.line for row in file.rows] == [1, 1, 2, 2]
    assert (file.rows[0].answer, file.rows[0].question) == ("a", "q?")
    summary = {"document": "d", "right_summary": "a", "hallucinated_summary": "b"}
    assert facts(read_rows(write(tmp_path / "s.json", summary))) == [
        ("d", "a", "SUPPORTED"),
        ("d", "b", "NOT_SUPPORTED"),
    ]


def test_ragtruth_is_joined_with_its_sources_and_keeps_the_marked_spans(tmp_path: Path) -> None:
    marks = [{"start": 3, "end": 6, "text": "two", "label_type": "Evident Conflict"}]
    path = write(
        tmp_path / "response.jsonl",
        {"id": "1", "source_id": "7", "response": "It two it.", "labels": marks, "split": "test"},
        {"id": "2", "source_id": "8", "response": "Fine.", "labels": []},
        {"id": "3", "source_id": "9", "response": "Fine.", "labels": []},
    )
    with pytest.raises(SourceError, match=r"put source_info\.jsonl beside response\.jsonl"):
        read_rows(path)
    write(
        tmp_path / "source_info.jsonl",
        {"source_id": "7", "task_type": "QA", "source_info": {"question": "What?", "passages": "passage 1: one"}},
        {"source_id": "8", "task_type": "Summary", "source_info": "A text."},
    )
    file = read_rows(path)
    assert file.layout == "RAGTruth"
    assert facts(file) == [("passage 1: one", "It two it.", "NOT_SUPPORTED"), ("A text.", "Fine.", "SUPPORTED")]
    assert file.rows[0].spans == (Span(3, 6),)
    assert file.rows[1].spans == ()
    assert [row.kind for row in file.rows] == ["QA", "Summary"]
    assert [bad.problem for bad in file.bad] == ["source_info.jsonl has no source '9'"]


def test_answers_with_marked_spans(tmp_path: Path) -> None:
    processed = {"query": "q", "context": "c", "output": "abc", "hallucination_labels": '[{"start": 0, "end": 2}]'}
    plain = {"answer": "abc", "sources": ["c", "d"], "spans": [[1, 3]]}
    beyond = {"answer": "abc", "sources": ["c"], "spans": [[1, 9]]}
    file = read_rows(write(tmp_path / "rows.jsonl", processed, plain, beyond))
    assert [row.spans for row in file.rows] == [(Span(0, 2),), (Span(1, 3),)]
    assert file.rows[1].contexts == ("c", "d")
    assert "within its answer (0–3), not at 1–9" in file.bad[0].problem


def test_scifact_is_joined_with_its_abstracts(tmp_path: Path) -> None:
    claim = {
        "id": 1,
        "claim": "c",
        "evidence": {"4": [{"sentences": [0], "label": "CONTRADICT"}]},
        "cited_doc_ids": [4, 5],
    }
    path = write(tmp_path / "claims_dev.jsonl", claim)
    with pytest.raises(SourceError, match=r"put corpus\.jsonl beside"):
        read_rows(path)
    write(
        tmp_path / "corpus.jsonl",
        {"doc_id": 4, "title": "T.", "abstract": ["One.", "Two."]},
        {"doc_id": 5, "title": "U.", "abstract": ["Three."]},
    )
    assert facts(read_rows(path)) == [("T. One. Two.", "c", "REFUTED"), ("U. Three.", "c", "INSUFFICIENT")]


def test_fever_is_joined_with_its_pages(tmp_path: Path) -> None:
    record = {"id": 1, "label": "SUPPORTS", "claim": "c", "evidence": [[[1, 2, "Ann", 1], [1, 2, "Ann", 1]]]}
    unknown = {"id": 2, "label": "NOT ENOUGH INFO", "claim": "d", "evidence": [[[1, None, None, None]]]}
    path = write(tmp_path / "paper_dev.jsonl", record, unknown)
    with pytest.raises(SourceError, match="wiki-pages folder beside"):
        read_rows(path)
    page = {"id": "Ann", "text": "…", "lines": "0\tAnn is here.\n1\tAnn was born in 1900.\tAnn\n2\t"}
    write(tmp_path / "wiki-pages" / "wiki-001.jsonl", page)
    file = read_rows(path)
    assert facts(file) == [("Ann was born in 1900.", "c", "SUPPORTED")]
    assert "names no evidence for NOT ENOUGH INFO" in file.bad[0].problem


def test_whole_numbers_mean_what_the_file_shows(tmp_path: Path) -> None:
    pairs = [{"premise": "p", "hypothesis": str(n), "label": n} for n in (0, 1)]
    assert [r.label for r in read_rows(write(tmp_path / "two.jsonl", *pairs)).rows] == ["NOT_SUPPORTED", "SUPPORTED"]
    pairs.append({"premise": "p", "hypothesis": "2", "label": 2})
    found = read_rows(write(tmp_path / "three.jsonl", *pairs)).rows
    assert [row.label for row in found] == ["SUPPORTED", "INSUFFICIENT", "REFUTED"]


@pytest.mark.parametrize("value", [None, "maybe", 7, "", []])
def test_a_label_nobody_knows_is_named(value: object) -> None:
    with pytest.raises(ValueError, match="known are SUPPORTED, REFUTED"):
        LabelScale().read(value)


ROWS = [
    {"claim": "Ann, said “so”", "evidence": "line one\nline two", "label": "SUPPORTED"},
    {"claim": "b", "evidence": "e", "label": "REFUTED"},
]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".json", ".json.gz", ".jsonl.gz", ".parquet"])
def test_every_kind_of_file_gives_the_same_rows(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows{ending}"
    if ending == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    else:
        if "json" in ending:
            text = json.dumps(ROWS) if "jsonl" not in ending else "\n".join(map(json.dumps, ROWS))
        else:
            plain = tmp_path / "plain"
            with plain.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(
                    file, ["claim", "evidence", "label"], delimiter="," if "csv" in ending else "\t"
                )
                writer.writeheader()
                writer.writerows(ROWS)
            text = plain.read_bytes().decode()
        path.write_bytes(gzip.compress(text.encode()) if ending.endswith(".gz") else text.encode())
    assert facts(read_rows(path)) == [(row["evidence"], row["claim"], row["label"]) for row in ROWS]


def test_a_list_in_a_table_is_read_as_one(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('question,answer,contexts,label\nWho?,Ann did all of it.,"[""x"", ""y""]",1\n')
    assert read_rows(path).rows[0].contexts == ("x", "y")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rows.csv", b"claim,evidence,label\na,b\n", "line 2: not as many fields"),
        ("rows.csv", b"claim,evidence,label\n\xff,b,1\n", "is no UTF-8 text"),
        ("rows.parquet", b"nonsense", "is no Parquet file"),
        ("rows.json", b"{broken", "no valid JSON"),
        ("rows.xlsx", b"", "are read from"),
        ("rows.jsonl", b'{"user_query": "q", "hallucination": "yes"}', "no evidence to judge against"),
    ],
)
def test_a_file_of_no_use_says_why(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message):
        read_rows(path)
