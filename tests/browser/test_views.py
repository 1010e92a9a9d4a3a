"""The other views: live stream, ledger, audit, ask, memory, traces, evaluation."""

import csv
import io
import json

import pytest

from tests.browser.desk import ANSWER, ASCENT, HEIGHT, WORDS, call, check, fill, lit


@pytest.fixture
def recorded(site):
    """A run in the ledger."""
    sources = [{"id": "height", "text": HEIGHT}, {"id": "ascent", "text": ASCENT}]
    return call(site, "v1/verify", {"answer": ANSWER, "sources": sources, "question": "How high?", "record": True})


def go(page, site, view):
    page.goto(f"{site}#/{view}")
    page.wait_for_selector(f".view.{view.partition('/')[0]}:not([hidden])")


def test_a_live_stream_halts_at_the_contradiction_and_takes_it_back(page, site):
    go(page, site, "live")
    bad, never = "Mount Everest is 8,489 m high.", " Nobody reads this sentence any more."
    fill(page, "The summit was reached on 29 May 1953. " + bad + never * 3, name="live")
    page.fill("#speed", "40")
    page.get_by_role("button", name="Start the stream").click()
    page.wait_for_selector(".halted")
    assert "8,849" in page.locator(".halted").inner_text()
    page.wait_for_selector("del")
    assert "".join(page.locator("del").all_inner_texts()) == bad
    assert page.locator(".log li.refuted").count() >= 2
    assert never.strip() not in page.locator(".stage .answer").inner_text()
    page.get_by_role("button", name="Open the reading").click()
    page.wait_for_selector(".view.live .claim.refuted[tabindex='0']")
    assert never.strip() not in page.locator(".view.live .reading .answer").inner_text()


def test_a_live_stream_without_a_fault_runs_to_its_end(page, site):
    go(page, site, "live")
    fill(page, "Mount Everest is 8,849 m high. 🏔️ It stands on the border between Nepal and China.", name="live")
    page.fill("#speed", "200")
    page.get_by_role("button", name="Start the stream").click()
    page.wait_for_selector(".log li:has-text('The stream ended')")
    assert page.locator(".stage .claim.supported").count() >= 2
    assert page.locator(".halted, del").count() == 0


def test_a_ledger_is_exported_in_every_form(page, site, recorded):
    go(page, site, f"ledger/{recorded['run_id']}")
    page.wait_for_selector(".ledger-table")
    texts = {}
    for form, word in (("json", "JSON"), ("md", "Markdown"), ("html", "HTML"), ("csv", "CSV")):
        with page.expect_download() as download:
            page.get_by_role("button", name=word, exact=True).click()
        assert download.value.suggested_filename == f"ledger-{recorded['run_id']}.{form}"
        texts[form] = download.value.path().read_text(encoding="utf-8")
    entries = json.loads(texts["json"])["entries"]
    shown = page.locator(".ledger-table tbody tr").count()
    assert shown == len(entries) == len(list(csv.DictReader(io.StringIO(texts["csv"]))))
    assert all("8,489" in text for text in texts.values())


def test_a_ledger_is_sifted_by_verdict_and_importance(page, site, recorded):
    go(page, site, f"ledger/{recorded['run_id']}")
    page.wait_for_selector(".ledger-table")
    page.locator(".filter[data-verdict=contradicted]").click()
    rows = page.locator(".ledger-table tbody tr:visible")
    assert rows.count() == 1
    assert "8,489" in rows.first.inner_text()
    page.locator(".filter[data-verdict=contradicted]").click()
    page.select_option("#importance", "minor")
    for row in page.locator(".ledger-table tbody tr:visible").all():
        assert "minor" in row.inner_text()
    assert page.locator(".gates li.refuted").count() >= 1
    assert "n/a" not in page.locator(".gates").inner_text()


def test_an_audit_shows_the_chain_and_a_run_made_again(page, site, recorded):
    go(page, site, "audit")
    page.wait_for_selector(".seal-line.supported:has-text('The chain holds')")
    page.locator(".ledger-table a").first.click()
    page.wait_for_selector(".view.audit .claim.refuted")
    page.get_by_role("button", name="Make it again", exact=True).click()
    page.wait_for_selector(".replayed .supported:has-text('Identical')")
    assert recorded["answer_sha256"]


def test_a_changed_document_makes_its_findings_stale(page, site):
    call(site, "v1/documents", {"documents": [{"id": "moving", "text": "The Rhine is 1,233 km long."}]})
    call(site, "v1/verify", {"answer": "The Rhine is 1,233 km long.", "use_memory": True, "record": True})
    call(site, "v1/documents", {"documents": [{"id": "moving", "text": "The Rhine is 1,320 km long."}]})
    go(page, site, "audit")
    page.wait_for_selector(".remarks a:has-text('Rhine')")
    assert "moving" in page.locator(".remarks li:has-text('Rhine')").first.inner_text()


