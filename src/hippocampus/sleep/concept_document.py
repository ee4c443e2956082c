"""
The concept index as a JSON document that people and other programs read (CONCEPT, section 4.4).

Written by one bank and read by another, or edited in between: what it says is checked in full
before anything of it counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.config import Concepts
from hippocampus.core.records import EpisodeRow
from hippocampus.encode.tokens import encode
from hippocampus.errors import InputError
from hippocampus.index.anchor_postings import nearest_edges
from hippocampus.index.anchors import KINDS, Anchors, leads_back, runs
from hippocampus.language.noun_phrases import key_of
from hippocampus.language.phonetic import sound_of
from hippocampus.language.secrets import SecretFinder
from hippocampus.sleep.concepts import Tally, associated, words_of
from hippocampus.sleep.material import Material

VERSION: Final = "1.3"
"""Of the document, as the paper has it."""
_HIGHEST: Final = 3.0
"""No effective score is higher: a cosine, a mention, and the weight of importance are (1 + 0.2) (1
+ 0.15 ln 10) = 1.6 at most as they are set. Twice as much is left for other settings."""


def to_json(
    anchors: Anchors, episodes: Mapping[int, EpisodeRow], *, model: str, built_at: datetime
) -> dict[str, Any]:
    """Return the document; ``episodes`` by row, those that are gone left out."""
    entries: dict[str, Any] = {}
    for place, name in enumerate(anchors.names):
        inside = slice(*anchors.ends[place : place + 2].tolist())
        under = [
            (episodes[row], score)
            for row, score in zip(
                anchors.rows[inside].tolist(), anchors.scores[inside].tolist(), strict=True
            )
            if row in episodes
        ]
        if not under and anchors.kind(place) != "curated":
            continue  # all that it was found in is gone
        entries[name] = {
            "kind": anchors.kind(place),
            "chunks": [episode.address for episode, _ in under],
            "ids": [episode.id for episode, _ in under],
            "scores": [round(score, 4) for _, score in under],
            "sources": [episode.source for episode, _ in under],
        }
    aliases = anchors.aliases[_all_in(anchors.aliases, episodes)].tolist()
    told = _all_in(anchors.edges, episodes)
    edges = np.sort(anchors.edges[told], axis=1).tolist()  # the other way round is the same edge
    cosines = anchors.edge_cosines[told].tolist()
    related = {(row, other): cosine for (row, other), cosine in zip(edges, cosines, strict=True)}
    return {
        "version": VERSION,
        "built_at": built_at.astimezone(UTC).isoformat(),
        "model": model,
        "scope": f"{anchors.rows_built} episodes",
        "anchor_count": len(entries),
        "entries": entries,
        "aliases": {episodes[row].id: episodes[other].id for row, other in aliases},
        "related": [
            [episodes[row].id, episodes[other].id, round(cosine, 6)]
            for (row, other), cosine in sorted(related.items())
        ],
    }


def hide_secrets(document: dict[str, Any], finder: SecretFinder) -> dict[str, Any]:
    """Return a document without the secrets in the names of anchors, sources and addresses."""
    entries: dict[str, Any] = {}
    for name, entry in document["entries"].items():
        shown = {
            field: [one and finder.redact_label(one) for one in entry[field]]
            for field in ("chunks", "sources")
        }
        entries[finder.redact_label(name)] = entry | shown
    # Names that differ in a secret alone have become one, so they are counted again.
    return document | {"entries": entries, "anchor_count": len(entries)}


def spelled_rows(anchors: Anchors) -> list[int]:
    """Return the rows of all episodes that the document names, ascending."""
    parts = (anchors.rows, anchors.aliases.ravel(), anchors.edges.ravel())
    rows: list[int] = np.unique(np.concatenate(parts)).tolist()
    return rows


def _all_in(pairs: NDArray[np.int32], episodes: Mapping[int, EpisodeRow]) -> NDArray[np.bool_]:
    known = np.array([row in episodes for row in pairs.ravel().tolist()], np.bool_)
    return np.asarray(known.reshape(pairs.shape).all(axis=1))


def parse(document: bytes) -> object:
    """
    Return the value of a JSON text.

    Raises:
        InputError: a name is there twice, of which JSON's readers would take the last.
        ValueError: it is not JSON.

    """
    return json.loads(document, object_pairs_hook=_each_once)


def anchor_names(document: object) -> list[str]:
    """Return the names of the anchors in what JSON says, before anything of it is checked."""
    entries = document.get("entries") if isinstance(document, Mapping) else None
    return [str(name) for name in entries] if isinstance(entries, Mapping) else []


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"{twice!r:.120} is there twice in one object; say it once"
        raise InputError(msg)
    return made


def from_json(
    document: object,
    *,
    model: str,
    rows_of: Callable[[Sequence[str]], Mapping[str, int]],
    embed: Callable[[Sequence[str]], NDArray[np.float32]],
    naming: Callable[[Sequence[str]], Material],
    how: Concepts,
    now: int,
) -> Anchors:
    """
    Return the anchors that a document tells of.

    Args:
        document: parsed JSON.
        model: the embedder's name, which must be the document's.
        rows_of: finds the rows of episode ids.
        embed: gives vectors of names.
        naming: gives what the bank says, some curated names included, to tie anchors to it.
        how: how far activation spreads.
        now: the present in microseconds.

    Raises:
        InputError: it is no such document, or does not fit this bank; says where.

    """
    entries, aliases, related = _checked(document, model)
    named = {f"entries[{name!r}]": entry["ids"] for name, entry in entries.items()}
    named |= {"aliases": [*aliases, *aliases.values()]}
    named |= {"related": [id_ for one, other, _ in related for id_ in (one, other)]}
    rows = _found(named, rows_of)
    stands = sorted((rows[one], rows[other]) for one, other in aliases.items())
    edges, cosines = nearest_edges(
        _pairs([(rows[one], rows[other]) for one, other, _ in related]),
        np.array([cosine for _, _, cosine in related], np.float32),
    )
    names = tuple(name.casefold() for name in entries)
    count = len(names)
    order = [np.argsort(-np.array(entry["scores"]), kind="stable") for entry in entries.values()]
    under, ends = runs(
        [
            np.array([rows[id_] for id_ in entry["ids"]])[best]
            for entry, best in zip(entries.values(), order, strict=True)
        ],
        np.int32,
    )
    scores, _ = runs(
        [
            np.array(entry["scores"])[best]
            for entry, best in zip(entries.values(), order, strict=True)
        ],
        np.float32,
    )
    vectors = embed(names)
    vectors[[entry["kind"] == "named" for entry in entries.values()]] = 0
    keys = [key_of(name) for name in names]
    material = naming([n for n, e in entries.items() if e["kind"] == "curated"])
    ties = [e["kind"] != "discovered" or " " in n for n, e in entries.items()]
    tally = Tally.of(material, now)
    mentions = tally.postings.rows_of(keys)
    salience = np.array([tally.salience_of(key) for key in keys], np.float32)
    return Anchors(
        names=names,
        sounds=tuple(map(sound_of, names)),
        words=tuple(map(words_of, names)),
        rows_built=len(material),
        keys=np.array(keys, np.uint32),
        kinds=np.array([KINDS.index(entry["kind"]) for entry in entries.values()], np.uint8),
        salience=salience, found_salience=salience,
        found_at=np.full(count, now, np.int64),
        weak=np.zeros(count, np.uint8), strong=np.zeros(count, np.uint8),
        vectors=vectors, ends=ends, rows=under, scores=scores, gists=material.gists[under],
        aliases=_pairs(stands), edges=edges, edge_cosines=cosines,
        centres=vectors[:0], centre_ends=np.zeros(count + 1, np.int64),
        **associated(mentions, ties, material.session, how),
    )  # fmt: skip


def _found(
    named: Mapping[str, Sequence[str]], rows_of: Callable[[Sequence[str]], Mapping[str, int]]
) -> Mapping[str, int]:
    """Return the rows of the episodes that are named, by where; refuse one that is not there."""
    rows = rows_of(sorted({id_ for ids in named.values() for id_ in ids}))
    for where, ids in named.items():
        for id_ in ids:
            if id_ not in rows:
                msg = f"{where}: the bank has no episode {id_!r}"
                raise InputError(msg)
    return rows


def _pairs(given: Sequence[tuple[int, int]]) -> NDArray[np.int32]:
    return np.array(given, np.int32).reshape(-1, 2)


_Entries: TypeAlias = dict[str, dict[str, Any]]
_Related: TypeAlias = list[tuple[str, str, float]]


def _checked(document: object, model: str) -> tuple[_Entries, dict[str, str], _Related]:
    """Return a document's entries, aliases and what is related, after checking their shape."""
    if not isinstance(document, dict) or not isinstance(document.get("entries"), dict):
        msg = "a concept index is a JSON object with 'version', 'model' and 'entries'"
        raise InputError(msg)
    for what, right in (("version", VERSION), ("model", model)):
        if document.get(what) != right:
            msg = f"{what}={document.get(what)!r}: must be {right!r}; let sleep make one instead"
            raise InputError(msg)
    aliases, related = document.get("aliases", {}), document.get("related", [])
    rules = {
        "aliases: must be an object of an episode's id and that of the one that stands for it": (
            not isinstance(aliases, dict)
            or not all(isinstance(other, str) for other in aliases.values())
        ),
        "related: must be a list of [id, another id, a cosine above 0, at most 1]": (
            not isinstance(related, list) or not all(map(_is_edge, related))
        ),
    }
    wrong = next((rule for rule, broken in rules.items() if broken), None)
    if wrong is None and leads_back(aliases):
        wrong = "aliases: an episode stands for itself, over however many steps"
    if wrong is not None:
        raise InputError(wrong)
    entries: _Entries = document["entries"]
    if not entries:
        msg = "entries: there are none"
        raise InputError(msg)
    keys: dict[int, str] = {}
    for name, entry in entries.items():
        encode(name)  # refuses what no store can hold
        wrong = _wrong(name, entry)
        if wrong is None and keys.setdefault(key_of(name), name) != name:
            wrong = f"is the same anchor as {keys[key_of(name)]!r}"
        if wrong is not None:
            msg = f"entries[{name!r:.120}]: {wrong}"
            raise InputError(msg)
        # We always write the kind; an entry without one was added by a person.
        entry.setdefault("kind", "curated")
    return entries, aliases, related


def _wrong(name: str, entry: object) -> str | None:
    """Return the fault of an entry, if it has one."""
    if not isinstance(entry, dict):
        return "must be an object with 'ids' and 'scores'"
    ids, scores, kind = entry.get("ids"), entry.get("scores"), entry.get("kind", "curated")
    if not isinstance(ids, list) or not all(isinstance(id_, str) for id_ in ids):
        return "'ids' must be a list of episode ids"
    if not isinstance(scores, list) or len(scores) != len(ids):
        return "'scores' must be a list as long as 'ids'"
    odd = [score for score in scores if not _is_score(score)]
    rules = {
        "an anchor has a name": not name.strip(),
        f"a score of {[*odd, 0][0]!r}: must be a number above 0, at most {_HIGHEST:g}": odd,
        "an episode is there twice": len(set(ids)) < len(ids),
        f"kind={kind!r}: must be one of {', '.join(KINDS)}": kind not in KINDS,
    }
    return next((rule for rule, broken in rules.items() if broken), None)


def _is_edge(edge: object) -> bool:
    match edge:
        case [str(one), str(other), cosine]:
            return one != other and _is_score(cosine) and cosine <= 1
    return False


def _is_score(value: object) -> TypeGuard[float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 < value <= _HIGHEST
