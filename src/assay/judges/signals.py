"""What the words of a claim and its evidence show, as numbers that a combiner can weigh beside the model's opinion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log

from assay.encoder.scores import Scores
from assay.types import Verdict

_LEAST = 1e-3  # probabilities below this are taken as this: their logarithms must not drown everything else


@dataclass(frozen=True, slots=True)
class Signals:
    """What the lexical tier noticed about one claim."""

    method: str = "none"
    verdict: Verdict = Verdict.INSUFFICIENT
    coverage: float = 0.0
    reach: float = 0.0
    names: int = 0
    names_missing: int = 0
    names_missing_near: int = 0
    name_swapped: bool = False
    word_swapped: bool = False
    numbers: int = 0
    numbers_equal: int = 0
    numbers_different: int = 0
    numbers_absent: int = 0
    number_put_in: bool = False
    denied: bool = False
    sign_differs: bool = False
    objection: bool = False
    quote_missing: bool = False
    similarity: float = 0.0
    words: int = 0
    evidence_words: int = 0

    @property
    def numbers_disagree(self) -> bool:
        """Whether a source gives another value for a number of the claim and none gives the claim's own."""
        return self.numbers_different > 0

    @property
    def blocked(self) -> bool:
        """Whether support is out of the question: another number, one put in, a quote that stands nowhere, a denial."""
        return self.numbers_disagree or self.number_put_in or self.quote_missing or self.denied

    @property
    def suspicious(self) -> bool:
        """Whether the words hint at a changed fact: a name or number that is not there, another sign, an objection."""
        absent = self.names_missing_near > 0 or self.numbers_absent > 0
        return absent or self.name_swapped or self.sign_differs or self.objection


Feature = Callable[[Signals, Scores], float]

# One line a feature, in groups: the ablation in the docs leaves out a group at a time.
GROUPS: Mapping[str, Mapping[str, Feature]] = {
    "encoder": {
        "log_supported": lambda s, p: log(max(p.supported, _LEAST)),
        "log_refuted": lambda s, p: log(max(p.refuted, _LEAST)),
        "log_insufficient": lambda s, p: log(max(p.insufficient, _LEAST)),
    },
    "coverage": {
        "coverage": lambda s, p: s.coverage,
        "reach": lambda s, p: s.reach,
        "all_words_in_one_sentence": lambda s, p: float(s.coverage >= 1.0),
        "few_words_anywhere": lambda s, p: float(s.reach < 0.4),
    },
    "numbers": {
        "numbers_equal": lambda s, p: float(s.numbers > 0 and s.numbers_equal == s.numbers),
        "numbers_different": lambda s, p: float(s.numbers_different > 0),
        "numbers_absent": lambda s, p: float(s.numbers_absent > 0),
        "number_absent_on_covered": lambda s, p: s.coverage if s.numbers_absent else 0.0,
    },
    "entities": {
        "names_missing": lambda s, p: s.names_missing / s.names if s.names else 0.0,
        "a_name_missing": lambda s, p: float(s.names_missing > 0),
        "names_all_there": lambda s, p: float(s.names > 0 and s.names_missing == 0),
        "name_missing_on_covered": lambda s, p: s.coverage if s.names_missing else 0.0,
        "a_name_missing_near": lambda s, p: float(s.names_missing_near > 0),
        "name_missing_near_on_covered": lambda s, p: s.coverage if s.names_missing_near else 0.0,
        "name_swapped": lambda s, p: float(s.name_swapped),
        "word_swapped": lambda s, p: float(s.word_swapped),
    },
    "negation": {
        "denied": lambda s, p: float(s.denied),
        "sign_differs": lambda s, p: float(s.sign_differs),
        "sign_differs_on_covered": lambda s, p: s.coverage if s.sign_differs else 0.0,
        "objection": lambda s, p: float(s.objection),
    },
    "similarity": {
        "similarity": lambda s, p: min(1.0, max(0.0, s.similarity)),
        "log_claim_words": lambda s, p: log(1 + s.words) / 3,
        "log_evidence_words": lambda s, p: log(1 + s.evidence_words) / 5,
    },
    "lexical verdict": {
        "paraphrase": lambda s, p: float(s.method == "paraphrase"),
        "refuted_by_number": lambda s, p: float(s.method in ("number", "date")),
        "refuted_by_negation": lambda s, p: float(s.method == "negation"),
        "quote_missing": lambda s, p: float(s.quote_missing),
    },
}
FEATURES: Mapping[str, Feature] = {name: make for group in GROUPS.values() for name, make in group.items()}


def measure(signals: Signals, scores: Scores) -> list[float]:
    """Every feature in order."""
    return [make(signals, scores) for make in FEATURES.values()]
