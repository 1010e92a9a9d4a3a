"""A confidence for judges that name only a level: FULL, PARTIAL, NONE or CONTRADICTED."""

from __future__ import annotations

from collections.abc import Sequence

from assay.policy import Policy
from assay.types import Support


def level_confidence(
    support: Support | str, similarities: Sequence[float] = (), *, inferred: bool = False, policy: Policy | None = None
) -> float:
    """How sure a level is, given the similarity of each source that shows it.

    A contradiction counts like full support: both are a definite reading of the source. Nothing found is 0, whatever
    was looked at.

    >>> level_confidence("full", [0.9])
    0.9
    >>> level_confidence("partial", [0.5, 0.5, 0.5], inferred=True)
    0.6
    """
    rules = policy or Policy()
    level = Support(support)
    if level is Support.NONE:
        return 0.0
    value = rules.level_partial if level is Support.PARTIAL else rules.level_full
    further = min(max(len(similarities) - 1, 0), rules.level_most_sources)
    value += rules.level_further_source * further
    if similarities and sum(similarities) / len(similarities) > rules.level_close:
        value += rules.level_close_bonus
    if inferred:
        value -= rules.level_inferred
    return round(min(max(value, 0.0), 1.0), 6)
