"""A store that several servers share, in a database where there is one."""

import postgres_server
import psycopg
import pytest
from balanced_nodes import DEPLOY, short_folder


@pytest.fixture(scope="session")
def deploy():
    """The folder of what is shipped to deploy with."""
    return DEPLOY


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory):
    """A database on a server of its own; a file where there is no such server."""
    if postgres_server.binaries() is None:
        yield str(tmp_path_factory.mktemp("shared") / "shared.db")
        return
    with short_folder() as place, postgres_server.running(place) as address:
        with psycopg.connect(address.format("postgres"), autocommit=True) as db:
            db.execute("CREATE DATABASE memories")
        yield address.format("memories")
