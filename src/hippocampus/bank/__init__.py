"""The verbs of a bank. They wire the parts to flows, own the locks, and hold no algorithm."""

from __future__ import annotations

from hippocampus.bank.bank import Bank

__all__ = ["Bank"]
