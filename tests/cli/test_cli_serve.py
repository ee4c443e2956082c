"""The commands for keys, and what serve refuses; that it serves is in tests/surfaces/server."""

import re
import socket

from hippocampus import Memory
from hippocampus.server.keys import Keys


def test_a_new_key_is_known_again_after_being_shown_once(shell):
    made = shell("keys", "create", "the agent", "--bank", "acme/*", "--bank", "b", "--role", "read")

    token = made.out.strip()
    assert re.fullmatch(r"hpc_[0-9a-f]{12}_[\w-]{43}", token)
    assert "shown this once" in made.err
    listed = shell("keys", "list")
    assert "the agent" in listed.out
    assert "acme/*, b" in listed.out
    assert token not in listed.out
    with Memory(shell.store, embedder="none") as memory:
        keys = Keys(memory)
        keys.refresh()
        assert keys.caller(token).banks == ("acme/*", "b")


def test_a_rotated_key_can_be_revoked(shell):
    made = shell("keys", "create", "x", "--bank", "*", "--role", "admin", "--json").json
    id_ = made["key"]["id"]
    again = shell("keys", "rotate", id_, "--keep", "24", "--json").json

    assert again["token"] != made["token"]
    assert again["key"]["former_until"] is not None
    assert shell("keys", "revoke", id_).out == f"revoked {id_}, x\n"
    assert shell("keys", "list").out == "there are no keys\n"
    assert shell("keys", "list", "--json").json == []
    gone = shell("keys", "revoke", id_)
    assert (2, True) == (gone.code, "no key has the id" in gone.err)


def test_a_role_that_is_none_is_refused(shell):
    answer = shell("keys", "create", "x", "--bank", "*", "--role", "root")

    assert answer.code == 2
    assert "read, write, admin" in answer.err


def test_without_keys_another_host_is_refused_with_the_way_out(shell):
    answer = shell("serve", "--host", "0.0.0.0", "--port", "0")  # noqa: S104 - it is refused

    assert answer.code == 2
    assert "hippocampus keys create" in answer.err.replace("\n", " ")


def test_a_port_that_is_taken_is_told(shell):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = shell("serve", "--port", str(port), env={"COLUMNS": "200"})

    assert answer.code == 2
    assert f"--port {port}:" in answer.err
    assert "port 0" in answer.err


def test_a_log_level_that_is_none_is_refused(shell):
    answer = shell("serve", "--log-level", "loud")

    assert answer.code == 2
    assert "debug, info, warning, error" in answer.err
    assert not shell.store.exists()
