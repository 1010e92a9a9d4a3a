"""The two sides of a relation exchanged, an order or a comparison turned: who replaced whom, which came first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.mutations.clauses import Relation, find_relations, is_plural
from assay.mutations.source import GeneratedClaim, Mutation, SourceStatement, SourceText, content_stems, replace
from assay.text.quantities import find_quantities

_AGREES = re.compile(r" (?:is|are|was|were|has|have|reports?|belongs?|takes?|depends?)\b")
_CHANGES = {
    "active": "subject and object exchanged",
    "passive": "subject and agent exchanged",
    "relational": "sides of a relation exchanged",
}
_ORDER = re.compile(
    r"(?<![\w-])(?<!day )(?<!well )(?<!and )(?<!or )(?<!taking )(?<!named )(?<!look )(?<!looks )"
    r"(before|after)\b(?! (?:all|long|that|which|this|then|tax|hand)\b)(?= \w)",
    re.IGNORECASE,
)
_LATER = re.compile(r"\b(earlier|later)(?= than\b)")
_COMPARED = re.compile(
    r"\b(higher|lower|larger|smaller|bigger|older|younger|longer|shorter|faster|slower|cheaper|heavier|lighter|better"
    r"|worse|warmer|colder|stronger|weaker|more|fewer|less)(?= (?:[a-z]+ ){0,3}than (?P<rest>.*))"
)
_OPPOSITES = """before:after earlier:later higher:lower larger:smaller older:younger longer:shorter faster:slower
    heavier:lighter better:worse warmer:colder stronger:weaker more:less""".split()
_OPPOSITE = {
    **{one: other for one, _, other in (pair.partition(":") for pair in _OPPOSITES)},
    **{other: one for one, _, other in (pair.partition(":") for pair in _OPPOSITES)},
    "bigger": "smaller",
    "cheaper": "more expensive",
    "fewer": "more",
}


def swap_roles(source: SourceText) -> Iterator[GeneratedClaim]:
    """Every relation, order and comparison of a sentence that stands alone, the other way round."""
    for statement in source.sentences:
        for relation in find_relations(statement.text):
            if made := _exchanged(source, statement.text, relation):
                telling = content_stems(made.text) if relation.verb is None else _sides(statement, relation)
                yield GeneratedClaim(
                    "role", made.kind, made.text, (statement.span,), made.original, made.changed.of(made.text), telling
                )
        for made in _turned(statement.text):
            yield GeneratedClaim.of("role", made, statement)


def _sides(statement: SourceStatement, relation: Relation) -> frozenset[str]:
    """The stems that another statement of the same relation would have."""
    verb = relation.verb.base if relation.verb else ""
    return content_stems(f"{relation.left.of(statement.text)} {verb} {relation.right.of(statement.text)}")


def _exchanged(source: SourceText, text: str, relation: Relation) -> Mutation | None:
    """The sentence with the two sides exchanged; None where the grammar or the sense would show it at once."""
    left, right = relation.left.of(text), relation.right.of(text)
    between = text[relation.left.end : relation.right.start]
    if _agrees(between, relation) and is_plural(left) != is_plural(right):
        return None
    if content_stems(left) <= content_stems(right) or content_stems(right) <= content_stems(left):
        return None
    if _is_named(source, left) != _is_named(source, right):
        return None
    new = f"{right}{between}{source.lower_first(left)}"
    return replace(_CHANGES[relation.form], text, relation.left.start, relation.right.end, new)


def _agrees(between: str, relation: Relation) -> bool:
    """Whether the verb has another form for one than for many."""
    if relation.verb and not relation.helper:
        return relation.verb.present in between.split()
    return _AGREES.match(between) is not None


def _is_named(source: SourceText, phrase: str) -> bool:
    """Whether a phrase holds a name: a capital that is not just the one of the sentence."""
    return any(word[:1].isupper() and word.lower() not in source.lower_words for word in phrase.split())


def _turned(text: str) -> Iterator[Mutation]:
    orders = list(_ORDER.finditer(text))
    if len(orders) == 1:
        yield _opposite("order turned", text, orders[0])
    for match in _LATER.finditer(text):
        yield _opposite("order turned", text, match)
    for match in _COMPARED.finditer(text):
        amounts = find_quantities(match["rest"])
        if not amounts or amounts[0].span.start > 3:  # "more than 300" is a limit, not a comparison
            yield _opposite("comparison turned", text, match)


def _opposite(kind: str, text: str, match: re.Match[str]) -> Mutation:
    new = _OPPOSITE[match[1].lower()]
    return replace(kind, text, match.start(1), match.end(1), new.capitalize() if match[1][0].isupper() else new)
