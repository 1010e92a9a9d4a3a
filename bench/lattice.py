"""How long it takes to verify a 12-claim answer against a map of 30 objects, without the encoder."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable

from assay.lattice import EvidenceMap, EvidenceObject, LatticeResult, verify_json_answer, verify_pointer_answer

QUESTION = "Which engineers designed the bridges of the northern railway?"
RUNS = 200
NAMES = "Ada Berg, Ben Holm, Cleo Strand, Dora Lund, Emil Vik, Frida Dahl, Gustav Moe, Hanna Lie, Ivar Sund, Jon Bakke"


def run() -> list[tuple[str, str]]:
    names = NAMES.split(", ")
    texts = [_passage(number, names[number % len(names)]) for number in range(1, 31)]
    claims = [
        (f"{names[n % len(names)]} designed bridge number {n} of the northern railway in {1890 + n}.", f"E{n}")
        for n in range(1, 13)
    ]
    pointer = "\n".join(f"{text} [{cited}]" for text, cited in claims)
    as_json = json.dumps({"claims": [{"text": text, "evidence_ids": [cited]} for text, cited in claims]})
    fresh = _map(texts)
    assert verify_pointer_answer(pointer, fresh, QUESTION).audit_mode == "STRICT"
    return [
        ("evidence map", f"30 objects, {sum(map(len, texts)):,} characters; answer of 12 claims"),
        ("pointer form, new map each time (p50)", _time(lambda m: verify_pointer_answer(pointer, m, QUESTION), texts)),
        ("JSON form, new map each time (p50)", _time(lambda m: verify_json_answer(as_json, m, QUESTION), texts)),
        ("pointer form, map seen before (p50)", _time(lambda m: verify_pointer_answer(pointer, m, QUESTION), fresh)),
        ("JSON form, map seen before (p50)", _time(lambda m: verify_json_answer(as_json, m, QUESTION), fresh)),
        ("pointer form with excerpts rendered, map seen before (p50)", _time(lambda m: _rendered(pointer, m), fresh)),
    ]


def _rendered(answer: str, evidence: EvidenceMap) -> LatticeResult:
    result = verify_pointer_answer(answer, evidence, QUESTION)
    assert result.rendered_text
    return result


def _passage(number: int, name: str) -> str:
    filler = " ".join(
        f"Section {part} describes the timber, the masonry and the iron that crews hauled over pass {number + part}."
        for part in range(5)
    )
    return f"The northern railway crosses bridge number {number}, which {name} designed in {1890 + number}. {filler}"


def _map(texts: list[str]) -> EvidenceMap:
    return EvidenceMap.of(
        [EvidenceObject(f"E{n}", text, title="Bridges of the northern railway") for n, text in enumerate(texts, 1)]
    )


def _time(verify: Callable[[EvidenceMap], LatticeResult], evidence: EvidenceMap | list[str]) -> str:
    took = []
    for _ in range(RUNS):
        shown = evidence if isinstance(evidence, EvidenceMap) else _map(evidence)
        start = time.process_time()
        verify(shown)
        took.append((time.process_time() - start) * 1000)
    return f"{statistics.median(took):.2f} ms CPU"
