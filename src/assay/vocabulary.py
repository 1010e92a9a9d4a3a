"""The words that findings are made of: one enum each, spelled once."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """What the evidence says about a claim; every other vocabulary is a view of this one."""

    SUPPORTED = "SUPPORTED"
    REFUTED = "REFUTED"
    INSUFFICIENT = "INSUFFICIENT"
    NOT_CHECKABLE = "NOT_CHECKABLE"
    ERROR = "ERROR"


class Support(StrEnum):
    """How much of a claim its evidence carries."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"
    CONTRADICTED = "contradicted"


class Action(StrEnum):
    """What to do about a claim or an answer."""

    CONTINUE = "CONTINUE"
    BRANCH = "BRANCH"
    HALT = "HALT"
    ABSTAIN = "ABSTAIN"


class Kind(StrEnum):
    """What sort of statement a claim is."""

    NUMERIC = "numeric"
    DEFINITION = "definition"
    POLICY = "policy"
    FACT = "fact"


class Importance(StrEnum):
    """How much the answer hangs on a claim: critical must be cited, material should be, minor may be."""

    CRITICAL = "critical"
    MATERIAL = "material"
    MINOR = "minor"


class Stance(StrEnum):
    """What one piece of evidence does to one claim."""

    SUPPORTS = "supports"
    REFUTES = "refutes"
    NEUTRAL = "neutral"


class AuditMode(StrEnum):
    """How much of an answer is verified: every unit, some, or none."""

    STRICT = "STRICT"
    HYBRID = "HYBRID"
    UNGROUNDED = "UNGROUNDED"
