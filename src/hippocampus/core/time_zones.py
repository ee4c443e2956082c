"""Time zones by their IANA names."""

from __future__ import annotations

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from hippocampus.errors import InputError


def time_zone(name: object) -> ZoneInfo:
    """
    Return the time zone of a name.

    Raises:
        InputError: there is none of that name.

    """
    try:
        return ZoneInfo(name)  # type: ignore[arg-type]  # what is no name raises
    except (ZoneInfoNotFoundError, ValueError, TypeError, AttributeError, OSError) as exc:
        msg = f"timezone={name!r}: not an IANA time zone, such as 'Europe/Berlin' or 'UTC'"
        raise InputError(msg) from exc
