"""Folders in which coding agents keep sessions: in a user's home, and in a project."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias


class Around(NamedTuple):
    """Surroundings of a user's files: the home, the project, the environment, the system."""

    home: Path
    here: Path
    environment: Mapping[str, str]
    system: str = sys.platform

    def folder(self, variable: str, *otherwise: str) -> Path:
        """Return the folder that a variable names, or else one in the home."""
        named = self.environment.get(variable)
        return Path(named) if named else self.home.joinpath(*otherwise)


class KeptIn(NamedTuple):
    """Files and folders in which a tool keeps its sessions, whether they are there or not."""

    home: Sequence[Path]
    """Places that are the user's."""
    project: Sequence[Path] = ()
    """Places that come with a project, whoever wrote it."""


_Places: TypeAlias = Callable[[Around], KeptIn]


def _claude_code(around: Around) -> KeptIn:
    config, here = around.folder("CLAUDE_CONFIG_DIR", ".claude"), around.here
    return KeptIn(
        [config / "projects", config / "history.jsonl", config / "CLAUDE.md", config / "rules"],
        [here / "CLAUDE.md", here / "CLAUDE.local.md", here / ".claude" / "CLAUDE.md",
         here / ".claude" / "rules"],
    )  # fmt: skip


def _codex(around: Around) -> KeptIn:
    home = around.folder("CODEX_HOME", ".codex")
    return KeptIn(
        [home / "sessions", home / "archived_sessions", home / "history.jsonl", home / "AGENTS.md"],
        [around.here / "AGENTS.md"],
    )


def _gemini(around: Around) -> KeptIn:
    home = around.home / ".gemini"
    return KeptIn([home / "tmp", home / "GEMINI.md"], [around.here / "GEMINI.md"])


def _opencode(around: Around) -> KeptIn:
    data = around.folder("XDG_DATA_HOME", ".local", "share") / "opencode"
    config = around.folder("XDG_CONFIG_HOME", ".config") / "opencode"
    return KeptIn(
        [data / "opencode.db", data / "storage", config / "AGENTS.md"], [around.here / "AGENTS.md"]
    )


def _cursor(around: Around) -> KeptIn:
    if around.system == "darwin":
        data = around.home / "Library" / "Application Support"
    elif around.system == "win32":
        data = around.folder("APPDATA", "AppData", "Roaming")
    else:
        data = around.folder("XDG_CONFIG_HOME", ".config")
    return KeptIn(
        [data / "Cursor" / "User" / "globalStorage" / "state.vscdb"],
        [around.here / ".cursor" / "rules", around.here / "AGENTS.md"],
    )


def _aider(around: Around) -> KeptIn:
    return KeptIn([], [around.here / ".aider.chat.history.md"])


def _copilot(around: Around) -> KeptIn:
    return KeptIn([], [around.here / ".github" / "copilot-instructions.md"])


_WHERE: Final[Mapping[str, _Places]] = MappingProxyType({
    "claude-code": _claude_code, "codex": _codex, "gemini": _gemini, "opencode": _opencode,
    "cursor": _cursor, "aider": _aider, "agent-memory": _copilot,
})  # fmt: skip


def places_of(tool: str, around: Around) -> KeptIn:
    """Return the places where a tool keeps its sessions; in the home itself all is the user's."""
    kept = _WHERE[tool](around)
    if around.here.resolve() == around.home.resolve():
        return KeptIn(list(dict.fromkeys((*kept.home, *kept.project))))  # some are both
    return kept


def leads_out(place: Path, folder: Path) -> Path | None:
    """Return the real path of a place in a folder, if links lead out of the folder; else None."""
    real = place.resolve()
    return None if real.is_relative_to(folder.resolve()) else real
