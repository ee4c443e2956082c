"""Check every link of the built site: the page and the heading that it names are there.

Links to elsewhere are only listed, for who wants to try them: nothing is fetched.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "site"
LISTED = ROOT / "build" / "external-links.txt"
ADDRESSES = {"a": "href", "link": "href", "img": "src", "script": "src"}
ELSEWHERE = ("http", "https", "mailto", "data")
WITHOUT_A_PLACE = ("404.html",)
"""Pages that are served in the place of any other: their addresses begin at the root."""


class Page(NamedTuple):
    """What one page links to, and the names of its places."""

    links: list[str]
    places: set[str]


class Reader(HTMLParser):
    """Collects addresses and names of places from the tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page([], set())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.page.places.update(filter(None, (given.get("id"), given.get("name"))))
        if address := given.get(ADDRESSES.get(tag, "")):
            self.page.links.append(address)


def read(path: Path) -> Page:
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def broken(site: Path) -> Iterator[str]:
    """Yield what is wrong, a line for each link that leads nowhere."""
    pages = {path.resolve(): read(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        if path.name in WITHOUT_A_PLACE:
            continue
        for address in dict.fromkeys(page.links):
            if urlsplit(address).scheme in ELSEWHERE:
                continue
            if problem := wrong(path, address, pages, site.resolve()):
                yield f"{path.relative_to(site.resolve())}: {address}: {problem}"


def wrong(path: Path, address: str, pages: dict[Path, Page], site: Path) -> str:
    """Return what is wrong with an address that a page has, or nothing."""
    parts = urlsplit(address)
    there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not there.is_relative_to(site):
        return "leads out of the site"
    if there.is_dir():
        there /= "index.html"
    if not there.exists():
        return "is not there"
    if parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].places:
        return "names no place of that page"
    return ""


def elsewhere(site: Path) -> list[str]:
    """Return the addresses outside the site, in order."""
    links = (link for path in site.rglob("*.html") for link in read(path).links)
    return sorted({link for link in links if urlsplit(link).scheme in ("http", "https")})


def main() -> int:
    """Say which links lead nowhere; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, nargs="?", default=SITE)
    parser.add_argument("--external", type=Path, default=LISTED, help="list links elsewhere here")
    given = parser.parse_args()
    if not (given.site / "index.html").exists():
        parser.error(f"{given.site} has no index.html; 'make docs' builds the site")
    problems = list(broken(given.site))
    given.external.write_text("".join(f"{link}\n" for link in elsewhere(given.site)))
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
