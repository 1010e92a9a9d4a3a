"""The hosted generators, driven by the official SDKs against a real server on loopback."""

from __future__ import annotations

import asyncio

import pytest

from assay.errors import GeneratorError, UsageError
from assay.llm import Generator, Message, make_generator
from assay.llm.waiting import run
from assay.policy import Policy
from tests.llm.provider import Reply, serve

pytest.importorskip("openai")
pytest.importorskip("anthropic")

ASK = [Message("system", "Be brief."), Message("user", "How high is Everest?")]
KINDS = ("openai", "anthropic")
QUICK = Policy(generator_retries=0, generator_timeout_s=20)


def connect(kind: str, url: str, policy: Policy = QUICK) -> Generator:
    base = f"{url}/v1" if kind == "openai" else url
    return make_generator(f"{kind}:tiny@{base}", policy=policy)


async def collect(generator: Generator) -> list[str]:
    return [piece async for piece in generator.stream(ASK)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_completion_carries_the_text_and_what_it_took(kind: str) -> None:
    with serve(Reply("8,849 m.")) as (provider, url):
        completion = run(connect(kind, url).complete(ASK, max_tokens=20))
    assert completion.text == "8,849 m."
    assert (completion.prompt_tokens, completion.completion_tokens) == (1000, 100)
    assert completion.finish_reason == "stop"
    assert provider.requests[0]["model"] == "tiny"
    assert provider.requests[0]["max_tokens"] == 20
    assert provider.requests[0]["temperature"] == 0.0


def test_each_protocol_gets_the_system_message_in_its_own_way() -> None:
    with serve(Reply("Yes.")) as (provider, url):
        run(connect("openai", url).complete(ASK))
        run(connect("anthropic", url).complete(ASK))
    assert [message["role"] for message in provider.requests[0]["messages"]] == ["system", "user"]
    assert provider.requests[1]["system"] == "Be brief."
    assert [message["role"] for message in provider.requests[1]["messages"]] == ["user"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_gives_the_text_piece_by_piece(kind: str) -> None:
    with serve(Reply("It is 8,849 m high.")) as (_, url):
        pieces = run(collect(connect(kind, url)))
    assert len(pieces) > 1
    assert "".join(pieces).strip() == "It is 8,849 m high."


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_that_is_cut_is_an_error_and_not_a_short_answer(kind: str) -> None:
    with (
        serve(Reply("It is 8,849 m high.", cut_after=3)) as (_, url),
        pytest.raises(GeneratorError, match="cut before its end"),
    ):
        run(collect(connect(kind, url)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_rate_limit_is_waited_out_as_the_server_asks(kind: str) -> None:
    limited = Reply(status=429, headers={"Retry-After": "0.2"}, body=b'{"error": {"message": "slow down"}}')
    with serve(limited, Reply("8,849 m.")) as (provider, url):
        completion = run(connect(kind, url, Policy(generator_retries=2)).complete(ASK))
    assert completion.text == "8,849 m."
    assert len(provider.requests) == 2
    assert provider.times[1] - provider.times[0] >= 0.19


@pytest.mark.parametrize("kind", KINDS)
def test_a_rate_limit_that_stays_is_told(kind: str) -> None:
    limited = Reply(status=429, headers={"Retry-After": "0.01"}, body=b'{"error": {"message": "slow down"}}')
    with serve(limited) as (provider, url), pytest.raises(GeneratorError, match="limiting the rate"):
        run(connect(kind, url, Policy(generator_retries=1)).complete(ASK))
    assert len(provider.requests) == 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(status=500, body=b'{"error": {"message": "boom"}}'), "status 500"),
        (Reply(status=401, body=b'{"error": {"message": "who are you"}}'), "refused the key; set .*_API_KEY"),
        (Reply(status=404, body=b'{"error": {"message": "no such model"}}'), "is the model's name right"),
        (Reply(body=b"<html>gateway</html>"), "no completion"),
        (Reply(body=b'{"choices": [], "content": null}'), "no completion"),
        (Reply(body=b'"hello"'), "no completion"),
    ],
)
def test_what_goes_wrong_is_said_plainly(kind: str, reply: Reply, message: str) -> None:
    with serve(reply) as (_, url), pytest.raises(GeneratorError, match=message):
        run(connect(kind, url).complete(ASK))


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_of_broken_json_is_an_error(kind: str) -> None:
    events = (b'event: message_start\ndata: {"type": "mess\n\n',)
    with serve(Reply(events=events)) as (_, url), pytest.raises(GeneratorError):
        run(collect(connect(kind, url)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_is_not_there_is_said_to_be_unreachable(kind: str) -> None:
    with pytest.raises(GeneratorError, match="cannot be reached"):
        run(connect(kind, "http://127.0.0.1:9").complete(ASK))


@pytest.mark.parametrize("kind", KINDS)
def test_a_silent_server_runs_into_the_timeout(kind: str) -> None:
    policy = Policy(generator_retries=0, generator_timeout_s=0.3)
    with serve(Reply("late", wait=10)) as (_, url), pytest.raises(GeneratorError, match="did not answer in time"):
        run(connect(kind, url, policy).complete(ASK))


@pytest.mark.parametrize("kind", KINDS)
def test_a_cancelled_stream_closes_its_connection(kind: str) -> None:
    text = " ".join(["word"] * 100_000)

    async def listen(generator: Generator) -> None:
        stream = generator.stream(ASK)
        async for _ in stream:
            break
        await stream.aclose()  # type: ignore[attr-defined]

    with serve(Reply(text)) as (provider, url):
        run(listen(connect(kind, url)))
        assert provider.gone.wait(10)


def test_a_waiting_call_can_be_cancelled() -> None:
    async def give_up(generator: Generator) -> None:
        task = asyncio.create_task(generator.complete(ASK))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with serve(Reply("late", wait=10)) as (_, url):
        run(give_up(connect("openai", url)))


def test_options_a_model_does_not_take_are_left_out_and_remembered() -> None:
    refusal = b'{"error": {"message": "Unsupported parameter: %s is not supported with this model", "code": 400}}'
    with serve(
        Reply(status=400, body=refusal % b"max_tokens"),
        Reply(status=400, body=refusal % b"temperature"),
        Reply("ok"),
    ) as (provider, url):
        generator = connect("openai", url)
        assert run(generator.complete(ASK, max_tokens=7)).text == "ok"
        run(generator.complete(ASK, max_tokens=7))
    assert provider.requests[2]["max_completion_tokens"] == 7
    assert "temperature" not in provider.requests[2]
    assert len(provider.requests) == 4


@pytest.mark.parametrize("status", [400, 422])
def test_log_probabilities_that_are_refused_are_asked_for_no_more(status: int) -> None:
    refusal = b'{"error": {"message": "logprobs are not supported by this model", "code": 400}}'
    with serve(Reply(status=status, body=refusal), Reply("ok")) as (provider, url):
        generator = connect("openai", url)
        completion = run(generator.complete(ASK, logprobs=3))
        run(generator.complete(ASK, logprobs=3))
    assert (completion.text, completion.logprobs) == ("ok", None)
    assert "logprobs" in provider.requests[0]
    assert all("logprobs" not in sent and "top_logprobs" not in sent for sent in provider.requests[1:])
    assert len(provider.requests) == 3


def test_anthropic_models_that_take_no_temperature_are_asked_without() -> None:
    refusal = b'{"type": "error", "error": {"type": "invalid_request_error", "message": "temperature: not allowed"}}'
    with serve(Reply(status=400, body=refusal), Reply("ok")) as (provider, url):
        assert run(connect("anthropic", url).complete(ASK)).text == "ok"
    assert "temperature" not in provider.requests[1]


def test_a_request_that_is_simply_wrong_is_not_repeated_for_ever() -> None:
    body = b'{"error": {"message": "the messages are too long"}}'
    with serve(Reply(status=400, body=body)) as (provider, url), pytest.raises(GeneratorError, match="status 400"):
        run(connect("openai", url).complete(ASK))
    assert len(provider.requests) == 1


def test_schemas_and_log_probabilities_are_asked_for_in_each_protocol() -> None:
    schema = {"type": "object", "properties": {}}
    with serve(Reply("{}", logprobs=True)) as (provider, url):
        completion = run(connect("openai", url).complete(ASK, schema=schema, logprobs=2))
        run(connect("anthropic", url).complete(ASK, schema=schema))
        with pytest.raises(UsageError, match="no log-probabilities"):
            run(connect("anthropic", url).complete(ASK, logprobs=2))
    assert completion.logprobs is not None
    assert completion.logprobs[0].top == {"Yes": -0.1, "No": -2.3}
    assert provider.requests[0]["response_format"]["json_schema"]["schema"] == schema
    assert provider.requests[1]["output_config"]["format"]["schema"] == schema


def test_one_generator_serves_two_event_loops() -> None:
    with serve(Reply("ok")) as (_, url):
        generator = connect("openai", url)
        assert run(generator.complete(ASK)).text == "ok"
        assert asyncio.run(generator.complete(ASK)).text == "ok"
        assert run(generator.complete(ASK)).text == "ok"


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_key_the_provider_itself_is_not_asked(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(f"{kind.upper()}_API_KEY", raising=False)
    with pytest.raises(UsageError, match=f"set {kind.upper()}_API_KEY"):
        run(make_generator(f"{kind}:tiny").complete(ASK))
