"""
Banks that are read along with a bank: which they are, and which of them whoever asks may read.

A bank reads what it includes, and writes to itself alone. What it includes may include others; each
is read once, and what cannot be read is told and left out. See docs/scopes.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final, NamedTuple, TypeAlias

from hippocampus.bank.part import BankPart
from hippocampus.core.background_yield import answering
from hippocampus.core.events import BanksIncluded
from hippocampus.core.records import Degradation, Included, OneOrMany
from hippocampus.core.rights import rights
from hippocampus.core.tenant import EVERY, acting, tenant_of
from hippocampus.engine.bank_state import NO_BANK, BankState, state_of
from hippocampus.engine.context import check_name
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.errors import InputError, StoreError, UnknownBank
from hippocampus.journal.ledger import Ledger

MOST_INCLUDED: Final = 16
"""Banks that are read along with one: each takes as long as it would by itself."""
_DEEPEST: Final = 4
"""Most banks through which an included one may be: agent, project, team, company."""
_NOT_OPEN: Final = Degradation(
    part="include",
    reason="not all that is included is open to whoever asks; what is not was left out",
)
"""Says neither which nor how many: names of banks are not for everybody either."""


class Reach(NamedTuple):
    """The banks that a call reads beside its own, in order, and what it goes on without."""

    others: tuple[BankState, ...] = ()
    degraded: tuple[Degradation, ...] = ()


ALONE: Final = Reach()
"""Reach of a bank that includes none."""


class Inclusion(BankPart):
    """The verbs that say which banks are read along with this one."""

    def include(self, *banks: str) -> list[Included]:
        """
        Read other banks along with this one from now on, read-only; return all that are.

        ``recall``, ``context``, ``explain``, ``find``, ``count`` and ``facts`` then answer from all
        of them together, unless told otherwise by ``include=``. What is written is written to this
        bank alone. What a bank includes that is included here is read as well. A bank that is not
        there yet may be included, and is told of by each answer until it is.

        Args:
            banks: they, or their names; what is included already stays where it is.

        Raises:
            InputError: it is this bank, leads back to it, or would be more than 16 in all.
            UnknownBank: it is not open to whoever asks.

        """
        names = self._named(banks)
        for name in names:
            self._check(name)
        if not names:
            raise InputError("include(): name at least one bank")
        with self._state.changing():
            self._engine.ledger(self.name, create=True)
            self._once(lambda ledger: _put(ledger, [*_included(ledger), *names]))
        return self.included()

    def exclude(self, *banks: str) -> list[Included]:
        """
        Read banks along with this one no more; return those that still are.

        Raises:
            InputError: it is not included here. What an included bank includes is excluded there.
                Of a bank that is not open to whoever asks, nobody is told whether it was.

        """
        if not banks:
            raise InputError("exclude(): name at least one bank")
        with self._state.changing():
            self._once(lambda ledger: self._drop(ledger, self._named(banks)))
        return self.included()

    def _drop(self, ledger: Ledger, banks: Sequence[str]) -> None:
        """Note that a bank includes some others no more."""
        before = _included(ledger)
        strange = [name for name in banks if name not in before and is_open(self._state, name)]
        if strange:
            msg = f"exclude: bank {ledger.name!r} does not itself include {strange[0]!r}"
            raise InputError(msg)
        _put(ledger, [name for name in before if name not in banks])

    @answering()
    def included(self) -> list[Included]:
        """Return the banks that are read along with this one, in the order in which they are."""
        return list(self._listed())

    def reach(self, include: OneOrMany | None) -> Reach:
        """
        Return the banks that a call reads beside this one.

        Args:
            include: banks, or their names, instead of those that this bank includes, none for ();
                what they include comes along. None: those that this bank includes.

        """
        if include is None:
            with self._state.asking() as here:
                first = here.index.included
        else:
            first = tuple(self._named(include))
        if not first:
            return ALONE
        walk = _Walk(self._state, _in_memory, named=include is not None)
        walk.go(first)
        return Reach(tuple(walk.found), tuple(dict.fromkeys(walk.degraded)))

    def surely(self, include: OneOrMany | None) -> tuple[BankState, ...]:
        """
        Return the banks that a call reads which has no way to say what it went on without.

        Raises:
            UnknownBank: one that the call names is not there, or not open to whoever asks.
            StoreError: one cannot be read.

        """
        reach = self.reach(include)
        for name in () if include is None else self._named(include):
            if name != self.name and name not in {state.name for state in reach.others}:
                raise UnknownBank(unknown(name))
        return reach.others

    def _named(self, banks: object) -> list[str]:
        """Return the names of the banks that a call gives, by name or as they are, each once."""
        several = isinstance(banks, Collection) and not isinstance(banks, str | bytes | Mapping)
        given: Any = banks if several else [banks]
        return list(dict.fromkeys(map(self._name_of, given)))

    def _name_of(self, bank: object) -> str:
        state = getattr(bank, "state", None)
        if not isinstance(state, BankState):
            return check_name(bank)
        if state.engine is not self._engine:
            raise InputError(f"include: {bank!r} is of another store; only banks of one are read")
        return state.name

    def behind(self) -> list[BankState]:
        """Return the banks that are read along, for who looks something up by its id."""
        walk = _Walk(self._state, _in_journal, named=False)
        walk.go(_in_journal(self._state)[1])
        return walk.found

    def _listed(self) -> Iterator[Included]:
        _, own = _in_journal(self._state)
        waiting = deque[tuple[str, str | None, int]]((name, None, 1) for name in own)
        seen = {self.name}
        while waiting:
            name, through, depth = waiting.popleft()
            if name in seen or not is_open(self._state, name):
                continue
            seen.add(name)
            there, inner = _in_journal(state_of(self._engine, name))
            yield Included(bank=name, through=through, there=there)
            if depth < _DEEPEST:
                waiting.extend((one, name, depth + 1) for one in inner)

    def _check(self, name: str) -> None:
        """Refuse banks that this one cannot include."""
        check_name(name)
        if name == self.name:
            raise InputError(f"include: bank {name!r} is always read by itself; name others")
        if not is_open(self._state, name):
            raise UnknownBank(unknown(name))
        walk = _Walk(self._state, _in_journal, named=True)
        walk.go((name,))
        if walk.came_back:
            msg = (
                f"include: bank {name!r} includes {self.name!r} itself, or through others; each"
                " would be part of the other. Exclude one first"
            )
            raise InputError(msg)


_Look: TypeAlias = Callable[[BankState], tuple[bool, tuple[str, ...]]]
"""Tells whether a bank is there, and what it includes."""


def _in_memory(state: BankState) -> tuple[bool, tuple[str, ...]]:
    """Look at the snapshot, for who asks the bank anyway."""
    with state.asking() as here:
        return state.is_there(), here.index.included


def _in_journal(state: BankState) -> tuple[bool, tuple[str, ...]]:
    """Look into the journal, for who does not need the bank's index."""
    with state.engine.store.read():
        ledger = state.ledger()
        return ledger.bank != NO_BANK, tuple(_included(ledger))


