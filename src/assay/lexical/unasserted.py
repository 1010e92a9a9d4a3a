"""Sentences of a source that do not assert the words in them: questions, suppositions, denied or retracted statements.

A claim whose words a source only asks, supposes or denies is not backed by it, and not contradicted either.

>>> text = "Are bats birds? Bats are mammals. The sky is green. This is false."
>>> [(item.reason, item.span.of(text)) for item in find_unasserted(text)]
[('asks this, it does not say it', 'Are bats birds?'), ('says that this is not so', 'The sky is green.')]
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assay.confusables import as_seen
from assay.lexical.negation import find_denials, is_negative, negation_conflict
from assay.text.comparable import stems_of, words_of
from assay.text.sentences import SentenceSpan, split_sentences
from assay.types import Span

ASKS = "asks this, it does not say it"
SUPPOSES = "only supposes this"
DENIES = "says that this is not so"
DOUBTS = "does not say that this is so"
SALAD = "has these words, but no sentence that says this"

CONCERNED = 0.6  # share of a claim's content words in an unasserted stretch from which the stretch is about the claim
SAME_WORDS = 0.8  # the share from which a sentence may be the claim out of order, or with a "not"
REPEATED = 0.8  # share of the words of a sentence that stand in it twice, from which it is none
_LONGEST = 2_000  # characters of a sentence that are looked at
_SALAD_WORDS = 5  # "Paris is the capital" and "the capital is Paris" say the same

_ASKED = re.compile(r"\?[\"”’)\]\s]*+\Z")
# "Why do bats fly at night?", "Did you know that bats are mammals?", "Bats are mammals, aren't they?" take it as given.
_TAKES_AS_GIVEN = re.compile(
    r"\W{0,3}+(?:(?:so|and|but)\s++)?(?:(?:who|what|when|where|why|how|which|whose|whom)\b(?!\s++(?:if|would|about)\b)"
    r"|did\s++you\s++know\b|have\s++you\s++(?:noticed|heard)\b)",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",\s++(?:is|are|was|were|do|does|did|has|have|had|can|could|wo|will|would|should)(?:n['’]t)?\s++"
    r"(?:it|they|he|she|we|you|there)\?\s*+\Z",
    re.IGNORECASE,
)
# Behind a question: an answer that is none without it.
_ANSWERS = re.compile(
    r"\W{0,3}+(?:yes|yep|correct|right|indeed|of\s++course|certainly|absolutely|sure|exactly|definitely|only|always|sometimes"
    r"|usually|generally|partly|mostly|true|they|it|he|she|you|we|this|that|these|there|by\s++default|depends|because|answer"
    r"|A\s*+[:.])(?!\w)",
    re.IGNORECASE,
)
_VERY = r"(?:(?:\w{2,20}ly|just|quite|later|also|now|since|long|all|known\s++to\s++be)\s++)?"
_UNTRUE = (
    rf"(?:{_VERY}(?:false|untrue|incorrect|inaccurate|nonsense|fabricated|made\s++up|unfounded|baseless|wrong|mistaken)"
    rf"|{_VERY}not\s++{_VERY}(?:true|correct|the\s++case|so|right|accurate)"
    r"|(?:an?|the)\s++(?:\w++\s++){0,2}?(?:lie|myth|hoax|falsehood|misconception|fabrication|rumou?r|fallacy))"
)
# "X. This is false.", "X. Wrong!", "Are bats birds? No."
_RETRACTS = re.compile(
    r"\W{0,3}+(?:(?:this|that|it|which|the\s++(?:claim|statement|story|report|rumou?r|sentence))"
    r"(?:\s++(?:claim|statement|story|report|rumou?r|idea|sentence|view))?"
    rf"\s*+(?:is|was|isn['’]t|wasn['’]t|has\s++been|turned\s++out\s++to\s++be|proved(?:\s++to\s++be)?|['’]s)\s++{_UNTRUE}"
    r"|(?:this|that|it)\s++(?:isn['’]t|wasn['’]t)\s++(?:true|correct|the\s++case|so)"
    r"|(?:wrong|false|untrue|not\s++true|not\s++so|incorrect|nonsense)\s*+(?:[.!]|\Z)|no\s*+[.!,])",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\W{0,5}+(?:(?:common|popular)\s++)?(?:myth|misconception|rumou?r|hoax|falsehood|fiction|false|fake|debunked|untrue)s?"
    r"(?:\s++(?:no\.?\s?+|#)?+\d++)?+\W{0,3}?(?:[:–—]|\s-\s|\Z)",
    re.IGNORECASE,
)
_NOTION_UNTRUE = re.compile(
    r"\b(?:claims?|idea|notion|belief|suggestion|assertion|allegations?|theory|view|statement|reports?|rumou?rs?|story)\s++"
    rf"that\s(?P<scope>[^;]{{3,300}}?)\s(?:is|are|was|were|has\s++been|have\s++been|proved|turned\s++out\s++to\s++be)\s++{_UNTRUE}\b",
    re.IGNORECASE,
)
_QUOTE_UNTRUE = re.compile(rf"[“\"](?P<scope>[^”\"]{{3,300}})[”\"]\s*+(?:is|was)\s++{_UNTRUE}\b", re.IGNORECASE)
_IS_MYTH = re.compile(rf"\s(?:is|are|was|were)\s++{_UNTRUE}\s*+[.!]?+\s*+\Z", re.IGNORECASE)
_SUPPOSING = re.compile(
    r"\W{0,3}+(?:(?:now|let\s++us|let['’]s|just)\s++)?(?:suppose\b|(?:imagine|pretend)\s++(?:that\b|if\b|for\b|a\b|an\b|the\b|(?-i:[a-z]))"
    r"|assume\s++(?:that|for)\b|what\s++if\b)",
    re.IGNORECASE,
)
_IF = re.compile(r"\bif\s(?P<scope>(?:[^,;]|,(?=\d)){3,300})(?:,|\sthen\b)", re.IGNORECASE)
_UNREAL = re.compile(r"\b(?:would|could\s++have|might\s++have)\b|['’]d\b", re.IGNORECASE)
_WHETHER = re.compile(r"\bwhether\s(?P<scope>(?:[^,;]|,(?=\d)){3,300})", re.IGNORECASE)
_DENIED_UNTIL = re.compile(
    r";|,?\s(?:but|however|although|whereas|when\s++in\s++fact|in\s++fact|actually|while|in\s++reality)\b|\s[–—]\s",
    re.IGNORECASE,
)
_CONTRARY = re.compile(r"contrary\b", re.IGNORECASE)
_UNPROVEN = re.compile(
    r"\b(?:evidence|proof|doubt\w*|disput\w*|den(?:y|ies|ied|ying)|reason|basis|sign|indication|support|clear|proven"
    r"|show|prove|mean|imply|suggest|follow|say|believe|claim|think|unlikely|contrary|any|having|being)\b",
    re.IGNORECASE,
)
# A claim that itself reports, asks, supposes or denies is backed by a sentence that does.
REPORTING = re.compile(
    r"\?|\b(?:whether|if|myths?|misconceptions?|rumou?rs?|hoax|believ\w+|claim(?:s|ed|ing)?|alleg\w+|assert\w*|suppos\w+|imagin\w+"
    r"|lied|lying|falsely|wrongly|false|untrue|wrong|incorrect|den(?:y|ies|ied)|question(?:s|ed)?|ask(?:s|ed|ing)?|wonder\w*"
    r"|unclear|unknown|uncertain|would|doubt\w*|disput\w+|debunk\w*|reject\w*|said|says?|according)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unasserted:
    """A stretch of a text that is not asserted there; `flat`: the text says that it is not so."""

    span: Span
    reason: str
    flat: bool = False


@lru_cache(maxsize=512)
def find_unasserted(text: str) -> tuple[Unasserted, ...]:
    """The stretches of a text that it does not assert, in order."""
    seen = as_seen(text)
    sentences = split_sentences(seen)
    found: list[Unasserted] = []
    for number, sentence in enumerate(sentences):
        before = _text(seen, sentences, number - 1)
        after = _text(seen, sentences, number + 1)
        found += _unasserted(sentence.span, sentence.span.of(seen)[:_LONGEST], before, after)
    return tuple(found)


def _text(text: str, sentences: Sequence[SentenceSpan], number: int) -> str:
    return sentences[number].span.of(text)[:_LONGEST] if 0 <= number < len(sentences) else ""


def _unasserted(span: Span, sentence: str, before: str, after: str) -> Iterator[Unasserted]:
    label = _LABEL.match(before) if before else None
    labelled = _LABEL.match(sentence) or (label and label.end() == len(before))
    if _repeats(sentence):
        yield Unasserted(span, SALAD)
    elif labelled or (_RETRACTS.match(after) and not _RETRACTS.match(sentence)):
        yield Unasserted(span, DENIES, flat=True)
    elif _SUPPOSING.match(sentence):
        yield Unasserted(span, SUPPOSES)
    elif _ASKED.search(sentence):
        if not (_TAKES_AS_GIVEN.match(sentence) or _TAG.search(sentence) or _ANSWERS.match(after)):
            yield Unasserted(span, ASKS)
    else:
        yield from _inside(span, sentence)


def _repeats(sentence: str) -> bool:
    """Whether nearly every word stands there more than once; rows of a table may be like that."""
    counts = Counter(words_of(sentence)) if "|" not in sentence else Counter()
    total = counts.total()
    return total > _SALAD_WORDS and sum(count for count in counts.values() if count > 1) >= REPEATED * total


def _inside(span: Span, sentence: str) -> Iterator[Unasserted]:
    """What a sentence reports in order to deny it, or supposes in order to conclude from it."""
    if match := _NOTION_UNTRUE.search(sentence) or _QUOTE_UNTRUE.search(sentence):
        yield Unasserted(_within(span, match.span("scope")), DENIES, flat=True)
    elif match := _IS_MYTH.search(sentence):
        if not _RETRACTS.match(sentence) and not is_negative(sentence[: match.start()]):
            yield Unasserted(_within(span, (0, match.start())), DENIES, flat=True)
    elif denial := next(find_denials(sentence), None):
        until = _DENIED_UNTIL.search(sentence, denial.end())
        end = until.start() if until else len(sentence)
        if _CONTRARY.match(denial.group()):  # "Contrary to the belief that X, Y": Y is asserted
            end = min(end, at) if (at := sentence.find(",", denial.end())) >= 0 else end
        flat = not _UNPROVEN.search(denial.group())
        yield Unasserted(_within(span, (denial.end(), end)), DENIES if flat else DOUBTS, flat)
    for match in _WHETHER.finditer(sentence):
        yield Unasserted(_within(span, match.span("scope")), ASKS)
    if (match := _IF.search(sentence)) and _UNREAL.search(sentence, match.end()):
        yield Unasserted(_within(span, match.span("scope")), SUPPOSES)


def _within(span: Span, part: tuple[int, int]) -> Span:
    return Span(span.start + part[0], span.start + part[1])


def concerning(claim: str, text: str) -> list[Unasserted]:
    """The stretches of a text that hold the words of a claim without asserting them; none if the claim reports, too.

    >>> [item.reason for item in concerning("Bats are birds.", "It is a myth that bats are birds.")]
    ['says that this is not so']
    """
    if REPORTING.search(claim):
        return []
    ours = frozenset(stems_of(claim))
    found = [item for item in find_unasserted(text) if _coverage(ours, item.span.of(text)) >= CONCERNED]
    if is_negative(claim):
        return found
    for span, stems in _sentence_stems(text):
        if len(ours & stems) < SAME_WORDS * len(ours) or any(item.span.overlaps(span) for item in found):
            continue
        if is_salad(claim, span.of(text)):
            found.append(Unasserted(span, SALAD))
        elif not REPORTING.search(span.of(text)) and negation_conflict(claim, span.of(text)):
            found.append(Unasserted(span, DENIES, flat=True))
    return found


@lru_cache(maxsize=512)
def _sentence_stems(text: str) -> tuple[tuple[Span, frozenset[str]], ...]:
    spans = [sentence.span for sentence in split_sentences(text) if len(sentence.span) <= _LONGEST]
    return tuple((span, frozenset(stems_of(span.of(text)))) for span in spans)


def holds_whole_claim(claim: str, stretch: str) -> bool:
    """Whether a stretch has every content word and every number of a claim."""
    return _coverage(frozenset(stems_of(claim)), stretch) == 1.0


def _coverage(ours: frozenset[str], stretch: str) -> float:
    """The share of the words that a stretch has."""
    return len(ours & frozenset(stems_of(stretch))) / len(ours) if ours else 0.0


def is_salad(claim: str, sentence: str) -> bool:
    """Whether a sentence is nothing but the words of a claim, out of order.

    >>> is_salad("Bats are birds.", "birds Bats are are birds Bats"), is_salad("Bats are birds.", "Bats are birds.")
    (True, False)
    """
    ours, theirs = words_of(claim), words_of(sentence)
    if len(theirs) < _SALAD_WORDS or not frozenset(stems_of(claim)) <= frozenset(stems_of(sentence)):
        return False
    known = frozenset(ours)
    if sum(word in known for word in theirs) < 0.9 * len(theirs):
        return False
    pairs = frozenset(pairwise(ours))
    in_order = sum(pair in pairs for pair in pairwise(theirs)) / (len(theirs) - 1)
    repeats = len(theirs) > len(ours)
    return in_order < (0.67 if repeats else 0.34)
