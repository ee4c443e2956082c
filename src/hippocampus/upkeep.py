"""Look after a store: check it, rebuild what is derived, move it to another embedder."""

from __future__ import annotations

import json
import platform
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import field, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.clock import MOST_AHEAD, to_micros
from hippocampus.core.config import Signatures
from hippocampus.core.events import JournalRow, Unknown, class_of, decode, fields_of
from hippocampus.core.files import RawFile, reading_raw
from hippocampus.core.key import Key
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.log_pages import LOG_FOLDER, without_page_headers
from hippocampus.core.records import (
    LABELS,
    EpisodeRow,
    Kind,
    Payloads,
    Progress,
    states_told,
)
from hippocampus.core.store_address import StoreAddress, is_url
from hippocampus.encode.embed import load_embedder
from hippocampus.encode.random_indexing import signatures
from hippocampus.encode.tokens import encode, pack
from hippocampus.engine.context import SIGNED, SIGNING, UNASKED, EngineContext
from hippocampus.errors import (
    DISTRIBUTION,
    HippocampusError,
    InputError,
    StoreCorrupt,
    StoreError,
    UnknownBank,
)
from hippocampus.index.bank_index import read_payloads
from hippocampus.index.bm25 import ASKING, MARKS, STANDING, pack_terms
from hippocampus.index.index_file import find_damage
from hippocampus.index.phrase_codec import unpack_phrases
from hippocampus.index.told_times import times_fit
from hippocampus.journal.draft import digest
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.payloads import READ_BY_LANGUAGE
from hippocampus.kernel import build_info
from hippocampus.language.payload_texts import spelled
from hippocampus.memory import Memory
from hippocampus.sleep.artifacts import ANCHORS, ARTIFACTS
from hippocampus.write.analyse import lexical_payload, phrase_payload
from hippocampus.write.secret_gate import journal_texts

__all__ = [
    "Findings", "ResiduePlace", "SecretFound", "doctor", "find_residue", "misdated", "redate",
    "reembed", "reindex", "scan", "shrink", "verify", "verify_bank", "verify_folder",
]  # fmt: skip

_TEXTS_AT_ONCE = 1000
"""Rows of one read of texts, as in an export (``journal/transfer.py``). Chosen by hand."""


class ResiduePlace(NamedTuple):
    """Place of words that should be gone: a byte of a file, a character of an episode."""

    where: str
    offset: int


@immutable
class Findings:
    """Findings of a verification. ``residue`` is None unless a text was searched for."""

    problems: tuple[str, ...]
    checked: Mapping[str, int] = field(default_factory=dict)
    heads: tuple[str, ...] = ()
    """Head of each bank's journal, such as ``"ada@12:9f…"``: write it down elsewhere, and
    ``verify`` can tell later whether anybody has changed the history up to there."""
    residue: tuple[ResiduePlace, ...] | None = None
    unseen: tuple[str, ...] = ()
    """Places in which nobody could look for the text."""

    @property
    def sound(self) -> bool:
        """Return whether everything is as it should be."""
        return not self.problems and not self.residue


