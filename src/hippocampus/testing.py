"""
What tests need: a clock that stands still, an embedder of no model.

Both are real implementations, fast and the same on every machine; pass them to ``Memory``:

    memory = Memory(":memory:", embedder=HashEmbedder(), clock=ManualClock(datetime(2026, 1, 1)))
"""

from __future__ import annotations

from hippocampus.core.clock import ManualClock
from hippocampus.encode.embedders.hashing import HashEmbedder

__all__ = ["HashEmbedder", "ManualClock"]
