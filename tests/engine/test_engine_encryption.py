"""An encrypted memory does all that another does, and no file of it has a word in it."""

from collections import Counter

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from hippocampus import Turn, encryption
from hippocampus.encryption import Key
from hippocampus.errors import (
    InputError,
    OutputExists,
    StoreCorrupt,
    StoreEncrypted,
    StoreError,
    WrongKey,
)
from hippocampus.upkeep import doctor, find_residue, reembed, verify

KEY = Key.phrase("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH")
OTHER = Key.phrase("BBBB-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH")
WORDS = [
    "The sunflower stands in the garden", "sunflower moved to Rovinj", "Lena Hofstetter",
    "journey-session", "notes/garden.md", "zebraproject", "bank-of-lena", "Annenstrasse",
    "because-of-the-court", "Wednesday market",
]  # fmt: skip


def lived(memory, name="bank-of-lena"):
    """Have a bank remember, correct, pin, hold, forget, answer, learn and sleep."""
    bank = memory.bank(name)
    first = bank.remember(
        "The sunflower stands in the garden of Graz.", speaker="Lena Hofstetter",
        session="journey-session", source="notes/garden.md", metadata={"name": "zebraproject"},
    )  # fmt: skip
    bank.remember_many(
        [
            Turn(text=f"Tree {n} of the Annenstrasse was planted with Paul.", session="planting")
            for n in range(24)
        ]
    )
    bank.remember_many(
        [
            Turn(text="My dentist is Doctor Weber.", speaker="Lena Hofstetter", role="user"),
            Turn(text="We meet at the Wednesday market.", speaker="Lena Hofstetter", role="user"),
        ]
    )
    bank.correct(first.id, "The sunflower moved to Rovinj.")
    bank.hold(bank.episodes()[2].id, reason="because-of-the-court")
    bank.recall("Where does the sunflower stand?")
    bank.sleep()
    return bank


def answers(bank):
    """Return what can be compared between two stores of one history."""
    hits = [
        (h.episode.text, h.score) for h in bank.recall("Where is the sunflower in Rovinj?").hits
    ]
    return (
        hits, bank.episodes(), bank.history(bank.episodes()[2].id), bank.facts(), bank.gists(),
        bank.topics(), bank.sleeps(), bank.find("sunflower"), bank.trend("tree"),
        bank.context("Rovinj").text,
    )  # fmt: skip


def words_in(path):
    """Return the words that the raw bytes of any file beside a store have, in any form."""
    files = sorted(file for file in path.parent.iterdir() if not file.name.endswith("-shm"))
    return [word for word in WORDS if find_residue(files, word)]


def test_no_file_of_an_encrypted_memory_has_a_word_in_it(open_memory, path):
    memory = open_memory(key=KEY)
    lived(memory)
    assert path.with_name("memory.db-wal").stat().st_size
    assert [] == words_in(path)
    memory.backup(path.with_name("copy.db"))
    memory.close()

    assert [] == words_in(path)


def test_a_memory_in_plain_words_has_them_all(open_memory, path):
    """The test before could fail."""
    lived(open_memory())

    assert {*WORDS[:5]} < {*words_in(path)}


@pytest.mark.slow
def test_it_answers_as_one_in_plain_words_does(open_memory, path):
    lived(open_memory("plain.db"))
    before = answers(open_memory("plain.db").bank("bank-of-lena"))
    encryption.encrypt(path.with_name("plain.db"), path, key=KEY)

    sealed = open_memory(key=KEY)
    assert before == answers(sealed.bank("bank-of-lena"))
    assert verify(sealed).sound
    assert doctor(path, key=KEY)[-2][2]


@pytest.mark.slow
def test_there_and_back_everything_is_as_it_was(open_memory, path):
    memory = open_memory()
    lived(memory), lived(memory, "other bank")
    before = [answers(memory.bank(name)) for name in memory.banks()]
    memory.close()  # which notes what was recalled
    checked = verify(open_memory()).checked
    sealed, rekeyed, plain = (path.with_name(f"{n}.db") for n in range(3))
    told = []

    assert 2 == encryption.encrypt(path, sealed, key=KEY, progress=lambda *now: told.append(now))
    assert 2 == encryption.encrypt(sealed, rekeyed, key=OTHER, old=KEY)
    assert 2 == encryption.decrypt(rekeyed, plain, key=OTHER)
    assert [(1, 2), (2, 2)] == told
    again = open_memory("2.db")
    assert checked == verify(again).checked
    assert verify(again).sound
    assert before == [answers(again.bank(name)) for name in again.banks()]


def test_a_copy_that_fails_leaves_every_file_as_it_was(open_memory, path):
    lived(open_memory())
    target = path.with_name("safe.db")
    target.write_text("mine")
    with pytest.raises(OutputExists):
        encryption.encrypt(path, target, key=KEY)
    assert "mine" == target.read_text()
    target.unlink()

    with pytest.raises(WrongKey):
        encryption.encrypt(path, target, key=Key.file(path.with_name("none")))
    with pytest.raises(StoreError, match="not encrypted"):
        encryption.decrypt(path, target, key=KEY)
    assert {"memory.db"} == {
        f.name.removesuffix("-wal").removesuffix("-shm") for f in path.parent.iterdir()
    }


