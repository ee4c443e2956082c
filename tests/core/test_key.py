"""Keys to an encrypted store: where they come from, and what opens with them."""

import os
import re
import sys

import keyring
import msgspec
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked
from msgspec.structs import replace

from hippocampus.core.key import (
    Key,
    KeyRefused,
    as_header,
    as_key,
    make_slot,
    new_phrase,
    open_slots,
    slots_of,
)
from hippocampus.errors import InputError, MissingExtra, WrongKey

MASTER = os.urandom(64)
SECRET = "JmZ0bG9uZy1lbm91Z2g0NDQ0NDQ0NDQ="  # noqa: S105 - of these tests


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a key"
    path.write_text(f"{SECRET}\n")
    return path


def sources(file, monkeypatch):
    monkeypatch.setenv("A_KEY", SECRET)
    told = f"import pathlib; print(pathlib.Path({str(file)!r}).read_text(), end='')"
    return {
        "file": Key.file(file),
        "file, written": Key.of(f"file:{file}"),
        "environment": Key.environment("A_KEY"),
        "environment, written": Key.of("env:A_KEY"),
        "command": Key.command([sys.executable, "-c", told]),
        "command, written": Key.of(f'command:{sys.executable} -c "{told}"'),
    }


def test_a_secret_is_the_same_wherever_it_comes_from(file, monkeypatch):
    opened = sources(file, monkeypatch)
    slot = make_slot(opened["file"], MASTER)

    assert {name: open_slots(key, [slot]) for name, key in opened.items()} == dict.fromkeys(
        opened, MASTER
    )


@pytest.mark.slow
def test_a_key_opens_what_was_wrapped_with_it_and_nothing_else(file):
    phrase = new_phrase()
    each = [Key.passphrase("correct horse"), Key.file(file), Key.phrase(phrase)]
    slots = [make_slot(key, MASTER) for key in each]

    assert [open_slots(key, slots) for key in each] == [MASTER] * 3
    for key in (Key.passphrase("correct hoarse"), Key.phrase(new_phrase())):
        with pytest.raises(KeyRefused, match="opens with: passphrase, secret, phrase"):
            open_slots(key, slots)
    with pytest.raises(KeyRefused):
        open_slots(each[0], [slots[1], slots[2]])


@pytest.mark.slow
def test_slots_of_a_key_are_all_different_without_the_secret_or_the_master_key():
    one, other = (make_slot(Key.passphrase("correct horse"), MASTER) for _ in range(2))

    assert one.salt != other.salt
    assert one.wrapped != other.wrapped
    assert MASTER not in one.wrapped
    assert "horse" not in as_header([one])
    assert slots_of(as_header([one, other])) == [one, other]


def test_a_recovery_phrase_of_160_bits_may_be_typed_as_one_likes():
    phrase = new_phrase()
    slot = make_slot(Key.phrase(phrase), MASTER)

    assert re.fullmatch("(?:[A-Z2-7]{4}-){7}[A-Z2-7]{4}", phrase)
    assert phrase != new_phrase()
    assert open_slots(Key.phrase(f"  {phrase.lower().replace('-', ' ')} "), [slot]) == MASTER
    for wrong in ("", phrase[:-1], f"{phrase}A", "not a phrase"):
        with pytest.raises(KeyRefused, match="eight groups"):
            open_slots(Key.phrase(wrong), [slot])


@pytest.mark.parametrize("spec", ["", "hunter2hunter2hunter2", "file:", "env:", "keyring:a", "x:y"])
def test_what_is_no_specification_is_refused_without_being_repeated(spec):
    with pytest.raises(InputError, match="file:PATH") as told:
        Key.of(spec)
    assert not spec or f"'{spec}'" not in str(told.value)
    assert "hunter2" not in str(told.value)


@pytest.mark.parametrize("command", ["cat key", [], [1]])
def test_a_command_that_is_no_list_is_refused_without_asking_a_shell(command):
    with pytest.raises(InputError, match="list"):
        Key.command(command)


def test_what_cannot_be_had_says_why(tmp_path, monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    (tmp_path / "short").write_text("too short\n")
    failing = [sys.executable, "-c", "raise SystemExit(3)"]
    for key, why in (
        (Key.file(tmp_path / "none"), "cannot be used: No such file"),
        (Key.file(tmp_path / "short"), "has 9 bytes; at least 16"),
        (Key.environment("NO_SUCH_KEY"), "NO_SUCH_KEY of the environment is not set"),
        (Key.command(failing), "ended with 3"),
        (Key.command([str(tmp_path / "none")]), "cannot be run"),
    ):
        with pytest.raises(KeyRefused, match=why):
            key.secret()


@pytest.mark.parametrize("text", ["", "  ", None, 5])
def test_a_blank_passphrase_is_refused(text):
    with pytest.raises(InputError, match="blank"):
        Key.passphrase(text)


def test_a_passphrase_with_half_a_character_is_refused_without_being_shown():
    with pytest.raises(InputError, match="half a character at its place 8") as told:
        Key.passphrase("correct\udce9horse")
    assert told.value.__cause__ is None
    assert "horse" not in str(told.value)


def test_a_key_in_the_home_of_whoever_asks_is_found_there(file, monkeypatch):
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(file.parent))
    keys = [
        Key.file("~/a key"),
        Key.ring("~/a key"),
        Key.of("file:~/a key"),
        Key.of("ring:~/a key"),
    ]
    assert {SECRET.encode()} == {key.secret() for key in keys}


