"""What every store promises, whatever keeps it."""

# ruff: noqa: PT012 - what makes a write() fail takes more than one statement

import threading
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_samples import KEY, KINDS, change, episode, everything, grow, new_bank, sees_nothing

from hippocampus.core.events import Forgotten, IndexRebuilt
from hippocampus.core.records import Block, DoneRequest
from hippocampus.errors import StoreClosed, StoreCorrupt, StoreError
from hippocampus.store import kept_time, open_store


class Stop(Exception):
    """Leaves a transaction."""


DAY = 86_400_000_000
NOON_NS = 1_748_779_200 * 10**9

# ---------------------------------------------------------------- transactions


def test_what_a_write_leaves_by_an_exception_never_happened(store):
    bank = new_bank(store, episodes=2)
    before = everything(store, bank)

    with pytest.raises(Stop), store.write():
        grow(store, bank, 3)
        store.episodes.set_state(bank, [0], "forgotten")
        store.payloads.put_block(bank, "content", Block(0, 2, b"sealed"))
        raise Stop

    assert before == everything(store, bank)


def test_a_nested_write_is_undone_alone(store):
    with store.write():
        store.settings.put("outer", "kept")
        with pytest.raises(Stop), store.write():
            store.settings.put("inner", "lost")
            with store.write():
                store.settings.put("innermost", "lost too")
            raise Stop
        with store.write():
            store.settings.put("later", "kept")

    assert [store.settings.get(key) for key in ("outer", "inner", "innermost", "later")] == [
        "kept",
        None,
        None,
        "kept",
    ]


def test_a_write_is_of_the_whole_store_if_the_outermost_one_is(store):
    bank = new_bank(store)
    assert not store.writes_all()
    with store.read():
        assert not store.writes_all()
    with store.write():
        assert store.writes_all()
        with store.write(bank):
            assert store.writes_all()
    with store.write(bank):
        is_all = store.writes_all()  # where a store has one writer
        with store.write():
            assert is_all == store.writes_all()
    assert not store.writes_all()


def test_only_the_thread_of_a_write_sees_it_before_it_is_done(store):
    asked, answers = threading.Event(), []

    def look():
        asked.set()
        answers.append(store.settings.get("k"))

    with pytest.raises(Stop), store.write():
        store.settings.put("k", "v")
        assert store.settings.get("k") == "v"
        with store.read():
            assert store.settings.get("k") == "v"
        thread = threading.Thread(target=look)
        thread.start()
        asked.wait()
        raise Stop
    thread.join()

    assert answers == [None]


