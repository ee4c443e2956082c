"""The bill of materials names all that an extra brings, and every model."""

import json
import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from itertools import chain
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from hippocampus.encode.model_files import MODELS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool():
    spec = spec_from_file_location("sbom", ROOT / "bench" / "tools" / "sbom.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def listed():
    bill = json.loads((ROOT / "docs" / "sbom.cdx.json").read_text("utf-8"))
    return {one["name"]: one for one in bill["components"]}


def test_every_package_of_every_extra_is_in_the_bill(listed, tool):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = {
        canonicalize_name(re.match(r"[\w.-]+", one)[0])
        for one in chain(project["dependencies"], *project["optional-dependencies"].values())
    }

    assert asked - tool.OURS <= set(listed)
    for name, licence in tool.UNPINNED.items():
        assert ("optional", [{"expression": licence}]) == (
            listed[name]["scope"], listed[name]["licenses"],
        )  # fmt: skip
        assert "version" not in listed[name]


def test_every_model_is_in_the_bill_with_what_it_is_compared_with(listed):
    for name, model in MODELS.items():
        one = listed[name]
        assert ("machine-learning-model", "optional") == (one["type"], one["scope"])
        assert model.wheel_sha256 == one["hashes"][0]["content"]
        assert {file: told.sha256 for file, told in model.files.items()} == {
            part["name"]: part["hashes"][0]["content"] for part in one["components"]
        }
    assert "Apache-2.0 AND MIT" == listed["all-MiniLM-L6-v2"]["licenses"][0]["expression"]


def test_a_package_that_would_be_missing_is_told(tool, monkeypatch, capsys):
    assert ["zebra"] == tool.unlisted({"zebra", "numpy", "presidio-analyzer"}, {"numpy"})

    monkeypatch.setattr(tool, "brought", lambda _: {"zebra"})
    assert 1 == tool.main()
    assert "requirements.lock nor named here: zebra" in capsys.readouterr().out
