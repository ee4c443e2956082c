"""
Damage to what a store consists of, and to what comes in from outside, without opening a store.

Each class makes something sound once; ``damaged`` damages it, in a way that is drawn, and returns
(silent, unnoticed): whether it was taken for sound and told something else, and whether for sound.
What is no ``HippocampusError``, nor what a reader says that it raises, is raised.
"""

import json
import sqlite3
from contextlib import closing

import numpy as np
from campaign import NOW, file_of, make
from starlette.testclient import TestClient

from hippocampus import Memory
from hippocampus.core.records import Block, Payloads
from hippocampus.errors import HippocampusError, StoreCorrupt
from hippocampus.journal.content import Segment
from hippocampus.kernel import HuffmanWaveletMatrix, WaveletMatrix, checksum
from hippocampus.server import create_app
from hippocampus.server.keys import Keys
from hippocampus.store.blocks import inflate, seal, unseal
from hippocampus.upkeep import verify
from hippocampus.verbs import BANK_VERBS


def flipped(whole, rng):
    """Return bytes of which one bit is another."""
    at = rng.randrange(len(whole))
    return whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :]


class Blocks:
    """Sealed blocks: a bit of one, of its checksum, or one that is in the place of another."""

    def __init__(self, folder):
        path = folder / "blocks.db"
        make(path, 47, embedder="hash")
        with closing(sqlite3.connect(path)) as db:
            self.rows = db.execute(
                "SELECT bank, kind, first, count, payload, checksum FROM blocks"
            ).fetchall()

    def damaged(self, rng):
        bank, kind, first, count, framed, guard = rng.choice(self.rows)
        how = rng.random()
        if how < 0.8:
            framed = flipped(framed, rng)
        elif how < 0.9:
            guard = flipped(guard, rng)
        else:
            other = rng.choice(self.rows)
            if other[:4] != (bank, kind, first, count):
                framed, guard = other[4:]
            else:
                framed = framed[: rng.randrange(len(framed))]
        try:
            unseal(bank, kind, first, count, framed, guard, path="a store")
        except StoreCorrupt:
            self._behind(kind, framed, rng)
            return False, False
        return True, True

    def _behind(self, kind, framed, rng):
        """Read what is damaged as if its checksum had been made to fit."""
        block = Block(0, rng.randrange(1, 64), framed[len(seal(0, kind, Block(0, 1, b""))[0]) :])
        payload = inflate(block.payload, block.count)
        if payload is None:
            return
        try:
            if kind == "content":
                segment = Segment.load(block, path="a store")
                segment.ids(range(block.count))
            else:
                Payloads.from_block(Block(0, block.count, payload))
        except (HippocampusError, ValueError):
            pass  # which readers of blocks expect


