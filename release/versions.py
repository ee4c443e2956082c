"""
The version: one, written in three files, and the tag's where there is a tag.

    python -m release.versions          # says whether all agree, and prints it
    python -m release.versions 0.2.0    # writes it where it stands
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from release.run import ROOT

PLACES = {
    "pyproject.toml": r'(?m)^version = "([^"]+)"$',
    "src/hippocampus/errors.py": r'(?m)^VERSION[^=\n]*= "([^"]+)"$',
    "packages/hippocampus-bench/pyproject.toml": r'(?m)^version = "([^"]+)"$',
}
SAME = r'"hippocampus-memory==([^"]+)"'
"""What the benchmarks ask for: they measure internals, and are of one release with them."""


def written(root: Path = ROOT) -> dict[str, str]:
    """Return the version that stands in each place."""
    found = {}
    for name, pattern in (*PLACES.items(), ("packages/hippocampus-bench/pyproject.toml#", SAME)):
        match = re.search(pattern, (root / name.rstrip("#")).read_text("utf-8"))
        if match:
            found[name] = match[1]
    return found


def tags(root: Path = ROOT) -> list[str]:
    """Return the versions that this commit is tagged with; none where there is no repository."""
    told = subprocess.run(
        ["git", "tag", "--points-at", "HEAD"], cwd=root, text=True, capture_output=True, check=False
    )
    return [tag[1:] for tag in told.stdout.split() if re.fullmatch(r"v\d+\.\d+.*", tag)]


def agreed(root: Path = ROOT) -> str:
    """Return the version; end everything where places, or a tag, say another."""
    found = written(root)
    versions = set(found.values()) | set(tags(root))
    if len(versions) != 1:
        places = "".join(f"\n  {value} in {name}" for name, value in found.items())
        tagged = "".join(f"\n  {value} by its tag" for value in tags(root))
        sys.exit(
            f"this commit has several versions:{places}{tagged}\n"
            "write one with 'python -m release.versions X.Y.Z', commit, and tag that commit vX.Y.Z"
        )
    return versions.pop()


def write(version: str, root: Path = ROOT) -> None:
    """Write a version into every place."""
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        sys.exit(f"{version!r} is no version: give one as 1.2.3 or 1.2.3rc1")
    for name, pattern in (*PLACES.items(), ("packages/hippocampus-bench/pyproject.toml", SAME)):
        path = root / name
        text = path.read_text("utf-8")
        match = re.search(pattern, text)
        if match:
            path.write_text(text[: match.start(1)] + version + text[match.end(1) :], "utf-8")


if __name__ == "__main__":
    if sys.argv[1:]:
        write(sys.argv[1])
    print(agreed())
