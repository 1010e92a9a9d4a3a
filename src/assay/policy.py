"""Every threshold Assay uses, each with its reason; one frozen object that can be loaded and is hashed into reports.

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
_WHERE = "run 'assay doctor --policy' for the list"


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
    """All thresholds in one frozen object."""

    # What is checked at all
    exempt_tokens: int = _count(32, "a streamed output this short is a greeting or an acknowledgement, and is skipped")
    claim_max_tokens: int = _count(256, "a longer claim is cut at a clause, with a warning: the encoder's limit", 8)
    question_max_tokens: int = _count(256, "a longer question is refused: it would crowd out the evidence", 8)
    citation_reach: int = _count(20, "an anchor this many characters after a claim still belongs to it")

    # Lexical proof
    quote_min_chars: int = _count(8, "shorter quoted spans are scare quotes, not quotations")
    span_min_chars: int = _count(12, "shorter sentences carry too little to be matched verbatim")
    paraphrase_coverage: float = _share(0.85, "share of content words a paraphrase must find in the source")
    paraphrase_min_content: int = _count(4, "below this many content words coverage means nothing", 1)
    partial_coverage: float = _share(0.40, "below this overlap a failed span is called unrelated, not partial")
    copied_coverage: float = _share(
        0.95, "share of a claim's words in one sentence of a source past which a number that stands nowhere was put in"
    )
    artifact_prefix_chars: int = _count(60, "a verbatim prefix this long means the rest is a trailing artifact")
    entity_policy: str = _choice(
        "proximity", ("strict", "hybrid", "drop", "proximity"), "how names alone may ground an answer"
    )
    proximity_n: int = _count(3, "distinct verified names that must stand close together", 1)
    proximity_window: int = _count(300, "characters within which those names must stand", 1)
    rounding_tolerance: float = _share(0.05, "a hedged number ('about 300') may differ by this share")
    same_thing_overlap: float = _share(0.9, "share of a claim's words beside another value for it to be a refutation")
    quote_confidence: float = _share(0.97, "the source's own words in quotation marks, and not denied there")
    span_confidence: float = _share(0.95, "a whole clause of the source; what is left is irony and context")
    paraphrase_confidence: float = _share(
        0.75, "the least share of the words in one sentence; all of them is 0.15 more"
    )
    number_confidence: float = _share(0.85, "another value for the same thing: subject, noun and occasion agree")
    negation_confidence: float = _share(0.8, "the same words with the opposite sign")
    unsettled_confidence: float = _share(0.5, "nothing proves it and nothing speaks against it")

    # Evidence
    evidence_tokens: int = _count(2000, "sources shorter than this together are shown to the model whole", 64)
    passages_per_claim: int = _count(5, "passages judged for each claim: more dilutes and costs", 1)
    passage_max_tokens: int = _count(512, "one passage given to the encoder", 16)
    passage_target_tokens: int = _count(120, "passages are cut near this length, at sentence ends", 16)
    relevance_floor: float = _share(0.3, "below this average similarity the evidence is called irrelevant")
    citation_similarity: float = _share(0.7, "a dangling anchor may be resolved by search above this similarity")
    outdated_days: int = _count(365, "an older source is flagged as outdated", 1)

    # Vector index
    hnsw_connections: int = _count(16, "links of a point in the upper layers of the graph", 2)
    hnsw_base_connections: int = _count(32, "links of a point in the lowest layer", 2)
    hnsw_build_effort: int = _count(200, "candidates looked at while inserting", 1)
    hnsw_search_effort: int = _count(52, "candidates looked at while searching", 1)
    fusion_constant: int = _count(60, "k of reciprocal rank fusion: the usual value, flat from 20 to 100", 1)
    edges_per_entry: int = _count(16, "typed edges kept for a passage")
    duplicate_similarity: float = _share(0.85, "MinHash similarity from which passages are near-duplicates")
    consolidate_every: int = _count(10_000, "insertions between two consolidations", 1)
    memory_limit: int = _count(2_500_000, "entries above which the least valuable are evicted", 1)

    # Judging
    unsure_low: float = _share(0.3, "below this the next, dearer judge cannot change the outcome")
    unsure_high: float = _share(0.9, "above this the next, dearer judge is not worth its time")
    refute_probability: float = _share(
        0.0, "a refutation less likely than this settles nothing, beyond what the model's calibration asks"
    )
    conflict_probability: float = _share(
        0.85, "a single source at least this sure for, and another against, are sources that disagree"
    )
    conflict_order: str = _choice(
        "role,date,count",
        ("role,date,count", "date,count", "role,count", "count"),
        "what decides between sources that disagree: the better role, then the later date, then how many say so",
    )
    grounding_confidence: float = _share(
        0.5, "support less likely than this is not support: the claim counts as not settled, whatever the judge"
    )
    threads: int = _count(2, "threads of one model session", 1)
    reading_tokens: int = _count(
        128, "evidence in one reading of the encoder: 96 loses facts, 200 costs twice as much", 32
    )
    max_ms: float = _amount(0, "time budget for one answer; 0 means none")
    max_usd: float = _amount(0, "money budget for one answer; 0 means nothing may be spent")
    explanation_max_tokens: int = _count(128, "an explanation longer than this is not read", 8)
    calibration: str = _text("", "a file of `assay calibrate`: probabilities and cut-offs fitted to your own labels")
    calibration_risk: float = _share(0.05, "share of passed claims that may be wrong, promised by the abstain cut-off")
    calibration_confidence: float = _share(0.9, "how sure that promise is: it fails in one fitting of ten at most")
    calibration_kind_labels: int = _count(30, "labels from which a document kind gets a threshold of its own", 2)

    # Action
    halt_confidence: float = _share(0.7, "a refutation at least this sure halts or branches")
    low_confidence: float = _share(0.6, "support below this is marked as low confidence")
    max_branches: int = _count(3, "attempts at a better answer before abstaining")

    # Views
    ledger_supported: float = _share(0.8, "full support above this is 'supported' in the ledger")
    ledger_weak: float = _share(0.5, "full support from here up is 'weak' in the ledger")

    # Confidence of a judge that names only a level
    level_full: float = _share(0.85, "confidence of FULL: a language model is right about it that often, no more")
    level_partial: float = _share(0.6, "confidence of PARTIAL: something of the claim stands in the source")
    level_further_source: float = _share(0.05, "added for each further source that says the same")
    level_most_sources: int = _count(3, "further sources counted: beyond these they mostly copy each other")
    level_close: float = _share(0.85, "average similarity of the sources from which they clearly speak of the claim")
    level_close_bonus: float = _share(0.05, "added when they do")
    level_inferred: float = _share(0.1, "taken off when the claim is not stated but has to be inferred")

    # Gates
    coverage_floor: float = _share(0.85, "ledger coverage below this asks for a revision")
    unsupported_ceiling: float = _share(0.05, "an unsupported rate above this is marked clearly")

    # Claim lattice
    lattice_coverage: float = _share(0.30, "share of a claim's content words the cited text must hold")
    lattice_short_claim: int = _count(3, "a claim of up to this many content words needs only one of them")
    lattice_min_content: int = _count(2, "fewer content words than this are not a claim")
    lattice_max_pointers: int = _count(2, "pointers kept for a claim: more is citing everything", 1)
    lattice_max_claims: int = _count(12, "more claims than this in one answer is a warning", 1)
    lazy_anchor_share: float = _share(0.5, "one pointer carrying this share of the pairs is a lazy anchor")
    lazy_anchor_pairs: int = _count(3, "pairs from which a lazy anchor can be told", 1)
    lattice_skip: str = _text("", "checks of the lattice to leave out, by name: TITLE_MISMATCH,DEFLECTION_DETECTED")
    subject_tokens: int = _count(
        3, "shared question words that must not all be missing from the cited text; 0: no such check"
    )
    collapse_lines: int = _count(5, "untagged long lines from which the citing format counts as abandoned", 1)
    collapse_line_chars: int = _count(20, "a line longer than this counts towards format collapse")

    # Monitors
    monitor_window: int = _count(100, "outputs over which rates are watched", 1)
    degenerate_supported: float = _share(0.99, "a higher SUPPORTED rate means the verifier says yes to everything")
    excessive_refuted: float = _share(0.5, "a higher REFUTED rate raises the halt threshold")
    raised_halt_confidence: float = _share(0.9, "the halt threshold while refutations are excessive")
    verification_timeout_ms: float = _amount(1000, "time for one claim before its check is skipped as too slow")
    cache_claims: int = _count(100, "judgements kept in memory")

    # Inline
    inline_every_tokens: int = _count(32, "tokens between two checks of a stream", 1)
    release: str = _choice("stream", ("stream", "hold"), "show tokens at once, or only after they are verified")
    inline_wait_ms: float = _amount(2000, "how long the first token of a sentence waits for the check of the last one")
    inline_stall_s: float = _amount(120, "a stream silent for this long has stalled and is given up; 0 means never")

    # Epistemic checks
    support_threshold: float = _share(0.7, "support below this is flagged")
    dependence_threshold: float = _share(0.3, "an answer depending less than this on its evidence is flagged")
    gap_threshold_bits: float = _amount(2.0, "a larger gap between claimed and shown support is flagged")
    gap_cap_bits: float = _amount(10.0, "the gap of a phantom citation, and the largest reported")
    target_confidence: float = _share(0.95, "how sure a claim is taken to claim to be")
    similarity_low: float = _share(0.4, "below this two texts are taken as different without asking a judge")
    similarity_high: float = _share(0.7, "above this two texts are taken as the same without asking a judge")
    max_claims_per_response: int = _count(10, "claims given to a paid judge for one answer", 1)
    sample_rate: float = _share(0.3, "share of minor claims checked in sample mode")
    skip_chars: int = _count(100, "a shorter answer is not worth an epistemic check")
    epistemic_cost_share: float = _share(0.1, "an epistemic check may cost this share of the answer it checks")

    # Repair and retention
    max_retries: int = _count(2, "regenerations asked for by the checkpoint")
    repair_confidence: float = _share(0.7, "an answer less sure than this gets corrective retrieval")
    retention_days: int = _count(90, "days an audit record is kept", 1)
    log_results: int = _count(10_000, "results the verification log holds at hand", 1)
    replay_tolerance: float = _share(1e-4, "a confidence that moved less than this is the same: processors round apart")
    repair_attempts: int = _count(8, "attempts of one repair: each strategy once, and all branches")
    repair_usd: float = _amount(0.10, "money one repair may spend on a generator")
    repair_patience: int = _count(2, "attempts without improvement after which a repair only branches", 1)
    branch_limit: int = _count(3, "times a repair generates the whole answer again")
    retrieve_limit: int = _count(2, "times a repair looks for further evidence")
    retrieve_queries: int = _count(3, "queries of one search for further evidence: the claims most in need", 1)
    revise_limit: int = _count(2, "times a repair has the answer revised claim by claim")
    refocus_limit: int = _count(2, "times a repair asks again with the flagged claims in front")

    # Generators
    generator_timeout_s: float = _amount(60, "seconds a generator may be silent, and those of one request", 0.1)
    generator_retries: int = _count(3, "times a hosted generator is tried again, with back-off")
    local_context_tokens: int = _count(4096, "context of a model in this process: more takes more memory", 256)
    writer_passages: int = _count(5, "passages a writer is shown: more costs, and drowns the one that matters", 1)
    writer_passage_tokens: int = _count(200, "words of a passage that a writer is shown", 16)
    writer_max_tokens: int = _count(256, "tokens of one draft", 16)
    judge_parallel: int = _count(4, "claims a language model judges at the same time", 1)
    extractive_sentences: int = _count(
        3, "sentences the extractive writer quotes: a question of two steps needs two", 1
    )
    extractive_share: float = _share(0.15, "share of the question a sentence must hold itself to be quoted")
    extractive_coverage: float = _share(
        0.75, "share of a question without names that the quotes must hold, else nothing is said"
    )
    extractive_likelihood: float = _share(
        0.5, "how likely quotes must answer a question that names something; costs a tenth of the answers"
    )
    answer_coverage: float = _share(0.5, "share of the question that an answer and the passages behind it must hold")

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
            values |= {name: value for name, value in table.items() if name not in _OTHER_SECTIONS}
        values |= _read_env(os.environ if env is None else env)
        values |= {name: value for name, value in overrides.items() if value is not None}
        return (base or cls()).but(**values)

    def but(self, **changes: Any) -> Policy:
        """This policy with some fields changed; unknown fields and bad values are refused by name."""
        known = {spec.name: type(spec.default) for spec in fields(self)}
        unknown = sorted(set(changes) - set(known))
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
    known = {spec.name for spec in fields(Policy)}
    found = {key.removeprefix(ENV_PREFIX).lower(): value for key, value in env.items() if key.startswith(ENV_PREFIX)}
    return {name: value for name, value in found.items() if name in known}
