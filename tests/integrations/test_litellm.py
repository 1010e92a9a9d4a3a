import asyncio
import importlib.util

import pytest

pytest.importorskip("litellm", reason="pip install 'assay-check[litellm]', or make test-frameworks")
import litellm
from litellm.exceptions import GuardrailRaisedException

from assay.integrations.litellm import AssayGuardrail

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."
PROMPT = [{"role": "user", "content": f"{SOURCE} Nepal and China share it.\n\nHow high is Mount Everest?"}]


@pytest.fixture
def guardrail(monkeypatch):
    made = AssayGuardrail(judge="lexical", guardrail_name="assay", event_hook="post_call", default_on=True)
    monkeypatch.setattr(litellm, "callbacks", [made])
    return made


def ask(says, messages=PROMPT, **options):
    return litellm.acompletion(
        model="openai/none", api_key="none", messages=messages, mock_response=says, guardrails=["assay"], **options
    )


def test_an_answer_that_its_prompt_refutes_does_not_reach_the_caller(guardrail):
    with pytest.raises(GuardrailRaisedException, match="8,849 m") as raised:
        asyncio.run(ask(WRONG))
    assert raised.value.blocked_content
    assert raised.value.guardrail_name == "assay"
    assert asyncio.run(ask(RIGHT)).choices[0].message.content == RIGHT
    assert asyncio.run(ask(OPINION)).choices[0].message.content == OPINION


def test_sources_of_the_metadata_come_before_the_prompt(guardrail):
    asked = [{"role": "user", "content": "How high is Everest?"}]
    with pytest.raises(GuardrailRaisedException):
        asyncio.run(ask(RIGHT, asked))  # nothing to lean on
    assert asyncio.run(ask(RIGHT, asked, metadata={"sources": [SOURCE]})).choices[0].message.content == RIGHT
    with pytest.raises(GuardrailRaisedException):
        asyncio.run(ask(RIGHT, metadata={"sources": ["K2 is 8,611 m high."]}))


def test_a_stream_is_held_back_until_it_is_checked(guardrail):
    async def stream(says):
        response = await litellm.acompletion(
            model="openai/none", api_key="none", messages=PROMPT, mock_response=says, stream=True
        )
        data = {"messages": PROMPT, "guardrails": ["assay"]}
        return [chunk async for chunk in guardrail.async_post_call_streaming_iterator_hook(None, response, data)]

    chunks = asyncio.run(stream(RIGHT))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == RIGHT
    assert len(chunks) > 1
    with pytest.raises(GuardrailRaisedException):
        asyncio.run(stream(WRONG))


def test_a_guardrail_that_is_not_asked_for_lets_everything_through(monkeypatch):
    made = AssayGuardrail(judge="lexical", guardrail_name="assay", event_hook="post_call")
    response = litellm.completion(model="openai/none", api_key="none", messages=PROMPT, mock_response=WRONG)
    assert asyncio.run(made.async_post_call_success_hook({"messages": PROMPT}, None, response)) is response


@pytest.mark.skipif(not importlib.util.find_spec("apscheduler"), reason="the proxy needs pip install 'litellm[proxy]'")
def test_the_proxy_refuses_an_answer(tmp_path, monkeypatch):
    from fastapi.testclient import TestClient
    from litellm.proxy import proxy_server

    (tmp_path / "guard_file.py").write_text("from assay.integrations.litellm import AssayGuardrail\n")
    (tmp_path / "config.yaml").write_text(f"""
model_list:
  - {{model_name: wrong, litellm_params: {{model: openai/none, api_key: none, mock_response: "{WRONG}"}}}}
  - {{model_name: right, litellm_params: {{model: openai/none, api_key: none, mock_response: "{RIGHT}"}}}}
guardrails:
  - guardrail_name: assay
    litellm_params: {{guardrail: guard_file.AssayGuardrail, mode: post_call, default_on: true, judge: lexical}}
""")
    monkeypatch.setattr(litellm, "callbacks", [])
    asyncio.run(proxy_server.initialize(config=str(tmp_path / "config.yaml")))
    client = TestClient(proxy_server.app)
    right = client.post("/v1/chat/completions", json={"model": "right", "messages": PROMPT})
    assert right.status_code == 200, right.text
    assert right.json()["choices"][0]["message"]["content"] == RIGHT
    wrong = client.post("/v1/chat/completions", json={"model": "wrong", "messages": PROMPT})
    assert wrong.status_code == 400, wrong.text
    assert "8,849 m" in wrong.text
