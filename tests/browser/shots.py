"""Takes the pictures of docs/page.md: `python -m tests.browser.shots FOLDER [JUDGE]`, with real runs over examples/."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from assay.memory.readers import read_sources
from tests.browser.conftest import ARGS, find_chromium, serve
from tests.browser.desk import call

ROOT = Path(__file__).parents[2]
EVEREST = ROOT / "examples" / "everest"
DESK, TABLET, PHONE = {"width": 1280, "height": 860}, {"width": 820, "height": 1100}, {"width": 390, "height": 844}
PICTURES = [
    ("", DESK, "light", ["check", "ask", "live", "ledger", "audit", "traces", "memory", "evaluation"]),
    ("-dark", DESK, "dark", ["check"]),
    ("-tablet", TABLET, "light", ["check"]),
    ("-phone", PHONE, "light", ["check"]),
]
QUESTION = "How high is Mount Everest and who climbed it first?"
LIVE = (
    "Mount Everest stands on the border between Nepal and China. The expedition employed 362 porters [2] and cost the "
    "equivalent of three million pounds. Mount Everest is 8,489 m high. Nobody has measured it since."
)
STEPS = [
    ("goal-1", "goal", "Say how high Mount Everest is and who climbed it first", None),
    ("d1", "decision", "Use the joint survey of 2020 for the height", "goal-1"),
    ("seen-1", "observation", "Mount Everest is 8,849 m high, as Nepal and China announced in December 2020.", "d1"),
    ("c1", "claim", "Mount Everest is 8,849 m high.", "d1"),
    ("c2", "claim", "Mount Everest is 8,489 m high.", "d1"),
    ("d2", "decision", "Name the first climbers from the account of the expedition", "goal-1"),
    ("a1", "action", "Look up the first ascent", "d2"),
    ("seen-2", "observation", "Edmund Hillary and Tenzing Norgay reached the summit on 29 May 1953.", "a1"),
    ("c3", "claim", "Edmund Hillary and Tenzing Norgay reached the summit on 29 May 1953.", "d2"),
    ("c4", "claim", "George Mallory reached the summit in 1924.", "d2"),
]
CITES = [("c1", "seen-1"), ("c2", "seen-1"), ("c3", "seen-2"), ("c4", "mallory-diary")]


def furnish(site, judge):
    """Runs, documents, a trace and measurements, all made by the server itself."""
    read = read_sources([EVEREST / "sources"]).documents
    marks = [
        {"headings": [{"start": mark.start, "label": mark.label} for mark in document.headings]} for document in read
    ]
    sources = [{"id": d.id, "title": d.title, "text": d.text} | at for d, at in zip(read, marks, strict=True)]
    # Among other things, as a memory is; pages that use the example themselves would be quoted back.
    pages = [path for path in sorted((ROOT / "docs").glob("*.md")) if "Everest" not in path.read_text()]
    stored = [{"id": path.name, "title": path.stem, "text": path.read_text()} for path in pages]
    call(site, "v1/documents", {"documents": sources + stored})
    for answer in ("Messner climbed Everest alone in August 1980.", "K2 stands in the Karakoram. It is 8,611 m high."):
        call(site, "v1/verify", {"answer": answer, "sources": sources, "judge": judge})
    answer = (EVEREST / "answer.md").read_text()
    run = call(site, "v1/verify", {"answer": answer, "sources": sources, "question": QUESTION, "judge": judge})
    nodes = [{"id": a, "kind": kind, "text": text, "parent": up} for a, kind, text, up in STEPS]
    call(site, "v1/traces", {"nodes": nodes, "edges": [{"source": a, "target": b, "kind": "cites"} for a, b in CITES]})
    for name in ("lexical", "small"):
        call(site, "v1/eval", {"name": "changed sentences", "judge": name, "rows": labelled(read)})
    return answer, run["run_id"]


def labelled(documents):
    """The sentences of the example: as they stand, with a fact changed, and held against another document."""
    from assay.mutations import mutate
    from assay.text.sentences import split_sentences

    rows = []
    for number, document in enumerate(documents):
        other = documents[(number + 1) % len(documents)]
        for sentence in split_sentences(document.text):
            claim = " ".join(sentence.span.of(document.text).split())
            if sentence.kind != "prose" or len(claim) < 40:
                continue
            rows.append({"evidence": document.text, "claim": claim, "label": "SUPPORTED"})
            rows.append({"evidence": other.text, "claim": claim, "label": "INSUFFICIENT"})
            changed = [one for one in mutate(claim) if one.kind in ("number", "date", "negation")]
            rows += [{"evidence": document.text, "claim": one.text, "label": "REFUTED"} for one in changed[:1]]
    return rows


def write(page, view, answer):
    page.fill(f"#{view}-answer", answer)
    page.fill(f"#{view}-question", QUESTION)
    page.locator(f".view.{view} input[type=file]").set_input_files(sorted((EVEREST / "sources").iterdir()))
    page.wait_for_function("(view) => document.querySelectorAll(`.view.${view} .slip`).length === 3", arg=view)


def picture(page, site, view, answer, run_id):
    """Brings a view into the state worth a picture."""
    page.goto(f"{site}#/{view}/{run_id}" if view in ("ledger",) else f"{site}#/{view}")
    page.wait_for_selector(f".view.{view}:not([hidden]) h1")
    if view == "check":
        write(page, view, answer)
        page.get_by_role("button", name="Check the answer").click()
        page.wait_for_selector(".reading .answer .claim")
        if page.viewport_size["width"] < 500:
            page.locator(".claim.refuted").first.click()
    elif view == "live":
        write(page, view, LIVE)
        page.fill("#speed", "6")
        page.get_by_role("button", name="Start the stream").click()
        page.wait_for_selector("text=Open the reading")
    elif view == "ask":
        page.fill("#ask-question", "How high is Mount Everest?")
        page.get_by_role("button", name="Ask", exact=True).click()
        page.wait_for_selector(".view.ask .answer, .refusal")
    elif view == "traces":
        page.wait_for_selector(".tree")
    elif view == "memory":
        page.wait_for_selector(".map")
        page.locator(".map").focus()
        page.locator(".map").blur()  # the point stays chosen, without the ring of the focus
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(900)  # until the scrolling has come to rest


def main(folder, judge="cascade"):
    with tempfile.TemporaryDirectory() as data, sync_playwright() as driver:
        # However busy the machine is that takes them, the pictures show what the judge says.
        site, stop = serve(data=data, judge=judge, policy={"verification_timeout_ms": 60_000.0})
        answer, run_id = furnish(site, judge)
        browser = driver.chromium.launch(executable_path=find_chromium(), args=ARGS)
        for suffix, viewport, scheme, views in PICTURES:
            page = browser.new_page(viewport=viewport, color_scheme=scheme)
            page.set_default_timeout(180_000)
            for view in views:
                picture(page, site, view, answer, run_id)
                page.screenshot(path=Path(folder) / f"page-{view}{suffix}.png")
                print(f"page-{view}{suffix}.png")
            page.close()
        browser.close()
        stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
