"""Places of an import: a path, or a coding agent's own; and what it would bring in."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import tzinfo
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from rich.table import Table

from hippocampus.cli.render import Answer, complain, table
from hippocampus.core.clock import from_micros, in_zone
from hippocampus.core.records import Turn
from hippocampus.core.turn_choice import choosing
from hippocampus.errors import InputError, SourceError
from hippocampus.sources import SourceProblem
from hippocampus.sources.agents.places import Around, leads_out, places_of
from hippocampus.sources.agents.tools import MEMORY, PROJECT_CHAT, PROJECT_MEMORY, TOOLS
from hippocampus.sources.preview import FilePreview, counted, preview

_EXPORT: Final = "hippocampus"
"""The format of what ``Bank.export`` writes."""
_FILES_SHOWN: Final = 30
"""Files, those with most turns, so that a folder of thousands is told on a screen. By hand."""


class ImportPlace(NamedTuple):
    """A file or a folder that is to be read, and as what."""

    path: Path
    read_as: str | None


def chosen(
    path: Path | None,
    tool: str | None,
    format: str | None,  # noqa: A002
) -> list[ImportPlace]:
    """
    Return the places to read, one at least, and the format of each.

    Raises:
        InputError: nothing is named, or both a tool and a format, or a tool that we do not read, or
            one that has nothing where it keeps its things.

    """
    if tool is None:
        if path is None:
            msg = f"name a file or a folder, or a coding agent with --from ({', '.join(TOOLS)})"
            raise InputError(msg)
        return [ImportPlace(path, format)]
    if tool not in (*TOOLS, MEMORY):
        msg = f"--from {tool}: must be one of {', '.join((*TOOLS, MEMORY))}"
        raise InputError(msg)
    if format is not None:
        msg = f"--from {tool} says what the files are; leave out --format {format}"
        raise InputError(msg)
    if path is not None:
        return [ImportPlace(path, tool)]
    around = Around(Path.home(), Path.cwd(), os.environ)
    known = places_of(tool, around)
    there = [
        ImportPlace(place, MEMORY if place.name == "rules" else tool)  # of which nothing is a log
        for place in known.home
        if place.exists()
    ]
    # Nobody named these, and they may have come with the project: they are others' words.
    as_found = PROJECT_CHAT if tool == "aider" else PROJECT_MEMORY
    for place in known.project:
        if not place.exists():
            continue
        if (real := leads_out(place, around.here)) is not None:
            complain(f"{place}: leads out of the project, to {real}; to read that, name it")
        else:
            there.append(ImportPlace(place, as_found))
    if not there:
        listed = ", ".join(str(place) for place in (*known.home, *known.project))
        msg = f"nothing of {tool} is there: looked for {listed}; name its folder after --from"
        raise InputError(msg)
    return there


def named_apart(places: Sequence[ImportPlace], name: str | None) -> list[str | None]:
    """Return the name of each place under one for all, or None: no two places are one source."""
    if name is None or len(places) < 2:
        return [name] * len(places)
    names: dict[Path, str] = {}
    for path in (place.path.absolute() for place in places):
        if path not in names:  # in a home the user's file may be the project's as well
            ends = ("/".join(path.parts[-count:]) for count in range(1, len(path.parts)))
            names[path] = next(end for end in ends if end not in names.values())
    return [f"{name}/{names[place.path.absolute()]}" for place in places]


class Dealing(Protocol):
    """Something that tells what goes into which bank."""

    counts: Counter[str]
    """Turns by bank."""
    left_out: Counter[str]

    def enter(self, place: ImportPlace) -> None:
        """Go on with what is read at another place."""
        ...

    def all_of(self, turn: Turn) -> list[Turn]:
        """Return the parts of a turn that are kept, in whatever bank."""
        ...


def survey(
    places: Sequence[ImportPlace], dealing: Dealing | None
) -> tuple[list[FilePreview], list[tuple[str, str]]]:
    """Read all that an import would; return each file's preview, and (path, reason) of the rest."""
    seen: list[FilePreview] = []
    problems: list[tuple[str, str]] = []
    for place in places:
        if dealing is not None:
            dealing.enter(place)
        export = _of_export(place)
        if export is not None:
            seen.append(export)
            continue
        with choosing(dealing.all_of) if dealing is not None else nullcontext():
            for one in preview(place.path, format=place.read_as):
                if isinstance(one, SourceProblem):
                    problems.append((one.path, one.reason))
                else:
                    seen.append(one)
                    problems += one.unreadable
    return seen, problems


def _of_export(place: ImportPlace) -> FilePreview | None:
    """Return the preview of an export of ours, as an empty bank would take it; None of others."""
    if place.read_as not in (None, _EXPORT):
        return None
    from hippocampus.journal.transfer import read_export  # noqa: PLC0415 - not for other files

    whole = read_export(place.path, salt=b"")
    if whole is None:
        if place.read_as == _EXPORT:
            raise SourceError("is not an export of hippocampus", path=place.path)
        return None
    turns = (
        Turn(
            text=one.text, at=from_micros(one.occurred_at), speaker=one.speaker, role=one.role,
            session=one.session,
        )
        for one in whole.drafts()
    )  # fmt: skip
    return counted(FilePreview(file=place.path.name, format=_EXPORT), turns)


def dry_run(places: Sequence[ImportPlace], zone: tzinfo, dealing: Dealing | None = None) -> Answer:
    """Show an import without doing it: file by file, its episodes and what stays out."""
    seen, problems = survey(places, dealing)
    turns = sum(one.turns for one in seen)
    left: dict[str, int] = {}
    for one in seen:
        for kind, count in one.left_out.items():
            left[kind] = left.get(kind, 0) + count
    banks = dict(dealing.counts.most_common()) if dealing is not None else {}
    left |= dealing.left_out if dealing is not None else {}
    view: list[str | Table] = [
        f"{_of(turns, 'turn')} in {_of(len(seen), 'file')} would come in; nothing was written"
    ]
    shown = sorted(seen, key=lambda one: -one.turns)[:_FILES_SHOWN]
    if shown:
        view.append(
            table(
                [(f"{o.turns:,}", f"{o.sessions:,}", _days(o, zone), o.format, o.file)
                 for o in shown],
                "turns", "sessions", "when", "format", "file",
            )
        )  # fmt: skip
    if len(seen) > len(shown):
        view.append(f"and {len(seen) - len(shown):,} files with fewer")
    view += banks_told(banks, left)
    note: list[str | Table] = []
    if problems:
        note = [f"{len(problems):,} not read:", table(problems)]
    found = {
        "turns": turns, "files": seen, "banks": banks, "left_out": left, "unreadable": problems,
    }  # fmt: skip
    return Answer(found, tuple(view), note=tuple(note), success=bool(turns))


def banks_told(banks: Mapping[str, int], left: Mapping[str, int]) -> list[str]:
    """Tell in a line each how much goes into which bank, and what stays out."""
    told = [f"{bank}: {_of(count, 'turn')}" for bank, count in banks.items()]
    if left:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in left.items() if count)
        told.append(f"left out: {kinds}")
    return told


def _of(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _days(one: FilePreview, zone: tzinfo) -> str:
    if one.first is None or one.last is None:
        return ""
    days = [f"{in_zone(at, zone).date()}" for at in (one.first, one.last)]
    return " to ".join(dict.fromkeys(days))
