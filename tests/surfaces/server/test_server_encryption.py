"""An encrypted store is served: by a key from each source, and no word of it is in any file."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from served_process import Process

from hippocampus import Memory
from hippocampus.core.key import Key
from hippocampus.upkeep import find_residue, verify

SECRET = "JmZ0bG9uZy1lbm91Z2g0NDQ0NDQ0NDQ="  # noqa: S105 - of these tests
PHRASE = "AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH"
AT = "/v1/banks/bank-of-lena"
SAID = {
    "text": "The sunflower stands in the garden of Graz.", "speaker": "Lena Hofstetter",
    "session": "journey-session", "source": "notes/garden.md",
    "metadata": {"name": "zebraproject"},
}  # fmt: skip
WORDS = (
    "The sunflower stands", "Lena Hofstetter", "journey-session", "notes/garden.md",
    "zebraproject", "bank-of-lena", "because-of-the-court", "a-quiet-friend",
)  # fmt: skip
KEYRING = '''
import json, os
from keyring.backend import KeyringBackend

class FileKeyring(KeyringBackend):
    """A backend of the keyring library whose passwords another process can have put there."""

    priority = 1

    def get_password(self, service, username):
        with open(os.environ["KEYRING_FILE"], encoding="utf-8") as file:
            return json.load(file).get(f"{service}:{username}")

    def set_password(self, service, username, password):
        raise NotImplementedError

    def delete_password(self, service, username):
        raise NotImplementedError
'''


def set_up(folder, secret=SECRET, phrase=PHRASE):
    """Put a secret where each source looks; return what the environment has then."""
    folder.mkdir(exist_ok=True)
    (folder / "key").write_text(f"{secret}\n", "utf-8")
    (folder / "file_keyring.py").write_text(KEYRING, "utf-8")
    (folder / "keyring.json").write_text(json.dumps({"hippocampus:ada": secret}), "utf-8")
    (folder / "tell.py").write_text(f"print({secret!r})", "utf-8")
    return {
        "MY_KEY": secret, "HIPPOCAMPUS_PASSPHRASE": f"correct {secret}",
        "HIPPOCAMPUS_PHRASE": phrase, "PYTHONPATH": str(folder),
        "PYTHON_KEYRING_BACKEND": "file_keyring.FileKeyring",
        "KEYRING_FILE": str(folder / "keyring.json"),
    }  # fmt: skip


def ways(folder):
    """Return each way to give the key on the command line, and the same one in Python."""
    file, tell = folder / "key", [sys.executable, str(folder / "tell.py")]
    by_file = Key.file(file)
    return {
        "file": (f"file:{file}", by_file),
        "ring": (f"ring:{file}", by_file),
        "environment": ("env:MY_KEY", by_file),
        "keyring": ("keyring:hippocampus:ada", by_file),
        "command": ("command:" + " ".join(f"'{part}'" for part in tell), by_file),
        "passphrase": ("passphrase", Key.passphrase(f"correct {SECRET}")),
        "phrase": ("phrase", Key.phrase(PHRASE)),
    }


WAYS = tuple(ways(Path()))


@pytest.fixture
def secrets(tmp_path):
    return tmp_path / "secrets"


@pytest.fixture
def served(tmp_path, secrets):
    """Return a way to serve a store in a folder of its own, with a folder for what passes."""
    running = []
    for name in ("store", "passing"):
        (tmp_path / name).mkdir()

    def serve(spec, **more):
        env = set_up(secrets) | {"TMPDIR": str(tmp_path / "passing")} | more
        options = () if spec is None else ("--key", spec)
        running.append(Process(tmp_path / "store" / "safe.db", *options, env=env))
        return running[-1]

    yield serve
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate()


def words_in(folder):
    """Return the words that are in the raw bytes, or the name, of any file of a folder."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert files or folder.name == "passing"
    return [(found.where, word) for word in WORDS for found in find_residue(files, word)] + [
        (str(file), word) for file in files for word in WORDS if word in file.name
    ]


