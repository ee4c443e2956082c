"""
How long does a command take from nothing, and the first answer of a server?

Every figure is the median of several processes that begin anew, on a store of 2 000 turns that has
slept; the files are in the system's cache. Beside each: the time of the processor, and the least
and the most. What a resident process spends is its own, and not in them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.banks import Workshop
from bench.measure import Row

COUNT = 2_000
RUNS = 7
QUESTION = "What did Ada plant in the garden?"
PROMPT = {"hook_event_name": "UserPromptSubmit", "prompt": QUESTION, "session_id": "s"}
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}  # fmt: skip
ASKED = {
    "jsonrpc": "2.0", "id": 2, "method": "tools/call",
    "params": {"name": "recall", "arguments": {"query": QUESTION}},
}  # fmt: skip
SETTLED_S = 3.0
"""From an MCP client's hello to its first question, as far as people are concerned."""
OPENED = """
from hippocampus import Memory
with Memory({store!r}, embedder={embedder!r}) as memory:
    memory.bank("b").recall({question!r})
"""


class Spent(NamedTuple):
    """Seconds that went by, and seconds of the processor."""

    wall_s: float
    cpu_s: float


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - all alike
    """Yield what each command takes, and the first answers."""
    store = str(workshop.bank(COUNT).path)
    scope = ("--store", store, "--bank", "b")
    alone = of_process([sys.executable, "-c", "pass"])
    numpy = of_process([sys.executable, "-c", "import numpy"])
    yield from rows("python -c pass", alone)
    yield from rows("python -c 'import numpy'", numpy)
    for name, command in (
        ("hippocampus --version", hippocampus("--version")),
        ("from hippocampus import Memory", python("from hippocampus import Memory")),
        ("import to first hits, no embedder", python(opened(store, "none"))),
        ("import to first hits, default embedder", python(opened(store, "default"))),
        ("hippocampus stats", hippocampus("stats", *scope)),
        ("hippocampus recall, no embedder", hippocampus("recall", QUESTION, *scope, none=True)),
        ("hippocampus recall", hippocampus("recall", QUESTION, *scope)),
    ):
        yield from rows(name, of_process(command))
    with tempfile.TemporaryDirectory() as folder:
        yield from hooks(store, Path(folder))
        yield from resident(store, Path(folder))
    yield from mcp(store)
    yield from server(store)


def hooks(store: str, folder: Path) -> Iterator[Row]:
    """Yield what a coding agent waits for at every prompt: what is remembered, and it is kept."""
    copy = str(shutil.copy(store, folder / "hooks.db"))
    command = hippocampus("hook", "--store", copy, "--bank", "b")
    alone = {"HIPPOCAMPUS_RESIDENT": "0"}
    yield from rows("hippocampus hook, a prompt", of_process(command, stdin=PROMPT, env=alone))
    ok = PROMPT | {"prompt": "ok"}
    yield from rows("hippocampus hook, nothing in it", of_process(command, stdin=ok, env=alone))


def resident(store: str, folder: Path) -> Iterator[Row]:
    """Yield the same where a resident process answers."""
    copy = str(shutil.copy(store, folder / "resident.db"))
    env = {"HIPPOCAMPUS_RESIDENT": "0.5", "XDG_RUNTIME_DIR": str(folder)}
    scope = ("--store", copy, "--bank", "b")
    of_process(hippocampus("recall", QUESTION, *scope), env=env, runs=1)  # which begins it
    end = time.monotonic() + 60
    while not list(folder.glob("hippocampus/*.sock")) and time.monotonic() < end:
        time.sleep(0.1)
    for name, command, stdin in (
        ("hippocampus recall, resident process", hippocampus("recall", QUESTION, *scope), None),
        ("hippocampus hook, a prompt, resident process", hippocampus("hook", *scope), PROMPT),
    ):
        yield from rows(name, of_process(command, stdin=stdin, env=env))


