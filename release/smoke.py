"""
Use an installed package as a stranger would, in an empty folder: run by each Python of a release.

    python smoke.py [--model]    # with the model it looks for what shares no word
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import hippocampus
from hippocampus import Memory
from hippocampus.kernel import build_info


def command(*words: str) -> str:
    """Return what the command line says."""
    program = Path(sysconfig.get_path("scripts"), "hippocampus")
    return subprocess.run([program, *words], check=True, text=True, capture_output=True).stdout


def main() -> None:
    """Remember in Python, recall by the command line, and the other way round."""
    embedder = () if "--model" in sys.argv else ("--embedder", "none")
    question = "what must I not eat?" if "--model" in sys.argv else "peanuts"
    assert "site-packages" in str(hippocampus.__file__), hippocampus.__file__
    with TemporaryDirectory() as folder:
        store = str(Path(folder, "agent.db"))
        with Memory(store, **({} if "--model" in sys.argv else {"embedder": None})) as memory:
            memory.bank("me").remember("I am allergic to peanuts – all kinds.", speaker="Ada")
            memory.bank("me").remember("The train to Örebro leaves at nine.", speaker="Ada")
        assert "allergic" in command("recall", question, "--store", store, *embedder)
        command("remember", "Rex is a dog.", "--speaker", "Bo", "--store", store, *embedder)
        assert "Rex" in command("recall", "Rex", "--store", store, *embedder)
        command("verify", "--store", store)
    python = ".".join(map(str, sys.version_info[:2]))
    print(f"{version('hippocampus-memory')} works on {python}, {build_info()['simd_best']}")


if __name__ == "__main__":
    main()
