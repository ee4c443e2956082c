"""Every store there is, by the function that opens it at a folder."""

import pytest
from store_samples import KEY

from hippocampus.store import open_store


def in_file(folder):
    return open_store(folder / "store.db", busy_timeout_s=5)


def in_memory(_folder):
    return open_store(":memory:", busy_timeout_s=5)


def encrypted(folder):
    return open_store(folder / "store.db", busy_timeout_s=5, key=KEY)


STORES = {"file": in_file, "memory": in_memory, "encrypted": encrypted}


@pytest.fixture(params=STORES)
def store(request, tmp_path):
    """A fresh store of each kind: what takes it is the contract they all keep."""
    opened = STORES[request.param](tmp_path)
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
