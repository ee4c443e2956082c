"""Banks in PostgreSQL: servers share them, no bank waits for another, and errors say why."""

# ruff: noqa: PT012 - what makes a write() fail takes more than one statement

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_process import invoke
from store_samples import change, everything, grow, new_bank

from hippocampus import Config, Memory, Turn
from hippocampus.core.clock import ManualClock
from hippocampus.core.config import Signatures
from hippocampus.core.idempotency import Request, doing
from hippocampus.core.optional import require
from hippocampus.core.store_address import without_password
from hippocampus.errors import (
    EmbedderMismatch,
    InvalidText,
    MissingExtra,
    NotAStore,
    SignatureMismatch,
    StoreClosed,
    StoreError,
    StoreLocked,
    StoreOvertaken,
    StoreReadOnly,
    StoreTooNew,
)
from hippocampus.store import open_store
from hippocampus.upkeep import verify

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("psycopg_pool")

from hippocampus.store.postgres.texts import escaped, unescaped  # noqa: E402

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def dsn(database):
    return database()


@pytest.fixture
def again(dsn):
    """Open the test's store as often as asked: each is another server's."""
    opened = []

    def open_(**options):
        opened.append(open_store(dsn, **{"busy_timeout_s": 5, **options}))
        return opened[-1]

    yield open_
    for one in opened:
        one.close()


def memory(dsn, **options):
    return Memory(dsn, **{"embedder": "hash", "clock": ManualClock(NOON)} | options)


# ---------------------------------------------------------------- a memory


SAID = [
    Turn(text=f"Number {n} is about {('the pear tree', 'a violin', 'Lisbon')[n % 3]}.",
         speaker=("Ada", "Tom")[n % 2], session=f"s{n // 5}", at=NOON, metadata={"n": n})
    for n in range(60)
]  # fmt: skip


def told(memory):
    bank = memory.bank("ada")
    bank.remember_many(SAID)
    ids = [episode.id for episode in bank.episodes(limit=9)]
    bank.correct(ids[1], "It is about the old pear tree.")
    bank.forget(ids[2])
    bank.forget(ids[3], erase=True)
    bank.sleep()
    questions = ("Who has the violin?", "pear tree", "Lisbon, number 7")
    hits = [[(hit.text, hit.score) for hit in bank.recall(q, k=20).hits] for q in questions]
    texts = [episode.text for episode in bank.episodes()]
    return hits, texts, bank.count("violin"), memory.banks(), verify(memory).problems


@pytest.mark.slow
def test_a_memory_answers_as_one_in_a_file_does(dsn, tmp_path):
    with memory(dsn) as here, memory(tmp_path / "memory.db") as there:
        assert told(here) == told(there)


