"""What a newcomer meets: the first visit, confidence, partial results, the way through long texts, Ask, errors."""

import json

import pytest

from assay.render.plain import state_outcome
from assay.types import Report
from tests.browser.conftest import serve
from tests.browser.desk import ANSWER, ASCENT, HEIGHT, call, check, drop, fill

LONG = " ".join(f"Mast {number} is {number + 10} m high." for number in range(1, 30))
MASTS = " ".join(f"Mast {number} is {number + (11 if number % 10 == 0 else 10)} m high." for number in range(1, 30))
ARABIC = "ارتفاع الجبل 8849 مترا، كما قال Hillary في عام 1953."


def test_a_first_visit_checks_an_example_by_itself_and_a_second_does_not(tabs, site):
    page = tabs.open(site, newcomer=True)
    page.wait_for_selector(".showcase .claim.chosen")
    assert page.locator(".showcase .claim.refuted").count() >= 1
    assert page.locator(".showcase .claim.supported").count() >= 1
    assert "contradicted" in page.locator(".showcase .facts").inner_text()
    assert "8,849" in "".join(page.locator(".showcase mark.chosen").all_inner_texts())
    page.locator(".showcase .claim.supported").first.click()
    assert "border" in "".join(page.locator(".showcase mark.chosen").all_inner_texts())
    assert call(site, "v1/audits")["total"] == 0  # an example is not recorded
    page.get_by_role("button", name="Close the example").click()
    assert page.evaluate("document.activeElement.id") == "check-answer"
    page.reload()
    page.wait_for_selector("#check-answer")
    page.wait_for_load_state("networkidle")
    assert page.locator(".showcase").count() == 0


def test_the_example_opens_whole(tabs, site):
    page = tabs.open(site, newcomer=True)
    page.get_by_role("button", name="See a longer one").click()
    page.wait_for_selector(".reading .claim.refuted")
    assert page.locator(".showcase").count() == 0


def test_the_confidence_has_its_formula_one_click_away(page):
    report = check(page)
    rating = report["rating"]
    line = page.locator(".rating")
    assert line.locator("summary").inner_text().strip() == f"Confidence: {rating['level'].capitalize()}"
    assert not line.locator(".formula").is_visible()
    line.locator("summary").click()
    formula = line.locator(".formula").inner_text()
    claims = rating["supported"] + rating["partial"] + rating["unsupported"]
    figure = (rating["supported"] + 0.5 * rating["partial"]) / claims - 0.1 * rating["unsupported"]
    assert rating["confidence"] == pytest.approx(max(0, figure), abs=1e-6)
    assert f"({rating['supported']} supported + ½ × {rating['partial']} in part) ÷ {claims}" in formula
    assert f"0.1 × {rating['unsupported']}" in formula


def test_an_answer_that_is_all_supported_is_rated_high(page):
    report = check(page, answer="Mount Everest is 8,849 m high.")
    assert report["rating"]["level"] == "High"
    assert page.locator(".rating .meter .on").count() == 4
    assert page.get_by_role("heading", name="The sources support the claim").is_visible()


def test_the_headline_says_what_the_terminal_says(page, site):
    for answer in (
        ANSWER,
        "Mount Everest is 8,849 m high.",
        "The mill has 3 wheels. The mill has 4 roofs.",
        "Is it so?",
    ):
        body = {"answer": answer, "sources": [{"id": "a", "text": HEIGHT}, {"id": "b", "text": ASCENT}]}
        shown = call(site, "v1/verify", body)
        report = {name: value for name, value in shown.items() if name not in ("run_id", "documents", "rating")}
        told = page.evaluate(
            'async (report) => (await import("/js/words.js")).outcome(report)',
            report,
        )
        assert told == state_outcome(Report.from_dict(report)), answer


