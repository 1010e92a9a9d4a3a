"""A server on this machine that keeps what clients of observability tools send it, and answers as asked."""

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@contextmanager
def recording(answer: Callable[[str, Any], Any]) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """The address of the server and the (path, body) of each request; JSON is read, other bodies stay bytes."""
    seen: list[tuple[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body: Any = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            if "json" in self.headers.get("Content-Type", ""):
                body = json.loads(body)
            seen.append((self.path, body))
            self.reply(answer(self.path, body))

        def do_GET(self) -> None:
            self.reply(answer(self.path, None))

        def reply(self, told: Any) -> None:
            raw = json.dumps(told).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()
