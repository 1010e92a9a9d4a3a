"""Claims made from a document by rule, wrong in one respect: what `assay selftest` puts before a judge.

`mutate` changes single words and values of a sentence. The functions of `MUTATIONS` read a whole document and make the
mistakes people make: attributes, roles, scope, conditions, versions, table cells, instructions and scales.
"""

from collections.abc import Callable, Iterator

from assay.mutations.attributes import swap_attributes
from assay.mutations.claim import MadeClaim, StatementIndex
from assay.mutations.conditions import change_conditions
from assay.mutations.edits import Mutation
from assay.mutations.instructions import turn_instructions
from assay.mutations.roles import swap_roles
from assay.mutations.scales import confuse_scales
from assay.mutations.scope import widen_scope
from assay.mutations.source import Source, Statement, read_source
from assay.mutations.tables import swap_cells
from assay.mutations.tokens import mutate
from assay.mutations.versions import confuse_versions

MUTATIONS: dict[str, Callable[[Source], Iterator[MadeClaim]]] = {
    "attribute": swap_attributes,
    "role": swap_roles,
    "scope": widen_scope,
    "condition": change_conditions,
    "version": confuse_versions,
    "table": swap_cells,
    "instruction": turn_instructions,
    "scale": confuse_scales,
}

__all__ = [
    "MUTATIONS",
    "MadeClaim",
    "Mutation",
    "Source",
    "Statement",
    "StatementIndex",
    "mutate",
    "read_source",
]
