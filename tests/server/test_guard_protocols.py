"""Unmodified clients of OpenAI and Anthropic through the guard to an upstream on this machine."""

import contextlib
import io
import json

import anthropic
import httpx
import openai
import pytest

from assay.server.guard.app import make_guard
from assay.server.keys import ApiKey
from assay.server.settings import Settings
from tests.server.loopback import running
from tests.server.protocols import HEADERS, make_upstream
from tests.server.test_guard import FALSE, SOURCE, TRUE

SAFE = "It stands on the border between Nepal and China."
ODD = f"It stands on the border between Nepal\u2028and China. {TRUE}"  # a separator that is no line feed
MODES = ("annotate", "hold", "block", "repair")


@pytest.fixture(scope="module")
def upstream():
    app = make_upstream({"true": TRUE, "false": FALSE, "odd": ODD})
    with running(app) as address:
        yield app, f"{address}/v1"


@pytest.fixture(scope="module")
def guards(upstream, tmp_path_factory):
    """The address of a guard with some settings; the same settings are served once."""
    made = {}
    with contextlib.ExitStack() as stack:

        def make(mode="annotate", **changes):
            at = (mode, str(changes))
            if at not in made:
                folder = str(tmp_path_factory.mktemp("data"))
                settings = Settings(data=folder, judge="lexical", embedder="static", warm=False, upstream=upstream[1])
                made[at] = stack.enter_context(running(make_guard(settings.but(guard=mode, **changes))))
            return made[at]

        yield make


class Chat:
    """The three protocols, each by its official client: what a reader sees, how it ended, and the report."""

    errors = openai.APIError

    def __init__(self, address, key="k"):
        self.client = openai.OpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0)

    def ask(self, model, **extra):
        body = {"sources": [SOURCE]} | extra
        messages = [{"role": "user", "content": "Tell me about Everest, please."}]
        return self.client.chat.completions.create(model=model, messages=messages, extra_body=body)

    def whole(self, model):
        got = self.ask(model)
        assert got.id == "chatcmpl-7"
        assert got.usage.total_tokens == 18
        return got.choices[0].message.content, got.choices[0].finish_reason == "content_filter", got.assay

    def stream(self, model):
        messages = [{"role": "user", "content": "Tell me about Everest, please."}]
        text, stopped, note = "", None, None
        for chunk in self.client.chat.completions.create(
            model=model,
            messages=messages,
            stream=True,
            stream_options={"include_usage": True},
            extra_body={"sources": [SOURCE]},
        ):
            assert chunk.id == "chatcmpl-7"
            note = getattr(chunk, "assay", None) or note
            for choice in chunk.choices:
                text += choice.delta.content or ""
                stopped = choice.finish_reason or stopped
            usage = chunk.usage
        assert stopped == "content_filter" or usage.total_tokens == 18
        return text, stopped == "content_filter", note


class Responses(Chat):
    def whole(self, model):
        got = self.client.responses.create(model=model, input="Tell me of it.", extra_body={"sources": [SOURCE]})
        assert got.id == "resp_5"
        assert got.usage.total_tokens == 18
        return got.output_text, got.status == "incomplete", got.assay

    def stream(self, model):
        streamed = ""
        numbers = []
        with self.client.responses.stream(
            model=model, input="Tell me of it.", extra_body={"sources": [SOURCE]}
        ) as events:
            for event in events:
                numbers.append(event.sequence_number)
                streamed += event.delta if event.type == "response.output_text.delta" else ""
                if event.type in ("response.completed", "response.incomplete"):
                    last = event.response
        assert last.output_text == streamed  # what is repeated is what was shown
        assert last.id == "resp_5"
        assert numbers == list(range(len(numbers)))
        return streamed, last.status == "incomplete", last.assay


class Messages(Chat):
    errors = anthropic.APIError

    def __init__(self, address, key="k"):
        self.client = anthropic.Anthropic(base_url=address, api_key=key, max_retries=0)
        self.asked = {"max_tokens": 100, "messages": [{"role": "user", "content": "Tell me about Everest, please."}]}

    def whole(self, model):
        got = self.client.messages.create(model=model, **self.asked, extra_body={"sources": [SOURCE]})
        assert got.id == "msg_01"
        assert got.usage.output_tokens == 7
        return "".join(block.text for block in got.content), got.stop_reason == "refusal", got.assay

    def stream(self, model):
        note = None
        with self.client.messages.stream(model=model, **self.asked, extra_body={"sources": [SOURCE]}) as events:
            for event in events:
                note = getattr(event, "assay", None) or note
            got = events.get_final_message()
        assert got.id == "msg_01"
        return "".join(block.text for block in got.content), got.stop_reason == "refusal", note


