"""
Anchors curated by people: wanted, denied, and where they may lead (CONCEPT, 4.9).

It is read from the journal whenever it is asked for, and outlives every rebuild.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from hippocampus.core.events import AnchorsCurated
from hippocampus.core.records import CuratedAnchors
from hippocampus.encode.tokens import encode
from hippocampus.errors import InputError
from hippocampus.journal.ledger import Ledger
from hippocampus.language.noun_phrases import key_of

_LONGEST_NAME: Final = 100
"""Characters of an anchor: it is a name, and heard only if all of it is said. A bound against
pasted texts (docs/bad-input.md)."""
_LONGEST_SOURCE: Final = 1000
"""Characters of a source, which may be a long path or address; a bound against pasted texts."""


def check_curated(said: Mapping[str, Collection[str]]) -> set[str]:
    """Return all the names in what is said of anchors, after checking them."""
    every: dict[int, str] = {}
    for verb, names in said.items():
        _check_names(verb, names, longest=_LONGEST_NAME, what="an anchor")
        for name in names:
            if every.setdefault(key_of(name), verb) != verb:
                msg = f"{name!r} is in {every[key_of(name)]} and in {verb}; say one of them"
                raise InputError(msg)
    return {name for names in said.values() for name in names}


def check_sources(sources: Collection[str]) -> None:
    """Raise ``InputError`` where one of the sources that anchors may lead to can be none."""
    _check_names("sources", sources, longest=_LONGEST_SOURCE, what="a source")


def _check_names(verb: str, names: Collection[str], *, longest: int, what: str) -> None:
    if isinstance(names, str | bytes | Mapping) or not isinstance(names, Collection):
        msg = f"{verb}={names!r}: give a collection of names, such as [{names!r}]"
        raise InputError(msg)
    for name in names:
        if not isinstance(name, str) or not name.strip() or len(name) > longest:
            msg = f"{verb}: {name!r:.120}: {what} has 1 to {longest} characters"
            raise InputError(msg)
        encode(name)  # refuses what no store can hold


def read_curated(ledger: Ledger) -> CuratedAnchors:
    """Return the curation of anchors so far, from the journal."""
    wanted: dict[int, str] = {}
    denied: dict[int, str] = {}
    sources: tuple[str, ...] = ()
    for change in ledger.reader.events(AnchorsCurated):
        said = change.event
        for name in said.add:
            wanted[key_of(name)] = name
            denied.pop(key_of(name), None)
        for name in said.deny:
            denied[key_of(name)] = name
            wanted.pop(key_of(name), None)
        for name in said.remove:
            wanted.pop(key_of(name), None)
            denied.pop(key_of(name), None)
        if said.sources is not None:
            sources = tuple(said.sources)
    return CuratedAnchors(
        wanted=tuple(wanted.values()), denied=tuple(denied.values()), sources=sources or None
    )
