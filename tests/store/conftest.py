"""Every store there is, by the function that opens it at a folder."""

import shutil
import tempfile
from functools import cache
from itertools import count
from pathlib import Path

import postgres_server
import pytest
from store_samples import KEY

from hippocampus.store import open_store


def in_file(folder, _database):
    return open_store(folder / "store.db", busy_timeout_s=5)


def in_memory(_folder, _database):
    return open_store(":memory:", busy_timeout_s=5)


def encrypted(folder, _database):
    return open_store(folder / "store.db", busy_timeout_s=5, key=KEY)


def in_postgres(_folder, database):
    return open_store(database(with_tables=True), busy_timeout_s=5)


def encrypted_in_postgres(_folder, database):
    return open_store(database(with_tables=True, key=KEY), busy_timeout_s=5, key=KEY)


def in_files(folder, _database):
    return open_store([folder / f"shard{n}.db" for n in range(3)], busy_timeout_s=5)


def encrypted_in_databases(_folder, database):
    addresses = [database(with_tables=True, key=KEY) for _ in range(2)]
    return open_store(",".join(addresses), busy_timeout_s=5, key=KEY)


STORES = {
    "file": in_file,
    "memory": in_memory,
    "encrypted": encrypted,
    "postgres": in_postgres,
    "encrypted postgres": encrypted_in_postgres,
    "files": in_files,
    "encrypted databases": encrypted_in_databases,
}


@pytest.fixture(scope="session")
def server():
    """A server of PostgreSQL for all tests of this process, and how to make a new database."""
    if postgres_server.binaries() is None:
        pytest.skip("no PostgreSQL is installed")
    psycopg = pytest.importorskip("psycopg")
    folder = Path(tempfile.mkdtemp(prefix="hippocampus-pg-"))
    folder.chmod(0o755)
    numbers = count(1)
    try:
        with postgres_server.running(folder) as dsn:

            def new(name, template="template1"):
                with psycopg.connect(dsn.format("postgres"), autocommit=True) as db:
                    db.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
                return dsn.format(name)

            @cache
            def template(key):
                name = "tables" if key is None else "sealed"
                open_store(new(name), busy_timeout_s=5, key=key).close()
                return name

            def database(*, with_tables=False, key=None):
                """Copy a store that nothing is in yet, which is faster than to make its tables."""
                like = template(key) if with_tables else "template1"
                return new(f"store{next(numbers)}", like)

            yield database
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(request):
    """Make a new database, whose address it returns; the server starts with the first."""

    def new(**kind):
        return request.getfixturevalue("server")(**kind)  # not started before it is asked

    return new


@pytest.fixture(params=STORES)
def store(request, tmp_path, database):
    """A fresh store of each kind: what takes it is the contract they all keep."""
    opened = STORES[request.param](tmp_path, database)
    yield opened
    opened.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture
def opened(path):
    """Open the store in a file as often as asked; every handle is closed in the end."""
    handles = []

    def again(**options):
        handles.append(open_store(path, **{"busy_timeout_s": 5, **options}))
        return handles[-1]

    yield again
    for handle in handles:
        handle.close()


@pytest.fixture
def waits(monkeypatch):
    """Return what counts how often the database was waited for while something is done."""
    psycopg = pytest.importorskip("psycopg")
    waited, wait = [], psycopg.Connection.wait

    def counted(self, *args, **kwargs):
        if self.info.pipeline_status == psycopg.pq.PipelineStatus.OFF:  # once for each pipeline
            waited.append(self)
        return wait(self, *args, **kwargs)

    monkeypatch.setattr(psycopg.Connection, "wait", counted)

    def during(do):
        waited.clear()
        do()
        return len(waited)

    return during
