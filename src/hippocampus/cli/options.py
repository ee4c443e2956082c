"""The options that commands share: which store and bank, which filters; values read from text."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import date, datetime
from getpass import getpass
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    Protocol,
    TypeAlias,
    TypedDict,
    Unpack,
)
from zoneinfo import ZoneInfo

from hippocampus.core.context_variable import temporarily
from hippocampus.core.cue_names import cue_of
from hippocampus.core.files import unwritable
from hippocampus.core.given_arguments import as_path
from hippocampus.core.key import Key
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.origin import Origin
from hippocampus.core.parameter_groups import ParameterGroup
from hippocampus.core.store_address import addresses, is_url
from hippocampus.errors import InputError, InvalidFilter, InvalidText, InvalidTime, StoreError

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.core.config import Config
    from hippocampus.memory import Memory

DEFAULT_BANK = "me"
_BATCH = 64
"""Episodes per transaction: small enough that a progress bar moves."""


class Opening(TypedDict, total=False):
    """
    Ways to open a store.

        create: make it if it is missing.
        embed: load the embedder. What neither adds nor asks starts at once without, and works on a
            store whose model is not on this machine.
        sign: sign tokens or do not, or as the store has it, for None.
        spans: note where tokens stand or do not, or as the store has it, for None.
        model: a language model, as a specification.
        read_only: open it without the right to change it, also where it could be written.
        resident_mb: memory for banks in use.
        patience_s: how long to wait for another who writes.
        key: opens a store that is encrypted.
        vault: opens the vault of secrets.

    """

    create: bool
    embed: bool
    sign: bool | None
    spans: bool | None
    model: str
    read_only: bool
    resident_mb: float | None
    patience_s: float
    key: Key | None
    vault: Key | None


def along(include: Sequence[str] | None) -> list[str] | None:
    """Return the banks that an option names to be read along; '' alone names none."""
    return None if include is None else [name for name in include if name]


def key_of(text: str) -> Key:
    """Return the key of an option; a passphrase or a recovery phrase is asked for."""
    return _key(text, "HIPPOCAMPUS_", again=False)


def new_key_of(text: str) -> Key:
    """Return the key of an option that gives a store a key; a passphrase is asked for twice."""
    return _key(text, "HIPPOCAMPUS_NEW_", again=True)


def _key(text: str, variables: str, *, again: bool) -> Key:
    if text not in {"passphrase", "phrase"}:
        return Key.of(text)
    variable = f"{variables}{text.upper()}"
    given = os.environ.get(variable)
    if given is None:
        if not _at_a_terminal():
            raise InputError(f"there is no terminal to ask for the {text}; set {variable}")
        given = getpass(f"{text}: ")
        if again and getpass(f"{text}, again: ") != given:
            raise InputError(f"the two differ; the {text} was not set")
    return Key.passphrase(given) if text == "passphrase" else Key.phrase(given)


def _at_a_terminal() -> bool:
    return sys.stdin.isatty()


@contextmanager
def named_as(settings: str, names: Mapping[str, str]) -> Iterator[None]:
    """Have errors name the options by which some settings of a class are given."""
    try:
        yield
    except InputError as exc:
        begin = f"{settings}."
        name, equals, told = str(exc).removeprefix(begin).partition("=")
        if not str(exc).startswith(begin) or not equals:
            raise
        raise InputError(f"{names.get(name, name)}={told.removesuffix(', or None')}") from exc


def flood_of(text: str) -> tuple[int | None, int | None]:
    """Return the most episodes and characters of "1000,2000000"; either may be left out."""
    if text == "none":
        return None, None
    episodes, comma, characters = (part.strip() for part in text.partition(","))
    given = [part for part in (episodes, characters) if part]
    if not given or (comma and not characters) or not all(map(str.isdecimal, given)):
        msg = f"--flood {text!r}: must be EPISODES, EPISODES,CHARACTERS, or none"
        raise InputError(msg)
    return int(episodes) if episodes else None, int(characters) if characters else None


LOCAL: Final = "local"
"""The time zone of this machine, in which whoever sits at it lives."""


def _zone_name(given: str) -> str:
    """Return the IANA name of a time zone, that of this machine for ``LOCAL``."""
    if given != LOCAL:
        return given
    from hippocampus.cli.local_zone import local_zone  # noqa: PLC0415 - only where none is given

    return local_zone()


@immutable
class Engine:
    """Means of understanding texts: the embedder, the reranker and the time zone."""

    embedder: str = "default"
    reranker: str = "none"
    timezone: str = LOCAL
    secrets: Literal["keep", "redact", "vault", "refuse"] = "keep"
    hide_secrets: bool = False
    flood: Annotated[tuple[int | None, int | None] | None, flood_of] = None

    @property
    def zone(self) -> ZoneInfo:
        """The time zone; opening the memory has found out whether there is such a one."""
        return ZoneInfo(_zone_name(self.timezone))

    def config(self, **how: Unpack[Opening]) -> Config:
        """Return the settings of a memory that is opened in such a way."""
        from hippocampus.core.config import (  # noqa: PLC0415 - the engine, only when used
            Config,
            Flood,
            Ingest,
            Secrets,
            Signatures,
        )

        episodes, characters = self.flood or (None, None)
        config = Config(
            timezone=_zone_name(self.timezone),
            ingest=Ingest(batch=_BATCH),
            resident_mb=how.get("resident_mb"),
            spans=how.get("spans"),
            secrets=Secrets(write=self.secrets, show="redact" if self.hide_secrets else "keep"),
            flood=Flood(episodes=episodes, characters=characters),
        )
        if "patience_s" in how:
            config = replace(config, busy_timeout_s=how["patience_s"])
        sign = how.get("sign")
        if sign is not None:
            config = replace(config, signatures=Signatures() if sign else None)
        return config

    def memory(self, path: str | Path, **how: Unpack[Opening]) -> Memory:
        """Open a store at a path."""
        from hippocampus.memory import Memory  # noqa: PLC0415 - the engine, only when used

        return Memory(
            path,
            embedder=self.embedder if how.get("embed") else "none",
            reranker=self.reranker if how.get("embed") else "none",
            config=self.config(**how),
            model=how.get("model", "none"),
            read_only=how.get("read_only", False) or _only_reads(path),
            create=how.get("create", False),
            key=how.get("key"),
            vault=how.get("vault"),
        )


def _only_reads(path: str | Path) -> bool:
    """Return whether a store is there, and its file or folder cannot be written by this user."""
    if is_url(path):
        return False
    file = Path(path)
    return file.is_file() and unwritable(file) is not None


@immutable
class Scope(Engine):
    """A store, and how to open it."""

    store: str | None = None
    key: Annotated[Key | None, key_of] = None
    vault: Annotated[Key | None, key_of] = None

    @property
    def path(self) -> str:
        """Return the path or address of the store."""
        if self.store is None:
            return str(default_store())
        addresses(self.store)  # which refuses what would be taken for a file, and shows no password
        return self.store

    def open(self, **how: Unpack[Opening]) -> Memory:
        """Open the store. Only a command that adds something makes it when it is missing."""
        create = how.get("create", False)
        if create:
            self.make_folder()
        if not create:
            self.check()
        how.setdefault("key", self.key)
        how.setdefault("vault", self.vault)
        return self.memory(self.path, **how)

    def make_folder(self) -> None:
        """Make the folder of the default store; that of a store that is named is its user's."""
        if self.store is None:
            default_store().parent.mkdir(parents=True, exist_ok=True)

    def check(self) -> None:
        """Refuse a store that does not exist, in the words of this surface."""
        if not is_url(self.path) and not Path(self.path).exists():
            msg = "does not exist yet; 'hippocampus remember' or 'hippocampus import' makes it"
            raise StoreError(msg, path=self.path)


