"""A claim as a sentence of its own, for a model that has not read the sentence before."""

from __future__ import annotations

import re

from assay.types import Claim

_POINTING = re.compile(r"(it|he|she|they|this|its|his|her|their)\b\s*", re.IGNORECASE)
_POSSESSIVE = frozenset({"its", "his", "her", "their"})
_NAME = re.compile(r"(?:[A-Z][\w’'.-]*\w|[A-Z])(?:\s+(?:(?:of|de|the|van|von|and|&)\s+)?[A-Z][\w’'.-]*\w)*")
_OPENING = re.compile(
    r"(?:the|a|an|in|on|at|by|for|from|after|before|during|since|based|according|however|also|moreover|when|while|as|it|he"
    r"|she|they|this|these|that|its|his|her|their)\b",
    re.IGNORECASE,
)


def self_standing(claim: Claim) -> str:
    """The claim with the name its first pronoun points back to, where the sentence before gives one.

    >>> from assay.types import Span
    >>> self_standing(Claim("It opened in 1889.", (Span(0, 18),), context="The Eiffel Tower stands in Paris."))
    'Eiffel Tower opened in 1889.'
    """
    pointing = _POINTING.match(claim.text)
    name = _first_name(claim.context) if claim.context and pointing else ""
    if not pointing or not name:
        return claim.text
    if pointing[1].lower() in _POSSESSIVE:
        name += "’" if name.endswith("s") else "’s"
    elif pointing[1].lower() == "this" and re.match(r"[a-z]", claim.text[pointing.end() :]) is None:
        return claim.text
    elif pointing[1].lower() == "this" and not re.match(
        r"(?:is|was|has|had|made|led|will|can)\b", claim.text[pointing.end() :]
    ):
        return claim.text  # "This treaty …" names what it speaks of
    return f"{name} {claim.text[pointing.end() :]}"


def _first_name(context: str) -> str:
    for match in _NAME.finditer(context):
        name = match.group()
        while opening := _OPENING.match(name):  # "In Paris" at the start of a sentence
            name = name[opening.end() :].lstrip()
        if name and not name.isdigit():
            return name
    return ""
