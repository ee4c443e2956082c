"""A file of what a long run has measured so far, from which another run goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hippocampus.errors import InputError


class Measurements:
    """
    Results by name, a line of JSON each, appended as they come.

    The first line has what the run depends on. A line that was cut off is measured again; results
    of another run are refused, for two halves that were measured differently make no whole.
    """

    def __init__(self, path: Path | None, settings: Mapping[str, object]) -> None:
        self._path = path
        self._known: dict[str, Any] = {}
        if path is None:
            return
        told = json.loads(json.dumps(settings))
        if not path.exists():
            path.write_text(json.dumps({"settings": told}) + "\n", encoding="utf-8", newline="\n")
            return
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]
        if not whole or _read(whole[0], path).get("settings") != told:
            msg = f"resume={str(path)!r}: is of another run, or none; give a file of its own"
            raise InputError(msg)
        if len(whole) < len(lines):
            path.write_text("".join(whole), encoding="utf-8", newline="\n")
        for line in whole[1:]:
            one = _read(line, path)
            self._known[str(one.get("name"))] = one.get("measured")

    def get(self, name: str) -> Any | None:  # noqa: ANN401 - as JSON has it
        """Return the measurement of a name, or None."""
        return self._known.get(name)

    def add(self, name: str, measured: object) -> None:
        """Note the measurement of a name, at once."""
        self._known[name] = measured
        if self._path is not None:
            line = json.dumps({"name": name, "measured": measured}) + "\n"
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(line)


def _read(line: str, path: Path) -> dict[str, Any]:
    try:
        made = json.loads(line)
    except (ValueError, RecursionError) as exc:
        msg = f"resume={str(path)!r}: holds a line that is not JSON; give a file of its own"
        raise InputError(msg) from exc
    if not isinstance(made, dict):
        msg = f"resume={str(path)!r}: holds a line that is no object; give a file of its own"
        raise InputError(msg)
    return made
