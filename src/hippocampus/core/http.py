"""Addresses, keys and further attempts: the rules of every HTTP request, whatever sends it."""

from __future__ import annotations

import random
import re
import time
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import SplitResult, urlsplit

from hippocampus.errors import InputError

FIRST_PAUSE_S: Final = 0.5  # chosen by hand, and so is the longest
LONGEST_PAUSE_S: Final = 8.0
"""Between attempts, unless the server asks for more; it doubles from the first to the longest."""

_HOST: Final = re.compile(r"[0-9A-Za-z._~%:-]+")


def check_url(
    url: object,
    *,
    name: str = "url",
    example: str = "http://localhost:11434/v1",
    query: bool = False,
    user: bool = False,
) -> SplitResult:
    """
    Return the parts of a server's address, an international name of the host as ASCII.

    Args:
        url: an address of HTTP or HTTPS, without a fragment.
        name: the caller's name for the argument.
        example: an address that would do, for the message.
        query: whether the address may have a query.
        user: whether it may have a user and a password.

    Raises:
        InputError: it is no such address. A password or a query is not repeated.

    """
    try:
        parts = urlsplit(url if isinstance(url, str) else "")
        # Read for its error: that a port is none is only found out here.
        _ = parts.port
        host = (parts.hostname or "").encode("idna").decode()
        well = parts.scheme in ("http", "https") and _HOST.fullmatch(host) and not parts.fragment
    except ValueError:
        well = None
    if (
        well
        and re.fullmatch(r"[!-~]*", parts.path + parts.query)
        and re.fullmatch(r"[^\s\x00-\x1f\x7f]+", str(url))  # urlsplit drops some of them
        and (query or not parts.query)
        and (user or parts.username is None)
    ):
        if parts.netloc.isascii():
            return parts
        # Only the host is spelled anew: user and password have to stay as they were written.
        account, at, _ = parts.netloc.rpartition("@")
        port = "" if parts.port is None else f":{parts.port}"
        return parts._replace(netloc=f"{account}{at}{host}{port}")
    open_part = str(url).partition("?")[0].partition("#")[0]
    shown = "[not shown, for it has a password]" if "@" in str(url) else f"{open_part!r:.100}"
    raise InputError(
        f"{name}={shown}: must be the address of a server, such as {example}, without user or"
        " password; a key is given apart"
    )


def check_key(key: object) -> str:
    """Return a key that a header can carry."""
    # Any other character could end the header, and begin another one.
    if not isinstance(key, str) or not re.fullmatch(r"[!-~]([ -~]*[!-~])?", key):
        msg = "key=[not shown]: must be printable ASCII without blanks or line ends around it"
        raise InputError(msg)
    return key


class Attempts:
    """
    Attempts at one request until a deadline, and the pause before each further one.

    Args:
        most: attempts in all.
        timeout_s: seconds for all of them, pauses included.
        first_pause_s: pause before the second attempt; it doubles up to ``LONGEST_PAUSE_S``. Each
            is shortened by up to half at random, so that many clients do not come back together.

    """

    def __init__(
        self, most: int, timeout_s: float, *, first_pause_s: float = FIRST_PAUSE_S
    ) -> None:
        self.deadline = time.monotonic() + timeout_s
        self.made = 0
        self.pause_s = 0.0
        self._most = most
        self._first_pause_s = first_pause_s

    @property
    def left_s(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.monotonic()

    def again(self, wanted_s: float = 0.0) -> bool:
        """
        Count a failed attempt; return whether another is to be made, after ``pause_s``.

        ``wanted_s``: the pause that the server asked for; shorter ones are lengthened to it.
        """
        doubled_s = min(self._first_pause_s * 2**self.made, LONGEST_PAUSE_S)
        self.made += 1
        self.pause_s = max(doubled_s * random.uniform(0.5, 1.0), wanted_s)  # noqa: S311
        return self.made < self._most and self.pause_s < self.left_s


def retry_after_s(headers: Message) -> float:
    """Return the seconds of a ``Retry-After`` header; a date in it is by the server's clock."""
    wanted = headers.get("Retry-After", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", wanted):
        return float(wanted)
    try:
        until, now = (parsedate_to_datetime(text) for text in (wanted, headers.get("Date", "")))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def told(exc: Exception) -> str:
    """Return the type and the message of an error, for a message of ours."""
    return f"{type(exc).__name__}: {exc}".rstrip(": ")