def test_claims_are_shown_at_once_and_get_their_verdicts_as_they_come(page):
    page.evaluate(
        """() => {
            window.seen = [];
            const watch = () => {
                const stage = document.querySelector(".checking:not([hidden])");
                if (!stage) return;
                const marks = [...stage.querySelectorAll(".claim[tabindex='0']")];
                const open = marks.filter((mark) => mark.classList.contains("pending")).length;
                window.seen.push([marks.length, open, stage.querySelector(".progress").textContent]);
            };
            new MutationObserver(watch).observe(document.body, { childList: true, subtree: true });
        }"""
    )
    fill(page, LONG, {"masts": MASTS})
    page.get_by_role("button", name="Check the answer").click()
    page.wait_for_selector(".reading .claim")
    seen = page.evaluate("window.seen")
    assert any(marks and marks == open_ for marks, open_, _ in seen)  # all of them waiting
    assert any(0 < open_ < marks for marks, open_, _ in seen)  # some of them settled
    assert any("of 29 claims checked" in words for *_, words in seen)


def test_a_filter_counts_what_it_leaves_and_leads_through_it(page):
    report = check(page, answer=LONG, sources={"masts": MASTS})
    wrong = [n for n, claim in enumerate(report["claims"]) if claim["verdict"] == "REFUTED"]
    assert len(wrong) == 2
    page.get_by_role("button", name="contradicted 2 of 29").click()
    assert page.locator(".tally").inner_text() == "contradicted 1 of 2"
    page.keyboard.press("n")
    assert page.locator(".tally").inner_text() == "contradicted 2 of 2"
    assert page.get_by_role("article", name=f"Claim {wrong[1] + 1}", exact=True).is_visible()
    page.get_by_role("button", name="supported 27 of 29").click()
    page.get_by_role("button", name="Next claim that is supported").click()
    assert page.locator(".tally").inner_text().startswith("supported ")


def test_filters_stay_in_sight_on_a_phone_and_the_arrows_reach_the_next_problem(tabs, site):
    page = tabs.open(site, viewport={"width": 390, "height": 700}, has_touch=True)
    check(page, answer=LONG * 3, sources={"masts": MASTS})
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_function("() => document.querySelector('.bar.sticky').getBoundingClientRect().top === 0")
    assert page.locator(".bar.sticky").bounding_box()["height"] < 80  # two lines at most
    assert page.locator(".steps").is_visible()
    page.get_by_role("button", name="Next problem").tap()
    assert page.locator(".proof.open").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_words_are_found_in_the_sources(page):
    far = "Nothing to see here.\n\n" * 60
    check(page, sources={"long": far + HEIGHT + "\n\n" + far, "ascent": ASCENT})
    field = page.get_by_label("Find in the sources")
    field.fill("TENZING norgay")
    assert page.locator(".places").inner_text() == "1 of 1"
    lit = page.evaluate("() => [...CSS.highlights.get('found-here')][0].toString()")
    assert lit == "Tenzing Norgay"
    page.wait_for_function(
        """() => {
            const box = document.querySelector(".reading .sources").getBoundingClientRect();
            const place = [...CSS.highlights.get("found-here")][0].getBoundingClientRect();
            return place.top >= box.top && place.bottom <= box.bottom;
        }"""
    )
    field.fill("nothing")
    assert page.locator(".places").inner_text() == "1 of 120"
    field.press("Enter")
    assert page.locator(".places").inner_text() == "2 of 120"
    page.get_by_role("button", name="Previous place").click()
    assert page.locator(".places").inner_text() == "1 of 120"
    field.fill("zebra")
    assert page.locator(".places").inner_text() == "not there"


