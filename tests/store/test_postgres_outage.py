"""A database that goes away and comes back: told at once, and nothing lost or done twice."""

import shutil
import socket
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import postgres_server
import pytest
from loopback import served
from store_samples import KEY, grow, new_bank

from hippocampus import Client, Memory, Turn
from hippocampus.errors import StoreLocked, StoreUnreachable
from hippocampus.store import open_store

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("psycopg_pool")

CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.fixture
def dsn(database):
    return database()


def ask(dsn, sql):
    with psycopg.connect(dsn, autocommit=True) as db:
        found = db.execute(sql)
        return found.fetchall() if found.description else []


@pytest.mark.slow
def test_connections_that_broke_while_nobody_used_them_are_no_error(dsn):
    with Memory(dsn, embedder=None) as memory:
        bank = memory.bank("ada")
        bank.remember("It rains.")
        for number in range(3):
            ask(dsn, CUT)
            assert number + 1 == len(bank.episodes())
            ask(dsn, CUT)
            bank.remember(f"It rains again, {number}.")


@contextmanager
def standby_lost(dsn):
    """Have commits wait for a standby that is not there."""
    try:
        ask(dsn, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        ask(dsn, "SELECT pg_reload_conf()")
        yield
    finally:
        ask(dsn, "ALTER SYSTEM RESET synchronous_standby_names")
        ask(dsn, "SELECT pg_reload_conf()")


@pytest.mark.slow
def test_what_its_standby_lacks_is_not_acknowledged_by_whoever_finds_it(dsn):
    """A commit whose wait was cut off is seen by all; it is lost if the primary is, then."""

    def remember(memory):
        with suppress(StoreUnreachable):
            memory.bank("ada").remember("It snows.", at="2025-03-02")

    def waiting():
        found = ask(dsn, "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        return [pid for (pid,) in found]

    with Memory(dsn, embedder=None) as one, Memory(dsn, embedder=None) as other:
        one.bank("ada").remember("It rains.")
        with standby_lost(dsn):
            first = threading.Thread(target=remember, args=(one,))
            first.start()
            wait_for(waiting)
            ask(dsn, f"SELECT pg_terminate_backend({waiting()[0]})")
            first.join(10)
            assert not first.is_alive()
            assert 2 == len(other.bank("ada").episodes()), "it was committed, and cut off"
            second = threading.Thread(target=remember, args=(other,))
            second.start()
            second.join(1)
            assert second.is_alive(), "acknowledged before it is safe"
            wait_for(waiting)
        second.join(10)
        assert not second.is_alive()


def wait_for(what):
    deadline = time.monotonic() + 10
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_whoever_does_not_know_what_was_written_changes_nothing(dsn):
    store = open_store(dsn, busy_timeout_s=5)
    bank = new_bank(store, episodes=2)
    ask(dsn, "UPDATE hippocampus.banks SET seq = seq + 1 RETURNING seq")

    with pytest.raises(StoreLocked, match="another server has written"), store.write(bank):
        grow(store, bank, 1)
    assert 2 == store.episodes.count(bank)
    store.close()


def test_servers_of_a_database_count_together_how_often_a_caller_asks(dsn):
    stores = [open_store(dsn, busy_timeout_s=5) for _ in range(2)]
    ada, bob = bytes(16), b"b" * 16
    given = [stores[n % 2].rates.take(ada, 3, per_s=0.001, burst=10) for n in range(5)]

    assert [3, 3, 3, 1, 0] == given
    assert 10 == stores[0].rates.take(bob, 30, per_s=0.001, burst=10)
    deadline = time.monotonic() + 10
    while not stores[1].rates.take(bob, 1, per_s=20.0, burst=10):
        assert time.monotonic() < deadline, "it fills again"
    for store in stores:
        store.close()


@pytest.fixture(scope="module")
def own():
    """A server of these tests alone, which may be stopped."""
    if postgres_server.binaries() is None:
        pytest.skip("no PostgreSQL is installed")
    folder = Path(tempfile.mkdtemp(prefix="hippocampus-pg-"))
    folder.chmod(0o755)
    try:
        with postgres_server.controlled(folder) as (dsn, turn):
            yield dsn.format("postgres"), turn, folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
def test_a_server_that_told_at_once_of_its_lost_database_recovers_by_itself(own):
    dsn, turn, _ = own
    with Memory(dsn, embedder=None) as memory, served(memory) as url, Client(url) as client:
        bank = client.bank("away")
        bank.remember("It rains.")
        turn("stop")
        for method, path, body in (
            ("GET", "/readyz", None),
            ("POST", "/v1/banks/away/recall", {"query": "rain"}),
            ("POST", "/v1/banks/away/remember", {"text": "It pours."}),
        ):
            begun = time.monotonic()
            made = httpx.request(method, url + path, json=body)
            assert (503, "1") == (made.status_code, made.headers["Retry-After"])
            assert "cannot be reached" in made.json()["error"]["message"]
            assert time.monotonic() - begun < 5
        with pytest.raises(StoreUnreachable):
            bank.remember("It pours.")
        threading.Timer(2, turn, ["start"]).start()

        with Client(url, attempts=20) as patient:
            patient.bank("away").remember("The sun is out.")
        assert ["It rains.", "The sun is out."] == [one.text for one in bank.episodes()]


class Losing:
    """Stands before a database, and breaks off every third connection at its first commit."""

    def __init__(self, folder, to):
        self.path = folder / ".s.PGSQL.5432"
        self.to = str(to / ".s.PGSQL.5432")
        self.lost = self.seen = 0
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(self.path))
        self.socket.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                near, _ = self.socket.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(self.to)
            losing = threading.Event()
            for args in ((near, far, losing, True), (far, near, losing, False)):
                threading.Thread(target=self.carry, args=args, daemon=True).start()

    def carry(self, source, target, losing, asks):
        try:
            while data := source.recv(1 << 16):
                if asks and b"UPDATE commits" in data:  # of a transaction that writes
                    self.seen += 1
                    if self.seen % 3 == 0:
                        losing.set()
                elif not asks and losing.is_set():  # it is done, and nobody hears of it
                    self.lost += 1
                    break
                target.sendall(data)
        except OSError:
            pass
        for one in (source, target):  # the other thread may be waiting for it
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def close(self):
        self.socket.close()


@pytest.mark.slow
def test_a_commit_whose_answer_was_lost_is_done_once(own, tmp_path):
    dsn, _, folder = own
    way = Losing(tmp_path, folder)
    through = dsn.replace(str(folder), str(tmp_path))
    with Memory(through, embedder=None) as memory:
        bank, unsure, sure = memory.bank("lost"), [], []
        for number in range(30):
            try:
                sure.append(bank.remember(f"Alone {number}.", at="2025-01-01").text)
            except StoreUnreachable as exc:
                unsure.append(str(exc))
        assert len(unsure) == way.lost > 3
        assert all("may be done" in told for told in unsure)
        with served(memory) as url, Client(url, attempts=9) as client:
            there = client.bank("lost")
            ids = [there.remember(f"Through the server {number}.").id for number in range(30)]
            there.feedback(ids, helpful=True)
            sure += [f"Through the server {number}." for number in range(30)]
        texts = [one.text for one in bank.episodes()]
    way.close()

    assert len(texts) == len(set(texts)), "none is there twice"
    assert set(sure) <= set(texts)
    with Memory(dsn, embedder=None) as memory:
        told = [change.kind for change in memory.bank("lost").journal()]
    assert 30 == told.count("feedback")


# ---------------------------------------------------------------- another history


class Failover:
    """A copy of a database, which takes its place: what was written since is lost."""

    def __init__(self, dsn):
        self.dsn, self.name = dsn, dsn.split("?")[0].rsplit("/", 1)[1]
        self.beside = dsn.replace(f"/{self.name}?", "/postgres?")
        self.cut(f"CREATE DATABASE {self.name}_copy TEMPLATE {self.name}")

    def cut(self, *statements):
        """Do something with the database while nobody is connected to it."""
        named = f"pg_stat_activity WHERE datname = '{self.name}'"
        ask(self.beside, f"SELECT pg_terminate_backend(pid, 10000) FROM {named}")  # noqa: S608
        for one in statements:
            ask(self.beside, one)

    def happen(self):
        self.cut(
            f"ALTER DATABASE {self.name} RENAME TO {self.name}_lost",
            f"ALTER DATABASE {self.name}_copy RENAME TO {self.name}",
        )


LOST, NEW = ("A zebra is lost.", "A giraffe is lost."), ("A walrus is new.", "An otter is new.")


@pytest.fixture
def failing(dsn):
    """A bank of a server, and the failover that is to lose what was written to it last."""
    with Memory(dsn, embedder=None) as memory:
        bank = memory.bank("ada")
        bank.remember_many([Turn(text=f"Apple {n} is kept.") for n in range(5)])
        failover = Failover(dsn)
        for text in LOST:
            bank.remember(text, session="lost")
        assert [LOST[0]] == found(bank, LOST[0])
        yield bank, failover


@pytest.fixture
def failed_over(failing, dsn):
    """A bank of a server that goes on, and of one that was opened after the failover."""
    bank, failover = failing
    failover.happen()
    with Memory(dsn, embedder=None) as memory:
        yield bank, memory.bank("ada")


def found(bank, text):
    """Return the words of a text by which a bank finds it, and no other one."""
    word = text.split()[1]
    return [hit.text for hit in bank.recall(word).hits if word in hit.text]


@pytest.mark.parametrize("more", [0, 1, 2])
def test_after_a_failover_a_server_answers_by_what_is_there(failed_over, more):
    bank, other = failed_over
    for text in (*NEW, "A gull is new.")[: more + 1]:
        other.remember(text, session="new")

    assert [found(bank, text) for text in NEW] == [found(other, text) for text in NEW]
    assert [found(bank, text) for text in LOST] == [[], []]
    assert bank.recall("zebra").hits == other.recall("zebra").hits
    assert [e.text for e in bank.episodes()] == [e.text for e in other.episodes()]


def test_what_a_failover_has_lost_takes_nothing_along_that_is_erased(failed_over):
    bank, other = failed_over
    for text in NEW:
        other.remember(text, session="new")

    assert bank.forget(session="lost", erase=True) == 0
    assert 7 == len(other.episodes())
    assert bank.forget(session="new", erase=True) == 2


def test_no_answer_from_before_a_failover_is_of_the_same_place(failing, dsn):
    bank, failover = failing
    _, before = bank.state.position()
    failover.happen()
    with Memory(dsn, embedder=None) as other:
        for text in NEW:
            other.bank("ada").remember(text, session="lost")
    assert before[:2] == bank.state.position()[1][:2]
    assert before != bank.state.position()[1]


def test_who_has_looked_before_a_failover_changes_nothing_after_it(failing, dsn):
    bank, failover = failing
    with Memory(dsn, embedder=None) as memory, bank.state.in_use():
        with bank.state.asking() as here:
            assert len(here.index) == 7
        failover.happen()
        other = memory.bank("ada")
        other.remember_many([Turn(text=text) for text in NEW])
        with ThreadPoolExecutor(1) as pool:  # others have this server know what is there now
            pool.submit(bank.recall, "walrus").result(timeout=30)
        for indexed in (True, False):
            with pytest.raises(StoreLocked, match="earlier state"), bank.state.holding():
                bank.state.transact(lambda books: books.writer.forget([]), indexed=indexed)
    assert 1 == bank.forget(next(e.id for e in bank.episodes() if e.text == NEW[0]))


@pytest.mark.parametrize("erase", [True, False])
def test_a_failover_while_it_is_looked_up_what_is_meant_hides_nothing_else(
    failing, dsn, erase, monkeypatch
):
    bank, failover = failing
    take = bank.state.take
    with Memory(dsn, embedder=None) as memory:

        def take_and_lose():
            here = take()
            monkeypatch.setattr(bank.state, "take", take)
            failover.happen()
            memory.bank("ada").remember_many([Turn(text=t, session="new") for t in NEW])
            return here

        monkeypatch.setattr(bank.state, "take", take_and_lose)
        with pytest.raises(StoreLocked, match="earlier state"):
            bank.forget(session="lost", erase=erase)
        assert 7 == len(memory.bank("ada").episodes())
        assert bank.forget(session="lost", erase=erase) == 0


def test_what_an_erasure_has_sealed_anew_is_of_the_same_history(database):
    dsn = database(key=KEY)
    with Memory(dsn, embedder=None, key=KEY) as one, Memory(dsn, embedder=None, key=KEY) as other:
        bank = one.bank("ada")
        kept, gone = bank.remember_many([Turn(text="It rains."), Turn(text="It snows.")])
        with bank.state.in_use():
            bank.recall("rain")
            other.bank("ada").forget(gone.id, erase=True)
            assert [kept] == [hit.episode for hit in bank.recall("snow rain").hits]
            bank.forget(kept.id)
