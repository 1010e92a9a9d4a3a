"""A small HTTP server on loopback that speaks OpenAI's and Anthropic's protocols, as a script tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One answer of the server: a text in the protocol asked for, or a raw body with a status and headers."""

    text: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    cut_after: int | None = None
    wait: float = 0.0
    logprobs: bool = False
    events: tuple[bytes, ...] | None = None


class Provider:
    """Answers one request after the other from its script; keeps what it was asked."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.times: list[float] = []
        self.released = threading.Event()
        self.gone = threading.Event()

    def next(self) -> Reply:
        return self.replies[min(len(self.requests), len(self.replies)) - 1]


@contextmanager
def serve(*replies: Reply) -> Iterator[tuple[Provider, str]]:
    provider = Provider(replies)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            provider.requests.append(json.loads(body))
            provider.paths.append(self.path)
            provider.times.append(time.monotonic())
            reply = provider.next()
            if reply.wait:
                provider.released.wait(reply.wait)
            asked = provider.requests[-1]
            anthropic = self.path.endswith("/messages")
            if reply.status == 200 and asked.get("stream") and reply.body is None:
                self.stream(reply, anthropic)
                return
            content = reply.body
            if content is None:
                whole = anthropic_body(reply.text) if anthropic else openai_body(reply)
                content = json.dumps(whole).encode()
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def stream(self, reply: Reply, anthropic: bool) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            events = reply.events or tuple(anthropic_events(reply.text) if anthropic else openai_events(reply.text))
            try:
                for number, event in enumerate(events):
                    if reply.cut_after is not None and number >= reply.cut_after:
                        break
                    self.wfile.write(event)
                    self.wfile.flush()
                    if reply.wait and number == 2:
                        provider.released.wait(reply.wait)
            except OSError:
                provider.gone.set()
            self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider, f"http://127.0.0.1:{server.server_port}"
    finally:
        provider.released.set()
        server.shutdown()
        server.server_close()


def openai_body(reply: Reply) -> dict[str, Any]:
    choice: dict[str, Any] = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": reply.text},
    }
    if reply.logprobs:
        top = [{"token": "Yes", "logprob": -0.1, "bytes": None}, {"token": "No", "logprob": -2.3, "bytes": None}]
        choice["logprobs"] = {"content": [{"token": "Yes", "logprob": -0.1, "bytes": None, "top_logprobs": top}]}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny",
        "choices": [choice],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
    }


def openai_events(text: str) -> Iterator[bytes]:
    for piece in text.split(" "):
        yield _event(_chunk({"content": piece + " "}))
    yield _event(_chunk({}, "stop"))
    yield b"data: [DONE]\n\n"


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "tiny", "choices": [choice]}


def anthropic_body(text: str) -> dict[str, Any]:
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "tiny",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 100},
    }


def anthropic_events(text: str) -> Iterator[bytes]:
    start = anthropic_body("") | {"content": [], "stop_reason": None}
    yield _named("message_start", {"message": start})
    yield _named("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}})
    for piece in text.split(" "):
        yield _named("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": piece + " "}})
    yield _named("content_block_stop", {"index": 0})
    ending = {"delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 5}}
    yield _named("message_delta", ending)
    yield _named("message_stop", {})


def _named(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\n".encode() + _event({"type": name, **data})


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"