@pytest.mark.slow
def test_threads_queue_to_write_without_losing_anything(store):
    bank = new_bank(store)

    def work():
        for _ in range(10):
            with store.write():
                grow(store, bank, 1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 60 == store.episodes.count(bank) == store.journal.last_seq(bank)
    assert store.upkeep.check() == []


def test_a_writing_method_outside_write_is_refused_even_while_another_thread_writes(store):
    refused = []

    def intrude():
        with pytest.raises(StoreError, match="outside write"):
            store.settings.put("k", "v")
        refused.append(True)

    intrude()
    with store.write():
        thread = threading.Thread(target=intrude)
        thread.start()
        thread.join()

    assert refused == [True, True]
    assert store.settings.get("k") is None


def test_an_exception_of_the_caller_leaves_as_it_is(store):
    with pytest.raises(FileNotFoundError), store.write():
        raise FileNotFoundError


def test_changes_differs_after_a_commit_and_only_then(store):
    first = store.changes()
    assert first == store.changes()

    with store.write():
        store.settings.put("k", "v")
    second = store.changes()
    with pytest.raises(Stop), store.write():
        raise Stop

    assert first != second
    assert second == store.changes()


def test_changes_is_as_before_when_a_write_is_undone(store):
    before = store.changes()
    with pytest.raises(Stop), store.write():
        inside = [store.changes(), store.changes()]
        with store.write():
            inside.append(store.changes())
        raise Stop

    assert 4 == len({before, *inside})
    assert before == store.changes()


def test_reading_then_writing_in_two_threads_does_not_deadlock(store):
    reading, writing = threading.Event(), threading.Event()

    def read_then_write():
        with store.read():
            store.settings.get("k")
            reading.set()
            writing.wait(0.2)  # in memory a writer waits for the reader, so it may never come
            with store.write():
                store.settings.put("a", "1")

    def write_then_ask():
        reading.wait()
        with store.write():
            writing.set()
            store.changes()
            store.settings.put("b", "1")

    threads = [threading.Thread(target=f) for f in (read_then_write, write_then_ask)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(4)

    assert [store.settings.get("a"), store.settings.get("b")] == ["1", "1"]


def test_after_close_every_method_says_so(store):
    bank = new_bank(store, episodes=1)
    store.close()
    store.close()

    for use in (
        lambda: store.settings.get("k"),
        lambda: everything(store, bank),
        store.changes,
        lambda: store.write().__enter__(),
        store.upkeep.scrub,
        store.upkeep.check,
    ):
        with pytest.raises(StoreClosed, match="open it again"):
            use()


# ---------------------------------------------------------------- settings and banks


def test_a_setting_is_kept_until_it_is_replaced_or_removed(store):
    with store.write():
        store.settings.put("k", "one")
        store.settings.put("k", "two")
        store.settings.put("gone", "x")
        store.settings.put("gone", None)
        store.settings.put("never", None)

    assert [store.settings.get(k) for k in ("k", "gone", "never")] == ["two", None, None]


def test_a_bank_keeps_its_number_among_names_that_are_sorted(store):
    numbers = [new_bank(store, name) for name in ("zoe", "ada", "Bo", "zoe")]

    assert numbers[0] == numbers[3] == store.banks.number("zoe")
    assert len(set(numbers)) == 3
    assert store.banks.names() == ["Bo", "ada", "zoe"]
    assert store.banks.number("nobody") is None


@pytest.mark.slow
def test_names_of_banks_are_given_by_how_they_begin_and_in_part(store):
    names = [
        "",
        "a",
        "a/",
        "a/\U0010ffff",
        "a/\U0010ffff!",
        "a/b",
        "a0",
        "b",
        "\ud7ff",
        "\ue000x",
        "é",
    ]
    with store.write():
        for name in names:
            store.banks.add(name, at=1)
    ordered = sorted(names)

    for prefix in [*names, "a/\U0010ffff", "z", "\U0010ffff"]:
        began = [name for name in ordered if name.startswith(prefix)]
        assert [n for n in began if n] == store.banks.names(prefix=prefix)
        for after in names:
            rest = [name for name in began if name > after]
            assert rest == store.banks.names(prefix=prefix, after=after)
            assert rest[:2] == store.banks.names(prefix=prefix, after=after, limit=2)


def test_a_dropped_bank_leaves_nothing_under_a_number_that_is_never_reused(store):
    kept, dropped = new_bank(store, "kept", episodes=3), new_bank(store, "gone", episodes=3)
    before = everything(store, kept)
    with store.write():
        store.payloads.put_block(dropped, "content", Block(0, 2, b"x"))
        store.banks.drop(dropped)
    again = new_bank(store, "gone")

    assert again not in {kept, dropped}
    assert sees_nothing(store, dropped)
    assert sees_nothing(store, again)
    assert before == everything(store, kept)


def test_a_stale_number_cannot_write_under_a_dropped_bank(store):
    bank = new_bank(store)
    with store.write():
        store.banks.drop(bank)

    with pytest.raises(StoreError, match="dropped"), store.write():
        grow(store, bank, 1)


# ---------------------------------------------------------------- journal


def test_the_journal_is_read_in_order_within_what_is_asked_for(store):
    bank = new_bank(store, episodes=3)
    with store.write():
        store.journal.append(bank, [change(4, 1, "forget"), change(5, None, "rebuild")])

    def seqs(**wanted):
        return [c.seq for c in store.journal.read(bank, **wanted)]

    assert seqs() == [1, 2, 3, 4, 5]
    assert seqs(after=3) == [4, 5]
    assert [2, 4] == seqs(row=1) == seqs(row=np.int64(1))
    assert seqs(row=1, after=2) == [4]
    assert seqs(kinds={Forgotten, IndexRebuilt}) == [4, 5]
    assert [] == seqs(kinds=()) == seqs(limit=0) == seqs(row=99)
    assert seqs(limit=2) == [1, 2]
    assert store.journal.last_seq(bank) == 5
    assert change(4, 1, "forget") == store.journal.read(bank, after=3)[0]


@pytest.mark.parametrize("seqs", [[4], [1], [0], [2, 4], [2, 2], [3, 2]])
def test_a_journal_with_a_gap_or_a_repetition_is_refused(store, seqs):
    bank = new_bank(store, episodes=1)

    with pytest.raises(StoreError, match="catch up"), store.write():
        store.journal.append(bank, [change(seq) for seq in seqs])

    assert store.journal.last_seq(bank) == 1


def test_redacting_empties_the_details_of_these_rows_only(store):
    bank = new_bank(store, episodes=3)
    with store.write():
        store.journal.append(bank, [change(4, 1), change(5)])
        store.journal.redact(bank, np.array([1, 2]))

    full = '{"by": "x"}'
    assert [full, "{}", "{}", "{}", full] == [c.detail for c in store.journal.read(bank)]


# ---------------------------------------------------------------- episodes


def test_episodes_come_back_as_they_were_given(store):
    bank = new_bank(store)
    rows = [
        episode(0, session=None, turn=None, speaker=None, role=None),
        episode(
            1,
            source="f",
            metadata='{"ü": "\\u0000 \' 日本"}',
            address="a\0b",
            occurred_at=-62_135_596_800_000_000,
        ),
        episode(2, state="superseded", superseded_by=3),
        episode(3, supersedes=2, digest=b"\0\xff"),
    ]
    with store.write():
        store.episodes.add(bank, iter(rows))

    assert rows == list(store.episodes.scan(bank))
    assert rows[2:] == list(store.episodes.scan(bank, start=2))
    assert store.episodes.count(bank) == 4
    assert [rows[3], rows[0], rows[3]] == store.episodes.read(bank, [3, 99, 0, 3])
    assert (
        [rows[1]]
        == store.episodes.read(bank, np.array([1]))
        == store.episodes.from_source(bank, "f")
    )
    assert store.episodes.rows_of(bank, {"e1", "e3", "nobody"}) == {"e1": 1, "e3": 3}
    assert store.episodes.read(bank, []) == []
    assert store.episodes.rows_of(bank, []) == {}


def test_ids_are_found_by_what_they_begin_with(store):
    with store.write():
        bank = store.banks.add("ada", 0)
        store.episodes.add(bank, [episode(row, id=f"a{row:02}") for row in range(12)])

    assert store.episodes.ids_beginning(bank, "a0", 3) == ["a00", "a01", "a02"]
    assert store.episodes.ids_beginning(bank, "a1", 9) == ["a10", "a11"]
    assert store.episodes.ids_beginning(bank, "a03", 9) == ["a03"]
    for other in ("b", "A0", "a%", "a_", "a03x"):
        assert store.episodes.ids_beginning(bank, other, 9) == []


@pytest.mark.slow
def test_rows_may_be_added_while_a_scan_spans_many_queries(store):
    bank = new_bank(store)
    with store.write():
        store.episodes.add(bank, [episode(row) for row in range(9000)])

    scan = store.episodes.scan(bank)
    begun = next(scan)
    with store.write():
        store.episodes.add(bank, [episode(9000)])

    assert list(range(1, 9001)) == [row.row for row in scan]
    assert begun.row == 0
    assert len(store.episodes.rows_of(bank, [f"e{row}" for row in range(9500)])) == 9001
    assert len(store.episodes.read(bank, range(9500))) == 9001


@pytest.mark.parametrize("rows", [[2], [0], [1, 3], [1, 1]])
def test_rows_that_do_not_follow_are_refused(store, rows):
    bank = new_bank(store, episodes=1)

    with pytest.raises(StoreError, match="row"), store.write():
        store.episodes.add(bank, [episode(row, id=f"new{i}") for i, row in enumerate(rows)])


def test_an_id_is_taken_once_in_a_bank_and_free_in_another(store):
    ada, bo = new_bank(store, "ada", episodes=1), new_bank(store, "bo")

    with pytest.raises(StoreError), store.write():
        store.episodes.add(ada, [episode(1, id="e0")])
    with store.write():
        store.episodes.add(bo, [episode(0, id="e0")])

    assert 1 == store.episodes.count(ada) == store.episodes.count(bo)


def test_a_link_to_the_next_version_lasts_through_states_until_active_again(store):
    bank = new_bank(store, episodes=3)

    def state_of(row):
        found = store.episodes.read(bank, [row])[0]
        return found.state, found.superseded_by

    with store.write():
        store.episodes.set_state(bank, [0, 1], "superseded", superseded_by=np.int64(2))
    assert ("superseded", 2) == state_of(0) == state_of(1)

    with store.write():
        store.episodes.set_state(bank, [0], "forgotten")
        store.episodes.set_state(bank, [1], "active")
    assert state_of(0) == ("forgotten", 2)
    assert ("active", None) == state_of(1) == state_of(2)


def test_what_is_erased_stays_erased(store):
    bank = new_bank(store, episodes=2)
    with store.write():
        store.episodes.set_state(bank, [0], "erased")
        store.episodes.set_state(bank, [0, 1], "forgotten")

    assert ["erased", "forgotten"] == [e.state for e in store.episodes.read(bank, [0, 1])]


def test_the_last_of_a_session_come_oldest_first(store):
    bank = new_bank(store)
    with store.write():
        store.episodes.add(bank, [episode(r, session="st"[r % 2]) for r in range(10)])

    assert [row.row for row in store.episodes.last_of_session(bank, "s", 3)] == [4, 6, 8]
    assert store.episodes.last_of_session(bank, "nobody", 3) == []


def test_equal_digests_are_found_in_order_until_erased(store):
    bank = new_bank(store)
    with store.write():
        store.episodes.add(bank, [episode(row, digest=b"same") for row in range(3)])
        store.episodes.erase(bank, [1])

    assert store.episodes.rows_with_digest(bank, b"same") == [0, 2]
    assert (
        []
        == store.episodes.rows_with_digest(bank, b"")
        == store.episodes.rows_with_digest(bank, b"other")
    )


def test_erasing_leaves_a_row_an_id_and_a_state_and_no_word(store):
    bank = new_bank(store)
    word = "sphinx"
    said = dict.fromkeys(("session", "speaker", "role", "source", "address"), word)
    with store.write():
        store.episodes.add(bank, [episode(0, metadata=f'"{word}"', digest=b"sphinx", **said)])
        store.episodes.erase(bank, [0])
    left = store.episodes.read(bank, [0])[0]

    assert (left.row, left.id, left.state) == (0, "e0", "erased")
    assert word not in repr(left)
    assert left.digest == b""
    assert store.episodes.count(bank) == 1


# ---------------------------------------------------------------- payloads


def test_a_payload_is_read_by_row_as_it_was_last_written(store):
    bank = new_bank(store, episodes=4)
    with store.write():
        store.payloads.put(bank, "vector", ((r, p) for r, p in [(2, b"new"), (3, b"")]))

    assert store.payloads.tail(bank, "vector", start=2) == [(2, b"new"), (3, b"")]
    assert store.payloads.read(bank, "vector", np.array([1, 3, 9])) == {1: b"vector 1", 3: b""}
    assert store.payloads.tail(bank, "content", start=2) == [(2, b"content 2"), (3, b"content 3")]


def test_sealing_a_block_takes_its_rows_off_the_tail(store):
    bank = new_bank(store, episodes=5)
    with store.write():
        store.payloads.put_block(bank, "content", Block(0, 2, b"first"))
        store.payloads.put_block(bank, "content", Block(2, 2, b"second"))
        store.payloads.put_block(bank, "content", Block(0, 2, b"first, again"))

    assert store.payloads.block_spans(bank, "content") == [(0, 2), (2, 2)]
    assert Block(0, 2, b"first, again") == store.payloads.block(bank, "content", 0)
    assert [row for row, _ in store.payloads.tail(bank, "content")] == [4]
    assert store.payloads.read(bank, "content", range(5)) == {4: b"content 4"}
    assert len(store.payloads.tail(bank, "vector")) == 5
    assert store.upkeep.check() == []


def test_what_is_sealed_and_what_is_not_is_told_of_several_kinds_at_once(store):
    bank = new_bank(store, episodes=5)
    with store.write():
        store.payloads.put_block(bank, "content", Block(0, 2, b"first"))
        store.payloads.put_block(bank, "content", Block(2, 1, b"second"))

    assert store.payloads.sealed(bank, ["content", "vector"]) == {"content": 3, "vector": 0}
    assert store.payloads.tails(bank, {"content": 0, "vector": 4, "signature": 0}) == {
        "content": {3: b"content 3", 4: b"content 4"},
        "vector": {4: b"vector 4"},
        "signature": {},
    }
    assert store.payloads.tails(bank, {}) == store.payloads.sealed(bank, []) == {}


def test_a_block_replaces_those_within_it_and_never_part_of_one(store):
    bank = new_bank(store, episodes=6)
    with store.write():
        for first in (0, 2, 4):
            store.payloads.put_block(bank, "content", Block(first, 2, b"small"))

    for first, count in [(1, 2), (3, 1), (0, 3), (1, 5)]:
        with pytest.raises(StoreError, match="overlap"), store.write():
            store.payloads.put_block(bank, "content", Block(first, count, b"x"))
    with store.write():
        store.payloads.put_block(bank, "content", Block(0, 4, b"large"))

    assert store.payloads.block_spans(bank, "content") == [(0, 4), (4, 2)]


def test_a_block_that_is_not_there_is_an_error(store):
    with pytest.raises(StoreError, match="row 7"):
        store.payloads.block(new_bank(store), "content", 7)


def test_dropping_a_kind_leaves_the_others(store):
    bank = new_bank(store, episodes=3)
    with store.write():
        store.payloads.put_block(bank, "vector", Block(0, 2, b"x"))
        store.payloads.drop(bank, "vector")

    assert [] == store.payloads.block_spans(bank, "vector") == store.payloads.tail(bank, "vector")
    assert len(store.payloads.tail(bank, "content")) == 3


def test_moved_payloads_stand_in_place_of_what_was_there(store):
    bank = new_bank(store, episodes=3)
    with store.write():
        store.payloads.put_block(bank, "vector", Block(0, 2, b"old"))
        store.payloads.put(bank, "vector.next", [(0, b"a"), (1, b"b")])
        store.payloads.move(bank, "vector.next", "vector")

    assert store.payloads.tail(bank, "vector") == [(0, b"a"), (1, b"b")]
    assert (
        [] == store.payloads.block_spans(bank, "vector") == store.payloads.tail(bank, "vector.next")
    )


def test_stored_bytes_count_each_kind_in_tail_and_blocks(store):
    bank = new_bank(store)
    with store.write():
        store.episodes.add(bank, [episode(row) for row in range(3)])
        store.payloads.put(bank, "content", [(2, b"x" * 50)])
        store.payloads.put_block(bank, "content", Block(0, 2, b"y" * 1000))

    assert 1050 <= store.upkeep.stored_bytes(bank)["content"] < 1200
    assert "vector" not in store.upkeep.stored_bytes(bank)


# ---------------------------------------------------------------- upkeep


@pytest.mark.slow
def test_a_backup_makes_a_whole_store_while_reporting_its_progress(store, tmp_path, request):
    bank = new_bank(store, episodes=20)
    seen = []
    store.upkeep.backup(
        tmp_path / "copy.db", progress=lambda done, total: seen.append((done, total))
    )

    key = KEY if "encrypted" in request.node.name else None
    with closing(open_store(tmp_path / "copy.db", busy_timeout_s=5, key=key)) as copy:
        assert everything(store, bank) == everything(copy, copy.banks.number("ada"))
        assert copy.upkeep.check() == []
    assert seen[-1][0] == seen[-1][1] > 0


@pytest.mark.slow
def test_scrubbing_changes_no_answer(store):
    bank = new_bank(store, episodes=20)
    with store.write():
        store.payloads.drop(bank, "vector")
    before = everything(store, bank)
    store.upkeep.scrub()

    assert before == everything(store, bank)
    assert store.upkeep.check() == []


def test_upkeep_inside_a_transaction_is_refused(store, tmp_path):
    for use in (store.upkeep.scrub, lambda: store.upkeep.backup(tmp_path / "copy.db")):
        with store.write(), pytest.raises(StoreError, match="after the block"):
            use()


# ---------------------------------------------------------------- laws

names = st.sampled_from(["ada", "bo"])
some_rows = st.lists(st.integers(0, 5), max_size=4)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("grow"), names, st.integers(1, 3)),
        st.tuples(st.just("forget"), names, some_rows),
        st.tuples(st.just("erase"), names, some_rows),
        st.tuples(st.just("redact"), names, some_rows),
        st.tuples(st.just("seal"), names, st.sampled_from(KINDS)),
        st.tuples(st.just("drop kind"), names, st.sampled_from(KINDS)),
        st.tuples(st.just("drop"), names, st.none()),
    ),
    max_size=12,
)


