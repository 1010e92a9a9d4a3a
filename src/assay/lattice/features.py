"""What the rules look at in a text, each feature worked out once and only when a rule asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from assay.lattice.counts import Counts, find_counts
from assay.lattice.dates import Months, Years, find_months, find_years
from assay.lattice.names import all_words, capitalised_words
from assay.lattice.tokens import content_stems
from assay.types import Span


@dataclass(frozen=True)
class Features:
    """The features of one text."""

    text: str

    @cached_property
    def stems(self) -> frozenset[str]:
        return content_stems(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        return all_words(self.text)

    @cached_property
    def capitalised(self) -> frozenset[str]:
        return capitalised_words(self.text)

    @cached_property
    def years(self) -> Years:
        return find_years(self.text)

    @cached_property
    def months(self) -> Months:
        return find_months(self.text)

    @cached_property
    def counts(self) -> Counts:
        return find_counts(self.text)

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """Where the sentences lie."""
        from assay.text.sentences import split_sentences

        return tuple(sentence.span for sentence in split_sentences(self.text))
