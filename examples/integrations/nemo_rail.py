"""NeMo Guardrails: an output rail that blocks what the retrieved chunks do not support.

pip install 'assay-check[nemo]' langchain-core
"""

from langchain_core.language_models import FakeListChatModel  # yours stands under `models:` in the configuration
from nemoguardrails import LLMRails, RailsConfig

from assay.integrations.nemo import FLOW, check_grounding

settings = "models: []\nrails: {output: {flows: [assay check grounding]}}"
config = RailsConfig.from_content(colang_content=FLOW, yaml_content=settings)
rails = LLMRails(config, llm=FakeListChatModel(responses=["Mount Everest is 8,489 m high."]))
rails.register_action(check_grounding())

asked = {"role": "user", "content": "How high is Mount Everest?"}
known = {"role": "context", "content": {"relevant_chunks": "Mount Everest is 8,849 m high."}}
print(rails.generate(messages=[known, asked])["content"])
