"""Checking an answer: verdicts, the exact words in the source, files, hostile texts, and a reader's mark."""

import io

import pytest

from tests.browser.desk import ANSWER, HEIGHT, WORDS, call, check, drop, fill, lit, recorded


def test_every_claim_is_marked_with_its_verdict_in_shape_line_and_words(page):
    report = check(page)
    marked = page.locator(".reading .answer .claim")
    for number, claim in enumerate(report["claims"]):
        piece = page.locator(f'.reading .answer .claim[data-lead="{number}"]').first
        assert f"Claim {number + 1}, {WORDS[claim['verdict']]}" in piece.get_attribute("aria-label")
        assert page.locator(f".reading .answer .raised:has-text('{number + 1}') svg").first.is_visible()
    lines = {
        verdict: page.locator(f".reading .answer .claim.{verdict} .words").first.evaluate(
            "(words) => getComputedStyle(words).textDecorationStyle"
        )
        for verdict in ("supported", "refuted", "insufficient", "not-checkable")
    }
    assert len(set(lines.values())) == 4  # told apart without colour
    assert marked.count() >= len(report["claims"])
    assert page.get_by_role("heading", name="One claim contradicted by the sources").is_visible()


def test_the_answer_is_shown_letter_by_letter(page):
    check(page)
    shown = page.locator(".reading .answer").evaluate(
        "(box) => { const copy = box.cloneNode(true); copy.querySelectorAll('.raised').forEach((one) => one.remove());"
        " return copy.textContent; }"
    )
    assert shown == ANSWER


WIDE = {
    "answer": "🏔️ Mount Everest is 8,489 m high. Café de\u0301cor 𝔐 opened in 1953. 👩‍🚀 K2 reaches 8,611 m.",
    "sources": {
        "emoji 🗻": "🗻🗻 𝔈 Mount Everest is 8,849 m high. 🇳🇵\n\nK2 reaches 8,611 m. 👩‍👩‍👧 That is all.",
        "marks": "Cafe\u0301 Café de\u0301cor 𝔐 opened in 1953, 𝟙𝟡𝟝𝟛 as they write it.",
    },
}


@pytest.mark.parametrize("texts", [{}, WIDE], ids=["plain", "astral and combining"])
def test_a_chosen_claim_lights_up_exactly_its_quotes(page, texts):
    report = check(page, **texts)
    documents = {document["id"]: document["text"] for document in report["documents"]}
    seen = 0
    for number, claim in enumerate(report["claims"]):
        page.locator(f'.reading .answer .claim[data-lead="{number}"][tabindex="0"]').click()
        expected = {
            f"quote-{number}-{order}": {"start": item["start"], "end": item["end"], "text": item["quote"]}
            for order, item in enumerate(claim["evidence"])
        }
        found = {name: quote for name, quote in lit(page).items() if name.startswith(f"quote-{number}-")}
        assert found == expected
        for item in claim["evidence"]:
            assert documents[item["document"]][item["start"] : item["end"]] == item["quote"]
            seen += 1
        for span in claim["spans"]:
            words = (texts.get("answer") or ANSWER)[span["start"] : span["end"]]
            drawn = page.evaluate(
                "() => [...document.querySelectorAll('.claim.chosen .words')].map((one) => one.textContent).join('')"
            )
            assert words in drawn
    assert seen >= 2


def test_the_source_pane_scrolls_to_the_quote(page):
    far = "Nothing to see here.\n\n" * 60
    report = check(page, sources={"long": far + HEIGHT + "\n\n" + far})
    refuted = next(n for n, claim in enumerate(report["claims"]) if claim["verdict"] == "REFUTED")
    page.locator(f'.reading .answer .claim[data-lead="{refuted}"]').first.click()
    page.wait_for_function(
        """() => {
            const box = document.querySelector(".sources").getBoundingClientRect();
            const mark = document.querySelector("mark.chosen").getBoundingClientRect();
            return mark.top >= box.top && mark.bottom <= box.bottom && mark.bottom <= innerHeight;
        }"""
    )
    assert page.locator(".thread.tied path").get_attribute("d").startswith("M")


