"""Name of the time zone of this machine, in which whoever sits at it lives."""

from __future__ import annotations

import zoneinfo
from pathlib import Path
from typing import Final

_UTC: Final = "UTC"
_LOCAL_TIME: Final = Path("/etc/localtime")


def local_zone() -> str:
    """Return the IANA name of this machine's time zone; UTC where nothing says which it is."""
    from tzlocal import get_localzone_name  # noqa: PLC0415 - slow to import

    return get_localzone_name() or name_of_rules(_LOCAL_TIME)


def name_of_rules(file: Path) -> str:
    """
    Return a name of the zone whose rules a file holds; UTC where it holds none that is known.

    Containers have a copy of the rules, or a mount, where others have a link that says their name.
    """
    if not file.is_file():
        return _UTC
    rules = file.read_bytes()
    for name in sorted(zoneinfo.available_timezones()):
        places = (Path(folder, name) for folder in zoneinfo.TZPATH)
        if any(one.is_file() and one.read_bytes() == rules for one in places):
            return name
    return _UTC
