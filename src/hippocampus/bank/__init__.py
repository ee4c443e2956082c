"""
The verbs of a bank. They wire the parts to flows, own the locks, and hold no algorithm.

Each module has the verbs of one kind; those of the later stand on those of the earlier: ``core``,
``looking``, ``knowing`` and ``writing``, ``recalling``, ``moving`` and ``sleeping``.
"""

from __future__ import annotations

from hippocampus.bank.bulk import Moving
from hippocampus.bank.recall import Recalling
from hippocampus.bank.sleep import Sleeping

__all__ = ["Bank"]


class Bank(Recalling, Moving, Sleeping):
    """One memory: the unit of isolation. Get one from ``Memory.bank``; safe to use from threads."""
