"""When a bank sleeps: every few hours, at night for what is made anew, or once nobody is there."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from typing import Annotated, Final, NamedTuple

from msgspec import Meta

from hippocampus.core.clock import in_zone
from hippocampus.core.constraints import check
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.errors import InputError

STEPS: Final = (
    # First what later steps read, then what changes episodes, then what is made of them.
    "vectors",
    "phrases",
    "validate",
    "reconsolidate",
    "deduplicate",
    "forget",
    "gists",
    "facts",
    "concepts",
    "topics",
    "summary",
    "partitions",
)
"""The steps of a sleep, in order."""
NIGHTLY: Final = ("gists", "concepts", "topics", "partitions")
"""Those that make something of a whole bank anew: once a night is enough, for what is written since
is taken in as it comes."""

NEVER: Final = timedelta.max


@immutable
class Schedule:
    """
    When banks sleep, by their own clock; HUMAN, section 4, has every 6 hours.

    A bank in which nothing has changed since its last sleep does not sleep.
    """

    every: timedelta = timedelta(hours=6)
    """Between two sleeps in which memories are checked, merged and let fade."""
    night: Annotated[int, Meta(ge=0, le=23)] | None = 3
    """The hour from which on what is made of a whole bank is made anew, once a day; None: with
    every sleep."""
    idle: timedelta = timedelta(minutes=30)
    """Time after which a bank that nobody writes to sleeps although it is not yet time."""

    def __post_init__(self) -> None:
        check(self)
        for name in ("every", "idle"):
            given = getattr(self, name)
            if not isinstance(given, timedelta) or given <= timedelta(0):
                msg = f"Schedule.{name}={given!r}: must be a timedelta above 0"
                raise InputError(msg)


class Past(NamedTuple):
    """When a bank was last changed by somebody, slept, and had everything made anew."""

    changed: datetime | None
    slept: datetime | None
    remade: datetime | None


def due(schedule: Schedule, past: Past, now: datetime, zone: tzinfo) -> tuple[str, ...]:
    """
    Return the steps for which it is time; none if it is not.

    A clock that was set back counts as one that stands still: nothing is due before its time.
    """
    if past.changed is None:
        return ()
    remakes = _changed_since(past, past.remade) and _night_began(schedule, past, now, zone)
    quiet = now - past.changed >= schedule.idle
    waited = NEVER if past.slept is None else now - past.slept
    rests = _changed_since(past, past.slept) and (quiet or waited >= schedule.every)
    if not (remakes or rests):
        return ()
    # A bank that has nothing of all this yet need not wait for the night.
    everything = remakes or schedule.night is None or past.remade is None
    return STEPS if everything else tuple(name for name in STEPS if name not in NIGHTLY)


def _changed_since(past: Past, moment: datetime | None) -> bool:
    return past.changed is not None and (moment is None or past.changed > moment)


def _night_began(schedule: Schedule, past: Past, now: datetime, zone: tzinfo) -> bool:
    """Return whether a night has begun since everything was last made anew."""
    if schedule.night is None:
        return False
    here = in_zone(now, zone)
    began = here.replace(hour=schedule.night, minute=0, second=0, microsecond=0)
    if began > here:
        began -= timedelta(days=1)
    return past.remade is None or past.remade < began
