"""What a store is named by: the path of a file, or the address of a server."""

from __future__ import annotations

import os


def is_url(path_or_url: str | os.PathLike[str]) -> bool:
    """Return whether it is the address of a server, as in ``postgresql://host/name``."""
    return "://" in os.fspath(path_or_url)
