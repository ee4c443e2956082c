"""Banks into which an import puts what was said in coding agents' sessions, as their hooks do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, NamedTuple

from hippocampus.cli.hook_events import LONGEST_REPLY
from hippocampus.cli.import_places import ImportPlace
from hippocampus.cli.project import bank_of_gone, find_project
from hippocampus.core.bank_names import PROJECT, TEAM
from hippocampus.core.path_text import path_text
from hippocampus.core.records import Turn
from hippocampus.errors import StoreError
from hippocampus.language.secrets import find_secrets, lines_as_kept
from hippocampus.language.worth_keeping import Lasting, of_prompt, of_reply
from hippocampus.sources.agents.tools import PROJECT_MEMORY
from hippocampus.sources.walk import this_host

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.memory import Memory

PASSING: Final = "messages of which nothing lasts"
UNKEPT: Final = "sentences with a secret"
NOT_REMEMBERED: Final = "what is of projects that are not to be remembered"
_DEALT_TO: Final = (PROJECT, TEAM)
"""Beginnings of the names of the banks of projects."""


class Routing(NamedTuple):
    """Rules by which the turns of an import are dealt out."""

    own: str
    """The bank of the user, or the one that all goes into."""
    by_project: bool = True
    everything: bool = False
    """Whether all that was said is kept, and not what lasts of it."""
    with_secrets: bool = False
    """Whether secrets are left to what the store does with them."""
    notes: bool = True
    """Whether a folder is noted as the first of its remote."""


class SessionBanks:
    """The banks of an import of agents' sessions, and how many turns each is to have."""

    def __init__(self, routing: Routing) -> None:
        self._routing = routing
        self._of_folder: dict[str, str | None] = {}
        self._of_logs: dict[tuple[ImportPlace, PurePosixPath], str] = {}
        """Banks by the folder, at a place, in which Claude Code keeps a project's logs."""
        self._of_gone_logs: dict[tuple[ImportPlace, PurePosixPath], str] = {}
        """Likewise, as earlier imports have found them; the tool removes its logs after a time."""
        self._routes: dict[int, tuple[tuple[str, Turn | None], ...]] = {}
        """Banks of a turn, each with the part that it gets; None for all of it, which a log is not
        to be in memory for."""
        self._place: ImportPlace | None = None
        self.counts: Counter[str] = Counter()
        """Turns by bank."""
        self.left_out: Counter[str] = Counter()

    def enter(self, place: ImportPlace) -> None:
        """Go on with what is read at another place."""
        self._place = place

    def all_of(self, turn: Turn) -> list[Turn]:
        """Return the parts of a turn that are kept, in whatever bank."""
        return [kept for _, kept in self._dealt(turn)]

    def of_bank(self, bank: str, turn: Turn) -> list[Turn]:
        """Return the parts of a turn that a bank gets."""
        return [kept for name, kept in self._dealt(turn) if name == bank]

    def banks(self) -> list[str]:
        """Return the banks that get something, the user's own first."""
        return sorted(self.counts, key=lambda name: (name != self._routing.own, name))

    def learn(self, memory: Memory, places: Sequence[ImportPlace]) -> None:
        """Take in which banks have got the logs of which folders before."""
        names = [name for name in memory.banks() if name.startswith(_DEALT_TO)]
        for name in names if self._routing.by_project else ():
            for log in _placed_here(memory.bank(name)):
                for place in places:
                    folder, root = log.parent, PurePosixPath(path_text(place.path.resolve()))
                    if folder.is_relative_to(root):
                        at = place, folder.relative_to(root)
                        self._of_gone_logs.setdefault(at, name)

    def known_in(self, memory: Memory, places: Sequence[ImportPlace]) -> list[str]:
        """Return the banks, of all to which turns may be dealt, that have sources from places."""
        if not self._routing.by_project:
            return []
        own, roots = self._routing.own, [path_text(one.path.resolve()) for one in places]
        names = [name for name in memory.banks() if name == own or name.startswith(_DEALT_TO)]
        return [
            name
            for name in names
            if any(
                file.is_relative_to(root)
                for file in _placed_here(memory.bank(name))
                for root in roots
            )
        ]

    def _dealt(self, turn: Turn) -> list[tuple[str, Turn]]:
        # Each turn is read once for every bank, and judged at the first.
        key = hash((self._place, turn.address, turn.session, turn.role, turn.text))
        if key not in self._routes:
            dealt = self._deal(turn)
            self._routes[key] = tuple((bank, None if to is turn else to) for bank, to in dealt)
            self.counts.update(bank for bank, _ in self._routes[key])
        return [(bank, turn if part is None else part) for bank, part in self._routes[key]]

    def _deal(self, turn: Turn) -> Iterator[tuple[str, Turn]]:
        own, bank = self._routing.own, self._bank(turn)
        if bank is None:
            self.left_out[NOT_REMEMBERED] += 1
        elif self._routing.everything:
            yield bank, turn
        elif "tool" not in turn.metadata:
            text = self._without_secrets(turn.text)
            if text:
                yield bank, replace(turn, text=text)
        else:
            found = of_prompt(turn.text)
            if turn.role == "assistant":
                found = of_reply(turn.text, longest=LONGEST_REPLY)
            elif turn.role != "user":
                found = Lasting()
            if not found.person and not found.project:
                self.left_out[_why_none(turn.text)] += 1
            parts = [(own, found.person, ["preference"]), (bank, found.project, list(found.kinds))]
            for name, said, kinds in parts:
                text = self._without_secrets(said)
                if text:
                    about = {**turn.metadata, "kinds": kinds}
                    yield name, replace(turn, text=text, metadata=about)

    def _without_secrets(self, text: str) -> str:
        """Return the lines of a text that may be kept."""
        if self._routing.with_secrets or not text:
            return text
        lines = lines_as_kept(text)
        if secret := sum(bool(before) and not now for before, now in lines):
            self.left_out[UNKEPT] += secret
        # A blank line is kept, and one of which nothing may be is not.
        return "\n".join(now for before, now in lines if now or not before).strip()

    def _bank(self, turn: Turn) -> str | None:
        """Return the bank of the project that a turn is of; None if that is not remembered."""
        own = self._routing.own
        if not self._routing.by_project:
            return own
        folder = turn.metadata.get("project")
        if folder and Path(str(folder)).is_absolute():
            bank = self._of(str(folder))
            for at in self._folders_of_logs(turn)[:1]:
                if bank is not None:
                    self._of_logs.setdefault(at, bank)
            return bank
        if self._place is not None and self._place.read_as == PROJECT_MEMORY:
            return self._of(str(Path.cwd()))
        folders = self._folders_of_logs(turn)
        # Logs that are there say where their project is now.
        found = (banks.get(at) for banks in (self._of_logs, self._of_gone_logs) for at in folders)
        return next((bank for bank in found if bank is not None), own)

    def _folders_of_logs(self, turn: Turn) -> list[tuple[ImportPlace, PurePosixPath]]:
        """Return the folders that a file is in, if each may have logs of one project alone."""
        # Other tools have folders by day, or one for all, which tell nothing of the project.
        if self._place is None or self._place.read_as != "claude-code":
            return []
        file = PurePosixPath(str(turn.metadata.get("file") or turn.source or ""))
        return [(self._place, at) for at in file.parents if at.name]

    def _of(self, folder: str) -> str | None:
        """Return the bank that hooks would remember a folder in."""
        if folder not in self._of_folder:
            self._of_folder[folder] = self._found(folder)
        return self._of_folder[folder]

    def _found(self, folder: str) -> str | None:
        try:
            project = find_project(folder, note=self._routing.notes)
            gone = bank_of_gone(folder) if project is None and not Path(folder).exists() else None
        except (OSError, ValueError):  # too long, not ours to read, or no path at all
            return self._routing.own
        if project is None:
            return gone or self._routing.own
        if not project.remembered:
            return None
        # A team's store is asked for by whoever works there; what was said before stays here.
        return project.bank if project.shared_store else project.shared_bank


def _placed_here(bank: Bank) -> list[PurePosixPath]:
    """Return the files on this machine, there or gone, that are sources of a bank."""
    host = this_host()
    with suppress(StoreError):  # what is damaged there is told there
        placed = ((one.place, one.host) for one in bank.sources())
        return [PurePosixPath(place) for place, at in placed if place is not None and at == host]
    return []


def _why_none(text: str) -> str:
    return UNKEPT if find_secrets(text) else PASSING
