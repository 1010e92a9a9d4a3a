"""The layouts that labelled data is published in, each recognised by the names of its fields."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.errors import SourceError
from assay.evaluation.rows import (
    LABEL_NAMES,
    BadRow,
    LabelledFile,
    LabelledRow,
    LabelScale,
    Record,
    find_label,
    read_records,
    texts,
)
from assay.types import Span

EVIDENCE = tuple(
    "premise evidence retrieval_context contexts context retrieved_contexts passages passage documents document doc "
    "sources source knowledge reference grounding".split()
)
_CLAIM = ("hypothesis", "claim", "statement", "sentence", "summary", "query")
ANSWER = ("answer", "response", "actual_output", "output", "generated_text", "completion")
QUESTION = ("question", "user_input", "query", "prompt", "input")
_SPANS = ("spans", "labels", "hallucination_spans", "hallucination_labels")
_KIND = ("kind", "document_kind", "dataset", "task_type", "source_ds", "origin")
_SENTENCE = 4  # an answer of fewer words says something only together with its question


@dataclass(frozen=True)
class LayoutContext:
    """Where a file lies, what its numbers mean, and the files beside it that its records point to."""

    path: Path
    scale: LabelScale
    records: tuple[Record, ...] = ()

    @cached_property
    def corpus(self) -> dict[str, Record]:
        """SciFact keeps its abstracts in `corpus.jsonl`."""
        return self._keyed("corpus.jsonl", "doc_id", "the abstracts")

    @cached_property
    def sources(self) -> dict[str, Record]:
        """RAGTruth keeps what the answers were written from in `source_info.jsonl`."""
        return self._keyed("source_info.jsonl", "source_id", "the sources of the answers")

    @cached_property
    def pages(self) -> dict[str, list[str]]:
        """FEVER points to lines of Wikipedia pages, published as `wiki-pages/*.jsonl`; only pages in use are kept."""
        folder = self.path.parent / "wiki-pages"
        wanted = {title for record in self.records for title, _ in fever_lines(record)}
        found: dict[str, list[str]] = {}
        for file in sorted(folder.glob("*.jsonl*")):
            for _, page in read_records(file):
                if isinstance(page, dict) and page.get("id") in wanted:
                    found[page["id"]] = _page_lines(str(page.get("lines", "")))
        return found

    def _keyed(self, name: str, key: str, what: str) -> dict[str, Record]:
        for place in (self.path.parent / name, self.path.parent / f"{name}.gz"):
            if place.exists():
                found = (record for _, record in read_records(place) if isinstance(record, dict))
                return {str(record[key]): record for record in found if key in record}
        raise ValueError(f"{what} are missing: put {name} beside {self.path.name}")


@dataclass(frozen=True)
class Layout:
    """A way of writing labelled data: its name, the sign it is known by, and how a record is read."""

    name: str
    fits: Callable[[Record], bool]
    read: Callable[[int, Record, LayoutContext], list[LabelledRow]]


def _has(*names: str) -> Callable[[Record], bool]:
    return lambda record: all(name in record for name in names)


def find_layout(record: Record) -> Layout:
    """The first layout whose sign a record bears; pairs of evidence and claim if it bears none."""
    return next((layout for layout in LAYOUTS if layout.fits(record)), LAYOUTS[-1])


def _kind(record: Record) -> str:
    return next((str(record[name]) for name in _KIND if isinstance(record.get(name), str)), "")


def _asked(question: str, answer: str) -> str:
    """A question with its answer, as the verifier was taught to read them."""
    return f"Q: {question.strip()} A: {answer.strip()}"


def _read_halueval(number: int, record: Record, shared: LayoutContext) -> list[LabelledRow]:
    """One record has a right and a hallucinated version, or one version and yes or no."""
    evidence = texts(record, ("knowledge", "document"))
    if not evidence:
        raise ValueError("this part of HaluEval has no evidence to judge against: 'knowledge' is missing")
    question = "".join(texts(record, ("question",))[:1])
    history = "".join(texts(record, ("dialogue_history",))[:1])
    known = f"{evidence[0]} {history}".strip()
    if "hallucination" in record:
        said = "".join(texts(record, ("answer", "response", "summary"))[:1])
        label = {"yes": "NOT_SUPPORTED", "no": "SUPPORTED"}.get(str(record["hallucination"]).lower())
        if not said or label is None:
            raise ValueError("'hallucination' must be yes or no, beside an answer, a response or a summary")
        versions = [(said, label)]
    else:
        versions = [
            (record[f"{side}_{what}"], label)
            for side, label in (("right", "SUPPORTED"), ("hallucinated", "NOT_SUPPORTED"))
            for what in ("answer", "response", "summary")
            if isinstance(record.get(f"{side}_{what}"), str)
        ]
    return [
        LabelledRow(number, known, _asked(question, said) if question else said, label, question, said, (known,))
        for said, label in versions
    ]


def _is_halueval(record: Record) -> bool:
    return any(f"hallucinated_{what}" in record for what in ("answer", "response", "summary")) or (
        "hallucination" in record and ("knowledge" in record or "document" in record or "user_query" in record)
    )


def _read_ragtruth(number: int, record: Record, shared: LayoutContext) -> list[LabelledRow]:
    source = shared.sources.get(str(record["source_id"]))
    if source is None:
        raise ValueError(f"source_info.jsonl has no source {record['source_id']!r}")
    info = source.get("source_info")
    question = ""
    if isinstance(info, dict) and "passages" in info:
        question, contexts = str(info.get("question", "")), (str(info["passages"]),)
    else:
        contexts = (info if isinstance(info, str) else json.dumps(info, ensure_ascii=False),)
    return [_marked(number, record["response"], contexts, question, record["labels"], str(source.get("task_type", "")))]


def _read_marked(number: int, record: Record, shared: LayoutContext) -> list[LabelledRow]:
    answer, contexts = texts(record, ANSWER), texts(record, EVIDENCE)
    if not answer or not contexts:
        raise ValueError(f"{'an answer' if not answer else 'its evidence'} is missing")
    name = next(name for name in _SPANS if name in record)
    question = "".join(texts(record, QUESTION)[:1])
    return [_marked(number, answer[0], contexts, question, record[name], _kind(record))]


def _marked(number: int, answer: str, contexts: Sequence[str], question: str, marks: Any, kind: str) -> LabelledRow:
    """An answer with the stretches a person marked; without a mark it is supported."""
    if isinstance(marks, str):
        try:
            marks = json.loads(marks or "[]")
        except ValueError:
            raise ValueError("the marked spans are no valid JSON") from None
    spans = tuple(sorted(_spans(answer, marks)))
    label = "NOT_SUPPORTED" if spans else "SUPPORTED"
    return LabelledRow(number, "\n\n".join(contexts), answer, label, question, answer, tuple(contexts), spans, kind)


def _spans(answer: str, marks: Any) -> Iterator[Span]:
    if not isinstance(marks, list):
        raise ValueError("the marked spans must be a list")
    for mark in marks:
        start, end = (mark.get("start"), mark.get("end")) if isinstance(mark, dict) else (None, None)
        if isinstance(mark, list | tuple) and len(mark) >= 2:
            start, end = mark[0], mark[1]
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(answer):
            raise ValueError(f"a span lies within its answer (0–{len(answer)}), not at {start}–{end}")
        yield Span(start, end)


def _is_marked(record: Record) -> bool:
    lists = any(isinstance(record.get(name), list) or str(record.get(name))[:1] == "[" for name in _SPANS)
    return lists and any(name in record for name in ANSWER)


def fever_lines(record: Record) -> Iterator[tuple[str, int]]:
    """The page and line of every sentence that FEVER's annotators pointed to, without repeats."""
    seen: set[tuple[str, int]] = set()
    for group in record.get("evidence") or []:
        for entry in group if isinstance(group, list) else []:
            if (
                isinstance(entry, list)
                and len(entry) >= 4
                and entry[2] is not None
                and (entry[2], entry[3]) not in seen
            ):
                seen.add((entry[2], entry[3]))
                yield str(entry[2]), int(entry[3])


