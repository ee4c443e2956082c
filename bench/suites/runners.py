"""A runner for each suite: it returns what passed and what failed, by name."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from typing import TypeAlias
from xml.etree import ElementTree as ET

from bench.suites import environments

Outcomes: TypeAlias = dict[str, str]
"""``passed``, or what was said in failing, of each check; what was skipped is left out."""

_HERE = environments.HERE
_HIPPOCAMPUS = Path(sys.executable).with_name("hippocampus")


def by_pytest(where: Path, *files: str, plugin: str = "") -> Outcomes:
    """Return what pytest says of files in a folder; ``plugin`` puts ours in place of theirs."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.xml"
        words = [
            environments.python(), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
            "no:xdist", "-p", "no:schemathesis", "-o", "asyncio_mode=auto", "-o", "addopts=",
            "-o", "filterwarnings=ignore", f"--junitxml={told}",
            *(["-p", plugin] if plugin else []), *files,
        ]  # fmt: skip
        paths = os.pathsep.join([str(_HERE / "plugins"), str(where)])
        ours = {"PYTHONPATH": paths, "HIPPOCAMPUS_SUITES": folder}
        done = environments.run(words, cwd=where, env={**os.environ, **ours})
        if not told.exists():
            raise RuntimeError(done.stdout[-1500:] + done.stderr[-500:])
        return dict(_cases(ET.parse(told)))  # noqa: S314 - pytest has just written it


def _cases(told: ET.ElementTree) -> Iterator[tuple[str, str]]:
    for case in told.iter("testcase"):
        if case.find("skipped") is not None:
            continue
        failed = [found for kind in ("failure", "error") for found in case.iter(kind)]
        said = failed[0].get("message", "failed") if failed else "passed"
        file = (case.get("classname") or "").rpartition("tests.")[2]
        yield f"{file}::{case.get('name')}", " ".join(said.split())[:200] or "failed"


def langgraph_store() -> Outcomes:
    """Return what LangGraph's tests of its stores say of ours."""
    source = environments.source("langgraph-checkpoint")
    return by_pytest(source, "tests/test_store.py", plugin="langgraph_store")


def langgraph_sqlite() -> Outcomes:
    """Return what those of its SQLite store say of ours, awaited and with expiry too."""
    source = environments.source("langgraph-checkpoint-sqlite")
    files = [f"tests/test_{name}.py" for name in ("store", "async_store", "ttl")]
    return by_pytest(source, *files, plugin="langgraph_store")


def langchain_retriever() -> Outcomes:
    """Return what LangChain's standard tests of retrievers say of ours."""
    return by_pytest(_HERE / "tests", "retriever_checks.py")


def langmem_tools() -> Outcomes:
    """Return how LangMem's tools, used as its documentation does, get on with our store."""
    return by_pytest(_HERE / "tests", "langmem_checks.py")


def openai_agents() -> Outcomes:
    """Return what the OpenAI Agents SDK's tests of sessions say of ours."""
    source = environments.source("openai-agents")
    return by_pytest(source, "tests/memory", plugin="openai_session")


# ---------------------------------------------------------------- MCP


@contextmanager
def _served() -> Iterator[str]:
    """Serve a fresh memory over MCP, at an address that is yielded."""
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "memory.db")
        words = [str(_HIPPOCAMPUS), "mcp", "--store", store, "--http", "--port", "0"]
        with Popen(words, stderr=PIPE, text=True) as process:
            assert process.stderr is not None
            line = next(line for line in process.stderr if "http://" in line)
            yield next(word for word in line.split() if word.startswith("http://")).rstrip(".")
            process.terminate()
            process.stderr.read()


def mcp_conformance(revision: str) -> Callable[[], Outcomes]:
    """Return a runner of the scenarios that a revision of the protocol requires of servers."""

    def checked() -> Outcomes:
        modules = environments.npm()
        program = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
        with tempfile.TemporaryDirectory() as folder, _served() as url:
            environments.run([
                modules / ".bin" / "node", program, "server", "--url", url,
                "--requirements", revision, "--output-dir", folder,
            ])  # fmt: skip
            return dict(_checks(Path(folder)))

    return checked


def _checks(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.glob("*/checks.json")):
        scenario = file.parent.name.removeprefix("server-").partition("-20")[0]
        seen: dict[str, int] = {}
        for check in json.loads(file.read_text("utf-8")):
            if check["status"] not in ("SUCCESS", "FAILURE"):
                continue
            seen[check["id"]] = number = seen.get(check["id"], 0) + 1
            name = f"{scenario}::{check['id']}" + (f"#{number}" if number > 1 else "")
            said = check.get("errorMessage") or "failed"
            yield name, "passed" if check["status"] == "SUCCESS" else " ".join(said.split())[:200]


