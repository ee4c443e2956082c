"""
README.md as the page of a package index: links that lead from there to the files of a version.

    python -m release.readme          # rewrites README.md here, before a wheel is built of it

The address of the repository is ``HIPPOCAMPUS_REPOSITORY``, or that of the forge on which this
runs; without one the links stay as they are, and lead nowhere from another place.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from release.run import ROOT
from release.versions import agreed

_LINK = re.compile(r"(!?)(\[(?:[^\[\]]|\[[^\[\]]*\])*\])\((?![a-z][a-z0-9+.-]*:|#|/)([^()\s]+)\)")
"""A link of Markdown, or a picture (``!``), to a place beside the page."""
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def repository() -> str:
    """Return the address of the repository; "" where nobody says it."""
    name, server = os.environ.get("GITHUB_REPOSITORY"), os.environ.get("GITHUB_SERVER_URL")
    there = f"{server}/{name}" if name and server else ""
    return (os.environ.get("HIPPOCAMPUS_REPOSITORY") or there).rstrip("/")


def absolute(text: str, address: str, version: str, root: Path = ROOT) -> str:
    """Return a page whose links lead to what a repository has of a version; code stays."""

    def led(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        path = target.partition("#")[0]
        kind = "raw" if picture else "tree" if (root / path).is_dir() else "blob"
        return f"{picture}{words}({address}/{kind}/v{version}/{target})"

    parts = _FENCE.split(text)
    return "".join(
        part if number % 2 else _LINK.sub(led, part) for number, part in enumerate(parts)
    )


def relative(text: str) -> list[str]:
    """Return the links of a page that lead nowhere from another place."""
    parts = _FENCE.split(text)[::2]
    return [found[3] for part in parts for found in _LINK.finditer(part)]


def rewrite(folder: Path) -> None:
    """Make the links of a folder's README absolute, if it is known where they lead."""
    page = folder / "README.md"
    if address := repository():
        text = page.read_text("utf-8")
        page.write_text(absolute(text, address, agreed(folder), folder), "utf-8")


if __name__ == "__main__":
    if not repository():
        sys.exit("release: nobody says where the repository is; set HIPPOCAMPUS_REPOSITORY")
    rewrite(ROOT)
