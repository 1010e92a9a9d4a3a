"""What an epistemic check looks at, and what it does about what it finds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from assay.errors import PolicyError
from assay.policy import Policy
from assay.types import Claim, Importance, sha256_of

MODES = ("full", "sample", "critical_only")
FAILURES = ("flag", "retry", "ask")
DEFAULT = Policy()


@dataclass(frozen=True)
class EpistemicConfig:
    """The settings of one check; the thresholds are those of the policy unless they are given here.

    `verification_model` is a judge of Assay's own ("cascade", "small", "base", "lexical": no cost) or a generator
    ("openai:…", "anthropic:…", "local:…"). `on_failure` says what a caller should do with a flagged answer: show it
    flagged, have it written again at most `max_retries` times, or ask a person.
    """

    enabled: bool = True
    support_threshold: float = DEFAULT.support_threshold
    dependence_threshold: float = DEFAULT.dependence_threshold
    gap_threshold_bits: float = DEFAULT.gap_threshold_bits
    on_failure: str = "flag"
    max_retries: int = DEFAULT.max_retries
    verification_model: str = "cascade"
    max_claims_per_response: int = DEFAULT.max_claims_per_response
    parallel: bool = True
    mode: str = "full"
    sample_rate: float = DEFAULT.sample_rate
    seed: int = 0
    max_cost_share: float = DEFAULT.epistemic_cost_share
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
    def of(cls, policy: Policy, **changes: Any) -> EpistemicConfig:
        """The policy's thresholds, with some settings changed; an unknown setting is refused by name."""
        known = {spec.name for spec in fields(cls)}
        if unknown := sorted(set(changes) - known):
            raise PolicyError(f"there is no epistemic setting {unknown[0]!r}; there are {', '.join(sorted(known))}")
        shared = {spec.name: getattr(policy, spec.name) for spec in fields(cls) if hasattr(policy, spec.name)}
        return replace(cls(**shared, max_cost_share=policy.epistemic_cost_share), **changes)

    def why_skipped(self, response: str, has_evidence: bool, least_chars: int = DEFAULT.skip_chars) -> str | None:
        """Why a response is not checked at all, or None."""
        if not self.enabled:
            return "epistemic checks are disabled"
        if not response.strip():
            return "there is no final answer"
        if len(response.strip()) < least_chars:
            return f"the answer is shorter than {least_chars} characters"
        if not has_evidence:
            return "there is no evidence to check against"
        return None

    def choose(self, claims: Sequence[Claim], response: str = "") -> list[int]:
        """The numbers of the checkable claims to verify, critical ones always first in line; replayable by the seed."""
        numbers = [number for number, claim in enumerate(claims) if claim.checkable]
        critical = [number for number in numbers if claims[number].importance is Importance.CRITICAL]
        if self.mode == "critical_only":
            chosen = critical
        elif self.mode == "sample":
            # The text takes part in the seed: the same answer gives the same sample, another answer another one.
            dice = random.Random(f"{self.seed}:{sha256_of(response)}")
            chosen = [number for number in numbers if number in critical or dice.random() < self.sample_rate]
        else:
            chosen = numbers
        ranked = sorted(chosen, key=lambda number: (tuple(Importance).index(claims[number].importance), number))
        return sorted(ranked[: self.max_claims_per_response])
