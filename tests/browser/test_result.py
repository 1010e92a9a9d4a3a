"""A result and what is done with it: the fix, the details, its address, the way through its problems, files, widths."""

import pytest

from tests.browser.desk import ANSWER, ASCENT, HEIGHT, SOURCES, check, drop, fill


def test_an_answer_is_fixed_change_by_change(page):
    answer = "Mount Everest is 8,489 m high. Edmund Hillary and Tenzing Norgay reached the summit on 29 May 1954."
    check(page, answer)
    page.get_by_role("button", name="Fix the answer").click()
    page.wait_for_selector(".diff")
    changes = page.locator(".changes > li")
    assert changes.count() == 2
    assert "8,849" in changes.first.locator("q").inner_text()
    page.get_by_role("group", name="Change 1").get_by_role("button", name="Reject").click()
    assert page.locator(".fix .state").inner_text() == "1 of 2 changes accepted"
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }")
    page.get_by_role("button", name="Copy the result").click()
    page.wait_for_function("() => window.copied")
    assert page.evaluate("window.copied") == answer.replace("1954", "1953")


def test_technical_terms_are_folded_away_with_a_word_on_each(page):
    report = check(page)
    head = page.locator(".outcome")
    for term in ("HYBRID", "BRANCH", "‰", "cascade", report["audit_mode"]):
        assert term not in head.inner_text()
    assert "claims supported by the sources" in head.inner_text()
    assert "1 contradicted" in head.locator(".outcome-bar").get_attribute("aria-label")
    shown = page.locator(".reading").inner_text().lower()
    assert not any(word in shown for word in ("refuted", "insufficient"))
    head.get_by_text("Details").click()
    assert report["audit_mode"] in head.locator("dl").inner_text()
    assert head.locator("dl .meaning").count() == head.locator("dl dd").count()


def test_a_result_has_an_address_and_back_leads_to_what_was_written(page):
    report = check(page)
    assert page.url.endswith(f"#/check/{report['run_id']}")
    page.reload()
    page.wait_for_selector(".reading .claim.refuted")
    page.go_back()
    page.wait_for_selector("#check-answer:visible")
    assert page.input_value("#check-answer") == ANSWER
    assert [box.input_value() for box in page.get_by_label("Text of this source").all()] == list(SOURCES.values())


def test_a_draft_outlives_a_reload(page):
    fill(page, "Half an ans")
    page.wait_for_function("() => (sessionStorage.getItem('assay-draft-check') ?? '').includes('They stayed')")
    page.reload()
    page.wait_for_selector("h1")
    assert page.input_value("#check-answer") == "Half an ans"
    assert page.get_by_label("Text of this source").count() == len(SOURCES)


def test_a_check_can_be_cancelled_and_a_failed_one_tried_again(page):
    held = []
    page.route("**/v1/verify/stream", lambda route: held.append(route))
    fill(page)
    page.get_by_role("button", name="Check the answer").click()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_function("() => !document.querySelector('.desk .primary').disabled")
    assert page.locator(".desk .message").first.text_content() == ""
    page.wait_for_function("() => document.activeElement.textContent === 'Check the answer'")
    page.unroute("**/v1/verify/stream")
    page.route("**/v1/verify/stream", lambda route: route.abort())
    page.get_by_role("button", name="Check the answer").click()
    page.wait_for_selector(".message:has-text('cannot be reached')")
    page.unroute("**/v1/verify/stream")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(".reading .claim.refuted")


def test_a_file_is_a_chip_with_its_size_that_can_be_opened_and_removed(page):
    drop(page, ".desk-side:has(.slips)", "height.txt", HEIGHT.encode(), "text/plain")
    page.wait_for_selector(".chip")
    facts = page.locator(".chip-facts").inner_text()
    assert facts.startswith(f"{len(HEIGHT.encode())} B")
    assert "characters read" in facts
    assert not page.locator(".chip textarea").is_visible()
    page.get_by_role("button", name="Show the text").click()
    assert page.locator(".chip textarea").is_visible()
    page.get_by_role("button", name="Remove this source").click()
    assert page.locator(".chip").count() == 0


def test_n_and_p_go_from_problem_to_problem(page):
    report = check(page)
    faults = [n for n, claim in enumerate(report["claims"]) if claim["verdict"] in ("REFUTED", "INSUFFICIENT")]
    assert len(faults) > 1
    assert page.locator(".tally").inner_text() == f"problem 1 of {len(faults)}"
    for key, at in (("n", 1), ("p", 0), ("p", -1)):
        page.keyboard.press(key)
        assert page.get_by_role("article", name=f"Claim {faults[at] + 1}", exact=True).count() == 1
    page.get_by_role("button", name="Next problem").click()
    assert page.locator(".tally").inner_text() == f"problem 1 of {len(faults)}"


