"""Salvage: what is sound of a damaged store, copied into a new one, bank by bank as exports."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TextIO

from hippocampus.core.events import (
    Corrected,
    Erased,
    Forgotten,
    JournalEvent,
    JournalRow,
    Restored,
    Unknown,
    class_of,
    decode,
    fields_of,
    kind_of,
)
from hippocampus.core.files import writing
from hippocampus.core.key import Key, as_key
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Block, EpisodeRow, Progress, State, states_told
from hippocampus.encode import tokens as tokenizer
from hippocampus.engine.context import CALIBRATED
from hippocampus.errors import InputError, StoreCorrupt
from hippocampus.journal.content import Segment
from hippocampus.journal.transfer import write_export
from hippocampus.memory import Memory
from hippocampus.store.salvage import DamagedStore

_TELLS: Final[Mapping[State, type[JournalEvent]]] = {
    "active": Restored,
    "superseded": Corrected,
    "forgotten": Forgotten,
    "erased": Erased,
}
"""Event noted of an episode whose own changes are lost, by its state."""
_TAKEN_OVER: Final[Mapping[str, str]] = {
    "salt": "keys of servers are not known by it any more, so make new ones",
    "vault": "what was sealed in the vault does not open any more",
    "api-keys": "keys of servers are gone, so make new ones: without one nobody is let in",
    CALIBRATED: "what the numbers of the embedder mean is to be found out anew",
}
"""Settings that a new store has of the damaged one, and what is lost with each."""
_MOST_MISSING: Final = 256
"""Rows that may be missing before a damaged one that is the last: several pages. Chosen by hand."""
_LONGEST_ID: Final = 64
"""Characters; ids of ours have 24, and what is much longer damage has made. Chosen by hand."""


@immutable
class Salvaged:
    """Result of a salvage: episodes by bank; and what was lost, a message each."""

    banks: Mapping[str, int]
    lost: tuple[str, ...]


def check_source(path: str | Path, *, key: Key | str | None = None) -> None:
    """Refuse a store that cannot be salvaged, before a new one is made; errors as ``salvage``."""
    DamagedStore(Path(path), key=as_key(key)).close()


def salvage(
    path: str | Path,
    memory: Memory,
    *,
    key: Key | str | None = None,
    progress: Progress | None = None,
) -> Salvaged:
    """
    Copy the sound part of a damaged store into a new one; the old one is left as it is.

    Every sound episode comes along, with its history, and what is derived is made anew. An episode
    whose text is damaged is there as one that was erased; a text whose row is damaged keeps its
    first moment and nothing else. What sleep has made is made again by the next sleep. The key of
    the vault comes along as well, and so do keys of servers.

    Args:
        path: the damaged store.
        memory: a new, empty store, which need not be encrypted if the damaged one is.
        key: opens the damaged one, if it is encrypted.
        progress: told how many banks were copied, and of how many.

    Raises:
        InputError: the new store holds something.
        StoreEncrypted, WrongKey: the damaged one is encrypted, and the key does not open it.
        StoreCorrupt: not even the tables of the damaged one can be told, or it is encrypted, and
            what opens it is gone.

    """
    if memory.banks():
        msg = f"{memory.engine.store.path}: salvage writes to a new store, and this one has banks"
        raise InputError(msg)
    copied: dict[str, int] = {}
    lost: list[str] = []
    with DamagedStore(Path(path), key=as_key(key)) as store, TemporaryDirectory() as folder:
        lost += _take_settings(store, memory)
        banks = store.banks()
        for place, (number, name) in enumerate(banks):
            file = Path(folder, f"{number}.jsonl")
            with (
                writing(file) as unfinished,
                unfinished.open("w", encoding="utf-8", newline="\n") as out,
            ):
                copied[name], gone = export_sound(store, number, name, out)
            memory.bank(name).import_(file, format="hippocampus")
            file.unlink()  # each may be as large as its bank
            lost += gone
            if progress:
                progress(place + 1, len(banks))
        lost += store.lost
    return Salvaged(banks=copied, lost=tuple(lost))


def _take_settings(store: DamagedStore, memory: Memory) -> list[str]:
    """Have a new store open what the damaged one has sealed, and know its keys; return the loss."""
    told = store.settings(_TAKEN_OVER)
    kept = {name: value for name, value in told.items() if value is not None}
    lost = [name for name in told if name not in kept]
    if "api-keys" in lost:
        kept["api-keys"] = "[]"  # a store that has had keys is never open to all
    memory.engine.take_over(kept)
    return [f"the setting {name!r}, if there was one: {_TAKEN_OVER[name]}" for name in lost]


def export_sound(store: DamagedStore, bank: int, name: str, out: TextIO) -> tuple[int, list[str]]:
    """
    Write the sound part of a bank as an export.

    A text whose row is damaged is kept, with the moment of its first change and nothing else; an
    episode whose text is damaged becomes one that was erased.

    Returns:
        how many episodes have their text, and what was lost, a message each.

    """
    stored, journal = store.episodes(bank), store.journal(bank)
    texts = dict(_texts(store, bank))
    known = {*texts, *(c.row for c in journal.values() if c.row is not None)}
    last, lost = _last_row(stored, known, name)
    # Something stands for each that is lost, or the numbers of the others would change.
    changes = [journal.get(seq) or _gap(seq) for seq in range(1, max(journal, default=0) + 1)]
    # Backwards, so that the first change of a row is the one that stays.
    first = {c.row: c.at for c in reversed(changes) if c.row is not None}
    told = states_told((c.row, class_of(c.kind)) for c in changes)
    records: list[EpisodeRow] = []
    ids: set[str] = set()
    at = 0
    for row in range(last + 1):
        found, text = stored.get(row), texts.get(row)
        # A row without any change left is of the time of the one before it.
        at = first.get(row, at)
        if isinstance(found, EpisodeRow) and (text is not None or found.state == "erased"):
            record = found
        elif isinstance(found, EpisodeRow):
            lost.append(f"the text of episode {found.id} of bank {name!r}")
            record = found.blanked()
        else:
            id_ = _id(found, row, ids)
            what = "everything" if text is None else "everything but its text"
            lost.append(f"{what} of episode {id_}, row {row} of bank {name!r}")
            state = "erased" if text is None else told.get(row) or "active"
            record = _remains(row, id_, at, state)
            if record.state == "erased":
                texts.pop(row, None)  # its journal says it is to be gone
        ids.add(record.id)
        records.append(record)
    records = [_linked(record, len(records)) for record in records]
    changes = [c for c in changes if c.row is None or c.row < len(records)]
    changes += _missing_changes(records, changes, at)
    whole = _whole(changes, bank, store.path)
    write_export(out, name, records, lambda _: texts, whole, path=store.path)
    return sum(record.state != "erased" for record in records), lost


def _last_row(
    stored: Mapping[int, EpisodeRow | str | None], known: Collection[int], name: str
) -> tuple[int, list[str]]:
    """
    Return the last row of a bank, and a message for each that is damaged and lies far behind it.

    The number of a damaged row may be anything, and rows have no gaps: something would have to
    stand for all before it.
    """
    sound = (row for row, found in stored.items() if isinstance(found, EpisodeRow))
    last, lost = max((*sound, *known), default=-1), list[str]()
    for row in sorted(row for row in stored if row > last):
        if row - last > _MOST_MISSING:
            lost.append(f"an episode of bank {name!r} whose row is damaged, perhaps {row}")
        else:
            last = row
    return last, lost


def _texts(store: DamagedStore, bank: int) -> Iterator[tuple[int, str]]:
    """Yield the texts that can be decoded, by row."""
    for part in store.texts(bank):
        try:
            ids = _ids(part, str(store.path))
        except (StoreCorrupt, ValueError):
            continue
        for row, tokens in ids:
            try:
                text = tokenizer.decode(tokens)
            except ValueError:
                continue
            if text:
                yield row, text


def _ids(part: dict[int, bytes] | Block, path: str) -> list[tuple[int, list[int]]]:
    if isinstance(part, Block):
        segment = Segment.load(part, path=path)
        rows = range(part.first, part.first + part.count)
        return [(row, ids.tolist()) for row, ids in zip(rows, segment.ids(rows), strict=True)]
    whole = {row: made for row, made in part.items() if not len(made) % tokenizer.ID_BYTES}
    return [(row, tokenizer.unpack(made).tolist()) for row, made in whole.items()]


def _id(found: str | None, row: int, taken: set[str]) -> str:
    """Return the id that a damaged row seems to have, or one made up."""
    likely = found is not None and 0 < len(found) <= _LONGEST_ID and found.isalnum()
    return found if likely and found is not None and found not in taken else f"salvaged-{row}"


def _remains(row: int, id_: str, at: int, state: State) -> EpisodeRow:
    """Return the stand-in for an episode of which there is at most a text."""
    return EpisodeRow(
        row=row, id=id_, occurred_at=at, recorded_at=at, session=None, turn=None, part=0, parts=1,
        speaker=None, role=None, source=None, address="" if state == "erased" else id_,
        metadata="{}", digest=b"", state=state, supersedes=None, superseded_by=None,
    )  # fmt: skip


def _linked(record: EpisodeRow, count: int) -> EpisodeRow:
    """Return a record without links to rows that are not there."""
    there = range(count)
    return record._replace(
        supersedes=record.supersedes if record.supersedes in there else None,
        superseded_by=record.superseded_by if record.superseded_by in there else None,
    )


def _gap(seq: int) -> JournalRow:
    return JournalRow(seq, 0, "damaged", None, "{}")


def _missing_changes(
    records: list[EpisodeRow], changes: list[JournalRow], at: int
) -> Iterator[JournalRow]:
    """Yield changes that give every episode the state it has."""
    told = states_told((c.row, class_of(c.kind)) for c in changes)
    seq = len(changes)
    for record in records:
        if told.get(record.row) != record.state:
            seq += 1
            yield JournalRow(seq, at, kind_of(_TELLS[record.state]), record.row, "{}")


def _whole(changes: list[JournalRow], bank: int, path: Path) -> list[JournalRow]:
    """Return changes numbered anew; one that says nothing known stands for each damaged one."""
    whole: list[JournalRow] = []
    for seq, change in enumerate(changes, 1):
        try:
            (fields_of if class_of(change.kind) is Unknown else decode)(
                change, bank=bank, path=path
            )
            whole.append(change._replace(seq=seq))
        except StoreCorrupt:
            whole.append(_gap(seq))
    return whole
