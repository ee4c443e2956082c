"""What holds for every adapter: what is missing is named, and nothing is imported unasked."""

import json
import subprocess
import sys

import pytest

ADAPTERS = {"langgraph": "langgraph", "langchain": "langchain_core"}


def run(script):
    """Run Python code in a fresh process and return what it printed, as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


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
    loaded = run(
        f"import json, sys, hippocampus.integrations.{adapter}\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )

    frameworks = {"langgraph", "langchain_core", "llama_index", "agents", "pydantic_ai", "crewai"}
    needs = {ADAPTERS[adapter]} | ({"langchain_core"} if adapter == "langgraph" else set())
    assert needs == frameworks & set(loaded)
