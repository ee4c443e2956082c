"""A store over several databases: which bank is where, and what they know of each other."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_samples import KEY, new_bank

from hippocampus import Memory
from hippocampus.encryption import rotate
from hippocampus.errors import InputError, StoreError, StoreReadOnly
from hippocampus.moving import move
from hippocampus.postgres import grant
from hippocampus.store import open_store
from hippocampus.store.banks import STAGED
from hippocampus.store.settings import MARK
from hippocampus.store.shards import home
from hippocampus.upkeep import verify

NAMES = [f"bank {number}" for number in range(30)]


@pytest.fixture
def files(tmp_path):
    return [tmp_path / f"{letter}.db" for letter in "abc"]


def in_each(files):
    """Which banks each database has."""
    found = []
    for file in files:
        with closing(open_store(file, busy_timeout_s=5, alone=True)) as one:
            found.append(one.banks.names())
    return found


def made(files, names=NAMES):
    with Memory(files, embedder="hash") as memory:
        for name in names:
            memory.bank(name).remember(f"The key of {name} is under the blue pot.")


def heard(memory, name):
    (hit,) = memory.bank(name).recall("key")
    return hit.text


@pytest.mark.slow
def test_banks_are_spread_over_all_databases_with_each_bank_in_one(files):
    made(files)
    found = in_each(files)

    assert sorted(NAMES) == sorted(chain(*found))
    assert min(map(len, found)) > 3
    with Memory(files, embedder="hash") as memory:
        assert sorted(NAMES) == memory.banks()
        assert ["bank 3", "bank 4"] == memory.banks(after="bank 29", limit=2)
        assert [f"The key of {name} is under the blue pot." for name in NAMES] == [
            heard(memory, name) for name in NAMES
        ]


@pytest.mark.slow
def test_a_memory_over_several_databases_does_what_any_does(files, tmp_path):
    made(files)
    with Memory(files, embedder="hash") as memory:
        for name in NAMES:
            memory.bank(name).remember("The boat is called Aurelia.")
            memory.bank(name).sleep()
        episode = memory.bank(NAMES[0]).episodes()[0]
        memory.bank(NAMES[0]).forget(episode.id, erase=True)
        memory.delete_bank(NAMES[1])
        assert memory.rebuild().keys() == set(NAMES) - {NAMES[1]}
        memory.backup(tmp_path / "copy.db")
        assert verify(memory).sound
    with Memory(tmp_path / "copy.db", embedder="hash") as copy:
        assert sorted({*NAMES} - {NAMES[1]}) == copy.banks()
        assert ["The boat is called Aurelia."] == [e.text for e in copy.bank(NAMES[0]).episodes()]
    for file in files:
        assert b"The key of bank 1 is" not in file.read_bytes()


@given(st.text(min_size=1).filter(lambda name: not name.startswith(STAGED)), st.integers(1, 40))
def test_one_database_more_takes_banks_without_moving_any_between_the_others(name, places):
    assert home(name, places + 1) in (home(name, places), places)
    assert home(f"{STAGED}{name}", places) == home(name, places)


def test_a_database_that_is_added_leaves_banks_where_they_are(files):
    made(files[:1], NAMES[:20])
    made(files, NAMES)
    found = in_each(files)

    assert {*NAMES[:20]} <= {*found[0]}
    assert found[1] or found[2]
    with Memory(files, embedder="hash") as memory:
        assert sorted(NAMES) == memory.banks()
        memory.bank(NAMES[0]).remember("It stays where it is.")
    assert NAMES[0] in in_each(files)[0]


def test_who_does_not_know_of_a_database_yet_makes_no_bank(files):
    made(files[:2])
    with Memory(files[:2], embedder="hash") as before, Memory(files, embedder="hash"):
        before.bank(NAMES[0]).remember("What is there goes on.")
        with pytest.raises(StoreError, match="is in 3 databases by now; open it again"):
            before.bank("new").remember("Too early.")
        assert "new" not in before.banks()


def test_marks_that_a_crash_left_half_written_are_written_again(files):
    made(files[:2])
    with closing(open_store(files[0], busy_timeout_s=5, alone=True)) as first, first.write():
        kept = json.loads(first.settings.get(MARK))
        first.settings.put(MARK, json.dumps(kept | {"of": 3}))

    made(files, [f"new {number}" for number in range(20)])
    assert min(map(len, in_each(files))) > 0


def test_two_who_join_databases_at_once_give_them_one_name(files):
    with ThreadPoolExecutor(4) as threads:
        for opened in threads.map(lambda _: open_store(files, busy_timeout_s=20), range(4)):
            opened.close()
    made(files)


def test_a_new_bank_waits_for_writers_of_its_own_database_and_of_the_first_alone(files):
    with closing(open_store(files, busy_timeout_s=5)) as store:
        name = next(name for name in NAMES if home(name, 3) == 1)
        with store.write():
            store.banks.add(name, 1)
            assert store.touched == [0, 1]


@pytest.mark.slow
def test_one_of_several_databases_is_no_store(files):
    made(files)

    with pytest.raises(StoreError, match="is database 2 of 3 of one store; give all of them"):
        Memory(files[1], embedder="hash")


@pytest.mark.slow
def test_databases_are_given_all_and_in_their_order(files, tmp_path):
    made(files)
    other = [tmp_path / "x.db", tmp_path / "y.db"]
    made(other)
    wrong = {
        "these are 1, 3 of them; give all 3": [files[0], files[2]],
        "is given as number 1 of 3 databases, and is number 2": [files[1], files[0], files[2]],
        "is given as number 4 of 4 databases, and is of another store": [*files, other[0]],
    }

    for said, given_ in wrong.items():
        with pytest.raises(StoreError, match=said):
            Memory(given_, embedder="hash")
    for twice in ([], [files[0], files[0]]):
        with pytest.raises(InputError, match="each of several once"):
            Memory(twice, embedder="hash")


def test_a_database_with_banks_of_its_own_is_not_added(files):
    made(files[:1], ["a"])
    made(files[1:2], ["b"])

    with pytest.raises(StoreError, match="has banks of its own; database 2"):
        Memory(files[:2], embedder="hash")
    assert [["a"], ["b"], []] == in_each(files)


def test_databases_are_joined_by_who_may_write(files):
    made(files[:1])
    made(files[1:2], [])

    with pytest.raises(StoreReadOnly, match="open it for writing once"):
        Memory(files[:2], embedder="hash", read_only=True)
    made(files)
    with Memory(files, embedder="hash", read_only=True) as memory:
        assert sorted(NAMES) == memory.banks()


def test_a_write_of_the_whole_store_that_fails_has_changed_no_database(files):
    with closing(open_store(files, busy_timeout_s=5)) as store:
        banks = [new_bank(store, name, episodes=2) for name in NAMES]

        def erase_all():
            with store.write():
                for bank in banks:
                    store.episodes.erase(bank, [0])
                store.settings.put("colour", "blue")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            erase_all()
        assert ["active"] * len(banks) == [store.episodes.read(b, [0])[0].state for b in banks]
        assert store.settings.get("colour") is None


def test_a_block_within_a_write_fails_by_itself_in_every_database(files):
    with closing(open_store(files, busy_timeout_s=5)) as store:
        banks = [new_bank(store, name, episodes=2) for name in NAMES]

        def erase_all():
            with store.write():
                for bank in banks:
                    store.episodes.erase(bank, [1])
                raise ZeroDivisionError

        with store.write():
            store.episodes.erase(banks[0], [0])
            with pytest.raises(ZeroDivisionError):
                erase_all()
        states = [[row.state for row in store.episodes.read(bank, [0, 1])] for bank in banks]

    assert [["erased", "active"], *[["active", "active"]] * (len(banks) - 1)] == states


def test_changes_anywhere_are_seen_except_within_a_snapshot(files):
    with (
        closing(open_store(files, busy_timeout_s=5)) as store,
        closing(open_store(files, busy_timeout_s=5)) as other,
    ):
        banks = [new_bank(store, name, episodes=1) for name in NAMES]
        for bank in banks:
            before = store.changes()
            with store.read():
                assert store.journal.last_seq(bank) == len(store.journal.read(bank))
                with other.write(bank):
                    other.episodes.erase(bank, [0])
                assert store.episodes.read(bank, [0])[0].state == "active"
            assert store.changes() != before
            assert store.episodes.read(bank, [0])[0].state == "erased"


@pytest.mark.slow
def test_banks_move_in_beside_what_is_there_and_out_again(files, tmp_path):
    made([tmp_path / "one.db"])
    made(files[:1], NAMES[:5])
    made(files, [])
    with Memory(files, embedder="hash") as memory:  # older copies of banks, in the first database
        for name in NAMES[:5]:
            memory.delete_bank(name)
    first = move(tmp_path / "one.db", files)
    with Memory(tmp_path / "one.db", embedder="hash") as memory:
        memory.bank(NAMES[7]).remember("Said later.")
    again = move(tmp_path / "one.db", files)
    back = move(files, tmp_path / "back.db")

    assert {"copied"} == {bank.outcome for bank in first.banks}
    assert {"there": 29, "caught up": 1} == counted(again)
    assert {"copied": 30} == counted(back)
    assert first.whole
    assert sorted(NAMES) == sorted(chain(*in_each(files)))
    assert min(map(len, in_each(files))) > 3


def counted(moved):
    outcomes = [bank.outcome for bank in moved.banks]
    return {outcome: outcomes.count(outcome) for outcome in outcomes}


@pytest.mark.slow
def test_what_is_caught_up_with_stays_in_its_database(files, tmp_path):
    made([tmp_path / "one.db"])
    move(tmp_path / "one.db", files[0])
    made(files, [])
    with Memory(tmp_path / "one.db", embedder="hash") as memory:
        for name in NAMES:
            memory.bank(name).remember("Said later.")
    again = move(tmp_path / "one.db", files)

    assert {"caught up": 30} == counted(again)
    assert [sorted(NAMES), [], []] == in_each(files)


def test_keys_and_roles_are_of_each_database(tmp_path):
    files = [tmp_path / "a.db", tmp_path / "b.db"]
    with Memory(files, embedder="hash", key=KEY) as memory:
        memory.bank("ada").remember("The locker is number 14.")
    with pytest.raises(InputError, match="the keys of 2 databases; name one at a time"):
        rotate("postgresql:///a,postgresql:///b", key=KEY)
    with pytest.raises(InputError, match="name one at a time"):
        grant("postgresql:///a,postgresql:///b", "app")
    for file in files:
        rotate(file, key=KEY)
    with Memory(files, embedder="hash", key=KEY) as memory:
        assert ["ada"] == memory.banks()
    for file in files:
        assert b"locker" not in file.read_bytes()


@pytest.mark.slow
def test_several_databases_of_postgresql_have_banks_between_them(database):
    store = f"{database()},{database()}"
    made(store, NAMES[:8])

    with Memory(store, embedder="hash") as memory:
        assert sorted(NAMES[:8]) == memory.banks()
        assert heard(memory, NAMES[3]) == "The key of bank 3 is under the blue pot."
    assert all(in_each(store.split(",")))


@pytest.mark.slow
def test_several_databases_are_waited_for_a_few_times(database, waits):
    with Memory(f"{database()},{database()}", embedder="hash") as memory:
        told = iter(range(99))

        def say():
            bank.remember(f"She counts {next(told)} boats.")

        def ask():
            assert bank.recall("How many boats does she count?").hits

        for name in NAMES[:3]:
            bank = memory.bank(name)
            for _ in range(9):
                say()
            # 8 times one, and for the other's changes; those of the second, for settings as well.
            assert max(waits(say) for _ in range(4)) <= 14
            assert [waits(ask) for _ in range(9)][-4:] == [2] * 4  # all rows were read by then


@pytest.mark.slow
def test_what_one_database_refuses_has_changed_no_other(database):
    places = [database() for _ in range(3)]
    with closing(open_store(",".join(places), busy_timeout_s=5)) as store:
        put = "INSERT INTO settings (key, value, checksum) VALUES (?, ?, ?)"

        def write_twice_in_the_first():
            with store.write():
                for place in (0, 1, 2, 0):
                    store.touch(place, writes=True).transactions.do(put, "once", "x", b"")

        with pytest.raises(StoreError, match="exists already"):
            write_twice_in_the_first()
        assert [one.settings.has("once") for one in store.shards] == [False] * 3


@pytest.mark.slow
def test_commands_take_several_databases_of_postgresql(database):
    store = f"{database()},{database()}"

    def run(*args):
        command = [sys.executable, "-m", "hippocampus", *args, "--store", store]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    for name in ("ada", "bo", "cy"):
        run("remember", f"{name} has the key.", "--bank", name, "--embedder", "none")

    assert "ada has the key." in run("recall", "key", "--bank", "ada", "--embedder", "none")
    assert all(name in run("banks") for name in ("ada", "bo", "cy"))
    assert "sound" in run("verify")
