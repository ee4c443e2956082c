"""The list of what was built, with a checksum each, as ``sha256sum --check`` reads it."""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

NAME = "SHA256SUMS"


def sums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of a folder, by name."""
    return {
        path.name: sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != NAME
    }


def write(folder: Path) -> Path:
    """Write the list of a folder into it."""
    path = folder / NAME
    path.write_text("".join(f"{digest}  {name}\n" for name, digest in sums(folder).items()))
    return path


def differing(one: Path, other: Path) -> list[str]:
    """Return the names of the files that two folders do not have alike."""
    left, right = sums(one), sums(other)
    return sorted(name for name in left | right if left.get(name) != right.get(name))


if __name__ == "__main__":
    print(write(Path(sys.argv[1])).read_text("ascii"), end="")