def verify(
    memory: Memory,
    *,
    residue: str | None = None,
    chain: Sequence[str] = (),
    progress: Progress | None = None,
) -> Findings:
    """
    Check the store against itself: the database, every row, text and index, the journal.

    With ``residue``, also search for that text, in any letter case that was likely stored: the raw
    bytes of every file, as UTF-8, UTF-16 and as packed token ids, and the decoded texts of all
    episodes. Then pages in use hold it nowhere, and pages that are not in use must be blank. Of a
    store in PostgreSQL these are the files of the database and the server's log, where its role may
    read them.

    ``chain``: ``heads`` that were written down earlier. A journal that has come to one of them then
    has it in its history still, unless somebody has changed that.
    """
    engine, signed = memory.engine, memory.engine.stored_signatures()
    problems = engine.store.upkeep.check() + _broken_chains(memory, chain)
    for file in engine.store.index_files.every():
        problems += find_damage(file.path)
    places: list[ResiduePlace] = []
    unseen: list[str] = []
    if residue is not None:
        problems += engine.store.upkeep.leftovers()
        raw, unseen = engine.store.upkeep.server_files()
        places += find_residue([*engine.store.upkeep.files(), *raw], residue, signed)
    checked = {"banks": 0, "episodes": 0, "changes": 0}
    names = memory.banks()
    for place, name in enumerate(names):
        verified = _verify_if_there(engine, name, residue, signed)
        if verified is not None:
            found, counts, told = verified
            problems += [f"bank {name!r}: {problem}" for problem in found]
            places += told
            for key, number in {**counts, "banks": 1}.items():
                checked[key] = checked.get(key, 0) + number
        if progress:
            progress(place + 1, len(names))
    calibrated = engine.calibration()
    if calibrated.damaged:
        problems.append(str(calibrated.lacking))
    return Findings(
        problems=tuple(problems),
        checked=checked,
        heads=tuple(_heads(memory, names)),
        residue=None if residue is None else tuple(places),
        unseen=tuple(unseen),
    )


def verify_bank(memory: Memory, name: str) -> Findings:
    """
    Check one bank as ``verify`` does: its rows, texts and indexes, its journal.

    Raises:
        UnknownBank: there is none.

    """
    engine = memory.engine
    ledger = engine.ledger(name)
    problems = engine.store.upkeep.check(ledger.bank)
    checked: dict[str, int] = {}
    try:
        found, checked, _ = _verify_bank(ledger, None, engine.stored_signatures())
        problems += found
    except StoreCorrupt as exc:
        problems.append(str(exc))
    return Findings(
        problems=tuple(f"bank {name!r}: {problem}" for problem in dict.fromkeys(problems)),
        checked=checked | {"banks": 1},
        heads=tuple(_heads(memory, [name])),
    )


def _heads(memory: Memory, names: Sequence[str]) -> Iterator[str]:
    """Yield the head of each bank's journal; of a damaged one nothing, which is told."""
    store = memory.engine.store
    for name in names:
        with suppress(StoreCorrupt), store.read():
            bank = store.banks.number(name)
            if bank is not None:
                yield f"{name}@{store.journal.last_seq(bank)}:{store.journal.head(bank).hex()}"


def _broken_chains(memory: Memory, heads: Sequence[str]) -> list[str]:
    """Return the journals that do not lead to heads that were written down."""
    store, wrong = memory.engine.store, list[str]()
    for head in heads:
        parsed = _HEAD.fullmatch(head)
        if parsed is None:
            msg = (
                f"chain={head!r}: not a head such as 'ada@12:9f…', which verify tells of each bank"
            )
            raise InputError(msg)
        name, seq, hashed = parsed["bank"], int(parsed["seq"]), parsed["hash"]
        bank = store.banks.number(name)
        then = [] if bank is None else store.journal.heads(bank)
        # Shorter than it was: an older copy, or somebody has cut the history off.
        if seq >= len(then):
            wrong.append(f"bank {name!r}: there is no change {seq}, which its head {head} is of")
        elif then[seq].hex() != hashed:
            wrong.append(f"bank {name!r}: the history up to change {seq} is other than {head} says")
    return wrong


_Verified: TypeAlias = tuple[list[str], dict[str, int], list[ResiduePlace]]
"""Problems of a bank, how much was checked, and where the residue is."""
_HEAD: Final = re.compile(r"(?P<bank>.+)@(?P<seq>\d{1,18}):(?P<hash>[0-9a-f]*)", re.DOTALL)
_CHECKED: Final[tuple[Kind, ...]] = ("lexical", "signature", "phrase", "times")


