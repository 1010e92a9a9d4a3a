"""The unmodified OpenAI client through the guard to an upstream on this machine."""

import openai
import pytest

from assay.server.guard.app import make_guard
from assay.server.guard.request import context_of, find_question
from assay.server.keys import ApiKey
from assay.server.settings import Settings
from tests.server.loopback import parrot, running

SOURCE = (
    "Mount Everest is 8,849 m high. Edmund Hillary and Tenzing Norgay first climbed it on 29 May 1953. "
    "It stands on the border between Nepal and China."
)
TRUE = (
    "Edmund Hillary and Tenzing Norgay first climbed it on 29 May 1953. "
    "It stands on the border between Nepal and China. Mount Everest is 8,849 m high."
)
FALSE = (
    "It stands on the border between Nepal and China. Mount Everest is 8,489 m high. "
    "Edmund Hillary and Tenzing Norgay first climbed it on 29 May 1953."
)
TOOL = {"content": None, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}
ASKED = [{"role": "user", "content": "Tell me about Everest, please."}]


@pytest.fixture(scope="module")
def upstream():
    app = parrot(
        {"true": TRUE, "false": FALSE, "short": "Everest is 8,489 m high.", "tool": TOOL, "busy": 429, "broken": 500}
        | PARTS
        | {"reasoned": {"content": TRUE, "reasoning_content": "Mount Everest is 8,849 m high."}}
    )
    with running(app) as address:
        yield app, f"{address}/v1"


PARTS = {
    "content": {"content": "It stands on the border between Nepal and China. Mount Everest is 8,489 m high."},
    "parts": {
        "content": [
            {"type": "text", "text": "It stands on the border between Nepal and China. Mount Everest"},
            {"type": "text", "text": " is 8,489 m high."},
        ]
    },
    "refusal": {"content": None, "refusal": "I cannot help. Mount Everest is 8,489 m high."},
    "reasoning": {"content": TRUE, "reasoning_content": "Let me think. Mount Everest is 8,489 m high."},
    "thoughts": {"content": TRUE, "reasoning": "Mount Everest is 8,489 m high."},
    "heading": {"content": f"# Mount Everest is 8,489 m high\n\n{TRUE}"},
    "fence": {"content": f"{TRUE}\n\n```\nMount Everest is 8,489 m high.\n```"},
    "references": {"content": f"{TRUE}\n\n## References\n\nMount Everest is 8,489 m high."},
    "doubt": {"content": f"{TRUE} I cannot say for sure, but Mount Everest is 8,489 m high."},
}


@pytest.fixture
def guard(upstream, tmp_path):
    """Makes OpenAI clients of a guard with some settings."""
    import contextlib

    with contextlib.ExitStack() as stack:

        def make(key="sk-of-the-upstream", **changes):
            settings = Settings(
                data=str(tmp_path / "data"), judge="lexical", embedder="static", warm=False, upstream=upstream[1]
            ).but(**changes)
            app = make_guard(settings)
            address = stack.enter_context(running(app))
            client = stack.enter_context(openai.OpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0))
            client.app = app
            return client

        yield make


def say(client, model, **options):
    extra = {"sources": [SOURCE]} | options.pop("extra", {})
    return client.chat.completions.create(model=model, messages=ASKED, extra_body=extra, **options)


def gather(stream):
    chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    last = next(chunk for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason)
    return text, last


def test_annotate_changes_nothing_and_adds_the_verdicts(guard):
    client = guard()
    answer = say(client, "false")
    assert answer.choices[0].message.content == FALSE
    assert answer.choices[0].finish_reason == "stop"
    assert answer.assay["verdict"] == "REFUTED"
    assert answer.usage.total_tokens == 3
    text, last = gather(say(client, "false", stream=True))
    assert text.strip() == FALSE
    assert (last.choices[0].finish_reason, last.assay["verdict"]) == ("stop", "REFUTED")


@pytest.mark.parametrize("mode", ["annotate", "hold", "block", "repair"])
def test_a_grounded_answer_passes_in_every_mode(guard, mode):
    client = guard(guard=mode)
    assert say(client, "true").choices[0].message.content == TRUE
    text, last = gather(say(client, "true", stream=True))
    assert text.strip() == TRUE
    assert (last.choices[0].finish_reason, last.assay["verdict"]) == ("stop", "SUPPORTED")


