"""A real browser at a real server: Chromium without a window, and a bank with a past."""

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from loopback import served

from hippocampus import Memory
from hippocampus.core.clock import ManualClock

EXAMPLES = Path(__file__).parents[3] / "examples"
CHECKS = (Path(__file__).parent / "checks.js").read_text(encoding="utf-8")
LONG = "w" * 200
"""The longest name of a bank, and a word that cannot be broken."""
PATIENCE_MS = 20_000
"""For a machine that does other things as well; what is waited for comes in some ms."""


@pytest.fixture(scope="module")
def chromium():
    """
    Return the browser, or skip: it comes from the system, not from a package index.

    Its driver keeps an event loop on this thread, which other modules need for themselves.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright here")
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
    if found is None:
        pytest.skip("no chromium here; 'apt-get install chromium' brings it")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def past(tmp_path_factory):
    """Return a store in which a year of conversation was remembered, and slept upon."""
    clock = ManualClock(datetime(2025, 1, 1, 12, tzinfo=UTC))
    path = tmp_path_factory.mktemp("past") / "memory.db"
    with Memory(path, embedder="hash", clock=clock) as memory:
        bank = memory.bank("lena")
        bank.import_(EXAMPLES / "conversation.jsonl")
        for hour in (10, 11):
            said = "The ferry was late again, as it is."
            bank.remember(said, speaker="Ada", at=f"2024-12-30T{hour}:00Z", session="ferry")
        bank.sleep()
        bank.set_policy("human")
        clock.advance(timedelta(days=200))
        bank.sleep()
        memory.bank("acme/support").remember("The printer was mended.", speaker="Ada")
        long = memory.bank(LONG)
        for word in (LONG, "Donaudampfschifffahrtsgesellschaft" * 9):
            long.remember(
                f"{word} lives in {word}.", speaker=word[:150], session=word[:150], source=word,
                metadata={word: word},
            )  # fmt: skip
        long.remember(
            "I live in Porto. My sister is called Ann.", speaker=f"{LONG[:80]} {LONG[:9]}"
        )
        long.sleep()
        yield memory


@pytest.fixture(scope="session")
def there(past):
    """Return where the server of that store answers; nobody changes anything there."""
    with served(past) as url:
        yield url


class Visit:
    """Somebody who looks at the dashboard, and notes what goes wrong on the way."""

    def __init__(self, browser, url, **how):
        self.url = url
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | how)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.wrong = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", self._note)
        self.page.on("dialog", lambda dialog: self.wrong.append(f"a dialog: {dialog.message}"))

    def _note(self, said):
        # A browser tells of every answer that is an error; pages show those to people.
        if said.type in ("error", "warning") and "Failed to load resource" not in said.text:
            self.wrong.append(said.text)

    def see(self, address):
        """Go to a view and wait until all of it is there."""
        self.page.goto(f"{self.url}/ui/{address}")
        self.settled()
        return self.page

    def settled(self):
        """Wait until nothing is on its way, and what there is has been drawn."""
        self.page.evaluate("new Promise((done) => setTimeout(done))")  # an address is heeded first
        self.page.wait_for_selector("main:not([aria-busy]) > *")
        self.page.wait_for_selector("[aria-busy]", state="detached")
        self.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def flaws(self):
        """Return what a careful eye would find wrong with what is shown."""
        return self.page.evaluate(CHECKS)


@pytest.fixture
def visit(chromium):
    """Return a way to look at a server; afterwards nothing may have gone wrong."""
    visits = []

    def begin(url, **how):
        visits.append(Visit(chromium, url, **how))
        return visits[-1]

    yield begin
    for one in visits:
        one.context.close()
    assert [] == [wrong for one in visits for wrong in one.wrong]