@pytest.mark.parametrize("width", [1280, 820])
def test_the_thread_crosses_no_words_in_any_script(tabs, site, width):
    page = tabs.open(site, viewport={"width": width, "height": 900})
    check(page, answer=f"{ARABIC} The year was 1953.", sources={"mixed": f"{ARABIC}\n\nThe year was 1953, {ARABIC}"})
    page.locator(".reading .claim").last.click()
    page.wait_for_selector(".thread.tied")
    crossed = page.evaluate(
        """() => {
            const path = document.querySelector(".thread path");
            const box = path.ownerSVGElement.getBoundingClientRect();
            const lines = [];
            for (const place of document.querySelectorAll(".reading .answer, .card, .reading .excerpt")) {
                const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
                for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                    const range = document.createRange();
                    range.selectNodeContents(node);
                    lines.push(...[...range.getClientRects()].filter((line) => line.width > 1));
                }
            }
            const hits = [];
            for (let at = 0; at <= path.getTotalLength(); at += 2) {
                const { x, y } = path.getPointAtLength(at);
                const [left, top] = [x + box.left, y + box.top];
                const inside = (line) => left > line.left && left < line.right && top > line.top && top < line.bottom;
                hits.push(...lines.filter(inside));
            }
            return hits.length;
        }"""
    )
    assert crossed == 0
    direction = "(box) => getComputedStyle(box).direction"
    assert page.locator(".reading .excerpt [dir=auto], .reading .excerpt").first.evaluate(direction) == "rtl"


WRITTEN = "Mount Everest is 8,489 m high. It stands on the border between Nepal and China."
BETTER = "Mount Everest is 8,849 m high. It stands on the border between Nepal and China."


