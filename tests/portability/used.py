"""Uses a store in most ways there are, in the folder that it is started in; says what it met."""

import json
import sys
from pathlib import Path

from hippocampus import Config, Memory, Turn, Vectors
from hippocampus.core import system
from hippocampus.core.key_ring import add_to_ring, keep_in_ring, read_ring
from hippocampus.errors import InputError, OutputExists
from hippocampus.server.workers import work

HERE = Path.cwd()
SAID = [f"Remark {n}: the garden of Tom in Porto has {n} pears." for n in range(40)]
ASKED = "When does the ferry leave?"


def refused(error, do, *args, **how):
    """Return what an error says, of a call that has to raise it."""
    try:
        do(*args, **how)
    except error as exc:
        return str(exc)
    raise AssertionError(f"{do} was not refused")


def use(memory):
    bank = memory.bank("ada")
    bank.remember_many([Turn(text=text, speaker="Ada") for text in SAID])
    (HERE / "notes.md").write_text("# Trip\n\nThe ferry leaves at nine.\n", encoding="utf-8")
    bank.import_(HERE / "notes.md")
    bank.sleep()
    bank.export(HERE / "ada.jsonl")
    bank.export(HERE / "ada.jsonl", overwrite=True)  # in the place of a file
    refused(OutputExists, bank.export, HERE / "ada.jsonl")
    memory.backup(HERE / "backup.db")
    refused(OutputExists, memory.backup, HERE / "memory.db")
    bank.forget(bank.episodes()[0].id, erase=True)
    return bank.recall(ASKED)[0].text


def main():
    path = HERE / "memory.db"
    how = Config(vectors=Vectors(place="disk"))
    with Memory(path, embedder="hash") as memory:
        found = use(memory)
    written = b"".join(file.read_bytes() for file in HERE.glob("memory.db*"))
    assert SAID[0].encode() not in written, "it was erased"
    with Memory(path, embedder="hash", config=how) as memory:
        again = memory.bank("ada").recall(ASKED)[0].text
    assert "nine" in found == again
    with Memory(HERE / "backup.db", embedder="hash") as memory:
        assert len(SAID) < len(memory.bank("ada").episodes())

    ring = HERE / "ring"
    ring.write_bytes(b"")
    one, other = add_to_ring(ring), add_to_ring(ring)
    keep_in_ring(ring, [other])
    assert [other] == read_ring(ring) != [one]

    workers = refused(InputError, work, 2, host="127.0.0.1", port=0, ready=print)
    left = [file.name for file in HERE.iterdir() if file.name.startswith((".hippo", "ring."))]
    systems = [system.sys.platform, sys.platform]
    sys.stdout.write(json.dumps({"systems": systems, "workers": workers, "left": left}))


if __name__ == "__main__":
    main()
