"""NeMo Guardrails: an output rail that blocks answers which the retrieved chunks do not support.

rails.register_action(check_grounding())  # and FLOW, or your own, in the configuration
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from assay.integrations.adapter import assess, missing_framework

try:
    from nemoguardrails.actions import action
    from nemoguardrails.actions.rail_outcome import RailOutcome
except ImportError as problem:
    raise missing_framework("NeMo Guardrails", "nemo") from problem

if TYPE_CHECKING:
    from assay.engine import Engine

# Colang 1.0; in the configuration: rails: {output: {flows: [assay check grounding]}}
FLOW = """
define subflow assay check grounding
  $grounding = execute assay_check_grounding
  if $grounding.is_blocked
    bot refuse to respond
    stop
"""


def check_grounding(engine: Engine | None = None) -> Callable[..., Awaitable[RailOutcome]]:
    """The action `assay_check_grounding`: the bot's message against the chunks of the knowledge base or of the context.

    With no chunks there is nothing that could support a claim, so a message that makes one is blocked.
    """

    @action(name="assay_check_grounding", is_system_action=True)  # type: ignore[untyped-decorator]
    async def assay_check_grounding(context: dict[str, Any] | None = None, **_: Any) -> RailOutcome:
        known = context or {}
        chunks = known.get("relevant_chunks_sep") or known.get("relevant_chunks")
        asked = known.get("last_user_message") or known.get("user_message")
        found = await asyncio.to_thread(assess, known.get("bot_message"), chunks, asked, engine=engine)
        decide = RailOutcome.allow if found.passed else RailOutcome.block
        return decide(reason=found.reason, metadata=found.to_dict())

    return assay_check_grounding  # type: ignore[no-any-return]
