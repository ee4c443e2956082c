"""The quickest way to feel it: talk, and see what is remembered of it and what comes to mind."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import sys
from collections.abc import Callable, Iterator
from io import TextIOWrapper
from typing import TYPE_CHECKING, Final, Self

from rich.cells import cell_len
from rich.text import Text

from hippocampus.cli.command import verb
from hippocampus.cli.options import DEFAULT_BANK, BankScope
from hippocampus.cli.render import (
    clean,
    complain,
    one_line,
    progress,
    recall_view,
    stderr,
    stdout,
    table,
)
from hippocampus.core.store_address import without_password
from hippocampus.core.system import edit_lines
from hippocampus.errors import HippocampusError, InputError

if TYPE_CHECKING:
    from rich.console import Console

    from hippocampus.bank import Bank
    from hippocampus.core.records import Context
    from hippocampus.llm.client import LanguageModel
    from hippocampus.memory import Memory

_SYSTEM: Final = (
    "You are a helpful assistant with a long-term memory of what this user and you have said"
    " before. Use what bears on what they say now."
)
_WORD_ENDS: Final = re.compile(r"(?<=\s)(?=\S)|(?<=\n)")
_SHOWN: Final = 8
"""Memories that /why explains, the best. Chosen by hand."""


@verb("chat", opens=None)
def chat(
    *,
    model: str = "none",
    no_model: bool = False,
    system: str | None = None,
    budget_tokens: int = 2000,
    recent: int = 6,
    scope: BankScope,
) -> None:
    """Talk with a model that remembers, or see what it would be told."""
    spec = "none" if no_model else model
    with scope.open(create=True, embed=True, model=spec) as memory:
        talk = ChatSession(memory, scope, system=system, budget_tokens=budget_tokens, recent=recent)
        talk.greet(spec)
        for line in lines():
            try:
                going = talk.hear(line)
            except HippocampusError as exc:  # of one turn; the conversation goes on
                complain(str(exc))
                continue
            except KeyboardInterrupt:
                stderr().print("interrupted", style="yellow")
                continue
            if not going:
                break


class ChatSession:
    """A conversation with a bank, and with a model if there is one."""

    def __init__(
        self,
        memory: Memory,
        scope: BankScope,
        *,
        system: str | None,
        budget_tokens: int,
        recent: int,
    ) -> None:
        from hippocampus.llm.client import LanguageModel  # noqa: PLC0415 - brings NumPy

        self._memory = memory
        self._scope = scope
        self._model = (
            memory.engine.model if isinstance(memory.engine.model, LanguageModel) else None
        )
        self._system = (_SYSTEM if self._model else "") if system is None else system
        self._budget_tokens = budget_tokens
        self._recent = recent
        self._out = stdout()
        self._commands: dict[str, tuple[str, str, Callable[[list[str]], bool | None]]] = {
            "why": ("", "why each memory came to mind, by cue", self._why),
            "context": ("", "what the model was told", self._context),
            "forget": ("N …", "forget memories, by their number in /why", self._forget),
            "pin": ("N …", "keep memories from fading", self._pin),
            "bank": ("[NAME]", "talk to another bank, or list them", self._banks),
            "sleep": ("", "let the bank sleep on it", self._sleep),
            "help": ("", "this list", self._help),
            "quit": ("", "end it, as Ctrl-D does", lambda _: True),
        }
        self._begin(scope.bank)

    def _begin(self, name: str) -> None:
        self._bank: Bank = self._memory.bank(name)
        self._session = f"chat-{self._memory.now():%Y-%m-%d}-{secrets.token_hex(3)}"
        self._made: Context | None = None

    def greet(self, spec: str) -> None:
        """Print the greeting: the model, the bank and its size."""
        who = one_line(spec.partition(":")[2]) if self._model else "no model; you see the context"
        stderr().print(
            Text.assemble(
                (f"bank {clean(self._bank.name)!r}", "bold"),
                f" of {clean(self._scope.path)}, {self._size()}; {who}; /help lists commands",
            ),
            soft_wrap=True,
        )

    def _size(self) -> str:
        if self._bank.name not in self._memory.banks():
            return "new"
        return _memories(self._bank.stats().episodes)

    def hear(self, line: str) -> bool:
        """Take one line, a command or something said; return whether to go on."""
        said = line.strip()
        if not said:
            return True
        if not said.startswith("/"):
            self._say(said)
            return True
        name, *rest = _words(said[1:])
        if name not in self._commands:
            msg = f"/{name}: no such command; /help lists them"
            raise InputError(msg)
        return not self._commands[name][2](rest)

    # ------------------------------------------------------------ talking

    def _say(self, said: str) -> None:
        made = self._bank.context(
            said, self._budget_tokens, system=self._system, recent=self._recent
        )
        self._made = made
        self._bank.remember(said, role="user", session=self._session)  # after it was asked about
        self._note(made)
        if self._model is None:
            self._show(made)
            return
        from hippocampus.proxy.protocol import heard  # noqa: PLC0415 - only with a model

        # What a model thinks aloud beforehand is said to nobody.
        answer = heard(self._answer(self._model, said, made.text))
        if answer.strip():
            self._bank.remember(answer, role="assistant", session=self._session)

    def _answer(self, model: LanguageModel, said: str, system: str) -> str:
        """Return the model's answer, printed: to a terminal word by word, as it comes."""
        if not self._out.is_terminal:
            answer = model.complete(said, system=system, kind="chat").text
            if answer.strip():
                self._tell(answer.strip())
            return answer
        with _Flow(self._out) as flow:
            return model.complete(said, system=system, kind="chat", say=flow.say).text

    def _show(self, made: Context) -> None:
        if made.text:
            self._tell(made.text)

    def _tell(self, text: str) -> None:
        """Print a text: a pipe gets its lines as they are, a terminal no word broken in two."""
        self._out.print(clean(text), soft_wrap=not self._out.is_terminal)

    def _note(self, made: Context) -> None:
        """Print in a line which memories came to mind."""
        beyond = " beyond the last turns" if made.recall.hits and not made.items else ""
        parts = [
            f"{_memories(len(made.items))}{beyond} came to mind",
            f"{made.tokens:,} of {made.budget_tokens:,} tokens",
            f"{made.recall.cost.elapsed_s * 1e3:.0f} ms",
            *(f"without the {one_line(str(part))}" for part in made.recall.degraded),
        ]
        stderr().print(" · ".join(parts), style="dim", soft_wrap=True)

    # ------------------------------------------------------------ commands

    def _last(self) -> Context:
        if self._made is None:
            msg = "nothing was said to this bank yet; say something first"
            raise InputError(msg)
        return self._made

    def _named(self, numbers: list[str]) -> list[str]:
        """Return the ids of memories by their numbers in /why."""
        hits = self._last().recall.hits[:_SHOWN]
        picked = [int(n) for n in numbers if n.isdecimal() and 1 <= int(n) <= len(hits)]
        if not numbers or len(picked) < len(numbers):
            some = f"from 1 to {len(hits)}" if hits else "of which there are none now"
            msg = f"{' '.join(numbers) or 'nothing'!r}: give numbers as /why shows them, {some}"
            raise InputError(msg)
        return [hits[n - 1].id for n in picked]

    def _why(self, _: list[str]) -> None:
        found = self._last().recall
        for part in recall_view(found, self._scope.zone, most=_SHOWN, numbers=True):
            self._out.print(part)

    def _context(self, _: list[str]) -> None:
        self._show(self._last())

    def _forget(self, numbers: list[str]) -> None:
        ids = self._named(numbers)
        changed = self._bank.forget(ids)
        undo = shlex.join(["hippocampus", "forget", "--undo", *ids, *self._whereabouts()])
        # Not broken into lines, of which a shell would make two commands.
        self._out.print(f"{changed:,} forgotten; to undo: {clean(undo)}", soft_wrap=True)

    def _whereabouts(self) -> list[str]:
        """Return the options by which another command finds this bank, in any terminal."""
        store, bank = self._scope.store, self._bank.name
        found = [] if store is None else ["--store", without_password(store)]
        usual = {DEFAULT_BANK, os.environ.get("HIPPOCAMPUS_BANK") or DEFAULT_BANK}
        return found if usual == {bank} else [*found, "--bank", bank]

    def _pin(self, numbers: list[str]) -> None:
        self._out.print(f"{self._bank.pin(self._named(numbers)):,} pinned")

    def _banks(self, name: list[str]) -> None:
        if name:
            self._begin(" ".join(name))
            self._out.print(f"bank {clean(self._bank.name)!r}, {self._size()}")
            return
        for known in sorted({*self._memory.banks(), self._bank.name}):
            self._out.print(f"{'*' if known == self._bank.name else ' '} {clean(known)}")

    def _sleep(self, _: list[str]) -> None:
        with progress("sleeping") as told:
            slept = self._bank.sleep(progress=told)
        self._tell(str(slept))

    def _help(self, _: list[str]) -> None:
        rows = [
            (Text(f"/{name} {takes}", "cyan"), does)
            for name, (takes, does, _) in self._commands.items()
        ]
        self._out.print(table(rows))