def test_the_card_gives_the_reason_the_grounds_and_what_is_not_backed(page):
    report = check(page)
    claim = report["claims"][0]
    card = page.get_by_role("article", name="Claim 1")
    text = card.text_content()  # its details are folded away
    evidence = claim["evidence"][0]
    for part in (claim["text"], claim["explanation"], claim["method"], evidence["document"], "8,489"):
        assert part in text
    assert f"{evidence['start']}–{evidence['end']}" in text
    assert card.get_by_role("img", name="confidence 0.").is_visible()
    assert "Not supported: 8,489 m" in text


def test_markup_in_an_answer_or_a_source_is_shown_not_run(page):
    attack = '<script>window.hit = 1</script><img src=x onerror="window.hit = 2"> Mount Everest is 8,489 m high.'
    report = check(page, answer=attack, sources={"<b>evil</b>": attack.replace("8,489", "8,849")}, question=attack)
    assert report["claims"]
    for piece in page.locator('.answer .claim[tabindex="0"]').all():
        piece.click()
    page.goto(page.url.partition("#")[0] + "#/ledger")
    page.wait_for_selector(".ledger-table")
    page.goto(page.url.partition("#")[0] + "#/audit")
    page.wait_for_selector(".ledger-table a")
    assert page.evaluate("window.hit") is None
    assert page.locator("main img, main script, main b:has-text('evil')").count() == 0
    assert "<script>window.hit = 1</script>" in page.locator(".view.check .reading .answer").text_content()
    assert 'onerror="window.hit = 2"' in page.locator(".view.check .reading .sources").text_content()


def pdf(*pages):
    from reportlab.pdfgen.canvas import Canvas

    file = io.BytesIO()
    canvas = Canvas(file)
    for text in pages:
        canvas.drawString(72, 720, text)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def test_a_dropped_pdf_is_read_and_its_page_is_cited(page):
    data = pdf("A booklet about mountains.", "Mount Everest is 8,849 m high.")
    page.fill("#check-answer", "Mount Everest is 8,489 m high.")
    drop(page, ".desk-side:has(.slips)", "booklet.pdf", data, "application/pdf")
    page.wait_for_function("() => document.querySelector('.slip textarea').value.includes('8,849')")
    assert page.locator(".slip").count() == 1
    page.get_by_role("button", name="Check the answer").click()
    page.wait_for_selector(".reading .claim.refuted")
    assert recorded(page)["claims"][0]["evidence"][0]["page"] == 2
    assert "booklet.pdf p. 2" in page.locator(".evidence").inner_text()
    assert [quote["text"] for quote in lit(page).values()] == ["Mount Everest is 8,849 m high."]


def test_files_of_other_kinds_are_chosen_and_one_that_cannot_be_read_is_named(page):
    from docx import Document

    word = io.BytesIO()
    document = Document()
    document.add_paragraph("K2 reaches 8,611 m.")
    document.save(word)
    files = [
        ("k2.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", word.getvalue()),
        ("page.html", "text/html", b"<title>Peaks</title><p>Everest was climbed in 1953.</p><script>bad()</script>"),
        ("notes.md", "text/markdown", b"# Notes\n\nMallory died in 1924."),
        ("picture.png", "image/png", b"\x89PNG\r\n\x1a\n" + bytes(64)),
    ]
    page.locator(".view.check input[type=file]").set_input_files(
        [{"name": name, "mimeType": kind, "buffer": data} for name, kind, data in files]
    )
    page.wait_for_function("() => document.querySelectorAll('.slip').length === 3")
    texts = [box.input_value() for box in page.get_by_label("Text of this source").all()]
    assert ["8,611" in texts[0], "1953" in texts[1], "1924" in texts[2]] == [True] * 3
    assert "bad()" not in texts[1]
    assert "picture.png" in page.get_by_role("alert").first.inner_text()


