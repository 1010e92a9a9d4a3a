import json

import pytest

from assay.engine import Engine
from tests.server.conftest import ANSWER, SOURCE


def test_a_report_is_the_librarys_own(client):
    from assay.types import Document

    got = client.post("/v1/verify", json={"answer": ANSWER, "sources": [SOURCE], "judge": "lexical"}).json()
    report = Engine(judge="lexical").check(ANSWER, sources=[Document("source-1", SOURCE)]).to_dict()
    for name in set(report) - {"timings_ms", "claims"}:
        assert got[name] == report[name], name
    assert [claim["verdict"] for claim in got["claims"]] == ["REFUTED", "SUPPORTED"]


def test_receipts_hold_in_the_documents_that_come_with_the_report(client):
    got = client.post("/v1/verify", json={"answer": ANSWER, "sources": [{"id": "e", "text": SOURCE}]}).json()
    texts = {item["id"]: item["text"] for item in got["documents"]}
    evidence = [item for claim in got["claims"] for item in claim["evidence"]]
    assert evidence
    for item in evidence:
        assert texts[item["document"]][item["start"] : item["end"]] == item["quote"]


def test_a_source_that_reads_like_a_path_is_only_a_text(client):
    got = client.post("/v1/verify", json={"answer": "Root is a user.", "sources": ["/etc/passwd"]}).json()
    assert [(item["id"], item["text"]) for item in got["documents"]] == [("source-1", "/etc/passwd")]


def test_a_check_is_recorded_unless_it_says_not_to(client):
    body = {"answer": ANSWER, "sources": [SOURCE]}
    run_id = client.post("/v1/verify", json=body).json()["run_id"]
    assert client.post("/v1/verify", json=body | {"record": False}).json()["run_id"] is None
    assert [run["id"] for run in client.get("/v1/audits").json()["audits"]] == [run_id]


def test_memory_is_used_when_asked_for(client):
    client.post("/v1/documents", json={"documents": [{"id": "everest", "text": SOURCE}]})
    body = {"answer": "Mount Everest is 8,849 m high."}
    assert client.post("/v1/verify", json=body).json()["verdict"] == "INSUFFICIENT"
    found = client.post("/v1/verify", json=body | {"use_memory": True}).json()
    assert found["verdict"] == "SUPPORTED"
    assert found["claims"][0]["evidence"][0]["document"] == "everest"


def test_a_request_may_change_how_it_is_judged_but_not_what_the_machine_spends(client):
    body = {"answer": ANSWER, "sources": [SOURCE]}
    changed = client.post("/v1/verify", json=body | {"policy": {"halt_confidence": 0.99}}).json()
    assert changed["policy_sha256"] != client.post("/v1/verify", json=body).json()["policy_sha256"]
    assert changed["action"] == "CONTINUE"
    for refused in ({"threads": 64}, {"passages_per_claim": 10_000}, {"halt": 1}, {"halt_confidence": 7}):
        got = client.post("/v1/verify", json=body | {"policy": refused})
        assert (got.status_code, got.json()["type"]) == (422, "urn:assay:problem:policy")


def test_a_bad_item_of_a_batch_costs_the_others_nothing(client):
    items = [{"answer": ANSWER, "sources": [SOURCE]}, {"answer": ANSWER, "policy": {"nonsense": 1}}]
    got = client.post("/v1/verify/batch", json={"items": items}).json()["results"]
    assert got[0]["verdict"] == "REFUTED"
    assert got[1]["status"] == 422


def test_claims_stand_where_they_say(client):
    got = client.post("/v1/claims", json={"text": ANSWER}).json()["claims"]
    assert [ANSWER[c["spans"][0]["start"] : c["spans"][0]["end"]] for c in got] == [c["text"] for c in got]


def test_quotations_are_looked_up_in_each_source(client):
    body = {"answer": 'It is "8,849 m high".', "sources": [SOURCE, {"id": "other", "text": "Nothing of it."}]}
    got = client.post("/v1/audit-quotes", json=body).json()["audits"]
    assert [(item["document"], item["audit_mode"]) for item in got] == [("source-1", "STRICT"), ("other", "UNGROUNDED")]
    place = got[0]["units"][0]["evidence"][0]
    assert SOURCE[place["start"] : place["end"]] == place["quote"] == "8,849 m high"
    names = {"answer": "Hillary Tenzing.", "sources": ["By Hillary Tenzing then."], "entity_policy": "drop"}
    assert client.post("/v1/audit-quotes", json=names | {"entity_policy": "vague"}).status_code == 422
    assert client.post("/v1/audit-quotes", json={"answer": "x", "sources": []}).status_code == 422