class _Walk:
    """Goes from bank to bank through what each includes, the nearest first, each once."""

    def __init__(self, own: BankState, look: _Look, *, named: bool) -> None:
        self._own = own
        self._look = look
        self._named = named
        """Whether the first ones were named by whoever asks, and so may be told of by name."""
        self.found: list[BankState] = []
        self.degraded: list[Degradation] = []
        self.came_back = False
        """Whether one of them includes the bank that it began with."""

    def go(self, first: tuple[str, ...]) -> None:
        waiting = deque((name, 1) for name in first)
        seen = set[str]()
        while waiting:
            name, depth = waiting.popleft()
            self.came_back |= name == self._own.name
            if name in seen or name == self._own.name:
                continue
            seen.add(name)
            if len(self.found) >= MOST_INCLUDED:
                told = f"more than {MOST_INCLUDED} banks; the rest was left out"
                self.degraded.append(Degradation(part="include", reason=told))
                return
            inner = self._visit(name, told=self._named and depth == 1)
            if depth == _DEEPEST and inner:
                told = f"{name!r} includes others, which are {_DEEPEST + 1} banks away; left out"
                self.degraded.append(Degradation(part="include", reason=told))
                continue
            waiting.extend((one, depth + 1) for one in inner)

    def _visit(self, name: str, *, told: bool) -> tuple[str, ...]:
        """Add a bank, or say why not; return what it includes."""
        if not is_open(self._own, name):
            lack = Degradation(part="include", reason=unknown(name)) if told else _NOT_OPEN
            self.degraded.append(lack)
            return ()
        state = state_of(self._own.engine, name)
        try:
            there, inner = self._look(state)
        except StoreError as exc:
            self.degraded.append(left_out(name, exc))
            return ()
        if not there:
            self.degraded.append(Degradation(part="include", reason=unknown(name)))
            return ()
        self.found.append(state)
        return inner


def is_open(own: BankState, name: str) -> bool:
    """Return whether whoever asks may read another bank, if there is one of that name or not."""
    walled = own.engine.store.is_walled() and acting() != EVERY
    return rights().may_read(name) and not (walled and tenant_of(name) != acting())


def unknown(name: str) -> str:
    """Return the same sentence for a bank that is not there and for one that is not open."""
    return f"bank {name!r} is not there, or not open to whoever asks; it was left out"


def left_out(name: str, why: StoreError) -> Degradation:
    """Say why an included bank was left out; not where the store is, which is not for everybody."""
    told = str(why).removeprefix(f"{why.path}: ")
    return Degradation(part="include", reason=f"bank {name!r} was left out: {told}")


def opened(
    stack: ExitStack, reach: Reach
) -> tuple[list[tuple[BankState, BankSnapshot]], list[Degradation]]:
    """Return the snapshots of included banks, lent as long as the stack is; and what went wrong."""
    found: list[tuple[BankState, BankSnapshot]] = []
    lacking: list[Degradation] = []
    for state in reach.others:
        try:
            found.append((state, stack.enter_context(state.asking())))
        except StoreError as exc:
            lacking.append(left_out(state.name, exc))
    return found, lacking


def _included(ledger: Ledger) -> list[str]:
    """Return the banks that a bank includes, inside a transaction."""
    events = ledger.reader.events(BanksIncluded)
    return list(events[-1].event.banks) if events else []


def _put(ledger: Ledger, banks: list[str]) -> None:
    """Note the banks that a bank includes, if they are others than before."""
    names = list(dict.fromkeys(banks))
    if len(names) > MOST_INCLUDED:
        msg = f"include: {len(names)} banks; at most {MOST_INCLUDED}, for each is searched"
        raise InputError(msg)
    if names != _included(ledger):
        ledger.writer.note(BanksIncluded(banks=names))
