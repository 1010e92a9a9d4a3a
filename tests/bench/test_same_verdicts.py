"""Batching, keeping what was read and working in threads change no verdict."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from threading import Barrier

import pytest

from assay.encoder.bundle import WEIGHTS, read_bundle
from assay.encoder.verifier import Opinion, Verifier
from assay.types import Passage
from assay.weights import find_weights
from bench.town import CLAIMS, sources


def cases(salt: int) -> list[tuple[str, list[Passage]]]:
    shown = [Passage(document, 0, len(document.text)) for document in sources(salt)]
    return [(claim.format(salt=salt), shown[: 1 + n % 5]) for n, claim in enumerate(CLAIMS)]


def open_verifier(name: str, threads: int) -> Verifier:
    folder = find_weights(WEIGHTS, name)
    if folder is None:
        pytest.skip(f"the weights of {name} are not installed")
    return Verifier(read_bundle(folder), threads)


@pytest.mark.parametrize("name", ["small", pytest.param("base", marks=pytest.mark.slow)])
def test_verdicts_are_those_of_claims_judged_one_by_one_and_read_anew(name: str) -> None:
    fast, plain = open_verifier(name, 2), open_verifier(name, 1)
    for salt in (1, 2):
        together = fast.judge(cases(salt))
        again = fast.judge(cases(salt))  # what was read is found among what is kept
        alone: list[Opinion] = []
        for case in cases(salt):
            plain.passages_kept.clear()
            alone += plain.judge([case])
        for one, other, third in zip(together, again, alone, strict=True):
            assert one == other
            assert fast.decide(one.scores)[0] is plain.decide(third.scores)[0]
            assert one.scores.supported == pytest.approx(third.scores.supported, abs=0.02)
            assert one.scores.refuted == pytest.approx(third.scores.refuted, abs=0.02)
    assert fast.passages_kept.hits >= 10
    assert plain.passages_kept.hits == 0


@pytest.mark.parametrize("name", ["small", pytest.param("base", marks=pytest.mark.slow)])
def test_requests_at_once_get_the_opinions_they_get_one_by_one(name: str) -> None:
    requests = [cases(salt)[at : at + 3] for salt, at in ((1, 0), (1, 4), (2, 2), (3, 7))]
    verifier, plain = open_verifier(name, 2), open_verifier(name, 2)
    begin = Barrier(len(requests))

    def judge(request: list[tuple[str, list[Passage]]], question: str | None) -> list[Opinion]:
        begin.wait()
        return verifier.judge(request, question)

    question = "What is there to see in Velden?"
    with ThreadPoolExecutor(len(requests)) as clients:
        at_once = list(clients.map(judge, requests, repeat(question)))
    assert at_once == [plain.judge(request, question) for request in requests]
