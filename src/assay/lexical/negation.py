"""Whether a source denies the words found in it: "It is false that …", "Critics wrongly claim …", "does not cure"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from assay.claims import extract_claims
from assay.confusables import as_seen
from assay.text.comparable import is_number, words_of
from assay.text.tokens import STOP_WORDS, stem
from assay.text.words import words
from assay.types import Span

_BETWEEN = 8  # words that may stand between a denial and what it denies
_LONGEST = 4_000  # characters of a sentence that are compared
_REACH = 300  # characters of the same sentence that can deny what follows or precedes

_FALSE = r"(?:false|untrue|incorrect|wrong|mistaken|inaccurate|misleading|unlikely|not\s+(?:true|correct|the\s+case))"
_MYTH = (
    r"(?:myths?|misconceptions?|fallac(?:y|ies)|hoax(?:es)?|falsehoods?|lies?|rumou?rs?|legends?"
    r"|conspiracy\s+theor(?:y|ies)|false\s+(?:claims?|beliefs?|ideas?)|debunked\s+(?:claims?|ideas?))"
)
_WRONGLY = r"(?:wrongly|falsely|incorrectly|mistakenly|erroneously|baselessly|inaccurately|wrongfully)"
_NOTION = r"(?:claims?|idea|notion|belief|suggestion|assertion|allegations?|theory|view|statement|reports?|hypothesis)"
_DENY = (
    r"(?:den(?:y|ies|ied|ying)|refut(?:e|es|ed|ing)|reject(?:s|ed|ing)?|disprov(?:e|es|ed|ing)|debunk(?:s|ed|ing)?"
    r"|disput(?:e|es|ed|ing)|doubt(?:s|ed|ing)?)"
)

# Each pattern is tried on the words of the sentence before the match; "that" must open the part the match stands in.
_BEFORE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bit(?:\s+is|\s+was|['’]s|\s+would\s+be|\s+has\s+been)\s+(?:\w+\s+)?{_FALSE}\s+(?:to\s+\w+\s+)?that\b",
        rf"\bit(?:\s+is|\s+was|['’]s)\s+(?:\w+\s+)?(?:an?|the)\s+(?:\w+\s+){{0,2}}{_MYTH}\s+that\b",
        rf"\b(?:an?|the|this|that|popular|common|old)\s+(?:\w+\s+){{0,2}}{_MYTH}\s+(?:is\s+)?that\b",
        rf"\b{_WRONGLY}\s+\w+(?:\s+\w+){{0,3}}(?:\s+that\b|[,:]?\s*$)",
        rf"\b\w+(?:ed|s)?\s+{_WRONGLY}\s+that\b",
        r"\bcontrary\s+to\s+(?:the\s+|a\s+|some\s+|popular\s+|common\s+)*\w+\s+(?:\w+\s+)?that\b",
        r"\b(?:no|little|insufficient|scant)\s+(?:\w+\s+){0,2}(?:evidence|proof|indication|support|basis|reason|sign)\s+(?:that|for|of|to\s+\w+)\b",
        rf"\b{_DENY}\s+(?:\w+\s+){{0,2}}?(?:(?:the|any)\s+{_NOTION}\s+)?(?:that|whether)\b",
        rf"\b{_DENY}\s+(?:having|being|any)\b",
        r"\b(?:does|do|did)(?:\s+not|n['’]t)\s+(?:mean|show|prove|imply|suggest|follow|say|believe|claim|think)\s+(?:that\b)?",
        r"\b(?:is|are|was|were)(?:\s+not|n['’]t)\s+(?:true|the\s+case|correct|clear|proven)\s+that\b",
        r"\b(?:lied|lies|lying)\s+(?:\w+\s+){0,5}that\b",
        rf"\b(?:false|bogus|fake|fabricated|invented|discredited|debunked|baseless)\s+{_NOTION}\s+that\b",
    )
)
# Directly before the match, with at most one word between: "not [effective]", "never [has cured]", "isn't [really] …".
_DIRECT = re.compile(
    r"(?:\b(?:not|never|cannot|nor|neither|no|without)|n['’]t)\s+(?:(?!only|just|merely|but\b)\w+\s+)?[\"“'‘(]?\Z",
    re.IGNORECASE,
)
_NOT_ONLY = re.compile(r"\b(?:not|n['’]t)\s+(?:only|just|merely|simply|least)\b", re.IGNORECASE)
_CANCELS = re.compile(r"(?:\b(?:not|never|cannot|hardly|no|neither|without)|n['’]t)\s+(?:\w+\s+){0,3}\Z", re.IGNORECASE)
_AFTER = re.compile(
    rf"[\"”'’)]?[,]?\s*(?:(?:\b(?:which|that|this)\s+)?(?:is|are|was|were|has\s+been|have\s+been|proved|turned\s+out\s+to\s+be)\s+"
    rf"(?:\w+\s+)?(?:{_FALSE}|debunked|disproved|disproven|refuted|(?:an?\s+)?(?:\w+\s+)?{_MYTH})\b|not\b(?!\s+(?:only|just|merely|least)\b))",
    re.IGNORECASE,
)
_MYTH_END = re.compile(
    rf"\b(?:is|are|was|were)\s+(?:\w+\s+)?(?:an?|the)\s+(?:\w+\s+)?{_MYTH}\s*+[.!]?+\s*+\Z", re.IGNORECASE
)
_DOUBLED = re.compile(
    rf"(?:\bnot|n['’]t|\bnever|\bno)\s+(?:\w+\s+)?(?:{_DENY}|false|untrue|incorrect|wrong|mistaken|unlikely"
    rf"|(?:\w+\s+)?{_MYTH})\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…。！？][\"”’')\]]*(?=\s)|\n\s*\n|\n(?=\s*[-*•#|])")
_TURN = re.compile(r";|\bbut\b|\bhowever\b|\balthough\b|\bwhereas\b|\bin\s+fact\b|\bactually\b", re.IGNORECASE)


def negated_around(text: str, span: Span) -> str | None:
    """The words of the same sentence that deny `text[span.start:span.end]`, or None.

    >>> text = "Critics wrongly claim that the earth is flat."
    >>> negated_around(text, Span(26, 43))
    'wrongly claim that'
    """
    before = _sentence_before(text, span.start)
    after = as_seen(text[span.end : span.end + _REACH])
    if direct := _DIRECT.search(before):
        cancelled = _CANCELS.search(before[: direct.start()] + " ")
        if not cancelled and not _NOT_ONLY.search(before[direct.start() :] + span.of(text)[:20]):
            return direct.group().strip(" \"“'‘(\n")
    for match in find_denials(before):
        if not _TURN.search(before, match.end()) and len(before[match.end() :].split()) <= _BETWEEN:
            return " ".join(match.group().split())
    if trailing := _AFTER.match(after):
        return " ".join(trailing.group().strip(" ,\"”'’)").split())
    return None


def _sentence_before(text: str, start: int) -> str:
    head = as_seen(text[max(0, start - _REACH) : start])
    ends = [match.end() for match in _SENTENCE_END.finditer(head)]
    return head[ends[-1] :] if ends else head


def find_denial(sentence: str) -> str | None:
    """The words with which a sentence denies what it goes on to say ("There is no evidence that …"), or None.

    >>> find_denial("Doctors say it is a myth that carrots sharpen the eyes.")
    'it is a myth that'
    """
    head = sentence[:_LONGEST]
    if match := next(find_denials(head), None) or _MYTH_END.search(head):
        return " ".join(match.group().split())
    return None


def find_denials(text: str) -> Iterator[re.Match[str]]:
    """Denials that are not denied themselves: "It is not false that" and "did not deny that" affirm."""
    for pattern in _BEFORE:
        for match in pattern.finditer(text):
            if not _CANCELS.search(text[max(0, match.start() - 60) : match.start()] + " ") and not _DOUBLED.search(
                match.group()
            ):
                yield match


_NEGATORS = words("not never no cannot without neither nor none nobody nothing nowhere hardly scarcely barely")
_FAILING = words(
    "fail fails failed failing lack lacks lacked unable refused refuses refuse false untrue wrongly falsely"
)
_CONTRACTION = re.compile(r"\b(\w+)n['’]t\b", re.IGNORECASE)
_HARMLESS = re.compile(
    r"\bnot\s+(?:only|just|merely|simply|least)\b|\bno\s+(?:doubt|matter|fewer|less|more|later|sooner|wonder)\b|\bwithout\s+(?:a\s+)?doubt\b|\bno\.\s?(?=\d)",
    re.IGNORECASE,
)
_UNPROVEN = re.compile(
    r"\b(?:no|little|without|not\s+any|insufficient)\s+(?:\w+\s+){0,2}(?:evidence|proof|indication|reason|basis|sign)\b"
    r"|\bnot\s+(?:prove|show|mean|imply|clear|known|certain)\w*\b|\b(?:doubt|disput|deni)\w*\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;:—–()]|,(?!\d)|\s-\s|\b(?:and|but|while|whereas|although|though|because|since)\b", re.IGNORECASE
)
_SHARED = 0.8  # of the words, both ways: "does not cure colds in old men" does not deny "cures colds"


@lru_cache(maxsize=1024)  # a claim is held against many sentences
def negators(text: str) -> tuple[str, ...]:
    """The negating words of a text, without those that negate nothing ("not only", "no doubt")."""
    plain = _CONTRACTION.sub(r"\1 not", _HARMLESS.sub(" ", text))
    return tuple(word for word in words_of(plain) if word in _NEGATORS or word in _FAILING)


def is_negative(text: str) -> bool:
    """Whether a text denies something; two negations make none."""
    return len(negators(text)) % 2 == 1


def negation_conflict(claim: str, sentence: str) -> str | None:
    """The words that negate one of two texts which otherwise say the same, or None.

    >>> negation_conflict("Vitamin C cures colds.", "Vitamin C does not cure colds.")
    'not'
    """
    ours = _substance(claim)
    if len(ours) < 2:
        return None
    claimed = negators(claim)
    parts = [(negators(part), _substance(part)) for part in _clauses(claim)]
    conflict = None
    for clause in _clauses(sentence[:_LONGEST]):
        if _UNPROVEN.search(clause):
            continue  # "no evidence that it helps" does not say that it does not help
        stated, theirs = negators(clause), _substance(clause)
        if not _same(ours, theirs):
            continue
        if any(len(signs) % 2 == len(stated) % 2 and _same(said, theirs) for signs, said in parts):
            return None  # "is not hot, and is not hotter" says one of its halves again, whatever the sum of its signs
        conflict = conflict or " ".join(stated or claimed)
    return conflict if conflict and not _is_own_clause(claim, sentence[:_LONGEST]) else None


def _is_own_clause(claim: str, sentence: str) -> bool:
    """Whether a claim is one clause of a compound sentence, word for word: what another clause denies is not this."""
    said, clauses = words_of(claim), extract_claims(sentence)
    return len(clauses) > 1 and any(words_of(clause.text) == said for clause in clauses)


def _clauses(sentence: str) -> list[str]:
    """The sentence, and each of its clauses alone."""
    parts = [part for part in _CLAUSE.split(sentence) if part and not part.isspace()]
    return [sentence, *parts] if 1 < len(parts) <= 40 else [sentence]


def _substance(text: str) -> list[str]:
    """What a text is about: the stems of its words that are neither stop words nor negations; numbers as they are."""
    plain = _CONTRACTION.sub(r"\1", text)
    return [
        word if is_number(word) else stem(word)
        for word in words_of(plain)
        if word not in STOP_WORDS
        and word not in _NEGATORS
        and word not in _FAILING
        and (len(word) > 1 or is_number(word))
    ]


def _same(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether almost all words are shared both ways, and all numbers."""
    left, right = set(ours), set(theirs)
    shared = left & right
    if {word for word in left ^ right if is_number(word)} or not left or not right:
        return False
    return min(len(shared) / len(left), len(shared) / len(right)) >= _SHARED
