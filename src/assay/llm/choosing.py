"""Which sentences of the sources answer a question, and how likely they do.

They are those that the verifier's pointer leads to and that hold the question's words; without the verifier's weights
the words alone choose. What a question asks for (a person, a date) stands in nearly every sentence of an encyclopaedia
and tells nothing. What tells is whether the question's words are held, by one sentence and by all; whether its names
stand there whole; whether a source is about what it names; and whether one source leads on to another.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from itertools import pairwise
from math import exp
from typing import TYPE_CHECKING

from assay.errors import ModelError
from assay.llm.delimit import Block
from assay.text.names import find_names
from assay.text.sentences import split_sentences
from assay.text.tokens import is_stop_word, stem, tokenize
from assay.text.words import points_back
from assay.types import Document, Passage, Span

if TYPE_CHECKING:
    from assay.encoder import Verifier


_ASIDE = re.compile(r"(?:(?<!\s)\s++)?\([^()]*+\)\s*+$|\.\w{1,5}$")  # "Thumbs Up (film)", "everest.md"
_OPENING = re.compile(r"[\"“'‘(\s]*(?:(?:The|A|An)\s+)?")
_OWNED = re.compile("['’]s$")
_MOST_TOPICS = 2  # a question compares two things, or leads from one to another


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
    question: str, wanted: Mapping[str, float], quotes: Sequence[Sentence], sources: Sequence[Block]
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


def _flat(text: str) -> str:
    """The words in small letters, each between blanks, so that a name is found only whole."""
    return f" {' '.join(_OWNED.sub('', token.text.lower()) for token in tokenize(text))} "


SENTENCES = 3  # sentences the extractive writer quotes: a question of two steps needs two
SHARE = 0.15  # share of the question a sentence must hold itself to be quoted
COVERAGE = 0.75  # share of a question without names that the quotes must hold, else nothing is said
LIKELIHOOD = 0.5  # how likely quotes must answer a question that names something; costs a tenth of the answers


NOTHING = "NOT IN THE SOURCES"
"""What a writer says when the sources do not answer the question."""

_NAME_WEIGHT = 2.0  # a name says what a question is about; "film" and "born" stand in many sources
_WHOLE_OVERLAP = 0.15  # how much words that were covered already still count, so that ties go to the closer sentence
_KINDS = ("prose", "bullet")
_LEAST_POINTED = 0.2  # of the weight of the best sentence: what the pointer passes over is not quoted
_WELL_POINTED = 0.5  # from here on a sentence need not hold words of the question


@dataclass(frozen=True)
class Sentence:
    """A sentence of a source: its words, the source's pointer, and the roots that it and its title hold."""

    text: str
    source: str
    place: tuple[int, int]
    roots: frozenset[str]
    span: Span  # in the source
    before: Sentence | None = None


def choose_sentences(question: str, sources: Sequence[Block]) -> list[Sentence]:
    """The sentences in the order of the sources; none if they hardly answer the question."""
    wanted = weigh_question(question)
    apt = pick_sentences(wanted, sources)
    if not apt or not _are_apt(question, wanted, apt, sources):
        return []
    chosen = pick_sentences(wanted, sources, point_sentences(question, sources)) or apt
    return sorted(_with_openers(chosen), key=lambda sentence: sentence.place)


def pick_sentences(
    wanted: dict[str, float], sources: Sequence[Block], pointed: Mapping[tuple[int, int], float] = {}
) -> list[Sentence]:
    """The sentences that together hold most of what is wanted and that are `pointed` at, the best first."""
    if not wanted:
        return []
    chosen: list[Sentence] = []
    covered: frozenset[str] = frozenset()
    total = sum(wanted.values())
    candidates = [s for s in read_sentences(sources) if not pointed or pointed.get(s.place, 0.0) >= _LEAST_POINTED]

    def gain(sentence: Sentence) -> tuple[float, int]:
        worth = _gain(sentence, wanted, covered) / total + pointed.get(sentence.place, 0.0)
        return worth, -sentence.place[0]

    while candidates and len(chosen) < SENTENCES:
        best = max(candidates, key=gain)
        known = _weight(best.roots, wanted) >= SHARE * total
        if not known and pointed.get(best.place, 0.0) < _WELL_POINTED:
            break
        covered |= best.roots
        candidates.remove(best)
        if not any(_is_repeated(best, other) for other in chosen):
            chosen.append(best)
    return chosen


