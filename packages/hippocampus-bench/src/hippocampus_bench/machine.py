"""The memory of the machine and of this process, as far as the system tells."""

from __future__ import annotations

import os
import sys


def peak_memory() -> int | None:
    """Return the most bytes that this process has held; None where the system does not say."""
    if sys.platform == "win32":
        return None
    import resource  # noqa: PLC0415 - not everywhere

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def machine_memory() -> int | None:
    """Return the bytes of memory that the machine has; None where the system does not say."""
    if sys.platform == "win32" or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