class _Flow:
    """Prints a text as it comes, no word broken in two; before that, that it is waited for."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._waiting = out.status("…")
        self._word = ""
        self._begun = False
        self._at = 0
        """How far the line is."""

    def __enter__(self) -> Self:
        self._waiting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting.stop()
        self._put(self._word.rstrip())
        if self._at:
            self._out.print()

    def say(self, piece: str) -> None:
        """Print the words of a piece that are whole: all but the last, which may go on."""
        text = self._word + clean(piece)
        *words, self._word = _WORD_ENDS.split(text if self._begun else text.lstrip())
        for word in words:
            self._put(word)

    def _put(self, word: str) -> None:
        if not word:
            return
        self._waiting.stop()
        self._begun = True
        wide = cell_len(word.rstrip())
        if self._at and self._at + wide > self._out.width:
            self._out.print()
            self._at = 0
        self._out.print(word, end="", soft_wrap=True)
        self._at = 0 if word.endswith("\n") else self._at + cell_len(word)


def lines() -> Iterator[str]:
    """Yield lines as they are typed, with a history to go back in; or as they are piped in."""
    if not sys.stdin.isatty():
        if isinstance(sys.stdin, TextIOWrapper):  # what is no UTF-8 is shown as that
            sys.stdin.reconfigure(encoding="utf-8", errors="replace")
        yield from sys.stdin
        return
    edit_lines()  # with a history, of this talk alone
    colour = stdout().color_system is not None
    # What stands between \1 and \2 takes no room, which readline has to know.
    prompt = "\1\x1b[1;36m\2you>\1\x1b[0m\2 " if colour else "you> "
    while True:
        try:
            yield input(prompt)
        except EOFError:
            print()
            return
        except KeyboardInterrupt:
            print("\nCtrl-D ends it")


def _memories(count: int) -> str:
    return f"{count:,} {'memory' if count == 1 else 'memories'}" if count else "nothing"


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text) or [""]  # of a bare slash
    except ValueError:  # an open quote
        return text.split() or [""]
