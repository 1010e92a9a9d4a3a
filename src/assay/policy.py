"""The thresholds a user may want to change, each with its reason, in one frozen object that is hashed into reports.

What only we tune is a named constant beside the code that uses it.

Values come from, in rising order: the defaults here, a TOML or YAML file, `ASSAY_*` environment variables, arguments.

>>> Policy().halt_confidence
0.7
>>> Policy.load(env={"ASSAY_HALT_CONFIDENCE": "0.8"}).halt_confidence
0.8
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.errors import PolicyError
from assay.tables import read_table, suggest
from assay.types import Action, Verdict

ENV_PREFIX = "ASSAY_"
_OTHER_SECTIONS = ("epistemic", "verification")  # tables of the same file that are not thresholds
ROOMS = ("judging", "evidence", "actions", "lattice", "monitors", "inline", "repair", "ledger", "generators")
_WHERE = "run 'assay doctor --policy' for the list"


# The limits of one judgement
CLAIM_MAX_TOKENS = 256  # a longer claim is cut at a clause, with a warning: the encoder's limit
RELEASES = ("stream", "hold", "end")
QUESTION_MAX_TOKENS = 256  # a longer question would crowd out the evidence
PASSAGE_MAX_TOKENS = 512  # one passage given to the encoder

_CONSTANT = "is a constant beside the code that uses it now"
_EPISTEMIC = "is a setting of the table [epistemic] now"
MOVED = {
    **dict.fromkeys(
        """support_threshold dependence_threshold gap_threshold_bits max_claims_per_response sample_rate
        skip_chars""".split(),
        _EPISTEMIC,
    ),
    "epistemic_cost_share": "is max_cost_share of the table [epistemic] now",
    **dict.fromkeys(
        ("entity_policy", "proximity_n", "proximity_window"), "is an argument of audit_quotes and audit-quotes now"
    ),
    "branch_limit": "is max_branches now",
    "subject_tokens": 'is fixed now; lattice_skip = "SUBJECT_TOKENS_ABSENT" leaves the check out',
    **dict.fromkeys(
        """claim_max_tokens question_max_tokens citation_reach quote_min_chars span_min_chars paraphrase_min_content
        partial_coverage copied_coverage artifact_prefix_chars same_thing_overlap quote_confidence
        span_confidence paraphrase_confidence number_confidence negation_confidence unsettled_confidence
        passage_max_tokens passage_target_tokens hnsw_connections hnsw_base_connections hnsw_build_effort
        hnsw_search_effort fusion_constant edges_per_entry duplicate_similarity consolidate_every
        reading_tokens explanation_max_tokens calibration_kind_labels ledger_supported ledger_weak level_full
        level_partial level_further_source level_most_sources level_close level_close_bonus level_inferred
        lattice_short_claim lattice_min_content lattice_max_pointers lattice_max_claims
        lazy_anchor_share lazy_anchor_pairs collapse_lines
        collapse_line_chars raised_halt_confidence cache_claims gap_cap_bits target_confidence similarity_low
        similarity_high log_results replay_tolerance repair_patience retrieve_limit retrieve_queries
        revise_limit refocus_limit writer_passage_tokens extractive_sentences extractive_share
        extractive_coverage extractive_likelihood answer_coverage""".split(),
        _CONSTANT,
    ),
}
"""The fields that version 0.1 had and what became of each: a file that names one still loads, with a warning."""


class PolicyWarning(UserWarning):
    """A policy that names fields which are gone."""


def _share(default: float, why: str) -> float:
    """A number from 0 to 1."""
    return field(default=default, metadata={"why": why, "low": 0.0, "high": 1.0})


def _amount(default: float, why: str, low: float = 0.0) -> float:
    """A number with a lower bound."""
    return field(default=float(default), metadata={"why": why, "low": low, "high": float("inf")})


def _count(default: int, why: str, low: int = 0) -> int:
    """A whole number with a lower bound."""
    return field(default=default, metadata={"why": why, "low": low, "high": float("inf")})


def _choice(default: str, options: tuple[str, ...], why: str) -> str:
    """One of a few words."""
    return field(default=default, metadata={"why": why, "options": options})


def _text(default: str, why: str) -> str:
    """Free text, such as a path."""
    return field(default=default, metadata={"why": why})


@dataclass(frozen=True)
class Policy:
    """The thresholds a user may want to change, room by room; what only we tune stands beside its use.

    >>> Policy(halt_confidence=0.8).halt_confidence
    0.8
    """

    # Judging
    unsure_low: float = _share(0.3, "below this the next, dearer judge cannot change the outcome")
    unsure_high: float = _share(0.9, "above this the next, dearer judge is not worth its time")
    refute_probability: float = _share(
        0.0, "a refutation less likely than this settles nothing, beyond what the model's calibration asks"
    )
    grounding_confidence: float = _share(
        0.5, "support less likely than this is not support: the claim counts as not settled, whatever the judge"
    )
    conflict_probability: float = _share(
        0.85, "a single source at least this sure for, and another against, are sources that disagree"
    )
    conflict_order: str = _choice(
        "role,date,count",
        ("role,date,count", "role,provenance,date,count", "provenance,date,count", "date,count", "role,count", "count"),
        "what decides between sources that disagree: the better role, a known origin, the later date, how many say so",
    )
    paraphrase_coverage: float = _share(0.85, "share of content words a paraphrase must find in the source")
    rounding_tolerance: float = _share(0.05, "a hedged number ('about 300') may differ by this share")
    threads: int = _count(2, "threads of one model session", 1)
    max_ms: float = _amount(0, "time budget for one answer; 0 means none")
    max_usd: float = _amount(0, "money budget for one answer; 0 means nothing may be spent")
    judge_parallel: int = _count(4, "claims a language model judges at the same time", 1)
    calibration: str = _text("", "a file of `assay calibrate`: probabilities and cut-offs fitted to your own labels")
    calibration_risk: float = _share(0.05, "share of passed claims that may be wrong, promised by the abstain cut-off")
    calibration_confidence: float = _share(0.9, "how sure that promise is: it fails in one fitting of ten at most")

    # Evidence
    passages_per_claim: int = _count(5, "passages judged for each claim: more dilutes and costs", 1)
    evidence_tokens: int = _count(2000, "sources shorter than this together are shown to the model whole", 64)
    relevance_floor: float = _share(0.3, "below this average similarity the evidence is called irrelevant")
    citation_similarity: float = _share(0.7, "a dangling anchor may be resolved by search above this similarity")
    outdated_days: int = _count(365, "an older source is flagged as outdated", 1)
    memory_limit: int = _count(2_500_000, "entries above which the least valuable are evicted", 1)

    # Actions
    halt_confidence: float = _share(0.7, "a refutation at least this sure halts or branches")
    low_confidence: float = _share(0.6, "support below this is marked as low confidence")
    max_branches: int = _count(3, "attempts at a better answer before abstaining")
    coverage_floor: float = _share(0.85, "ledger coverage below this asks for a revision")
    unsupported_ceiling: float = _share(0.05, "an unsupported rate above this is marked clearly")

    # Lattice
    lattice_coverage: float = _share(0.30, "share of a claim's content words the cited text must hold")
    lattice_skip: str = _text("", "checks of the lattice to leave out, by name: TITLE_MISMATCH,DEFLECTION_DETECTED")

    # Monitors
    monitor_window: int = _count(100, "outputs over which rates are watched", 1)
    degenerate_supported: float = _share(0.99, "a higher SUPPORTED rate means the verifier says yes to everything")
    excessive_refuted: float = _share(0.5, "a higher REFUTED rate raises the halt threshold")
    verification_timeout_ms: float = _amount(1000, "time for one claim before its check is skipped as too slow")

    # Inline
    exempt_tokens: int = _count(32, "a streamed output this short is a greeting or an acknowledgement, and is skipped")
    inline_every_tokens: int = _count(32, "tokens between two checks of a stream", 1)
    release: str = _choice("stream", RELEASES, "show tokens at once, a sentence once it is checked, or all at the end")
    inline_wait_ms: float = _amount(2000, "how long the first token of a sentence waits for the check of the last one")
    inline_stall_s: float = _amount(120, "a stream silent for this long has stalled and is given up; 0 means never")

    # Repair
    max_retries: int = _count(2, "regenerations asked for by the checkpoint")
    repair_confidence: float = _share(0.7, "an answer less sure than this gets corrective retrieval")
    repair_attempts: int = _count(8, "attempts of one repair: each strategy once, and all branches")
    repair_usd: float = _amount(0.10, "money one repair may spend on a generator")

    # Ledger
    retention_days: int = _count(90, "days an audit record is kept", 1)

    # Generators
    generator_timeout_s: float = _amount(60, "seconds a generator may be silent, and those of one request", 0.1)
    generator_retries: int = _count(3, "times a hosted generator is tried again, with back-off")
    local_context_tokens: int = _count(4096, "context of a model in this process: more takes more memory", 256)
    writer_passages: int = _count(5, "passages a writer is shown: more costs, and drowns the one that matters", 1)
    writer_max_tokens: int = _count(256, "tokens of one draft", 16)

    def __post_init__(self) -> None:
        for spec in fields(self):
            _check(spec.name, getattr(self, spec.name), type(spec.default), spec.metadata)
        if self.unsure_low > self.unsure_high:
            raise PolicyError("unsure_low is above unsure_high: the unsure band would be empty")

    @cached_property
    def sha256(self) -> str:
        """The hash of all values, the same for the same policy everywhere."""
        canonical = json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        env: Mapping[str, str] | None = None,
        base: Policy | None = None,
        **overrides: Any,
    ) -> Policy:
        """The defaults or `base`, then the file, then the environment, then the arguments."""
        values: dict[str, Any] = {}
        if path is not None:
            table = read_table(Path(path), "policy", kind="policy", error=PolicyError)
            values |= _without_moved(_read_rooms(table), str(path))
        values |= _without_moved(_read_env(os.environ if env is None else env), "the environment")
        values |= {name: value for name, value in overrides.items() if value is not None}
        return (base or cls()).but(**values)

    def but(self, **changes: Any) -> Policy:
        """This policy with some fields changed; unknown fields and bad values are refused by name."""
        known = {spec.name: type(spec.default) for spec in fields(self)}
        unknown = sorted(set(changes) - set(known))
        if unknown and unknown[0] in MOVED:
            raise PolicyError(f"{unknown[0]} {MOVED[unknown[0]]}; leave it out here")
        if unknown:
            raise PolicyError(f"unknown policy field {unknown[0]!r}; {suggest(unknown[0], known, _WHERE)}")
        return replace(self, **{name: _convert(name, value, known[name]) for name, value in changes.items()})


def describe(policy: Policy | None = None) -> list[tuple[str, Any, str]]:
    """Every field with its value and its reason, for the docs and `assay doctor`."""
    shown = policy or Policy()
    return [(spec.name, getattr(shown, spec.name), spec.metadata["why"]) for spec in fields(shown)]


def decide_action(
    verdict: Verdict | str, confidence: float, branches: int = 0, *, policy: Policy | None = None, inline: bool = False
) -> Action:
    """What to do about one claim after `branches` attempts at a better answer."""
    rules = policy or Policy()
    verdict = Verdict(verdict)
    if verdict is Verdict.REFUTED and confidence >= rules.halt_confidence:
        if branches >= rules.max_branches:
            return Action.ABSTAIN
        return Action.HALT if inline else Action.BRANCH
    if verdict is Verdict.INSUFFICIENT and branches < rules.max_branches:
        return Action.BRANCH
    return Action.CONTINUE


def _check(name: str, value: Any, kind: type, metadata: Mapping[str, Any]) -> None:
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise PolicyError(f"{name} must be of type {kind.__name__}, not {value!r}")
    if "options" in metadata and value not in metadata["options"]:
        raise PolicyError(f"{name} must be one of {', '.join(metadata['options'])}, not {value!r}")
    if "low" in metadata and not metadata["low"] <= value <= metadata["high"]:
        raise PolicyError(f"{name} must lie between {metadata['low']:g} and {metadata['high']:g}, not {value!r}")


def _convert(name: str, value: Any, kind: type) -> Any:
    """Text from the environment or a flag becomes the field's type; anything else must already fit."""
    if not isinstance(value, str) or kind is str:
        return float(value) if kind is float and type(value) is int else value
    try:
        return kind(value)
    except ValueError:
        raise PolicyError(f"{name} must be a {'whole ' if kind is int else ''}number, not {value!r}") from None


def _read_env(env: Mapping[str, str]) -> dict[str, str]:
    known = {spec.name for spec in fields(Policy)} | MOVED.keys()
    found = {key.removeprefix(ENV_PREFIX).lower(): value for key, value in env.items() if key.startswith(ENV_PREFIX)}
    return {name: value for name, value in found.items() if name in known}


def _read_rooms(table: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a file, which may stand in tables named as the rooms are: [judging], [evidence], …"""
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name not in _OTHER_SECTIONS:
            values |= value if isinstance(value, dict) and name in ROOMS else {name: value}
    return values


def _without_moved(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The values without those of fields that are gone, which are named in a warning."""
    if gone := [f"{name} {MOVED[name]}" for name in values if name in MOVED]:
        warnings.warn(f"{where} was written for an earlier version: {'; '.join(gone)}", PolicyWarning, stacklevel=4)
    return {name: value for name, value in values.items() if name not in MOVED}
