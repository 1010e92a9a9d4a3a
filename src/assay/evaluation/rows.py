"""Labelled rows: evidence, claim and the label a person gave, which many words name and four values stand for."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.types import Span

_WORDS = {
    "SUPPORTED": "supported supports support entailment entailed e true yes 1 1.0 correct faithful consistent grounded "
    "pass attributable attributed factual accurate right proven",
    "REFUTED": "refuted refutes refute contradiction contradict contradicts contradicted contradictory c disproven",
    "INSUFFICIENT": "insufficient neutral n nei not_enough_info not_enough_information not_enough_evidence noinfo "
    "unverifiable baseless no_evidence extrapolatory",
    "NOT_SUPPORTED": "not_supported unsupported not_entailment not_entailed hallucinated hallucination false no 0 0.0 "
    "incorrect unfaithful inconsistent ungrounded fail not_attributable nonfactual non-factual inaccurate wrong "
    "partially_supported",
}
_KNOWN = {word: label for label, listed in _WORDS.items() for word in listed.split()}
LABEL_NAMES = ("label", "gold_label", "verdict", "gold", "is_supported", "supported", "grounded", "faithful")
_NLI = {0: "SUPPORTED", 1: "INSUFFICIENT", 2: "REFUTED"}


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """One labelled pair and the line it stands on.

    `contexts` is the evidence piece by piece and `answer` the bare answer, where a file gives them; `spans` are the
    stretches of the answer that a person marked as not backed (None where nobody looked); `kind` is the sort of
    document or the sub-set, for results and thresholds of its own.
    """

    line: int
    evidence: str
    claim: str
    label: str
    question: str = ""
    answer: str = ""
    contexts: tuple[str, ...] = ()
    spans: tuple[Span, ...] | None = None
    kind: str = ""

    @property
    def sources(self) -> tuple[str, ...]:
        return self.contexts or (self.evidence,)

    @property
    def text(self) -> str:
        """What a reader would see: the answer, or the claim where that is all there is."""
        return self.answer or self.claim


@dataclass(frozen=True, slots=True)
class BadRow:
    """A line that is no labelled pair, and why."""

    line: int
    problem: str


@dataclass(frozen=True)
class LabelledFile:
    """What a file holds: its rows, the lines that could not be used, and the layout it was recognised by.

    `known` are the labels of the whole file: they say what is asked, also where a sample happens to lack one.
    """

    path: Path
    rows: tuple[LabelledRow, ...]
    bad: tuple[BadRow, ...] = ()
    layout: str = "pairs"
    known: frozenset[str] = frozenset()

    @property
    def labels(self) -> frozenset[str]:
        return self.known or frozenset(row.label for row in self.rows)

    def sample(self, limit: int | None, seed: int) -> LabelledFile:
        """At most `limit` rows chosen by the seed, in the order of the file; the bad lines stay."""
        if limit is None or limit >= len(self.rows):
            return self
        chosen = sorted(random.Random(seed).sample(range(len(self.rows)), limit))
        return replace(self, rows=tuple(self.rows[number] for number in chosen), known=self.labels)


@dataclass(frozen=True)
class LabelScale:
    """What the bare numbers of a file mean: 0/1/2 are the three of natural-language inference, 0/1 are no and yes."""

    three: bool = False

    @classmethod
    def of(cls, records: Iterable[dict[str, Any]]) -> LabelScale:
        return cls(any(str(record.get("label")) in ("2", "2.0") for record in records))

    def read(self, value: Any) -> str:
        """One of the four labels; a word that is none of them is named in the error.

        >>> LabelScale().read("NOT ENOUGH INFO")
        'INSUFFICIENT'
        >>> LabelScale(three=True).read(0), LabelScale().read(0)
        ('SUPPORTED', 'NOT_SUPPORTED')
        """
        if isinstance(value, bool):
            return "SUPPORTED" if value else "NOT_SUPPORTED"
        if self.three and str(value).removesuffix(".0") in ("0", "1", "2"):
            return _NLI[int(float(value))]
        word = str(value).strip().lower().replace(" ", "_").replace("-", "_").replace("non_factual", "non-factual")
        if value is None or word not in _KNOWN:
            raise ValueError(f"the label is {value!r}; known are SUPPORTED, REFUTED, INSUFFICIENT, NOT_SUPPORTED")
        return _KNOWN[word]


def find_label(record: dict[str, Any], scale: LabelScale) -> str:
    for name in LABEL_NAMES:
        if name in record:
            return scale.read(record[name])
    return scale.read(None)
