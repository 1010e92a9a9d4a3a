"""Pairs that differ by one side of an "or", which no rule can label.

ConjNLI's training rows were labelled by rule: whatever is left out is supported, whatever is added is unknown. The
people who labelled its dev rows were of two minds about "or": "obtained by birth or naturalisation" supports "obtained
by birth", "built as a palace or a kiosk" does not support "built as a palace". Such rows teach that both may be.
"""

from __future__ import annotations

import re
from dataclasses import replace

from training.rows import INSUFFICIENT, SUPPORTED, UNDECIDED, Row

OR = re.compile(r"\bor\b", re.I)
DENIAL = re.compile(r"\b(?:not|no|never|neither|nor|without|none)\b|n't\b", re.I)


def in_doubt(row: Row) -> Row:
    """The row, with its label taken back where a rule has given it for one side of an "or".

    >>> in_doubt(Row("It is a palace or a kiosk.", "It is a palace.", "SUPPORTED", "conjnli")).label
    'UNDECIDED'
    >>> in_doubt(Row("He did not win or lose.", "He did not win.", "SUPPORTED", "conjnli")).label
    'SUPPORTED'
    """
    if DENIAL.search(row.premise):  # who denies both denies each
        return row
    before, after = bool(OR.search(row.premise)), bool(OR.search(row.hypothesis))
    left_out = before and not after and row.label == SUPPORTED
    added = after and not before and row.label == INSUFFICIENT
    return replace(row, label=UNDECIDED) if left_out or added else row