def take(store, step):
    """Take one step with a bank that may have to be made; return its number."""
    verb, name, how = step
    bank = store.banks.add(name, 1)
    if verb == "grow":
        grow(store, bank, how)
    elif verb == "forget":
        store.episodes.set_state(bank, how, "forgotten", superseded_by=0)
    elif verb == "erase":
        store.episodes.erase(bank, how)
    elif verb == "redact":
        store.journal.redact(bank, how)
    elif verb == "seal":
        first = sum(count for _, count in store.payloads.block_spans(bank, how))
        rows = store.payloads.tail(bank, how, start=first)
        if rows:
            store.payloads.put_block(
                bank, how, Block(rows[0][0], rows[-1][0] - rows[0][0] + 1, b"sealed")
            )
    elif verb == "drop kind":
        store.payloads.drop(bank, how)
    else:
        store.banks.drop(bank)
    return bank


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(steps)
def test_nothing_done_to_one_bank_changes_what_another_answers(steps):
    with closing(open_store(":memory:", busy_timeout_s=5)) as store:
        for step in steps:
            other = store.banks.number("bo" if step[1] == "ada" else "ada")
            before = None if other is None else everything(store, other)
            with store.write():
                take(store, step)

            if other is not None:
                assert before == everything(store, other)
        assert [w for w in store.upkeep.check() if "superseded by" not in w] == []


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(steps, steps)
def test_a_failed_write_of_any_steps_leaves_every_bank_as_it_was(done, undone):
    with closing(open_store(":memory:", busy_timeout_s=5)) as store:
        with store.write():
            for step in done:
                take(store, step)
        known = {name: store.banks.number(name) for name in store.banks.names()}
        before = {name: everything(store, bank) for name, bank in known.items()}

        with pytest.raises(Stop), store.write():
            for step in undone:
                take(store, step)
            raise Stop

        assert before == {n: everything(store, store.banks.number(n)) for n in store.banks.names()}


