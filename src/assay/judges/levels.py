"""How sure a judge is that gives no probability: a rule that decides without a model, or a model that names a level."""

from __future__ import annotations

from collections.abc import Sequence

from assay.types import Support

# A rule: what was seen on labelled rows, rounded
QUOTE = 0.97  # the source's own words in quotation marks, and not denied there
SPAN = 0.95  # a whole clause of the source; what is left is irony and context
PARAPHRASE = 0.75  # the least share of the words in one sentence; all of them is 0.15 more
NUMBER = 0.85  # another value for the same thing: subject, noun and occasion agree
NEGATION = 0.8  # the same words with the opposite sign
UNSETTLED = 0.5  # nothing proves it and nothing speaks against it

# The confidence of a judge that names only a level
LEVEL_FULL = 0.85  # of FULL: a language model is right about it that often, no more
LEVEL_PARTIAL = 0.6  # of PARTIAL: something of the claim stands in the source
LEVEL_FURTHER_SOURCE = 0.05  # added for each further source that says the same
LEVEL_MOST_SOURCES = 3  # further sources counted: beyond these they mostly copy each other
LEVEL_CLOSE = 0.85  # average similarity of the sources from which they clearly speak of the claim
LEVEL_CLOSE_BONUS = 0.05  # added when they do
LEVEL_INFERRED = 0.1  # taken off when the claim is not stated but has to be inferred


def level_confidence(support: Support | str, similarities: Sequence[float] = (), *, inferred: bool = False) -> float:
    """How sure a level is, given the similarity of each source that shows it.

    A contradiction counts like full support: both are a definite reading of the source. Nothing found is 0, whatever
    was looked at.

    >>> level_confidence("full", [0.9])
    0.9
    >>> level_confidence("partial", [0.5, 0.5, 0.5], inferred=True)
    0.6
    """
    level = Support(support)
    if level is Support.NONE:
        return 0.0
    value = LEVEL_PARTIAL if level is Support.PARTIAL else LEVEL_FULL
    further = min(max(len(similarities) - 1, 0), LEVEL_MOST_SOURCES)
    value += LEVEL_FURTHER_SOURCE * further
    if similarities and sum(similarities) / len(similarities) > LEVEL_CLOSE:
        value += LEVEL_CLOSE_BONUS
    if inferred:
        value -= LEVEL_INFERRED
    return round(min(max(value, 0.0), 1.0), 6)
