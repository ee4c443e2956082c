"""
The programs that a memory can be connected to: which files of theirs say so, and how.

One table, ``CLIENTS``. A client has one or more files; a file has a format and the entries that go
into it. Paths were taken from each program's documentation or source.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from hippocampus.connect.entries import ConfigEntry, Format, KeyPath
from hippocampus.connect.invocation import Invocation
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.errors import InputError

NAME: Final = "hippocampus"
"""Name of the server in a client's configuration."""


@immutable(kw_only=False)
class Places:
    """Places of programs' files: of this machine and user, or of those one asks about."""

    home: Path = field(default_factory=Path.home)
    system: str = sys.platform
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    project: Path = field(default_factory=Path.cwd)
    """The folder of the project whose own files are meant."""

    def under(self, variable: str, *otherwise: str) -> Path:
        """Return the folder that a variable names, or one in the home folder."""
        given = self.env.get(variable)
        return Path(given) if given else self.home.joinpath(*otherwise)

    @property
    def applications(self) -> Path:
        """Return the folder in which applications with windows keep their settings."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        if self.system == "win32":
            return self.under("APPDATA", "AppData", "Roaming")
        return self.under("XDG_CONFIG_HOME", ".config")


@immutable
class Calls:
    """Command and arguments by which a client calls us."""

    server: Invocation
    """The MCP server, on stdin and stdout."""
    hook: Invocation
    """Command that answers the events of hooks."""
    in_project: Invocation | None = None
    """The server for who is started in a project's folder; None if a bank was named."""


_IN_PROJECT: Final = Invocation(NAME, ("mcp", "--project"))
PROJECT_CALLS: Final = Calls(
    server=_IN_PROJECT, hook=Invocation(NAME, ("hook",)), in_project=_IN_PROJECT
)
"""Calls for a file that is committed: by a name, on whatever machine, and its own store."""

Entries: TypeAlias = Callable[[Calls], Sequence[ConfigEntry]]


def _no_entries(_: Calls) -> Sequence[ConfigEntry]:
    return ()


@immutable
class ConfigFile:
    """A file of a client, and what goes into it."""

    at: Callable[[Places], Path]
    format: Format = "json"
    entries: Entries = _no_entries
    """The MCP server."""
    hooks: Entries = _no_entries
    instead: Mapping[KeyPath, KeyPath] = field(default_factory=dict)
    """Paths to put an entry at in place of others, in a file that has such a container already."""


@immutable
class ClientProgram:
    """A program that speaks MCP, or calls hooks."""

    name: str
    title: str
    programs: Sequence[str] = ()
    """Commands of which one is there where the program is."""
    folder: Callable[[Places], Path]
    """A folder that is there where the program is."""
    files: Sequence[ConfigFile]
    project_files: Sequence[ConfigFile] = ()
    """Those of a project, which whoever works on it reads, too."""
    then: str = "Restart it."
    """Step to take for it to notice."""


Spelling: TypeAlias = Callable[[Invocation], dict[str, Any]]


def _plain(call: Invocation) -> dict[str, Any]:
    return {"command": call.command, "args": list(call.args)}


def _typed(call: Invocation) -> dict[str, Any]:
    return {"type": "stdio", **_plain(call)}


def _in_one_list(call: Invocation) -> dict[str, Any]:
    return {"type": "local", "command": [call.command, *call.args], "enabled": True}


def _server(*path: str, spelled: Spelling = _plain, alone: bool = False) -> Entries:
    """Return the entry of the server; who is ``alone`` knows of no project."""

    def entries(calls: Calls) -> Sequence[ConfigEntry]:
        call = calls.server if alone or calls.in_project is None else calls.in_project
        return [ConfigEntry((*path, NAME), spelled(call))]

    return entries


class Hook(NamedTuple):
    """An event of a client at which it calls us, and how."""

    event: str
    timeout_s: int
    args: tuple[str, ...] = ()
    """More arguments of ``hippocampus hook``."""
    matcher: str = ""


Shape: TypeAlias = Callable[[Hook, Invocation], dict[str, Any]]


def _hooks(agent: str, hooks: Sequence[Hook], shape: Shape) -> Entries:
    """Return the entries of hooks, each in the shape that a client has them in."""

    def entries(calls: Calls) -> Sequence[ConfigEntry]:
        return [
            ConfigEntry(
                ("hooks", hook.event),
                shape(hook, calls.hook.with_args("--agent", agent, *hook.args)),
                appends=True,
            )
            for hook in hooks
        ]

    return entries