def test_a_block_moved_to_another_place_is_corrupt(store):
    """The checksum covers where a block belongs, so no row can be answered with another's words."""
    ada, *others = (new_bank(store, name, episodes=2) for name in ("ada", *"bcdefghijk"))
    place = getattr(store, "split", lambda bank: (store, bank))  # one of several databases
    database, hers = place(ada)
    bo = next(bank for bank in others if place(bank)[0] is database)
    with store.write():
        store.payloads.put_block(ada, "content", Block(0, 2, b"hers"))
        moves = "UPDATE blocks SET bank = ? WHERE bank = ?"
        database.transactions.do(moves, place(bo)[1], hers)

    with pytest.raises(StoreCorrupt, match="content block of rows 0 to 1"):
        store.payloads.block(bo, "content", 0)


def test_the_mark_of_a_block_is_another_whenever_its_bytes_are(store):
    bank = new_bank(store, episodes=4)
    seen = []
    for payload in (b"one", b"another", b"one"):
        with store.write():
            store.payloads.put_block(bank, "content", Block(0, 2, payload))
            store.payloads.put_block(bank, "content", Block(2, 2, b"beside"))
        marks = store.payloads.block_marks(bank, "content")
        assert store.payloads.block_spans(bank, "content") == [mark[:2] for mark in marks]
        seen.append(marks)

    assert seen[0] == seen[2] != seen[1]
    assert seen[0][1] == seen[1][1]
    assert [] == store.payloads.block_marks(bank, "vector")
    with pytest.raises(Stop), store.write():
        store.payloads.put_block(bank, "content", Block(0, 2, b"undone"))
        assert store.payloads.block_marks(bank, "content")[0] not in (seen[0][0], seen[1][0])
        raise Stop
    assert seen[2] == store.payloads.block_marks(bank, "content")