@immutable
class BankScope(Scope):
    """A bank of a store."""

    bank: str = DEFAULT_BANK

    @contextmanager
    def open_bank(self, **how: Unpack[Opening]) -> Iterator[Bank]:
        """Open the store for as long as the bank is used."""
        kept = _kept.get()
        # A store that was opened by a key is not kept open for whoever asks next.
        if kept is not None and self.key is None and self.vault is None:
            if not how.get("create"):
                self.check()
            yield kept(self, self.path, self.bank, **how)
            return
        with self.open(**how) as memory:
            yield bank_of(memory, self.bank, **how)


def bank_of(memory: Memory, name: str, **how: Unpack[Opening]) -> Bank:
    """
    Return a bank of a store.

    Raises:
        UnknownBank: there are others, and none of that name, as when it is mistyped.

    """
    known = memory.engine.store.banks
    if not how.get("create") and known.number(name) is None and known.names(limit=1):
        memory.engine.ledger(name)  # for its error, which tells of the name
    return memory.bank(name)


class Keeper(Protocol):
    """Lends banks of stores that stay open."""

    def __call__(self, engine: Engine, path: str, name: str, /, **how: Unpack[Opening]) -> Bank:
        """Return a bank of the store at a path, opened as an engine does."""
        ...


_kept: Final[ContextVar[Keeper | None]] = ContextVar("_kept", default=None)


