"""
Origins: which class of source an episode came from, and so how far its words are to be trusted.

An origin is read off the role and the source of an episode, so that stores from before there were
origins have them as well, unless whoever remembered it said what it is; see docs/trust.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

from hippocampus.errors import InputError, InvalidFilter

Origin: TypeAlias = Literal["user", "assistant", "tool", "document", "web", "import"]
"""Author of words: the user; the assistant; a tool's result; a file; a page of the web; a record of
other people's words, such as mail or an exported chat."""

ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)
"""All origins, the most trusted first."""

OWN: Final = frozenset[Origin]({"user", "assistant"})
"""The origins of a conversation itself; the words of all others are somebody else's."""

_BY_ROLE: Final[Mapping[str, Origin]] = MappingProxyType({
    "user": "user", "human": "user", "system": "user", "developer": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant", "bot": "assistant",
    "tool": "tool", "function": "tool",
})  # fmt: skip
_WEB: Final = ("http://", "https://")


def derive_origin(role: str | None, source: str | None, *, spoken: bool) -> Origin:
    """
    Return the origin that a role and a source tell.

    A page of the web is one whoever passes it on. Otherwise the role counts; without one that we
    know, what comes from a source is a record of talk if somebody speaks in it (``spoken``), and a
    document if nobody does; what names no source was said to us.
    """
    # Before the role: who pastes a page is not its author (docs/adr/0040).
    if source is not None and source[:8].lower().startswith(_WEB):
        return "web"
    by_role = None if role is None else _BY_ROLE.get(role.lower())
    if by_role is not None:
        return by_role
    if source is None:
        return "user"
    return "import" if spoken else "document"


def least_trusted(origins: Iterable[Origin]) -> Origin:
    """Return the least trusted of some origins, which a text derived from them has."""
    return max(origins, key=ORIGINS.index, default="user")


def check_origin(given: object) -> None:
    """
    Refuse an unknown origin; None is derived later.

    Raises:
        InputError: it is none of ``ORIGINS``.

    """
    if given is not None and given not in ORIGINS:
        raise InputError(f"origin={given!r}: must be one of {', '.join(ORIGINS)}, or left out")


def trusted_origins(trust: object) -> frozenset[Origin] | None:
    """
    Return the origins that ``trust=`` lets a read see; None for all.

    ``trust``: an origin, which stands for itself and every more trusted one; or several, which
    stand for themselves.

    Raises:
        InvalidFilter: anything else.

    """
    if trust is None:
        return None
    if isinstance(trust, str):
        if trust in ORIGINS:
            return frozenset(ORIGINS[: ORIGINS.index(trust) + 1])
    elif isinstance(trust, Collection) and not isinstance(trust, Mapping):
        several = [one for one in trust if isinstance(one, str) and one in ORIGINS]
        if several and len(several) == len(trust):
            return frozenset(several)
    msg = (
        f"trust={trust!r}: must be the least trusted origin that is shown, or a collection of those"
        f" that are; the origins are {', '.join(ORIGINS)}"
    )
    raise InvalidFilter(msg)
