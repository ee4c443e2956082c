"""Handling of coding agents' hooks: read from stdin, answered, and kept. Without Typer."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import tzinfo
from typing import TYPE_CHECKING, Final, NamedTuple

from hippocampus.cli.agent_events import HookEvent, read_event, shown_as
from hippocampus.cli.options import BankScope
from hippocampus.cli.plain_options import read_plain, whole
from hippocampus.errors import HippocampusError, InputError, UnknownBank, UnknownEpisode

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.cli.agent_session import AgentSession
    from hippocampus.cli.project import Project
    from hippocampus.core.records import Context

BUDGET: Final = 1500
"""Most tokens to give an agent. Chosen by hand; the plug-ins ask for 1 200
(docs/surfaces/coding-agents.md)."""
AGENTS: Final = ("claude-code", "codex", "cursor", "gemini", "opencode")
LONGEST_REPLY: Final = 1200
"""Characters that are kept of what an agent says at the end of its work. Chosen by hand."""

_LONGEST_ASKED: Final = 8000
"""Characters of a prompt by which memories are looked for, half of them from either end: what is
between was pasted, and the prompt waits. Chosen by hand."""
_LONGEST_ERROR: Final = 300
"""Characters of a tool's error by which its solution is found again."""
_LONGEST_LINE: Final = 4000
"""Characters of a line of an error that are looked through for secrets: more than are kept, as each
may become shorter. Chosen by hand."""
_BEGUN_SHARE: Final = 3
"""A session begins with at most one in so many of the tokens of the budget, for each bank."""
_SERVERS: Final = ("http://", "https://")
_SERVER_S: Final = 2.0
"""Most seconds that a team's server may take; a prompt waits for it."""
_LATEST: Final = 40
"""Memories, the newest of a bank, of which a session begins with those that fit."""
_LASTING: Final = ("decision", "correction", "rule", "preference")
"""Kinds of memories that a session begins with: those that hold whatever is done in it."""
_OPTIONS: Final[Mapping[str, str]] = {
    "--budget": "budget_tokens", "--budget-tokens": "budget_tokens", "--at": "at",
    "--agent": "agent",
}  # fmt: skip


class HookCall(NamedTuple):
    """Options with which the command was called."""

    scope: BankScope
    budget_tokens: int = BUDGET
    at: str | None = None
    agent: str = ""
    chosen: bool = True
    """Whether a bank was named; if not, what is of a project goes into a bank of the project's."""
    sleeps: bool = True
    """Whether the turns of a session are consolidated when it ends."""


def read_call(args: Sequence[str]) -> HookCall | None:
    """Read the options of the command, if they are plain; None if Typer is to read them."""
    plain = read_plain(args, _OPTIONS, flags=("--no-sleep",))
    budget = whole((plain or {}).pop("budget_tokens", str(BUDGET)))
    if plain is None or budget is None:
        return None
    at, agent, chosen = plain.pop("at", None), plain.pop("agent", ""), "bank" in plain
    sleeps = plain.pop("--no-sleep", None) is None
    if agent not in ("", *AGENTS):
        return None
    scope = BankScope(**plain)  # type: ignore[arg-type]  # all are text
    return HookCall(scope, budget, at, agent, chosen, sleeps)


def answer(call: HookCall) -> bool:
    """Answer the event on stdin; return whether all went well. What did not is told."""
    try:
        event = read_event(_read(), call.agent)
    except (HippocampusError, OSError) as exc:
        _complain(str(exc))
        return False
    # An agent may have events that are newer than our table of them.
    if event.kind is None:
        return True
    # Said first, so that nothing that goes wrong afterwards holds the prompt back.
    if event.kind.form == "continue":
        print(shown_as("continue", event.name, ""))
    try:
        _Hook(call, event).give()
    except (HippocampusError, OSError) as exc:
        return _tell_once(call, event, str(exc))
    return True


def _tell_once(call: HookCall, event: HookEvent, what: str) -> bool:
    """Report an error, but not again in the same session; return whether it was reported."""
    from hippocampus.cli.agent_session import AgentSession  # noqa: PLC0415 - only for a session

    if event.session and AgentSession(call.scope.path, event.session).was_told(what):
        return True
    _complain(what)
    return False


def _complain(what: str) -> None:
    from hippocampus.cli.render import complain  # noqa: PLC0415 - brings Rich

    complain(what)


def _read() -> Mapping[str, object]:
    try:
        event = json.loads(sys.stdin.buffer.read())
    except (ValueError, RecursionError) as exc:
        msg = f"stdin: not a hook's event in JSON ({exc}); call this from an agent's hooks"
        raise InputError(msg) from exc
    if not isinstance(event, Mapping):
        msg = f"stdin: a hook's event is a JSON object, not {type(event).__name__}"
        raise InputError(msg)
    return event