def keep_open(keeper: Keeper) -> AbstractContextManager[None]:
    """Have commands take banks from stores that stay open."""
    return temporarily(_kept, keeper)


def default_store() -> Path:
    """Return the path of the store where none is given."""
    import platformdirs  # noqa: PLC0415 - only when it is asked

    return Path(platformdirs.user_data_dir("hippocampus", appauthor=False)) / "memory.db"


# ---------------------------------------------------------------- values from text


def cue_names(text: str) -> tuple[str, ...]:
    """Return the cues of a comma-separated list of words; the engine knows which there are."""
    return tuple(cue_of(part.strip()) for part in text.split(","))


def moment(text: str, name: str = "--now") -> datetime:
    """Return the datetime of ISO 8601 text."""
    try:
        return datetime.fromisoformat(text)
    except ValueError as exc:
        msg = f"{name} {text!r}: not a time; write it like 2024-05-01 or 2024-05-01T18:30+02:00"
        raise InvalidTime(msg) from exc


def json_object(text: str, *, name: str = "--metadata") -> Mapping[str, Any]:
    """Return the JSON object of an option."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as exc:
        msg = f'{name} {text!r}: not JSON ({exc}); write it like \'{{"project": "garden"}}\''
        raise InputError(msg) from exc
    if not isinstance(value, dict):
        msg = f'{name} {text!r}: must be a JSON object, like \'{{"project": "garden"}}\''
        raise InputError(msg)
    return value


def _condition(text: str) -> Mapping[str, Any]:
    try:
        return json_object(text, name="--where")
    except InputError as exc:
        raise InvalidFilter(str(exc)) from exc


def _stretch(text: str) -> str | tuple[str | None, str | None]:
    """Return the pair of moments of "A..B", one of which may be left out, or words for a time."""
    start, dots, end = (part.strip() for part in text.partition(".."))
    if dots:
        return start or None, end or None
    try:
        # A plain date is a day, not words for an event that would be searched for.
        date.fromisoformat(start)
    except ValueError:
        return text
    return start, start


def _one_or_many(text: str) -> str | tuple[str, ...]:
    """Return the names of a comma-separated list, or the one name that it is."""
    names = tuple(name.strip() for name in text.split(","))
    return names[0] if len(names) == 1 else names


def bits_or_auto(text: str) -> int | Literal["auto"]:
    """Return a number of bits, or the word that lets the store's own rule say it."""
    if text == "auto":
        return "auto"
    if not text.isdecimal():
        raise InputError(f"--radius {text!r}: must be a number of bits, or auto")
    return int(text)


def given_path(text: str) -> Path:
    """Return the path that was given; refuse an empty one, as of a variable that is not set."""
    return as_path("path", text)


def text_or_stdin(text: str) -> str:
    """Return the text, or for ``-`` what stdin holds, without the newline that ends it."""
    if text != "-":
        return text
    raw = sys.stdin.buffer.read()
    try:
        return raw.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as exc:
        msg = f"stdin is not UTF-8 (byte {exc.start}); convert it first, for example with iconv"
        raise InvalidText(msg) from exc


# ---------------------------------------------------------------- groups of options

Words: TypeAlias = Annotated[str, text_or_stdin]
"""A text, or - for what stdin holds."""
Question: TypeAlias = Annotated[list[str], text_or_stdin]
"""A question, in quotes or not: several texts are one, with spaces between them."""
Cues: TypeAlias = Annotated[tuple[str, ...] | None, cue_names]
Now: TypeAlias = str | None
Trust: TypeAlias = Annotated[Origin | tuple[Origin, ...] | None, _one_or_many]
"""The least trusted origin to show, or a list of the origins to show."""


@immutable
class WhoseOptions(ParameterGroup):
    """The filters by which episodes are chosen to be changed, named as the engine's arguments."""

    session: list[str] | None = None
    speaker: list[str] | None = None
    where: Annotated[Mapping[str, Any] | None, _condition] = None


@immutable
class FilterOptions(ParameterGroup):
    """The filters of a read, named as the engine's own arguments."""

    since: str | None = None
    until: str | None = None
    during: Annotated[list[str | tuple[str | None, str | None]] | None, _stretch] = None
    session: list[str] | None = None
    speaker: list[str] | None = None
    role: list[str] | None = None
    source: list[str] | None = None
    where: Annotated[Mapping[str, Any] | None, _condition] = None
    as_of: str | None = None
    trust: Trust = None
    suspects: str | None = None

    @property
    def names_event(self) -> bool:
        """Return whether an event has to be looked up, as a question is."""
        return any(isinstance(one, str) for one in self.during or ())