def _grouped(hook: Hook, call: Invocation) -> dict[str, Any]:
    """Return a hook as Claude Code and Codex have it."""
    one = {"type": "command", "command": call.as_line(), "timeout": hook.timeout_s}
    matcher = {"matcher": hook.matcher} if hook.matcher else {}
    return matcher | {"hooks": [one]}


def _grouped_in_ms(hook: Hook, call: Invocation) -> dict[str, Any]:
    """Return a hook as Gemini CLI has it: named, and patient for milliseconds."""
    made = _grouped(hook, call)
    made["hooks"][0] |= {"name": NAME, "timeout": hook.timeout_s * 1000}
    return made


def _flat(_: Hook, call: Invocation) -> dict[str, Any]:
    """Return a hook as Cursor has it."""
    return {"command": call.as_line()}


def _cursor_hooks(calls: Calls) -> Sequence[ConfigEntry]:
    return [ConfigEntry(("version",), 1), *_hooks("cursor", _CURSOR, _flat)(calls)]


def _claude_desktop(places: Places) -> Path:
    """Return its folder; on Windows an installation from a package sees another one."""
    if places.system == "win32":
        packages = places.under("LOCALAPPDATA", "AppData", "Local") / "Packages"
        for folder in sorted(packages.glob("Claude_*/LocalCache/Roaming/Claude")):
            return folder
    return places.applications / "Claude"


def _claude_code(places: Places) -> Path:
    return places.under("CLAUDE_CONFIG_DIR", ".claude")


def _claude_json(places: Places) -> Path:
    # Beside the folder .claude and not in it, unless the variable has moved both.
    return places.under("CLAUDE_CONFIG_DIR") / ".claude.json"


def _codex(places: Places) -> Path:
    return places.under("CODEX_HOME", ".codex")


def _opencode(places: Places) -> Path:
    return places.under("XDG_CONFIG_HOME", ".config") / "opencode"


def _opencode_json(places: Places) -> Path:
    return _opencode_in(_opencode(places))


def _opencode_in(folder: Path) -> Path:
    with_comments = folder / "opencode.jsonc"
    return with_comments if with_comments.exists() else folder / "opencode.json"


_BRIEF: Final = ("--budget", "1200")
# Seconds after which a client goes on without us: most where memories are read for a session, or
# what was said is written down. Chosen by hand.
_CLAUDE_CODE: Final = (
    Hook("SessionStart", 15),
    Hook("UserPromptSubmit", 10, _BRIEF),
    Hook("PostToolUseFailure", 5, matcher="Bash"),
    Hook("PreCompact", 5),
    Hook("Stop", 15),
    Hook("SessionEnd", 5),
)
_CODEX: Final = (
    Hook("SessionStart", 15, matcher="startup|resume|clear|compact"),
    Hook("UserPromptSubmit", 10, _BRIEF),
    Hook("PreCompact", 5),
    Hook("Stop", 15),
)
_GEMINI: Final = (
    Hook("SessionStart", 15),
    Hook("BeforeAgent", 10, _BRIEF),
    Hook("AfterTool", 5, matcher="run_shell_command"),
    Hook("AfterAgent", 15),
    Hook("PreCompress", 5),
    Hook("SessionEnd", 5),
)
_CURSOR: Final = (
    Hook("sessionStart", 15),
    Hook("beforeSubmitPrompt", 10),  # without a budget: it takes no words back here
    Hook("afterAgentResponse", 15),
    Hook("postToolUseFailure", 5),
    Hook("preCompact", 5),
    Hook("sessionEnd", 5),
)

