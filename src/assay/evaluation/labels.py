"""The many words for a label, read as one of four."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

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
KNOWN = {word: label for label, listed in _WORDS.items() for word in listed.split()}
NAMES = ("label", "gold_label", "verdict", "gold", "is_supported", "supported", "grounded", "faithful")
_NLI = {0: "SUPPORTED", 1: "INSUFFICIENT", 2: "REFUTED"}


@dataclass(frozen=True)
class Scale:
    """What the bare numbers of a file mean: 0/1/2 are the three of natural-language inference, 0/1 are no and yes."""

    three: bool = False

    @classmethod
    def of(cls, records: Iterable[dict[str, Any]]) -> Scale:
        return cls(any(str(record.get("label")) in ("2", "2.0") for record in records))

    def read(self, value: Any) -> str:
        """One of the four labels; a word that is none of them is named in the error.

        >>> Scale().read("NOT ENOUGH INFO")
        'INSUFFICIENT'
        >>> Scale(three=True).read(0), Scale().read(0)
        ('SUPPORTED', 'NOT_SUPPORTED')
        """
        if isinstance(value, bool):
            return "SUPPORTED" if value else "NOT_SUPPORTED"
        if self.three and str(value).removesuffix(".0") in ("0", "1", "2"):
            return _NLI[int(float(value))]
        word = str(value).strip().lower().replace(" ", "_").replace("-", "_").replace("non_factual", "non-factual")
        if value is None or word not in KNOWN:
            raise ValueError(f"the label is {value!r}; known are SUPPORTED, REFUTED, INSUFFICIENT, NOT_SUPPORTED")
        return KNOWN[word]


def find_label(record: dict[str, Any], scale: Scale) -> str:
    for name in NAMES:
        if name in record:
            return scale.read(record[name])
    return scale.read(None)