@pytest.mark.parametrize(("width", "columns"), [(820, 2), (390, 1)])
def test_answer_and_evidence_stand_side_by_side_from_a_tablet_on(tabs, site, width, columns):
    page = tabs.open(site, viewport={"width": width, "height": 900})
    assert page.locator(".masthead").bounding_box()["height"] < 110
    check(page, answer=ANSWER + " جبل إيفرست ارتفاعه 8849 مترا.")
    assert (
        page.locator(".sheet").evaluate("(one) => getComputedStyle(one).gridTemplateColumns.split(' ').length")
        == columns
        or columns == 1
    )
    assert page.locator(".proof").is_visible() == (columns == 2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


EVERY_KIND = (
    "Mount Everest is 8,849 m high. Mount Everest is 8,489 m high. It was first climbed by a team of penguins. "
    "I think it is beautiful. "
)


@pytest.mark.parametrize("width", [1360, 820])
def test_the_bar_of_filters_covers_no_evidence(tabs, site, width):
    page = tabs.open(site, viewport={"width": width, "height": 900})
    check(page, answer=EVERY_KIND * 8)
    page.evaluate("scrollBy(0, document.querySelector('.bar.sticky').getBoundingClientRect().top + 30)")
    page.wait_for_function("() => document.querySelector('.bar.sticky').getBoundingClientRect().top === 0")
    bar, card = page.locator(".bar.sticky").bounding_box(), page.locator(".card .verdict").bounding_box()
    assert bar["height"] <= card["y"]
    assert page.locator(".proof").evaluate("(one) => one.getBoundingClientRect().bottom <= innerHeight")


def test_all_filters_are_in_sight_on_a_phone(tabs, site):
    page = tabs.open(site, viewport={"width": 390, "height": 844})
    check(page, answer=EVERY_KIND)
    boxes = [one.bounding_box() for one in page.locator(".filter").all()]
    assert len(boxes) == 4
    assert min(box["x"] for box in boxes) >= 0
    assert max(box["x"] + box["width"] for box in boxes) <= 390
    assert page.locator(".bar.sticky").bounding_box()["height"] < 80


COST = "The expedition to the summit of the mountain is said to have cost **three million pounds** of that time. "


def test_a_chosen_claim_ends_above_the_evidence_on_a_phone(tabs, site):
    page = tabs.open(site, viewport={"width": 390, "height": 844})
    check(page, answer="\n\n".join(["I think it is beautiful."] * 12 + [COST]))
    page.locator(".claim.insufficient").first.click()
    assert page.locator(".claim.chosen").count() > 1  # bold words cut it
    page.wait_for_function(
        """() => {
            const floor = document.querySelector(".steps").getBoundingClientRect().top;
            const chosen = [...document.querySelectorAll(".claim.chosen")];
            return chosen.every((one) => one.getBoundingClientRect().bottom <= floor);
        }"""
    )


def test_the_thread_begins_beside_words_of_its_claim(tabs, site):
    page = tabs.open(site, viewport={"width": 1000, "height": 900})
    tail = "Edmund Hillary and Tenzing Norgay reached the summit on the morning of 29 May 1953. They stayed a while."
    check(page, answer=f"They stayed a while. {COST}{tail}", sources={"ascent": f"{COST[:60]} something. {ASCENT}"})
    page.locator(".claim.insufficient, .claim.refuted").first.click()
    page.wait_for_selector(".thread.tied")
    beside = page.evaluate(
        """() => {
            // The path begins with a short upright stroke: ten pixels around the height at which it leaves the claim.
            const path = document.querySelector(".thread path");
            const y = path.getPointAtLength(5).y + path.ownerSVGElement.getBoundingClientRect().top;
            const lines = [...document.querySelectorAll(".answer .claim")].flatMap((one) =>
                [...one.getClientRects()]
                    .filter((line) => line.top < y && y < line.bottom)
                    .map((line) => ({ one, line })),
            );
            return lines.sort((a, b) => b.line.right - a.line.right)[0].one.classList.contains("chosen");
        }"""
    )
    assert beside


def test_remarks_of_one_kind_are_folded(page):
    cited = " ".join(f"Peak {number} is {number + 1},849 m high." for number in range(6))
    report = check(page, answer=f"{ASCENT} [1] {cited}")
    of_kind = [flag for flag in report["risk_flags"] if flag["kind"] == "uncited_claim"]
    assert len(of_kind) > 3
    shown = page.locator(".remarks > ul > li:has(strong:text-is('uncited claim'))")
    assert sum(row.locator("strong").first.is_visible() for row in shown.all()) == 2
    page.locator(".remarks summary").click()
    assert page.locator(".remarks strong:text-is('uncited claim'):visible").count() == len(of_kind)


def test_a_quote_that_takes_a_claim_out_is_not_painted_as_support(page):
    check(page, answer="Mount Everest is 8,489 m high. The expedition to it never reached the summit on 29 May 1953.")
    page.get_by_role("button", name="Fix the answer").click()
    page.wait_for_selector(".fix .changes")
    for item in page.locator(".fix .changes > li").all():
        quote = item.locator(".receipt-line")
        if quote.count():
            taken_out = item.get_by_text("taken out", exact=True).count() > 0
            assert ("supports" in quote.get_attribute("class")) != taken_out


def test_records_are_one_entry_of_the_menu(page):
    assert page.locator("nav > a").all_inner_texts() == ["Check", "Ask", "Live", "Memory"]
    page.get_by_text("Records", exact=True).click()
    page.get_by_role("link", name="Audit").click()
    page.wait_for_selector(".view.audit:not([hidden])")
    assert not page.get_by_role("link", name="Traces").is_visible()