CLIENTS: Final[Sequence[ClientProgram]] = (
    ClientProgram(
        name="claude-code",
        title="Claude Code",
        programs=("claude",),
        folder=_claude_code,
        files=(
            ConfigFile(at=_claude_json, entries=_server("mcpServers", spelled=_typed)),
            ConfigFile(
                at=lambda places: _claude_code(places) / "settings.json",
                hooks=_hooks("claude-code", _CLAUDE_CODE, _grouped),
            ),
        ),
        project_files=(
            ConfigFile(
                at=lambda places: places.project / ".mcp.json",
                entries=_server("mcpServers", spelled=_typed),
            ),
        ),
        then="Begin a new session.",
    ),
    ClientProgram(
        name="claude-desktop",
        title="Claude Desktop",
        folder=_claude_desktop,
        files=(
            ConfigFile(
                at=lambda places: _claude_desktop(places) / "claude_desktop_config.json",
                entries=_server("mcpServers", alone=True),
            ),
        ),
        then="Quit it and open it again.",
    ),
    ClientProgram(
        name="cursor",
        title="Cursor",
        programs=("cursor", "cursor-agent"),
        folder=lambda places: places.home / ".cursor",
        files=(
            ConfigFile(
                at=lambda places: places.home / ".cursor" / "mcp.json",
                entries=_server("mcpServers", spelled=_typed),
            ),
            ConfigFile(
                at=lambda places: places.home / ".cursor" / "hooks.json", hooks=_cursor_hooks
            ),
        ),
        project_files=(
            ConfigFile(
                at=lambda places: places.project / ".cursor" / "mcp.json",
                entries=_server("mcpServers", spelled=_typed),
            ),
        ),
    ),
    ClientProgram(
        name="vscode",
        title="VS Code",
        programs=("code",),
        folder=lambda places: places.applications / "Code",
        files=(
            ConfigFile(
                at=lambda places: places.applications / "Code" / "User" / "mcp.json",
                entries=_server("servers", spelled=_typed),
            ),
        ),
        project_files=(
            ConfigFile(
                at=lambda places: places.project / ".vscode" / "mcp.json",
                entries=_server("servers", spelled=_typed),
            ),
        ),
        then="Start the server in the chat's list of tools; VS Code asks once whether to trust it.",
    ),
    ClientProgram(
        name="codex",
        title="Codex",
        programs=("codex",),
        folder=_codex,
        files=(
            ConfigFile(
                at=lambda places: _codex(places) / "config.toml",
                format="toml",
                entries=_server("mcp_servers"),
            ),
            ConfigFile(
                at=lambda places: _codex(places) / "hooks.json",
                hooks=_hooks("codex", _CODEX, _grouped),
            ),
        ),
        project_files=(
            ConfigFile(
                at=lambda places: places.project / ".codex" / "config.toml",
                format="toml",
                entries=_server("mcp_servers"),
            ),
        ),
        then="Begin a new session; Codex asks once whether to trust the hooks.",
    ),
    ClientProgram(
        name="gemini",
        title="Gemini CLI",
        programs=("gemini",),
        folder=lambda places: places.home / ".gemini",
        files=(
            ConfigFile(
                at=lambda places: places.home / ".gemini" / "settings.json",
                entries=_server("mcpServers"),
                hooks=_hooks("gemini", _GEMINI, _grouped_in_ms),
            ),
        ),
        project_files=(
            ConfigFile(
                at=lambda places: places.project / ".gemini" / "settings.json",
                entries=_server("mcpServers"),
            ),
        ),
        then="Begin a new session.",
    ),
    ClientProgram(
        name="opencode",
        title="opencode",
        programs=("opencode",),
        folder=_opencode,
        files=(
            ConfigFile(
                at=_opencode_json,
                entries=_server("mcp", spelled=_in_one_list),
                instead={("mcp", NAME): ("mcp", "servers", NAME)},
            ),
        ),
        project_files=(
            ConfigFile(
                at=lambda places: _opencode_in(places.project),
                entries=_server("mcp", spelled=_in_one_list),
                instead={("mcp", NAME): ("mcp", "servers", NAME)},
            ),
        ),
    ),
    ClientProgram(
        name="windsurf",
        title="Windsurf",
        programs=("windsurf",),
        folder=lambda places: places.home / ".codeium" / "windsurf",
        files=(
            ConfigFile(
                at=lambda places: places.home / ".codeium" / "windsurf" / "mcp_config.json",
                entries=_server("mcpServers", alone=True),
            ),
        ),
    ),
)


def client_named(name: str) -> ClientProgram:
    """
    Return a client by its name.

    Raises:
        InputError: there is none of that name.

    """
    for client in CLIENTS:
        if client.name == name:
            return client
    raise InputError(f"client={name!r}: must be one of {', '.join(one.name for one in CLIENTS)}")


def detected(places: Places, clients: Iterable[ClientProgram] = CLIENTS) -> list[ClientProgram]:
    """Return the clients that are on this machine, as far as one can see."""
    path = places.env.get("PATH", "")
    return [
        client
        for client in clients
        if client.folder(places).is_dir()
        or any(shutil.which(program, path=path) for program in client.programs)
    ]
