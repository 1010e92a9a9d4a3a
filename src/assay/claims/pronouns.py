"""Claims that point back: "It", "She", "This treaty", "The latter"."""

from __future__ import annotations

import re

_POINTING = re.compile(
    r"[*_\"“( ]*(?:(?:however|also|moreover|then|later|in addition|additionally|furthermore|therefore),?\s+)?"
    r"(?:it|its|he|his|she|her|hers|they|them|their|theirs|this|these|that|those|such|both|the\s+(?:latter|former|same))\b"
    r"(?!\s+is\s+(?:true|known)\s+that)",
    re.IGNORECASE,
)


def leads_with_pronoun(text: str) -> bool:
    """Whether a claim opens with a word that only an earlier sentence explains."""
    return _POINTING.match(text) is not None
