"""
The tools: each calls one verb of a bank. ``tools.toml`` has what models read of them.

The engine is imported when the memory is opened: a client is greeted while it loads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from hippocampus.core.damage import collected_damage, damage_collected
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.origin import Origin
from hippocampus.core.parameter_groups import ParameterGroup
from hippocampus.core.rights import Rights, holding
from hippocampus.core.unchanged import why_unchanged
from hippocampus.errors import DISTRIBUTION, InputError, InvalidScope, UnknownBank
from hippocampus.mcp import answers
from hippocampus.mcp.event_answers import events_counted
from hippocampus.mcp.schemas import (
    BankStatus,
    Changed,
    Composed,
    EventsCounted,
    Kept,
    Listed,
    Recalled,
    Stated,
    ToolAnswer,
)

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.core.records import Context, Included, Stats
    from hippocampus.memory import Memory


@immutable
class Narrowing(ParameterGroup):
    """The filters of a tool that looks for memories."""

    since: str | None = None
    until: str | None = None
    during: str | None = None
    session: str | None = None
    speaker: str | None = None
    source: str | None = None
    as_of: str | None = None
    trust: Origin | None = None


@immutable
class Paging:
    """The part of a list that a tool returns."""

    newest: bool = True
    limit: int = 20
    offset: int = 0


_ROLES: Final = (None, "user", "assistant", "tool", "system")
_EVERYTHING: Final = Narrowing()
_FIRST_PAGE: Final = Paging()


class Toolbox:
    """
    The tools over one memory.

    Args:
        memory: gives the memory, opened when it is first needed.
        bank: the bank that a tool means when it names none.
        all_banks: whether a tool may name others.
        own: the user's bank, which is read along with a project's.

    """

    def __init__(
        self,
        memory: Callable[[], Memory],
        bank: str,
        *,
        all_banks: bool,
        own: str | None = None,
    ) -> None:
        self._memory = memory
        self.name = bank
        self.all_banks = all_banks
        self.own = own

    # ------------------------------------------------------------ what models call

    def remember(
        self,
        text: str | None = None,
        *,
        messages: list[dict[str, Any]] | None = None,
        at: str | None = None,
        speaker: str | None = None,
        role: str | None = None,
        session: str | None = None,
        source: str | None = None,
        bank: str | None = None,
    ) -> Annotated[ToolAnswer, Kept]:
        """Keep something that you were told or found out, for later conversations."""
        if role not in _ROLES:
            raise InputError(f"role={role!r}: must be user, assistant or tool, or left out")
        memory = self._memory()
        # What is recorded from here on is new; what was there already is older.
        now = memory.now()
        if (text is None) == (messages is None):
            raise InputError("give either text, or messages of a chat: one of the two")
        if messages is not None:
            from hippocampus.write.messages import turns_of_all  # noqa: PLC0415 - of the engine

            said = {"at": at, "speaker": speaker, "role": role, "session": session}
            turns = turns_of_all(messages, **said, source=source)
            many = self.bank(bank, new=True).remember_many(turns)
            answer = answers.many_kept(
                many, memory.engine.zone, since=now, unembedded=memory.engine.unembedded
            )
            words = "\n\n".join(turn.text for turn in turns)
            return answers.without_secrets(answer, _taken_out(memory, words))
        assert text is not None
        # Words of which nothing is said are the model's own, not the user's.
        own = speaker is None and role is None and source is None
        episode = self.bank(bank, new=True).remember(
            text, at=at, speaker=speaker, role=role, session=session, source=source,
            origin="assistant" if own else None,
        )  # fmt: skip
        answer = answers.kept(
            episode, memory.engine.zone, new=episode.recorded_at >= now,
            unembedded=memory.engine.unembedded,
        )  # fmt: skip
        return answers.without_secrets(answer, _taken_out(memory, text))

    def recall(
        self,
        query: str,
        *,
        k: int = 10,
        budget_tokens: int = 2000,
        only: Narrowing = _EVERYTHING,
        suspects: Literal["hide", "show", "only"] = "hide",
        include: list[str] | None = None,
        bank: str | None = None,
    ) -> Annotated[ToolAnswer, Recalled]:
        """Find memories about something, in any wording, the best first."""
        memory = self._memory()
        held = self.bank(bank)
        include = self._along(held, include)
        with self._reading(held, include):
            found = held.recall(query, k, include=include, suspects=suspects, **only.given())
        found = answers.near_the_best(found)
        return answers.recalled(found, budget_tokens, memory.engine.zone, _degraded(memory))

    def context(
        self,
        query: str,
        *,
        budget_tokens: int = 2000,
        only: Narrowing = _EVERYTHING,
        include: list[str] | None = None,
        bank: str | None = None,
    ) -> Annotated[ToolAnswer, Composed]:
        """Get the background of a task: all that is remembered about it, as one text."""
        memory = self._memory()
        held = self.bank(bank)
        include = self._along(held, include)

        def compose(room: int) -> Context:
            return held.context(query, room, include=include, **only.given())

        with self._reading(held, include):
            return answers.composed(compose, budget_tokens, _degraded(memory))

    def count_events(
        self,
        question: str,
        *,
        since: str | None = None,
        until: str | None = None,
        speaker: str | None = None,
        budget_tokens: int = 2000,
        bank: str | None = None,
    ) -> Annotated[ToolAnswer, EventsCounted]:
        """Count the times that something took place, with a list of them."""
        memory = self._memory()
        held = self.bank(bank)
        found = held.count_events(question, since=since, until=until, speaker=speaker)
        return events_counted(found, budget_tokens, memory.engine.zone, _degraded(memory))

    def correct(
        self,
        id: str,  # noqa: A002 - the verb's natural word
        text: str,
        *,
        bank: str | None = None,
    ) -> Annotated[ToolAnswer, Kept]:
        """Replace the text of a memory, because it was wrong."""
        memory = self._memory()
        held = self.bank(bank)
        before = held.get(id)  # of which the beginning may have been given
        episode = held.correct(before.id, text)
        new = episode.id != before.id
        answer = answers.kept(
            episode, memory.engine.zone, new=new, replaces=before.id if new else None,
            unembedded=memory.engine.unembedded,
        )  # fmt: skip
        return answers.without_secrets(answer, _taken_out(memory, text))

    def forget(
        self,
        ids: list[str] | None = None,
        *,
        source: str | None = None,
        erase: bool = False,
        undo: bool = False,
        bank: str | None = None,
    ) -> Annotated[ToolAnswer, Changed]:
        """Hide memories that are no longer wanted; undo brings them back."""
        if erase and undo:
            msg = "erase=True, undo=True: exclude each other; what is erased cannot come back"
            raise InputError(msg)
        held = self.bank(bank)
        if undo:
            number = held.restore(ids, source=source)
            why = why_unchanged(held.get, ids or (), "restore", number)
            return answers.changed(number, "brought back.", why)
        number = held.forget(ids, source=source, erase=erase)
        if erase:
            return answers.changed(number, "erased for good.")
        why = why_unchanged(held.get, ids or (), "forget", number)
        return answers.changed(number, "forgotten; undo=true brings back what was.", why)

    def timeline(
        self,
        *,
        id: str | None = None,  # noqa: A002 - the verb's natural word
        words: str | None = None,
        only: Narrowing = _EVERYTHING,
        page: Paging = _FIRST_PAGE,
        budget_tokens: int = 2000,
        bank: str | None = None,
    ) -> Annotated[ToolAnswer, Listed]:
        """List memories in order of time, or look at one of them and its history."""
        zone = self._memory().engine.zone
        held = self.bank(bank)
        if id is not None:
            if words or any(only.given().values()):
                msg = f"id={id!r}: looks at one memory; leave out words, times and other filters"
                raise InputError(msg)
            return answers.looked_at(held.get(id), held.history(id), budget_tokens, zone)
        terms = () if words is None else (words,)
        find = held.find if terms else held.episodes
        limit, offset = page.limit, page.offset
        with damage_collected():
            found = find(*terms, limit=limit, offset=offset, newest=page.newest, **only.given())
            lacking = _lacking(held)
        return answers.listed(
            found, budget_tokens, zone, offset=offset, limit=limit, degraded=lacking
        )

    def facts(
        self,
        entity: str | None = None,
        *,
        at: str | None = None,
        as_of: str | None = None,
        budget_tokens: int = 2000,
        bank: str | None = None,
    ) -> Annotated[ToolAnswer, Stated]:
        """List the facts about a person or thing: present and past ones, and their times."""
        now = self._memory().engine.now()
        held = self.bank(bank)
        with damage_collected():
            found = held.facts(entity, at=at, as_of=as_of)
            lacking = _lacking(held)
        return answers.stated(found, budget_tokens, now, lacking)

    def feedback(
        self, ids: list[str], *, helpful: bool, bank: str | None = None
    ) -> Annotated[ToolAnswer, Changed]:
        """Rate recalled memories: whether they were of use."""
        noted = self.bank(bank).feedback(ids, helpful=helpful)
        return answers.changed(noted, f"noted as {'' if helpful else 'not '}helpful.")

    def status(
        self, *, budget_tokens: int = 1000, bank: str | None = None
    ) -> Annotated[ToolAnswer, BankStatus]:
        """Describe the memory: its size, its time span, and parts that are missing."""
        memory = self._memory()
        held = self.bank(bank)
        empty = not self.is_there(held.name)
        with damage_collected():
            stats = _nothing(held.name, memory) if empty else held.stats()
            lacking = _lacking(held)
        slept = [] if empty else held.sleeps()
        none = [] if memory.engine.no_embedder is None else [str(memory.engine.no_embedder)]
        return answers.held(
            stats,
            budget_tokens,
            memory.engine.zone,
            slept=slept[-1].at if slept else None,
            version=version(DISTRIBUTION),
            banks=self.banks() if self.all_banks else (),
            degraded=[*none, *_degraded(memory), *lacking],
        )

    def as_shown(self, document: str) -> str:
        """Return a JSON document as a model may read it: without secrets, if they are hidden."""
        engine = self._memory().engine
        if engine.config.secrets.show == "keep":
            return document
        shown = engine.secret_finder.redact_all(json.loads(document))
        return json.dumps(shown, ensure_ascii=False, indent=1)

    # ------------------------------------------------------------ which banks

    def banks(self) -> list[str]:
        """Return the names of the banks that can be named and are there."""
        if not self.all_banks:
            return [self.name] if self.is_there(self.name) else []
        return self._memory().banks()

    def bank(self, name: str | None, *, new: bool = False) -> Bank:
        """
        Return the bank that a tool names, or the server's own.

        Raises:
            InvalidScope: there is one bank only, and it is another.
            UnknownBank: there is none of that name, and none is to be made (``new``).

        """
        memory = self._memory()
        if name is None or name == self.name:
            return memory.bank(self.name)
        # In the same words whether there is such a bank or not: of others nobody learns here.
        if not self.all_banks:
            msg = (
                f"bank={name!r}: this server has the bank {self.name!r} alone; leave bank out, or"
                " start the server with --all-banks"
            )
            raise InvalidScope(msg)
        found = memory.bank(name)
        if not new and not self.is_there(name):
            msg = f"bank={name!r}: there is none of that name; status lists those there are"
            raise UnknownBank(msg)
        return found

    def _along(self, bank: Bank, include: list[str] | None) -> list[str] | None:
        """Return the banks to read along: those that are named, or else the user's own, too."""
        if include is not None or self.own is None or bank.name != self.name:
            return include
        if not self.is_there(self.own):
            return None
        return [*(one.bank for one in self._included(bank)), self.own]

    def _included(self, bank: Bank) -> list[Included]:
        """Return the banks that a bank includes; of one that nobody has told anything, none."""
        return bank.included() if self.is_there(bank.name) else []

    def is_there(self, name: str) -> bool:
        """Return whether there is a bank of that name, of however many banks."""
        # Of the names that begin with it, it is the first.
        return self._memory().banks(prefix=name, limit=1) == [name]

    @contextmanager
    def _reading(self, bank: Bank, include: list[str] | None) -> Iterator[None]:
        """Have the rights of a server: one of one bank reads it, and what it includes."""
        if self.all_banks or include is None:  # what it includes is open to it
            yield
            return
        named = {bank.name, *([self.own] if self.own else ())}
        named |= {one.bank for one in self._included(bank)}
        with holding(Rights(named.__contains__, named.__contains__)):
            yield


def _taken_out(memory: Memory, text: str) -> Sequence[str]:
    """Return the kinds of secrets in a text that the gate did not let in."""
    engine = memory.engine
    return () if engine.config.secrets.write == "keep" else engine.secret_finder.kinds(text)


def _lacking(bank: Bank) -> list[str]:
    """Return the damage for which memories are left out of what was collected."""
    return [str(one) for one in collected_damage(bank.name)]


def _degraded(memory: Memory) -> list[str]:
    """Return why the numbers of the embedder in use mean less than they should."""
    known = memory.engine.calibration()
    stale = memory.engine.embedder is not None and known.lacking is not None and not known.damaged
    return [f"calibration: {known.lacking}"] if stale else []


def _nothing(bank: str, memory: Memory) -> Stats:
    """Return the status of a bank that nobody has told anything yet."""
    from hippocampus.core.records import Stats  # noqa: PLC0415 - brings NumPy

    used = memory.engine.fingerprint()
    return Stats(
        bank=bank, episodes=0, superseded=0, forgotten=0, sessions=0, speakers=(), sources=(),
        first=None, last=None, stored_bytes={}, embedder=None if used is None else str(used),
    )  # fmt: skip