def test_leftovers_which_no_transaction_may_ask_for_are_none_after_a_scrub(store):
    bank = new_bank(store, episodes=4)
    with store.write():
        store.payloads.put(bank, "content", [(row, b"x" * 5000) for row in range(4)])
        store.payloads.drop(bank, "content")
    store.upkeep.scrub()

    assert [] == store.upkeep.leftovers()
    with pytest.raises(StoreError, match="leftovers"), store.write():
        store.upkeep.leftovers()
    store.close()
    with pytest.raises(StoreClosed):
        store.upkeep.leftovers()


ODD = ("a\tb\nc\\d\r", "\\N", "\0é€😀", "", "\\x00", None)


def test_many_rows_at_once_are_as_they_were_given(store):
    count = 200
    rows = [episode(n, speaker=ODD[n % 6], source=ODD[(n + 1) % 6]) for n in range(count)]
    changes = [change(n + 1, n, detail=f'{{"by": "{n}\\t"}}') for n in range(count)]
    payloads = [(n, bytes([n, 0, 92, 10, 9])) for n in range(count)]
    with store.write():
        bank = store.banks.add("ada", 1)
        store.episodes.add(bank, rows)
        store.journal.append(bank, changes)
        store.payloads.put(bank, "vector", reversed(payloads))

    assert rows == store.episodes.read(bank, range(count))
    assert changes == store.journal.read(bank)
    assert payloads == store.payloads.tail(bank, "vector")
    assert store.journal.head(bank) == store.journal.heads(bank)[-1]
    assert [] == store.upkeep.check()