@pytest.mark.parametrize("given", [5, b"0123456789abcdef", ["file:x"]])
def test_what_is_no_key_at_all_is_refused(given):
    with pytest.raises(InputError, match="give a Key"):
        as_key(given)
    assert as_key(None) is None


# ---------------------------------------------------------------- rings


def test_a_ring_that_a_link_leads_to_is_renewed_where_it_is(tmp_path):
    ring, link = tmp_path / "shared", tmp_path / "here"
    ring.write_text(f"{SECRET}\n")
    link.symlink_to(ring)

    new = Key.ring(link).renewed()

    assert Key.ring(ring).secrets() == [SECRET.encode(), new]
    Key.ring(link).keep([new])
    assert link.is_symlink()
    assert Key.ring(ring).secrets() == Key.ring(link).secrets() == [new]


def test_a_copy_of_a_ring_that_a_killed_process_left_goes_with_the_next_change(tmp_path):
    ring = tmp_path / "ring"
    ring.write_text(f"{SECRET}\n")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pathlib.Path.replace", lambda *_: 1 / 0)
        patched.setattr("pathlib.Path.unlink", lambda *_, **__: None)
        with pytest.raises(ZeroDivisionError):
            Key.ring(ring).renewed()
    (left,) = {*tmp_path.iterdir()} - {ring}
    os.utime(left, (0, 0))

    new = Key.ring(ring).renewed()

    assert [*tmp_path.iterdir()] == [ring]
    assert Key.ring(ring).secrets() == [SECRET.encode(), new]


# ---------------------------------------------------------------- the system's keyring


class MemoryKeyring(KeyringBackend):
    """A backend of the keyring library that keeps passwords for as long as the process lives."""

    priority = 1

    def __init__(self):
        super().__init__()
        self.kept = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password

    def delete_password(self, service, username):
        del self.kept[service, username]


class LockedKeyring(MemoryKeyring):
    """A backend whose owner does not unlock it."""

    def get_password(self, service, username):
        raise KeyringLocked(f"what {service} has of {username} is locked")


@pytest.fixture
def keep():
    """Return a way to have another keyring until the test is over."""
    before = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(before)


def test_a_key_from_the_keyring_opens_what_its_secret_opens(keep, file):
    keep(MemoryKeyring())
    keyring.set_password("hippocampus", "ada", SECRET)
    slot = make_slot(Key.file(file), MASTER)

    for key in (Key.keyring("hippocampus", "ada"), Key.of("keyring:hippocampus:ada")):
        assert MASTER == open_slots(key, [slot])
        assert SECRET not in repr(key)
    keyring.set_password("hippocampus", "ada", SECRET[::-1])
    with pytest.raises(KeyRefused, match="opens with: secret"):
        open_slots(Key.keyring("hippocampus", "ada"), [slot])


def test_a_keyring_that_gives_no_key_says_why(keep):
    key = Key.keyring("hippocampus", "ada")
    keep(MemoryKeyring())
    with pytest.raises(KeyRefused, match="nothing for 'ada' of 'hippocampus'; put it there with"):
        key.secret()
    keyring.set_password("hippocampus", "ada", "too short")
    with pytest.raises(KeyRefused, match="has 9 bytes; at least 16"):
        key.secret()
    for backend, why in ((LockedKeyring(), "is locked"), (NoKeyring(), "No recommended backend")):
        keep(backend)
        with pytest.raises(KeyRefused, match=rf"the keyring cannot be used: .*{why}"):
            key.secret()


def test_a_store_opens_with_a_key_from_the_keyring(keep, open_memory):
    keep(MemoryKeyring())
    keyring.set_password("hippocampus", "ada", SECRET)
    with open_memory(key="keyring:hippocampus:ada") as memory:
        memory.bank("ada").remember("We met at noon.")
    keyring.delete_password("hippocampus", "ada")
    with pytest.raises(WrongKey, match="the keyring has nothing"):
        open_memory(key="keyring:hippocampus:ada")
    keyring.set_password("hippocampus", "ada", SECRET)

    assert 1 == len(open_memory(key="keyring:hippocampus:ada").bank("ada").episodes())


def test_a_key_does_not_show_its_secret():
    for key in (Key.passphrase("correct horse"), Key.phrase("AAAA-BBBB")):
        assert "horse" not in repr(key)
        assert "AAAA" not in repr(key)


def test_without_the_extra_its_name_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.kdf.argon2", None)
    with pytest.raises(MissingExtra, match="encryption"):
        make_slot(Key.passphrase("correct horse"), MASTER)


def test_stretching_a_passphrase_takes_memory_and_time():
    slot = make_slot(Key.passphrase("correct horse"), MASTER)

    memory_kib, passes, lanes = slot.argon2
    assert memory_kib >= 65536
    assert passes >= 3
    with pytest.raises(KeyRefused):
        open_slots(Key.passphrase("correct horse"), [replace(slot, argon2=(memory_kib, 1, lanes))])


@pytest.mark.parametrize(
    "header",
    [
        "", "{}", "[1]", '[{"kind": "passphrase"}]', '[{"kind": "other", "salt": "AAAA"}]',
        '[{"kind": "passphrase", "salt": "AAAA", "argon2": [4000000000, 3, 4]}]',
    ],
)  # fmt: skip
def test_a_header_that_is_none_is_no_header(header):
    with pytest.raises(msgspec.DecodeError):
        slots_of(header)
