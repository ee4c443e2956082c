"""
The concept index as a JSON document that people and other programs read (CONCEPT, section 4.4).

Written by one bank and read by another, or edited in between: what it says is checked in full
before anything of it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.config import Concepts
from hippocampus.encode.phrases import key_of
from hippocampus.encode.sounds import sound_of
from hippocampus.errors import InputError
from hippocampus.index.anchors import KINDS, Anchors, runs
from hippocampus.model import EpisodeRow
from hippocampus.sleep.concepts import Material, Tally, kin_of, mentions_of, words_of

VERSION: Final = "1.3"
"""Of the document, as the paper has it."""
_HIGHEST: Final = 3.0
"""No effective score is higher: a cosine, a mention, and the weight of importance."""


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
    return {
        "version": VERSION,
        "built_at": built_at.astimezone(UTC).isoformat(),
        "model": model,
        "scope": f"{anchors.rows_built} episodes",
        "anchor_count": len(entries),
        "entries": entries,
    }


def from_json(
    document: object,
    *,
    model: str,
    rows_of: Callable[[Sequence[str]], Mapping[str, int]],
    embed: Callable[[Sequence[str]], NDArray[np.float32]],
    material: Material,
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
        material: what the bank says, to tie anchors to what names them.
        how: how far activation spreads.
        now: the present in microseconds.

    Raises:
        InputError: it is no such document, or does not fit this bank; says where.

    """
    entries = _checked(document, model)
    ids = {id_ for entry in entries.values() for id_ in entry["ids"]}
    rows = rows_of(sorted(ids))
    for name, entry in entries.items():
        for id_ in entry["ids"]:
            if id_ not in rows:
                msg = f"entries[{name!r}]: the bank has no episode {id_!r}"
                raise InputError(msg)
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
    mentions = mentions_of(keys, material)
    ties = [e["kind"] != "discovered" or " " in n for n, e in entries.items()]
    kin = kin_of(mentions, ties, material.session, how)
    tally = Tally.of(material, now)
    salience = np.array([tally.salience_of(key) for key in keys], np.float32)
    named, mention_ends = runs(mentions, np.int32)
    others, kin_ends = runs([one.anchors for one in kin], np.int32)
    strengths, _ = runs([one.strengths for one in kin], np.float32)
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
        vectors=vectors, ends=ends, rows=under, scores=scores,
        centres=vectors[:0], centre_ends=np.zeros(count + 1, np.int64),
        mentions=named, mention_ends=mention_ends,
        kin=others, kin_strengths=strengths, kin_ends=kin_ends,
    )  # fmt: skip


def _checked(document: object, model: str) -> dict[str, dict[str, Any]]:
    if not isinstance(document, dict) or not isinstance(document.get("entries"), dict):
        msg = "a concept index is a JSON object with 'version', 'model' and 'entries'"
        raise InputError(msg)
    for what, right in (("version", VERSION), ("model", model)):
        if document.get(what) != right:
            msg = f"{what}={document.get(what)!r}: must be {right!r}; let sleep make one instead"
            raise InputError(msg)
    entries: dict[str, dict[str, Any]] = document["entries"]
    if not entries:
        msg = "entries: there are none"
        raise InputError(msg)
    keys: dict[int, str] = {}
    for name, entry in entries.items():
        wrong = _wrong(name, entry)
        if wrong is None and keys.setdefault(key_of(name), name) != name:
            wrong = f"is the same anchor as {keys[key_of(name)]!r}"
        if wrong is not None:
            msg = f"entries[{name!r:.120}]: {wrong}"
            raise InputError(msg)
        entry.setdefault("kind", "curated")
    return entries


def _wrong(name: str, entry: object) -> str | None:
    """Return what is wrong with an entry, if anything is."""
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


def _is_score(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 < value <= _HIGHEST
