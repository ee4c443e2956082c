"""A text as it was told: with the speaker, the others and the time that its readers need."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from hippocampus.core.roles import MACHINE_ROLES, ROLES


class ToldText(NamedTuple):
    """A turn, or a passage, told by ``speaker``, who is "I"."""

    text: str
    speaker: str
    occurred_at: datetime
    """An aware moment, as of which "last March" is meant."""
    others: Sequence[str] = ()
    """Names of those who take part as well."""
    addressed: bool = False
    """Whether to read only sentences that speak of who talks here: an assistant's long answers are
    about the world, which is not what a memory is asked for."""

    @property
    def you(self) -> str | None:
        """The name of "you": of the one person beside who speaks, if there is one."""
        alone = len(self.others) == 1 and self.others[0].casefold() not in ROLES
        return self.others[0] if alone else None

    @property
    def by_machine(self) -> bool:
        """Return whether an assistant or the like speaks."""
        return self.speaker.casefold() in MACHINE_ROLES