def _verify_if_there(
    engine: EngineContext, name: str, residue: str | None, how: Signatures | None
) -> _Verified | None:
    """Check a bank as ``_verify_bank`` does; None if it was deleted since it was listed."""
    bank = engine.store.banks.number(name)
    if bank is None:
        return None
    verified: _Verified = ([], {}, [])
    try:
        verified = _verify_bank(engine.ledger_of(bank, name), residue, how)
    except StoreCorrupt as exc:
        verified[0].append(str(exc))
    except StoreError:  # a block may go between two looks
        if engine.store.banks.number(name) == bank:
            raise
    # Of one that is being removed some is there, and some is not: that is no damage.
    return verified if engine.store.banks.number(name) == bank else None


def _verify_bank(ledger: Ledger, residue: str | None, how: Signatures | None) -> _Verified:
    """Check texts, states, derived payloads against each other: (problems, counts, residue)."""
    # One snapshot of all, since others may be writing.
    with ledger.store.read():
        records = list(ledger.store.episodes.scan(ledger.bank))
        changes = ledger.store.journal.read(ledger.bank)
        texts, problems = _readable(ledger, records)
        held = {kind: _payloads(ledger, kind, len(records)) for kind in _CHECKED}
    told = states_told((c.row, class_of(c.kind)) for c in changes)
    problems += _undecodable(ledger, changes)
    earlier = Counter[str]()
    by_language = any(made.endswith(READ_BY_LANGUAGE) for made in held["lexical"][:1])
    for record in records:
        text = texts.get(record.row)
        if record.state == "erased" or not text:
            continue  # what cannot be read, ``_readable`` has told
        payloads = {kind: of_rows[record.row] for kind, of_rows in held.items()}
        words = lexical_payload(
            text, occurred_at=record.occurred_at, speaker=record.speaker, source=record.source
        )
        wrong = list(_misread(record, text, payloads, how))
        kept = payloads["lexical"]
        # The first row alone has the mark that a bank is read by language.
        kept = kept if record.row else kept.removesuffix(READ_BY_LANGUAGE)
        if not by_language and kept == _without(words, _LATER_MARKS):
            words = kept
        if kept != words and _without(kept, MARKS) == _without(words, MARKS):
            earlier[_LESS_MARKED] += 1
        elif kept != words and kept and not by_language:
            earlier[_AS_ENGLISH] += 1
        elif kept != words:
            wrong.append("its words are indexed wrongly; run reindex")
        if told.get(record.row) != record.state:
            wrong.append(f"is {record.state}, but its journal says {told.get(record.row)}")
        if record.digest != digest(ledger.salt, text):
            wrong.append("its text is not what was remembered")
        problems += [f"episode {record.id}: {what}" for what in wrong]
    problems += [f"{count} texts were indexed by {why}" for why, count in earlier.items()]
    slept, damage = _spelled_in_sleep(ledger, unpack_phrases(Payloads.of(held["phrase"])).gists)
    problems += damage
    places = []
    if residue is not None:
        places = _told(ledger.name, records, texts, residue)
        looked_for = residue.strip().casefold()
        inside = ((what, spelled.casefold().find(looked_for)) for what, spelled in slept)
        places += [
            ResiduePlace(f"bank {ledger.name!r}, {what}", at) for what, at in inside if at >= 0
        ]
    return problems, {"episodes": len(records), "changes": len(changes)}, places


def _misread(
    record: EpisodeRow, text: str, payloads: Mapping[Kind, bytes], how: Signatures | None
) -> Iterator[str]:
    """Yield the faults of payloads, but for the words, that were made of a text."""
    if how is not None and payloads["signature"] not in (b"", _signed(text, how)):
        yield "its tokens are signed wrongly; run reindex"
    if payloads["phrase"] not in (b"", phrase_payload(text, record.speaker, record.role)):
        yield "its phrases are noted wrongly; run reindex"
    if not times_fit(payloads["times"], text):  # which they are depends on the time zone
        yield "its times are noted wrongly; run reindex"


