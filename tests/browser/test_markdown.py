"""Markdown in answers and sources: drawn as what it means, with the marks exactly on the words, and never as HTML."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.browser.desk import check

ANSWER = """## Height

Mount Everest is **8,489 m** high, see [the survey](https://survey.example/2020) and `K2`.

- Edmund Hillary and *Tenzing Norgay* reached the summit on 29 May 1953.
- It stands on the border between Nepal and China.

| Peak | Height |
| --- | ---: |
| K2 | 8,611 m |
"""
SOURCE = """# Mountains

| Peak | Height | Where |
| :--- | ---: | --- |
| **Mount Everest** | 8,849 m | Nepal and China |
| K2 | 8,611 m | Karakoram |

1. Mount Everest is **8,849 m** high and stands on the border between Nepal and China.
2. Edmund Hillary and Tenzing Norgay reached the summit on 29 May 1953.

> Said `once`, and [click](javascript:window.hit=1) or ![pixel](https://tracker.example/x.png) never.
"""


def test_an_answer_and_a_source_are_rendered(page):
    check(page, ANSWER, {"peaks.md": SOURCE})
    answer, source = page.locator(".reading .answer"), page.locator(".reading .excerpt")
    assert answer.locator("li").count() == 2
    assert answer.locator("strong").inner_text() == "8,489 m"
    assert answer.locator("em").inner_text() == "Tenzing Norgay"
    assert answer.locator("code").inner_text() == "K2"
    assert "K2" in answer.locator("td").first.inner_text()
    assert source.locator("th").all_inner_texts() == ["Peak", "Height", "Where"]
    assert source.locator("tr").nth(1).locator("td").nth(1).inner_text() == "8,849 m"
    assert source.locator("ol > li").count() == 2
    assert source.locator("blockquote").count() == 1
    for box in (answer, source):
        assert not {"**", "| ---", "##"} & {sign for sign in ("**", "| ---", "##") if sign in box.inner_text()}


def test_marks_lie_on_the_rendered_words(page):
    report = check(page, ANSWER, {"peaks.md": SOURCE})
    for number, claim in enumerate(report["claims"]):
        if not page.locator(f'.reading .answer .claim[data-lead="{number}"][tabindex="0"]').count():
            continue  # lies under a worse one
        page.locator(f'.reading .answer .claim[data-lead="{number}"][tabindex="0"]').click()
        for selector, text, spans in (
            (".reading .answer .claim.chosen .words", ANSWER, claim["spans"]),
            ("mark.chosen", SOURCE, claim["evidence"]),
        ):
            drawn = "".join(page.locator(selector).all_text_contents())
            meant = "".join(text[span["start"] : span["end"]] for span in merged(spans))
            assert letters(drawn) == letters(meant), (selector, claim["text"])
    assert "".join(page.locator(".reading .answer strong .claim .words").all_text_contents()) == "8,489 m"


def test_every_claim_has_a_number_and_a_stop_where_its_edges_are_not_drawn(page):
    answer = (
        "| Peak | Height |\n| --- | --- |\n| K2 | 8,116 m |\n| Mount Everest | 8,849 m |\n\n"
        "**8,489 m** is the height of Mount Everest.\n\nMount Everest is high, namely **8,489 m**"
    )
    report = check(page, answer, {"peaks.md": SOURCE})
    stops = page.locator('.reading .answer .claim[tabindex="0"]')
    led = stops.evaluate_all("(list) => list.map((one) => Number(one.dataset.lead))")
    assert led == list(range(len(report["claims"])))
    numbers = page.locator(".reading .answer .raised").all_text_contents()
    assert [int(text.strip("\u2060")) for text in numbers] == [number + 1 for number in led]
    for stop, claim in zip(stops.all(), report["claims"], strict=True):  # a reader of labels hears the whole claim
        assert claim["text"] in stop.get_attribute("aria-label")


def merged(spans):
    """Stretches in order, those that overlap as one."""
    found = []
    for span in sorted(spans, key=lambda one: one["start"]):
        if found and span["start"] <= found[-1]["end"]:
            found[-1]["end"] = max(found[-1]["end"], span["end"])
        else:
            found.append({"start": span["start"], "end": span["end"]})
    return found


def letters(text):
    """Letters and digits only, without the addresses of links, which are not drawn."""
    text = text.replace("https://survey.example/2020", "").replace("↗", "")
    return "".join(sign for sign in text if sign.isalnum())


def test_links_lead_to_the_web_only_and_pictures_are_not_fetched(page, tabs):
    check(page, ANSWER, {"peaks.md": SOURCE})
    links = page.locator(".reading .answer a, .reading .excerpt a").evaluate_all(
        "(all) => all.map((one) => [one.getAttribute('href'), one.rel, one.target])"
    )
    assert {href for href, _, _ in links} == {"https://survey.example/2020", "https://tracker.example/x.png"}
    assert all("noopener" in rel and target == "_blank" for _, rel, target in links)
    assert page.locator("main img").count() == 0
    assert "[click](javascript:window.hit=1)" in page.locator(".excerpt blockquote").inner_text()
    assert not any("tracker" in host for host in tabs.hosts)


@pytest.fixture(scope="module")
def bench(chromium, site):
    page = chromium.new_page()
    page.goto(site)
    page.evaluate(
        """async () => {
            const { leavesOf, parseMarkdown } = await import("/js/markdown.js");
            window.leaves = (text) => { const tree = parseMarkdown(text); return tree && leavesOf(tree); };
        }"""
    )
    yield page
    page.close()


PIECES = st.lists(
    st.sampled_from(
        [
            "**",
            "*",
            "_",
            "`",
            "~~",
            "- ",
            "1. ",
            "# ",
            "> ",
            "| ",
            "|",
            "\n",
            "\n\n",
            "---",
            "```",
            "a",
            "b c",
            "é",
            "𝔐",
            "  ",
        ]
    ),
    max_size=30,
).map("".join)


@given(text=PIECES)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_leaves_are_in_order_and_lose_no_word(bench, text):
    leaves = bench.evaluate("(text) => leaves(text)", text)
    if leaves is None:
        return
    units = text.encode("utf-16-le")
    at = 0
    shown = ""
    for leaf in leaves:
        assert at <= leaf["start"] < leaf["end"] <= len(units) // 2
        shown += units[2 * leaf["start"] : 2 * leaf["end"]].decode("utf-16-le")
        at = leaf["end"]
    # The words behind the marks of a fence name its language; a row may have more cells than its head.
    if "```" not in text and "|" not in text:
        assert [sign for sign in shown if sign.isalpha()] == [sign for sign in text if sign.isalpha()]


@pytest.mark.parametrize(
    "text",
    [
        "2 * 3 * 4 = 24",
        "snake_case_name and 5*3*2",
        "Plain words.\n\nMore of them.",
        "a | b",
        "[1] and [cite:ab12]",
        "C# is #1",
    ],
)
def test_plain_text_is_left_as_it_is(bench, text):
    assert bench.evaluate("(text) => leaves(text)", text) is None
