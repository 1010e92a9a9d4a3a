"""What a person does at the desk, and the texts that the tests check."""

import base64
import json
import urllib.request

ANSWER = (
    "Mount Everest is 8,489 m high and stands on the border between Nepal and China. "
    "Edmund Hillary and Tenzing Norgay reached the summit on 29 May 1953. "
    "The expedition cost three million pounds. I think it is beautiful."
)
HEIGHT = (
    "How high is it?\n\nMount Everest is 8,849 m high, which makes it the highest mountain on Earth. "
    "It stands on the border between Nepal and China; the line runs right across the summit."
)
ASCENT = "Edmund Hillary and Tenzing Norgay reached the summit on the morning of 29 May 1953. They stayed a while."
# The words of the page for the verdicts of the interfaces.
WORDS = {
    "SUPPORTED": "supported",
    "REFUTED": "contradicted",
    "INSUFFICIENT": "not confirmed",
    "NOT_CHECKABLE": "not checkable",
}
SOURCES = {"height": HEIGHT, "ascent": ASCENT}


def fill(page, answer=ANSWER, sources=None, question="", name="check"):
    """Writes an answer and its sources on the desk."""
    page.fill(f"#{name}-answer", answer)
    if question:
        page.fill(f"#{name}-question", question)
    for number, (title, text) in enumerate((sources or SOURCES).items()):
        if number:
            page.get_by_role("button", name="Add a source").click()
        slip = page.locator(".slip:visible").nth(number)
        slip.get_by_label("Name of this source").fill(title)
        slip.get_by_label("Text of this source").fill(text)


def check(page, answer=ANSWER, sources=None, question=""):
    """Has an answer checked on the page; what the server answered."""
    fill(page, answer, sources, question)
    page.get_by_role("button", name="Check the answer").click()
    page.wait_for_selector(".reading .answer")
    return recorded(page)


def recorded(page):
    """The check that a page shows, as the server keeps it: a browser does not always keep the body of a stream."""
    address = page.evaluate("location.hash")
    assert address.startswith("#/check/")
    run = call(page.evaluate("location.origin") + "/", f"v1/audits/{address.removeprefix('#/check/')}")
    return run["report"] | {"run_id": run["id"], "documents": run["documents"], "rating": run["rating"]}


def drop(page, selector, name, data, kind):
    """Drops a file on an element, as a hand would."""
    page.locator(selector).first.evaluate(
        """(target, [name, data, kind]) => {
            const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
            const carried = new DataTransfer();
            carried.items.add(new File([bytes], name, { type: kind }));
            for (const step of ["dragenter", "dragover", "drop"]) {
                target.dispatchEvent(new DragEvent(step, { dataTransfer: carried, bubbles: true, cancelable: true }));
            }
        }""",
        [name, base64.b64encode(data).decode(), kind],
    )


def call(site, path, body=None):
    """What the server says to a program."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(site + path, data=data, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as response:
        return json.loads(response.read())


def lit(page):
    """The quotes that are lit up: for each its id, its offsets and the words between them, as drawn."""
    return page.evaluate(
        """() => {
            const quotes = {};
            for (const mark of document.querySelectorAll("mark.chosen")) {
                for (const id of mark.dataset.quotes.split(" ")) {
                    const found = (quotes[id] ??= { start: Number(mark.dataset.start), end: 0, text: "" });
                    found.end = Number(mark.dataset.end);
                    found.text += mark.textContent;
                }
            }
            return quotes;
        }"""
    )
