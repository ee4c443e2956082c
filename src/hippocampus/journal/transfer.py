"""A whole bank out to a file and in again: our export format, written and read."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

from hippocampus.core.budget import check_budget
from hippocampus.core.clock import from_micros
from hippocampus.core.events import (
    Accepted,
    Erased,
    JournalRow,
    SleepBegan,
    SleepEnded,
    Unknown,
    class_of,
    convert,
    detail_of,
    fields_of,
)
from hippocampus.core.files import reading_lines, writing
from hippocampus.core.origin import OWN
from hippocampus.core.records import (
    ALL_MARKS,
    DEEPEST,
    STORED_NAMES,
    SUSPECT,
    EpisodeRow,
    states_told,
)
from hippocampus.core.rights import without_strangers
from hippocampus.core.validation import dump_metadata
from hippocampus.errors import InputError, SourceError, StoreCorrupt
from hippocampus.journal.draft import Draft, digest
from hippocampus.journal.ledger import Ledger


class TransferGate(NamedTuple):
    """Gate that every text passes on its way into a store or out of it."""

    record: Callable[[Mapping[str, Any]], dict[str, Any]]
    """Returns an episode, by the names that its fields have in an export, as it may pass."""
    detail: Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
    """Returns the detail of a change, of some kind, as it may pass."""


AS_IT_IS: Final = TransferGate(record=dict, detail=lambda _, detail: detail)
"""Lets everything pass."""

EXPORT_FORMAT = 1
"""Number in an export's first line. There was no other yet; a reader refuses those it does not
know, so only a change that readers would misunderstand is to raise it."""

_FIELDS = {name: key for name, key in STORED_NAMES.items() if name not in {"row", "digest"}}
"""Field of an episode -> its name in an export."""
"""What is told of an episode: its row is its place in the file, and digests are of one store."""
_TEXTS_AT_ONCE = 1000
"""Episodes whose texts are in memory at once; between two such reads the budget of time is looked
at. Chosen by hand."""
_ATTEMPTS = 5
"""Most beginnings of an export; it begins anew if an episode was erased while it was written."""


# ---------------------------------------------------------------- out


def export_bank(
    ledger: Ledger, path: Path, *, overwrite: bool = False, gate: TransferGate = AS_IT_IS
) -> int:
    """
    Write a bank as JSONL: a head, every episode in any state, every journal row, an end.

    Rows name no other bank that whoever asks may not read.

    ``gate`` returns what may go out.

    Raises:
        InputError: others kept erasing while it was written; there is no file then.
        OutputError: something is there already and was not to be overwritten, or it is a store.
        StoreCorrupt: something in the bank is damaged, and would not be in it.

    """
    with writing(path, overwrite=overwrite) as unfinished:
        for _ in range(_ATTEMPTS):
            with unfinished.open("w", encoding="utf-8", newline="\n") as out:
                written, whole = _write_bank(ledger, out, gate)
            if whole:
                damage = ledger.store.upkeep.damage(ledger.bank)
                if damage:
                    raise StoreCorrupt(f"no export was made: {damage[0]}", path=ledger.store.path)
                return written
        msg = f"bank {ledger.name!r} is being erased from all the time; export it once that is done"
        raise InputError(msg)


def _write_bank(ledger: Ledger, out: TextIO, gate: TransferGate) -> tuple[int, bool]:
    """Write the episodes of a bank; return their number, and whether nothing was erased."""
    with ledger.store.read():
        rows = list(ledger.store.episodes.scan(ledger.bank))
        changes = ledger.store.journal.read(ledger.bank)
    if ledger.store.upkeep.damage(ledger.bank):
        return 0, True  # which is told, and could not even be written
    with_text = {row.row for row in rows if row.state != "erased"}
    lacking = set[int]()

    def texts(some: Collection[int]) -> Mapping[int, str]:
        found = ledger.reader.texts(some)
        lacking.update(with_text.intersection(some) - found.keys())
        return found

    # One snapshot for all of it would keep the store's log from ending. Texts never change, but for
    # those that are erased.
    write_export(out, ledger.name, rows, texts, changes, path=ledger.store.path, gate=gate)
    erased = ledger.store.journal.read(ledger.bank, after=len(changes), kinds=(Erased,))
    # A bank that was deleted, and perhaps made anew, has left no ``Erased`` in its journal.
    gone = ledger.store.banks.number(ledger.name) != ledger.bank
    if lacking and not (erased or gone):
        ledger.reader.content.note_missing(lacking)
    return len(rows), not (erased or gone)


def write_export(
    out: TextIO,
    bank: str,
    rows: Sequence[EpisodeRow],
    texts: Callable[[Collection[int]], Mapping[int, str]],
    changes: Sequence[JournalRow],
    *,
    path: Path | str,
    gate: TransferGate = AS_IT_IS,
) -> None:
    """Write an export of rows, of which some have texts, and changes; ``path``: of the store."""
    _write(out, {"hippocampus-export": EXPORT_FORMAT, "bank": bank})
    ids: dict[int | None, str | None] = {row.row: row.id for row in rows}
    ids[None] = None
    named = {change.row for change in changes} | {row.supersedes for row in rows}
    _check_whole_bank(bank, ids.keys(), named | {row.superseded_by for row in rows}, changes, path)
    for start in range(0, len(rows), _TEXTS_AT_ONCE):
        check_budget()
        some = rows[start : start + _TEXTS_AT_ONCE]
        known = texts([row.row for row in some])
        for row in some:
            _write(out, {"episode": gate.record(_episode(row, known.get(row.row, ""), ids))})
    for change in changes:
        check_budget()
        told = {
            "seq": change.seq,
            "at": change.at,
            "kind": change.kind,
            "episode": ids[change.row],
            "detail": gate.detail(
                change.kind,
                without_strangers(change.kind, fields_of(change, bank=bank, path=path)),
            ),
        }
        _write(out, {"change": told})
    _write(out, {"end": {"episodes": len(rows), "changes": len(changes)}})


def _check_whole_bank(
    bank: str,
    rows: Collection[int | None],
    named: Collection[int | None],
    changes: Sequence[JournalRow],
    path: Path | str,
) -> None:
    """Refuse a bank of which rows are missing: no checksum tells, and nobody could import it."""
    missing = {*named} - {*rows}
    # Every episode has a change at least: that it was remembered.
    gaps = len(changes) < len(rows) - 1 or (changes[-1:] and changes[-1].seq != len(changes))
    if missing or gaps:
        what = "episodes" if missing else "changes"
        msg = f"no export was made: {what} of bank {bank!r} are missing; 'hippocampus verify' lists"
        raise StoreCorrupt(f"{msg} all that is damaged, or restore a backup", path=path)


def _episode(row: EpisodeRow, text: str, ids: Mapping[int | None, str | None]) -> dict[str, Any]:
    told = row._asdict() | {
        "metadata": json.loads(row.metadata),
        "supersedes": ids[row.supersedes],
        "superseded_by": ids[row.superseded_by],
    }
    own = {key: told[name] for name, key in _FIELDS.items()}
    return {"id": own.pop("id"), "text": text, **own}


def _write(out: TextIO, record: dict[str, Any]) -> None:
    out.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")


# ---------------------------------------------------------------- in


class Export(NamedTuple):
    """A bank that has been read and checked: its rows, their texts, and their journal."""

    records: list[EpisodeRow]
    texts: list[str]
    journal: list[JournalRow]

    def drafts(self) -> list[Draft]:
        """Return the drafts that its episodes were made from; erased ones are left out."""
        return [
            Draft.of(record, text)
            for record, text in zip(self.records, self.texts, strict=True)
            if record.state != "erased"
        ]

    def judged_anew(self, is_order: Callable[[str], bool]) -> Export:
        """
        Return it as nobody has accepted any of it: texts of others that are orders are marked.

        ``is_order``: whether a text reads like an instruction to a model.
        """
        records = [
            row._replace(marks=row.marks | SUSPECT)
            if row.origin not in OWN and row.state != "erased" and is_order(text)
            else row
            for row, text in zip(self.records, self.texts, strict=True)
        ]
        kept = (change for change in self.journal if class_of(change.kind) is not Accepted)
        # A journal has no gaps.
        journal = [change._replace(seq=seq) for seq, change in enumerate(kept, 1)]
        return Export(records, self.texts, journal)

    def missing(self, known: Collection[str]) -> list[list[Draft]]:
        """Return the texts in force that are not ``known`` by id, parts of one text together."""
        groups: list[list[Draft]] = []
        for record, text in zip(self.records, self.texts, strict=True):
            if record.state != "active" or record.id in known:
                continue
            if record.parts > 1:  # as it was before its parts were told apart
                address = record.address.removesuffix(f"#part-{record.part}")
                record = record._replace(address=address)  # noqa: PLW2901
            d = Draft.of(record, text)
            before = groups[-1][-1] if groups else d
            # Of a text whose first parts are not missing the last one seen may be of another.
            if before.part + 1 == d.part and _text_of(before) == _text_of(d):
                groups[-1].append(d)
            else:
                groups.append([d])
        return groups


def _text_of(d: Draft) -> tuple[object, ...]:
    """Return the fields that parts of one text have alike, and others do not."""
    return d.address, d.occurred_at, d.session, d.speaker, d.parts


def read_export(path: Path, *, salt: bytes, gate: TransferGate = AS_IT_IS) -> Export | None:
    """
    Return an export of ours, fit for a store of this salt; None when it is not one.

    ``gate`` returns what may come in.

    Raises:
        SourceError: the export is damaged, or of another format.

    """
    try:
        if not path.is_file():
            return None
    except OSError as exc:  # a name that is too long
        raise SourceError(f"cannot be read ({exc.strerror})", path=path) from exc
    found: dict[str, list[Any]] = {"episode": [], "change": [], "end": []}
    number = 0
    version: object = None
    try:
        with reading_lines(path) as lines:
            head = lines.readline(4096)  # a file of somebody else's may be one endless line
            if '"hippocampus-export"' not in head:
                return None
            number = 1
            version = json.loads(head)["hippocampus-export"]
            if version == EXPORT_FORMAT:
                for number, text in enumerate(lines, 2):  # noqa: B007 (the message names it)
                    check_budget()
                    ((kind, record),) = json.loads(text).items()
                    found[kind].append(record)
                _check_whole(found["episode"], found["change"], found["end"])
    except SourceError:  # it is a ValueError, too, and says what is wrong itself
        raise
    except UnicodeDecodeError as exc:
        if number == 0:
            return None
        raise _damaged(path, f"after line {number} it is not UTF-8") from exc
    except _NOT_OURS as exc:
        raise _damaged(path, f"line {number}: {type(exc).__name__}: {exc}") from exc
    if version != EXPORT_FORMAT:
        msg = f"export format {version!r} is not {EXPORT_FORMAT}, which this version reads"
        raise SourceError(msg, path=path)
    episodes = [gate.record(e) for e in found["episode"]]
    changes = [{**c, "detail": gate.detail(c["kind"], c["detail"])} for c in found["change"]]
    return _whole(episodes, changes, salt)


def _whole(episodes: list[dict[str, Any]], changes: list[dict[str, Any]], salt: bytes) -> Export:
    """Return the checked lines as rows; their order in the file is their number."""
    rows: dict[str | None, int | None] = {e["id"]: row for row, e in enumerate(episodes)}
    rows[None] = None
    records: list[EpisodeRow] = []
    for row, e in enumerate(episodes):
        told = {name: e[key] for name, key in _FIELDS.items() if key in e} | {
            "metadata": dump_metadata(e["metadata"]),
            "supersedes": rows[e["supersedes"]],
            "superseded_by": rows[e["superseded_by"]],
        }
        records.append(EpisodeRow(row=row, digest=digest(salt, e["text"]), **told))
    journal = [
        JournalRow(seq, c["at"], c["kind"], rows[c["episode"]], detail_of(c["detail"]))
        for seq, c in enumerate(changes, 1)
    ]
    return Export(records, [e["text"] for e in episodes], journal)


def _damaged(path: Path, what: str) -> SourceError:
    return SourceError(f"the export is damaged, nothing was imported ({what})", path=path)


_NOT_OURS = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError
)  # fmt: skip
"""Errors of reading a record of the wrong shape."""

_TEXTS = ("session", "speaker", "role", "source")


def _check_whole(episodes: list[Any], changes: list[Any], ends: list[Any]) -> None:
    """Raise ``ValueError`` unless these are all the records of one bank, and fit together."""
    if ends != [{"episodes": len(episodes), "changes": len(changes)}]:
        msg = f"{len(episodes)} episodes and {len(changes)} changes, but it ends with {ends}"
        raise ValueError(msg)
    ids = {e["id"] for e in episodes}
    _require(len(ids) == len(episodes), "two episodes have the same id")
    for e in episodes:
        _check_episode(e, ids)
    for seq, c in enumerate(changes, 1):
        _require(c["seq"] == seq, f"change {c['seq']!r} stands where {seq} belongs")
        _require(c["episode"] is None or c["episode"] in ids, f"change {seq} is of no episode")
        _require(isinstance(c["detail"], dict), f"change {seq} has no detail")
        _require(isinstance(c["kind"], str), f"change {seq} has no kind")
        c["kind"].encode()  # likewise
        if class_of(c["kind"]) is not Unknown:
            event = convert(c["kind"], c["detail"])
            # The next sleep's number is one more, and there is a highest one.
            counted = not isinstance(event, SleepBegan | SleepEnded) or event.sleep <= seq
            _require(counted, f"change {seq} is of more sleeps than there are changes")
        _check_moment(c["at"])
    states = states_told((c["episode"], class_of(c["kind"])) for c in changes)
    for e in episodes:
        told = states.get(e["id"])
        _require(told == e["state"], f"episode {e['id']} is {e['state']}, its changes say {told}")


def _check_episode(e: dict[str, Any], ids: set[str]) -> None:
    name = f"episode {e['id']!r}"
    _require(isinstance(e["id"], str) and bool(e["id"]), f"{name}: its id is not text")
    for key in ("text", "address", "id", *_TEXTS):
        _require(isinstance(e[key], str) or (key in _TEXTS and e[key] is None), f"{name}: {key}")
        (e[key] or "").encode()  # refuses half characters
    _require(bool(e["text"].strip()) or e["state"] == "erased" or e["part"] > 0, f"{name}: text")
    for key in ("said_at", "noted_at"):
        _check_moment(e[key])
    for key in ("turn", "part", "parts"):
        # By its very type, for True is an int as well.
        known = type(e[key]) is int and 0 <= e[key] < 1 << 31
        _require(known or (key == "turn" and e[key] is None), f"{name}: {key}={e[key]!r}")
    for key, most in (("level", DEEPEST), ("marks", ALL_MARKS)):
        given = e.get(key, 0)  # which earlier exports do not have
        _require(type(given) is int and 0 <= given <= most, f"{name}: {key}={given!r}")
    _require(e["part"] < e["parts"], f"{name}: part {e['part']} of {e['parts']}")
    dump_metadata(e["metadata"])  # refuses what is no object
    for key in ("supersedes", "superseded_by"):
        _require(e[key] is None or e[key] in ids, f"{name}: {key} {e[key]!r}, which is not there")


def _check_moment(micros: object) -> None:
    if not isinstance(micros, int) or isinstance(micros, bool):
        raise TypeError(f"{micros!r} is not a time")
    from_micros(micros)


def _require(fact: bool, otherwise: str) -> None:  # noqa: FBT001
    if not fact:
        raise ValueError(otherwise)
