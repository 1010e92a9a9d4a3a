"""LiteLLM: a guardrail in the Python SDK; for the proxy, docs/integrations.md has the config.yaml.

pip install 'assay-check[litellm]'
"""

import asyncio

import litellm
from litellm.exceptions import GuardrailRaisedException

from assay.integrations.litellm import AssayGuardrail

litellm.callbacks = [AssayGuardrail(guardrail_name="assay", event_hook="post_call", default_on=True)]


async def ask(says: str) -> None:
    try:
        response = await litellm.acompletion(
            model="openai/gpt-4o-mini",
            api_key="none",
            mock_response=says,  # without it the model is asked
            messages=[{"role": "user", "content": "How high is Mount Everest?"}],
            metadata={"sources": ["Mount Everest is 8,849 m high."]},
            guardrails=["assay"],
        )
        print("passed:", response.choices[0].message.content)
    except GuardrailRaisedException as refused:
        print("refused:", refused.message)


asyncio.run(ask("Mount Everest is 8,849 m high."))
asyncio.run(ask("Mount Everest is 8,489 m high."))
