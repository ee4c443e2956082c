"""A thread that lets banks sleep when it is time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from hippocampus.errors import InputError, StoreLocked, UnknownBank

_MOST_S: Final = 366 * 86_400.0
"""Seconds of a year: of much longer the system's clocks know nothing."""


@contextmanager
def sleeping(
    names: Callable[[], Sequence[str]],
    sleep: Callable[[str], object],
    *,
    look_every_s: float,
    failed: Callable[[Exception], None] | None,
) -> Iterator[None]:
    """
    Call ``sleep`` for every bank again and again while the block runs; see ``Memory.sleeping``.

    ``names`` returns those of the banks there are; ``sleep`` lets one sleep if it is time.
    """
    number = isinstance(look_every_s, int | float) and not isinstance(look_every_s, bool)
    if not (number and 0 < look_every_s <= _MOST_S):
        msg = f"look_every_s={look_every_s!r}: must be above 0 seconds, and at most a year of them"
        raise InputError(msg)
    if not (failed is None or callable(failed)):
        raise InputError(f"failed={failed!r:.100}: must be a function of an error, or None")
    ended, raised = threading.Event(), list[Exception]()

    @contextmanager
    def going_on() -> Iterator[None]:
        try:
            yield
        except (StoreLocked, UnknownBank):
            pass  # somebody is busy with the bank, or it is gone: the next look sees
        # The edge of the thread: nobody above could catch it. It goes to ``failed``, or is raised
        # where the block ends.
        except Exception as exc:  # noqa: BLE001
            if failed is not None:
                failed(exc)
            else:
                raised.append(exc)
                ended.set()

    def look() -> None:
        while not ended.wait(look_every_s):
            with going_on():
                for name in names():
                    with going_on():
                        sleep(name)
                    if ended.is_set():
                        return

    thread = threading.Thread(target=look, name="hippocampus-sleep", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    if raised:
        raise raised[0]