@pytest.mark.parametrize("way", ["whole", "stream"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("speak", [Chat, Responses, Messages])
def test_a_grounded_answer_comes_through_unchanged(guards, speak, mode, way):
    text, stopped, note = getattr(speak(guards(mode)), way)("true")
    assert (text.strip(), stopped, note["verdict"]) == (TRUE, False, "SUPPORTED")


@pytest.mark.parametrize("way", ["whole", "stream", "plain"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("speak", [Chat, Responses, Messages])
def test_no_unmodified_client_shows_refuted_text(guards, speak, mode, way):
    client = speak(guards(mode))
    text, stopped, note = client.stream("false/plain") if way == "plain" else getattr(client, way)("false")
    if mode == "annotate":
        assert (text.strip(), stopped, note["verdict"]) == (FALSE, False, "REFUTED")
        return
    assert "8,489" not in text
    if mode == "repair":
        assert ("8,849" in text, stopped, note["verdict"]) == (True, False, "SUPPORTED")
        return
    assert (stopped, note["verdict"]) == (True, "REFUTED")
    assert "8,489" in str(note["halt"])
    if mode == "hold":
        assert text.strip() == SAFE
    else:
        assert text.startswith("I cannot provide a verified answer")
        assert "8,849" in text


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("speak", [Chat, Responses, Messages])
@pytest.mark.parametrize(
    ("way", "said"), [("cut", "before the answer was complete"), ("reset", "upstream"), ("error", "GPU")]
)
def test_a_stream_that_breaks_is_an_error_and_no_verdict(guards, speak, mode, way, said):
    client = speak(guards(mode))
    with pytest.raises(client.errors, match=said):
        client.stream(f"true/{way}")


@pytest.mark.parametrize("mode", ["annotate", "hold"])
def test_an_error_comes_before_any_verdict(guards, mode):
    body = {"model": "false/error", "messages": [{"role": "user", "content": "?"}], "stream": True, "sources": [SOURCE]}
    got = httpx.post(f"{guards(mode)}/v1/chat/completions", json=body).text
    assert "assay" not in got
    assert got.rstrip().rpartition("data: ")[2].startswith('{"type":"error","error":{"message":"the GPU')


@pytest.mark.parametrize("way", ["nodone", "nofinish"])
@pytest.mark.parametrize("mode", MODES)
def test_a_stream_may_lack_the_finish_reason_or_the_end_mark_but_not_both(guards, mode, way):
    client = Chat(guards(mode)).client
    asked = {"messages": [{"role": "user", "content": "?"}], "stream": True, "extra_body": {"sources": [SOURCE]}}
    chunks = list(client.chat.completions.create(model=f"true/{way}", **asked))
    text = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    reasons = {choice.finish_reason for chunk in chunks for choice in chunk.choices} - {None}
    assert text.strip() == TRUE
    assert reasons == ({"stop"} if way == "nodone" else set())  # nothing is made up
    assert next(chunk.assay for chunk in chunks if hasattr(chunk, "assay"))["verdict"] == "SUPPORTED"


def test_line_separators_inside_a_text_do_not_break_an_event(guards):
    assert Chat(guards("annotate")).stream("odd")[0].strip() == ODD


@pytest.mark.parametrize("mode", MODES)
def test_several_choices_of_a_stream_are_each_guarded(guards, mode):
    client = Chat(guards(mode)).client
    asked = {"messages": [{"role": "user", "content": "?"}], "stream": True, "extra_body": {"sources": [SOURCE]}}
    texts, reasons, note = ["", ""], ["", ""], None
    for chunk in client.chat.completions.create(model="false", n=2, **asked):
        note = getattr(chunk, "assay", None) or note
        for choice in chunk.choices:
            texts[choice.index] += choice.delta.content or ""
            reasons[choice.index] = choice.finish_reason or reasons[choice.index]
    assert len(note["choices"]) == 2
    assert texts[0] == texts[1]
    assert ("8,489" in texts[0]) is (mode == "annotate")
    assert set(reasons) == {"content_filter" if mode in ("hold", "block") else "stop"}


def test_everything_else_passes_through_untouched(guards, upstream):
    client = Chat(guards("block")).client
    got = client.embeddings.with_raw_response.create(model="e", input="x")
    assert got.parse().data[0].embedding == [0.25, -1.5]
    assert {name: got.headers[name] for name in HEADERS} == HEADERS
    assert client.completions.create(model="m", prompt="p").choices[0].text == FALSE
    assert client.models.retrieve("org/name-1:latest").id == "org/name-1:latest"
    assert client.audio.speech.create(model="m", voice="alloy", input="x").content == bytes(range(256))
    heard = client.audio.transcriptions.create(model="m", file=("a.wav", io.BytesIO(b"[[[\x00\xff")))
    assert heard.text == "heard"
    assert b"[[[\x00\xff" in upstream[0].state.bodies[-1]
    with pytest.raises(openai.NotFoundError, match="no files/f"):
        client.files.retrieve("f")
    httpx.get(f"{guards('block')}/v1/things?a=1&b=%20", headers={"x-mine": "yes"})
    method, path, query, headers = upstream[0].state.seen[-1]
    assert (method, path, query, headers["x-mine"]) == ("GET", b"/v1/things", "a=1&b=%20", "yes")


@pytest.mark.parametrize("speak", [Chat, Responses])
@pytest.mark.parametrize("stream", [False, True])
def test_headers_of_the_upstream_come_with_a_checked_answer_too(guards, speak, stream):
    path = "chat/completions" if speak is Chat else "responses"
    body = {"model": "true", "input": "x", "messages": [{"role": "user", "content": "x"}], "stream": stream}
    got = httpx.post(f"{guards()}/v1/{path}", json=body)
    assert {name: got.headers[name] for name in HEADERS} == HEADERS
    assert len(got.headers["x-assay-request-id"]) == 24
    assert len(got.headers.get_list("date")) == 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("model", ["true/plain", "true", "false/plain"])
def test_the_role_of_a_streamed_answer_comes_with_its_first_text_or_before(guards, mode, model):
    asked = {"model": model, "stream": True, "messages": [{"role": "user", "content": "x"}], "sources": [SOURCE]}
    got = httpx.post(f"{guards(mode)}/v1/chat/completions", json=asked, timeout=120)
    events = [json.loads(line[6:]) for line in got.text.splitlines() if line.startswith("data: {")]
    deltas = [choice["delta"] for event in events for choice in event["choices"]]
    first = next(at for at, delta in enumerate(deltas) if delta.get("content"))
    assert "assistant" in [delta.get("role") for delta in deltas[: first + 1]]


def test_a_request_without_fields_of_the_guard_goes_upstream_as_it_is(guards, upstream):
    odd = {"model": "true", "messages": [{"role": "user", "content": "x"}], "unheard_of": [1, {"a": None}]}
    httpx.post(f"{guards()}/v1/chat/completions", json=odd, headers={"openai-organization": "org-1"})
    assert upstream[0].state.bodies[-1] == odd
    assert upstream[0].state.seen[-1][3]["openai-organization"] == "org-1"


def test_with_keys_of_its_own_the_guard_sends_its_upstream_key_in_the_way_of_the_protocol(guards, upstream):
    plain, key = ApiKey.make("app", workspace="team")
    address = guards("annotate", keys=[key], upstream_key="sk-secret")
    Messages(address, plain).whole("true")
    headers = upstream[0].state.seen[-1][3]
    assert headers["x-api-key"] == "sk-secret"
    assert "authorization" not in headers
    Chat(address, plain).client.embeddings.create(model="e", input="x")
    headers = upstream[0].state.seen[-1][3]
    assert headers["authorization"] == "Bearer sk-secret"
    assert plain not in str(headers)


def test_an_answer_in_the_background_is_refused_where_it_could_not_be_checked(guards):
    with pytest.raises(openai.BadRequestError, match="background"):
        Chat(guards("hold")).client.responses.create(model="true", input="x", background=True)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            "messages",
            {
                "system": "Use the tools.",
                "messages": [
                    {"role": "user", "content": "How high is Mount Everest?"},
                    {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]},
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": SOURCE}]},
                ],
            },
        ),
        ("responses", {"input": [{"type": "function_call_output", "call_id": "1", "output": SOURCE}]}),
        ("responses", {"instructions": SOURCE, "input": "How high is Mount Everest?"}),
    ],
)
def test_sources_are_found_in_the_conversation_of_each_protocol(guards, path, body):
    got = httpx.post(f"{guards('hold')}/v1/{path}", json={"model": "false"} | body).json()
    assert (got["assay"]["sources"], got["assay"]["verdict"]) == ("prompt", "REFUTED")


def test_a_client_that_leaves_frees_its_place(guards, upstream):
    import time

    address = guards("hold", streams=1, queue=1, queue_seconds=5.0)
    body = {"model": "true/slow", "messages": [{"role": "user", "content": "x"}], "stream": True}
    for _ in range(3):
        with httpx.stream("POST", f"{address}/v1/chat/completions", json=body) as got:
            assert got.status_code == 200
            next(got.iter_bytes())
    time.sleep(0.1)
    assert httpx.post(f"{address}/v1/chat/completions", json=body | {"stream": False}).status_code == 200
