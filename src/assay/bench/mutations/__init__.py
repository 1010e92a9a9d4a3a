"""Claims made from a document by rule, wrong in one respect: what `assay selftest` puts before a judge.

`mutate` changes single words and values of a sentence. The functions of `MUTATIONS` read a whole document and make the
mistakes people make: attributes, roles, scope, conditions, versions, table cells, instructions and scales.
"""

from collections.abc import Callable, Iterator

from assay.bench.mutations.attributes import swap_attributes
from assay.bench.mutations.claim import MadeClaim, StatementIndex
from assay.bench.mutations.conditions import change_conditions
from assay.bench.mutations.edits import Mutation
from assay.bench.mutations.instructions import turn_instructions
from assay.bench.mutations.roles import swap_roles
from assay.bench.mutations.scales import confuse_scales
from assay.bench.mutations.scope import widen_scope
from assay.bench.mutations.source import Source, Statement, read_source
from assay.bench.mutations.tables import swap_cells
from assay.bench.mutations.tokens import mutate
from assay.bench.mutations.versions import confuse_versions

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