_ASKED: Mapping[str, tuple[str, ...]] = {
    "tools/list": (),
    "tools/call remember": ("--tool-name", "remember", "--tool-arg", "text=Ada plays the piano"),
    "tools/call recall": ("--tool-name", "recall", "--tool-arg", "query=What does Ada play?"),
    "tools/call timeline": ("--tool-name", "timeline", "--tool-arg", "since=last week"),
    "tools/call facts": ("--tool-name", "facts", "--tool-arg", "entity=Ada"),
    "tools/call count_events": (
        "--tool-name", "count_events", "--tool-arg", "question=How often did Ada play?",
    ),
    "tools/call status": ("--tool-name", "status"),
    "prompts/list": (),
    "prompts/get": ("--prompt-name", "memory"),
    "resources/list": (),
    "resources/templates/list": (),
    "resources/read": ("--uri", "hippocampus://banks"),
}  # fmt: skip


def mcp_inspector() -> Outcomes:
    """Return whether the Inspector's command line gets an answer to each method."""
    modules, found = environments.npm(), {}
    with tempfile.TemporaryDirectory() as folder:
        served = [_HIPPOCAMPUS, "mcp", "--store", Path(folder) / "memory.db"]
        for asked, more in _ASKED.items():
            done = environments.run([
                modules / ".bin" / "node", modules / ".bin" / "mcp-inspector", "--cli", *more,
                "--method", asked.partition(" ")[0], *served,
            ])  # fmt: skip
            found[asked] = _answered(done.stdout, done.stderr)
    return found


def _answered(told: str, said: str) -> str:
    try:
        answer = json.loads(told)
    except ValueError:
        return " ".join((said or told).split())[-200:] or "no answer"
    return "passed" if not answer.get("isError") and "error" not in answer else str(answer)[:200]


# ---------------------------------------------------------------- OpenAPI


def openapi() -> Outcomes:
    """Return whether a validator takes our document, and generators make clients that compile."""
    from hippocampus import Memory  # noqa: PLC0415 - only this runner needs it
    from hippocampus.server import create_app  # noqa: PLC0415

    python, modules = environments.python(), environments.npm()
    with tempfile.TemporaryDirectory() as folder, Memory(":memory:", embedder="none") as memory:
        document = Path(folder) / "openapi.json"
        document.write_text(json.dumps(create_app(memory).openapi()), encoding="utf-8")
        client, types = Path(folder) / "client", Path(folder) / "api.ts"
        node, programs = modules / ".bin" / "node", modules / ".bin"
        steps = {
            "openapi-spec-validator": [python, "-m", "openapi_spec_validator", document],
            "openapi-python-client": [
                python, "-m", "openapi_python_client", "generate", "--path", document,
                "--meta", "none", "--output-path", client,
            ],
            "openapi-python-client::compiles": [python, "-m", "compileall", "-q", client],
            "openapi-python-client::recall": [python, "-c", _CALLS, folder],
            "openapi-typescript": [node, programs / "openapi-typescript", document, "-o", types],
            "openapi-typescript::compiles": [
                node, programs / "tsc", "--noEmit", "--strict", types,
            ],
        }  # fmt: skip
        found = {}
        for name, words in steps.items():
            done = environments.run(words)
            said = done.stderr or done.stdout
            found[name] = "passed" if done.returncode == 0 else " ".join(said.split())[-200:]
            found |= (
                _not_generated(done.stdout + done.stderr) if name == "openapi-python-client" else {}
            )
        shutil.rmtree(client, ignore_errors=True)
        return found


_CALLS = """
import sys
sys.path.insert(0, sys.argv[1])
from client.api.read import recall
from client.models import RecallArguments
assert recall.sync_detailed and RecallArguments(query="Where?").to_dict()["query"] == "Where?"
"""
"""What a program does that uses the generated client: operations have the verbs' names."""


def _not_generated(said: str) -> Outcomes:
    """Return the operations of which the generator of the Python client says that it cuts them."""
    begins = "WARNING parsing "
    lines = (line.strip() for line in said.splitlines())
    left = (line for line in lines if line.startswith(begins))
    return {
        f"openapi-python-client::{line.removeprefix(begins).partition(' within')[0]}": line
        for line in left
    }


RUNNERS: Mapping[str, Callable[[], Outcomes]] = {
    "langgraph store": langgraph_store,
    "langgraph sqlite store": langgraph_sqlite,
    "langchain retriever": langchain_retriever,
    "langmem tools": langmem_tools,
    "openai agents sessions": openai_agents,
    "mcp conformance 2025-11-25": mcp_conformance("2025-11-25"),
    "mcp conformance 2026-07-28": mcp_conformance("2026-07-28"),
    "mcp inspector": mcp_inspector,
    "openapi": openapi,
}