def _page_lines(lines: str) -> list[str]:
    return [line.split("\t")[1] if "\t" in line else "" for line in lines.split("\n")]


def _read_fever(number: int, record: Record, shared: LayoutContext) -> list[LabelledRow]:
    label = shared.scale.read(record["label"])
    if label == "INSUFFICIENT":
        raise ValueError("FEVER names no evidence for NOT ENOUGH INFO, so there is nothing to judge against")
    found = [
        shared.pages[title][line]
        for title, line in fever_lines(record)
        if title in shared.pages and line < len(shared.pages[title])
    ]
    if not found:
        raise ValueError("the evidence is given by page and line: put FEVER's wiki-pages folder beside the file")
    return [LabelledRow(number, " ".join(found), str(record["claim"]), label, contexts=tuple(found))]


def _is_fever(record: Record) -> bool:
    evidence = record.get("evidence")
    return "claim" in record and isinstance(evidence, list) and bool(evidence) and isinstance(evidence[0], list)


def _read_scifact(number: int, record: Record, shared: LayoutContext) -> list[LabelledRow]:
    """One row for each abstract that is cited: with the label of its rationales, or insufficient if it has none."""
    rows = []
    cited = dict.fromkeys([*record["evidence"], *(str(one) for one in record.get("cited_doc_ids", []))])
    for key in cited:
        abstract = shared.corpus.get(str(key))
        if abstract is None:
            raise ValueError(f"corpus.jsonl has no document {key!r}")
        rationales = record["evidence"].get(key) or []
        label = shared.scale.read(rationales[0]["label"]) if rationales else "INSUFFICIENT"
        evidence = " ".join([str(abstract.get("title", "")), *texts(abstract, ("abstract",))]).strip()
        rows.append(LabelledRow(number, evidence, str(record["claim"]), label))
    if not rows:
        raise ValueError("the claim cites no abstract")
    return rows


