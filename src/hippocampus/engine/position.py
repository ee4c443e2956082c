"""Position up to which a bank was seen: a token handed on, so that others see no less."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from hippocampus.errors import InputError

_TOKEN: Final = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})")


class Position(NamedTuple):
    """A bank by its number, and the last change of it; a bank made anew has a higher number."""

    bank: int
    seq: int

    @property
    def token(self) -> str:
        """The position as a word."""
        return f"{self.bank}.{self.seq}"

    @classmethod
    def of(cls, token: str) -> Position:
        """Read a token; ``InputError`` for what is none."""
        found = _TOKEN.fullmatch(token)
        if found is None:
            msg = f"min_seq={token!r:.50}: must be what a server gave as Seq, such as 17.42"
            raise InputError(msg)
        return cls(int(found[1]), int(found[2]))


NOWHERE: Final = Position(0, 0)
"""Position in a bank that is not there."""
