"""
The project that a folder belongs to, and the bank that is the project's.

It is read off the git repository: all its worktrees share one bank, and so do clones of one remote,
wherever they lie. Without git it is the folder. A folder may be whatever somebody else has packed,
git's own files with it: a remote's bank is for the first folder that names it and for those that
the user allows, and a repository's for the worktrees that it knows itself. A settings file that is
committed may say less of it is remembered, or into smaller banks; what it asks for beyond that
waits for the user's consent, which is for its very bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from hippocampus.cli.checkouts import KnownCheckouts, users_folder
from hippocampus.core.bank_names import PROJECT, TEAM
from hippocampus.core.files import read_small
from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.store_address import is_url
from hippocampus.errors import InputError

SETTINGS: Final = ".hippocampus.toml"
"""The settings file, beside ``.git`` or in a folder without git."""
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
    """Origin of its name: "remote", "repository" or "folder"."""
    remembered: bool = True
    """Whether it is remembered at all."""
    asks: Mapping[str, str] = {}
    """Further settings in its file: ``team``, ``store``."""
    consent: Path | None = None
    """The file whose being there is the consent to that; None where it asks for nothing."""
    warning: str = ""
    """Fault of its settings file."""
    claims: str = ""
    """The bank that it says to be of, by its remote or git's files, and is not known for."""
    place: Path = Path()
    """Place that would identify it: the folder that its worktrees share, or its own."""
    known_as: str = ""
    """The name by which it is known, or would be, in ``KnownCheckouts``; "" where none is."""

    @property
    def known_in(self) -> list[str]:
        """The folders that are known for what it claims to be."""
        if not self.known_as:
            return []
        places = KnownCheckouts(self.known_as).places()
        return [one.removesuffix(f"{os.sep}.git") for one in places]

    def claim_told(self) -> str:
        """Tell in a line the project that it claims to be, and the step to take if it is."""
        known = " and ".join(self.known_in[:2])
        also = f"as {known} is" if known else "and is not known as one"
        claims = self.claims.removeprefix(PROJECT)
        return (
            f"{self.folder}: says that it is a clone of {claims}, {also};"
            f" until 'hippocampus project --allow' there, it is remembered in {self.bank!r}, apart"
        )

    @property
    def allowed(self) -> bool:
        """Return whether the user has consented to what it asks for."""
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
        """Return whether that store is a server's, which is asked over HTTP."""
        return (self.shared_store or "").startswith(("http://", "https://"))


class _GitClaim(NamedTuple):
    """Claim of git's files about a folder."""

    place: Path
    """The folder that its worktrees share, if it leads back here; else the folder itself."""
    own: str
    """The name that is its own, by where that is."""
    claim: str = ""
    """The name of something else that it says to be; "" for nothing."""
    may_begin: bool = False
    """Whether that may be believed of the first folder that says so: it is nowhere else here."""


def find_project(folder: str | Path, *, note: bool = False) -> Project | None:
    """
    Return the project of a folder; None for what is none, such as a home, or is not there.

    Args:
        folder: where.
        note: whether it is noted as the first folder of its remote, if it is.

    """
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
    found = _checkout(top)
    own = "repository" if found.place.name == ".git" or found.place != top else "folder"
    if not found.claim:
        return _with_settings(top, start, found.own, own)
    known = KnownCheckouts(found.claim)
    if known.has(found.place) or (found.may_begin and known.is_new()):
        project = _with_settings(top, start, found.claim, "remote")
        # A project that is not remembered needs no bank, and must not be the first of one.
        wanted = note and project.remembered and known.is_new()
        # Another folder may have become the first meanwhile; then this one is none.
        if not wanted or known.begin(found.place):
            return project._replace(place=found.place, known_as=found.claim)
    project = _with_settings(top, start, found.own, own)
    claims = PROJECT + _plain(found.claim.lower())
    return project._replace(claims=claims, place=found.place, known_as=found.claim)


def bank_of_gone(folder: str) -> str | None:
    """Return the bank of a folder that is there no more, as of one without git; None of a home."""
    place = Path(os.path.realpath(folder))
    if place in _no_projects():
        return None
    return PROJECT + _plain(f"{place.name}-{_hash(str(place))}".lower())


def _no_projects() -> set[Path]:
    # What is in a home is all the user's own, even with git in it.
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


def _checkout(top: Path) -> _GitClaim:
    """Read the folders that a checkout's git files lead to, and whether those lead back."""
    own, common = _git_folders(top)
    leads_back = _leads_back(top, own, common)
    place = common if leads_back else top
    named = _named(common) if leads_back else f"{top.name}-{_hash(str(top))}"
    address = _address(common)
    if not address:
        return _GitClaim(place, named, "" if leads_back else _plain(_named(common).lower()))
    remote = normalised(address, common)
    # A path of this machine names the bank of what is there, so it always needs consent.
    return _GitClaim(place, named, remote, may_begin=not _is_local(address))


