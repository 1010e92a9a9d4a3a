"""The example answers of the OpenAPI document: `python docs/api_examples.py` asks a server each operation and writes
`src/assay/server/examples.json`."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from assay.server.app import make_app
from assay.server.bodies import ANSWER, SOURCE
from assay.server.settings import Settings

PLACE = Path(__file__).parent.parent / "src" / "assay" / "server" / "examples.json"
_WRITES = ("post", "put")
_EMPTIES = ("/v1/audits/purge", "/v1/monitor/reset")
# Of a text only its beginning is shown.
_FRAMES, _LINES, _LETTERS = 2, 12, 1_000


def record() -> dict[str, Any]:
    """The answers to each operation by its id and their media type; what stores something is asked first."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data=folder, judge="lexical", embedder="static", warm=False)
        app = make_app(settings)
        with TestClient(app, base_url="http://localhost", client=("127.0.0.1", 50000)) as client:
            document = client.get("/v1/openapi.json").json()
            operations = [
                (method, path, operation)
                for path, methods in document["paths"].items()
                for method, operation in methods.items()
            ]
            operations.sort(key=lambda item: _rank(item[0], item[1]))
            client.post("/v1/documents", json=_body(document, "post", "/v1/documents")).raise_for_status()
            run = client.post("/v1/verify", json={"answer": ANSWER, "sources": [SOURCE]}).json()["run_id"]
            ids = {"/v1/audits/": run, "/v1/documents/": "everest"}
            found: dict[str, Any] = {}
            for method, path, operation in operations:
                place = re.sub(r"\{[^}]+\}", lambda _, path=path: _id_for(path, ids), path)
                given: dict[str, Any] = {}
                content = operation.get("requestBody", {}).get("content", {})
                if "multipart/form-data" in content:
                    given["files"] = {"files": ("everest.txt", SOURCE.encode())}
                elif content:
                    given["json"] = _body(document, method, path) | ({"run_id": run} if "feedback" in path else {})
                told = found[operation["operationId"]] = {}
                for query in _queries(operation):
                    answer = client.request(method, place, params=query, **given)
                    if answer.status_code not in (200, 201):
                        sys.exit(f"{method.upper()} {place} answered {answer.status_code}: {answer.text}")
                    told[answer.headers["content-type"].partition(";")[0]] = _shown(answer)
                if method == "post" and path in ("/v1/eval", "/v1/traces"):
                    ids[f"{path}/"] = answer.json()["id"]
    return dict(sorted(found.items()))


def _rank(method: str, path: str) -> tuple[int, bool, str]:
    stage = 3 if path in _EMPTIES else 2 if method == "delete" else 0 if method in _WRITES else 1
    return stage, "{" in path, path


def _queries(operation: dict[str, Any]) -> list[dict[str, str]]:
    """The queries that make the different kinds of files an operation gives."""
    kinds = [one["schema"]["enum"] for one in operation.get("parameters", ()) if one["name"] == "format"]
    return [{"format": kind} for kind in kinds[0]] if kinds else [{}]


def _id_for(path: str, ids: dict[str, str]) -> str:
    return next(value for start, value in ids.items() if path.startswith(start))


def _body(document: dict[str, Any], method: str, path: str) -> dict[str, Any]:
    """The example of an operation's body."""
    content = document["paths"][path][method]["requestBody"]["content"]["application/json"]
    name = content["schema"]["$ref"].rpartition("/")[2]
    example: dict[str, Any] = document["components"]["schemas"][name]["examples"][0]
    return example


def _shown(answer: Any) -> Any:
    kind = answer.headers["content-type"]
    if kind.startswith("application/json"):
        return answer.json()
    if kind.startswith("text/event-stream"):
        return "\n\n".join(answer.text.split("\n\n")[:_FRAMES]) + "\n\n"
    return "\n".join(answer.text.splitlines()[:_LINES])[:_LETTERS]


if __name__ == "__main__":
    PLACE.write_text(json.dumps(record(), indent=1, ensure_ascii=True) + "\n", "utf-8")
    print(f"wrote {PLACE}")
