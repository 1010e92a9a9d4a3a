"""The real page in a real Chromium, served by the real server."""

import os
import shutil
import socket
import threading
import time
from urllib.parse import urlsplit

import pytest

ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def find_chromium():
    named = os.environ.get("ASSAY_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    return found if found and os.access(found, os.X_OK) else None


def serve(**changes):
    """Starts a server on a free port of this machine; its address, and how to stop it."""
    import uvicorn

    from assay.server.app import make_app
    from assay.server.settings import Settings

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    fixed = {"judge": "lexical", "embedder": "static", "warm": False, "rate_per_minute": 100_000}
    app = make_app(Settings.load(env={}, port=port, **(fixed | changes)))
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("the server did not start")
        time.sleep(0.02)

    def stop():
        server.should_exit = True
        thread.join(10)

    return f"http://127.0.0.1:{port}/", stop


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    address, stop = serve(data=str(tmp_path_factory.mktemp("site")))
    yield address
    stop()


# A browser a file, not one a session: its driver keeps an event loop running in this thread, and a test of another room
# that ran beside it could not start its own.
@pytest.fixture(scope="module")
def chromium():
    path = find_chromium()
    if path is None:
        pytest.skip("Chromium is not installed: make browser installs it, ASSAY_CHROMIUM names another")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: it is in the dev extra"
    )
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=ARGS)
        yield browser
        browser.close()


def furnish(browser, newcomer=False, **options):
    """A context; on the first visit of a newcomer the page also checks an example, which other tests do without."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 860}} | options))
    if not newcomer:
        context.add_init_script("localStorage.setItem('assay-seen', 'yes')")
    context.set_default_timeout(90_000)  # the machine may be busy; how long a step takes says nothing
    return context


class Watched:
    """Opens pages and keeps what went wrong on them and what they asked of whom."""

    def __init__(self, browser):
        self.browser, self.opened, self.problems, self.hosts = browser, [], [], set()

    def open(self, address, **options):
        """A page in a context of its own, which nobody has used before."""
        context = furnish(self.browser, **options)
        self.opened.append(context)
        return self.watch(context.new_page(), address)

    def watch(self, page, address):
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._heard)
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        page.goto(address)
        page.wait_for_selector("h1")
        return page

    def _heard(self, message):
        # A refusal by the server is logged by the browser itself; whether it was right is for the test to say.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.problems.append(message.text)


@pytest.fixture
def tabs(chromium):
    """Opens pages; afterwards none may have failed in silence or asked anything of another host."""
    watched = Watched(chromium)
    yield watched
    for opened in watched.opened:
        opened.close()
    assert watched.problems == []
    assert {host.partition(":")[0] for host in watched.hosts} <= {"127.0.0.1"}


@pytest.fixture(scope="module")
def window(chromium):
    """A context that the tests share: the page's files are fetched once."""
    context = furnish(chromium)
    yield context
    context.close()


@pytest.fixture
def page(tabs, window, site):
    page = window.new_page()
    tabs.opened.append(page)
    return tabs.watch(page, site)
