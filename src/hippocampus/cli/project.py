"""
The project that a folder belongs to, and the bank that is the project's.

It is read off the git repository: all its worktrees share one bank, and so do clones of one remote,
wherever they lie. Without git it is the folder. A settings file that is committed may say less of
it is remembered, or into smaller banks; what it asks for beyond that waits for the user's consent,
which is for its very bytes, as a repository is whatever somebody else has written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from hippocampus.core.files import read_small
from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.store_address import is_url
from hippocampus.errors import InputError

SETTINGS: Final = ".hippocampus.toml"
"""The settings file, beside ``.git`` or in a folder without git."""
PREFIX: Final = "project:"
TEAM: Final = "team:"
"""What the names of projects' and teams' banks begin with; no settings file can name others."""
MANIFESTS: Final = (
    "pyproject.toml", "package.json", "Cargo.toml", "go.mod", "pom.xml", "build.gradle",
    "build.gradle.kts", "composer.json", "Gemfile", "mix.exs", "pubspec.yaml", "CMakeLists.txt",
)  # fmt: skip
"""Files that make a folder of a repository a package of its own."""

_LONGEST: Final = 120
"""Characters of a name; more are told apart by a hash."""
_LARGEST: Final = 1 << 16
"""Bytes of a settings file, or of git's; a larger one is none."""
_LOOPBACK: Final = lazy_pattern(r"http://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:/|$)")
_KEYS: Final = {"remember": bool, "packages": bool, "part": str, "team": str, "store": str}
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-/~")


class Project(NamedTuple):
    """A project, and where it is remembered."""

    folder: Path
    """Its topmost folder: of the worktree, where there is git."""
    bank: str
    """The bank that is its own."""
    told_by: str
    """What its name was read off: "remote", "repository" or "folder"."""
    remembered: bool = True
    """Whether it is remembered at all."""
    asks: Mapping[str, str] = {}
    """What its settings file asks for beyond that: ``team``, ``store``."""
    consent: Path | None = None
    """The file whose being there is the consent to that; None where it asks for nothing."""
    warning: str = ""
    """What is wrong with its settings file."""

    @property
    def allowed(self) -> bool:
        """Whether the user has consented to what it asks for."""
        return self.consent is not None and self.consent.exists()

    @property
    def shared_bank(self) -> str:
        """The bank in which it is remembered, given the consent there is."""
        team = self.asks.get("team") if self.allowed else None
        return f"{TEAM}{team}" if team else self.bank

    @property
    def shared_store(self) -> str | None:
        """The store in which that bank is, where it is another one than the user's."""
        return self.asks.get("store") if self.allowed else None

    @property
    def is_on_server(self) -> bool:
        """Whether that store is a server's, which is asked over HTTP."""
        return (self.shared_store or "").startswith(("http://", "https://"))


def find_project(folder: str | Path) -> Project | None:
    """Return the project of a folder; None for what is none, such as a home, or is not there."""
    start = Path(os.path.realpath(folder))
    try:
        is_none = not start.is_dir() or start in _no_projects()
    except OSError:  # no folder has such a name
        return None
    if is_none:
        return None
    top = next((one for one in _upwards(start) if (one / ".git").exists()), None)
    if top is None:
        top = next((one for one in _upwards(start) if (one / SETTINGS).is_file()), start)
        return _with_settings(top, start, f"{top.name}-{_hash(str(top))}", "folder")
    common = _common_folder(top)
    address = _remote(common)
    if address:
        return _with_settings(top, start, address, "remote")
    return _with_settings(top, start, _named(common), "repository")


def _no_projects() -> set[Path]:
    home = Path(os.path.realpath(Path.home()))
    return {home, *home.parents, Path(os.path.realpath(os.sep))}


def _upwards(start: Path) -> Iterator[Path]:
    """Yield a folder and those above it, up to where no project can begin."""
    ends = _no_projects()
    for one in (start, *start.parents):
        if one in ends:
            return
        yield one


# ---------------------------------------------------------------- git


def _common_folder(top: Path) -> Path:
    """Return the folder that all worktrees of a repository share."""
    own = top / ".git"
    if own.is_file():  # of a worktree, or of a submodule
        said = _read(own).strip()
        if said.startswith("gitdir:"):
            own = Path(os.path.realpath(top / said.removeprefix("gitdir:").strip()))
    shared = _read(own / "commondir").strip()
    return Path(os.path.realpath(own / shared)) if shared else Path(os.path.realpath(own))


def _remote(common: Path) -> str:
    """Return where a repository comes from, the same for every way to write it; "" if nowhere."""
    found: dict[str, str] = {}
    section = ""
    for line in map(str.strip, _read(common / "config").splitlines()):
        if line.startswith("["):
            section = line
        elif section.startswith("[remote ") and line.partition("=")[0].strip().lower() == "url":
            name = section.removeprefix("[remote ").strip('"] \t')
            found.setdefault(name, line.partition("=")[2].strip().strip('"'))
    address = found.get("origin") or (next(iter(found.values())) if len(found) == 1 else "")
    return normalised(address, common)


