"""Each mechanism of the papers has a line that says what it gained, and where that was measured."""

import re
from itertools import takewhile

import pytest
from docs_blocks import ROOT

from hippocampus import Policy

PAPERS = ROOT / "docs" / "papers"
PAGES = [
    *(page for page in sorted(PAPERS.glob("*.md")) if page.name != "index.md"),
    ROOT / "docs" / "sleep.md",
]
"""Pages with a table of mechanisms, the last column of which has their gain."""
GAIN = "gained, as measured"
REPORTS = {
    file.name
    for folder in ("evaluation", "bench")
    for file in (ROOT / folder / "results").iterdir()
}
_SOURCE = re.compile(r"ADR (\d+)\]\(|`([\w-]+\.json)`|\(#[\w-]+\)|\]\([\w./-]+\.md")


def table(page):
    """Return the rows of the first table with that column, each a list of cells."""
    lines = page.read_text("utf-8").splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("|") and GAIN in line)
    rows = takewhile(lambda line: line.startswith("|"), lines[head:])
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_mechanism_says_what_it_gained_and_by_which_report(page):
    head, _, *rows = table(page)

    assert GAIN in head[-1]
    assert len(rows) > 5
    for row in rows:
        assert len(head) == len(row), row
        gained = row[-1]
        assert gained.startswith("not measured") or _SOURCE.search(gained), row


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_reports_and_decisions_that_a_gain_names_are_there(page):
    for *_, gained in table(page)[2:]:
        for number, report in _SOURCE.findall(gained):
            assert not report or report in REPORTS, report
            assert not number or list((ROOT / "docs" / "adr").glob(f"{int(number):04}-*.md")), (
                number
            )


def test_each_setting_of_a_policy_stands_on_a_page_with_gains():
    told = "".join(page.read_text("utf-8") for page in PAGES)

    settings = Policy.__dataclass_fields__
    assert [] == [one for one in settings if not re.search(rf"[`.(]{one}\b|\b{one}=", told)]
