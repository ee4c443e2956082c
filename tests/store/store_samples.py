"""Made-up rows for the store's tests, and one function that asks a bank everything."""

from hippocampus.core.events import JournalRow
from hippocampus.core.key import Key
from hippocampus.core.records import EpisodeRow

KEY = Key.phrase("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH")
"""Opens the encrypted store."""
KINDS = ("content", "vector", "tokens", "lexical")


def episode(row, **fields):
    known = EpisodeRow(
        row=row,
        id=f"e{row}",
        occurred_at=1_000_000 + row,
        recorded_at=2_000_000 + row,
        session="s",
        turn=row,
        part=0,
        parts=1,
        speaker="Ada",
        role="user",
        source=None,
        address=f"s#{row}",
        metadata="{}",
        digest=bytes([row % 256]) * 16,
        state="active",
        supersedes=None,
        superseded_by=None,
    )
    return known._replace(**fields)


def change(seq, row=None, kind="note", detail='{"by": "x"}'):
    return JournalRow(seq, 1_000 + seq, kind, row, detail)


def new_bank(store, name="ada", *, episodes=0):
    """Make a bank of so many episodes, each with its change and a payload of every kind."""
    with store.write():
        bank = store.banks.add(name, 1)
        grow(store, bank, episodes)
    return bank


def grow(store, bank, count):
    """Note ``count`` more episodes, inside a transaction."""
    row, seq = store.episodes.count(bank), store.journal.last_seq(bank)
    store.episodes.add(bank, [episode(row + i) for i in range(count)])
    store.journal.append(bank, [change(seq + 1 + i, row + i) for i in range(count)])
    for kind in KINDS:
        store.payloads.put(
            bank, kind, [(row + i, f"{kind} {row + i}".encode()) for i in range(count)]
        )


def everything(store, bank):
    """Answer what every reading method says about a bank."""
    with store.read():
        rows = list(store.episodes.scan(bank))
        spans = {kind: store.payloads.block_spans(bank, kind) for kind in KINDS}
        return {
            "count": store.episodes.count(bank),
            "last": store.journal.last_seq(bank),
            "journal": store.journal.read(bank),
            "rows": rows,
            "ids": store.episodes.rows_of(bank, [row.id for row in rows]),
            "digests": [store.episodes.rows_with_digest(bank, row.digest) for row in rows],
            "session": store.episodes.last_of_session(bank, "s", 3),
            "source": store.episodes.from_source(bank, "f"),
            "tail": {kind: store.payloads.tail(bank, kind) for kind in KINDS},
            "blocks": [
                store.payloads.block(bank, k, first) for k in KINDS for first, _ in spans[k]
            ],
            "bytes": store.upkeep.stored_bytes(bank),
        }


def sees_nothing(store, bank):
    """Whether nothing is left under a bank's number."""
    left = everything(store, bank)
    return not any(left[k] for k in ("count", "last", "journal", "rows", "blocks")) and not any(
        left["tail"].values()
    )
