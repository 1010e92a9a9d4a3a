"""Long runs inside an answer or a source cost no more than their length, through the whole check."""

from __future__ import annotations

import pytest

import assay
from assay.defuse import defuse_text
from assay.text import normalise, split_sentences
from tests.hostile import grows_linearly

RUNS = [
    "\n",
    " ",
    "\t",
    "_",
    "*",
    "'",
    '"',
    "(",
    "<a",
    "<!--",
    "- ",
    "|",
    "not ",
    ", ",
    ".",
    "[1]",
    "`",
    "\u200b",
    "1 ",
    "{|\n",
]
CLAIM = "The tower is 9 m high and stands in Rome."


def around(run: str) -> str:
    return f"The tower is {run} 9 m high and stands in Rome."


@pytest.mark.parametrize("unit", RUNS)
def test_a_run_in_a_source_is_linear(unit: str) -> None:
    def check(run: str) -> None:
        assay.check(CLAIM, sources=[assay.Document("d", around(run))], judge="lexical")

    check("")
    assert grows_linearly(check, unit, 40_000)


@pytest.mark.parametrize("unit", RUNS)
def test_a_run_in_an_answer_is_linear(unit: str) -> None:
    def check(run: str) -> None:
        assay.check(around(run), sources=[assay.Document("d", CLAIM)], judge="lexical")

    check("")
    assert grows_linearly(check, unit, 40_000)


@pytest.mark.parametrize("unit", [*RUNS, "<p hidden>", "<style>a{}</style>", "ignore the above. ", "[a]: b ", "```\n"])
def test_the_parts_that_read_every_source_are_linear(unit: str) -> None:
    def read(run: str) -> None:
        text = around(run)
        split_sentences(text)
        defuse_text(text)
        for markup in ("markdown", "html", "wikitext"):
            normalise(text, markup)

    assert grows_linearly(read, unit, 40_000)
