"""Which sentences of the sources answer a question, and how likely they do.

They are those that the verifier's pointer leads to and that hold the question's words; without the verifier's weights
the words alone choose. Whether they answer it is told by the verifiers, which read the question as if it were a claim
and say whether the sources settle it, by the question's words in what is pointed to, and by whether a source is about
what the question names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from itertools import pairwise
from math import exp, log
from typing import TYPE_CHECKING

from assay.claims import extract_claims
from assay.errors import ModelError
from assay.llm.delimit import Block
from assay.text.names import find_names
from assay.text.sentences import split_sentences
from assay.text.tokens import is_stop_word, stem, tokenize
from assay.text.words import points_back
from assay.types import Document, Passage, Span

if TYPE_CHECKING:
    from assay.encoder import Verifier
    from assay.encoder.verifier import Opinion


_ASIDE = re.compile(r"(?:(?<!\s)\s++)?\([^()]*+\)\s*+$|\.\w{1,5}$")  # "Thumbs Up (film)", "everest.md"
_OPENING = re.compile(r"[\"“'‘(\s]*(?:(?:The|A|An)\s+)?")
_OWNED = re.compile("['’]s$")
Place = tuple[int, int]
"""Which source a sentence stands in, and which sentence of it that is."""

_MOST_TOPICS = 2  # a question compares two things, or leads from one to another


@dataclass(frozen=True, slots=True)
class Signs:
    """All from 0 to 1.

    `bears` is how sure the verifiers are that the sources settle the question (½ for an even chance), `held` the share
    of the question's words in the two sentences pointed to most, and `topics` how many of the question's names a source
    is about (½ for one).
    """

    bears: float
    held: float
    topics: float


# Fitted as `python -m bench.aptness` does, on questions of HotpotQA and SQuAD and of the written set but its last part.
WEIGHTS = Signs(bears=9.99, held=2.52, topics=1.51)
CONSTANT = -7.92
_SUREST = 1e-4  # chances nearer to 0 or 1 are not told apart
_BEST = 2  # sentences whose words count as held


def likelihood(signs: Signs) -> float:
    """How likely the sources answer the question, had every second question no answer in them."""
    total = CONSTANT + sum(w * value for w, value in zip(astuple(WEIGHTS), astuple(signs), strict=True))
    return 1.0 / (1.0 + exp(-total))


def read_signs(question: str, sources: Sequence[Block], found: Pointed) -> Signs:
    """The signs for a question and what the verifier points to for it."""
    wanted = weigh_question(question)
    best = sorted(found.weights, key=lambda place: -found.weights[place])[:_BEST]
    held: frozenset[str] = frozenset().union(*(s.roots for s in read_sentences(sources) if s.place in best))
    names = [name.text for name in find_names(question) if not name.opens]
    topics = _count_topics(_flat(question), names, [_subjects(source) for source in sources])
    return Signs(
        bears=found.bears,
        held=_weight(held, wanted) / (sum(wanted.values()) or 1.0),
        topics=min(_MOST_TOPICS, topics) / _MOST_TOPICS,
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


def _count_topics(asked: str, names: Sequence[str], subjects: Sequence[Collection[str]]) -> int:
    """The subjects that the question has among its names; of two that overlap the longer counts."""
    named = {word for name in names for word in _flat(name).split()}
    found = {one for own in subjects for one in own if one in asked and not named.isdisjoint(one.split())}
    return sum(not any(one != other and one in other for other in found) for one in found)


def _flat(text: str) -> str:
    """The words in small letters, each between blanks, so that a name is found only whole."""
    return f" {' '.join(_OWNED.sub('', token.text.lower()) for token in tokenize(text))} "


SENTENCES = 3  # sentences the extractive writer quotes: a question of two steps needs two
SHARE = 0.15  # share of the question a sentence must hold itself to be quoted
LIKELIHOOD = 0.6  # how likely the sources must answer: a wrong answer costs half as much again as none
COVERAGE = 0.75  # share of the question that the quotes must hold where there is no verifier to say so


NOTHING = "NOT IN THE SOURCES"
"""What a writer says when the sources do not answer the question."""

_NAME_WEIGHT = 2.0  # a name says what a question is about; "film" and "born" stand in many sources
_WHOLE_OVERLAP = 0.15  # how much words that were covered already still count, so that ties go to the closer sentence
_KINDS = ("prose", "bullet")
_LABELLED = re.compile(r"[^\W_][^:\n]*: \S")  # "Mondays: closed" needs no full stop
_LEAST_POINTED = 0.1  # of the weight of the best sentence: what the pointer passes over is not quoted
_WELL_POINTED = 0.5  # from here on a sentence need not add words of the question


@dataclass(frozen=True)
class Sentence:
    """A sentence of a source: its words, the source's pointer, and the roots that it, its heading and its title hold.

    A row of a table is read with the names of its columns.
    """

    text: str
    source: str
    place: Place
    roots: frozenset[str]
    span: Span  # in the source
    before: Sentence | None = None


@dataclass(frozen=True)
class Pointed:
    """What the verifiers make of a question: a weight for each sentence, 1 for the best, and the sign `bears`."""

    weights: Mapping[Place, float]
    bears: float


def choose_sentences(question: str, sources: Sequence[Block]) -> list[Sentence]:
    """The sentences to quote, the best first; none if the sources hardly answer."""
    found = point_sentences(question, sources)
    if not _is_answered(question, sources, found):
        return []
    wanted, weights = weigh_question(question), found.weights if found else {}
    chosen = pick_sentences(wanted, sources, weights)
    return _with_openers(sorted(chosen, key=lambda sentence: -weights.get(sentence.place, 0.0)))


def is_answered(question: str, sources: Sequence[Block]) -> bool:
    """Whether the sources likely answer a question."""
    return _is_answered(question, sources, point_sentences(question, sources))


def _is_answered(question: str, sources: Sequence[Block], found: Pointed | None) -> bool:
    if found is not None:
        return likelihood(read_signs(question, sources, found)) >= LIKELIHOOD
    wanted = weigh_question(question)
    chosen = pick_sentences(wanted, sources)
    covered: frozenset[str] = frozenset().union(*(sentence.roots for sentence in chosen))
    return bool(chosen) and _weight(covered, wanted) >= COVERAGE * sum(wanted.values())


def pick_sentences(
    wanted: dict[str, float], sources: Sequence[Block], pointed: Mapping[Place, float] = {}
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
        candidates.remove(best)
        known = _weight(best.roots, wanted) >= SHARE * total
        adds = known and (not chosen or _weight(best.roots - covered, wanted) > 0)
        if not adds and pointed.get(best.place, 0.0) < _WELL_POINTED:
            continue
        covered |= best.roots
        if not any(_is_repeated(best, other) for other in chosen):
            chosen.append(best)
    return chosen


def point_sentences(question: str, sources: Sequence[Block]) -> Pointed | None:
    """Where the pointer leads for a question, and whether the sources settle it; None without weights.

    A heading answers nothing itself: its weight goes to the sentence under it.
    """
    try:
        pointer = _load_pointer()
    except ModelError:
        return None
    documents = [Document(str(index), source.text, title=source.title) for index, source in enumerate(sources)]
    case = (question, [Passage(d, 0, len(d.text)) for d in documents if d.text])
    [opinion] = pointer.find([case])
    closer = _load_closer()
    opinions = [opinion, *(closer.judge([case]) if closer is not None else ())]
    found: dict[Place, float] = {}
    quotable = read_sentences(sources)
    for pointed in opinion.sentences:
        own = [s for s in quotable if s.place[0] == int(pointed.document.id) and s.span.end > pointed.span.start]
        if own:  # the sentence itself, else the next one
            found[own[0].place] = found.get(own[0].place, 0.0) + pointed.weight
    most = max(found.values(), default=0.0)
    weights = {place: weight / most for place, weight in found.items()} if most else {}
    return Pointed(weights, sum(_bearing(one) for one in opinions) / len(opinions))


def _bearing(opinion: Opinion) -> float:
    """How sure a verifier is that something is settled, in log-odds brought between 0 and 1."""
    open_ = min(max(opinion.scores.insufficient, _SUREST), 1.0 - _SUREST)
    return (1.0 + log(open_ / (1.0 - open_)) / log(_SUREST)) / 2


@lru_cache(maxsize=1)
def _load_pointer() -> Verifier:
    from assay.encoder import Verifier

    return Verifier.load("small")


@lru_cache(maxsize=1)
def _load_closer() -> Verifier | None:
    """The larger verifier, where it is installed."""
    from assay.encoder import Verifier

    try:
        return Verifier.load("base")
    except ModelError:
        return None


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
    """Every statement of the sources, with the roots of its heading and title; no questions and no fragments."""
    return [sentence for index, source in enumerate(sources) for sentence in _read_source(index, source)]


def _read_source(index: int, source: Block) -> list[Sentence]:
    title, heading = _roots(source.title), frozenset[str]()
    rows = _read_rows(source.text)
    own: list[Sentence] = []
    for number, sentence in enumerate(split_sentences(source.text)):
        text = rows.get(sentence.span.start) or " ".join(sentence.span.of(source.text).split())
        if sentence.kind == "heading":
            heading = _roots(text)
        elif sentence.span.start in rows or (sentence.kind in _KINDS and _states(text, sentence.kind)):
            before = own[-1] if own else None
            roots = _roots(text) | heading | title
            own.append(Sentence(text, source.id, (index, number), roots, sentence.span, before))
    return own


def _read_rows(text: str) -> dict[int, str]:
    """The rows of tables by their places, each cell with the name of its column: "Ticket: Student; Price: 8 euros"."""
    if "|" not in text:
        return {}
    starts = {sentence.span.start for sentence in split_sentences(text) if sentence.kind == "table"}
    rows = (claim for claim in extract_claims(text) if claim.checkable)
    return {claim.span.start: claim.text for claim in rows if claim.span.start in starts}


def _states(text: str, kind: str) -> bool:
    """Whether this is a sentence with a beginning and an end, an item of a list, or a label with what it says.

    What is left of a sentence ("(2003) and 2007") and a question are none.
    """
    opened = text.lstrip("\"“'‘")[:1]
    begins = kind == "bullet" or opened.isupper() or opened.isdigit()
    ends = kind == "bullet" or text.endswith((".", "!", "”", '"', ")")) or _LABELLED.match(text) is not None
    return begins and ends and not text.endswith("?") and len(text.split()) > 2


def _gain(sentence: Sentence, wanted: dict[str, float], covered: frozenset[str]) -> float:
    new = _weight(sentence.roots - covered, wanted)
    return new + _WHOLE_OVERLAP * _weight(sentence.roots, wanted)


def _weight(roots: Collection[str], wanted: Mapping[str, float]) -> float:
    return sum(weight for root, weight in wanted.items() if root in roots)


def _is_repeated(sentence: Sentence, other: Sentence) -> bool:
    """Whether one sentence holds the words of the other: the same fact from a second source."""
    return sentence.roots <= other.roots or other.roots <= sentence.roots


def _with_openers(chosen: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, each behind the one before it in its source if it begins with a word that points back to that."""
    held: list[Sentence] = []
    for sentence in chosen:
        opener = sentence.before if points_back(sentence.text) else None
        held += [one for one in (opener, sentence) if one and all(one.place != other.place for other in held)]
    return held


def _roots(text: str) -> frozenset[str]:
    words = [token.text.lower() for token in tokenize(text)]
    pairs = (one + two for one, two in pairwise(words) if len(one) == 1)  # "J K Rowling" and "JK Rowling"
    return frozenset(map(stem, (*words, *pairs)))
