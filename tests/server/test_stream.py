import json

from tests.server.conftest import ANSWER, SOURCE


def events(response):
    assert response.headers["content-type"].startswith("text/event-stream")
    parts = [part.split("\n", 1) for part in response.text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in parts]


def test_a_stream_halts_at_the_refuted_sentence_and_takes_it_back(client):
    told = events(client.post("/v1/stream", json={"answer": ANSWER, "sources": [SOURCE]}))
    kinds = [kind for kind, _ in told]
    assert kinds[-1] == "done"
    assert "halt" in kinds
    shown = "".join(data["text"] for kind, data in told if kind == "token")
    assert ANSWER.startswith(shown)
    for _, data in (item for item in told if item[0] == "retract"):
        assert shown[data["start"] : data["end"]] == data["text"]
    done = told[-1][1]
    assert done["halted"]
    assert done["report"]["verdict"] == "REFUTED"
    assert client.get(f"/v1/audits/{done['run_id']}").status_code == 200


def test_held_text_is_shown_only_once_it_is_checked(client):
    true = "It was first climbed in 1953."
    told = events(
        client.post(
            "/v1/stream",
            json={"answer": f"{true} Mount Everest is 8,489 m high.", "sources": [SOURCE], "release": "hold"},
        )
    )
    shown = "".join(data["text"] for kind, data in told if kind == "token").strip()
    assert shown in ("", true)  # the halt may come before the first sentence is let go, never after the second
    assert "halt" in [kind for kind, _ in told]
    assert "retract" not in [kind for kind, _ in told]


def test_a_grounded_answer_is_played_to_its_end(client):
    answer = "Mount Everest is 8,849 m high.  It was first climbed in 1953.\n"
    told = events(client.post("/v1/stream", json={"answer": answer, "sources": [SOURCE], "tokens_per_second": 5_000}))
    assert "".join(data["text"] for kind, data in told if kind == "token") == answer
    assert told[-1][1]["report"]["verdict"] == "SUPPORTED"
    assert {kind for kind, _ in told} == {"token", "claim", "finding", "done"}


def test_a_stream_without_anything_to_play_is_refused(client):
    assert client.post("/v1/stream", json={"sources": [SOURCE]}).status_code == 422


def test_a_stream_that_lasts_too_long_ends_with_an_error_event(serve):
    client = serve(stream_seconds=0.2)
    body = {"answer": ANSWER * 20, "sources": [SOURCE.replace("8,849", "8,489")], "tokens_per_second": 20}
    kind, data = events(client.post("/v1/stream", json=body))[-1]
    assert (kind, data["status"]) == ("error", 504)
    assert client.app.state.assay.slots.open == 0


def test_what_a_stream_told_is_what_is_recorded_and_it_was_judged_once(client, runs):
    done = events(client.post("/v1/stream", json={"answer": ANSWER, "sources": [SOURCE]}))[-1][1]
    assert [run.request.inline for run in runs].count(True) == 1  # the whole text; what came before were windows of it
    recorded = client.get(f"/v1/audits/{done['run_id']}").json()
    assert recorded["report"]["claims"] == done["report"]["claims"]
    assert recorded["report"]["action"] == done["report"]["action"] == "HALT"
    assert client.post(f"/v1/audits/{done['run_id']}/replay").json()["identical"]