def test_of_a_store_that_is_not_encrypted_every_word_is_found(tmp_path):
    with Memory(tmp_path / "plain.db", embedder="hash") as memory:
        bank = memory.bank("bank-of-lena")
        bank.hold(bank.remember(**SAID).id, reason="because-of-the-court")
        bank.set_profile(persona="a-quiet-friend")

    assert set(WORDS) == {word for _, word in words_in(tmp_path)}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_store_is_served_by_its_key_with_no_word_in_any_file(served, secrets, tmp_path, way):
    spec, key = ways(secrets)[way]
    server = served(spec)
    with httpx.Client(base_url=server.url, timeout=60) as http:
        kept = http.post(f"{AT}/remember", json=SAID).raise_for_status().json()
        http.post(f"{AT}/hold", json={"id": kept["id"], "reason": "because-of-the-court"})
        http.post(f"{AT}/set_profile", json={"persona": "a-quiet-friend"})
        asked = {"query": "Where does the sunflower stand?"}
        recalled = http.post(f"{AT}/recall", json=asked).raise_for_status().json()
        http.post(f"{AT}/sleep", json={}).raise_for_status()
        exported = http.get(f"{AT}/export").raise_for_status().text
        backup = http.get("/v1/backup").raise_for_status().content
        open_files = words_in(tmp_path / "store")
    code, _ = server.stop()

    assert 0 == code, server.log
    assert [SAID["text"]] == [hit["episode"]["text"] for hit in recalled["hits"]]
    assert not [word for word in WORDS if word not in exported]
    assert [] == open_files == words_in(tmp_path / "store") == words_in(tmp_path / "passing")
    copy = tmp_path / "store" / "backup.db"
    copy.write_bytes(backup)
    assert [] == words_in(tmp_path / "store")
    for path in (copy, tmp_path / "store" / "safe.db"):
        with Memory(path, embedder="hash", key=key) as memory:
            assert SAID["text"] == memory.bank("bank-of-lena").get(kept["id"]).text
            assert verify(memory).sound
    with Memory(tmp_path / "plain.db", embedder="hash") as plain:
        (tmp_path / "plain.jsonl").write_text(exported, "utf-8")
        assert 1 == plain.bank("bank-of-lena").import_(tmp_path / "plain.jsonl").added


def refused(path, spec, env):
    """Start a server that does not start; return its exit code and what it says."""
    options = () if spec is None else ("--key", spec)
    done = subprocess.run(
        [sys.executable, "-m", "hippocampus", "serve", "--store", str(path), "--port", "0",
         "--embedder", "hash", *options],
        capture_output=True, text=True, check=False, timeout=120, env=os.environ | env,
    )  # fmt: skip
    assert "" == done.stdout
    return done.returncode, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_key_that_is_not_the_stores_ends_the_server_with_one_line_saying_so(
    secrets, tmp_path, way
):
    set_up(secrets)
    spec, key = ways(secrets)[way]
    path = tmp_path / "safe.db"
    with Memory(path, embedder="hash", key=key) as memory:
        memory.bank("bank-of-lena").remember(**SAID)
    before = path.read_bytes()
    other = "b3RoZXItc2VjcmV0LW9mLW5vYm9keQ=="
    env = set_up(secrets, other, PHRASE.replace("AAAA", "ZZZZ"))
    code, said = refused(path, spec, env)

    assert 3 == code
    assert re.fullmatch(
        rf"hippocampus: {re.escape(str(path))}: [^\n]*opens with: \w+[^\n]*\n", said
    )
    assert not [one for one in (other, SECRET, "ZZZZ", *WORDS) if one in said]
    assert before == path.read_bytes()


@pytest.mark.slow
def test_a_key_that_cannot_be_had_ends_the_server_with_one_line_saying_why(secrets, tmp_path):
    env = set_up(secrets)
    path = tmp_path / "safe.db"
    with Memory(path, embedder="hash", key=Key.file(secrets / "key")) as memory:
        memory.bank("bank-of-lena").remember(**SAID)
    no_keyring = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    for spec, more, code, why in (
        (None, {}, 3, "HIPPOCAMPUS_KEY"),
        ("env:NO_SUCH_KEY", {}, 3, "NO_SUCH_KEY of the environment is not set"),
        (f"file:{tmp_path / 'none'}", {}, 3, "cannot be used: No such file"),
        ("keyring:hippocampus:eve", {}, 3, "the keyring has nothing for 'eve'"),
        ("keyring:hippocampus:ada", no_keyring, 3, "the keyring cannot be used: No recommended"),
        ("command:false", {}, 3, "ended with 1 and gave no key"),
        (SECRET, {}, 2, "the key is not written as file:PATH"),
    ):
        found, said = refused(path, spec, env | more)
        assert (code, 1) == (found, said.count("\n")), (spec, said)
        assert why in said
        assert SECRET not in said