@pytest.mark.parametrize("mode", ["hold", "block"])
def test_a_refuted_stream_ends_with_a_valid_chunk_that_says_why(guard, mode):
    text, last = gather(say(guard(guard=mode), "false", stream=True))
    assert "29 May" not in text
    assert last.choices[0].finish_reason == "content_filter"
    assert "8,849" in last.assay["halt"]["reason"]
    assert last.assay["halt"]["finding"]["verdict"] == "REFUTED"
    assert last.assay["run_id"]
    if mode == "hold":
        assert "8,489" not in text


@pytest.mark.parametrize("mode", ["hold", "block"])
def test_a_short_answer_is_stopped_like_a_long_one(guard, mode):
    text, last = gather(say(guard(guard=mode), "short", stream=True))
    assert last.choices[0].finish_reason == "content_filter"
    if mode == "hold":
        assert text == ""


def test_block_answers_with_an_abstention_instead(guard):
    choice = say(guard(guard="block"), "false").choices[0]
    assert choice.finish_reason == "content_filter"
    assert choice.message.content.startswith("I cannot provide a verified answer")


@pytest.mark.parametrize("streamed", [False, True])
def test_a_blocked_answer_is_an_abstention_in_the_ledger(guard, streamed):
    client = guard(guard="block")
    answer = say(client, "false", stream=streamed)
    note = gather(answer)[1].assay if streamed else answer.assay
    (run,) = client.app.state.assay.workspaces.ledger("default").runs(abstained=True)
    assert (run.id, run.action) == (note["run_id"], "ABSTAIN")
    assert "8,849" in run.abstained
    if not streamed:
        assert note["action"] == "ABSTAIN"


def test_hold_gives_what_stands_before_the_refuted_sentence(guard):
    choice = say(guard(guard="hold"), "false").choices[0]
    assert choice.finish_reason == "content_filter"
    assert choice.message.content == "It stands on the border between Nepal and China."


@pytest.mark.parametrize("where", PARTS)
@pytest.mark.parametrize("mode", ["annotate", "hold", "block", "repair"])
def test_a_false_claim_is_caught_wherever_a_reader_sees_it(guard, mode, where):
    client = guard(guard=mode)
    answer = say(client, where)
    chunks = list(say(client, where, stream=True))
    last = next(chunk for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason)
    shown = str(answer.choices[0].message)
    if mode == "annotate":
        assert (answer.assay["verdict"], last.assay["verdict"]) == ("REFUTED", "REFUTED")
        assert "8,489" in shown
        return
    assert "8,489" not in shown
    if mode != "repair":
        assert answer.choices[0].finish_reason == last.choices[0].finish_reason == "content_filter"
    streamed = "".join(str(chunk.choices[0].delta) for chunk in chunks if chunk.choices)
    assert "8,489" not in streamed


def test_fields_of_a_streamed_message_keep_their_names(guard):
    chunks = list(say(guard(guard="hold"), "reasoned", stream=True))
    said = {}
    for chunk in chunks:
        if chunk.choices:
            for name, text in chunk.choices[0].delta.model_dump(exclude_none=True).items():
                said[name] = said.get(name, "") + (text if isinstance(text, str) else "")
    assert said["reasoning_content"].strip() == "Mount Everest is 8,849 m high."
    assert said["content"].strip() == TRUE


def test_repair_sends_what_the_sources_say(guard):
    client = guard(guard="repair")
    answer = say(client, "false")
    assert "8,849" in answer.choices[0].message.content
    assert "8,489" not in answer.choices[0].message.content
    assert answer.assay["repaired"]
    text, last = gather(say(client, "false", stream=True))
    assert "8,849" in text
    assert last.choices[0].finish_reason == "stop"


