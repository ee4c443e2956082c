"""Put the built site beside those of other versions, as a folder that a web server can hand out.

PAGES/0.2/           a site for each version
PAGES/latest/…       each page of the newest release leads to it: addresses that last
PAGES/versions.json  what the selector of versions lists
PAGES/index.html     leads to the newest release, or, before there is one, to dev
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "site"
PAGES = ROOT / "build" / "pages"
DEV = "dev"
LATEST = "latest"
_RELEASE = re.compile(r"v?(\d+)\.(\d+)(?:\.\d+)?")
"""A tag of a release. What is fixed in 0.2.1 is told in the pages of 0.2."""
_FOLDER = re.compile(r"\d+\.\d+")
LEADS = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Hippocampus</title>
<link rel="canonical" href="{to}">
<meta http-equiv="refresh" content="0; url={to}">
<script>location.replace("{to}" + location.search + location.hash)</script>
<a href="{to}">The page is here.</a>
"""


def named(version: str) -> str:
    """Return the folder of a version: ``v0.2.1`` has that of ``0.2``."""
    if version == DEV:
        return DEV
    if found := _RELEASE.fullmatch(version):
        return f"{found[1]}.{found[2]}"
    raise SystemExit(f"{version} is no version; give {DEV}, or a release as 0.2.1 or v0.2.1")


def rank(folder: str) -> tuple[int, ...]:
    """Return what sorts releases by their numbers, and ``dev`` after all of them."""
    return (-1,) if folder == DEV else tuple(map(int, folder.split(".")))


def publish(site: Path, pages: Path, version: str) -> list[str]:
    """Put a site into the folder of its version; return all versions, the newest first."""
    folder = named(version)
    pages.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(pages / folder, ignore_errors=True)
    shutil.copytree(site, pages / folder)
    here = [path.name for path in pages.iterdir() if (path / "index.html").exists()]
    versions = sorted(
        (name for name in here if name == DEV or _FOLDER.fullmatch(name)), key=rank, reverse=True
    )
    newest = versions[0]
    listed = [
        {"version": name, "title": name, "aliases": [LATEST] if name == newest else []}
        for name in versions
    ]
    (pages / "versions.json").write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    (pages / ".nojekyll").touch()  # a forge hands the files out as they are
    lead(pages / "index.html", f"{newest}/")
    redirect(pages, newest)
    return versions


def redirect(pages: Path, newest: str) -> None:
    """Have each page below ``latest`` lead to that of the newest version."""
    shutil.rmtree(pages / LATEST, ignore_errors=True)
    for page in sorted((pages / newest).rglob("*.html")):
        place = page.relative_to(pages / newest)
        back = os.path.relpath(pages / newest / place, (pages / LATEST / place).parent)
        lead(pages / LATEST / place, Path(back).as_posix())
    shutil.copy(pages / newest / "404.html", pages / "404.html")


def lead(page: Path, to: str) -> None:
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(LEADS.format(to=html.escape(to, quote=True)), encoding="utf-8")


def main() -> None:
    """Publish the built site into a folder, which may have those of earlier versions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("version", help="dev, or a release as 0.2.1 or v0.2.1")
    parser.add_argument("--site", type=Path, default=SITE)
    parser.add_argument("--into", type=Path, default=PAGES, help="a folder, empty or published")
    given = parser.parse_args()
    if not (given.site / "index.html").exists():
        parser.error(f"{given.site} has no index.html; 'make docs' builds the site")
    print(" ".join(publish(given.site, given.into, given.version)))


if __name__ == "__main__":
    sys.exit(main())
