"""
How soon does the dashboard paint, and how soon does it show what was asked for?

A server of its own process, as ``hippocampus serve`` starts it, with the default embedder and a
bank of 50 k episodes; Chromium without a window on the same machine, by its own performance
entries. A page is opened in a fresh profile each time, so nothing is cached. A search is from the
key pressed to the frame in which hits and context stand side by side; no question is asked twice.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import numpy as np

from bench.banks import Workshop, questions
from bench.measure import Row
from bench.server import served

EPISODES = 50_000
OPENED, ASKED = 10, 40


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - as every part's
    """Yield the rows."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - for this part alone

    store = workshop.bank(EPISODES).path
    browser_at = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with served(store) as (url, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_at, args=["--no-sandbox"])
        paints = []
        for _ in range(OPENED):
            page = browser.new_page()
            page.goto(f"{url}/ui/#/b/search")
            page.wait_for_selector("#q")
            paints.append(page.evaluate(
                "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            ))  # fmt: skip
            page.context.close()
        yield from told("dashboard, first paint", paints, f"{OPENED} fresh profiles")
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"{url}/ui/#/b/search")
        page.wait_for_selector("#q")
        took = [ask(page, question) for question in questions(ASKED + 1)]
        yield from told("dashboard, search", took[1:], f"{EPISODES // 1000} k episodes")
        browser.close()


def ask(page, question: str) -> float:
    """Return how long a search takes in the page, in ms."""
    page.evaluate("performance.clearMarks()")
    page.fill("#q", question)
    page.press("#q", "Enter")
    took = None
    while took is None:  # a page that runs no code of others cannot be made to wait for one
        took = page.evaluate(
            """() => {
            const [from, to] = ["asked", "answered"].map((n) => performance.getEntriesByName(n)[0]);
            return to ? to.startTime - from.startTime : null;
            }"""
        )
    return took


def told(name: str, took: list[float], note: str) -> Iterator[Row]:
    """Yield the median and the worst but one in twenty."""
    for at in (50, 95):
        yield Row(name=f"{name}, p{at}", value=float(np.percentile(took, at)), unit="ms", note=note)
