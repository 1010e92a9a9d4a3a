"""The claims of a selftest: wrong ones of every kind that the documents allow, and true ones as the control."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.errors import SourceError
from assay.mutations import MUTATIONS, GeneratedClaim, SourceStatement, SourceText, StatementIndex, mutate, read_source
from assay.mutations.paraphrases import CONTROLS as PARAPHRASES
from assay.mutations.paraphrases import paraphrase, reword
from assay.mutations.tokens import TOKENS
from assay.types import Document, Span

KINDS = ("token", *MUTATIONS, "citation")
CONTROLS = ("verbatim", "reworded", "cited", *PARAPHRASES)
MOST_DOCUMENTS = 200  # documents that claims are made from; whether a claim is told elsewhere is looked up in all
_OTHERS = 400  # other sentences that names are taken from
_TRIED = 6  # sentences tried for each token change that is wanted


@dataclass(frozen=True, slots=True)
class SelftestCase:
    """A claim put before the engine, the number of its document, and the sentences it was made from."""

    claim: GeneratedClaim
    true: bool
    source: int
    sentences: tuple[str, ...]

    @property
    def kind(self) -> str:
        return self.claim.kind

    @property
    def text(self) -> str:
        return self.claim.text

    @property
    def place(self) -> tuple[int, Span]:
        """The stretch of a document that the claim speaks about."""
        return self.source, self.claim.places[0]


def make_cases(documents: Sequence[Document], count: int, seed: int, *, anchored: bool) -> list[SelftestCase]:
    """At most `count` claims of every kind, the same for the same seed; with numbered anchors where `anchored`."""
    rng = random.Random(seed)
    sources = [read_source(document) for document in documents]
    chosen = sorted(rng.sample(range(len(sources)), min(MOST_DOCUMENTS, len(sources))))
    maker = _CaseMaker(sources, chosen, StatementIndex(sources), rng, count)
    cases = [*maker.true_cases(seed, anchored=anchored), *maker.wrong_cases(seed, anchored=anchored)]
    if not cases:
        raise SourceError("the sources hold no plain sentence that stands alone, so there is nothing to change")
    return cases


class _CaseMaker:
    """Makes and chooses the claims of one selftest."""

    def __init__(
        self,
        sources: Sequence[SourceText],
        chosen: Sequence[int],
        index: StatementIndex,
        rng: random.Random,
        count: int,
    ) -> None:
        self.sources, self.index, self.rng, self.count = sources, index, rng, count
        self.chosen = chosen
        unique: dict[str, tuple[int, SourceStatement]] = {}
        for number in chosen:
            for statement in sources[number].sentences:
                unique.setdefault(statement.text, (number, statement))
        self.sentences = rng.sample(list(unique.values()), len(unique))

    def true_cases(self, seed: int, *, anchored: bool) -> Iterator[SelftestCase]:
        """The control: sentences as they stand, reworded, with their right anchor, and said otherwise by rule."""
        for number, statement in self.sentences[: self.count]:
            yield self._case(number, GeneratedClaim("verbatim", "", statement.text, (statement.span,)), true=True)
            if anchored:
                made = GeneratedClaim("cited", "", _cite(statement, number + 1), (statement.span,))
                yield self._case(number, made, true=True)
        reworded = (
            (number, GeneratedClaim("reworded", "words", said, (statement.span,)))
            for number, statement in self.sentences[: self.count]
            if (said := reword(statement.text, seed))
        )
        for number, made in reworded:
            yield self._case(number, made, true=True)
        paraphrased = [(number, made) for number in self.chosen for made in paraphrase(self.sources[number])]
        for kind in PARAPHRASES:
            own = [(number, made) for number, made in paraphrased if made.kind == kind]
            for number, made in self._choose(own, guarded=False):
                yield self._case(number, made, true=True)

    def wrong_cases(self, seed: int, *, anchored: bool) -> Iterator[SelftestCase]:
        """Claims of every kind of mutation that the sources allow."""
        for number, made in self._choose(self._tokens(seed)):
            yield self._case(number, made)
        for mutation in MUTATIONS.values():
            for number, made in self._choose([(n, made) for n in self.chosen for made in mutation(self.sources[n])]):
                yield self._case(number, made)
        if anchored:
            anchors = (
                (number, made)
                for number, statement in self.sentences[: self.count]
                for made in _change_citations(statement, number + 1, len(self.sources), self.rng)
            )
            for number, made in self._choose(anchors, guarded=False):
                yield self._case(number, made)

    def _tokens(self, seed: int) -> Iterator[tuple[int, GeneratedClaim]]:
        others = [statement.text for _, statement in self.sentences[:_OTHERS]]
        for number, statement in self.sentences[: self.count * _TRIED]:
            for made in mutate(statement.text, seed, others=[text for text in others if text != statement.text]):
                if made.kind in TOKENS:
                    yield number, GeneratedClaim.of("token", made, statement)

    def _choose(
        self, made: Iterable[tuple[int, GeneratedClaim]], *, guarded: bool = True
    ) -> Iterator[tuple[int, GeneratedClaim]]:
        """At most `count` of the claims, each change in its turn; none that another statement may make true."""
        changes: dict[str, list[tuple[int, GeneratedClaim]]] = {}
        for number, claim in made:
            changes.setdefault(claim.change, []).append((number, claim))
        for claims in changes.values():
            self.rng.shuffle(claims)
        taken: set[object] = set()
        left = self.count
        while left and any(changes.values()):
            for change, claims in changes.items():
                while claims and left:
                    number, claim = claims.pop()
                    keys = {claim.text, (change, number, claim.places[0])}
                    told = guarded and self.index.tells(claim, number, self._line(number, claim.places[0]))
                    if keys & taken or told:
                        continue
                    taken |= keys
                    left -= 1
                    yield number, claim
                    break

    def _case(self, number: int, claim: GeneratedClaim, *, true: bool = False) -> SelftestCase:
        lines = tuple(self._line(number, place) for place in claim.places)
        return SelftestCase(replace(claim, telling=frozenset()), true, number + 1, lines)

    def _line(self, number: int, place: Span) -> str:
        return " ".join(place.of(self.sources[number].document.text).split())


def _cite(statement: SourceStatement, number: int) -> str:
    """The sentence with an anchor to its source.

    >>> _cite(SourceStatement("It is high.", Span(0, 11), "prose"), 2)
    'It is high [2].'
    """
    return f"{statement.text.rstrip('.')} [{number}]."


def _change_citations(
    statement: SourceStatement, number: int, sources: int, rng: random.Random
) -> Iterator[GeneratedClaim]:
    """The cited sentence with its anchor swapped for another source's, and for one that no source has."""
    others = [other for other in range(1, sources + 1) if other != number]
    right = f"[{number}]"
    if others:
        wrong = rng.choice(others)
        text = _cite(statement, wrong)
        yield GeneratedClaim("citation", "swapped citation", text, (statement.span,), right, f"[{wrong}]")
    invented = sources + rng.randint(1, 9)
    text = _cite(statement, invented)
    yield GeneratedClaim("citation", "invented citation", text, (statement.span,), right, f"[{invented}]")
