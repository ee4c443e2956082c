"""The commands between banks: include, promote, demote."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING

from hippocampus.cli.command import verb
from hippocampus.cli.options import BankScope
from hippocampus.cli.render import Answer, episode_table, table
from hippocampus.errors import UnknownBank

if TYPE_CHECKING:
    from hippocampus.bank import Bank


@verb("include", opens=None)
def include(banks: list[str] | None = None, *, remove: bool = False, scope: BankScope) -> Answer:
    """Read other banks along with this one, or show which are; writes stay in this one."""
    scope.check()  # what is included is in it
    adds = bool(banks) and not remove
    with scope.open_bank(create=adds) as bank:
        if adds:
            _check_there(bank, banks or ())
        change = bank.exclude if remove else bank.include
        found = change(*banks) if banks else bank.included()
    rows = [(one.bank, one.through or "", "" if one.there else "not there yet") for one in found]
    return Answer(found, table(rows, "bank", "through", "") if rows else "none is read along")


def _check_there(bank: Bank, names: Sequence[str]) -> None:
    """
    Refuse banks that are not there, as mistyped ones; programs may include them before they are.

    Raises:
        UnknownBank: one is not there.

    """
    for name in names:
        if name == bank.name:  # which the verb refuses, there or not
            continue
        try:
            bank.state.engine.ledger(name)
        except UnknownBank as exc:
            exc.add_note("correct the name, or remember something in it first")
            raise


@verb("promote", embed=True)
def promote(bank: Bank, ids: list[str], *, to: str, zone: tzinfo) -> Answer:
    """Have another bank keep a copy of memories, for all who read that."""
    found = bank.promote(ids, to=to)
    return Answer(found, episode_table(found, zone))


@verb("demote", embed=True)
def demote(bank: Bank, ids: list[str], *, to: str, zone: tzinfo) -> Answer:
    """Move memories into another bank, for fewer to read; here they are forgotten."""
    found = bank.demote(ids, to=to)
    return Answer(found, episode_table(found, zone))
