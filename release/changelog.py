"""
CHANGELOG.md, made of ``changelog.d``: its files become the section of a version, and go.

    python -m release.changelog           # prints the section of what is not released
    python -m release.changelog --write   # puts it at the head of CHANGELOG.md
    python -m release.changelog --notes v0.2.0   # prints what CHANGELOG.md says of that version

A file is ``0123-what-it-is-about.md``: a sentence or two for who uses the package; the numbers are
the order. Links are those of a file in ``changelog.d``, and are made to fit.
"""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime

from release import readme
from release.run import ROOT
from release.versions import agreed

HEAD = """# Changes

What changed for whoever uses Hippocampus, newest first. What a version number promises stands in
[what is stable](docs/stability.md).
"""


def entry(text: str) -> str:
    """Return a file of ``changelog.d`` as an item of a list, its links from the root."""
    words = re.sub(r"\]\(\.\./", "](", text.strip())
    words = re.sub(r"\A#+ (.+)\n+", r"**\1.** ", words)
    return "- " + "\n".join(f"  {line}" if line else "" for line in words.splitlines())[2:]


def section(version: str, day: str, texts: list[str]) -> str:
    """Return the section of a version: its heading, and an item for each file."""
    return "\n".join([f"## {version} ({day})", "", *map(entry, texts), ""])


def merged(changelog: str, new: str) -> str:
    """Return CHANGELOG.md with a section before those that it has."""
    _, found, older = changelog.partition("\n## ")
    return f"{HEAD}\n{new}" + (f"\n## {older}" if found else "")


def notes(changelog: str, version: str) -> str:
    """Return what CHANGELOG.md says of a version; end everything where that is nothing."""
    heading = rf"^## {re.escape(version)} \([^\n]*\)\n+(.*?)(?=^## |\Z)"
    found = re.search(heading, changelog, re.MULTILINE | re.DOTALL)
    if found is None:
        sys.exit(f"release: CHANGELOG.md has no section of {version}; `make changelog` makes it")
    return found[1].rstrip() + "\n"


def _notes_here(version: str) -> str:
    """Return the notes of a version as a page beside the repository shows them."""
    said = notes((ROOT / "CHANGELOG.md").read_text("utf-8"), version)
    address = readme.repository()
    return readme.absolute(said, address, version) if address else said


def main() -> None:
    """Print the section, or write it and remove the files that it is made of."""
    if sys.argv[1:2] == ["--notes"]:
        print(_notes_here(sys.argv[2].removeprefix("v")), end="")
        return
    files = sorted((ROOT / "changelog.d").glob("*.md"))
    if not files:
        sys.exit("changelog.d is empty: nothing has changed since the last release")
    day = datetime.now(UTC).date().isoformat()
    new = section(agreed(), day, [file.read_text("utf-8") for file in files])
    if "--write" not in sys.argv[1:]:
        print(new)
        return
    path = ROOT / "CHANGELOG.md"
    path.write_text(merged(path.read_text("utf-8") if path.exists() else "", new), "utf-8")
    subprocess.run(["git", "rm", "--quiet", "--", *map(str, files)], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