def test_a_question_is_answered_from_the_memory_or_not_at_all(page, site):
    call(site, "v1/documents", {"documents": [{"id": "nile", "text": "The Nile is 6,650 km long. It flows north."}]})
    go(page, site, "ask")
    page.fill("#ask-question", "How long is the Nile?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_selector(".view.ask .answer .claim.supported, .view.ask .refusal")
    assert "6,650" in page.locator(".view.ask .answer").inner_text()
    anchor = page.locator(".view.ask .answer .anchor").first
    assert anchor.text_content().startswith("[cite:")  # still there to copy, and drawn as a number
    assert anchor.evaluate("(node) => getComputedStyle(node, '::before').content.replaceAll('\"', '')") in (
        "[1]",
        "[ 1 ]",
    )
    page.locator(".view.ask .claim.supported").first.click()
    assert any("6,650" in quote["text"] for quote in lit(page).values())
    page.fill("#ask-question", "Who painted the ceiling of the Sistine Chapel?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_selector(".view.ask .refusal")
    assert page.get_by_role("heading", name="No verified answer can be given").is_visible()


def test_documents_are_added_drawn_and_removed(page, site):
    go(page, site, "memory")
    page.fill("#memory-name", "danube")
    page.fill("#memory-text", "The Danube is 2,850 km long.")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector(".ledger-table tr:has-text('danube')")
    page.wait_for_selector(".map path[data-point]")
    page.locator(".map").focus()
    first = page.locator(".map-reading").inner_text()
    for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    assert first
    assert page.locator(".map-reading .map-title").count() == 1
    page.get_by_role("button", name="Open danube").click()
    page.wait_for_selector(".document .excerpt:has-text('2,850 km')")
    page.get_by_role("button", name="Remove danube").click()
    page.get_by_role("button", name="Keep it").click()
    assert "danube" in [one["id"] for one in call(site, "v1/documents")["documents"]]
    page.get_by_role("button", name="Remove danube").click()
    page.get_by_role("button", name="Remove it").click()
    page.wait_for_selector(".ledger-table tr:has-text('danube')", state="detached")
    assert "danube" not in [one["id"] for one in call(site, "v1/documents")["documents"]]
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector(".ledger-table tr:has-text('danube')")
    assert call(site, "v1/documents/danube")["text"] == "The Danube is 2,850 km long."


def test_a_trace_is_drawn_as_a_tree_with_its_gaps_marked(page, site, tmp_path):
    steps = [
        ("goal", "goal", "Find the height of Everest", None),
        ("look", "observation", "Mount Everest is 8,849 m high.", "goal"),
        ("choose", "decision", "Use the survey of 2020", "goal"),
        ("good", "claim", "Mount Everest is 8,849 m high.", "choose"),
        ("bad", "claim", "Mount Everest is 8,489 m high.", "choose"),
        ("ghost", "claim", "K2 is <b>higher</b>.", "choose"),
    ]
    trace = {
        "version": 1,
        "goal": "goal",
        "nodes": [{"id": name, "kind": kind, "text": text, "parent": parent} for name, kind, text, parent in steps],
        "edges": [
            {"source": "good", "target": "look", "kind": "cites"},
            {"source": "bad", "target": "look", "kind": "cites"},
            {"source": "ghost", "target": "nowhere", "kind": "cites"},
        ],
    }
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(trace))
    go(page, site, "traces")
    page.locator(".view.traces input[type=file]").set_input_files(file)
    page.wait_for_selector("#node-ghost")
    assert page.locator(".tree .node").count() == len(steps)
    marked = [node.get_attribute("id") for node in page.locator(".gap-node").all()]
    assert "node-bad" in marked
    assert "node-ghost" in marked
    assert "node-good" not in marked
    assert page.locator("#node-bad svg").is_visible()  # an icon, not colour alone
    assert "which is not there" in page.locator("#node-ghost").inner_text()
    assert "<b>higher</b>" in page.locator("#node-ghost").inner_text()


def test_an_evaluation_is_measured_and_drawn(page, site, tmp_path):
    rows = [
        {"evidence": HEIGHT, "claim": claim, "label": label}
        for claim, label in (
            ("Mount Everest is 8,849 m high.", "SUPPORTED"),
            ("Mount Everest is 8,489 m high.", "REFUTED"),
            ("Mount Everest is the home of penguins.", "INSUFFICIENT"),
        )
    ] * 3
    file = tmp_path / "peaks.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    go(page, site, "evaluation")
    page.set_input_files("#eval-file", file)
    page.get_by_role("button", name="Measure").click()
    page.wait_for_selector(".measured h2:has-text('peaks')")
    for name in ("Reliability", "Taken for", "Scores by set"):
        assert page.locator(f".plot:has-text('{name}') svg").first.is_visible()
    assert set(page.locator(".plot:has-text('Taken for') .set").all_text_contents()) <= set(WORDS.values())
    drawn = page.locator(".plot:has-text('Taken for') .big").all_text_contents()
    run = call(site, "v1/eval")["runs"][0]
    confusion = call(site, f"v1/eval/{run['id']}")["confusion"]
    assert [int(cell) for cell in drawn] == [count for row in confusion.values() for count in row.values()]


def test_a_list_of_runs_that_comes_late_does_not_wipe_a_measurement(page, site, tmp_path):
    held = []

    def hold_the_first(route):
        if route.request.method == "GET" and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/v1/eval", hold_the_first)
    file = tmp_path / "late.jsonl"
    file.write_text(json.dumps({"evidence": HEIGHT, "claim": "Mount Everest is 8,849 m high.", "label": "SUPPORTED"}))
    go(page, site, "evaluation")
    page.set_input_files("#eval-file", file)
    page.get_by_role("button", name="Measure").click()
    page.wait_for_selector(".measured h2:has-text('late')")
    held[0].fulfill(json={"runs": []})
    page.wait_for_timeout(500)
    assert page.locator(".measured h2:has-text('late')").is_visible()


def test_a_run_stays_at_hand_from_check_to_ledger(page):
    report = check(page)
    page.get_by_role("link", name="Open its ledger").click()
    page.wait_for_selector(".ledger-table")
    assert page.input_value("#ledger-run") == report["run_id"]
