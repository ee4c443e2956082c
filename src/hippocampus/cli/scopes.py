"""The commands between banks: include, promote, demote."""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING

from hippocampus.cli.command import verb
from hippocampus.cli.render import Answer, episode_table, table

if TYPE_CHECKING:
    from hippocampus.bank import Bank


@verb("include", create=True)
def include(bank: Bank, banks: list[str] | None = None, *, remove: bool = False) -> Answer:
    """Read other banks along with this one, or show which are; writes stay in this one."""
    change = bank.exclude if remove else bank.include
    found = change(*banks) if banks else bank.included()
    rows = [(one.bank, one.through or "", "" if one.there else "not there yet") for one in found]
    return Answer(found, table(rows, "bank", "through", "") if rows else "none is read along")


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
