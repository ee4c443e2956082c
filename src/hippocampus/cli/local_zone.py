"""Name of the time zone of this machine, in which whoever sits at it lives."""

from __future__ import annotations

import os
import warnings
import zoneinfo
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from hippocampus.core.time_zones import time_zone
from hippocampus.errors import InputError

_UTC: Final = "UTC"
_LOCAL_TIME: Final = Path("/etc/localtime")


def local_zone() -> str:
    """
    Return the IANA name of this machine's time zone; UTC where nothing says which it is.

    ``TZ`` goes before what the machine is set to. One that names no zone is warned of.
    """
    told = os.environ.get("TZ", "").removeprefix(":")
    if told and (name := _zone_told(told)):
        return name
    from tzlocal import get_localzone_name  # noqa: PLC0415 - slow to import

    name = get_localzone_name() or name_of_rules(_LOCAL_TIME)
    if told:
        _warn_of(told, name)
    return name


def _zone_told(told: str) -> str | None:
    """Return the IANA name of the zone that ``TZ`` names, by its name or its file."""
    if Path(told).is_absolute():
        file = Path(told).resolve()
        folders = (Path(folder).resolve() for folder in zoneinfo.TZPATH)
        inside = (file.relative_to(one).as_posix() for one in folders if file.is_relative_to(one))
        told = next(inside, None) or name_of_rules(file, unknown="")
    with suppress(InputError):
        return time_zone(told).key
    return None


@cache  # once for each
def _warn_of(told: str, used: str) -> None:
    warnings.warn(
        f"TZ={told!r}: not an IANA time zone, such as 'Europe/Berlin'; times are in {used!r}; set"
        " TZ to one, or give --timezone",
        RuntimeWarning,
        stacklevel=3,
    )


def name_of_rules(file: Path, *, unknown: str = _UTC) -> str:
    """
    Return a name of the zone whose rules a file holds; ``unknown`` where it holds none of a name.

    Containers have a copy of the rules, or a mount, where others have a link that says their name.
    """
    if not file.is_file():
        return unknown
    rules = file.read_bytes()
    for name in sorted(zoneinfo.available_timezones()):
        places = (Path(folder, name) for folder in zoneinfo.TZPATH)
        if any(one.is_file() and one.read_bytes() == rules for one in places):
            return name
    return unknown
