"""Commands by which other programs start this one: by paths that outlast this shell."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final, NamedTuple

from hippocampus.errors import DISTRIBUTION, VERSION, InputError

_NAMES = ("hippocampus.exe", "hippocampus")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_./:-][A-Za-z0-9_./:~-]*")
_EXPANDED: Final = re.compile(r"[$`\"%\x00-\x1f\u201c-\u201e]")
"""Characters that double quotes expand: curly ones end a text in PowerShell."""
_CACHE_TAG = "CACHEDIR.TAG"


class Invocation(NamedTuple):
    """A command and its first arguments."""

    command: str
    args: tuple[str, ...] = ()

    def with_args(self, *args: str) -> Invocation:
        """Return it with more arguments."""
        return Invocation(self.command, (*self.args, *args))

    def as_line(self, *, windows: bool = os.name == "nt") -> str:
        """
        Return it as a line for a shell; on Windows one that all shells there read alike.

        Raises:
            InputError: a word has what one of the shells of Windows would take for its own.

        """
        words = [self.command, *self.args]
        return " ".join(map(_windows_word, words)) if windows else shlex.join(words)


def _windows_word(word: str) -> str:
    """Return a word as bash, cmd and PowerShell read it alike, in double quotes if it needs any."""
    word = word.replace("\\", "/")
    if odd := _EXPANDED.search(word):
        raise InputError(
            f"{word!r}: has {odd[0]!r}, which a shell of Windows would read as its own; name a"
            " store and a bank without it, or install this program in another folder"
        )
    return word if _PLAIN.fullmatch(word) else f'"{word}"'


def find_invocation(
    scripts: Sequence[Path] | None = None, prefix: Path | None = None
) -> Invocation:
    """
    Return the command that starts this installation from anywhere.

    That is its own script, by an absolute path: of a virtual environment, of pipx or of uv's tools,
    all of which stay in their place when they are upgraded. What uvx or pipx run for once is in a
    cache that may be emptied, and is asked for anew.

    Args:
        scripts: where its script may be; those of this Python otherwise.
        prefix: what it is installed in; this Python's otherwise.

    Raises:
        InputError: it is in a place that will not last, and nothing could get it again.

    """
    prefix = Path(sys.prefix) if prefix is None else prefix
    if _is_passing(prefix):
        return _asked_for_anew(prefix)
    for folder in _scripts() if scripts is None else scripts:
        for name in _NAMES:
            if (folder / name).is_file():
                # Not resolved: the link stays where it is when what it leads to is upgraded.
                return Invocation(str((folder / name).absolute()))
    return Invocation(str(Path(sys.executable).absolute()), ("-m", "hippocampus"))


def _scripts() -> list[Path]:
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    return [Path(sysconfig.get_path("scripts", scheme)) for scheme in schemes]


def _is_passing(prefix: Path) -> bool:
    """Return whether an installation is in a cache, as those of uvx and of ``pipx run`` are."""
    real = prefix.resolve()
    return ".cache" in real.parts or any((one / _CACHE_TAG).is_file() for one in real.parents)


def _asked_for_anew(prefix: Path) -> Invocation:
    uvx = shutil.which("uvx")
    if uvx is None:
        raise InputError(
            f"{prefix}: is in a cache, which may be emptied; install it to stay, as by"
            f" 'pipx install {DISTRIBUTION}' or 'uv tool install {DISTRIBUTION}'"
        )
    return Invocation(str(Path(uvx).absolute()), ("--from", _requirement(), "hippocampus"))


def _requirement() -> str:
    """Return the requirement that names this very distribution, with what the server needs."""
    named = f"{DISTRIBUTION}[mcp]"
    try:
        told = distribution(DISTRIBUTION).read_text("direct_url.json")
    except PackageNotFoundError:
        told = None
    url = json.loads(told).get("url") if told else None
    # What was installed from a file or a repository may not be on the index, or not the same.
    return f"{named} @ {url}" if isinstance(url, str) else f"{named}=={VERSION}"
