"""What a claim copied wrongly: a number or name that its evidence does not have, the opposite of one of its words."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import combining, normalize

from assay.lexical.agreement import opposite_words
from assay.lexical.comparison import names_of
from assay.lexical.numbers import NumberStatus, prove_numbers
from assay.policy import Policy
from assay.text.comparable import words_of
from assay.text.tokens import stem
from assay.types import Document, Evidence

_STROKES = str.maketrans({"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "Ae"})


def find_miscopied(claim: str, documents: Sequence[Document], quotes: Sequence[Evidence], policy: Policy) -> str | None:
    """Why a word or value of the claim cannot have come from the documents, or None.

    A judge of meaning reads over a changed digit; what was copied from the evidence must stand in it.
    """
    text = "\n\n".join(
        f"{document.title}\n\n{document.text}" if document.title else document.text for document in documents
    )
    proof = prove_numbers(
        claim, text, tolerance=policy.rounding_tolerance, same_thing_overlap=policy.same_thing_overlap
    )
    wrong = [
        check
        for check in proof.checks
        if check.status in (NumberStatus.DIFFERENT, NumberStatus.ABSENT) and check.claimed.text.lower() != "one"
    ]
    if wrong:  # "one" is an article more often than a number
        return proof.explanation
    for item in quotes:
        if pair := opposite_words(claim, item.quote):
            return f"The evidence says “{pair[1]}”, the claim “{pair[0]}”."
    known = set(map(stem, words_of(text))) | set(map(stem, words_of(_plain(text))))
    first = {stem(word) for word in words_of(claim)[:1]}  # a capital there says nothing
    missing = sorted(names_of(_plain(claim)) - known - first)
    if missing:
        named = next((word for word in words_of(_plain(claim)) if stem(word) == missing[0]), missing[0])
        return f"The evidence does not mention “{named.capitalize()}”."
    return None


def _plain(text: str) -> str:
    """Letters without their accents: "Bolesław" and "Boleslaw" are one name."""
    parts = normalize("NFD", text.translate(_STROKES))
    return "".join(letter for letter in parts if not combining(letter))
