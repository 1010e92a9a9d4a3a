"""The resources under `/v1`, one file each; each offers a `router`."""

ROUTES = (
    "health",
    "verify",
    "claims",
    "retrieve",
    "documents",
    "read",
    "audits",
    "feedback",
    "stream",
    "answers",
    "lattice",
    "epistemic",
    "traces",
    "atlas",
    "evaluations",
    "monitor",
)
