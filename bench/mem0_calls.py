"""
The calls that ``against_mem0`` times, on mem0's ``Memory`` or on ours, in a process of its own.

Both are called alike: mem0's interface is all that is used of either. mem0 gets the embedder that
ours has, the same code with the same weights; so this package is installed where mem0 is, too.
"""

# ruff: noqa: PLC0415 - each system is imported only in the environment that has it

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

DEPTH = 10
NOBODY = {"provider": "openai", "config": {"api_key": "none"}}
"""What mem0 must have to open and never asks."""


def ours(folder):
    """Open our memory behind mem0's interface."""
    from hippocampus.integrations.mem0 import Memory

    return Memory({"hippocampus": {"path": folder / "memory.db"}})


def theirs(folder):
    """Open mem0 with its default vector store, local, and MiniLM."""
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder)}
    from mem0 import Memory
    from mem0.embeddings.base import EmbeddingBase

    from hippocampus.core.records import Passage
    from hippocampus.encode.contextual import DIMENSION
    from hippocampus.encode.minilm import MiniLmEmbedder
    from hippocampus.encode.model_files import DEFAULT_MODEL, installed

    class MiniLM(EmbeddingBase):
        def __init__(self):
            super().__init__()
            self.model = MiniLmEmbedder(installed(DEFAULT_MODEL))

        def embed(self, text, memory_action=None):  # noqa: ARG002 - mem0's signature
            return self.model.embed([Passage(text)])[0].vector.tolist()

    store = {"path": str(folder / "qdrant"), "embedding_model_dims": DIMENSION}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": NOBODY,
            "llm": NOBODY,
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = MiniLM()
    return memory


def timed(call, *arguments, **options):
    """Return what a call returns, and the seconds it took."""
    start = time.perf_counter()
    answer = call(*arguments, **options)
    return answer, time.perf_counter() - start


def in_memory_mb(field):
    """Return a size of this process: VmRSS, what is in memory; VmHWM, what was at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def batches(case, way):
    """Yield run, turns and metadata of each call: a turn, or all turns of a conversation."""
    if way == "sessions":
        for session in dict.fromkeys(turn["session"] for turn in case["turns"]):
            turns = [turn for turn in case["turns"] if turn["session"] == session]
            yield None, turns, {"created_at": turns[0]["at"]}
    else:
        for turn in case["turns"]:
            run = turn["session"] if way == "runs" else None
            yield run, [turn], {"ref": turn["key"], "created_at": turn["at"]}


def live(memory, cases, way, rounds, said):
    """Add everything, ask everything; return what it took and what was found."""
    added, every, ranked = [], [], []
    for case in cases:
        for run, turns, about in batches(case, way):
            messages = [{"role": "user", "content": said(t), "name": t["speaker"]} for t in turns]
            owner = {"user_id": case["id"]} | ({"run_id": run} if run else {})
            took = timed(memory.add, messages, **owner, metadata=about, infer=False)[1]
            added.append(took / len(turns))
    worked = time.process_time()
    if way != "sessions":
        asked = [(case["id"], question) for case in cases for question in case["questions"]]
        for measured in range(rounds + 1):  # the first round warms up
            answers = [
                timed(memory.search, question, filters={"user_id": user}, top_k=DEPTH)
                for user, question in asked
            ]
            ranked = [[one["metadata"]["ref"] for one in found["results"]] for found, _ in answers]
            every += [took for _, took in answers] if measured else []
    return {"added_s": added, "worked_s": worked, "search_s": every, "ranked": ranked}


def main():
    """Run the calls on one system; print what they took and found as JSON."""
    system, way, work, rounds, named = sys.argv[1:]
    folder = Path(work).parent / f"{system}-{way}"
    folder.mkdir()
    memory = {"hippocampus": ours, "mem0": theirs}[system](folder)
    said = (lambda t: f"{t['speaker']}: {t['text']}") if named == "named" else (lambda t: t["text"])
    before = time.process_time()
    told = live(memory, json.loads(Path(work).read_text()), way, int(rounds), said)
    told["worked_s"] -= before
    told |= {"resident_mb": in_memory_mb("VmRSS"), "peak_mb": in_memory_mb("VmHWM")}
    memory.close()
    files = [file for file in folder.rglob("*") if file.is_file()]
    json.dump(told | {"disk_mb": sum(file.stat().st_size for file in files) / 2**20}, sys.stdout)


if __name__ == "__main__":
    main()
