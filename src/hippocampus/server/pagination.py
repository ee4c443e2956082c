"""Lists in pages, each of which says where the next one begins."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from hippocampus import wire
from hippocampus.core.constraints import check_whole
from hippocampus.errors import InputError, ListChanged
from hippocampus.verbs import MOST_LISTED


class Page(NamedTuple):
    """Some entries of a list, and the cursor of what follows; none if nothing does."""

    entries: list[Any]
    cursor: str | None = None


def turn_to(
    by: str,
    read: Callable[..., list[Any]],
    given: Mapping[str, Any],
    *,
    limit: int | None,
    cursor: str | None,
    lacking: Callable[[], str] = str,
) -> Page:
    """
    Return the page of a list that begins at a cursor, or the first.

    A cursor holds the last entry's place in the order of the list, not a number of entries: what
    is remembered or forgotten meanwhile neither repeats nor hides anything else. Lists that sleep
    makes, which have no such order, go on by number, and from a list that was read as far alone.

    ``lacking``: tells what the list lacks, once it was read.

    Raises:
        ListChanged: the list lacks something else than it did on the page before.

    """
    check_whole(limit=limit, optional=True)
    most = MOST_LISTED if limit is None else min(limit, MOST_LISTED)
    if not most:
        return Page([])
    if by != "place":
        return _WAYS[by](read, dict(given), most, cursor)
    at, _, mark = (cursor or "").partition(".")
    page = _by_place(read, dict(given), most, at or cursor)
    lacks = lacking()
    read_to = f"{zlib.crc32(lacks.encode()):08x}" if lacks else ""
    if cursor is not None and mark != read_to:
        msg = "cursor: the list has grown since the page before; begin anew, without a cursor"
        raise ListChanged(msg)
    return page._replace(cursor=f"{page.cursor}.{read_to}") if page.cursor and lacks else page


def _by_time(
    read: Callable[..., list[Any]], given: dict[str, Any], most: int, cursor: str | None
) -> Page:
    passed, moment = 0, None
    if cursor is not None:
        moment, passed = _opened(cursor, tuple[datetime, int])
        # Everything given so far was within ``since`` and ``until``, so either can be moved.
        given |= {"offset": passed}
        if given.get("newest"):
            with suppress(OverflowError):  # of the last moment there is
                given["until"] = moment + timedelta(microseconds=1)
        else:
            given["since"] = moment
    # One more than the page has, which shows whether another follows.
    found = read(**given, limit=most + 1)
    if len(found) <= most:
        return Page(found)
    entries = found[:most]
    last = entries[-1].occurred_at
    # Many may be of one moment, and have begun on the page before.
    same = sum(1 for entry in entries if entry.occurred_at == last)
    return Page(entries, _sealed((last, same + (passed if moment == last else 0))))


def _by_seq(
    read: Callable[..., list[Any]], given: dict[str, Any], most: int, cursor: str | None
) -> Page:
    if cursor is not None:
        (given["after"],) = _opened(cursor, tuple[int])
    found = read(**given, limit=most + 1)
    return Page(found[:most], _sealed((found[most - 1].seq,)) if len(found) > most else None)


def _by_place(
    read: Callable[..., list[Any]], given: dict[str, Any], most: int, cursor: str | None
) -> Page:
    (start,) = (0,) if cursor is None else _opened(cursor, tuple[int])
    found = read(**given)
    # Whoever made the cursor up may have put any number in it.
    end = max(0, start) + most
    return Page(found[max(0, start) : end], _sealed((end,)) if len(found) > end else None)


_WAYS = {"time": _by_time, "seq": _by_seq}


def _sealed(place: tuple[Any, ...]) -> str:
    return base64.urlsafe_b64encode(wire.dump(place)).decode().rstrip("=")


def _opened(cursor: str, kind: Any) -> Any:  # noqa: ANN401 - of that kind
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        return wire.load(kind, text)
    except (ValueError, binascii.Error, InputError, OverflowError) as exc:
        msg = f"cursor={cursor!r:.100}: not one of ours for this list; begin without one"
        raise InputError(msg) from exc


def names_after(cursor: str | None) -> str:
    """Return after which name a page of names begins."""
    return "" if cursor is None else str(_opened(cursor, tuple[str])[0])


def page_of_names(found: list[str], most: int) -> Page:
    """Return the first ``most`` of names in order, of which there may be one more."""
    return Page(found[:most], _sealed((found[most - 1],)) if len(found) > most else None)
