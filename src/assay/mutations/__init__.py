"""Claims made from a document by rule, wrong in one respect: what `assay selftest` puts before a judge.

`mutate` changes single words and values of a sentence. The functions of `MUTATIONS` read a whole document and make the
mistakes people make: attributes, roles, scope, conditions, versions, table cells, instructions and scales.
"""

from collections.abc import Callable, Iterator

from assay.mutations.attributes import swap_attributes
from assay.mutations.conditions import change_conditions, turn_instructions
from assay.mutations.roles import swap_roles
from assay.mutations.scales import confuse_scales
from assay.mutations.scope import widen_scope
from assay.mutations.source import GeneratedClaim, Mutation, SourceStatement, SourceText, StatementIndex, read_source
from assay.mutations.tables import swap_cells
from assay.mutations.tokens import mutate
from assay.mutations.versions import confuse_versions

DocumentRule = Callable[[SourceText], Iterator[GeneratedClaim]]


def _in_each_sentence(kind: str, rule: Callable[[str], Iterator[Mutation]]) -> DocumentRule:
    """A rule about one sentence, applied to every sentence of a document that stands alone."""

    def apply(source: SourceText) -> Iterator[GeneratedClaim]:
        for statement in source.sentences:
            for made in rule(statement.text):
                yield GeneratedClaim.of(kind, made, statement)

    return apply


MUTATIONS: dict[str, DocumentRule] = {
    "attribute": swap_attributes,
    "role": swap_roles,
    "scope": _in_each_sentence("scope", widen_scope),
    "condition": _in_each_sentence("condition", change_conditions),
    "version": confuse_versions,
    "table": swap_cells,
    "instruction": _in_each_sentence("instruction", turn_instructions),
    "scale": _in_each_sentence("scale", confuse_scales),
}

__all__ = [
    "MUTATIONS",
    "GeneratedClaim",
    "Mutation",
    "SourceStatement",
    "SourceText",
    "StatementIndex",
    "mutate",
    "read_source",
]
