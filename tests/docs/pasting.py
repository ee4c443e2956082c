"""Pastes the shell blocks of a page into a shell, in order, as a reader would."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from docs_blocks import ROOT, blocks, run_python

SHELL = {"sh", "bash", "console", "shell"}
BLOCKS = (
    (r"\bdocker\b", "Docker"),
    (r"\bkubectl\b|\bhelm\b", "a cluster of Kubernetes"),
    (r"\bsystemctl\b|/opt/|/etc/|\bsudo\b|\bapt-get\b", "root"),
    (r"postgresql://|\bcreatedb\b", "a server of PostgreSQL"),
    (r"--ray\b", "a cluster of Ray"),
    (r"openai:|\bollama\b", "the server of a language model"),
    (r"--data\b(?! mine\.json)|--source\b", "a data set that is not ours to hand out"),
    (r"\bhippocampus bench\b(?!.*mine\.json)", "minutes: a benchmark"),
    (r"\bmake\b", "a checkout that is built anew"),
    (r"multilingual", "the network: a model"),
    (r"\bimport (?:memory\.jsonl|conversations\.json)", "a file that another program wrote"),
    (r"project:github\.com", "a project of your own"),
    (r"example\.com", "a machine of your own"),
)
"""What a command that matches needs that no sandbox has; its block is left out."""
LINES = (
    (r"^(?:claude|codex|gemini|code|cursor|opencode)\b", "a coding agent"),
    (r"^(?:pip install opentelemetry|opentelemetry-instrument)\b", "a collector of traces"),
    (r"\bmodels install\b", "the network: a model"),
    (r"--reranker\b", "a model of the extra sentence-transformers, or a server that reranks"),
    (r"^hippocampus (?:init|connect|disconnect)\b", "somebody at a terminal to answer it"),
)
"""Likewise, but what follows in the block does not depend on it, and only the line is left out."""
PRELUDE = r"""
set -o pipefail
trap 'case "$BASH_COMMAND" in source*) ;; *) echo "$BASH_COMMAND" >>"$PASTED/failed" ;; esac' ERR
announced() {  # an address in a line that is there whole
  while read -r line; do
    [[ $line =~ http://[0-9.]+:[0-9]+ ]] && { echo "${BASH_REMATCH[0]}"; return 0; }
  done <"$PASTED/log"
  return 1
}
served() {  # what serves until it is stopped has a terminal of its own, and some free port
  command hippocampus "$@" --port 0 >"$PASTED/log" 2>&1 &
  echo $! >>"$PASTED/pids"
  until address=$(announced); do
    kill -0 $! 2>/dev/null || { cat "$PASTED/log"; return 1; }
    sleep 0.1
  done
}
hippocampus() {
  case " $* " in
    " ui "*) served "$@" --no-open ;;
    " serve "* | " proxy "* | " mcp "*" --http "*) served "${@/#8768/}" ;;
    *) command hippocampus "$@" ;;
  esac
}
curl() {
  command curl --fail-with-body --silent --show-error "${@//http:\/\/127.0.0.1:8765/$address}"
}
pip() { "$PYTHON" "$PRETENDED" "$@"; }
"""


def commands(block):
    """Return the commands of a block, a line each; what a command prints is none."""
    code = block.code.replace("\\\n", " ")
    lines = [line.strip() for line in code.splitlines()]
    if block.language == "console":
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return [line for line in lines if line and not line.startswith("#")]


def reason(line, reasons):
    """Return what a command needs by some reasons, or nothing."""
    bare = line.partition(" #")[0]
    return next((why for pattern, why in reasons if re.search(pattern, bare)), "")


def needs(block):
    """Return what a block needs that no sandbox has, or nothing."""
    return next(filter(None, (reason(line, BLOCKS) for line in commands(block))), "")


def pasted(block):
    """Return the commands of a block that are pasted."""
    return [] if needs(block) else [c for c in commands(block) if not reason(c, LINES)]


def shell_blocks(page):
    return [block for block in blocks(page) if block.language in SHELL]


@contextmanager
def shell(folder):
    """Give a way to paste a block into one shell, that lasts for the page."""
    state = folder / ".pasted"
    state.mkdir()
    (state / "pids").touch()
    environment = os.environ | {
        "HOME": str(folder),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HIPPOCAMPUS_STORE": str(folder / "memory.db"),
        "HIPPOCAMPUS_EMBEDDER": "none",  # what a command answers is no matter here, and loading is
        "XDG_RUNTIME_DIR": str(state),
        "PASTED": str(state),
        "PYTHON": sys.executable,
        "PRETENDED": str(Path(__file__).parent / "pretended_pip.py"),
        "COLUMNS": "100",
        "OPENBLAS_NUM_THREADS": "1",
    }
    running = subprocess.Popen(
        ["bash", "--noprofile", "--norc"], cwd=folder, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip

    def paste(code):
        (state / "block").write_text(code.replace("localhost:", "http://127.0.0.1:"))
        running.stdin.write('source "$PASTED/block" </dev/null\necho; echo pasted:\n')
        running.stdin.flush()
        said = []
        while (line := running.stdout.readline()) != "pasted:\n":
            assert line, f"the shell ended: {''.join(said)}"
            said.append(line)
        failed = (state / "failed").read_text() if (state / "failed").exists() else ""
        assert not failed, f"{failed}{''.join(said)}"
        return "".join(said)

    running.stdin.write(PRELUDE)
    try:
        yield paste
    finally:
        running.stdin.write('kill $(cat "$PASTED/pids") 2>/dev/null; wait\n')
        running.communicate(timeout=60)


def paste_page(page, folder):
    """Paste the blocks of a page in order; what is Python runs where it stands among them."""
    names = {"__name__": "__main__"}
    with shell(folder) as paste:
        for block in blocks(page):
            run_python(page, block, names)
            if block.language in SHELL and pasted(block):
                try:
                    paste("\n".join(pasted(block)) + "\n")
                except AssertionError as problem:
                    where = f"{page.relative_to(ROOT)}:{block.line}"
                    raise AssertionError(f"{where}: {problem}") from problem