def test_what_is_damaged_is_not_copied_in_silence(open_memory, path):
    memory = open_memory()
    lived(memory)
    store = memory.engine.store
    with store.write():
        store.transactions.do("UPDATE episodes SET address = 'x' WHERE row = 2")
    memory.close()
    with pytest.raises(StoreCorrupt, match="row 2"):
        encryption.encrypt(path, path.with_name("safe.db"), key=KEY)
    assert not path.with_name("safe.db").exists()


@pytest.mark.slow
def test_keys_can_be_listed_after_adding_or_changing_them(open_memory, path):
    lived(open_memory(key=KEY)).remember("The last word.")
    phrase = encryption.recovery_phrase(path, key=KEY)
    words = Key.passphrase("correct horse battery staple")

    assert ["phrase", "phrase", "passphrase"] == encryption.add_key(path, key=KEY, new=words)
    assert ["passphrase"] == encryption.rotate(path, key=Key.phrase(phrase), new=words)
    assert ["passphrase"] == encryption.keys(path, key=words)
    with pytest.raises(WrongKey):
        encryption.keys(path, key=KEY)
    assert open_memory(key=words).bank("bank-of-lena").recall("last word").hits


def test_a_key_may_be_given_as_a_specification(open_memory, path, monkeypatch):
    monkeypatch.setenv("THE_KEY", "0123456789abcdef")
    open_memory(key="env:THE_KEY").bank("ada").remember("The key is in the environment.")

    assert "sunflower" not in open_memory(key="env:THE_KEY").banks()
    with pytest.raises(InputError, match="file:PATH"):
        open_memory(key="0123456789abcdef")
    with pytest.raises(StoreEncrypted):
        open_memory()
    assert [] == words_in(path)


def test_it_moves_to_another_embedder(open_memory, path):
    memory = open_memory(key=KEY, embedder="none")
    memory.bank("ada").remember("The sunflower moved to Rovinj.")
    memory.close()

    assert {"ada": 1} == reembed(path, "hash", key=KEY)
    assert [] == words_in(path)
    assert open_memory(key=KEY).bank("ada").recall("sunflower").hits


def test_no_name_of_what_was_erased_stays_in_a_cipher(open_memory):
    here, there = open_memory(key=KEY), open_memory(key=KEY)

    def known(memory):
        store = memory.engine.store
        return repr(vars(store.encryption.of(store.banks.number("ada"))))

    kept = here.bank("ada").remember("The heron nests.", speaker="Ottilie", session="by the weir")
    for memory in (here, there):
        assert "Ottilie" in memory.bank("ada").get(kept.id).speaker
        assert "Ottilie" in known(memory)
    here.bank("ada").forget(kept.id, erase=True)
    for memory in (here, there):
        memory.bank("ada").recall("heron")
        assert "Ottilie" not in known(memory)
        assert "weir" not in known(memory)


@pytest.mark.slow
def test_a_deleted_bank_takes_its_key_along(open_memory, path):
    memory = open_memory(key=KEY)
    lived(memory)
    lived(memory, "other bank")
    store = memory.engine.store
    wrapped = store.settings.get_plain(f"key {store.banks.number('bank-of-lena')}")
    memory.bank("bank-of-lena").release(memory.bank("bank-of-lena").episodes()[2].id)
    memory.delete_bank("bank-of-lena")

    assert wrapped
    files = [file for file in path.parent.iterdir() if not file.name.endswith("-shm")]
    assert not [file for file in files if wrapped.encode() in file.read_bytes()]
    assert ["other bank"] == memory.banks()
    assert verify(memory).sound


class Counted:
    """A cipher of ``cryptography`` that counts what it seals, by place, and what it opens."""

    def __init__(self, key, asked):
        self.siv, self.asked = AESSIV(key), asked

    def encrypt(self, data, places):
        self.asked[places[0].split()[0].decode()] += 1
        return self.siv.encrypt(data, places)

    def decrypt(self, data, places):
        self.asked["opened"] += 1
        return self.siv.decrypt(data, places)


@pytest.mark.parametrize("batch", [64, 1_500])
def test_each_value_of_a_batch_is_sealed_once_and_opened_by_nobody(batch, open_memory, monkeypatch):
    """What ``cryptography`` is asked for is most of what encryption costs a write."""
    asked = Counter()
    of = "cryptography.hazmat.primitives.ciphers.aead.AESSIV"
    monkeypatch.setattr(of, lambda key: Counted(key, asked))
    turns = [
        Turn(text=f"Remark {n} is of the garden.", speaker="Lena", session=f"s{n // 20}",
             address=f"talk#{n}", metadata={"of": n})
        for n in range(batch)
    ]  # fmt: skip
    bank = open_memory(key=KEY).bank("ada")
    bank.remember("The first remark.")
    asked.clear()
    bank.remember_many(turns)

    assert asked.pop("opened") <= 1 + batch // 50
    assert asked.pop("digest") == 2 * batch  # once to look for the same words
    assert max(asked.values()) <= 1.1 * batch
    assert asked["speaker"] <= 2
    assert sum(asked.values()) <= 8.2 * batch