class _Hook:
    """Handling of one event."""

    def __init__(self, call: HookCall, event: HookEvent) -> None:
        self._call = call
        self._event = event

    def give(self) -> None:
        """Do it."""
        event = self._event
        if event.lacks:
            msg = f"{event.name}: has no {event.lacks}; nothing was recalled or kept"
            raise InputError(msg)
        acts: Mapping[str, Callable[[], None]] = {
            "begin": self._begin, "prompt": self._prompt, "reply": self._reply,
            "failed": self._failed, "compact": self._compact, "end": self._end,
        }  # fmt: skip
        if event.kind is not None:
            acts[event.kind.act]()

    # ------------------------------------------------------------ the acts

    def _begin(self) -> None:
        """Print the profile and what holds in the project; after a compaction what mattered."""
        session, project = self._session(), self._project()
        if project is not None and not project.remembered:
            return
        if self._event.is_fresh:
            session.note_wiped()
        parts: list[str] = []
        shown: list[str] = []
        failed: list[HippocampusError] = []
        for scope, label in self._scopes(project):
            said = ""
            with _passing_over(failed), _opened(scope, embed=False) as bank:
                said = self._begun(bank, shown)
            if said:
                parts.append(_labelled(label, said))
        text = "\n\n".join(parts)
        if text and not session.has_begun_with(text):
            self._print(text)
            session.note_begun(text)
            session.note_shown(shown)
        self._warn(project, failed)

    def _begun(self, bank: Bank, shown: list[str]) -> str:
        from hippocampus.bank.profile import render_profile  # noqa: PLC0415 - brings NumPy

        parts = [render_profile(bank.profile())]
        budget = self._call.budget_tokens
        if not self._call.chosen:
            compacted = self._event.source == "compact"
            without = self._event.session if compacted else ""
            said, ids = _lasting(bank, self._call.scope.zone, budget // _BEGUN_SHARE, without)
            shown += ids
            parts.append(said)
        if self._event.source == "compact" and self._event.session:
            parts.append(bank.compact_session(self._event.session, budget).text)
        return "\n\n".join(filter(None, parts))

    def _prompt(self) -> None:
        """Print the memories on the prompt, and keep the part of it that matters."""
        said, form = self._event.said, self._event.kind.form if self._event.kind else "text"
        asked = _ends(said)
        if _is_chatter(asked):
            return
        project = self._project()
        if project is not None and not project.remembered:
            return
        scopes = self._scopes(project)
        failed: list[HippocampusError] = []
        if form != "continue":
            # Before the prompt is kept, or it would find itself.
            self._recall(asked, scopes, failed)
        from hippocampus.language.worth_keeping import of_prompt  # noqa: PLC0415 - brings NumPy

        kept = of_prompt(said)
        self._keep(kept.person, scopes[-1][0], "user", ("preference",))
        self._keep(kept.project, scopes[0][0], "user", kept.kinds)
        self._warn(project, failed)

    def _recall(
        self,
        prompt: str,
        scopes: Sequence[tuple[BankScope, str]],
        failed: list[HippocampusError],
    ) -> None:
        session = self._session()
        known, left, parts = set(session.shown()), self._call.budget_tokens, list[str]()
        shown: list[str] = []
        # The user's own first, within a third; what that leaves is for the project.
        for place, (scope, label) in enumerate(reversed(scopes)):
            budget = left if place == len(scopes) - 1 else left // 3
            made = None
            with _passing_over(failed), _opened(scope, embed=True) as bank:
                made = _context(bank, prompt, budget, known)
            if made is not None:
                parts.insert(0, _labelled(label, made.text))
                shown += [hit.id for hit in made.items]
                left -= _tokens(parts[0])
        if parts:
            self._print("\n\n".join(parts))
            session.note_shown(shown)

    def _reply(self) -> None:
        """Keep the findings in an agent's reply."""
        from hippocampus.language.worth_keeping import of_reply  # noqa: PLC0415 - brings NumPy

        session = self._session()
        kept = of_reply(self._event.said, longest=LONGEST_REPLY)
        error = session.unsolved()
        if error:
            # Even if nothing of the answer is kept: no later one is about this error.
            session.note_answered()
        if not kept.project:
            return
        project = self._project()
        if project is None or project.remembered:
            note = f"(after the error: {error})" if error and "solution" in kept.kinds else ""
            scope = self._scopes(project)[0][0]
            self._keep(kept.project, scope, "assistant", kept.kinds, note)

    def _failed(self) -> None:
        """Note an error of a tool, for what solves it to be found by it."""
        lines = [line.strip() for line in self._event.said.splitlines() if line.strip()]
        if lines and self._call.scope.key is None:  # beside an encrypted store nothing is in clear
            told = _begun_with(_most_telling(lines), _LONGEST_LINE)
            self._session().note_failed(_without_secrets(told)[:_LONGEST_ERROR])

    def _compact(self) -> None:
        """Note that the window is about to be compacted; the kept turns are stored already."""
        self._session().note_wiped()

    def _end(self) -> None:
        """Forget the session, and have what it brought consolidated while nobody waits."""
        self._session().end()
        project = self._project()
        if self._call.sleeps and (project is None or project.remembered):
            from hippocampus.cli.background_sleep import sleep_soon  # noqa: PLC0415 - at the end

            for scope, _ in self._scopes(project):
                if scope.store == self._call.scope.store:  # a team's has somebody else to see to it
                    process = sleep_soon(scope)
                    if process is not None:
                        process.returncode = 0  # nobody waits for it, nor is to be warned of it

    # ------------------------------------------------------------ parts

    def _session(self) -> AgentSession:
        from hippocampus.cli.agent_session import AgentSession  # noqa: PLC0415 - only for a session

        return AgentSession(self._call.scope.path, self._event.session)

    def _project(self) -> Project | None:
        """Return the project in which the session is, if its memories go by projects."""
        if self._call.chosen or not self._event.folder:
            return None
        from hippocampus.cli.project import find_project  # noqa: PLC0415 - where none is chosen

        return find_project(self._event.folder, note=True)

    def _scopes(self, project: Project | None) -> list[tuple[BankScope, str]]:
        """Return the banks that are asked, the project's before the user's, each with its label."""
        own = self._call.scope
        if project is None:
            return [(own, "")]
        theirs = replace(own, bank=project.shared_bank)
        if project.shared_store:
            # The user's keys are for the user's store.
            theirs = replace(theirs, store=project.shared_store, key=None, vault=None)
        name = project.shared_bank.partition(":")[2]
        return [(theirs, f"Remembered of this project ({name}):"), (own, "Remembered of the user:")]

    def _keep(
        self, text: str, scope: BankScope, role: str, kinds: Iterable[str], note: str = ""
    ) -> None:
        """Keep the lines of a text that may be kept, and a note to them."""
        if scope.secrets == "keep":  # nobody wants those of a terminal
            from hippocampus.language.secrets import lines_as_kept  # noqa: PLC0415 - it is kept

            text = "\n".join(now for _, now in lines_as_kept(text) if now)
        if not text:
            return
        event = self._event
        metadata = {"kinds": list(kinds)} | _known_by(event.said, role)
        with _opened(scope, embed=True) as bank:
            bank.remember(
                f"{text}\n{note}".rstrip(), at=self._call.at, role=role,
                session=event.session or None, metadata=metadata,
            )  # fmt: skip

    def _print(self, text: str) -> None:
        kind = self._event.kind
        print(shown_as(kind.form if kind else "text", self._event.name, text))

    def _warn(self, project: Project | None, failed: Sequence[HippocampusError]) -> None:
        """Tell, once, the errors beside the work done, and the settings that were not followed."""
        if failed:
            raise failed[0]
        if project is None:
            return
        told = [project.warning] if project.warning else []
        if project.asks and not project.allowed:
            wants = ", ".join(f"{name} {value!r:.80}" for name, value in project.asks.items())
            told.append(
                f"{project.folder}: its settings ask for {wants}; until 'hippocampus project"
                f" --allow' it is remembered in {project.bank!r} of your own store"
            )
        if project.claims:
            told.append(project.claim_told())
        if told:
            raise InputError("; ".join(told))


@contextmanager
def _opened(scope: BankScope, *, embed: bool) -> Iterator[Bank]:
    """Open a bank for as long as it is used: of a store, or of a team's server."""
    url = scope.store or ""
    if not url.startswith(_SERVERS):
        # Whoever waits for a prompt waits no longer than this for another who writes.
        with scope.open_bank(create=True, embed=embed, patience_s=_SERVER_S) as bank:
            yield bank
        return
    from hippocampus.client import Client  # noqa: PLC0415 - only of a team's server

    with Client(url, key=_key_of(url), timeout_s=_SERVER_S, attempts=1) as client:
        yield client.bank(scope.bank)


def _key_of(url: str) -> str | None:
    """Return the key for a server: the password that ~/.netrc has for that host and no other."""
    from netrc import NetrcParseError, netrc  # noqa: PLC0415 - only of a team's server
    from urllib.parse import urlsplit  # noqa: PLC0415 - likewise

    try:
        found = netrc().hosts.get(urlsplit(url).hostname or "")  # not its default, which is for all
    except (OSError, NetrcParseError):
        return None
    return found[2] if found else None


@contextmanager
def _passing_over(failed: list[HippocampusError]) -> Iterator[None]:
    """Go on where a bank cannot be asked, and note why; one that is not there yet has nothing."""
    try:
        yield
    except UnknownBank:
        return
    except HippocampusError as exc:
        failed.append(exc)


def _context(bank: Bank, prompt: str, budget: int, known: set[str]) -> Context | None:
    """Return the memories on a prompt that the window lacks; None if there are none."""
    from hippocampus.cli.prompt_memories import (  # noqa: PLC0415 - only for a prompt
        floor_of,
        floor_of_names,
        names_in,
    )

    without = [] if not known else _texts(bank, known)

    def compose(asked: str, least: float | None = None) -> Context:
        # The session began with the profile, so the window has it.
        return bank.context(
            asked, budget, persona="", projects="", summary="", without=without, min_score=least
        )

    made = compose(prompt)
    floor = floor_of(prompt, made, known)
    if floor is None and (names := [one for one in names_in(prompt) if bank.find(one, limit=1)]):
        # What a prompt wants done says little of what a library in it was chosen for.
        prompt = " ".join(names)
        made = compose(prompt)
        floor = floor_of_names(names, made, known)
    if floor is None:
        return None
    return made if all(hit.score >= floor for hit in made.items) else compose(prompt, floor)


def _texts(bank: Bank, ids: Iterable[str]) -> list[str]:
    """Return the texts of those memories that are in a bank."""
    found = []
    for id_ in ids:
        with suppress(UnknownEpisode):
            found.append(bank.get(id_).text)
    return found


def _lasting(bank: Bank, zone: tzinfo, budget: int, without: str) -> tuple[str, list[str]]:
    """Return the lasting memories of a project, quoted within a budget, and their ids."""
    from hippocampus.core.quotes import CLOSE, OPEN, line  # noqa: PLC0415 - at the beginning

    lasting = {"$or": [{"kinds": kind} for kind in _LASTING]}
    episodes = bank.episodes(limit=_LATEST, newest=True, where=lasting)
    lines: list[str] = []
    ids: list[str] = []
    for episode in episodes:
        if without and episode.session == without:  # which is told more of
            continue
        said = line(episode, zone)
        if _tokens("\n".join([OPEN, said, *lines, CLOSE])) > budget:
            break
        lines.insert(0, said)
        ids.append(episode.id)
    return ("\n".join([OPEN, *lines, CLOSE]) if lines else ""), ids


def _labelled(label: str, text: str) -> str:
    return f"{label}\n{text}" if label else text


def _tokens(text: str) -> int:
    from hippocampus.encode.tokens import count  # noqa: PLC0415 - brings NumPy

    return count(text)


def _begun_with(line: str, longest: int) -> str:
    """Return the beginning of a line, without the word that would be cut: it may be a secret."""
    return line if len(line) <= longest else line[:longest].rpartition(" ")[0]


def _ends(prompt: str) -> str:
    """Return the beginning and the end of a long prompt, and a short one whole."""
    half = _LONGEST_ASKED // 2
    return prompt if len(prompt) <= _LONGEST_ASKED else f"{prompt[:half]}\n{prompt[-half:]}"


def _is_chatter(text: str) -> bool:
    """Return whether a text says nothing to look for, or to keep."""
    from hippocampus.language.chatter import is_chatter  # noqa: PLC0415 - brings NumPy

    return not text or is_chatter(text)


def _known_by(message: str, role: str) -> dict[str, str]:
    """Return by what an import of the session's log knows a message; of a secret there is none."""
    from hippocampus.language.secrets import SecretFinder  # noqa: PLC0415 - only for what is kept
    from hippocampus.language.session_words import (  # noqa: PLC0415 - likewise
        marked_words,
        message_mark,
    )

    # Of the words that the mark is of alone: a message may be a whole log that was pasted.
    secret = SecretFinder().find(marked_words(message, role))
    mark = "" if secret else message_mark(message, role)
    return {"message": mark} if mark else {}


def _without_secrets(text: str) -> str:
    from hippocampus.language.secrets import SecretFinder  # noqa: PLC0415 - only for what is kept

    return SecretFinder().redact(text)


def _most_telling(lines: Sequence[str]) -> str:
    """Return the line of an error that names it: the last that looks like one, or the first."""
    named = [line for line in lines if "error" in line.casefold() or "exception" in line.casefold()]
    return (named or list(lines[:1]))[-1]
