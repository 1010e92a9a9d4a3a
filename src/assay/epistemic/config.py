"""What an epistemic check looks at, and what is done about what it finds.

Settings come from, in rising order: the policy and the defaults here, the `epistemic` table of a TOML or YAML file,
`ASSAY_EPISTEMIC_*` environment variables, arguments.

>>> EpistemicConfig.load(env={"ASSAY_EPISTEMIC_MODE": "sample"}, on_failure="retry").mode
'sample'
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from assay.errors import PolicyError
from assay.policy import Policy
from assay.tables import SectionSettings
from assay.types import Claim, Importance, sha256_of

MODES = ("full", "sample", "critical_only")
FAILURES = ("flag", "retry", "ask")
_UNCERTAIN = re.compile(
    r"\b(?:may(?!\s+\d)|might|could|perhaps|maybe|possibly|probably|likely|unlikely|presumably|apparently|seemingly"
    r"|reportedly|allegedly|supposedly|potentially|roughly|approximately|about\s+\d|around\s+\d|estimated|estimates?"
    r"|appears?\s+to|seems?\s+to|(?:is|are|was|were)\s+(?:thought|believed|said|assumed|expected)\s+to"
    r"|(?:i|we)\s+(?:think|believe|assume|guess|suspect)|suggests?|not\s+(?:certain|sure|clear)|unclear|uncertain)\b",
    re.IGNORECASE,
)
_CONCLUDING = re.compile(
    r"\s*(?:so|thus|hence|therefore|consequently|overall|in (?:short|sum|summary|conclusion)|to sum up|as a result)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class EpistemicConfig(SectionSettings):
    """The settings of one check; the thresholds are those of the policy unless they are given here.

    `verification_model` is a judge of Assay's own ("cascade", "small", "base", "lexical": no cost) or a generator
    ("openai:…", "anthropic:…", "local:…", or a short name such as "haiku"); a generator that costs money judges the
    `max_claims_per_response` weightiest claims, the judge of Assay's own the others. `on_failure` is what is done with
    a flagged answer: the flags are put into its text, it is written again at most `max_retries` times, or the question
    what to do goes back to the caller.
    """

    SECTION = "epistemic"
    error = PolicyError

    enabled: bool = True
    support_threshold: float = 0.7
    dependence_threshold: float = 0.3
    gap_threshold_bits: float = 2.0
    on_failure: str = "flag"
    max_retries: int = 2
    verification_model: str = "cascade"
    max_claims_per_response: int = 10
    parallel: bool = True
    mode: str = "full"
    sample_rate: float = 0.3
    seed: int = 0
    skip_chars: int = 100
    max_cost_share: float = 0.1
    decomposition: str = "rule"

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise PolicyError(f"mode must be one of {', '.join(MODES)}, not {self.mode!r}")
        if self.on_failure not in FAILURES:
            raise PolicyError(f"on_failure must be one of {', '.join(FAILURES)}, not {self.on_failure!r}")
        if self.decomposition not in ("rule", "model"):
            raise PolicyError(f"decomposition must be rule or model, not {self.decomposition!r}")
        for name in ("support_threshold", "dependence_threshold", "sample_rate", "max_cost_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise PolicyError(f"{name} must lie between 0 and 1, not {getattr(self, name)!r}")
        if self.gap_threshold_bits < 0 or self.max_retries < 0 or self.max_claims_per_response < 1:
            raise PolicyError(
                "gap_threshold_bits and max_retries must not be negative, and max_claims_per_response at least 1"
            )

    @classmethod
    def of(cls, policy: Policy | None = None, **changes: Any) -> EpistemicConfig:
        """The policy's thresholds, with some settings changed; an unknown setting is refused by name."""
        rules = policy or Policy()
        return cls(**{s.name: getattr(rules, s.name) for s in fields(cls) if hasattr(rules, s.name)}).but(**changes)

    def why_skipped(self, response: str, has_evidence: bool) -> str | None:
        """Why a response is not checked at all, or None."""
        if not self.enabled:
            return "epistemic checks are disabled"
        if not response.strip():
            return "there is no final answer"
        if len(response.strip()) < self.skip_chars:
            return f"the answer is shorter than {self.skip_chars} characters"
        if not has_evidence:
            return "there is no evidence to check against"
        return None

    def choose(self, claims: Sequence[Claim], response: str = "", question: str | None = None) -> list[int]:
        """The numbers of the checkable claims to verify; a sample is the same again for the same seed and answer."""
        numbers = [number for number, claim in enumerate(claims) if claim.checkable]
        if self.mode == "critical_only":
            return [n for n in numbers if claims[n].importance is Importance.CRITICAL or is_uncertain(claims[n])]
        if self.mode == "sample":
            # The text takes part in the seed: the same answer gives the same sample, another answer another one.
            dice = random.Random(f"{self.seed}:{sha256_of(response)}")
            needed = decisive(claims, question)
            return [n for n in numbers if n in needed or dice.random() < self.sample_rate]
        return numbers

    def choose_paid(self, claims: Sequence[Claim], chosen: Sequence[int]) -> set[int]:
        """Those of the chosen claims that a judge which costs money is asked about: the weightiest, up to the limit."""
        ranked = sorted(chosen, key=lambda number: (tuple(Importance).index(claims[number].importance), number))
        return set(ranked[: self.max_claims_per_response])


def is_uncertain(claim: Claim) -> bool:
    """Whether a claim marks itself as uncertain: "probably", "may", "is thought to".

    >>> from assay.types import Span
    >>> is_uncertain(Claim("It is probably older.", (Span(0, 21),)))
    True
    """
    return _UNCERTAIN.search(claim.text) is not None


def decisive(claims: Sequence[Claim], question: str | None = None) -> set[int]:
    """The claims that the answer depends on: those that answer the question, else the first; and what it concludes."""
    from assay.claims.extract import QuestionFocus

    numbers = [number for number, claim in enumerate(claims) if claim.checkable]
    asked = QuestionFocus.by(question) if question else None
    found = {n for n in numbers if asked is not None and asked.answered_by(claims[n].text, first=n == numbers[0])}
    found = found or set(numbers[:1])
    return found | {n for n in numbers if _CONCLUDING.match(claims[n].text)}
