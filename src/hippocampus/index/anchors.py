"""
The anchors of a bank, and what lies under each, as a rebuild leaves them (CONCEPT, section 4).

An anchor is a word or phrase that memories gather around. Under it lie the episodes that are
nearest to it, ranked once and for all, so that hearing the anchor is enough to have them.
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
import zlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.appraise import importance
from hippocampus.core.decompress import load_arrays
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.errors import InputError
from hippocampus.index.sorted_sets import each_once
from hippocampus.kernel import quantise_rows

AnchorKind: TypeAlias = Literal["curated", "named", "discovered"]
KINDS: Final[tuple[AnchorKind, ...]] = ("curated", "named", "discovered")

Node = TypeVar("Node", bound=Hashable)

_DISCOVERED: Final = KINDS.index("discovered")
_VERSION: Final = 2
"""Version of the stored block: 2 has what stands for what, and related rows; another one's is made
anew."""
_FIVE: Final = 5  # numbers of an anchor given up that earlier versions read
_UNREADABLE: Final = (
    ValueError, KeyError, TypeError, EOFError, OSError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
_IN_HEAD: Final = ("names", "sounds", "words", "rows_built", "pruned", "origins", "merged", "basis")


End: TypeAlias = Literal["", "faded", "merged", "crowded out"]
"""Why an anchor was given up: it stayed weak, another names its episodes, or others are worth more.
"" where an earlier version did not note it."""


class Pruned(NamedTuple):
    """
    An anchor that was given up, and some of the rows that still name it.

    ``ended_at``: when, in microseconds, 0 if unknown; ``into``: the anchor that is heard instead.
    """

    name: str
    kind: AnchorKind
    salience: float
    found_at: int
    rows: tuple[int, ...]
    ended_at: int = 0
    why: End = ""
    into: str = ""


class Basis(NamedTuple):
    """
    Basis of a rebuild, by which the next tells what of it is still so.

    ``seq``: the last change taken in. ``settings``: those of the ranking. ``digest``: of what rows
    weigh. ``shown``: which were in force, shape (rows_built,).
    """

    seq: int
    now: int
    settings: str
    digest: int
    shown: NDArray[np.bool_]


def effective(
    cosines: NDArray[np.float32],
    lasting: NDArray[np.float32] | np.float32,
    age_hours: NDArray[np.float32] | NDArray[np.float64] | float,
    alpha: float,
) -> NDArray[np.float32]:
    """
    Return cosines of an anchor and episodes, the more important a little higher (section 4.6a).

    ``lasting``: what of their importance does not fade, shape (episodes,); cosines end in it.
    """
    worth = importance(np.asarray(lasting), np.asarray(age_hours))
    scores: NDArray[np.float32] = (cosines * (1 + alpha * np.log(worth))).astype(np.float32)
    return scores


@immutable(eq=False)
class Anchors:
    """
    A rebuild's result over the first ``rows_built`` rows; a anchors, m entries, c sense centres.

    ``names``; ``sounds``: how they sound, "" for those that are only read; ``words``: keys of the
    words of names that have several; ``keys``: by which phrases know them, shape (a,), uint32;
    ``kinds``: places in ``KINDS``, uint8; ``salience``: now, and ``found_salience`` when found,
    float32; ``found_at``: int64 microseconds; ``weak``: rebuilds under half of that in a row,
    ``strong``: at or above, uint8; ``vectors``: shape (a, dimension), float32, length 1, or 0 for
    names, which mean nothing.

    Entries of anchor i are ``[ends[i], ends[i + 1])``: ``rows``, int32; ``scores``: effective,
    falling, float32; ``gists``: how rich each row is and a digest of its details, see
    ``anchor_postings.py``, uint32. ``aliases``: rows that say what another one does, and the
    one that stands for each, ascending, shape (s, 2), int32. ``edges``: rows near each other,
    both ways, by the first, shape (e, 2), int32, and ``edge_cosines``, float32. ``centres`` of
    its senses: shape (c, dimension), those of anchor i at ``[centre_ends[i], centre_ends[i +
    1])``, none where it has only one. ``mentions``: the rows that name it, in order of time, by
    ``mention_ends``. ``kin``: anchors that one activates, itself first, by ``kin_ends``, int32;
    ``kin_strengths``: by how much, in (0, 1], float32. ``pruned``: those that were given up
    lately, the last first. ``origins``: the row that spelled each when it was found, -1 where that
    is unknown; () from earlier versions. ``merged``: keys of phrases for which an anchor is heard,
    and its place. ``basis``: what it was made of; None for what was imported or made by earlier
    versions.
    """

    names: tuple[str, ...]
    sounds: tuple[str, ...]
    words: tuple[tuple[int, ...], ...]
    rows_built: int
    keys: NDArray[np.uint32]
    kinds: NDArray[np.uint8]
    salience: NDArray[np.float32]
    found_salience: NDArray[np.float32]
    found_at: NDArray[np.int64]
    weak: NDArray[np.uint8]
    strong: NDArray[np.uint8]
    vectors: NDArray[np.float32]
    ends: NDArray[np.int64]
    rows: NDArray[np.int32]
    scores: NDArray[np.float32]
    gists: NDArray[np.uint32]
    aliases: NDArray[np.int32]
    edges: NDArray[np.int32]
    edge_cosines: NDArray[np.float32]
    centres: NDArray[np.float32]
    centre_ends: NDArray[np.int64]
    mentions: NDArray[np.int32]
    mention_ends: NDArray[np.int64]
    kin: NDArray[np.int32]
    kin_strengths: NDArray[np.float32]
    kin_ends: NDArray[np.int64]
    pruned: tuple[Pruned, ...] = ()
    origins: tuple[int, ...] = ()
    merged: tuple[tuple[int, int], ...] = ()
    basis: Basis | None = None

    def __len__(self) -> int:
        return len(self.names)

    def kind(self, anchor: int) -> AnchorKind:
        """Return the sort of an anchor."""
        return KINDS[int(self.kinds[anchor])]

    def curated(self) -> list[str]:
        """Return the names that somebody wants."""
        return [name for place, name in enumerate(self.names) if self.kind(place) == "curated"]

    def naming(self, anchor: int) -> NDArray[np.int32]:
        """Return the rows that name one, in order of time, and that lie under it."""
        named = self.mentions[slice(*self.mention_ends[anchor : anchor + 2])]
        return np.concatenate([named, self.rows[slice(*self.ends[anchor : anchor + 2])]])

    def is_tied(self, anchor: int) -> bool:
        """Return whether one is somebody or something, and not a common word: kin are of these."""
        return self.kinds[anchor] != _DISCOVERED or " " in self.names[anchor]

    def to_bytes(self) -> bytes:
        """Return bytes for ``load``: a zip of NumPy arrays, float32 matrices as signed bytes."""
        arrays: dict[str, NDArray[Any]] = {}
        for name, value in self._arrays().items():
            if name in ("vectors", "centres"):
                codes, scales = quantise_rows(np.ascontiguousarray(value, np.float32))
                arrays |= {name: codes, f"{name}_scales": scales}
            else:
                arrays[name] = value
        head: dict[str, Any] = {"version": _VERSION, "rows_built": self.rows_built}
        head |= {"names": self.names, "sounds": self.sounds, "words": self.words}
        # Earlier versions read five numbers of each, and whatever else is in the head not at all.
        head |= {"pruned": [one[:_FIVE] for one in self.pruned]}
        head |= {"ends": [one[_FIVE:] for one in self.pruned]}
        head |= {"origins": self.origins, "merged": self.merged}
        if self.basis is not None:
            shown = base64.b64encode(zlib.compress(np.packbits(self.basis.shown).tobytes()))
            head["basis"] = self.basis._replace(shown=shown.decode())._asdict()  # type: ignore[arg-type]
        arrays["head"] = np.frombuffer(json.dumps(head, ensure_ascii=False).encode(), np.uint8)
        written = io.BytesIO()
        np.savez_compressed(written, allow_pickle=False, **arrays)
        return written.getvalue()

    @classmethod
    def load(cls, payload: bytes) -> Anchors:
        """
        Read anchors from the bytes of ``to_bytes``.

        Raises:
            InputError: it is not that, or a later version's.

        """
        try:
            arrays = load_arrays(payload)
            head = json.loads(arrays.pop("head").tobytes())
            if head["version"] != _VERSION:
                msg = f"they are of version {head['version']}, and this one reads {_VERSION}"
                raise InputError(msg)
            for name in ("vectors", "centres"):
                arrays[name] = arrays[name] * arrays.pop(f"{name}_scales")[:, None]
            made = cls(
                names=tuple(head["names"]), sounds=tuple(head["sounds"]),
                words=tuple(map(tuple, head["words"])),
                rows_built=int(head["rows_built"]), **arrays,
                # Earlier versions kept none of these.
                pruned=tuple(map(_pruned, head.get("pruned", ()), _ends(head))),
                origins=tuple(map(int, head.get("origins", ()))),
                merged=tuple((int(key), int(place)) for key, place in head.get("merged", ())),
                basis=_basis(head.get("basis"), int(head["rows_built"])),
            )  # fmt: skip
            made.check()
        except _UNREADABLE as exc:
            msg = f"the anchors of the concept cue cannot be read ({exc}); sleep makes them anew"
            raise InputError(msg) from exc
        return made

    def check(self) -> None:
        """
        Raise ValueError where one part does not fit another, whoever made them.

        Rows are among those seen and come under an anchor once, best first; numbers are numbers;
        what stands for a row never leads back to it.
        """
        count = len(self.names)
        for what in ("keys", "kinds", "salience", "found_salience", "found_at", "weak", "strong"):
            _rule(getattr(self, what).shape == (count,), f"{what} of other anchors")
        _rule(len(self.sounds) == len(self.words) == count, "names without sounds or words")
        _rule(len(each_once(self.keys)) == count, "an anchor that is there twice")
        _rule(bool((self.kinds < len(KINDS)).all()), "an unknown kind of anchor")
        _rule(self.vectors.ndim == 2 and len(self.vectors) == count, "vectors of other anchors")
        _rule(self.centres.shape[1:] == self.vectors.shape[1:], "centres of other dimensions")
        for ends, length in (
            (self.ends, len(self.rows)), (self.centre_ends, len(self.centres)),
            (self.mention_ends, len(self.mentions)), (self.kin_ends, len(self.kin)),
        ):  # fmt: skip
            whole = len(ends) == count + 1 and ends[0] == 0 and ends[-1] == length
            _rule(whole and bool((np.diff(ends) >= 0).all()), "lists that do not end where they do")
        for beside, length in (
            (self.scores, len(self.rows)), (self.gists, len(self.rows)),
            (self.kin_strengths, len(self.kin)), (self.edge_cosines, len(self.edges)),
        ):  # fmt: skip
            _rule(beside.shape == (length,), "lists of different lengths")
        for pairs in (self.aliases, self.edges):
            _rule(pairs.shape == (len(pairs), 2), "pairs that are none")
        for rows in (self.rows, self.mentions, self.aliases, self.edges):
            _rule(_within(rows, self.rows_built), "an episode that was not there")
        for one in self.pruned:
            named = np.array(one.rows, np.int32)
            _rule(_within(named, self.rows_built), "an episode that was not there")
        _rule(_within(self.kin, count), "kin that is no anchor")
        self._check_life(count)
        for numbers in (self.salience, self.vectors, self.scores, self.centres,
                        self.kin_strengths, self.edge_cosines):  # fmt: skip
            _rule(bool(np.isfinite(numbers).all()), "a score that is no number")
        owner = np.repeat(np.arange(count), np.diff(self.ends))
        inside = owner[1:] == owner[:-1]
        falling = bool((np.diff(self.scores)[inside] <= 0).all())
        _rule(falling, "scores that do not fall")
        placed = each_once(owner * np.int64(self.rows_built + 1) + self.rows)
        _rule(len(placed) == len(self.rows), "an episode that is twice under an anchor")
        _rule(bool((np.diff(self.edges[:, 0]) >= 0).all()), "edges out of order")
        _rule(bool((np.diff(self.aliases[:, 0]) > 0).all()), "aliases out of order")
        _rule(not leads_back(dict(self.aliases.tolist())), "aliases that stand for each other")

    def _check_life(self, count: int) -> None:
        _rule(len(self.origins) in (0, count), "origins of other anchors")
        origins = np.array(self.origins, np.int64)
        _rule(bool(((origins >= -1) & (origins < self.rows_built)).all()), "an origin not there")
        places = np.array([place for _, place in self.merged], np.int64)
        _rule(_within(places, count), "a phrase merged into no anchor")
        known = {int(key) for key in self.keys}
        _rule(known.isdisjoint(key for key, _ in self.merged), "an anchor merged into another")

    def _arrays(self) -> dict[str, NDArray[Any]]:
        named = [field.name for field in fields(self)]
        return {name: getattr(self, name) for name in named if name not in _IN_HEAD}


def _ends(head: Mapping[str, Any]) -> Sequence[Any]:
    ends: Sequence[Any] = head.get("ends", [(0, "", "")] * len(head.get("pruned", ())))
    _rule(len(ends) == len(head.get("pruned", ())), "ends of other anchors")
    return ends


def _pruned(given: Sequence[Any], end: Sequence[Any]) -> Pruned:
    name, kind, salience, found_at, rows = given
    ended_at, why, into = end
    _rule(isinstance(name, str) and kind in KINDS, "an anchor that was none")
    _rule(why in get_args(End) and isinstance(into, str), "an end that was none")
    named = tuple(map(int, rows))
    return Pruned(name, kind, float(salience), int(found_at), named, int(ended_at), why, into)


def _basis(given: Any, length: int) -> Basis | None:  # noqa: ANN401  # as JSON has it
    if given is None:
        return None
    # Bounded before it is unpacked: a small text may unpack to gigabytes.
    most = -(-length // 8)
    bits = zlib.decompressobj().decompress(base64.b64decode(given["shown"]), most + 1)
    _rule(len(bits) == most, "a basis of other rows")
    shown = np.unpackbits(np.frombuffer(bits, np.uint8), count=length).astype(np.bool_)
    seq, now, digest = (int(given[name]) for name in ("seq", "now", "digest"))
    return Basis(seq, now, str(given["settings"]), digest, shown)


def _rule(kept: bool, broken: str) -> None:  # noqa: FBT001 - said as a sentence
    if not kept:
        raise ValueError(broken)


def _within(places: NDArray[Any], stop: int) -> bool:
    return bool(((places >= 0) & (places < stop)).all())


def leads_back(stands: Mapping[Node, Node]) -> bool:
    """Return whether something stands for itself, over however many steps."""
    sound: set[Node] = set()
    for start in stands:
        path: set[Node] = set()
        at = start
        while at in stands and at not in sound:
            if at in path:
                return True
            path.add(at)
            at = stands[at]
        sound |= path
    return False


def runs(lists: Sequence[NDArray[Any]], dtype: type[np.generic]) -> tuple[Any, NDArray[np.int64]]:
    """Return lists end to end, and where each ends: shape (lists + 1,), from 0."""
    ends = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    joined = np.concatenate(lists) if lists else np.empty(0)
    return joined.astype(dtype), ends
