"""Numbers that a store keeps, each with the bounds within which it can be meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeAlias

from msgspec import Meta

Micros: TypeAlias = Annotated[int, Meta(ge=-62_135_596_800_000_000, le=253_402_300_799_999_999)]
"""Microseconds since 1970, from the first moment of the year 1 to the last of 9999."""

RowNumber: TypeAlias = Annotated[int, Meta(ge=0, lt=1 << 31)]
"""An episode's number in its bank, or that of a sleep."""

MomentAndRows: TypeAlias = Annotated[Sequence[Micros], Meta(min_length=1)]
"""A moment in microseconds, then numbers of episodes."""

Level: TypeAlias = Annotated[int, Meta(ge=0, le=5)]
"""Level to which an episode has faded; at one beyond the deepest it lapses."""

Dimension: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 16)]
"""Numbers of a vector."""
