"""
The made-up texts that lives and dialogues are generated from, read from files of this package.

``data/*.json`` hold phrases and words, ``data/*.txt`` what is told of each kind of project and in
each genre; the first field, or the first paragraph, says where a file comes from and how it is
read. Nothing is read before it is asked for.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TypeAlias

import msgspec

Texts: TypeAlias = tuple[str, ...]


class LifePhrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a life is told with; ``{slots}`` are filled from ``words`` or by the generator."""

    origin: str
    frames: Texts
    """Say something about a facet without settling anything."""
    openers: dict[str, Texts]
    """How a chunk begins, by what it calls its project: code, title, person or none."""
    links: Texts
    kin: Texts
    relations: Texts
    status_say: Texts
    status_ask: Texts
    leads: dict[str, Texts]
    """How a question is put, by its failure mode."""
    subjects: Texts
    closings: Texts
    mail_extra: Texts
    asks: Texts
    answers: Texts
    others: Texts
    others_say: Texts
    """Other people have projects of the same kinds, and tell the same things of them."""
    settled: Texts
    """How a statement may be marked as one, and what it is about (``{L}``)."""
    early: Texts
    """What was once thought of and no longer holds."""
    newsletters: Texts
    admin: Texts
    words: dict[str, Texts]
    """What fills each slot; a slot that is not here is one of ``hippocampus.calibrate``."""
    codes: Texts
    """Code names of projects; as many as a life may hold."""
    people: Texts
    """Who projects are done with: four each, nobody in two of them while names last."""


class DialoguePhrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What makes up the values of facts, and the words around questions."""

    origin: str
    values: dict[str, Texts]
    """Ways to make up values of a kind, each used once in a dialogue."""
    parts: dict[str, Texts]
    """What fills each slot of a value."""
    ask: Texts
    """How a question is put."""
    lead: Texts
    """How the user takes a matter up."""


@cache
def life_phrases() -> LifePhrases:
    """Return the phrases and words of a life."""
    return msgspec.json.decode(_read("life.json"), type=LifePhrases)


@cache
def dialogue_phrases() -> DialoguePhrases:
    """Return the phrases and words of dialogues."""
    return msgspec.json.decode(_read("dialogues.json"), type=DialoguePhrases)


def life_projects() -> str:
    """Return the kinds of projects of a life, in the format that the file's header describes."""
    return _body("life-projects.txt")


def dialogue_genres() -> str:
    """Return the genres of dialogues, in the format that the file's header describes."""
    return _body("dialogue-genres.txt")


def _body(name: str) -> str:
    """Return a text without its first paragraph, the header."""
    return _read(name).partition("\n\n")[2]


def _read(name: str) -> str:
    return files("hippocampus_bench").joinpath("data", name).read_text(encoding="utf-8")
