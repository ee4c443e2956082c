"""
Write ``earlier.db.gz``: two folders and two exports, imported when a source was but a file's name.

Run with the code of commit 20a3ffe on the path, and the files of ``files.json`` come to be in
``folder``: ``python make.py folder``.
"""

import gzip
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from hippocampus import Memory
from hippocampus.core.clock import ManualClock

HERE = Path(__file__).parent
NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
IMPORTED = ("work", "home", "openai/conversations.json", "claude/conversations.json")


def write(folder):
    """Write the files, all of one age."""
    for name, text in json.loads((HERE / "files.json").read_text("utf-8")).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
        os.utime(file, (1_700_000_000, 1_700_000_000))


def main(folder):
    """Import the files, rename one, and import its folder again."""
    write(folder)
    (folder / "work" / "boat.md").rename(folder / "work" / "plan.md")
    with Memory(folder / "m.db", embedder="none", clock=ManualClock(NOON)) as memory:
        bank = memory.bank("ada")
        for name in IMPORTED:
            bank.import_(folder / name)
        (folder / "work" / "plan.md").rename(folder / "work" / "boat.md")
        bank.import_(folder / "work")
    (HERE / "earlier.db.gz").write_bytes(gzip.compress((folder / "m.db").read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
