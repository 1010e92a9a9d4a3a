"""The resources under `/v1`, a few related ones in each file; each file offers a `router`."""

ROUTES = (
    "health",
    "verify",
    "documents",
    "memory_map",
    "audits",
    "stream",
    "answers",
    "epistemic",
    "traces",
    "evaluations",
)