@pytest.mark.slow
def test_two_servers_of_one_bank_see_all_that_each_other_writes(dsn):
    with memory(dsn) as one, memory(dsn) as other:
        banks = [one.bank("ada"), other.bank("ada")]

        def write(bank, who):
            for n in range(15):
                bank.remember(f"{who} counts {n} boats.", at=NOON)

        threads = [
            threading.Thread(target=write, args=(bank, who))
            for bank, who in zip(banks, ("Ada", "Tom"), strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        texts = [{episode.text for episode in bank.episodes()} for bank in banks]
        assert texts[0] == texts[1]
        assert len(texts[0]) == 30
        assert banks[1].recall("Ada counts 7 boats", k=1).hits[0].text == "Ada counts 7 boats."
        assert verify(one).sound


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [timedelta(days=3), timedelta(days=-400)])
def test_a_server_whose_clock_is_wrong_loses_no_key_of_another(dsn, wrong):
    with memory(dsn) as right, memory(dsn, clock=ManualClock(NOON + wrong)) as other:
        kept = right.bank("ada").remember("Tea.").id
        fresh = []
        for number, server in enumerate([right, *[other] * 80, *[right] * 80]):
            fresh.append(Request.named(str(number), caller="", asked=b"", salt=b""))
            with doing(fresh[-1]):
                server.bank("ada").feedback(kept, helpful=True)

        store = right.engine.store
        number = store.banks.number("ada")
        assert all(store.requests.find(number, one.key) for one in fresh)


def test_an_upload_of_many_rows_is_there_whole(again):
    store = again()
    bank = new_bank(store)
    with store.write(bank):
        grow(store, bank, 5000)
    assert again().episodes.count(bank) == 5000


@pytest.mark.slow
def test_every_command_takes_the_address_of_a_database(dsn):
    for command, says in (
        (("remember", "The spare key is under the blue pot."), "remembered"),
        (("recall", "Where is the spare key?"), "blue pot"),
        (("verify",), "sound"),
        (("doctor",), "sound"),
        (("banks",), "me"),
    ):
        done = invoke(command[0], "--store", dsn, "--embedder", "none", *command[1:])
        assert says in done.output, (command, done.output)
        assert done.exit_code == 0 or command[0] == "doctor"  # which looks for the model as well


def test_a_backup_is_a_store_in_a_file(dsn, tmp_path):
    with memory(dsn) as here:
        here.bank("ada").remember_many(SAID)
        here.backup(tmp_path / "copy.db")
        texts = [episode.text for episode in here.bank("ada").episodes()]
    with memory(tmp_path / "copy.db") as copy:
        assert [episode.text for episode in copy.bank("ada").episodes()] == texts
        assert verify(copy).sound


# ---------------------------------------------------------------- who waits for whom


@pytest.mark.slow
def test_writers_of_two_banks_do_not_wait_for_each_other(again):
    one, other = again(), again(busy_timeout_s=0.3)
    first, second = new_bank(one, "ada"), new_bank(one, "bob")
    with one.write(first):
        grow(one, first, 1)
        with other.write(second):
            grow(other, second, 1)
        with pytest.raises(StoreLocked, match="longer than the timeout"), other.write(first):
            pass
        with pytest.raises(StoreLocked), other.write():  # of the whole store
            pass
    assert one.episodes.count(first) == other.episodes.count(second) == 1


@pytest.mark.slow
def test_who_writes_the_whole_store_is_alone(again):
    one, other = again(), again(busy_timeout_s=0.3)
    bank = new_bank(one)
    with one.write(), pytest.raises(StoreLocked), other.write(bank):
        pass


FIRST = {
    "embedders": ({"embedder": "hash"}, {"embedder": "hash:32"}, EmbedderMismatch),
    "signatures": (
        {"embedder": "none", "config": Config(signatures=Signatures(bits=16))},
        {"embedder": "none", "config": Config(signatures=Signatures(bits=24))},
        SignatureMismatch,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", FIRST)
def test_two_servers_that_begin_in_two_banks_at_once_do_not_mix(dsn, what, monkeypatch):
    mine, yours, refused = FIRST[what]
    with memory(dsn, embedder="none") as before:
        for name in ("ada", "bob"):
            before.bank(name).set_profile(persona="Be brief.")
    with (
        memory(dsn, **mine) as one, memory(dsn, **yours) as two, ThreadPoolExecutor(1) as threads,
    ):  # fmt: skip
        rival, settle = [], one.engine.settle_signatures

        def late(*, record):
            settle(record=record)
            if record:
                one.engine.store.flush()
                rival.append(threads.submit(two.bank("bob").remember, "The boiler was serviced."))
                wait(rival, 0.5)  # it waits for this one, or would see nothing that is committed

        monkeypatch.setattr(one.engine, "settle_signatures", late)
        one.bank("ada").remember("Tea was bought.")
        with pytest.raises(refused):
            rival[0].result()
    with memory(dsn, **mine) as again:
        assert again.bank("bob").remember("It hums.").text == "It hums."
        assert verify(again).sound


@pytest.fixture
def unlocked(monkeypatch):
    """Have writers of a bank not wait for each other, as behind a pooler that mixes sessions."""
    monkeypatch.setattr(
        "hippocampus.store.postgres.open_transactions._locks", lambda _: ["SELECT 'no lock'"]
    )


def first_of_all(server, others, monkeypatch, *, every=1):
    """Have others write whenever the server is about to note a change, or every so many times."""
    store = server.engine.store
    append, times = store.journal.append, count()

    def late(*given):
        if others and next(times) % every == 0:
            others.pop()()
        return append(*given)

    monkeypatch.setattr(store.journal, "append", late)


WRITES = {
    "remember": lambda bank, _: bank.remember("The boiler was serviced."),
    "remember_many": lambda bank, _: bank.remember_many(SAID[:3]),
    "correct": lambda bank, kept: bank.correct(kept, "Milk was bought."),
    "forget": lambda bank, kept: bank.forget(kept),
    "feedback": lambda bank, kept: bank.feedback(kept, helpful=True),
    "set_profile": lambda bank, _: bank.set_profile(persona="Be brief."),
    "erase": lambda bank, kept: bank.forget(kept, erase=True),
}


@pytest.mark.parametrize("verb", WRITES)
def test_who_is_overtaken_does_it_again_and_once(dsn, verb, unlocked, monkeypatch):  # noqa: ARG001
    with memory(dsn) as one, memory(dsn) as two, memory(dsn) as alone:
        noted = []
        for server, name in ((alone, "alone"), (one, "ada")):
            bank = server.bank(name)
            kept = bank.remember("Tea was bought.").id
            done = len(bank.journal())
            rivals = [lambda n=n: two.bank("ada").remember(f"Said first, {n}.") for n in range(2)]
            if server is one:
                first_of_all(one, rivals, monkeypatch)
            WRITES[verb](bank, kept)
            assert [] == rivals or server is alone
            noted.append([change.kind for change in bank.journal()[done:]])

        mine = noted[0]
        assert sorted([*mine, "remember", "remember"]) == sorted(noted[1])
        assert verify(two).sound


def test_who_is_overtaken_each_time_says_so_having_changed_nothing(dsn, unlocked, monkeypatch):  # noqa: ARG001
    with memory(dsn) as one, memory(dsn) as two:
        bank = one.bank("ada")
        kept = bank.remember("Tea was bought.").id
        rivals = [lambda n=n: two.bank("ada").remember(f"Said first, {n}.") for n in range(9)]
        first_of_all(one, rivals, monkeypatch)

        with pytest.raises(StoreOvertaken, match="try again"):
            bank.forget(kept)

        assert 3 == len(rivals)
        assert ["remember"] * 7 == [change.kind for change in two.bank("ada").journal()]


def rivals_of(server, number):
    return [lambda n=n: server.bank("ada").remember(f"Said first, {n}.") for n in range(number)]


def test_an_import_that_is_overtaken_brings_all_of_its_file_up(
    dsn,
    unlocked,  # noqa: ARG001
    monkeypatch,
    tmp_path,
):
    file = tmp_path / "notes.md"
    with memory(dsn) as one, memory(dsn) as two:
        bank, rivals = one.bank("ada"), rivals_of(two, 8)
        bank.remember("Tea was bought.")  # the first of a store settles what is the same for all
        first_of_all(one, rivals, monkeypatch, every=2)
        for told in ("The ferry leaves at nine.", "The ferry leaves at ten."):
            file.write_text(f"# Harbour\n\n{told}\n", "utf-8")
            bank.import_(file)
        bank.withdraw(bank.sources()[0].name)
        assert bank.import_(file).added == 1

        texts = [episode.text for episode in two.bank("ada").episodes()]
        assert len(rivals) < 5
        assert [told.split("leaves at ")[1] for told in texts if "ferry" in told] == ["ten.\n"]
        assert len(texts) == 2 + 8 - len(rivals)
        assert verify(two).sound


@pytest.mark.slow
def test_a_sleep_that_is_overtaken_goes_on_and_is_one(dsn, unlocked, monkeypatch):  # noqa: ARG001
    with memory(dsn) as one, memory(dsn) as two:
        bank, rivals = one.bank("ada"), rivals_of(two, 40)
        bank.remember_many([*SAID, Turn(text="Number 7 is about a violin!", at=NOON)])
        first_of_all(one, rivals, monkeypatch, every=2)
        slept = bank.sleep()

        assert len(rivals) < 36
        assert [one.number for one in two.bank("ada").sleeps()] == [slept.number] == [1]
        assert two.bank("ada").sleeps()[0].notes == ()
        assert verify(two).sound


def test_a_bank_is_deleted_once_though_another_was_in_the_way(dsn, monkeypatch):
    with memory(dsn) as one:
        one.bank("ada").remember("Tea was bought.")
        upkeep = one.engine.store.upkeep
        drop, tries = upkeep.owe_drop, count()

        def in_the_way(bank):
            if next(tries) < 2:
                raise StoreOvertaken("others were first", path=dsn)
            drop(bank)

        monkeypatch.setattr(upkeep, "owe_drop", in_the_way)
        one.delete_bank("ada")
        assert one.banks() == []


@pytest.mark.parametrize("often", [2, 9])
def test_recalls_outlast_a_write_that_was_overtaken(dsn, often, unlocked, monkeypatch):  # noqa: ARG001
    with memory(dsn) as one, memory(dsn) as two:
        bank = one.bank("ada")
        kept = bank.remember("Tea was bought.").id
        assert bank.recall("Was tea bought?").hits
        first_of_all(one, rivals_of(two, often), monkeypatch)
        with suppress(StoreOvertaken):
            bank.remember("Milk was bought.")
        bank.remember("Bread was bought.")

        assert len(two.bank("ada").uses(kept)) == 1


def test_a_reader_sees_one_moment_without_ever_waiting(again):
    one, other = again(), again()
    bank = new_bank(one, episodes=2)
    with other.read():
        before = everything(other, bank)
        with one.write(bank):
            grow(one, bank, 3)
            assert everything(other, bank) == before
        assert everything(other, bank) == before
    assert other.episodes.count(bank) == 5


def test_who_is_behind_is_told_without_anything_being_written(again):
    one, other = again(), again()
    bank = new_bank(one, episodes=2)
    with pytest.raises(StoreError, match="catch up"), other.write(bank):
        other.journal.append(bank, [change(2)])
    assert one.journal.last_seq(bank) == other.journal.last_seq(bank) == 2


# ---------------------------------------------------------------- how often it is waited for


def test_a_write_waits_for_the_database_a_few_times(dsn, waits):
    with memory(dsn) as here:
        bank = here.bank("ada")
        for n in range(6):
            bank.remember(f"Ada counts {n} boats.")
        told = iter(range(100, 999))
        each = [waits(lambda: bank.remember(f"Ada counts {next(told)} boats.")) for _ in range(9)]
        assert max(each) <= 8


def test_a_write_to_a_session_waits_only_for_what_it_said_last_as_well(dsn, waits):
    with memory(dsn) as here:
        bank = here.bank("ada")
        told = iter(range(99))

        def say():
            bank.remember(f"Ada counts {next(told)} boats.", session="of the harbour")

        for _ in range(6):
            say()
        assert max(waits(say) for _ in range(9)) <= 11


@pytest.mark.slow
def test_a_recall_of_rows_that_were_read_waits_for_the_database_once(dsn, waits):
    with memory(dsn) as here:
        bank = here.bank("ada")
        asked = iter(f"How many boats does Ada count ({n})?" for n in range(99))

        def recall():
            assert bank.recall(next(asked)).hits

        for n in range(9):
            bank.remember(f"Ada counts {n} boats.")
            after_a_write = waits(recall)
        assert after_a_write <= 10  # what it reads is asked with what its transactions begin with
        assert [waits(recall) for _ in range(9)] == [1] * 9


def test_a_reading_transaction_that_asks_nothing_does_not_wait(again, waits):
    store = again()

    def nothing():
        with store.read(), store.read():
            pass

    assert waits(nothing) == 0


def test_what_is_expected_is_of_the_moment_at_which_something_is_asked_first(again):
    one, other = again(), again()
    bank = new_bank(one, "ada", episodes=2)
    last = partial(one.journal.last_seq, bank)
    for _ in range(3):  # the first time nothing is prepared
        before = last()
        with one.expecting([last]), one.read():
            one.changes()
            with other.write(bank):
                grow(other, bank, 1)
            assert last() == before
        assert last() == before + 1


def test_what_is_expected_is_asked_anew_once_it_is_written(again):
    store = again()
    bank = new_bank(store, "ada")
    last = partial(store.journal.last_seq, bank)
    for n in range(3):
        with store.expecting([last]), store.write(bank):
            assert last() == n
            store.journal.append(bank, [change(n + 1)])
            assert last() == n + 1


def test_who_expects_what_nobody_finds_is_answered_all_the_same(again):
    store = again()
    bank = new_bank(store, "ada", episodes=3)

    def stumble():
        raise LookupError(store.episodes.count(bank))

    for _ in range(3):
        with store.expecting([stumble, partial(store.episodes.count, bank)]), store.write(bank):
            assert store.episodes.count(bank) == 3
        with store.read():
            assert store.episodes.count(bank) == 3


@pytest.mark.slow
def test_who_waits_too_long_for_a_bank_is_told_so_whatever_it_expects(again):
    one, other = again(), again(busy_timeout_s=0.3)
    bank = new_bank(one, "ada", episodes=1)
    last = partial(other.journal.last_seq, bank)
    for _ in range(2):
        with other.expecting([last]), other.write(bank):
            assert last() == 1
    with one.write(bank):
        with pytest.raises(StoreLocked, match="longer"), other.expecting([last]), other.write(bank):
            pass
        assert last() == 1
    with other.expecting([last]), other.write(bank):
        assert last() == 1


@pytest.mark.slow
def test_a_connection_that_broke_meanwhile_is_replaced_by_who_expects_something(again):
    store, other = again(), again()
    bank = new_bank(store, "ada", episodes=1)
    last = partial(store.journal.last_seq, bank)
    for _ in range(2):
        with store.expecting([last]), store.read():
            assert last() == 1
    mine = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    other.transactions.rows(f"{mine} AND datname = current_database()")
    with store.expecting([last]), store.write(bank):
        assert last() == 1


def test_a_recall_of_what_is_known_waits_for_the_database_once(dsn, waits):
    with memory(dsn) as here:
        bank = here.bank("ada")
        bank.remember_many(SAID)
        bank.recall("Who has the violin?")
        assert waits(lambda: bank.recall("Who has the violin?")) == 1


def test_what_waits_to_be_written_is_seen_by_who_asks(again):
    store = again()
    bank = new_bank(store, "ada")
    with store.write(bank):
        assert store.journal.last_seq(bank) == 0
        store.journal.append(bank, [change(1)])
        assert store.journal.last_seq(bank) == 1
        with pytest.raises(StoreError), store.write(bank):
            store.journal.append(bank, [change(2)])
            assert store.journal.last_seq(bank) == 2
            raise StoreError("no", path=store.path)
        assert store.journal.last_seq(bank) == 1
        store.journal.append(bank, [change(2)])
    assert [one.seq for one in again().journal.read(bank)] == [1, 2]


def test_what_was_not_asked_again_is_undone_with_its_savepoint(again):
    store = again()
    with store.write():
        store.settings.put("embedder", "first")
        with pytest.raises(KeyError), store.write():
            store.settings.put("embedder", "second")
            raise KeyError
    assert again().settings.get("embedder") == "first"


def test_a_write_that_breaks_a_rule_is_refused_before_it_is_committed(again):
    one, other = again(), again()
    bank = new_bank(one, "ada")
    with pytest.raises(StoreLocked, match="another server"), one.write(bank):
        one.journal.append(bank, [change(1)])
        other.transactions.rows("SELECT 1")
        with closing(psycopg.connect(one.transactions.connections.dsn, autocommit=True)) as db:
            db.execute("UPDATE hippocampus.banks SET seq = 9 WHERE bank = %s", (bank,))
    assert other.journal.last_seq(bank) == 0


def test_what_fails_among_others_is_told_each_time_on_a_connection_that_goes_on(again):
    store = again()
    put = "INSERT INTO settings (key, value, checksum) VALUES (?, ?, ?)"
    for _ in range(5):
        with pytest.raises(StoreError, match="exists already"), store.write():
            for key in ("a", "a", "b", "c"):
                store.transactions.do(put, key, "x", b"")
            store.settings.has("a")
    with store.write():
        for key in ("a", "b", "c"):
            store.transactions.do(put, key, "x", b"")
        with pytest.raises(StoreError, match="exists already"), store.write():
            for key in ("d", "d", "e"):
                store.transactions.do(put, key, "x", b"")
        store.transactions.do(put, "f", "x", b"")
    assert [again().settings.has(key) for key in "abcdef"] == [True] * 3 + [False, False, True]


@pytest.mark.slow
def test_megabytes_that_are_sent_together_arrive(again):
    store = again()
    bank = new_bank(store, "ada")
    big = [(row, os.urandom(200_000)) for row in range(60)]
    with store.write(bank):
        for row, payload in big:
            store.payloads.put(bank, "content", [(row, payload)])
        assert store.journal.last_seq(bank) == 0
    assert again().payloads.tail(bank, "content") == big


def test_a_glance_says_what_it_said_first_until_it_is_to_look_again(again):
    one, other = again(), again()
    with one.glance():
        first = one.changes()
        new_bank(other, "ada")
        assert one.changes() == first
        with one.read():
            assert one.changes() != first  # a transaction speaks of its own moment
        one.look_again()
        second = one.changes()
        assert second != first
        new_bank(one, "tom")
        assert one.changes() != second  # what it has written itself it sees
    assert one.changes() == other.changes()


@pytest.mark.slow
def test_a_verb_in_a_glance_sees_what_was_erased_meanwhile(dsn):
    with memory(dsn) as one, memory(dsn) as other:
        bank = one.bank("ada")
        bank.remember_many(SAID)
        there = other.bank("ada")
        store = other.engine.store
        with store.glance():
            assert there.recall("violin", k=30).hits
            ids = [hit.episode.id for hit in there.recall("violin", k=30).hits]
            bank.forget(ids, erase=True)
        assert not {hit.episode.id for hit in there.recall("violin", k=30).hits} & set(ids)


# ---------------------------------------------------------------- texts


@given(st.text())
def test_a_text_with_a_character_of_code_0_comes_back(text):
    for one in (text, text.replace("a", "\0"), f"{text}\0\U0010fffe{text}"):
        assert "\0" not in escaped(one)
        assert unescaped(escaped(one)) == one


def test_half_a_character_is_refused_without_storing_anything(again):
    store = again()
    with pytest.raises(StoreError, match="half a character"), store.write():
        store.banks.add("\ud800", 1)
    assert store.banks.names() == []


def test_bad_text_is_an_error_of_ours_as_ever(dsn):
    with memory(dsn) as here, pytest.raises(InvalidText):
        here.bank("ada").remember("\ud800")


# ---------------------------------------------------------------- what goes wrong


def test_a_server_that_is_not_there_is_an_error_that_says_so_without_the_password():
    with pytest.raises(StoreError, match="cannot be reached") as caught:
        open_store("postgresql://ada:secret@127.0.0.1:1/none", busy_timeout_s=1)
    assert "secret" not in str(caught.value)
    for address in ("host=x password=secret user=ada", "postgresql://x/y?PASSWORD=secret&a=b"):
        assert "secret" not in without_password(address)


def test_a_database_that_is_not_there_is_named(dsn):
    with pytest.raises(StoreError, match="createdb"):
        open_store(dsn.replace("///", "///no_such_"), busy_timeout_s=1)


def test_nothing_is_made_for_who_only_reads(dsn):
    with pytest.raises(StoreError, match="no store in this database"):
        open_store(dsn, busy_timeout_s=1, read_only=True)
    with pytest.raises(StoreError, match="no store in this database"):
        open_store(dsn, busy_timeout_s=1, create=False)


def test_who_only_reads_writes_nothing(again):
    bank = new_bank(again(), episodes=1)
    reader = again(read_only=True)
    assert reader.episodes.count(bank) == 1
    with pytest.raises(StoreReadOnly), reader.write():
        pass


def test_a_schema_of_somebody_else_is_left_alone(dsn):
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("CREATE SCHEMA hippocampus")
    with pytest.raises(NotAStore, match="none of ours"):
        open_store(dsn, busy_timeout_s=1)


def test_a_store_of_a_later_version_is_left_alone(dsn, again):
    again()
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("UPDATE hippocampus.format SET format = 99")
    with pytest.raises(StoreTooNew, match="format 99 is newer"):
        again()


def test_a_user_without_rights_is_told(dsn, again):
    bank = new_bank(again(), episodes=1)
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("CREATE ROLE guest LOGIN")
        db.execute("GRANT USAGE ON SCHEMA hippocampus TO guest")
        db.execute("GRANT SELECT ON ALL TABLES IN SCHEMA hippocampus TO guest")
    try:
        with closing(
            open_store(dsn.replace("user=hippo", "user=guest"), busy_timeout_s=1)
        ) as guest:
            assert guest.episodes.count(bank) == 1
            with pytest.raises(StoreReadOnly, match="lacks a right"), guest.write():
                guest.settings.put("k", "v")
    finally:
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute("DROP OWNED BY guest")
            db.execute("DROP ROLE guest")


def test_a_connection_that_was_cut_is_an_error_only_until_the_next_one(dsn, again):
    store = again()
    bank = new_bank(store, episodes=1)
    with pytest.raises(StoreError), store.write(bank):
        grow(store, bank, 1)
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        grow(store, bank, 1)
    deadline = time.monotonic() + 10
    while True:
        try:
            assert store.episodes.count(bank) == 1
            break
        except StoreError:  # another connection of the pool that was cut as well
            assert time.monotonic() < deadline
    with store.write(bank):
        grow(store, bank, 1)
    assert store.episodes.count(bank) == 2


def test_after_close_every_method_says_so(again):
    store = again()
    store.close()
    with pytest.raises(StoreClosed, match="open it again"):
        store.settings.get("k")


def test_the_store_goes_on_after_an_error_that_rolls_back(again):
    store = again()
    bank = new_bank(store, episodes=1)
    with pytest.raises(StoreError, match="breaks a rule"), store.write(bank):
        grow(store, bank, 1)
        store.payloads.put(10**9, "content", [(0, b"x")])
    assert store.episodes.count(bank) == 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_connects_anew_without_touching_the_connections_of_its_parent(dsn):
    code = (
        "import os, sys\n"
        "from hippocampus.store import open_store\n"
        "store = open_store(sys.argv[1], busy_timeout_s=5)\n"
        "with store.write():\n    store.settings.put('by', 'parent')\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    with store.write():\n        store.settings.put('by', 'child')\n"
        "    os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "assert store.settings.get('by') == 'child'\n"
        "with store.write():\n    store.settings.put('by', 'parent again')\n"
        "print(store.settings.get('by'))\n"
    )
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, dsn], check=False, capture_output=True,
        text=True, timeout=60,
    )  # fmt: skip
    assert found.stdout == "parent again\n", found.stderr


@pytest.mark.slow
def test_two_processes_that_make_the_store_at_once_make_one(dsn):
    code = (
        "import sys; from hippocampus.store import open_store;"
        "open_store(sys.argv[1], busy_timeout_s=9).close()"
    )
    made = [subprocess.Popen([sys.executable, "-c", code, dsn]) for _ in range(4)]
    assert [one.wait(60) for one in made] == [0, 0, 0, 0]


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg_pool", None)
    with pytest.raises(MissingExtra, match="postgres"):
        require("psycopg_pool", extra="postgres", feature="a store in PostgreSQL")


def test_no_index_lies_in_a_file_of_its_own(dsn):
    config = Config(index_file_rows=1)
    with memory(dsn, config=config) as here:
        here.bank("ada").remember_many(SAID)
        here.bank("ada").sleep(steps=["partitions"])
        assert not here.engine.store.index_files.every()


def test_a_standby_is_usable_only_by_who_means_to_read(again, monkeypatch):
    store, reader = again(), again(read_only=True)
    store.check_usable()
    monkeypatch.setattr(type(store), "is_replica", lambda _: True)

    reader.check_usable()
    with pytest.raises(StoreReadOnly, match="serve --read-only"):
        store.check_usable()
