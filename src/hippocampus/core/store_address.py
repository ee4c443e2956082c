"""Address of a store: the path of a file, or the address of a server."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from hippocampus.core.given_arguments import as_path
from hippocampus.errors import InputError

StoreAddress: TypeAlias = str | Path | Sequence[str | Path]
"""One database, or several that have a store's banks between them."""
_PASSWORDS: Final = frozenset({"password", "sslpassword", "oauth_client_secret"})
"""Parameters of PostgreSQL's client that are secrets."""
_SHOWN: Final = re.compile(
    r"(://[^:@/]*:).*(?=@)|((?:password|oauth_client_secret)\s*=\s*)(?:'[^']*'|[^&\s]*)",
    re.IGNORECASE,
)
"""A password and what stands before it; from an address that is none, rather too much is taken."""
_KEYWORD: Final = re.compile(r"(?:^|(?<=\s))(\w+)\s*=")
_OF_LIBPQ: Final = frozenset({"host", "hostaddr", "dbname", "user", "password", "service"})
# A comma alone may part the hosts of one address, as PostgreSQL has them.
_NEXT: Final = re.compile(r",(?=[a-z]+://)")


def is_url(path_or_url: str | os.PathLike[str]) -> bool:
    """Return whether it is the address of a server, as in ``postgresql://host/name``."""
    return "://" in os.fspath(path_or_url)


def holds_password(given: StoreAddress) -> bool:
    """
    Return whether an address has a password in it, before the host or among the parameters.

    Raises:
        InputError: an address is none.

    """
    for one in filter(is_url, addresses(given)):
        try:
            parts = urlsplit(one)
        except ValueError as exc:
            raise InputError(f"the address of the store cannot be read: {exc}") from exc
        told = {name.lower() for name, value in parse_qsl(parts.query) if value}
        if parts.password or not told.isdisjoint(_PASSWORDS):
            return True
    return False


def addresses(given: StoreAddress) -> list[str]:
    """
    Return the databases of a store; a text may name several: ``postgresql://…,postgresql://…``.

    Raises:
        InputError: one is written as keywords, or has an "@" or "/" in its password.

    """
    if isinstance(given, str | os.PathLike):
        path = os.fspath(given)
        named = _NEXT.split(path) if is_url(path) else [os.fspath(as_path("path", path))]
    else:
        if isinstance(given, bytes) or not isinstance(given, Sequence):
            as_path("path", given)  # which says what is wrong
        named = [
            one if isinstance(one, str) and is_url(one) else os.fspath(as_path("path", one))
            for one in given
        ]
    for one in named:
        _check(one)
    return named


def without_password(address: str) -> str:
    """Return an address as it may be shown."""
    return _SHOWN.sub(r"\1\2***", address)


def _check(address: str) -> None:
    """Refuse an address that is taken for another thing than it is meant; it is not shown."""
    if not is_url(address):
        keywords = _KEYWORD.findall(address) if _KEYWORD.match(address.strip()) else ()
        if not _OF_LIBPQ.isdisjoint(keywords):
            msg = (
                "store: keywords and values are no path of a file; write the address of a database"
                " as postgresql://USER@HOST/NAME"
            )
            raise InputError(msg)
        return
    account, at, rest = address.partition("://")[2].partition("?")[0].partition("@")
    # A second one that is not encoded: the password, or what comes after, ends somewhere else.
    if at and ":" in account and "@" in rest:
        msg = (
            "store: the address has an '@' too many; in a password write '@' as %40, '/' as %2F"
            " and ':' as %3A"
        )
        raise InputError(msg)