def test_of_many_payloads_the_last_of_each_row_stays(store):
    with store.write():
        bank = store.banks.add("ada", 1)
        store.payloads.put(bank, "vector", [(n % 100, bytes([n])) for n in range(200)])
        store.payloads.put(bank, "vector", [(n, b"new") for n in range(50, 150)])

    found = dict(store.payloads.tail(bank, "vector"))

    assert [bytes([100 + n]) for n in range(50)] == [found[n] for n in range(50)]
    assert {b"new"} == {found[n] for n in range(50, 150)}


def test_a_bank_that_is_still_copied_is_in_no_list(store):
    with store.write():
        bank = store.banks.add("\x1eada", 1)
        store.banks.add("bob", 1)

    assert (["bob"], ["bob"]) == (store.banks.names(), store.banks.names(limit=1))
    assert ["\x1eada"] == store.banks.staged()

    with store.write():
        store.banks.rename(bank, "ada")

    assert ["ada", "bob"] == store.banks.names()
    assert bank == store.banks.number("ada")
    assert [] == store.upkeep.check()


# ---------------------------------------------------------------- requests


def test_old_requests_of_quiet_banks_go_when_another_is_written(store):
    banks = [new_bank(store, name, episodes=1) for name in ("ada", "bob", "eve")]
    for bank in banks:
        with store.write(bank):
            now = store.requests.now(bank)
            for key, at in ((b"old", now - 2 * DAY), (b"new", now - DAY // 2)):
                store.requests.add(bank, key, DoneRequest(b"asked", at, "1"))

    for bank in banks[:1] if store.databases() == 1 else banks:
        with store.write(bank):
            store.requests.drop_before(bank, store.requests.now(bank) - DAY)

    known = [[store.requests.find(bank, key) for key in (b"old", b"new")] for bank in banks]
    assert [(None, True)] * 3 == [(old, new is not None) for old, new in known]


def test_a_machines_clock_that_jumps_makes_no_request_old(opened, monkeypatch):
    store, wall = opened(), [NOON_NS]
    monkeypatch.setattr(kept_time, "time_ns", lambda: wall[0])
    bank = new_bank(store, episodes=1)

    def passed(hours):
        wall[0] += hours * 3_600 * 10**9
        with store.write(bank):
            return store.requests.now(bank)

    begun = passed(0)
    jumps = [passed(hours) - begun for hours in (3 * 24, -400 * 24, 400 * 24)]

    assert max(jumps) < DAY / 4
    assert jumps == sorted(jumps)
    assert passed(1) - begun == jumps[-1] + DAY / 24
    assert store.requests.behind() > 0