def test_pointer_answers_are_checked_to_the_pointer(client):
    body = {
        "answer": "The tower was completed in 1889. [E1]\nIt is in Rome. [E9]",
        "evidence": [{"pointer_id": "E1", "text": "The tower was completed in March 1889.", "title": "Tower"}],
    }
    got = client.post("/v1/lattice/check", json=body).json()
    assert "UNKNOWN_EVIDENCE_ID" in {violation["kind"] for violation in got["violations"]}


def test_mistakes_are_problems_that_name_the_field(client):
    got = client.post("/v1/verify", json={"anser": ANSWER})
    assert got.headers["content-type"] == "application/problem+json"
    problem = got.json()
    assert problem["status"] == got.status_code == 422
    assert "answer: Field required" in problem["detail"]
    assert "anser: Extra inputs" in problem["detail"]
    assert problem["request_id"] == got.headers["x-request-id"]


def test_two_sources_of_one_id_are_refused(client):
    got = client.post(
        "/v1/verify", json={"answer": "x", "sources": [{"id": "a", "text": "1"}, {"id": "a", "text": "2"}]}
    )
    assert (got.status_code, "id 'a'" in got.json()["detail"]) == (422, True)


def test_odd_text_is_carried_or_refused_and_never_a_failure(client):
    for text in ("\x00 is nothing.", "𝒜 is 1 m high.", "‮Evil is 3 m.", "a" * 5_000, "", " "):
        got = client.post("/v1/verify", json={"answer": text, "sources": [SOURCE]})
        assert got.status_code == 200, text[:20]
    raw = b'{"answer": "\\ud800 is a lone surrogate."}'
    got = client.post("/v1/verify", content=raw, headers={"content-type": "application/json"})
    assert got.status_code == 422


def test_feedback_becomes_part_of_the_ledger(client):
    run_id = client.post("/v1/verify", json={"answer": ANSWER, "sources": [SOURCE]}).json()["run_id"]
    got = client.post("/v1/feedback", json={"run_id": run_id, "claim": 0, "right": False, "note": "no"})
    assert got.status_code == 201
    assert client.get(f"/v1/audits/{run_id}").json()["marks"][0]["note"] == "no"
    assert client.get("/v1/audits/chain").json()["intact"]
    assert client.post("/v1/feedback", json={"run_id": run_id, "claim": 99, "right": True}).status_code == 422


def test_audits_are_shown_exported_and_replayed(client):
    run_id = client.post("/v1/verify", json={"answer": ANSWER, "sources": [SOURCE]}).json()["run_id"]
    stored = client.get(f"/v1/audits/{run_id}").json()
    assert (stored["answer"], stored["documents"][0]["text"]) == (ANSWER, SOURCE)
    for form, start in {"json": "{", "md": "# ", "html": "<!doctype", "csv": ""}.items():
        got = client.get(f"/v1/audits/{run_id}/export", params={"format": form})
        assert got.status_code == 200
        assert got.text.startswith(start)
        assert run_id in got.headers["content-disposition"]
    assert json.loads(client.get(f"/v1/audits/{run_id}/export").text)["entries"]
    assert client.post(f"/v1/audits/{run_id}/replay").json()["identical"]
    assert client.get("/v1/audits", params={"verdict": "supported"}).json()["audits"] == []
    assert client.get("/v1/audits/log").json()["results"][0]["verdict"] == "REFUTED"


def test_a_changed_document_makes_findings_stale(client):
    client.post("/v1/documents", json={"documents": [{"id": "e", "text": SOURCE}]})
    run = client.post("/v1/verify", json={"answer": ANSWER, "use_memory": True}).json()
    assert client.get("/v1/audits/stale").json()["stale"] == []
    client.post("/v1/documents", json={"documents": [{"id": "e", "text": "Mount Everest is 8,850 m high."}]})
    stale = client.get("/v1/audits/stale").json()["stale"]
    assert {item["run_id"] for item in stale} == {run["run_id"]}
    replayed = client.post(f"/v1/audits/{run['run_id']}/replay", params={"current": True}).json()
    assert not replayed["identical"]
    assert any("source: e" in change for change in replayed["changes"])


