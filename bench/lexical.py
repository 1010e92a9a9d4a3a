"""The audit of an answer against a large source, beside plain searches of the same text."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import accumulate
from time import process_time

from assay.lexical.audit import audit_quotes
from assay.lexical.index import SourceIndex
from assay.lexical.quotes import find_spans
from assay.text.comparable import words_of
from assay.text.normalise import normalise
from assay.text.tokens import content_words
from assay.types import Document

SOURCE_CHARS = 5_000_000
SENTENCES = 40
RUNS = 5
_SYLLABLES = "ka lo mi ren tas vo del shi por an ger tum bel sor nick fa dra ul em ost".split()
_SMALL = "the of and in to was is that for on with as by from at it".split()


def run() -> list[tuple[str, str]]:
    """Times are processor time, the best of a few runs, so that other work on the machine does not count."""
    source, answer = build()
    document = Document("context", source)
    index = SourceIndex(document)
    indexing = fastest(lambda: SourceIndex(document), 2)
    audit_quotes(answer, document)  # the index is made here and kept
    result = audit_quotes(answer, document)
    audit = fastest(lambda: audit_quotes(answer, document))
    folded = index.mapped.text
    units = [normalise(span.of(answer)).text.rstrip(".") for span in find_spans(answer)]
    lists = [words_of(unit) for unit in units]
    lookup = fastest(lambda: [next(index.find_words(words), None) for words in lists])
    scan = fastest(lambda: [unit in folded for unit in units])
    fold = fastest(lambda: normalise(source), 2)
    by_scan = fastest(lambda: [scan_unit(unit, folded) for unit in units], 2)
    return [
        ("source and answer", f"{len(source) / 1e6:.1f} MB, {len(units)} sentences, {result.n_verified} verified"),
        ("indexing the source once", f"{indexing * 1000:,.0f} ms ({len(index):,} words)"),
        ("looking up every sentence in the index", f"{lookup * 1000:.2f} ms"),
        (
            "plain `in` for every sentence, text normalised once",
            f"{scan * 1000:.1f} ms, {scan / lookup:.0f} × the lookup",
        ),
        (
            "plain `in` for every sentence, text normalised each time",
            f"{(scan + fold * len(units)) * 1000:,.0f} ms, {(scan + fold * len(units)) / lookup:,.0f} × the lookup",
        ),
        ("whole audit (verbatim, paraphrase, denials, receipts)", f"{audit * 1000:.1f} ms"),
        (
            "the same by scanning: `in`, then each content word as a whole word",
            f"{by_scan * 1000:,.0f} ms, {by_scan / audit:.0f} × the audit",
        ),
    ]


def scan_unit(unit: str, folded: str) -> float:
    """The verbatim test and the share of content words found, by searching the text for each."""
    if unit in folded:
        return 1.0
    words = [token.text for token in content_words(unit)]
    return sum(re.search(rf"\b{re.escape(word)}\b", folded) is not None for word in words) / max(len(words), 1)


def build() -> tuple[str, str]:
    """A source of made-up sentences with word frequencies like those of a language, and an answer about it.

    Half of the answer's sentences stand in the source, evenly spread; the others differ from one in a few words.
    """
    dice = random.Random(7)
    words = ["".join(dice.choices(_SYLLABLES, k=dice.randint(2, 4))) for _ in range(40_000)]
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    sentences: list[str] = []
    size = 0
    while size < SOURCE_CHARS:
        picked = dice.choices(words, cum_weights=weights, k=dice.randint(5, 14))
        mixed = [part for word in picked for part in (dice.choice(_SMALL), word)]
        sentences.append(" ".join(mixed).capitalize() + dice.choice((". ", ". ", ". ", ".\n\n")))
        size += len(sentences[-1])
    chosen = sentences[:: len(sentences) // SENTENCES][:SENTENCES]
    answer = [
        one if number % 2 else " ".join(reversed(one.rstrip(". \n").split())).capitalize() + ". "
        for number, one in enumerate(chosen)
    ]
    return "".join(sentences), "".join(answer)


def fastest(work: Callable[[], object], runs: int = RUNS) -> float:
    times = []
    for _ in range(runs):
        started = process_time()
        work()
        times.append(process_time() - started)
    return min(times)
