"""A bank with a long past: pages stay short, dates right; an address of nothing says so."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from loopback import served

from hippocampus import Memory
from hippocampus.core.clock import ManualClock

FIRST = datetime(2023, 1, 1, 12, tzinfo=UTC)
DAYS = 90
TALLEST = 9000
"""Pixels of a page on a phone; a sleep page once had five times as many."""


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """Return the address of a store in which much was said on many days, and noted years later."""
    clock = ManualClock(datetime(2025, 1, 1, 12, tzinfo=UTC))
    path = tmp_path_factory.mktemp("long") / "memory.db"
    with Memory(path, embedder="hash", clock=clock) as memory:
        bank = memory.bank("ada")
        for day in reversed(range(DAYS)):  # what comes late is kept apart
            at = FIRST + timedelta(days=day)
            bank.remember(f"I like kites{day}.", speaker="Ada", at=at, session="talk")
        for _ in range(12):
            bank.sleep()
            clock.advance(timedelta(hours=7))
        with served(memory) as url:
            yield url


@pytest.mark.slow
def test_every_fact_is_dated_by_when_it_was_said(long, visit):
    page = visit(long).see("#/ada/facts?entity=Ada")
    button = page.locator("main button", has_text="Show")
    while button.count():
        button.click()
        page.wait_for_selector("[aria-busy]", state="detached")
    dated = page.locator(".fact small").all_inner_texts()

    facts = httpx.get(f"{long}/v1/banks/ada/facts", params={"entity": "Ada"}).json()
    assert len(dated) == len(facts) > 60
    assert all(one.startswith("said ") and one.endswith(" 2023") for one in dated)


@pytest.mark.slow
def test_a_list_of_several_pages_is_shown_to_its_end(long, visit, monkeypatch):
    monkeypatch.setattr("hippocampus.server.pagination.MOST_LISTED", 5)
    eye = visit(long)

    nights = eye.see("#/ada/sleep").locator("article.night h3")
    assert nights.first.inner_text() == "Sleep 12"
    page = eye.see("#/ada/facts?entity=Ada")
    facts = httpx.get(f"{long}/v1/banks/ada/entities").json()[0]["facts"]
    assert (
        f"Show 40 more of {facts - 40}" == page.locator("main button", has_text="Show").inner_text()
    )


@pytest.mark.slow
@pytest.mark.parametrize("view", ["sleep", "facts", "facts?entity=Ada", "topics", "search"])
def test_on_a_phone_no_page_is_as_long_as_what_there_is(long, visit, view):
    page = visit(long, viewport={"width": 360, "height": 740}).see(f"#/ada/{view}")

    assert page.evaluate("document.documentElement.scrollHeight") < TALLEST


@pytest.mark.slow
def test_a_view_that_is_none_says_so(long, visit):
    eye = visit(long)
    page = eye.see("#/ada/nowhere")
    assert page.locator("h1").inner_text() == "No such page"
    page.click("main a")
    eye.settled()
    assert page.title() == "Search · ada"


@pytest.mark.slow
def test_an_address_of_nothing_is_a_page_for_a_browser_and_an_error_for_a_program(long):
    for path in ("/nowhere", "/v1/nowhere", "/ui/nowhere.js", "/ui/not-found.html"):
        answer = httpx.get(f"{long}{path}", headers={"Accept": "text/html,*/*;q=0.8"})
        assert (answer.status_code, answer.headers["content-type"][:9]) == (404, "text/html")
        assert "No such page" in answer.text
    assert httpx.get(f"{long}/nowhere").json()["error"]["message"].startswith("no such route")
