"""How likely some quoted sentences answer a question, told from five plain signs of it.

What a question asks for (a person, a date) stands in nearly every sentence of an encyclopaedia and tells nothing. What
tells is whether the question's words are held, by one sentence and by all; whether its names stand there whole; whether
a source is about what it names instead of mentioning it in passing; and whether one source leads on to another.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from math import exp
from typing import Protocol

from assay.llm.delimit import Block
from assay.text.names import find_names
from assay.text.sentences import split_sentences
from assay.text.tokens import tokenize

_ASIDE = re.compile(r"(?:(?<!\s)\s++)?\([^()]*+\)\s*+$|\.\w{1,5}$")  # "Thumbs Up (film)", "everest.md"
_OPENING = re.compile(r"[\"“'‘(\s]*(?:(?:The|A|An)\s+)?")
_OWNED = re.compile("['’]s$")
_MOST_TOPICS = 2  # a question compares two things, or leads from one to another


class Quoted(Protocol):
    """A sentence of a source, and the roots of the words that it and its title hold."""

    @property
    def text(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def roots(self) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Signs:
    """All from 0 to 1.

    `coverage` and `closest` are the share of the question's words that all quotes hold and that one of them holds,
    `named` the share of its names that stand whole in the quotes, `topics` how many of them a source is about (½ for
    one), `linked` whether a quoted source speaks of what another is about and the question does not name.
    """

    coverage: float
    closest: float
    named: float
    topics: float
    linked: float


# Fitted by `python -m bench.aptness` on questions of HotpotQA other than those that figures are given for.
WEIGHTS = Signs(coverage=3.99, closest=2.64, named=0.89, topics=3.29, linked=0.87)
CONSTANT = -6.59


def likelihood(signs: Signs) -> float:
    """How likely the quotes answer the question, had every second question no answer in the sources."""
    total = CONSTANT + sum(w * value for w, value in zip(astuple(WEIGHTS), astuple(signs), strict=True))
    return 1.0 / (1.0 + exp(-total))


def read_signs(
    question: str, wanted: Mapping[str, float], quotes: Sequence[Quoted], sources: Sequence[Block]
) -> Signs | None:
    """The signs; None for a question that names nothing, about which most of them are silent."""
    names = [name.text for name in find_names(question) if not name.opens]
    if not names:
        return None
    asked = _flat(question)
    whole = sum(wanted.values()) or 1.0
    held: frozenset[str] = frozenset().union(*(quote.roots for quote in quotes))
    subjects = {source.id: _subjects(source) for source in sources}
    used = {quote.source for quote in quotes}
    shown = [_flat(quote.text) for quote in quotes]
    shown += [_flat(source.title) for source in sources if source.id in used]
    return Signs(
        coverage=_weight(held, wanted) / whole,
        closest=max((_weight(quote.roots, wanted) / whole for quote in quotes), default=0.0),
        named=sum(any(_flat(name) in text for text in shown) for name in names) / len(names),
        topics=min(_MOST_TOPICS, _count_topics(asked, names, subjects)) / _MOST_TOPICS,
        linked=float(_leads_on(asked, [source for source in sources if source.id in used], subjects)),
    )


def _subjects(source: Block) -> frozenset[str]:
    """What a source is about: its title, if the text speaks of that; else the names that its sentences begin with."""
    title, text = _flat(_ASIDE.sub("", source.title)), _flat(source.text)
    if title.strip() and title in text:
        return frozenset({title})
    return frozenset(map(_flat, _openers(source.text)))


def _openers(text: str) -> Iterator[str]:
    for sentence in split_sentences(text):
        said = sentence.span.of(text)
        opening = _OPENING.match(said)
        begun = said[opening.end() :] if opening else said
        for name in find_names(begun)[:1]:
            if begun.startswith(name.text):
                yield name.text


def _count_topics(asked: str, names: Sequence[str], subjects: Mapping[str, Collection[str]]) -> int:
    """The subjects that the question has among its names; of two that overlap the longer counts."""
    named = {word for name in names for word in _flat(name).split()}
    found = {one for own in subjects.values() for one in own if one in asked and not named.isdisjoint(one.split())}
    return sum(not any(one != other and one in other for other in found) for one in found)


def _leads_on(asked: str, used: Sequence[Block], subjects: Mapping[str, Collection[str]]) -> bool:
    new = {(owner, one) for owner, own in subjects.items() for one in own if one not in asked}
    return any(owner != source.id and one in _flat(source.text) for source in used for owner, one in new)


def _weight(roots: Collection[str], wanted: Mapping[str, float]) -> float:
    return sum(weight for root, weight in wanted.items() if root in roots)


def _flat(text: str) -> str:
    """The words in small letters, each between blanks, so that a name is found only whole."""
    return f" {' '.join(_OWNED.sub('', token.text.lower()) for token in tokenize(text))} "
