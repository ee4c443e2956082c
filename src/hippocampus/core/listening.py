"""Addresses at which a server of ours listens."""

from __future__ import annotations

import socket
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from hippocampus.core.system import SHARES_CONNECTIONS
from hippocampus.errors import InputError

_BACKLOG = 2048
"""Connections that may wait to be accepted, as uvicorn has it; the system may allow fewer."""


@lru_cache(maxsize=256)
def is_loopback(host: str) -> bool:
    """Return whether a host is this machine and nothing else."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name, which may lead anywhere, and elsewhere the next time it is asked
        return False


@lru_cache(maxsize=256)
def names_loopback(url: str) -> bool:
    """Return whether an address, or a Host header after ``//``, names this machine."""
    try:
        return is_loopback(urlsplit(url).hostname or "")
    except ValueError:
        return False


def listen(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """
    Return a socket that listens at an address; port 0 takes a free one.

    ``shared``: others of this user may listen there, too, and the kernel shares out connections
    among them, where it can.

    Raises:
        InputError: the address is taken, or none of this machine's.

    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server(
            (host, port), family=family, backlog=_BACKLOG,
            reuse_port=shared and SHARES_CONNECTIONS,
        )  # fmt: skip
    except (OSError, UnicodeError) as exc:
        why = getattr(exc, "strerror", None) or str(exc)
        msg = f"host={host!r}, port={port}: {why}; choose others, such as port 0 for a free one"
        raise InputError(msg) from exc