def normalised(address: str, common: Path = Path()) -> str:
    """
    Return a remote's address as it names a bank: no protocol, user, port, or ending.

    >>> normalised("git@GitHub.com:Ada/Shop.git"), normalised("https://ada:x@github.com/ada/shop/")
    ('github.com/ada/shop', 'github.com/ada/shop')
    """
    protocol, apart, rest = address.replace("\0", "").partition("://")
    if not apart:
        host, colon, path = protocol.partition(":")
        if not colon or "/" in host or len(host) == 1:  # a path, of Windows too
            return _local(protocol, common)
        rest = f"{host}/{path}"
    elif protocol.lower() == "file":
        return _local(rest, common)
    host, _, path = rest.partition("/")  # first: what comes after an "@" in the path is no host
    host = host.rpartition("@")[2].partition(":")[0]
    path = path.partition("?")[0].strip("/").lower().removesuffix(".git").strip("/")
    return _plain(f"{host.lower()}/{path}") if host and path else ""


def _local(path: str, common: Path) -> str:
    """Return the name of a repository on this machine, from which others were cloned."""
    if not path.strip("./\\ "):
        return ""
    place = Path(os.path.realpath(common.parent / path))
    with suppress(OSError):  # a name that is too long is nowhere
        place = _common_folder(place) if (place / ".git").exists() else place
    return _plain(_named(place).lower())


def _named(common: Path) -> str:
    """Return the name of a repository by where it is on this machine."""
    owner = common.parent if common.name == ".git" else common
    return f"{owner.name.removesuffix('.git')}-{_hash(str(common))}"


# ---------------------------------------------------------------- settings


def _with_settings(top: Path, start: Path, name: str, told_by: str) -> Project:
    bank = PREFIX + _plain(name.lower())
    project = Project(top, bank, told_by)
    path = top / SETTINGS
    text = _read(path)
    if not text:
        return project
    try:
        given = _settings(text)
    except InputError as exc:
        return project._replace(warning=f"{path}: {exc}; it is passed over")
    parts = [_plain(str(given["part"]).lower())] if given.get("part") else []
    if given.get("packages"):
        parts += _package(top, start)
    asks = {key: str(given[key]) for key in ("team", "store") if given.get(key)}
    others = ", ".join(f"{key!r:.60}" for key in given if key not in _KEYS)
    warning = f"{path}: {others}: no such setting; there are {', '.join(_KEYS)}" if others else ""
    if not is_url(asks.get("store", "://")):  # a file, from wherever in the project it is asked for
        asks["store"] = os.path.realpath(top / Path(asks["store"]).expanduser())
    return project._replace(
        bank="#".join([bank, *parts]),
        remembered=given.get("remember", True),
        asks=asks,
        consent=_consents() / _hash(f"{path}\0{text}", 16) if asks else None,
        warning=warning,
    )


def _settings(text: str) -> Mapping[str, Any]:
    """Return what a settings file says of the project, after checking it."""
    import tomllib  # noqa: PLC0415 - only where there is such a file

    try:
        table = tomllib.loads(text).get("project", {})
    except tomllib.TOMLDecodeError as exc:
        msg = f"no TOML ({exc})"
        raise InputError(msg) from exc
    if not isinstance(table, Mapping):
        msg = "[project] must be a table"
        raise InputError(msg)
    for key, kind in _KEYS.items():
        if not isinstance(table.get(key, kind()), kind):
            must = "true or false" if kind is bool else "a text"
            raise InputError(f"{key}={table[key]!r:.60}: must be {must}")
    if not set(str(table.get("team", "")).lower()) <= _PLAIN:
        msg = f"team={table['team']!r:.60}: letters, digits and . _ - / ~ are allowed"
        raise InputError(msg)
    store = str(table.get("store", ""))
    if store.startswith("http://") and not _LOOPBACK.match(store):
        msg = f"store={store!r:.80}: only a server on this machine may be asked without https"
        raise InputError(msg)
    if "@" in store.partition("://")[2]:
        msg = "store: a file that others read has no user or password in it; leave them out"
        raise InputError(msg)
    return table


def _package(top: Path, start: Path) -> list[str]:
    """Return the innermost package of a repository that a folder is in, by its path."""
    for one in (start, *start.parents):
        if one == top or top not in one.parents:
            break
        if any((one / name).is_file() for name in MANIFESTS):
            return [_plain(one.relative_to(top).as_posix().lower())]
    return []


def _consents() -> Path:
    """Return the folder of what the user has consented to."""
    import platformdirs  # noqa: PLC0415 - only where something is asked for

    return Path(platformdirs.user_data_dir("hippocampus", appauthor=False)) / "allowed"


# ---------------------------------------------------------------- texts


def _read(path: Path) -> str:
    """Return a small text file; "" for what is none, such as a link to a device."""
    try:
        return read_small(path, most=_LARGEST).decode().replace("\0", "")
    except (OSError, ValueError):
        return ""


def _plain(name: str) -> str:
    """Return a name in plain letters, as short as a bank's may be."""
    said = "".join(one if one in _PLAIN else "-" for one in name)
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}-{_hash(name)}"


def _hash(text: str, nbytes: int = 5) -> str:
    from hashlib import blake2b  # noqa: PLC0415 - only where a name needs one

    return blake2b(os.fsencode(text), digest_size=nbytes).hexdigest()
