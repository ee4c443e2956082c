"""The options that commands share: which store and bank, which filters, how to answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias
from zoneinfo import ZoneInfo

import typer

from hippocampus.core.cue_names import cue_of
from hippocampus.errors import InputError, InvalidFilter, InvalidText, InvalidTime, StoreError

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.memory import Memory

DEFAULT_BANK = "me"
_BATCH = 64
"""Episodes per transaction: small enough that a progress bar moves."""
_WHERE_IT_IS = "Which memory"
_WHAT_IT_SEES = "Filters"

Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Answer with one JSON document.")]
Force: TypeAlias = Annotated[
    bool, typer.Option("--force", help="Replace a file that is there; a store never is.")
]
Cues: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Only these cues, by comma: words, phrasing, meaning, time, keywords, concept, names,"
        " topic.",
    ),
]
Now: TypeAlias = Annotated[
    str | None, typer.Option(metavar="WHEN", help="The present, for 'yesterday' and its like.")
]

ModelOption: TypeAlias = Annotated[
    str,
    typer.Option(
        envvar="HIPPOCAMPUS_MODEL",
        metavar="SPEC",
        help="A language model to ask: none, openai:NAME@URL. It is shown what was said. Its key"
        " comes from HIPPOCAMPUS_MODEL_KEY.",
    ),
]
Limit: TypeAlias = Annotated[int | None, typer.Option("--limit", "-n", help="Most to list.")]
Offset: TypeAlias = Annotated[int, typer.Option(help="How many to pass over first.")]
Newest: TypeAlias = Annotated[bool, typer.Option("--newest", help="Latest first.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """How texts are understood: the embedder and the time zone."""

    embedder: Annotated[
        str,
        typer.Option(
            envvar="HIPPOCAMPUS_EMBEDDER",
            metavar="SPEC",
            help="default, none, openai:MODEL@URL, sentence-transformers:NAME, fastembed:NAME,"
            " model2vec:NAME.",
            rich_help_panel=_WHERE_IT_IS,
        ),
    ] = "default"
    timezone: Annotated[
        str,
        typer.Option(
            envvar="HIPPOCAMPUS_TIMEZONE",
            metavar="ZONE",
            help="Of times without one, such as Europe/Berlin.",
            rich_help_panel=_WHERE_IT_IS,
        ),
    ] = "UTC"

    @property
    def zone(self) -> ZoneInfo:
        """The time zone; opening the memory has found out whether there is such a one."""
        return ZoneInfo(self.timezone)

    def memory(
        self,
        path: str | Path,
        *,
        create: bool,
        embed: bool,
        sign: bool | None = None,
        model: str = "none",
        resident_mb: float | None = None,
    ) -> Memory:
        """Open a store at a path; ``sign`` its tokens or do not, or as they are, for None."""
        from hippocampus.core.config import (  # noqa: PLC0415 - the engine, only when used
            Config,
            Ingest,
            Signatures,
        )
        from hippocampus.memory import Memory  # noqa: PLC0415

        config = Config(
            timezone=self.timezone, ingest=Ingest(batch=_BATCH), resident_mb=resident_mb
        )
        if sign is not None:
            config = replace(config, signatures=Signatures() if sign else None)
        embedder = self.embedder if embed else "none"
        return Memory(path, embedder=embedder, config=config, model=model, create=create)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope(Engine):
    """A store, and how to open it."""

    store: Annotated[
        str | None,
        typer.Option(
            envvar="HIPPOCAMPUS_STORE",
            metavar="PATH",
            help="The file; by default memory.db in your data folder.",
            rich_help_panel=_WHERE_IT_IS,
        ),
    ] = None

    @property
    def path(self) -> str:
        """Where the store is."""
        return str(default_store()) if self.store is None else self.store

    def open(
        self,
        *,
        create: bool = False,
        embed: bool = False,
        sign: bool | None = None,
        model: str = "none",
        resident_mb: float | None = None,
    ) -> Memory:
        """
        Open the store. Only a command that adds something makes it when it is missing.

        Without ``embed`` no model is loaded: what neither adds nor asks starts at once, and works
        on a store whose model is not on this machine.
        """
        if self.store is None and create:
            default_store().parent.mkdir(parents=True, exist_ok=True)
        if not create:
            self.check()
        return self.memory(
            self.path, create=create, embed=embed, sign=sign, model=model, resident_mb=resident_mb
        )

    def check(self) -> None:
        """Refuse a store that does not exist, in the words of this surface."""
        if not Path(self.path).exists():
            msg = "does not exist yet; 'hippocampus remember' or 'hippocampus import' makes it"
            raise StoreError(msg, path=self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class BankScope(Scope):
    """A bank of a store."""

    bank: Annotated[
        str,
        typer.Option(
            envvar="HIPPOCAMPUS_BANK",
            metavar="NAME",
            help="The bank: one memory, apart from every other.",
            rich_help_panel=_WHERE_IT_IS,
        ),
    ] = DEFAULT_BANK

    @contextmanager
    def open_bank(
        self, *, create: bool = False, embed: bool = False, model: str = "none"
    ) -> Iterator[Bank]:
        """Open the store for as long as the bank is used."""
        with self.open(create=create, embed=embed, model=model) as memory:
            yield memory.bank(self.bank)


def _filter(help: str, metavar: str = "NAME") -> Any:  # noqa: A002, ANN401 - as Typer has it
    return typer.Option(metavar=metavar, help=help, rich_help_panel=_WHAT_IT_SEES)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterOptions:
    """The filters of a read, named as the engine's own arguments."""

    since: Annotated[str | None, _filter("Only memories of that time or later.", "WHEN")] = None
    until: Annotated[
        str | None,
        _filter("Only memories from before that time; a date alone includes its day.", "WHEN"),
    ] = None
    during: Annotated[
        list[str] | None,
        _filter("Only memories from A up to B; may be repeated.", "A..B"),
    ] = None
    session: Annotated[list[str] | None, _filter("Only this session; may be repeated.")] = None
    speaker: Annotated[list[str] | None, _filter("Only this speaker; may be repeated.")] = None
    role: Annotated[list[str] | None, _filter("Only this role; may be repeated.")] = None
    source: Annotated[list[str] | None, _filter("Only this source; may be repeated.")] = None
    where: Annotated[
        str | None, _filter("""A condition on metadata: '{"year": {"$gte": 2024}}'.""", "JSON")
    ] = None
    as_of: Annotated[str | None, _filter("The knowledge of the bank at that moment.", "WHEN")] = (
        None
    )

    def given(self) -> dict[str, Any]:
        """Return the arguments for the engine."""
        return {
            "since": self.since,
            "until": self.until,
            "during": [_stretch(text) for text in self.during or ()] or None,
            "session": self.session or None,
            "speaker": self.speaker or None,
            "role": self.role or None,
            "source": self.source or None,
            "where": None if self.where is None else _condition(self.where),
            "as_of": self.as_of,
        }