def test_an_answer_can_be_dropped_too(page):
    drop(page, ".desk-side:has(#check-answer)", "answer.txt", "Mount Everest is high. 🏔️".encode(), "text/plain")
    page.wait_for_function("() => document.querySelector('#check-answer').value.includes('🏔️')")


def test_nothing_to_check_against_is_said_before_the_server_is_asked(page):
    page.fill("#check-answer", ANSWER)
    page.get_by_role("button", name="Check the answer").click()
    assert "nothing to check against" in page.get_by_role("alert").first.inner_text()


def test_a_refusal_of_the_server_is_shown_in_its_own_words(page):
    fill(page, answer="x" * 200_001)
    page.get_by_role("button", name="Check the answer").click()
    page.wait_for_function("() => document.querySelector('.message').textContent.includes('200,000')")


def test_a_readers_mark_goes_into_the_ledger(page, site):
    report = check(page)
    page.get_by_role("button", name="Wrong").click()
    page.wait_for_selector(".stamp[data-right=false][aria-pressed=true]")
    marks = call(site, f"v1/audits/{report['run_id']}")["marks"]
    assert [(mark["claim"], mark["right"]) for mark in marks] == [(0, False)]


def test_filters_fade_what_is_not_asked_for(page):
    check(page)
    page.get_by_role("button", name="contradicted 1 of").click()
    assert page.locator(".claim.refuted.faded").count() == 0
    assert page.locator(".claim.supported:not(.faded)").count() == 0
    page.get_by_role("button", name="contradicted 1 of").click()
    assert page.locator(".claim.faded").count() == 0


def test_the_example_can_be_filled_in_and_changed_again(page):
    page.get_by_role("button", name="Fill in an example").click()
    page.get_by_role("button", name="Check the answer").click()
    page.wait_for_selector(".reading .claim.refuted")
    page.get_by_role("button", name="Change the answer").click()
    assert "8,489" in page.input_value("#check-answer")
    assert page.evaluate("document.activeElement.id") == "check-answer"


def test_a_quote_takes_its_colour_from_the_chosen_claim(page):
    """The same sentence of the source contradicts one claim and supports another."""
    answer = (
        "Mount Everest is 8,489 m high. Mount Everest stands on the border between Nepal and China. "
        "Mount Everest has an airport on the border between Nepal and China."
    )
    source = "Mount Everest is 8,849 m high and stands on the border between Nepal and China."
    report = check(page, answer=answer, sources={"one": source})
    colours = {"supports": "--supported", "refutes": "--refuted", "neutral": "--not-checkable"}
    verdicts = set()
    for number, claim in enumerate(report["claims"]):
        page.locator(f'.reading .answer .claim[data-lead="{number}"][tabindex="0"]').click()
        for order, item in enumerate(claim["evidence"]):
            mark = page.locator(f'mark.chosen[data-quotes~="quote-{number}-{order}"]').first
            accent, meant = mark.evaluate(
                """(mark, name) => {
                    const probe = document.createElement("i");
                    probe.style.color = `var(${name})`;
                    document.body.append(probe);
                    const colours = [getComputedStyle(mark).textDecorationColor, getComputedStyle(probe).color];
                    probe.remove();
                    return colours;
                }""",
                colours[item["stance"]],
            )
            assert accent == meant, (claim["verdict"], item["stance"])
            verdicts.add(claim["verdict"])
    assert {"REFUTED", "SUPPORTED"} <= verdicts


def test_a_line_end_between_two_claims_is_drawn_as_one(page):
    wrapped = (
        "Mount Everest is 8,849 m high, which makes it the highest mountain on Earth.\nThe summit was reached in 1953."
    )
    check(page, answer=wrapped, sources={"wrapped": wrapped.replace(". ", ".\n")})
    for selector in (".reading .answer", ".reading .excerpt"):
        shown = page.locator(selector).evaluate(
            """(box) => {
                const copy = box.cloneNode(true);
                copy.querySelectorAll(".raised").forEach((one) => one.remove());
                return copy.textContent;
            }"""
        )
        assert shown == wrapped