class Matrices:
    """Wavelet matrices, many at a time: bits, bytes, numbers and ends, some with a new checksum."""

    each = 1000
    """How many are damaged at once."""

    def __init__(self, _):
        rng = np.random.default_rng(0)
        self.sound = []
        for bits, length in ((1, 70), (7, 300), (18, 600), (32, 100)):
            symbols = rng.integers(0, 1 << bits, length, dtype=np.uint64)
            symbols[: length // 2] = symbols[0]
            self.sound += [
                (kind, kind.build(symbols, bits).to_bytes(), symbols)
                for kind in (WaveletMatrix, HuffmanWaveletMatrix)
            ]

    def damaged(self, rng):
        silent = unnoticed = 0
        for _ in range(self.each):
            kind, whole, symbols = rng.choice(self.sound)
            changed, refits = self._changed(whole, rng), rng.random() < 0.5
            if refits and len(changed) > 8:
                body = np.frombuffer(changed[:-8], np.uint8)
                changed = changed[:-8] + checksum(body).to_bytes(8, "little")
            try:
                matrix = kind.load(changed)
            except ValueError:
                continue
            unnoticed += changed != whole and not refits
            self._ask(matrix, symbols)
            silent += changed != whole and not refits
        return silent > 0, unnoticed > 0

    def _changed(self, whole, rng):
        how = rng.random()
        if how < 0.5:
            return flipped(whole, rng)
        at = rng.randrange(len(whole))
        if how < 0.7:
            return whole[:at] + rng.randbytes(1) + whole[at + 1 :]
        if how < 0.9:
            number = rng.choice((0, 1, 1 << 31, 1 << 63, (1 << 64) - 1)).to_bytes(8, "little")
            return whole[: at & ~7] + number + whole[(at & ~7) + 8 :]
        return whole[:at]

    def _ask(self, matrix, symbols):
        """Ask what was loaded: any answer will do, or that there is none, as long as it ends."""
        length = min(len(matrix), 2000)
        places = np.arange(length, dtype=np.uint64)
        for ask in (
            lambda: matrix.access(places), lambda: matrix.span(0, length),
            lambda: matrix.rank(symbols[:8], length), lambda: matrix.select(symbols[:8], 0),
            lambda: matrix.top_k(0, length, 5), matrix.to_bytes,
        ):  # fmt: skip
            try:
                ask()
            except (IndexError, OverflowError, ValueError):
                continue


JUNK = (
    None, -1, 1 << 70, 1.5, "", "\ud800", "x" * 70_000, [], {}, [[]], {"a": {}}, True, "1999-13-40",
    "../../etc", "episode", 10**15, -(10**15),
)  # fmt: skip


class Exports:
    """Exports that somebody has changed: they are refused, or make a bank that is sound."""

    def __init__(self, folder):
        with Memory(folder / "exported.db", embedder="none") as memory:
            make_bank(memory)
            path = file_of(memory, "sound.jsonl")
            memory.bank("ada").export(path)
        self.lines = path.read_bytes().splitlines(keepends=True)
        self.file = folder / "tampered.jsonl"

    def damaged(self, rng):
        self.file.write_bytes(self._tampered(rng))
        with Memory(":memory:", embedder="none") as memory:
            bank = memory.bank("ada")
            try:
                bank.import_(self.file)
            except HippocampusError:
                return False, False
            for episode in bank.episodes()[:3]:
                bank.history(episode.id)
            bank.recall("tree in the garden")
            return not verify(memory).sound, True

    def _tampered(self, rng):
        lines, how = list(self.lines), rng.random()
        at = rng.randrange(len(lines))
        if how < 0.2:
            return flipped(b"".join(lines), rng)
        if how < 0.3:
            whole = b"".join(lines)
            return whole[: rng.randrange(len(whole))]
        if how < 0.4:
            del lines[at]
        elif how < 0.5:
            lines.insert(rng.randrange(len(lines)), lines[at])
        elif how < 0.6:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            lines[at] = json.dumps(changed(json.loads(lines[at]), rng)).encode() + b"\n"
        return b"".join(lines)


def changed(value, rng):
    """Return a JSON value with one part of it replaced, or gone."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        if rng.random() < 0.1:
            return {name: one for name, one in value.items() if name != key}
        return value | {key: changed(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        return [*value[:at], changed(value[at], rng), *value[at + 1 :]]
    return rng.choice(JUNK)


def make_bank(memory):
    """Give a bank something of every kind that an export tells of."""
    bank = memory.bank("ada")
    kept = [bank.remember(f"Ada planted tree {n}.", session="s", at=NOW) for n in range(6)]
    bank.correct(kept[1].id, "Tree 1 was an apple tree.")
    bank.forget(kept[2].id)
    bank.forget(kept[3].id, erase=True)
    bank.pin(kept[4].id)
    bank.curate(add=["tree"])
    bank.set_policy("adaptive:50")
    bank.sleep()


OURS, THEIRS = "acme/lena", "globex/omar"
SECRET = "zebra-quartz"  # noqa: S105 - no number, which the id of a request may have in it
BANKS = (
    OURS, THEIRS, "acme%2F..%2Fglobex%2Fomar", "acme/../globex/omar", "globex%252Fomar", "*",
    "globex*", "GLOBEX/omar", "globex/omar ", "globex/omar%00", "globex%2fomar", "\u0261lobex/omar",
    "acme/*", "..", "acme%2Flena%2F..%2F..%2Fglobex%2Fomar", "globex%5Comar", "",
)  # fmt: skip


class Requests:
    """Requests of one tenant's keys that reach for another's bank, or are none at all."""

    def __init__(self, folder):
        self.memory = Memory(folder / "tenants.db", embedder="none")
        self.memory.bank(OURS).remember("Lena's code is 4711.")
        self.kept = self.memory.bank(THEIRS).remember(f"The word is {SECRET}.")
        keys = Keys(self.memory)
        self.tokens = [
            keys.create(one, one, ["acme/*"]).token for one in ("read", "write", "admin")
        ]
        self.verbs = [*BANK_VERBS, "export", "import", "import_concepts", "plot_topics", "nothing"]
        self.client = TestClient(create_app(self.memory), raise_server_exceptions=True)

    def damaged(self, rng):
        bank, verb = rng.choice([*[OURS] * 8, *BANKS]), rng.choice(self.verbs)
        spec = BANK_VERBS.get(verb)
        named = bank if rng.random() < 0.2 else bank.replace("/", "%2F")
        path = f"/v1/banks/{named}/{verb}"
        if rng.random() < 0.1:
            path = rng.choice([f"/v1/banks/{bank}", "/v1/banks", "/v1/keys", "/v1/backup"])
        method = "GET" if spec is None else spec.method
        if rng.random() < 0.1:
            method = rng.choice(["GET", "POST", "DELETE", "PUT"])
        names = [] if spec is None else [one for one in spec.arguments if one != "cursor"]
        wanted = [one for one in names if spec.arguments[one].required or rng.random() < 0.2]
        arguments = {name: self._value(name, rng) for name in wanted}
        token = rng.choice([*self.tokens * 4, "hpc_000000000000_x", self.tokens[0][:-1]])
        how = {"json": arguments}
        if method == "GET" or rng.random() < 0.1:
            how = {"params": {name: str(value) for name, value in arguments.items()}}
        answer = self.client.request(
            method, path, headers={"Authorization": f"Bearer {token}"}, **how
        )
        if answer.status_code >= 500:
            raise AssertionError(f"{method} {path} {how!r:.200}: {answer.text:.200}")
        leaks = SECRET in answer.text
        there = [one.text for one in self.memory.bank(THEIRS).episodes()]
        if OURS not in self.memory.banks():  # which its admin may delete
            self.memory.bank(OURS).remember("Lena's code is 4711.")
        return leaks or there != [self.kept.text], answer.status_code < 400

    def _value(self, name, rng):
        """Return an argument, such as would reach into another's bank."""
        if name in {"query", "text", "term", "topic"}:
            return "code"
        if name in {"id", "ids", "address"}:
            ours = self.memory.bank(OURS).episodes()
            return rng.choice([self.kept, *ours]).id
        if name in {"include", "to", "banks"}:
            return rng.choice([THEIRS, [THEIRS], "globex/*", [OURS, THEIRS], OURS])
        return rng.choice(["code", 1, *JUNK[:5], *JUNK[7:]])


SCHEMA = (
    "CREATE TRIGGER t AFTER INSERT ON episodes BEGIN DELETE FROM journal; END",
    "CREATE TRIGGER t AFTER UPDATE ON settings BEGIN DELETE FROM episodes; END",
    "CREATE VIEW v AS SELECT * FROM episodes",
    "CREATE INDEX i ON episodes (speaker)",
    "CREATE TABLE more (a)",
    "ALTER TABLE episodes ADD COLUMN more",
    "ALTER TABLE journal RENAME COLUMN detail TO details",
    "ALTER TABLE tail RENAME TO tails",
    "DROP TABLE blocks",
    "DROP TABLE settings",
    "CREATE TEMP TABLE episodes (a)",
)
HEADS = (
    b"SQLite format 3\0",
    b"\x89PNG\r\n",
    b"PK\3\4",
    b"{}",
    b"\0",
    b"\xff\xfe",
    b"HPHW",
    b"%PDF",
)


def hostile(whole, path, rng):
    """Put a file in the place of a store that somebody has made to do harm."""
    how = rng.random()
    if how < 0.2:
        path.write_bytes(rng.choice(HEADS) + rng.randbytes(rng.choice((1, 90, 5000, 70_000))))
    elif how < 0.5:
        at = rng.randrange(16, 100)
        path.write_bytes(whole[:at] + rng.randbytes(rng.randint(1, 8)) + whole[at + 8 :])
    else:
        path.write_bytes(whole)
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            if how < 0.7:
                db.execute(rng.choice(SCHEMA))
            elif how < 0.8:
                db.execute(f"PRAGMA user_version = {rng.choice((0, 1, 2, 5, 99, -1, 1 << 30))}")
            elif how < 0.9:
                bomb = b"HipZ" + (1 << rng.choice((20, 33, 62))).to_bytes(8, "little") + bytes(40)
                table = rng.choice(("tail", "blocks"))
                db.execute(f"UPDATE {table} SET payload = ?", (bomb,))  # noqa: S608
            else:
                junk = rng.choice(("", "{", "null", "[]", "x" * 9999, b"\xff", 1 << 40))
                db.execute("PRAGMA ignore_check_constraints = ON")
                db.execute("UPDATE OR IGNORE settings SET value = ?", (junk,))
