import io

from tests.server.conftest import SOURCE


def test_documents_come_in_are_listed_found_and_taken_out(client):
    added = client.post("/v1/documents", json={"documents": [{"id": "a/b c", "title": "T", "text": SOURCE}]})
    assert (added.status_code, added.json()["added"]) == (201, ["a/b c"])
    assert [row["id"] for row in client.get("/v1/documents").json()["documents"]] == ["a/b c"]
    assert client.get("/v1/documents/a/b c").json()["text"] == SOURCE
    found = client.post("/v1/retrieve", json={"query": "How high is Everest?", "k": 1}).json()["passages"][0]
    assert SOURCE[found["start"] : found["end"]] == found["text"]
    cited = {"answer": f"Mount Everest is 8,849 m high [cite:{found['sha256'][:8]}].", "judge": "lexical"}
    report = client.post("/v1/verify", json=cited | {"use_memory": True}).json()
    assert (report["claims"][0]["verdict"], report["claims"][0]["violations"]) == ("SUPPORTED", [])
    assert client.delete("/v1/documents/a/b c").status_code == 200
    assert client.get("/v1/documents/a/b c").status_code == 404
    assert client.delete("/v1/documents/a/b c").status_code == 404


def test_a_document_without_an_id_is_known_by_its_contents(client):
    body = {"documents": [{"text": SOURCE}, {"text": SOURCE}]}
    first = client.post("/v1/documents", json=body).json()
    assert len(first["added"]) == 1
    assert client.post("/v1/documents", json=body).json()["unchanged"] == first["added"]


def test_files_are_read_with_and_without_being_stored(client):
    files = [("files", ("notes.md", b"# Peaks\n\n" + SOURCE.encode(), "text/markdown"))]
    read = client.post("/v1/read", files=files).json()["documents"][0]
    assert (read["id"], read["title"], read["headings"][0]["label"]) == ("notes.md", "Peaks", "Peaks")
    assert client.get("/v1/documents").json()["total"] == 0
    assert client.post("/v1/documents/files", files=files).json()["added"] == ["notes.md"]
    assert SOURCE in client.get("/v1/documents/notes.md").json()["text"]


def test_a_pdf_is_read_with_its_pages(client):
    from reportlab.pdfgen import canvas

    drawn = io.BytesIO()
    sheet = canvas.Canvas(drawn)
    for line in ("Mount Everest is 8,849 m high.", "It was first climbed in 1953."):
        sheet.drawString(72, 720, line)
        sheet.showPage()
    sheet.save()
    got = client.post("/v1/read", files={"files": ("peaks.pdf", drawn.getvalue())}).json()["documents"][0]
    assert [mark["label"] for mark in got["pages"]] == ["1", "2"]
    assert "first climbed" in got["text"][got["pages"][1]["start"] :]


def test_names_of_files_are_labels_and_never_paths(client, tmp_path):
    for name in ("../../outside.txt", "/etc/passwd", "..\\..\\win.txt", "a\x00b.txt", "..", "", "x" * 400 + ".txt"):
        got = client.post("/v1/read", files={"files": (name or "f", SOURCE.encode())})
        assert got.status_code in (200, 422), name
        if got.status_code == 200:
            assert "/" not in got.json()["documents"][0]["id"]
            assert "\\" not in got.json()["documents"][0]["id"]
    assert not list(tmp_path.rglob("outside*"))


def test_a_file_that_cannot_be_read_is_refused_by_name(client):
    got = client.post("/v1/read", files={"files": ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(200))})
    assert got.status_code == 422
    assert "picture.png" in got.json()["detail"]


def test_a_place_outside_the_documents_cannot_be_named(client):
    for path in (
        "/v1/documents/../../etc/passwd",
        "/v1/documents/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/..%2f..%2fetc/passwd",
    ):
        got = client.get(path)
        assert got.status_code in (404, 405)
        assert "root:" not in got.text


def test_the_map_has_a_point_for_each_passage_and_is_the_same_every_time(client):
    assert client.get("/v1/memory/map").json() == {"points": [], "clusters": [], "total": 0}
    texts = [f"Peak {n} is {n * 7} m high." for n in range(40)] + [f"Soup {n} needs {n} carrots." for n in range(40)]
    client.post("/v1/documents", json={"documents": [{"text": text} for text in texts]})
    drawn = client.get("/v1/memory/map").json()
    assert (len(drawn["points"]), drawn["total"]) == (80, 80)
    assert all(-1 <= point[axis] <= 1 for point in drawn["points"] for axis in "xy")
    assert client.get("/v1/memory/map").json() == drawn
    assert len(client.get("/v1/memory/map", params={"points": 10}).json()["points"]) == 10
    peaks = [point["x"] for point in drawn["points"] if point["text"].startswith("Peak")]
    soups = [point["x"] for point in drawn["points"] if point["text"].startswith("Soup")]
    assert max(peaks) < min(soups) or max(soups) < min(peaks)


def test_an_evaluation_is_measured_and_kept(client):
    rows = [
        {"evidence": SOURCE, "claim": "Mount Everest is 8,849 m high.", "label": "SUPPORTED"},
        {"evidence": SOURCE, "claim": "Mount Everest is 8,489 m high.", "label": "REFUTED"},
    ]
    made = client.post("/v1/eval", json={"rows": rows, "judge": "lexical", "name": "peaks"}).json()
    assert (made["n"], made["accuracy"]) == (2, 1.0)
    assert sum(item["n"] for item in made["calibration"]) == 2
    assert client.get("/v1/eval").json()["runs"][0]["id"] == made["id"]
    assert client.get(f"/v1/eval/{made['id']}").json() == made
    assert client.get("/v1/eval/0").status_code == 404
