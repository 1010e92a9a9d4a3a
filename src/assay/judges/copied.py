"""A claim that a source states in the claim's own words: as a whole sentence, or as a clause that stands for itself.

The claim extraction takes sentences of a source apart in the same way as those of an answer, so the two halves of
"The museum opens at ten and closes at six." are found again. A half is taken only where nothing else in the sentence
may limit it.

>>> asserted_clauses("The museum opens at ten and closes at six.")
('The museum opens at ten', 'The museum closes at six')
>>> asserted_clauses("The museum opens at ten and closes at six for members.")
('The museum closes at six for members',)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.claims import extract_claims, grammar
from assay.claims.scope import GOVERNING
from assay.lexical.negation import negators
from assay.lexical.unasserted import REPORTING
from assay.text.comparable import words_of
from assay.text.words import words as word_list
from assay.types import Claim

if TYPE_CHECKING:
    from assay.encoder.verifier import PointedSentence

_LONGEST = 1_000  # characters of a sentence that is taken apart
_APART = re.compile(r"[()\[\]{}\"“”«»:–—…]|\s-\s")  # what stands apart from the clauses may speak of each of them
# Words that reach over a clause and beyond it: conditions, reports, plans, alternatives, contrasts.
_REACHING = (
    grammar.BINDERS
    | grammar.REPORTS
    | grammar.LIMITING
    | grammar.PAIRING
    | grammar.ADVERBS
    | word_list("""
        or but yet except perhaps maybe seem seems seemed appear appears appeared plan plans planned propose proposes
        proposed intend intends intended aim aims aimed expect expects expected hope hopes hoped try tries tried
    """)
)
_ADDED = grammar.PREPOSITIONS | {","}
_ADDING = re.compile(r"[^\W\d_]+|,(?!\d)")


def find_copied(forms: Sequence[str], sentences: Sequence[PointedSentence]) -> PointedSentence | None:
    """The sentence that states a claim, in one of its forms, word for word: with nothing else, else in a clause."""
    said, read = _comparable(forms), _read(sentences)
    whole = (sentence for sentence, text in read if any(_is_whole(words, text) for words in said))
    parts = (sentence for sentence, text in read if any(_is_among(words, text, asserted_clauses) for words in said))
    return next(whole, None) or next(parts, None)


def find_limited(forms: Sequence[str], sentences: Sequence[PointedSentence]) -> PointedSentence | None:
    """The sentence of which a claim is one clause, word for word, whatever the rest does to it."""
    said = _comparable(forms)
    return next((s for s, text in _read(sentences) if any(_is_among(words, text, own_clauses) for words in said)), None)


def _comparable(forms: Sequence[str]) -> list[list[str]]:
    return [words for form in forms if (words := words_of(form))]


def _read(sentences: Sequence[PointedSentence]) -> list[tuple[PointedSentence, str]]:
    return [(sentence, sentence.span.of(sentence.document.text)) for sentence in sentences]


def _is_whole(said: list[str], sentence: str) -> bool:
    """Whether these are the words of a sentence, with its marks ("[Fees](fees.md)", "2.") or as claims are read."""
    return words_of(sentence) == said or _is_among(said, sentence, _read_whole)


def _read_whole(sentence: str) -> tuple[str, ...]:
    claims = _claims_of(sentence)
    return (claims[0].text,) if len(claims) == 1 else ()


@lru_cache(maxsize=512)
def _claims_of(sentence: str) -> tuple[Claim, ...]:
    return tuple(extract_claims(sentence))


def _is_among(said: list[str], sentence: str, clauses: Callable[[str], Sequence[str]]) -> bool:
    if len(sentence) > _LONGEST or not frozenset(said) < frozenset(words_of(sentence)):
        return False
    return any(words_of(clause) == said for clause in clauses(sentence))


def own_clauses(sentence: str) -> tuple[str, ...]:
    """The claims of a compound sentence, with the subject they share; none of a sentence that is one claim."""
    claims = _claims_of(sentence)
    return tuple(claim.text for claim in claims if claim.checkable) if len(claims) > 1 else ()


def asserted_clauses(sentence: str) -> tuple[str, ...]:
    """Those of its clauses that hold without the rest of the sentence."""
    texts, whole = own_clauses(sentence), _count_words(sentence)
    if len(texts) < len(_claims_of(sentence)):
        return ()
    if _APART.search(sentence) or REPORTING.search(sentence) or GOVERNING.search(sentence):
        return ()
    return tuple(text for at, text in enumerate(texts) if _holds_alone(text, texts[:at], texts[at + 1 :], whole))


def _holds_alone(clause: str, before: Sequence[str], behind: Sequence[str], sentence: Counter[str]) -> bool:
    """Whether nothing elsewhere in the sentence may limit a clause: no word, no phrase before it or at its end."""
    rest = sentence - _count_words(clause)
    if any(word in _REACHING or word.endswith("ly") for word in rest) or negators(" ".join(rest)):
        return False
    if any(_is_led(other, clause) for other in before):
        return False
    return all(_count_additions(other) <= _count_additions(clause) for other in behind)


def _is_led(first: str, clause: str) -> bool:
    """Whether an earlier clause opens with what may hold for this one too: "Given enough snow, …", "Above 22 °C …"."""
    return first.count(",") > clause.count(",") or (words_of(first)[:1] != words_of(clause)[:1] and _opens(first))


def _opens(clause: str) -> bool:
    return words_of(clause)[:1][0] in grammar.PREPOSITIONS


def _count_words(text: str) -> Counter[str]:
    return Counter(word.lower for word in grammar.words_of(text, 0, len(text)))


def _count_additions(clause: str) -> int:
    """How many phrases a clause has that may qualify it: "for members", ", members excepted"."""
    return sum(match.group().lower() in _ADDED for match in _ADDING.finditer(clause))
