"""
Make a small store with whatever version of the package is imported, and note what it answers.

    python make.py FOLDER NAME

writes ``NAME.db.gz``, ``NAME.jsonl`` (an export), ``NAME.concepts.json`` (its anchors) and
``NAME.answers.json`` (what that version said of it). Run it with the code of a released format
before that format changes; verbs that a version did not have yet are passed over.
"""

import gzip
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hippocampus import Memory, Turn

try:
    from hippocampus.testing import HashEmbedder, ManualClock
except ImportError:  # versions before there was such a module
    from hippocampus._clock import ManualClock

    from hippocampus.encode.embed import HashEmbedder

TALK = [
    ("2025-03-01T09:00", "Ada", "I live in Graz, and my brother Paul lives in Lisbon."),
    ("2025-03-01T09:01", "Tom", "My dentist, Doctor Weber, is in the Annenstrasse."),
    ("2025-03-01T09:02", "Ada", "Paul works as a violin maker and plays the violin himself."),
    ("2025-03-01T09:03", "Tom", "We are going to paint the old sailing boat in May."),
    ("2025-03-08T18:00", "Ada", "I am allergic to peanuts, so please no satay for me."),
    ("2025-03-08T18:01", "Tom", "Then I will cook the lentil soup with lemon."),
    ("2025-03-08T18:02", "Ada", "The key of the greenhouse is under the blue flower pot."),
    ("2025-03-15T12:00", "Tom", "The sailing boat lies in the harbour of Rovinj."),
    ("2025-03-15T12:01", "Ada", "Our ferry to Rovinj leaves at nine on Saturday."),
    ("2025-03-15T12:02", "Tom", "My sister Klara bought a greenhouse like yours."),
    ("2025-03-22T08:00", "Ada", "The violin concert of Paul was in a church."),
    ("2025-03-22T08:01", "Tom", "My passport number is K4821907, keep it in mind."),
    ("2025-04-02T20:00", "Ada", "The greenhouse has room for twelve tomato plants."),
    ("2025-04-02T20:01", "Tom", "Klara moved from Vienna to Salzburg last month."),
    ("2025-05-10T10:00", "Ada", "We painted the sailing boat blue, and it took two days."),
    ("2025-05-10T10:01", "Tom", "The lentil soup was eaten up on the sailing boat."),
]
QUESTIONS = [
    "What is Ada allergic to?",
    "Where is the key of the greenhouse?",
    "Where does Paul live?",
    "Which colour did they paint the sailing boat?",
    "When does the ferry to Rovinj leave?",
    "What is the passport number of Tom?",
    "Where did Klara move to?",
    "Who is the dentist?",
]
NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)


def live(memory, clock):
    """Have a bank remember, change its mind and sleep twice."""
    bank = memory.bank("ada")
    kept = bank.remember_many(
        [Turn(text=text, at=at, speaker=who, session=at[:10]) for at, who, text in TALK]
    )
    bank.sleep()
    clock.advance(timedelta(days=1))
    bank.correct(kept[6].id, "The key of the greenhouse is now on the nail behind the door.")
    bank.forget(kept[1].id)
    bank.forget(kept[9].id, erase=True)
    bank.curate(add=["Rovinj"], deny=["room"])
    for verb in ("pin", "hold"):
        if hasattr(bank, verb):
            getattr(bank, verb)(kept[11].id, **({"reason": "travels"} if verb == "hold" else {}))
    bank.remember("Nobody saw the heron today.", speaker="Ada", at="2025-05-11", session="late")
    slept = bank.sleep()
    if hasattr(bank, "undo"):
        bank.undo(slept.number)
        bank.feedback(kept[4].id, helpful=True)
        bank.sleep()
    bank.remember("The heron is back on the roof.", speaker="Tom", at="2025-05-12", session="late")
    return bank


def answers(bank):
    """Return what a bank says, as JSON can hold it."""
    said = {
        "episodes": [[e.id, e.state, e.text] for e in bank.episodes()],
        "recall": {q: [hit.text for hit in bank.recall(q, k=3, now=NOW)] for q in QUESTIONS},
        "anchors": sorted(anchor.name for anchor in bank.anchors()),
    }
    if hasattr(bank, "topics"):
        said["topics"] = sorted(topic.name for topic in bank.topics())
    if hasattr(bank, "facts"):
        said["facts"] = [str(fact) for who in ("Ada", "Paul", "Klara") for fact in bank.facts(who)]
    if hasattr(bank, "gists"):
        said["gists"] = sorted(gist.text for gist in bank.gists())
    if hasattr(bank, "summary"):
        said["summary"] = bank.summary().text
    return said


def main(folder, name):
    store = folder / f"{name}.db"
    clock = ManualClock(datetime(2025, 5, 20, 12, tzinfo=UTC))
    with Memory(store, embedder=HashEmbedder(64), clock=clock) as memory:
        bank = live(memory, clock)
        said = answers(bank)
        bank.export(folder / f"{name}.jsonl")
        if hasattr(bank, "export_concepts"):
            bank.export_concepts(folder / f"{name}.concepts.json")
    (folder / f"{name}.db.gz").write_bytes(gzip.compress(store.read_bytes(), mtime=0))
    store.unlink()
    written = json.dumps(said, ensure_ascii=False, indent=1)
    (folder / f"{name}.answers.json").write_text(written + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
