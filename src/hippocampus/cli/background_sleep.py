"""Sleep that nobody waits for: a process of its own, which outlives the one that began it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from hippocampus.cli.options import BankScope
from hippocampus.core.store_address import is_url
from hippocampus.core.system import detached, give_way

_NICE: Final = 10
"""Niceness of the process: it gives way to what somebody waits for."""


def sleep_soon(scope: BankScope) -> subprocess.Popen[bytes] | None:
    """
    Have a bank sleep, without waiting for it; return its process.

    None for a bank that needs a key: keys are given to nobody else.
    """
    if scope.key is not None or scope.vault is not None:
        return None
    # The process begins in another folder, where a relative path would lead elsewhere.
    store = scope.path if is_url(scope.path) else os.path.realpath(scope.path)
    process = subprocess.Popen(  # noqa: S603 - this Python, with a module of ours
        # -P: what lies in some folder must not take the place of a module.
        [
            sys.executable, "-P", "-m", "hippocampus", "sleep",
            "--store", store, "--bank", scope.bank,
            "--timezone", scope.timezone, "--embedder", scope.embedder,
        ],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        cwd=Path.home(), **detached(),
    )  # fmt: skip
    give_way(process.pid, _NICE)
    return process
