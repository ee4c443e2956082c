"""Calibration: thresholds and weights of an embedder, found on synthetic conversations."""

from __future__ import annotations

from typing import Final

POOL: Final = 4
"""Conversations that are read into one bank, besides each into its own."""
POOLS: Final = 2
"""Pools of conversations on which embedders are compared: those of the least calibration there is,
so that each is compared with the default one on the same questions."""
CONVERSATIONS: Final = POOL * POOLS
"""Some 2 300 turns: enough, with the default embedder's models to start from, and a minute's work
for it on two cores."""