def _is_scifact(record: Record) -> bool:
    return "claim" in record and isinstance(record.get("evidence"), dict)


def _read_answer(number: int, record: Record, shared: LayoutContext) -> list[LabelledRow]:
    """A question, an answer and what it was written from."""
    answer, contexts, question = texts(record, ANSWER), texts(record, EVIDENCE), texts(record, QUESTION)
    if not answer or not contexts:
        raise ValueError(f"{'an answer' if not answer else 'contexts'} is missing or no text")
    label = find_label(record, shared.scale)
    asked = question[0] if question else ""
    claim = _asked(asked, answer[0]) if asked and len(answer[0].split()) < _SENTENCE else answer[0]
    return [LabelledRow(number, "\n\n".join(contexts), claim, label, asked, answer[0], contexts, kind=_kind(record))]


def _read_pair(number: int, record: Record, shared: LayoutContext) -> list[LabelledRow]:
    evidence, claim = texts(record, EVIDENCE), texts(record, _CLAIM)
    if not evidence or not claim:
        raise ValueError(f"{'premise' if not evidence else 'hypothesis'!r} is missing or no text")
    label = find_label(record, shared.scale)
    joined = evidence[0] if len(evidence) == 1 else "\n\n".join(evidence)
    return [
        LabelledRow(number, joined, claim[0], label, contexts=evidence if len(evidence) > 1 else (), kind=_kind(record))
    ]


def _is_answer(record: Record) -> bool:
    return any(name in record for name in ANSWER) and not any(name in record for name in ("hypothesis", "claim"))


def _is_vitaminc(record: Record) -> bool:
    return "case_id" in record and "claim" in record and "evidence" in record


LAYOUTS = (
    Layout("HaluEval", _is_halueval, _read_halueval),
    Layout("RAGTruth", _has("response", "source_id", "labels"), _read_ragtruth),
    Layout("answers with marked spans", _is_marked, _read_marked),
    Layout("SciFact", _is_scifact, _read_scifact),
    Layout("FEVER", _is_fever, _read_fever),
    Layout("VitaminC", _is_vitaminc, _read_pair),
    Layout("ANLI", _has("uid", "context", "hypothesis"), _read_pair),
    Layout("LLM-AggreFact", _has("doc", "claim", "label"), _read_pair),
    Layout("SummaC", _has("document", "claim", "label"), _read_pair),
    Layout("questions and answers", _is_answer, _read_answer),
    Layout("pairs", lambda record: any(name in record for name in LABEL_NAMES), _read_pair),
)


def read_rows(path: Path) -> LabelledFile:
    """Every record of a file, as rows or as what is wrong with it."""
    records = list(read_records(path))
    scale = LabelScale.of(record for _, record in records if isinstance(record, dict))
    shared = LayoutContext(path, scale, tuple(record for _, record in records if isinstance(record, dict)))
    rows: list[LabelledRow] = []
    bad: list[BadRow] = []
    used: dict[str, int] = {}
    for number, record in records:
        if isinstance(record, str):
            bad.append(BadRow(number, record))
            continue
        try:
            layout = find_layout(record)
            rows.extend(layout.read(number, record, shared))
            used[layout.name] = used.get(layout.name, 0) + 1
        except ValueError as problem:
            bad.append(BadRow(number, str(problem)))
    if not rows:
        detail = f"; line {bad[0].line}: {bad[0].problem}" if bad else ""
        raise SourceError(f"{path} holds no labelled row{detail}")
    return LabelledFile(path, tuple(rows), tuple(bad), max(used, key=lambda name: used[name]))
