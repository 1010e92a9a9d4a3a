"""The frame around the views: keyboard, colours, width, keys, hosts, weight, and what axe has to say."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.browser.conftest import serve
from tests.browser.desk import ANSWER, HEIGHT, call, check

STATIC = Path(__file__).parents[2] / "src" / "assay" / "server" / "static"
VIEWS = ("check", "ask", "live", "ledger", "audit", "traces", "memory", "evaluation")


@pytest.fixture(scope="module")
def furnished(site):
    """Something in every view."""
    source = {"id": "height", "text": HEIGHT}
    run = call(site, "v1/verify", {"answer": ANSWER, "sources": [source], "record": True})
    call(site, "v1/documents", {"documents": [source]})
    call(
        site,
        "v1/eval",
        {"name": "one", "judge": "lexical", "rows": [{"evidence": HEIGHT, "claim": ANSWER[:30], "label": "REFUTED"}]},
    )
    nodes = [
        {"id": "axe-goal", "kind": "goal", "text": "Find the height", "parent": None},
        {"id": "axe-claim", "kind": "claim", "text": "It is 8,489 m high.", "parent": "axe-goal"},
    ]
    edges = [{"source": "axe-claim", "target": "nowhere", "kind": "cites"}]
    call(site, "v1/traces", {"nodes": nodes, "edges": edges})
    return run


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_any_view(tabs, site, furnished, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is in the dev extra").Axe()
    page = tabs.open(site, color_scheme=scheme, reduced_motion="reduce")
    found = []
    for view in VIEWS:
        page.goto(f"{site}#/{view}")
        page.wait_for_selector(f".view.{view}:not([hidden]) h1")
        page.wait_for_load_state("networkidle")
        found += problems(axe, page, view)
    page.goto(f"{site}#/check")
    check(page)
    found += problems(axe, page, "check, with a result")
    page.keyboard.press("?")
    found += problems(axe, page, "keys")
    assert found == []


def problems(axe, page, view):
    response = axe.run(page, options={"resultTypes": ["violations"]}).response
    return [
        (view, fault["id"], node["html"][:120], node["failureSummary"][:300])
        for fault in response["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def test_everything_can_be_done_with_the_keyboard(page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for _ in range(12):  # past the example of a first visit
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "check-answer":
            break
    page.keyboard.insert_text("Mount Everest is 8,489 m high. It stands on the border between Nepal and China.")
    page.keyboard.press("Tab")  # the question
    page.keyboard.press("Tab")  # the name of the source
    page.keyboard.press("Tab")  # its removal
    page.keyboard.press("Tab")  # its text
    page.keyboard.insert_text(HEIGHT)
    for _ in range(3):  # another source, files, the button
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Check the answer"
    page.keyboard.press("Enter")
    page.wait_for_selector(".reading .claim")
    leads = []
    for key in "jkj":  # the first claim is chosen from the start, being the worst
        page.keyboard.press(key)
        leads.append(page.evaluate("document.activeElement.dataset.lead"))
    assert leads == ["1", "0", "1"]
    assert page.locator("mark.chosen").count() >= 1
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.lead") == "0"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0
    page.keyboard.press("5")
    page.wait_for_selector(".view.ledger:not([hidden])")
    assert page.evaluate("document.activeElement.id") == "ledger-title"


def test_single_keys_can_be_turned_off(tabs, site):
    page = tabs.open(site)
    page.keyboard.press("?")
    page.get_by_label("Single keys work").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("5")
    assert page.locator(".view.ledger").count() == 0


def test_a_chosen_claim_is_announced(page):
    check(page)
    page.keyboard.press("j")
    page.keyboard.press("k")
    said = page.locator("#announce").inner_text()
    assert "contradicted" in said
    assert "8,849" in said


def test_colours_follow_the_system_and_a_choice_outlives_a_reload(tabs, site):
    page = tabs.open(site, color_scheme="dark")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(ground)
    assert brightness(dark) < 60
    page.get_by_role("button", name="Colours: as the system").click()
    light = page.evaluate(ground)
    assert brightness(light) > 200
    page.reload()
    page.wait_for_selector("h1")
    assert page.evaluate(ground) == light
    page.get_by_role("button", name="Colours: light").click()
    assert page.evaluate(ground) == dark


def brightness(colour):
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def test_no_view_is_wider_than_a_phone(tabs, site, furnished):
    width = 320
    page = tabs.open(site, viewport={"width": width, "height": 800}, has_touch=True)
    for view in VIEWS:
        page.goto(f"{site}#/{view}")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
    page.goto(f"{site}#/check")
    check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator(".claim.refuted").first.click()
    assert page.locator(".proof.open mark.chosen").first.is_visible()
    page.get_by_role("button", name="Close the evidence").click()
    assert page.locator(".proof.open").count() == 0


def test_a_server_with_keys_asks_for_one(tabs, tmp_path):
    from assay.server.keys import ApiKey

    plain, key = ApiKey.make("page", role="writer")
    address, stop = serve(data=str(tmp_path), keys=(key,))
    try:
        page = tabs.open(address)
        page.get_by_role("button", name="Fill in an example").click()
        page.get_by_role("button", name="Check the answer").click()
        dialog = page.get_by_role("dialog", name="This server asks for a key")
        dialog.get_by_label("API key").fill("not the key, but long enough to be one")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelector('#key').value === ''")
        dialog.get_by_label("API key").fill(plain)
        dialog.get_by_role("button", name="Use this key").click()
        page.wait_for_selector(".reading .claim.refuted")
        page.reload()
        page.goto(address + "#/audit")
        page.wait_for_selector(".ledger-table")
        assert page.evaluate("localStorage.getItem('assay-key')") is None
    finally:
        stop()


def test_a_strict_policy_holds_and_no_file_names_another_host():
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert "default-src 'self'" in page
    assert not re.search(r"<script(?![^>]*\ssrc=)|\sstyle=|\son[a-z]+=", page)
    for file in STATIC.rglob("*"):
        if file.suffix in (".js", ".css", ".html"):
            text = file.read_text(encoding="utf-8")
            assert set(re.findall(r"https?://[^\s\"'`)]+", text)) <= {"http://www.w3.org/2000/svg"}, file.name
            assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text), file.name


def test_the_page_opens_with_less_than_a_photograph(tabs, site):
    sizes = []
    page = tabs.browser.new_context().new_page()
    tabs.opened.append(page.context)
    page.on("response", lambda response: sizes.append(len(response.body())))
    page.goto(site)
    page.wait_for_load_state("networkidle")
    assert len(sizes) > 10
    assert sum(sizes) < 190_000


TEXTS = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("a \n🏔👩\u200d🚀e\u0301𝔐\ufeff\u202eé"),
    ),
    max_size=40,
)


@pytest.fixture(scope="module")
def bench(chromium, site):
    page = chromium.new_page()
    page.goto(site)
    page.evaluate(
        """async () => {
            const { Points, pointsIn } = await import("/js/points.js");
            const { splitSegments } = await import("/js/segments.js");
            Object.assign(window, { Points, pointsIn, splitSegments });
        }"""
    )
    yield page
    page.close()


@given(text=TEXTS, data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_code_points_are_cut_where_the_server_counts_them(bench, text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    length, cut, counted = bench.evaluate(
        "([text, start, end]) => { const points = new Points(text);"
        " return [points.length, points.slice(start, end), pointsIn(text, points.unit(start))]; }",
        [text, start, end],
    )
    assert (length, cut, counted) == (len(text), text[start:end], start)


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_segments_cover_a_text_once_and_carry_the_marks_over_them(bench, data):
    length = data.draw(st.integers(0, 30))
    edges = st.tuples(st.integers(0, 35), st.integers(0, 35))
    marks = [{"start": a, "end": b, "owner": n} for n, (a, b) in enumerate(data.draw(st.lists(edges, max_size=6)))]
    segments = bench.evaluate("([length, marks]) => splitSegments(length, marks)", [length, marks])
    assert [at for one in segments for at in range(one["start"], one["end"])] == list(range(length))
    for one in segments:
        over = [m["owner"] for m in marks if m["start"] <= one["start"] and one["end"] <= min(m["end"], length)]
        assert one["owners"] == over