_LESS_MARKED: Final = (
    "an earlier version, which did not mark those that tell of their speaker, of a deed, or of what"
    " is wished; run 'hippocampus reindex'"
)
_LATER_MARKS: Final = (STANDING, ASKING)
"""Marks that a bank of an earlier version gets in its next sleep, with its words by language."""
_AS_ENGLISH: Final = (
    "an earlier version, which read every word as English; the next sleep reads them anew, and so"
    " does 'hippocampus reindex'"
)


def _without(words: bytes, marks: Sequence[np.uint32]) -> bytes:
    """Return the words of a text as earlier versions, which had fewer marks, noted them."""
    for mark in reversed(marks):
        words = words.removesuffix(pack_terms(np.array([mark], np.uint32)))
    return words


def _undecodable(ledger: Ledger, changes: Sequence[JournalRow]) -> Iterator[str]:
    """Yield the faults of the details of changes."""
    for change in changes:
        try:
            read = fields_of if class_of(change.kind) is Unknown else decode
            read(change, bank=ledger.name, path=ledger.store.path)
        except StoreCorrupt as exc:
            yield str(exc)


def _signed(text: str, how: Signatures) -> bytes:
    (codes,) = signatures([encode(text)], how)
    return codes.tobytes()


def _payloads(ledger: Ledger, kind: Kind, count: int) -> list[bytes]:
    parts = read_payloads(ledger.store, ledger.bank, kind, 0, count)
    return [payload for part in parts for payload in part]


def _readable(ledger: Ledger, records: Sequence[EpisodeRow]) -> tuple[dict[int, str], list[str]]:
    """Return the texts that can be read, and what is wrong with the others."""
    texts: dict[int, str] = {}
    problems: list[str] = []
    for start in range(0, len(records), _TEXTS_AT_ONCE):
        some = [e for e in records[start : start + _TEXTS_AT_ONCE] if e.state != "erased"]
        texts |= ledger.reader.texts([record.row for record in some])
        for record in some:
            if record.row not in texts:
                try:
                    ledger.reader.content.check(record.row)
                except StoreCorrupt as exc:
                    problems.append(f"episode {record.id}: {exc}")
    return texts, problems


def _spelled_in_sleep(
    ledger: Ledger, gists: NDArray[np.uint32]
) -> tuple[list[tuple[str, str]], list[str]]:
    """
    Return the words that artifacts of sleep spell out, and the faults in them.

    ``gists``: what the phrases of all episodes say that anchors should know of them.
    """
    spelled: list[tuple[str, str]] = []
    problems: list[str] = []
    for artifact in ARTIFACTS.values():
        try:
            made = artifact.read(ledger)
        except StoreCorrupt as exc:
            problems.append(str(exc))
        else:
            spelled += () if made is None else artifact.spelled(made)
    anchors = None if problems else ANCHORS.read(ledger)
    if anchors is not None and (anchors.gists != gists[anchors.rows]).any():
        problems.append("anchors know episodes otherwise than they are; sleep once more")
    return spelled, problems


def _told(
    bank: str, records: Sequence[EpisodeRow], texts: Mapping[int, str], words: str
) -> list[ResiduePlace]:
    """Return the places of some words in the texts of a bank, letter case aside."""
    words = words.strip().casefold()
    found = ((record, texts.get(record.row, "").casefold().find(words)) for record in records)
    return [
        ResiduePlace(f"bank {bank!r}, episode {record.id}", at) for record, at in found if at >= 0
    ]


