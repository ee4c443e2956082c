"""Banks as frameworks are given them: of a file, of a server, or of an asynchronous memory."""

from __future__ import annotations

from typing import cast

from hippocampus.aio import AsyncBank
from hippocampus.bank import Bank
from hippocampus.errors import InputError


def as_bank(given: object) -> Bank:
    """
    Return a bank, which may be called from threads; of an awaited one, the bank behind it.

    Raises:
        InputError: it is none.

    """
    if isinstance(given, AsyncBank):
        given = given.sync
    # What wraps a bank will do as well.
    if not callable(getattr(given, "episodes", None)):
        hint = "give a bank, such as Memory('agent.db').bank('ada')"
        raise InputError(f"bank={given!r:.100}: is a {type(given).__name__}; {hint}")
    return cast("Bank", given)