# ---------------------------------------------------------------- values from text


def default_store() -> Path:
    """Return where the store is unless told otherwise."""
    import platformdirs  # noqa: PLC0415 - only when it is asked

    return Path(platformdirs.user_data_dir("hippocampus", appauthor=False)) / "memory.db"


def cue_names(text: str | None) -> tuple[str, ...] | None:
    """Return the cues of a comma-separated list of words; the engine knows which there are."""
    return None if text is None else tuple(cue_of(part.strip()) for part in text.split(","))


def moment(text: str | None, *, name: str) -> datetime | None:
    """Return the datetime of ISO 8601 text."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError as exc:
        msg = f"{name} {text!r}: not a time; write it like 2024-05-01 or 2024-05-01T18:30+02:00"
        raise InvalidTime(msg) from exc


def json_object(text: str | None, *, name: str) -> Mapping[str, Any]:
    """Return the JSON object of an option; an empty one when it was not given."""
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as exc:
        msg = f'{name} {text!r}: not JSON ({exc}); write it like \'{{"project": "garden"}}\''
        raise InputError(msg) from exc
    if not isinstance(value, dict):
        msg = f'{name} {text!r}: must be a JSON object, like \'{{"project": "garden"}}\''
        raise InputError(msg)
    return value


def _stretch(text: str) -> tuple[str | None, str | None]:
    """Return the pair of moments of "A..B", one of which may be left out."""
    start, dots, end = (part.strip() for part in text.partition(".."))
    if not dots:
        msg = f"--during {text!r}: write it like 2024-03-05..2024-03-08, or 2024-03-05.. for since"
        raise InvalidFilter(msg)
    return start or None, end or None


def _condition(text: str) -> Mapping[str, Any]:
    try:
        return json_object(text, name="--where")
    except InputError as exc:
        raise InvalidFilter(str(exc)) from exc


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