def find_residue(
    files: Sequence[Path | RawFile], text: str, how: Signatures | None = None
) -> tuple[ResiduePlace, ...]:
    """
    Search raw files for a text; every form in which the store could hold its words.

    ``how``: the way its tokens were signed, if they were.
    """
    if not text.strip():
        raise InputError("residue: give the words to look for; blank text is everywhere")
    needles: set[bytes] = set()
    for form in {text, text.strip(), text.lower(), text.strip().casefold()}:
        needles |= {form.encode(), form.encode("utf-16-le")}
        # Within a text the first word is another token, with the blank before it.
        for lead in ("", " "):
            ids = encode(lead + form)
            if len(ids) >= 3:  # shorter runs of ids are in any store by chance
                needles.add(pack(ids))
            if how is not None:  # at its ends a token is signed in the light of what is beside
                (codes,) = signatures([ids], how)
                inner = codes[how.window : max(how.window, len(ids) - how.window)]
                if inner.nbytes >= 16:
                    needles.add(inner.tobytes())
    longest = max(map(len, needles))
    found: list[ResiduePlace] = []
    for file in files:
        offset, carry = 0, b""
        place = file.place if isinstance(file, RawFile) else int
        with (
            nullcontext(file.read_at) if isinstance(file, RawFile) else reading_raw(file) as read_at
        ):
            while piece := read_at(offset, 1 << 22):
                window = carry + piece
                base = offset - len(carry)
                for needle in needles:
                    at = window.find(needle)
                    while at >= 0:
                        found.append(ResiduePlace(file.name, place(base + at)))
                        at = window.find(needle, at + 1)
                offset += len(piece)
                # A needle may lie across two pieces; a short one is found twice so, hence the set.
                carry = window[-(longest - 1) :] if longest > 1 else b""
    return tuple(sorted(set(found)))


