"""Base of the parts of a bank, and how a bank's verbs are made of theirs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial, wraps
from types import MethodType, NoneType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from hippocampus.bank.event_times import stretches_of_event
from hippocampus.bank.filter_arguments import read_filters
from hippocampus.core.argument_names import refuse_unknown
from hippocampus.core.clock import in_zone
from hippocampus.core.damage import note_damage
from hippocampus.core.given_arguments import check_several
from hippocampus.core.records import LABELS, Episode, Hit, Interval, When
from hippocampus.core.telemetry import OPERATIONS, is_set_up
from hippocampus.core.timestamps import to_moment
from hippocampus.engine.bank_state import BankState
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.errors import InputError, UnknownEvent
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.filters import Filter
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.reader import Told
from hippocampus.journal.requests import once
from hippocampus.language.time.given import moment_of
from hippocampus.language.time.repeated import find_all_told

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound="BankPart")


class BankPart:
    """Verbs of one kind, over the state of a bank."""

    def __init__(self, state: BankState) -> None:
        self.name = state.name
        self._state = state
        self._engine = state.engine
        self._store = state.engine.store

    @contextmanager
    def _books(self) -> Iterator[Ledger]:
        """Lend the books of a bank that is there, at one moment."""
        with self._store.read():
            yield self._engine.ledger(self.name)

    def warn_if_lacking(self) -> None:
        """Say that something of the bank is damaged, and so was left out of a list or a sum."""
        if lacking := self._state.lacking():
            note_damage(self.name, lacking)

    def record(self, name: str, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Make a call of a verb, and record it; where telemetry is set up."""
        from hippocampus.bank.telemetry import recorded  # noqa: PLC0415 - only where it is

        return recorded(self._state, name, call, *args, **kwargs)

    def _filter(self, given: Mapping[str, object], now: datetime | None = None) -> Filter:
        """Validate the filters of a read, as of now or of a moment; look events up."""
        moment = now or self._engine.now()
        read_event = partial(stretches_of_event, self._state, given=given, now=moment)
        return read_filters(self._known_as(given), self._engine.zone, moment, read_event)

    def filter_of(self, given: Mapping[str, object], now: datetime | None = None) -> Filter:
        """Return the filter of a read of several banks, as this one reads it."""
        return self._filter(given, now)

    def _known_as(self, given: Mapping[str, object]) -> Mapping[str, object]:
        """Return filters in which keys with a secret are asked for as they were redacted, too."""
        if self._engine.config.secrets.write in {"keep", "refuse"}:
            return given
        asked = dict(given)
        for name in LABELS:
            value = asked.get(name)
            several = [value] if isinstance(value, str) else value
            if isinstance(several, Collection) and all(isinstance(one, str) for one in several):
                asked[name] = list(dict.fromkeys(one for v in several for one in self._names_of(v)))
        return asked

    def _names_of(self, label: str) -> tuple[str, ...]:
        """Return the names of a key: as somebody gives it, and as it is kept without secrets."""
        if self._engine.config.secrets.write == "keep":
            return (label,)
        known = self._engine.secret_gate.known_as(label)
        return (label,) if known == label else (label, known)

    def _sources_here(self, name: str) -> list[str]:
        """
        Return the names of a source here: as it was given, and as it is kept without secrets.

        It has both where some of it came before secrets were redacted, and some after.
        """
        *given, known = self._names_of(name)
        if not given:
            return [known]
        with self._books() as ledger:
            has = self._store.episodes.from_source
            return [one for one in (*given, known) if has(ledger.bank, one)] or [known]

    def _present(self, now: When | None) -> datetime:
        """
        Return the present moment that is meant, the clock's for None.

        It is in the memory's time zone, whose days are meant by words (docs/adr/0005).
        """
        present, zone = self._engine.now(), self._engine.zone
        if now is None:
            return present
        return in_zone(to_moment(moment_of(now, present, name="now"), zone, name="now"), zone)

    def _told(self, index: BankIndex | None = None) -> Told:
        """Return a source of the times that texts tell: an index, or a reader of the texts."""
        zone = self._engine.zone

        def told(row: int, episode: Episode) -> tuple[Interval, ...]:
            if index is not None and row < len(index):
                return index.cues.time.of(row, episode.text, zone)
            return find_all_told(episode.text, episode.occurred_at, zone)

        return told

    def _check_current(self, here: BankSnapshot) -> None:
        """Raise ``Outdated`` if there is a newer snapshot than this; outside ``store.read()``."""
        if not self._state.is_newest(here):
            raise Outdated

    def _change(
        self, named: str | Collection[str], change: Callable[[Ledger, list[str]], int]
    ) -> int:
        """Change one episode or several in one transaction; return how many changed."""
        ids = ids_of(named)
        if not ids:
            return 0
        with self._state.changing():
            return self._state.transact(
                lambda ledger: once(ledger, lambda: change(ledger, ids), int)
            )

    def _once(self, note: Callable[[Ledger], None]) -> None:
        """Note something of the bank, unless this request has; the caller holds ``writing``."""
        self._state.transact(lambda ledger: once(ledger, lambda: note(ledger), NoneType))