def mcp(store: str) -> Iterator[Row]:
    """Yield how soon an MCP server greets its client, and answers the first question."""
    greeted, asked = [], []
    for _ in range(RUNS):
        started = time.perf_counter()
        with subprocess.Popen(
            hippocampus("mcp", "--store", store, "--bank", "b"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=usual(),
        ) as process:  # fmt: skip
            assert process.stdin is not None, "it is a pipe"
            assert process.stdout is not None, "it is a pipe"
            answers: list[float] = []
            for message, waits in (
                (HELLO, True),
                ({"jsonrpc": "2.0", "method": "notifications/initialized"}, False),
                (ASKED, True),
            ):
                sent = time.perf_counter()
                process.stdin.write(json.dumps(message).encode() + b"\n")
                process.stdin.flush()
                if waits:
                    process.stdout.readline()
                    answers.append(time.perf_counter() - (sent if answers else started))
                else:
                    time.sleep(SETTLED_S)
            process.stdin.close()
            process.wait()
        greeted.append(Spent(answers[0], float("nan")))
        asked.append(Spent(answers[1], float("nan")))
    yield from rows("hippocampus mcp, ready", greeted)
    yield from rows(f"hippocampus mcp, first recall {SETTLED_S:.0f} s later", asked)


def server(store: str) -> Iterator[Row]:
    """Yield how soon the server answers."""
    ready = []
    for _ in range(RUNS):
        started = time.perf_counter()
        with subprocess.Popen(
            hippocampus("serve", "--store", store, "--port", "0"),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=usual(),
        ) as process:  # fmt: skip
            assert process.stderr is not None, "it is a pipe"
            while "answers at" not in process.stderr.readline():
                assert process.poll() is None, "it ended"
            ready.append(Spent(time.perf_counter() - started, float("nan")))
            process.kill()
    yield from rows("hippocampus serve, ready", ready)


# ---------------------------------------------------------------- processes


def hippocampus(*args: str, none: bool = False) -> list[str]:
    """Return a command as it is typed."""
    program = str(Path(sys.executable).with_name("hippocampus"))
    return [program, *args, *(("--embedder", "none") if none else ())]


def python(code: str) -> list[str]:
    """Return a command that runs Python code."""
    return [sys.executable, "-c", code]


def opened(store: str, embedder: str) -> str:
    """Return code that imports, opens a store and recalls."""
    return OPENED.format(store=store, embedder=embedder, question=QUESTION)


def of_process(
    command: Sequence[str],
    *,
    stdin: Mapping[str, object] | None = None,
    env: Mapping[str, str] | None = None,
    runs: int = RUNS,
) -> list[Spent]:
    """Return what each run of a command took, after one that warms the system's cache."""
    given = "" if stdin is None else json.dumps(stdin)
    return [_run(command, given, env or {}) for _ in range(runs + 1)][1:]


def usual() -> dict[str, str]:
    """Return the environment of a user: no settings of ours, and bytecode is kept."""
    return {
        name: value
        for name, value in os.environ.items()
        if "HIPPOCAMPUS" not in name and name != "PYTHONDONTWRITEBYTECODE"
    }


def _run(command: Sequence[str], stdin: str, env: Mapping[str, str]) -> Spent:
    before, started = os.times(), time.perf_counter()
    subprocess.run(
        command, input=stdin, capture_output=True, text=True, check=False, env=usual() | env
    )
    wall_s, after = time.perf_counter() - started, os.times()
    cpu_s = after.children_user + after.children_system
    return Spent(wall_s, cpu_s - before.children_user - before.children_system)


def rows(name: str, taken: Sequence[Spent]) -> Iterator[Row]:
    """Yield the median, and the processor's where it is known, with the least and the most."""
    of: Sequence[tuple[str, Callable[[Spent], float]]] = (
        (name, lambda one: one.wall_s),
        (f"{name}, processor", lambda one: one.cpu_s),
    )
    for what, pick in of:
        ms = np.array([pick(one) for one in taken]) * 1e3
        if not np.isnan(ms).any():
            note = f"{len(ms)} processes, {ms.min():.0f} to {ms.max():.0f}"
            yield Row(name=what, value=float(np.median(ms)), unit="ms", note=note)