@pytest.fixture
def library(tmp_path):
    """A server whose writer makes one mistake, with one document in its memory."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps([WRITTEN, *[BETTER] * 6]))
    address, stop = serve(data=str(tmp_path / "data"), models={"writer": f"scripted:{script}"})
    call(address, "v1/documents", {"documents": [{"id": "height", "title": "Everest", "text": HEIGHT}]})
    yield address
    stop()


def ask(page, question="How high is Mount Everest?"):
    page.fill("#ask-question", question)
    page.get_by_role("button", name="Ask", exact=True).click()


def test_a_corrected_answer_stands_beside_its_first_draft(tabs, library):
    page = tabs.open(library + "#/ask")
    ask(page)
    page.wait_for_selector(".view.ask .drafts")
    assert "8,849" in page.locator(".view.ask .reading .answer").inner_text()
    first, after = page.locator(".drafts .diff").all()
    assert "8,489" in first.locator("del").inner_text()
    assert "8,849" in after.locator("ins").inner_text()
    assert page.locator(".view.ask .rating summary").inner_text().startswith("Confidence: ")


def test_verification_can_be_turned_off_and_made_up_for(tabs, library):
    page = tabs.open(library + "#/ask")
    page.get_by_label("Verify the answer before it is shown").uncheck()
    ask(page)
    page.wait_for_selector(".unverified")
    assert "8,489" in page.locator(".unverified .answer").inner_text()
    assert page.get_by_role("heading", name="Not verified").is_visible()
    assert page.locator(".view.ask .claim").count() == 0
    page.get_by_role("button", name="Check it now").click()
    page.wait_for_selector(".view.ask .reading .claim.refuted")


def test_an_answer_of_ask_has_an_address_and_its_question_outlives_a_reload(page, site):
    call(site, "v1/documents", {"documents": [{"id": "elbe", "text": "The Elbe is 1,094 km long. It flows north."}]})
    page.goto(site + "#/ask")
    page.wait_for_selector("#ask-question")
    ask(page, "How long is the Elbe?")
    page.wait_for_selector(".view.ask .reading .answer")
    assert "#/ask/" in page.url
    page.reload()
    page.wait_for_selector(".view.ask .reading .answer:has-text('1,094')")
    assert page.input_value("#ask-question") == "How long is the Elbe?"
    page.go_back()
    page.wait_for_selector(".view.ask .reading", state="detached")


def test_a_question_can_be_cancelled_and_tried_again(page, site):
    page.goto(site + "#/ask")
    page.wait_for_selector("#ask-question")
    held = []
    page.route("**/v1/ask", lambda route: held.append(route))
    ask(page, "How long is the Elbe?")
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_function("() => !document.querySelector('.view.ask .primary').disabled")
    page.unroute("**/v1/ask")
    page.route("**/v1/ask", lambda route: route.abort())
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_selector(".view.ask .message:has-text('cannot be reached')")
    page.unroute("**/v1/ask")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(".view.ask .reading, .view.ask .refusal")


def test_a_connection_that_breaks_off_is_named_and_the_draft_is_kept(page):
    fill(page)
    page.route(
        "**/v1/verify/stream",
        lambda route: route.fulfill(
            content_type="text/event-stream", body='event: claims\ndata: {"claims":[{"text":"a","spans":[]}]}\n\n'
        ),
    )
    page.get_by_role("button", name="Check the answer").click()
    page.wait_for_selector(".desk .message:has-text('broke off')")
    assert page.input_value("#check-answer") == ANSWER
    page.unroute("**/v1/verify/stream")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(".reading .claim.refuted")


VIEWS = {
    "memory": "v1/documents",
    "ledger": "v1/audits",
    "audit": "v1/audits",
    "traces": "v1/traces",
    "evaluation": "v1/eval",
}


@pytest.mark.parametrize("view", list(VIEWS))
def test_each_view_says_in_place_that_the_server_is_gone_and_tries_again(tabs, site, view):
    page = tabs.open(site)
    pattern = f"**/{VIEWS[view]}**"
    page.route(pattern, lambda route: route.abort())
    page.goto(f"{site}#/{view}")
    page.wait_for_selector(f".view.{view} .message:has-text('cannot be reached')")
    page.unroute(pattern)
    page.locator(f".view.{view}").get_by_role("button", name="Try again").click()
    page.wait_for_function("(view) => !document.querySelector(`.view.${view} .message`).textContent", arg=view)


def test_a_file_that_is_too_large_is_named_in_place_and_can_be_tried_again(tabs, tmp_path):
    address, stop = serve(data=str(tmp_path), max_upload_bytes=100_000, max_body_bytes=100_000)
    try:
        page = tabs.open(address)
        large = {"name": "large.txt", "mimeType": "text/plain", "buffer": b"a " * 80_000}
        page.locator(".view.check input[type=file]").set_input_files([large])
        page.wait_for_selector(".desk .message:not(:empty)")
        assert page.locator(".desk .message").inner_text().startswith("large.txt (156 kB) is too large")
        assert page.locator(".desk").get_by_role("button", name="Try again").is_visible()
        small = {"name": "small.txt", "mimeType": "text/plain", "buffer": b"Short."}
        page.locator(".view.check input[type=file]").set_input_files([small, large])  # one does not cost the other
        page.wait_for_selector(".chip")
        assert page.get_by_label("Name of this source").input_value() == "small.txt"
        page.wait_for_selector(".desk .message:has-text('large.txt')")
        page.goto(address + "#/memory")
        page.locator(".view.memory input[type=file]").set_input_files([large, small])
        page.wait_for_selector(".view.memory tbody tr")
        page.wait_for_selector(".view.memory .message:has-text('large.txt')")
    finally:
        stop()


def test_an_unreadable_file_does_not_wipe_the_answer(page):
    page.fill("#check-answer", ANSWER)
    drop(page, ".desk-side:has(#check-answer)", "answer.pdf", b"%PDF-1.4 nonsense", "application/pdf")
    page.wait_for_selector(".desk .message:has-text('answer.pdf')")
    assert page.input_value("#check-answer") == ANSWER


def test_files_that_cannot_be_read_are_named_line_by_line(page):
    files = [("one.pdf", b"%PDF-1.4 nonsense"), ("two.png", b"\x89PNG\r\n\x1a\n" + bytes(64)), ("three.txt", b"Short.")]
    page.locator(".view.check input[type=file]").set_input_files(
        [{"name": name, "mimeType": "application/octet-stream", "buffer": data} for name, data in files]
    )
    page.wait_for_selector(".desk .message:has-text('two.png')")
    assert [line.split(":")[0] for line in page.locator(".desk .message").inner_text().splitlines()] == [
        "one.pdf",
        "two.png",
    ]


def test_parts_of_the_page_that_cannot_be_fetched_are_named_and_fetched_again(tabs, site):
    page = tabs.open(site)
    fill(page)
    page.route("**/js/**", lambda route: route.abort())
    page.get_by_role("button", name="Check the answer").click()
    page.wait_for_selector(".desk .message:has-text('The server cannot be reached')")
    page.goto(site + "#/memory")
    page.wait_for_selector(".view.lost .message:has-text('The server cannot be reached')")
    assert page.get_by_role("heading", name="Memory").is_visible()
    page.unroute("**/js/**")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(".view.memory .memory-form")
    assert page.locator(".view.lost").count() == 0
    page.goto(site + "#/check")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(".reading .claim.refuted")


def test_a_view_that_waits_for_the_server_says_so(page, site):
    held = []
    page.route("**/v1/audits**", lambda route: held.append(route))
    page.goto(site + "#/audit")
    view = page.locator(".view.audit[aria-busy]")
    view.wait_for()
    assert "Waiting" in view.evaluate("(one) => getComputedStyle(one, '::after').content")
    for route in held:
        route.continue_()
    page.unroute("**/v1/audits**")
    page.wait_for_selector(".view.audit:not([aria-busy])")


def test_a_refusal_and_its_ledger_say_what_to_do(tabs, tmp_path):
    address, stop = serve(data=str(tmp_path))
    try:
        call(address, "v1/documents", {"documents": [{"id": "tea", "text": "Tea is made from leaves."}]})
        page = tabs.open(address + "#/ask")
        ask(page, "Who won the chess championship of 2019?")
        page.wait_for_selector(".refusal")
        assert page.locator(".refusal a[href='#/memory']").is_visible()
        page.goto(address + "#/ledger")
        page.wait_for_selector(".view.ledger .note:has-text('There are no entries')")
        assert not page.locator(".view.ledger table").is_visible()
    finally:
        stop()


def test_empty_views_say_what_to_do(tabs, tmp_path):
    address, stop = serve(data=str(tmp_path))
    try:
        page = tabs.open(address)
        for view in ("ask", "memory", "ledger", "audit", "traces", "evaluation"):
            page.goto(f"{address}#/{view}")
            words = page.locator(f".view.{view} .empty").first
            words.wait_for()
            assert any(verb in words.inner_text() for verb in ("Add", "Check", "Bring", "Choose")), view
    finally:
        stop()


def test_a_document_is_removed_and_put_back_again_and_again_as_it_was(page, site):
    mast = {
        "id": "mast",
        "title": "The mast",
        "text": "# Mast\n\nThe mast is 40 m high.",
        "headings": [{"start": 0, "label": "Mast"}],
    }
    call(site, "v1/documents", {"documents": [mast]})
    before = call(site, "v1/documents/mast")
    page.goto(site + "#/memory")
    for _ in range(3):
        page.get_by_role("button", name="Remove mast").click()
        page.get_by_role("button", name="Remove it").click()
        page.wait_for_selector(".ledger-table tr:has-text('The mast')", state="detached")
        page.get_by_role("button", name="Undo").click()
        page.wait_for_selector(".ledger-table tr:has-text('The mast')")
        assert page.locator(".view.memory .message").text_content() == ""
    after = call(site, "v1/documents/mast")
    assert {key: after[key] for key in ("title", "text", "headings")} == {
        key: before[key] for key in ("title", "text", "headings")
    }


def test_documents_come_before_the_map_and_are_found_by_name(page, site):
    call(
        site,
        "v1/documents",
        {"documents": [{"id": f"river-{n}", "text": f"River {n} is {n} km long."} for n in range(1, 12)]},
    )
    held = []
    page.route("**/v1/memory/map", lambda route: held.append(route))
    page.goto(site + "#/memory")
    page.get_by_label("Find a document by its name").fill("river-11")
    assert page.locator(".view.memory tbody tr:visible").count() == 1
    assert page.locator(".map").count() == 0
    assert held
    held[0].continue_()
    page.wait_for_selector(".map")