def verify_folder(found: Findings, folder: Path, residue: str | None) -> Findings:
    """
    Return the damage found by ``verify``, and by a search of every file in a folder.

    For the data directory of a server, or a backup of one, that its role may not read. ``unseen``
    of ``verify`` says what nobody sees there either.

    Raises:
        InputError: no text is searched for, or there is no such folder.

    """
    if residue is None or not folder.is_dir():
        raise InputError(f"data_directory={str(folder)!r}: give a folder, and a text to look for")
    names = sorted(file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    files = [
        RawFile(str(name.relative_to(folder)), partial(_read_if_there, name)) for name in names
    ]
    files = [
        without_page_headers(file) if name.parent.name == LOG_FOLDER else file
        for file, name in zip(files, names, strict=True)
    ]
    places = [*(found.residue or ()), *find_residue(files, residue)]
    return replace(found, residue=tuple(dict.fromkeys(places)))


def _read_if_there(file: Path, offset: int, size: int) -> bytes:
    """Return bytes of a file; none of one that a server has removed meanwhile."""
    with suppress(FileNotFoundError), reading_raw(file) as read_at:
        return read_at(offset, size)
    return b""


class SecretFound(NamedTuple):
    """A place of a store that holds secrets, and of what kinds."""

    bank: str
    id: str | None
    """The episode; None for what is of the whole bank."""
    kinds: tuple[str, ...]
    where: str
    """Part of it: a field of the episode, a change of the journal, something that sleep made."""
    state: str | None = None
    """The state of the episode: those that are hidden have their words still."""


def scan(memory: Memory, *, progress: Progress | None = None) -> list[SecretFound]:
    """
    Return every place of a store where words are kept that hold secrets; never the secrets.

    Episodes in every state but erased, with all their fields; what people have said of a bank, such
    as its profile, why something is held, and its anchors; where sources are; and what sleep has
    made of all that.
    """
    found: list[SecretFound] = []
    kinds = memory.engine.secret_finder.kinds
    names = memory.banks()
    for place, name in enumerate(names):
        of_bank = [(None, None, "the name of the bank", name)]
        with suppress(UnknownBank):  # it was deleted since it was listed
            places = chain(of_bank, _places_of_words(memory.engine.ledger(name)))
            found += [
                SecretFound(name, id_, held, where, state)
                for id_, state, where, words in places
                if (held := kinds(words))
            ]
        if progress:
            progress(place + 1, len(names))
    return found


def _places_of_words(ledger: Ledger) -> Iterator[tuple[str | None, str | None, str, str]]:
    """Yield all words of a bank, each after its episode, its state, and what it is of that."""
    with ledger.store.read():
        records = list(ledger.store.episodes.scan(ledger.bank))
        changes = ledger.store.journal.read(ledger.bank)
        texts, _ = _readable(ledger, records)  # what is damaged, verify tells
    ids = {record.row: record for record in records}
    for record in records:
        yield record.id, record.state, "text", texts.get(record.row, "")
        yield record.id, record.state, "metadata", spelled(json.loads(record.metadata or "null"))
        for name in LABELS:
            yield record.id, record.state, name, getattr(record, name) or ""
    for change in changes:
        with suppress(StoreCorrupt):
            detail = fields_of(change, bank=ledger.name, path=ledger.store.path)
            of = ids.get(-1 if change.row is None else change.row)
            for name, words in journal_texts(change.kind, detail):
                where = f"{name} of change {change.seq} ({change.kind})"
                yield of and of.id, of and of.state, where, words
    for artifact in ARTIFACTS.values():
        with suppress(StoreCorrupt):  # which verify tells
            made = artifact.read(ledger)
            for what, words in () if made is None else artifact.spelled(made):
                yield None, None, f"{what}, made by sleep", words


def reindex(
    memory: Memory, *, bank: str | None = None, progress: Progress | None = None
) -> dict[str, int]:
    """Make every derived payload anew from the texts; returns episodes by bank."""
    return memory.rebuild(banks=None if bank is None else [bank], progress=progress)


def shrink(memory: Memory) -> tuple[int, int]:
    """
    Make the files of a store as small as what they hold; returns their bytes before and after.

    They are written anew, and meanwhile nobody else writes to any bank.

    Raises:
        InputError: it has no files of its own: a database server looks after those.

    """
    upkeep = memory.engine.store.upkeep
    if not upkeep.files():
        raise InputError(
            f"{memory.engine.store.path} has no file that could get smaller: a PostgreSQL server"
            " does that by itself (VACUUM), and a memory without a file has none"
        )
    before = _nbytes(upkeep.files())
    upkeep.scrub(shrink=True)
    return before, _nbytes(upkeep.files())


def _nbytes(files: Iterable[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def reembed(
    path: StoreAddress,
    embedder: str,
    *,
    key: Key | str | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """
    Move a store to another embedder, in place; goes on where it was stopped.

    Until the last moment the store answers from its present vectors. Several databases change one
    after the other; cut off between them, each answers from its own, until this is run again.
    """
    target = load_embedder(embedder)
    if target is None:
        raise InputError(f"embedder={embedder!r}: name the embedder to move to, such as 'default'")
    # The model that made its present vectors need not be on this machine.
    with Memory(path, embedder="none", create=False, key=key) as memory:
        return memory.rebuild(embedder=target, progress=progress)


def misdated(memory: Memory) -> Iterator[tuple[int, dict[int, int], dict[int, int]]]:
    """
    Yield banks with what is recorded more than a month ahead of the clock, and when it was at most.

    That is (number of the bank, moments by row of episodes, moments by number of changes), in
    microseconds since 1970: of what came next and is dated well, or now.
    """
    store, present = memory.engine.store, to_micros(memory.now())
    for name in memory.banks():
        bank = store.banks.number(name)
        if bank is None:  # it was deleted since it was listed
            continue
        episodes = [(e.row, e.recorded_at) for e in store.episodes.scan(bank)]
        changes = [(change.seq, change.at) for change in store.journal.read(bank)]
        rows, numbers = _well_dated(episodes, present), _well_dated(changes, present)
        if rows or numbers:
            yield bank, rows, numbers


def _well_dated(dated: Sequence[tuple[int, int]], present: int) -> dict[int, int]:
    """Return moments for those that have an impossible one: not after any that follows."""
    found: dict[int, int] = {}
    latest = present
    for key, at in reversed(dated):
        if at > present + MOST_AHEAD:
            found[key] = latest
        else:
            latest = min(latest, at)
    return found


def redate(memory: Memory) -> int:
    """
    Date anew what a wrong clock has recorded in the future; returns how many episodes and changes.

    Processes that have the bank in memory see it once they open it anew.
    """
    store, done = memory.engine.store, 0
    # Found within the transaction as well, so that nobody writes in between.
    with store.write():
        for bank, rows, numbers in misdated(memory):
            store.episodes.redate(bank, rows)
            store.journal.redate(bank, numbers)
            done += len(rows) + len(numbers)
    for name in memory.banks() if done else ():
        memory.engine.bank_cache.drop(name)  # what is in memory has the old moments
    return done


def doctor(
    target: Memory | Path | str | None = None, *, key: Key | str | None = None
) -> list[tuple[str, str, bool | None]]:
    """Return (what, how it is, whether that is well) about this machine and, if given, a store."""
    info = build_info()
    rows: list[tuple[str, str, bool | None]] = [
        ("hippocampus", _version(), None),
        (
            "python",
            f"{platform.python_version()} on {platform.machine()}",
            sys.version_info >= (3, 11),
        ),
        ("sqlite", sqlite3.sqlite_version, sqlite3.sqlite_version_info >= (3, 37)),
        ("numpy", np.__version__, None),
        ("native kernels", ", ".join(f"{k} {v}" for k, v in info.items()), True),
    ]
    try:
        embedder = load_embedder("default")
        assert embedder is not None, "the default is a model"
        rows.append(("default embedder", str(embedder.fingerprint), True))
    except HippocampusError as exc:
        rows.append(("default embedder", str(exc), False))
    if isinstance(target, Memory):
        rows += _store_rows(target)
    elif target is not None and (is_url(target) or Path(target).exists()):
        try:
            with Memory(target, embedder="none", create=False, read_only=True, key=key) as memory:
                rows += _store_rows(memory)
        except HippocampusError as exc:
            rows.append(("store", str(exc), False))
    elif target is not None:
        rows.append(("store", f"{target} does not exist yet", None))
    return rows


def _store_rows(memory: Memory) -> list[tuple[str, str, bool | None]]:
    engine = memory.engine
    files = engine.store.upkeep.files()
    size = f", {sum(file.stat().st_size for file in files) / 1e6:.1f} MB" if files else ""
    made = sorted(str(one) for one in engine.stored_fingerprints() if one is not None)
    between = engine.is_between_embedders()
    signed, by = engine.store.settings.get(SIGNED), engine.store.settings.get(SIGNING)
    unasked = ", until there is an embedder" if by == UNASKED else ""
    problems = engine.store.upkeep.check()
    ahead = sum(len(rows) + len(numbers) for _, rows, numbers in misdated(memory))
    return [
        ("store", f"{engine.store.path}{size}", True),
        ("banks", str(len(memory.banks())), None),
        (
            "vectors",
            (" and ".join(made) or "none yet")
            + ("; the change is not finished: run 'hippocampus reembed'" if between else ""),
            False if between else None,
        ),
        ("signatures", f"{signed or 'none'}{unasked}", None),
        ("calibration", *_calibration(memory)),
        ("database", "; ".join(problems) or "sound", not problems),
        (
            "times",
            f"{ahead:,} episodes and changes are recorded in the future, by a wrong clock;"
            " 'hippocampus doctor --repair' dates them anew"
            if ahead
            else "none in the future",
            not ahead,
        ),
    ]


def _calibration(memory: Memory) -> tuple[str, bool | None]:
    found = memory.engine.calibration()
    if found.lacking is not None:
        return found.lacking, False if found.damaged else None
    return f"of {found.values.embedder}, by {found.values.conversations} conversations", None


def _version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "not installed as a package"