def test_usage_and_several_choices_and_tool_calls_come_through(guard):
    client = guard()
    chunks = list(say(client, "true", stream=True, stream_options={"include_usage": True}))
    assert chunks[-1].usage.total_tokens == 3
    many = say(client, "false", n=2)
    assert len(many.choices) == len(many.assay["choices"]) == 2
    assert say(client, "tool").choices[0].message.tool_calls[0].function.name == "f"


def test_sources_come_from_the_prompt_or_from_the_memory(guard):
    client = guard()
    prompt = [{"role": "system", "content": SOURCE}, {"role": "user", "content": "How high is it?"}]
    answer = client.chat.completions.create(model="false", messages=prompt)
    assert (answer.assay["sources"], answer.assay["verdict"]) == ("prompt", "REFUTED")
    from assay.types import Document

    client.app.state.assay.workspaces.memory("default").add([Document("everest", SOURCE)])
    answer = client.chat.completions.create(model="true", messages=ASKED)
    assert (answer.assay["sources"], answer.assay["verdict"]) == ("memory", "SUPPORTED")


def test_our_own_fields_do_not_reach_the_upstream_and_the_clients_key_does(guard, upstream):
    say(guard(), "true", extra={"assay": {"judge": "lexical"}}, temperature=0.3, seed=7)
    body, headers = upstream[0].state.seen[-1]
    assert body == {"model": "true", "messages": ASKED, "temperature": 0.3, "seed": 7}
    assert headers["authorization"] == "Bearer sk-of-the-upstream"


def test_with_keys_of_its_own_the_guard_keeps_them_and_their_modes(guard, upstream):
    plain, key = ApiKey.make("app", workspace="team")
    strict = ApiKey(key.name, key.workspace, key.role, key.sha256, guard="block")
    client = guard(plain, keys=[strict], upstream_key="sk-secret")
    answer = say(client, "false", extra={"assay": {"mode": "annotate"}})
    assert answer.choices[0].finish_reason == "content_filter"  # the key's mode holds, whatever the request says
    assert upstream[0].state.seen[-1][1]["authorization"] == "Bearer sk-secret"
    with pytest.raises(openai.AuthenticationError):
        say(client.with_options(api_key="assay_wrong-and-long-enough-to-be-one"), "true")


def test_errors_of_the_upstream_are_passed_on_as_they_are(guard):
    client = guard()
    with pytest.raises(openai.RateLimitError) as refused:
        say(client, "busy")
    assert refused.value.response.headers["retry-after"] == "7"
    with pytest.raises(openai.InternalServerError):
        say(client, "broken", stream=True)
    assert client.app.state.assay.slots.open == 0


def test_an_upstream_that_is_not_there_is_a_bad_gateway(guard):
    client = guard(upstream="http://127.0.0.1:9/v1")
    with pytest.raises(openai.InternalServerError) as failed:
        say(client, "true")
    assert failed.value.status_code == 502
    assert "upstream" in failed.value.body["message"]


def test_models_are_the_upstreams(guard):
    assert [model.id for model in guard().models.list()] == ["parrot"]


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"{}",
        b"nonsense",
        b'{"messages": []}',
        b'{"messages": [1]}',
        b'{"messages": [{}], "sources": 3}',
        b'{"messages": [{}], "assay": 1}',
        b'{"messages": [{}], "assay": {"mode": "x"}}',
        b"[" * 30_000,
    ],
)
def test_a_malformed_request_is_refused_before_it_goes_upstream(guard, upstream, body):
    import httpx

    client, before = guard(), len(upstream[0].state.seen)
    got = httpx.post(f"{client.base_url}chat/completions", content=body, headers={"content-type": "application/json"})
    assert got.status_code == 400
    assert got.json()["error"]["message"] == got.json()["detail"]
    assert len(upstream[0].state.seen) == before


def test_what_is_asked_is_no_source():
    messages = [
        {"role": "system", "content": "Answer from the context."},
        {"role": "user", "content": f"Context: {SOURCE}\n\nIs it true that Everest is 9,000 m high?"},
        {"role": "assistant", "content": "Everest is 9,000 m high, as I have said at some length already."},
    ]
    assert [document.text for document in context_of(messages)] == [f"Context: {SOURCE}"]
    assert find_question(messages) == "Is it true that Everest is 9,000 m high?"
