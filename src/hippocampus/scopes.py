"""
Names of banks from the ids that frameworks have: user, agent, project, team, run.

    from hippocampus.scopes import scope_of

    scope = scope_of(agent="coder", project="web", team="core", run="r1")
    bank = memory.bank(scope.bank)
    bank.recall("How do we deploy?", include=scope.include)
    bank.remember("The deploy fails when the cache is full.", session=scope.session)

``holding(Rights(…))`` gives a block of code the rights of one caller. See docs/scopes.md.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hippocampus.core.rights import Rights, holding
from hippocampus.core.tenant import SEPARATOR
from hippocampus.errors import InvalidScope

__all__ = ["Rights", "ScopedBanks", "holding", "scope_of"]

_ESCAPED: Final = {"%": "%25", SEPARATOR: "%2F", "*": "%2A"}
"""Characters that mean something in the name of a bank or in what a key opens."""


class ScopedBanks(NamedTuple):
    """Banks in which a caller writes, and which it reads along, by the ids that it goes by."""

    bank: str
    """The bank of the first id, which is written to."""
    include: tuple[str, ...] = ()
    """Those of the others, in their order: ``include=`` of ``recall`` and its like."""
    session: str | None = None
    """The run: a conversation within the bank."""


def scope_of(*, run: str | None = None, within: str = "", **ids: str | None) -> ScopedBanks:
    """
    Return the scope of some ids, from the narrowest to the widest as they are given.

    Args:
        run: the conversation, as OpenAI's ``session_id``, LangGraph's ``thread_id`` and mem0's
            ``run_id`` are one: the session of what is said. Without another id, a bank.
        within: the tenant, which the name of each bank then begins with; keys open ``tenant/*``.
        **ids: ``user``, ``agent``, ``project``, ``team`` or what else there is, each by its id; one
            that is None is left out, and ``_id`` at the end of a name says nothing. The bank of a
            user ``ada`` is ``user/ada``.

    Raises:
        InvalidScope: there is no id, or one that is blank or no text, or two of one kind.

    """
    if not isinstance(within, str) or "*" in within:
        raise InvalidScope(f"within={within!r}: a tenant is text without '*', or '' for none")
    named: dict[str, str] = {}
    for name, id_ in ids.items():
        kind = name.removesuffix("_id")
        if id_ is not None and named.setdefault(kind, id_) != id_:
            told = f"{kind}={named[kind]!r} and {kind}={id_!r}: whose bank is meant? give one"
            raise InvalidScope(told)
    if run is not None:
        _check_id("run", run)
        if not named:
            return ScopedBanks(_bank("run", run, within), session=run)
    if not named:
        raise InvalidScope("scope_of(): give at least one id, such as user='ada'")
    bank, *others = (_bank(kind, id_, within) for kind, id_ in named.items())
    return ScopedBanks(bank, tuple(others), run)


def _check_id(kind: str, id_: object) -> None:
    """Refuse a value that is no id."""
    if not isinstance(id_, str) or not id_.strip():
        raise InvalidScope(f"{kind}={id_!r}: an id is text that is not blank")


def _bank(kind: str, id_: str, within: str) -> str:
    """Return the name of the bank of an id."""
    if not kind or not _ESCAPED.keys().isdisjoint(kind):
        msg = f"{kind!r}: a kind of id is a word such as 'user', without {' '.join(_ESCAPED)}"
        raise InvalidScope(msg)
    _check_id(kind, id_)
    escaped = "".join(_ESCAPED.get(one, one) for one in id_)
    tenant = within.rstrip(SEPARATOR)
    return SEPARATOR.join([*([tenant] if tenant else []), kind, escaped])
