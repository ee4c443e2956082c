"""Loading code and tables that stay, without looking for garbage among them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """
    Have nobody look for garbage meanwhile, nor ever again among what was loaded.

    Every module makes thousands of objects, at which Python stops again and again to look through
    all there are: a sixth of what loading a server takes. What is loaded is there to stay.
    """
    # Whoever turned it off turns it on again, be it a ``loading`` around this one.
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
