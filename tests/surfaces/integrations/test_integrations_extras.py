"""What holds for every adapter: what is missing is named, and nothing is imported unasked."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import hippocampus

ADAPTERS = {
    "langgraph": "langgraph", "langchain": "langchain_core", "llamaindex": "llama_index",
    "openai_agents": "agents", "pydantic_ai": "pydantic_ai",
}  # fmt: skip


def run(script):
    """Run Python code in a fresh process and return what it printed, as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_without_its_package_an_adapter_says_which_extra_brings_it():
    said = run(
        f"""
import importlib, json, sys
from hippocampus.errors import MissingExtra
said = {{}}
for adapter, package in {ADAPTERS!r}.items():
    sys.modules[package] = None
    try:
        importlib.import_module("hippocampus.integrations." + adapter)
    except MissingExtra as error:
        said[adapter] = str(error)
print(json.dumps(said))
"""
    )

    assert set(ADAPTERS) == set(said)
    for adapter, line in said.items():
        assert line.endswith(f"pip install 'hippocampus-memory[{adapter.replace('_', '-')}]'")


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_imports_no_other_framework(adapter):
    source = (Path(hippocampus.__file__).parent / "integrations" / f"{adapter}.py").read_text()
    imported = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(source))
        for name in [getattr(node, "module", None), *(n.name for n in getattr(node, "names", []))]
        if isinstance(node, ast.Import | ast.ImportFrom) and name
    }

    assert {ADAPTERS[adapter]} == imported & set(ADAPTERS.values())
