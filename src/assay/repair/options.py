"""How an answer in a chat is verified and corrected.

Settings come from, in rising order: the defaults here, the `verification` table of a TOML or YAML file,
`ASSAY_VERIFICATION_*` environment variables, arguments.

>>> VerificationOptions.load(env={"ASSAY_VERIFICATION_THRESHOLD": "0.8"}, attempts=1).threshold
0.8
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.policy import Policy
from assay.tables import SectionSettings

if TYPE_CHECKING:
    from assay.engine import Engine

RETRIEVE_LIMIT = 2  # times a repair looks for further evidence

DEFAULT = Policy()


@dataclass(frozen=True)
class VerificationOptions(SectionSettings):
    """Whether an answer is verified, whether it is corrected when it is less sure than the threshold, and by whom.

    `model` is a judge ("cascade", "small", "base", "lexical") or a generator ("haiku", "openai:…"); empty means the
    engine's own. `epistemic` adds the epistemic checks, with the settings of their own section.
    """

    SECTION = "verification"

    enabled: bool = True
    correction: bool = True
    threshold: float = DEFAULT.repair_confidence
    attempts: int = RETRIEVE_LIMIT
    show_claims: bool = False
    suggest_corrections: bool = True
    model: str = ""
    epistemic: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise UsageError(f"the verification setting threshold lies between 0 and 1, not {self.threshold!r}")
        if not 0 <= self.attempts <= 10:
            raise UsageError(f"the verification setting attempts lies between 0 and 10, not {self.attempts!r}")

    @classmethod
    def of(cls, policy: Policy | None = None, **changes: Any) -> VerificationOptions:
        return cls(threshold=(policy or DEFAULT).repair_confidence).but(**changes)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def engine_by(model: str, engine: Engine) -> Engine:
    """The engine with another judge: one of Assay's own by name, or a language model."""
    from assay.engine import Engine
    from assay.judges import JUDGES

    if not model:
        return engine
    if model in JUDGES:
        return Engine(engine.policy, model, cache=engine.cache)
    from assay.llm import make_generator
    from assay.llm.judge import ModelJudge

    return Engine(engine.policy, ModelJudge(make_generator(model, policy=engine.policy), engine.policy))