def test_receipts_carry_page_and_heading_as_the_library_s_do(client, tmp_path):
    from assay import check

    guide = tmp_path / "guide.md"
    guide.write_text(f"# Mountains\n\nThere are many.\n\n## Everest\n\n{SOURCE}\n", "utf-8")
    answer = "Mount Everest is 8,849 m high."
    [expected] = check(answer, sources=[guide], judge="lexical").claims[0].evidence
    assert expected.heading
    with guide.open("rb") as file:
        [read] = client.post("/v1/read", files={"files": ("guide.md", file)}).json()["documents"]
    source = {name: read[name] for name in ("id", "title", "text", "headings")}
    source |= {"pages": [{"start": 0, "label": "1"}, {"start": read["text"].index("Mount Everest"), "label": "2"}]}
    inline = client.post("/v1/verify", json={"answer": answer, "sources": [source]}).json()
    [got] = inline["claims"][0]["evidence"]
    assert (got["page"], got["heading"], got["quote"]) == (2, expected.heading, expected.quote)
    recorded = client.get(f"/v1/audits/{inline['run_id']}").json()["report"]["claims"][0]["evidence"]
    assert recorded == [got]

    assert client.post("/v1/documents", json={"documents": [source]}).status_code == 201
    stored = client.post("/v1/verify", json={"answer": answer, "use_memory": True}).json()["claims"][0]["evidence"][0]
    assert (stored["page"], stored["heading"]) == (2, expected.heading)


@pytest.mark.parametrize(
    "marks",
    [
        {"pages": [{"start": 0, "label": "iv"}]},
        {"pages": [{"start": 10_000, "label": "1"}]},
        {"headings": [{"start": -1, "label": "x"}]},
    ],
)
def test_places_that_cannot_be_are_refused(client, marks):
    got = client.post("/v1/verify", json={"answer": ANSWER, "sources": [{"text": SOURCE} | marks]})
    assert got.status_code == 422


def test_a_check_can_be_watched_claim_by_claim(client):
    answer = " ".join(f"Mast {number} is {number + 10} m high." for number in range(1, 20))
    source = answer.replace("Mast 7 is 17 m", "Mast 7 is 18 m")
    body = {"answer": answer, "sources": [source], "judge": "lexical", "record": False}
    text = client.post("/v1/verify/stream", json=body).text
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    told = [(head.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for head, data in blocks]
    assert [name for name, _ in told] == ["claims", "findings", "findings", "findings", "report"]
    claims, report = told[0][1]["claims"], told[-1][1]
    findings = [finding for name, data in told if name == "findings" for finding in data["findings"]]
    assert [claim["text"] for claim in claims] == [finding["text"] for finding in findings]
    assert [f["verdict"] for f in findings] == [claim["verdict"] for claim in report["claims"]]
    assert [answer[c["spans"][0]["start"] : c["spans"][0]["end"]] for c in claims][6].startswith("Mast 7")
    assert [(data["done"], data["all"]) for name, data in told if name == "findings"] == [(8, 19), (16, 19), (19, 19)]
    assert report["claims"][6]["verdict"] == "REFUTED"
    assert report == client.post("/v1/verify", json=body).json() | {"timings_ms": report["timings_ms"]}


def test_a_watched_check_that_cannot_be_made_ends_in_an_error(client):
    twice = {"answer": ANSWER, "sources": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]}
    text = client.post("/v1/verify/stream", json=twice).text
    assert text.strip().split("\n\n")[-1].startswith("event: error")
    assert "two sources have the id" in text
    assert client.post("/v1/verify/stream", json={"answer": "x" * 200_001}).status_code == 413


def test_a_report_comes_with_a_rating_and_the_figures_behind_it(client):
    said = "Mount Everest is 8,849 m high."
    high = client.post("/v1/verify", json={"answer": said, "sources": [said], "judge": "lexical"}).json()
    assert high["rating"] == {
        "confidence": 1.0,
        "level": "High",
        "supported": 1,
        "partial": 0,
        "unsupported": 0,
        "fully_supported": True,
    }
    assert client.get(f"/v1/audits/{high['run_id']}").json()["rating"] == high["rating"]
    mixed = {"answer": f"{said} The mill has 7 doors.", "sources": [said], "judge": "lexical"}
    rating = client.post("/v1/verify", json=mixed).json()["rating"]
    assert (rating["level"], rating["confidence"], rating["unsupported"]) == ("Very Low", 0.4, 1)
    assert client.post("/v1/verify", json={"answer": "Is it so?", "sources": [said]}).json()["rating"] is None
