import asyncio

import pytest

pytest.importorskip("nemoguardrails", reason="pip install 'assay-check[nemo]', or make test-frameworks")
from langchain_core.language_models import FakeListChatModel
from nemoguardrails import LLMRails, RailsConfig

from assay.engine import Engine
from assay.integrations.nemo import FLOW, check_grounding

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."
CONFIG = """
models: []
rails:
  output:
    flows:
      - assay check grounding
"""


def ask(says, chunks):
    config = RailsConfig.from_content(colang_content=FLOW, yaml_content=CONFIG)
    rails = LLMRails(config, llm=FakeListChatModel(responses=[says]))
    rails.register_action(check_grounding(Engine(judge="lexical")))
    messages = [
        {"role": "context", "content": {"relevant_chunks": chunks}},
        {"role": "user", "content": "How high is Mount Everest?"},
    ]
    return rails.generate(messages=messages)["content"]


def test_the_rail_blocks_what_the_chunks_refute():
    assert ask(RIGHT, SOURCE) == RIGHT
    assert ask(WRONG, SOURCE) != WRONG


def test_a_claim_with_no_chunks_is_blocked_and_small_talk_is_not():
    assert ask(RIGHT, "") != RIGHT
    assert ask("How may I help you?", "") == "How may I help you?"


def test_the_action_says_why():
    action = check_grounding(Engine(judge="lexical"))
    told = asyncio.run(action(context={"bot_message": WRONG, "relevant_chunks_sep": [SOURCE]}))
    assert told.is_blocked
    assert "8,849 m" in told.reason
    assert told.metadata["score"] == 0.0
    assert action.action_meta["name"] == "assay_check_grounding"