def _git_folders(top: Path) -> tuple[Path, Path]:
    """Return git's folder of a worktree, and the one that all worktrees of a repository share."""
    own = top / ".git"
    if own.is_file():  # of a worktree, or of a submodule
        said = _read(own).strip()
        if said.startswith("gitdir:"):
            own = top / said.removeprefix("gitdir:").strip()
    own = Path(os.path.realpath(own))
    shared = _read(own / "commondir").strip()
    return own, Path(os.path.realpath(own / shared)) if shared else own


def _leads_back(top: Path, own: Path, common: Path) -> bool:
    """Return whether git's folders are the folder's own, or say themselves that they are for it."""
    if own == common and own == top / ".git":
        return True
    if own != common:  # of a worktree, which the repository lists
        # "-" leads nowhere; without it an empty file would lead to the folder itself.
        back = own / (_read(own / "gitdir").strip() or "-")
        listed = own.parent == common / "worktrees" and back.name == ".git"
        return listed and os.path.realpath(back.parent) == os.fspath(top)
    back = own / (_set_in(own, "[core]", "worktree").get("[core]") or "-")  # of a submodule
    return os.path.realpath(back) == os.fspath(top)


def _address(common: Path) -> str:
    """Return the address of a repository's remote, as its settings say; "" if there is none."""
    found = {
        section.removeprefix("[remote ").strip('"] \t'): address
        for section, address in _set_in(common, "[remote ", "url").items()
    }
    # Of several remotes without an origin, none is the project's more than another.
    return found.get("origin") or (next(iter(found.values())) if len(found) == 1 else "")


def _set_in(common: Path, begins: str, key: str) -> dict[str, str]:
    """Return git's value of a key, the first one, in each section that begins so."""
    found: dict[str, str] = {}
    section = ""
    for line in map(str.strip, _read(common / "config").splitlines()):
        if line.startswith("["):
            section = line
        elif section.startswith(begins) and line.partition("=")[0].strip().lower() == key:
            found.setdefault(section, line.partition("=")[2].strip().strip('"'))
    return found


def _is_local(address: str) -> bool:
    """Return whether a remote's address is a path of this machine."""
    protocol, apart, _ = address.replace("\0", "").partition("://")
    host, colon, _ = protocol.partition(":")
    if apart:
        return protocol.lower() == "file"
    return not colon or "/" in host or len(host) == 1  # a drive of Windows is no host


def normalised(address: str, common: Path = Path()) -> str:
    """
    Return a remote's address as it names a bank: no protocol, user, port, or ending.

    >>> normalised("git@GitHub.com:Ada/Shop.git"), normalised("https://ada:x@github.com/ada/shop/")
    ('github.com/ada/shop', 'github.com/ada/shop')
    """
    protocol, apart, rest = address.replace("\0", "").partition("://")
    if _is_local(address):
        return _local(rest if apart else protocol, common)
    if not apart:
        rest = protocol.replace(":", "/", 1)
    host, _, path = rest.partition("/")  # first: what comes after an "@" in the path is no host
    host = host.rpartition("@")[2].partition(":")[0]
    path = path.partition("?")[0].strip("/").lower().removesuffix(".git").strip("/")
    return _plain(f"{host.lower()}/{path}") if host and path else ""


def _local(path: str, common: Path) -> str:
    """Return the name of a repository on this machine, from which others were cloned."""
    if not path.strip("./\\ "):  # a repository that names itself
        return ""
    place = Path(os.path.realpath(common.parent / path))
    with suppress(OSError):  # a name that is too long is nowhere
        place = _git_folders(place)[1] if (place / ".git").exists() else place
    return _plain(_named(place).lower())


def _named(common: Path) -> str:
    """Return the name of a repository by where it is on this machine."""
    owner = common.parent if common.name == ".git" else common
    return f"{owner.name.removesuffix('.git')}-{_hash(str(common))}"


# ---------------------------------------------------------------- settings


def _with_settings(top: Path, start: Path, name: str, told_by: str) -> Project:
    bank = PROJECT + _plain(name.lower())
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
        # Longer than a name's hash: nobody may find other settings that have the same.
        consent=users_folder("allowed") / _hash(f"{path}\0{text}", 16) if asks else None,
        warning=warning,
    )


def _settings(text: str) -> Mapping[str, Any]:
    """Return the project that a settings file names, after checking it."""
    import tomllib  # noqa: PLC0415 - only where there is such a file

    try:
        table = tomllib.loads(text).get("project", {})
    except (ValueError, RecursionError) as exc:  # nested too deeply, or of numbers without end
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


# ---------------------------------------------------------------- texts


def _read(path: Path) -> str:
    """Return a small text file; "" for what is none, such as a link to a device."""
    try:
        # No path can have a NUL: looking for it would raise ValueError.
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