def filter_of_all(
    parts: Iterable[BankPart], given: Mapping[str, object], now: datetime | None = None
) -> Filter:
    """
    Validate the filters of a read of several banks, as of now or of a moment.

    The time of an event is that of the first bank that tells of it.

    Raises:
        UnknownEvent: none does.

    """
    unknown: UnknownEvent | None = None
    for part in parts:
        try:
            return part.filter_of(given, now)
        except UnknownEvent as exc:
            unknown = unknown or exc
    assert unknown is not None, "there is one bank at least"
    raise unknown


def staying(verb: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
    """Have a bank stay in memory through all the steps of a verb."""

    @wraps(verb)
    def through(self: T, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._state.in_use():
            return verb(self, *args, **kwargs)

    through.__signature__ = inspect.signature(verb)  # type: ignore[attr-defined]
    return through


class Outdated(Exception):
    """The snapshot that a verb was reading is no longer the newest."""


def of_one_moment(verb: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
    """Have a verb begin anew when it finds that its snapshot is out of date."""

    @wraps(verb)
    def through(self: T, /, *args: P.args, **kwargs: P.kwargs) -> R:
        while True:  # each time round somebody else has written
            with suppress(Outdated), self._engine.store.glance():
                return verb(self, *args, **kwargs)

    through.__signature__ = inspect.signature(verb)  # type: ignore[attr-defined]
    return through


class Verb(Generic[P, R]):
    """
    A verb of a bank that one of its parts has: with its signature and its documentation.

    ``lacks``: its result lacks what is damaged, and has no place to say so, so it warns.
    """

    def __init__(
        self, part: str, verb: Callable[Concatenate[Any, P], R], *, lacks: bool = False
    ) -> None:
        self._part = part
        known, name = _named(verb), verb.__name__

        @wraps(verb)
        def checked(own: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:  # noqa: ANN401
            if not kwargs.keys() <= known.keys():
                refuse_unknown(verb.__name__, kwargs, known)
            if name in OPERATIONS and is_set_up():
                found: R = own.record(name, partial(verb, own), *args, **kwargs)
            else:
                found = verb(own, *args, **kwargs)
            if lacks:
                own.warn_if_lacking()
            return found

        checked.__signature__ = inspect.signature(verb)  # type: ignore[attr-defined]
        self._verb = checked

        @wraps(verb)
        def of_bank(bank: object, /, *args: P.args, **kwargs: P.kwargs) -> R:
            return self.__get__(bank, type(bank))(*args, **kwargs)

        of_bank.__signature__ = inspect.signature(verb)  # type: ignore[attr-defined]
        of_bank.lacks = lacks  # type: ignore[attr-defined] # for the servers, which say so elsewhere
        self._of_bank = of_bank
        self.__doc__ = verb.__doc__

    @overload
    def __get__(self, bank: None, owner: type) -> Callable[Concatenate[Any, P], R]: ...

    @overload
    def __get__(self, bank: object, owner: type) -> Callable[P, R]: ...

    def __get__(self, bank: object | None, owner: type) -> Callable[..., R]:
        """Return the part's method; asked of the class, a function of the bank."""
        if bank is None:
            return self._of_bank
        return MethodType(self._verb, getattr(bank, self._part))


def _named(verb: Callable[..., object]) -> Mapping[str, inspect.Parameter]:
    """Return the arguments of a verb that can be given by name."""
    parameters = list(inspect.signature(verb).parameters.values())[1:]
    return {p.name: p for p in parameters if p.kind is not p.VAR_POSITIONAL}


def ids_of(given: object) -> list[str]:
    """Return one id or several as a list, each once."""
    if isinstance(given, str | Episode | Hit):
        given = [given]
    if isinstance(given, Mapping | bytes) or not isinstance(given, Collection):
        raise InputError(f"id={given!r:.100}: give one episode's id, or a collection of ids")
    ids = [one.id if isinstance(one, Episode | Hit) else one for one in given]
    check_several("id", ids, of="ids of episodes")
    return list(dict.fromkeys(ids))
