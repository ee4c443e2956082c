"""Encryption on the command line: stores are made, opened, copied and given other keys."""

import pytest

TEXT = "The sunflower moved to Rovinj in May."


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key"
    path.write_text("0123456789abcdef0123456789abcdef\n")
    return f"file:{path}"


@pytest.fixture
def safe(shell, key, tmp_path):
    """Make a store and an encrypted copy of it, and return the options that open this."""
    assert shell("remember", TEXT).code == 0
    made = shell("encrypt", str(tmp_path / "safe.db"), "--new-key", key)
    assert (made.code, "1 bank" in made.out) == (0, True), made.err
    return ["--store", str(tmp_path / "safe.db")]


def recalled(shell, *options, env=None):
    return TEXT in shell("recall", "sunflower", *options, env=env).out


def test_an_encrypted_store_opens_with_its_key_from_an_option_or_the_environment(shell, safe, key):
    assert recalled(shell, *safe, "--key", key)
    assert recalled(shell, *safe, env={"HIPPOCAMPUS_KEY": key})
    assert recalled(shell, *safe, "--key", "env:MINE", env={"MINE": "0123456789abcdef" * 2})
    closed = shell("recall", "sunflower", *safe)
    assert (closed.code, "HIPPOCAMPUS_KEY" in closed.err) == (3, True)
    assert closed.err.count("\n") == 1


def test_a_key_that_does_not_fit_is_told_without_showing_it(shell, safe):
    for wrong, code in (("hunter2-hunter2-hunter2", 2), ("env:MINE", 3), ("file:/no/such/key", 3)):
        told = shell("recall", "x", *safe, "--key", wrong, env={"MINE": "hunter2-" * 4})
        assert (told.code, told.err.count("\n")) == (code, 1)
        assert "hunter2" not in told.err + told.out


@pytest.mark.parametrize("spec", ["file:no-such-key", "env:NOBODY_SETS_THIS"])
def test_a_new_key_that_cannot_be_had_is_told_of_the_file_that_is_asked_for(shell, tmp_path, spec):
    shell("remember", TEXT)
    before = sorted(tmp_path.iterdir())
    told = shell("encrypt", str(tmp_path / "safe.db"), "--new-key", spec)

    assert (3, 1) == (told.code, told.err.count("\n"))
    assert f"{tmp_path / 'safe.db'}: the " in told.err
    assert "partial" not in told.err
    assert before == sorted(tmp_path.iterdir())


@pytest.mark.slow
def test_a_passphrase_comes_from_its_variable_or_a_terminal(shell, safe, key):
    opened = {"HIPPOCAMPUS_PASSPHRASE": "correct horse"}
    nobody = shell("encryption", "add", *safe, "--key", key, "--new-key", "passphrase")
    added = shell(
        "encryption", "add", *safe, "--key", key, "--new-key", "passphrase",
        env={"HIPPOCAMPUS_NEW_PASSPHRASE": "correct horse"},
    )  # fmt: skip

    assert (nobody.code, "HIPPOCAMPUS_NEW_PASSPHRASE" in nobody.err) == (2, True)
    assert (added.code, added.out) == (0, "opens with: secret, passphrase\n")
    assert recalled(shell, *safe, "--key", "passphrase", env=opened)
    assert ["secret", "passphrase"] == shell(
        "encryption", "keys", *safe, "--key", key, "--json"
    ).json


def test_a_new_passphrase_is_asked_for_twice(shell, safe, key, monkeypatch):
    monkeypatch.setattr("hippocampus.cli.options._at_a_terminal", lambda: True)
    said = iter(["correct horse", "correct hoarse", "correct horse", "correct horse"])
    monkeypatch.setattr("hippocampus.cli.options.getpass", lambda _: next(said))
    asked = ["encryption", "add", *safe, "--key", key, "--new-key", "passphrase"]

    assert shell(*asked).code == 2
    assert shell(*asked).code == 0


@pytest.mark.slow
def test_a_recovery_phrase_opens_it_when_all_else_is_lost(shell, safe, key):
    phrase = shell("encryption", "phrase", *safe, "--key", key, "--json").json["phrase"]
    lost = {"HIPPOCAMPUS_PHRASE": phrase.lower()}
    assert recalled(shell, *safe, "--key", "phrase", env=lost)

    new = ["--new-key", "passphrase"]
    env = lost | {"HIPPOCAMPUS_NEW_PASSPHRASE": "another"}
    assert shell("encryption", "rotate", *safe, "--key", "phrase", *new, env=env).code == 0
    assert shell("recall", "x", *safe, "--key", key).code == 3
    assert recalled(shell, *safe, "--key", "passphrase", env={"HIPPOCAMPUS_PASSPHRASE": "another"})


@pytest.mark.slow
def test_what_looks_after_a_store_takes_its_key(shell, safe, key, tmp_path):
    opening = [*safe, "--key", key]
    copy, saved, plain = (str(tmp_path / f"{name}.db") for name in ("copy", "saved", "plain"))
    for command in (
        ["verify"], ["doctor"], ["scan"], ["reindex"], ["backup", copy], ["reembed", "hash"],
        ["doctor", "--salvage", saved], ["sleep"], ["stats"], ["decrypt", plain],
    ):  # fmt: skip
        done = shell(*command, *opening)
        assert done.code == 0, (command, done.err, done.out)

    assert recalled(shell, "--store", copy, "--key", key)
    assert recalled(shell, "--store", saved, "--key", key)
    assert recalled(shell, "--store", plain)
    assert shell("decrypt", str(tmp_path / "more.db"), *safe).code == 3


def test_a_new_store_is_encrypted_from_the_first_word_on(shell, key, tmp_path):
    new = ["--store", str(tmp_path / "new.db"), "--key", key]
    assert shell("remember", TEXT, "--speaker", "Hofstetter", *new).code == 0

    assert recalled(shell, *new)
    assert b"Hofstetter" not in (tmp_path / "new.db").read_bytes()
