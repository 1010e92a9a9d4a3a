"""What every REST client counts on: named answers, pages, writes that may be sent again, and errors that say where."""

import re

import pytest

from tests.server.conftest import ANSWER, SOURCE

ITEM = {"answer": ANSWER, "sources": [SOURCE]}


def test_every_answer_has_a_named_schema_and_every_operation_a_name(client):
    document = client.get("/v1/openapi.json").json()
    names = []
    for path, methods in document["paths"].items():
        for operation in methods.values():
            names.append(operation["operationId"])
            for status, answer in operation["responses"].items():
                for media, content in answer.get("content", {}).items():
                    if media in ("application/json", "application/problem+json") and content.get("schema"):
                        assert re.fullmatch(r"#/components/schemas/\w+", content["schema"].get("$ref", "")), (
                            path,
                            status,
                        )
    assert len(set(names)) == len(names)
    assert {"VerifyResponse", "Problem", "ListDocumentsResponse"} <= set(document["components"]["schemas"])


def test_the_documentation_page_needs_nothing_from_elsewhere(client):
    page = client.get("/docs")
    assert page.status_code == 200
    found = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert not [one for one in found if "//" in one]
    for one in found:
        assert client.get(f"/{one}").status_code == 200, one
    assert "//" not in re.sub(r"^\s*//.*$|/\*.*?\*/", "", client.get("/js/docs.js").text, flags=re.MULTILINE)


def test_a_bad_item_of_a_batch_costs_the_others_nothing(client):
    items = [ITEM, {"answer": 3}, {"answer": "x", "unknown": 1}, 7, ITEM | {"judge": "none"}, ITEM]
    got = client.post("/v1/verify/batch", json={"items": items})
    assert got.status_code == 200
    first, *bad, last = got.json()["results"]
    assert first["verdict"] == last["verdict"] == "REFUTED"
    assert [one["status"] for one in bad] == [422] * 4
    assert bad[0]["detail"].startswith("answer: ")
    assert "unknown" in bad[1]["detail"]


def pages(client, path, name, **query):
    found, cursor = [], None
    for _ in range(20):
        got = client.get(path, params=query | ({"cursor": cursor} if cursor else {})).json()
        found.append([str(item) for item in got[name]])
        cursor = got["next_cursor"]
        if cursor is None:
            return found
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/audits", "audits"),
        ("/v1/audits/log", "results"),
        ("/v1/feedback", "marks"),
        ("/v1/documents", "documents"),
        ("/v1/traces", "traces"),
        ("/v1/eval", "runs"),
        ("/v1/audits/stale", "stale"),
    ],
)
def test_every_list_can_be_read_page_by_page(client, path, name):
    for number in range(3):
        client.post("/v1/documents", json={"documents": [{"id": f"d{number}", "text": SOURCE}]})
        run = client.post("/v1/verify", json={"answer": ANSWER, "use_memory": True}).json()["run_id"]
        client.post("/v1/feedback", json={"run_id": run, "claim": 0, "right": True})
        node = {"id": f"goal-{number}", "kind": "goal", "text": "How high?"}
        client.post("/v1/traces", json={"nodes": [node]})
        row = {"evidence": SOURCE, "claim": "Mount Everest is 8,489 m high.", "label": "REFUTED"}
        client.post("/v1/eval", json={"name": f"e{number}", "judge": "lexical", "rows": [row]})
    for number in range(3):
        client.delete(f"/v1/documents/d{number}")
    if name == "documents":
        client.post("/v1/documents", json={"documents": [{"id": f"n{n}", "text": f"{SOURCE} {n}"} for n in range(3)]})
    whole = [str(item) for item in client.get(path, params={"limit": 100}).json()[name]]
    read = pages(client, path, name, limit=2)
    assert len(whole) >= 3
    assert [item for page in read for item in page] == whole
    assert [len(page) for page in read[:-1]] == [2] * (len(read) - 1)
    assert client.get(path, params={"cursor": "no-such!"}).status_code == 400


def test_a_page_goes_on_where_the_last_ended_when_something_is_added(client):
    for _ in range(3):
        client.post("/v1/verify", json=ITEM)
    first = client.get("/v1/audits", params={"limit": 2}).json()
    client.post("/v1/verify", json=ITEM)
    second = client.get("/v1/audits", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [run["id"].partition("-")[0] for run in first["audits"] + second["audits"]] == ["3", "2", "1"]


def test_a_write_that_is_sent_again_is_not_done_twice(client):
    again = {"Idempotency-Key": "key-1"}
    first = client.post("/v1/verify", json=ITEM, headers=again)
    second = client.post("/v1/verify", json=ITEM, headers=again)
    assert (second.status_code, second.json()) == (200, first.json())
    assert second.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert client.get("/v1/audits").json()["total"] == 1
    other = client.post("/v1/verify", json=ITEM | {"question": "?"}, headers=again)
    assert (other.status_code, other.json()["type"]) == (422, "urn:assay:problem:key-reused")
    assert (
        client.post("/v1/verify", json=ITEM, headers={"Idempotency-Key": "key-2"}).json()["run_id"]
        != first.json()["run_id"]
    )
    assert client.post("/v1/verify", json=ITEM, headers={"Idempotency-Key": "x" * 300}).status_code == 400


def test_a_key_is_the_callers_own_and_one_in_progress_is_a_conflict(teams):
    served, headers = teams
    again = {"Idempotency-Key": "same"}
    one = served.post("/v1/verify", json=ITEM, headers=headers["a-reader"] | again)
    two = served.post("/v1/verify", json=ITEM, headers=headers["b-admin"] | again)
    assert "idempotency-replayed" not in two.headers
    assert one.status_code == two.status_code == 200
    store = served.app.state.assay.workspaces.replies("team-a")
    import hashlib

    body = b"{}"
    asked = hashlib.sha256(b"\n" + body).hexdigest()
    place = "a-reader\nPOST\n/v1/verify\nrunning"
    assert store.begin(hashlib.sha256(place.encode()).hexdigest(), asked, 60) is None
    got = served.post("/v1/verify", content=body, headers=headers["a-reader"] | {"Idempotency-Key": "running"})
    assert (got.status_code, got.json()["type"]) == (409, "urn:assay:problem:in-progress")
    assert 1 <= int(got.headers["retry-after"]) <= 5


def test_every_counted_answer_says_what_is_left_of_the_rate(serve):
    client = serve(rate_per_minute=3)
    left = [client.get("/v1/documents").headers["ratelimit-remaining"] for _ in range(4)]
    assert left == ["2", "1", "0", "0"]
    refused = client.get("/v1/documents")
    assert (refused.status_code, refused.headers["ratelimit-limit"]) == (429, "3")
    assert 1 <= int(refused.headers["ratelimit-reset"]) <= 60
    assert "ratelimit-limit" not in client.get("/v1/health").headers


def test_health_and_readiness_answer_head_and_differ(client):
    assert client.head("/v1/health").status_code == client.head("/v1/ready").status_code == 200
    client.app.state.assay.ready = False
    assert (client.head("/v1/health").status_code, client.head("/v1/ready").status_code) == (200, 503)


def test_malformed_json_is_shown_by_line_and_column(client):
    got = client.post(
        "/v1/verify", content=b'{"answer": "a",\n  "sources": [,]}', headers={"content-type": "application/json"}
    )
    assert got.status_code == 422
    assert got.json()["detail"] == "the body is not valid JSON: line 2, column 15: Expecting value"
