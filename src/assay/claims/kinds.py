"""What sort of statement a claim is, and how much the answer hangs on it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.text.numerals import MAGNITUDES, ONES, TENS
from assay.text.tokens import content_words, is_stop_word, stem, tokenize
from assay.text.words import MONTH_PATTERN, WEEKDAYS, words
from assay.types import Importance, Kind

# A number that stands for itself: "12 %", "$3", "in 1990"; not the digits of "COVID-19", "B12" or "H2O".
_DIGITS = re.compile(r"(?<![\w-])\d|[½¼¾⅓⅔]")
_PLURALS = words("hundreds thousands millions billions trillions dozens")
_NUMBER_WORDS = frozenset(ONES | TENS | MAGNITUDES) - {"zero", "one"} | _PLURALS | {"twice", "half", "percent"}
_DEFINING = words("is are means refers refer stands denotes describes")
_DEFINITION = re.compile(
    r"\b(?:is|are)\s+(?:an?|defined\s+as|known\s+as|called|one\s+of|the\s+(?:term|name|process|study|practice|act)\b)\s"
    r"|\b(?:means|refers?\s+to|stands\s+for|denotes|is\s+short\s+for|describes\s+the)\b",
)
_RULING = words("""
    must shall should required require requires mandatory compulsory obligatory prohibited prohibits prohibit forbidden
    forbids forbid banned entitled eligible ineligible obliged obligated permitted allowed
""")
_POLICY = re.compile(
    r"\b(?:may\s+not|may\s+only|can\s?not\s+be|ha(?:s|ve)\s+to|needs?\s+to|(?:is|are)\s+to\s+be|subject\s+to)\b"
)
_STRESSING = words("""
    key primary primarily main mainly only always never most least first largest biggest smallest highest lowest best
    worst essential critical crucial major central principal chief leading sole solely every all none nobody fatal
    dangerous contraindicated guaranteed significant significantly important importantly
""")
_LETTERS = re.compile(r"[a-z]+")


def _is_numeric(text: str, listed: set[str]) -> bool:
    return _DIGITS.search(text) is not None or not _NUMBER_WORDS.isdisjoint(listed)


def kind_of(text: str) -> Kind:
    """Numeric before definition before policy before fact."""
    lowered = text.lower()
    listed = set(_LETTERS.findall(lowered))
    if _is_numeric(text, listed):
        return Kind.NUMERIC
    if not _DEFINING.isdisjoint(listed) and _DEFINITION.search(lowered):
        return Kind.DEFINITION
    if not _RULING.isdisjoint(listed) or _POLICY.search(lowered):
        return Kind.POLICY
    return Kind.FACT


def importance_of(text: str, kind: Kind, *, direct: bool) -> Importance:
    """Critical if it answers the question or gives a number, material if it rules or stresses, else minor."""
    if direct or kind is Kind.NUMERIC:
        return Importance.CRITICAL
    if kind is Kind.POLICY or not _STRESSING.isdisjoint(_LETTERS.findall(text.lower())):
        return Importance.MATERIAL
    return Importance.MINOR


_TIME = re.compile(
    rf"\d|\b(?:{MONTH_PATTERN}|{'|'.join(WEEKDAYS)}|century|today|yesterday|tomorrow|spring|summer|autumn|winter)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"\bhow\s+(?:many|much|long|old|far|tall|high|big|often|large|fast)\b", re.IGNORECASE)
_ASKING = words("who whom whose what which when where why how")
_SHORT_ANSWER = 4


@dataclass(frozen=True, slots=True)
class QuestionFocus:
    """What a question is about, and what its wh-word wants."""

    stems: frozenset[str]
    wants: str

    @classmethod
    def by(cls, question: str) -> QuestionFocus:
        listed = [token.text.lower() for token in tokenize(question)]
        wants = next((word for word in listed if word in _ASKING), "")
        if wants == "how" and _AMOUNT.search(question):
            wants = "number"
        about = (word for word in listed if len(word) > 2 and word not in _ASKING and not is_stop_word(word))
        return cls(frozenset(map(stem, about)), wants)

    def answered_by(self, text: str, *, first: bool) -> bool:
        """Whether a claim shares the question's words and gives what was asked; "Paris." may do so as the `first`."""
        tokens = tokenize(text)
        if not self._gives(text, [token.text for token in tokens]):
            return False
        if first and len(tokens) <= _SHORT_ANSWER:
            return True
        shared = self.stems.intersection(stem(token.text.lower()) for token in tokens)
        return bool(shared) and 2 * len(shared) >= len(self.stems)

    def _gives(self, text: str, listed: list[str]) -> bool:
        if self.wants in ("who", "whom", "whose", "where"):
            return any(word[0].isupper() and stem(word.lower()) not in self.stems for word in listed)
        if self.wants == "when":
            return bool(_TIME.search(text))
        if self.wants == "number":
            return _is_numeric(text, {word.lower() for word in listed})
        if self.wants:
            return any(stem(token.text.lower()) not in self.stems for token in content_words(text)) or any(
                word[0].isdigit() or word[0].isupper() for word in listed if stem(word.lower()) not in self.stems
            )
        return True