def point_sentences(question: str, sources: Sequence[Block]) -> dict[tuple[int, int], float]:
    """Where the verifier points for a question: a weight for each sentence, 1 for the best; empty without weights.

    A heading answers nothing itself: its weight goes to the sentence under it.
    """
    try:
        verifier = _load_pointer()
    except ModelError:
        return {}
    documents = [Document(str(index), source.text, title=source.title) for index, source in enumerate(sources)]
    [opinion] = verifier.find([(question, [Passage(d, 0, len(d.text)) for d in documents if d.text])])
    found: dict[tuple[int, int], float] = {}
    quotable = read_sentences(sources)
    for pointed in opinion.sentences:
        own = [s for s in quotable if s.place[0] == int(pointed.document.id) and s.span.end > pointed.span.start]
        if own:  # the sentence itself, else the next one
            found[own[0].place] = found.get(own[0].place, 0.0) + pointed.weight
    most = max(found.values(), default=0.0)
    return {place: weight / most for place, weight in found.items()} if most else {}


@lru_cache(maxsize=1)
def _load_pointer() -> Verifier:
    from assay.encoder import Verifier

    return Verifier.load("small")


def _are_apt(question: str, wanted: dict[str, float], chosen: Sequence[Sentence], sources: Sequence[Block]) -> bool:
    """Whether the sentences likely answer the question; one that names nothing is only asked for by its words."""
    signs = read_signs(question, wanted, chosen, sources)
    if signs is not None:
        return likelihood(signs) >= LIKELIHOOD
    covered: frozenset[str] = frozenset().union(*(sentence.roots for sentence in chosen))
    return _weight(covered, wanted) >= COVERAGE * sum(wanted.values())


def weigh_question(question: str) -> dict[str, float]:
    """The roots of a question's words, each with what it counts for."""
    weights: dict[str, float] = {}
    for number, token in enumerate(tokenize(question)):
        word = token.text
        if is_stop_word(word):
            continue
        named = (word[0].isupper() and number > 0) or any(sign.isdigit() for sign in word)
        root = stem(word.lower())
        weights[root] = max(weights.get(root, 0.0), _NAME_WEIGHT if named else 1.0)
    return weights


def read_sentences(sources: Sequence[Block]) -> list[Sentence]:
    """Every sentence of prose, with the roots of its source's title; no questions and no fragments."""
    found: list[Sentence] = []
    for index, source in enumerate(sources):
        title = _roots(source.title)
        own: list[Sentence] = []
        for number, sentence in enumerate(split_sentences(source.text)):
            text = " ".join(sentence.span.of(source.text).split())
            if sentence.kind in _KINDS and _is_whole(text):
                before = own[-1] if own else None
                own.append(Sentence(text, source.id, (index, number), _roots(text) | title, sentence.span, before))
        found.extend(own)
    return found


def _is_whole(text: str) -> bool:
    """Whether this is a sentence with a beginning and an end, and not what is left of one: "(2003) and 2007"."""
    opened = text.lstrip("\"“'‘")[:1]
    return (opened.isupper() or opened.isdigit()) and text.endswith((".", "!", "”", '"', ")")) and len(text.split()) > 2


def _gain(sentence: Sentence, wanted: dict[str, float], covered: frozenset[str]) -> float:
    new = _weight(sentence.roots - covered, wanted)
    return new + _WHOLE_OVERLAP * _weight(sentence.roots, wanted)


def _weight(roots: Collection[str], wanted: Mapping[str, float]) -> float:
    return sum(weight for root, weight in wanted.items() if root in roots)


def _is_repeated(sentence: Sentence, other: Sentence) -> bool:
    """Whether one sentence holds the words of the other: the same fact from a second source."""
    return sentence.roots <= other.roots or other.roots <= sentence.roots


def _with_openers(chosen: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, with the one before where a sentence begins with a word that points back to it."""
    held = list(chosen)
    for sentence in chosen:
        opener = sentence.before
        if points_back(sentence.text) and opener and all(opener.place != other.place for other in held):
            held.append(opener)
    return held


def _roots(text: str) -> frozenset[str]:
    words = [token.text.lower() for token in tokenize(text)]
    pairs = (one + two for one, two in pairwise(words) if len(one) == 1)  # "J K Rowling" and "JK Rowling"
    return frozenset(map(stem, (*words, *pairs)))
