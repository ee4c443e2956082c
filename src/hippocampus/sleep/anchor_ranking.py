"""
Ranking of the rows under each anchor, from the last ranking where that gives the same.

What lies under an anchor is the best few of all rows. Between two sleeps most rows stay as they
were, and no score of theirs rises, for only recency changes. So the best few are among those of
last time and the rows that are new, as long as there are enough of these that score no less than
the last of last time did; where there are not, all rows are looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats, Rows
from hippocampus.core.background_yield import pausing
from hippocampus.core.clock import MICROS_PER_HOUR
from hippocampus.core.config import Concepts
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.index.anchors import Anchors, Basis, effective
from hippocampus.kernel import top_k
from hippocampus.sleep.material import Material, Reads

_AT_ONCE: Final = 8192
"""Rows of a product with all anchors: 12 MB of vectors of 384 at a time, and 10 of scores under 300
anchors, whatever the size of a bank."""
_FEW: Final = 64
"""Anchors below which rows are looked for by their signs: a product reads every vector for them.
Set by hand, as is the next."""
_MANY: Final = 65_536
"""Rows from which on that is so: fewer are soon multiplied."""
_LOOKED_AT: Final = 20
"""Rows that are scored for each that may lie under an anchor, if signs choose them: a thousand, for
signs misjudge a cosine by up to .1 (docs/adr/0016)."""


class Ranked(NamedTuple):
    """Rows under an anchor, best first, and their effective scores."""

    rows: Rows
    scores: Floats


class Carried(NamedTuple):
    """Rows under an anchor last time, and the least score among them."""

    rows: Rows
    least: float


@immutable(kw_only=False, eq=False)
class AnchorRanking:
    """
    Inputs of ranking: a bank's anchors and rows.

    ``directions``: of anchors, zero for names, shape (a, d). ``mentions``: the rows that name each.
    ``own``: rows that are in force and that no other stands for, shape (n,). ``worth``: by how much
    a cosine counts, shape (n,).
    """

    directions: Floats
    mentions: Sequence[Rows]
    reads: Reads
    own: NDArray[np.bool_]
    worth: Floats
    how: Concepts

    @classmethod
    def of(
        cls,
        directions: Floats,
        mentions: Sequence[Rows],
        reads: Reads,
        material: Material,
        known: NDArray[np.int32],
        *,
        now: int,
        how: Concepts,
    ) -> AnchorRanking:
        """Prepare it; ``known``: rows that say what another one does, and that one."""
        own = material.shown.copy()
        own[known[:, 0]] = False
        one = np.ones(1, np.float32)
        worth = effective(one, material.lasting, _ages(material, now), how.alpha)
        return cls(directions, mentions, reads, own, worth, how)

    def ranked(self, carried: Mapping[int, Carried], fresh: NDArray[np.bool_]) -> list[Ranked]:
        """
        Return the rows under each anchor.

        All rows are looked at for an anchor only where those carried over do not suffice.

        Args:
            carried: what was under anchors, by place, where no other row can have risen since.
            fresh: rows that were not there last time, shape (n,).

        """
        means = self.directions.any(axis=1)
        meaning = np.flatnonzero(means)
        found: list[list[Ranked]] = [[] for _ in self.directions]
        for place in np.flatnonzero(~means).tolist():
            found[place].append(self._named(place))
        self._look(meaning, np.flatnonzero(self.own & fresh), found)
        whole = []
        for place in pausing(meaning.tolist()):
            last = carried.get(place)
            again = None if last is None else self._again(place, last.rows)
            if last is None or again is None or not self._suffice([*found[place], again], last):
                whole.append(place)
            else:
                found[place].append(again)
        rest = np.flatnonzero(self.own & ~fresh)
        if self.reads.estimates is not None and len(whole) <= _FEW and len(rest) > _MANY:
            for place in pausing(whole):
                found[place].append(self._estimated(place, rest, self.reads.estimates))
        else:
            self._look(np.array(whole, np.intp), rest, found)
        return [_best(parts, self.how.k_max) for parts in pausing(found)]

    def _suffice(self, found: Sequence[Ranked], last: Carried) -> bool:
        """Return whether enough of what was found scores no less than anything else can."""
        enough = sum(int(np.count_nonzero(one.scores >= last.least)) for one in found)
        return enough >= self.how.k

    def _named(self, place: int) -> Ranked:
        """Return the best of what names a name: that lies under it."""
        rows = self.mentions[place][self.own[self.mentions[place]]]
        picked = top_k(self.worth[rows], self.how.k_max).astype(np.intp)
        return Ranked(rows[picked], self.worth[rows[picked]])

    def _again(self, place: int, rows: Rows) -> Ranked:
        """Score rows under an anchor, as of now."""
        rows = rows[self.own[rows]]
        cosines = self.reads.vectors(rows) @ self.directions[place]
        cosines += self.how.mention * np.isin(rows, self.mentions[place]).astype(np.float32)
        scores = self._effective(cosines, rows)
        return Ranked(rows[scores > 0], scores[scores > 0])

    def _estimated(self, place: int, some: Rows, estimates: Callable[[Floats], Floats]) -> Ranked:
        """Return the best of those of some rows that signs tell are near."""
        scores = estimates(self.directions[place])
        scores[self.mentions[place]] += self.how.mention
        scores = scores[some] * self.worth[some]
        return self._again(place, some[np.sort(top_k(scores, _LOOKED_AT * self.how.k_max))])

    def _effective(self, cosines: Floats, rows: Rows) -> Floats:
        """Return cosines with rows as they count, shape (..., rows); changed in place."""
        cosines *= cosines >= self.how.cosines().theta
        cosines *= self.worth[rows]
        return cosines

    def _look(self, anchors: NDArray[np.intp], some: Rows, found: list[list[Ranked]]) -> None:
        """Add the best of some rows, which ascend, to what was found under anchors."""
        if not len(anchors):
            return
        directions = self.directions[anchors]
        named, by = self._naming(anchors, some)
        for first in pausing(range(0, len(some), _AT_ONCE)):
            rows = some[first : first + _AT_ONCE]
            scores = directions @ self.reads.vectors(rows).T
            inside = slice(*np.searchsorted(named, [rows[0], rows[-1] + 1]).tolist())
            scores[by[inside], np.searchsorted(rows, named[inside])] += self.how.mention
            scores = self._effective(scores, rows)
            for place, of_one in zip(anchors.tolist(), scores, strict=True):
                picked = top_k(of_one, self.how.k_max).astype(np.intp)
                picked = picked[of_one[picked] > 0]
                found[place].append(Ranked(rows[picked], of_one[picked]))

    def _naming(self, anchors: NDArray[np.intp], some: Rows) -> tuple[Rows, NDArray[np.intp]]:
        """Return those of some rows that name one of anchors, ascending, and which each names."""
        lists = [self.mentions[place] for place in anchors.tolist()]
        rows = np.concatenate([np.empty(0, np.int64), *lists])
        which = np.repeat(np.arange(len(lists)), [len(one) for one in lists])
        among = np.zeros(len(self.own), np.bool_)
        among[some] = True
        rows, which = rows[among[rows]], which[among[rows]]
        order = np.argsort(rows, kind="stable")
        return rows[order], which[order]


def carried_over(
    old: Anchors | None,
    directions: Floats,
    keys: Sequence[int],
    mentions: Sequence[Rows],
    known: NDArray[np.int32],
    material: Material,
    basis: Basis,
    *,
    least: int,
) -> tuple[dict[int, Carried], NDArray[np.bool_]]:
    """
    Return postings of anchors under which nothing else can have risen, and a mask of new rows.

    Nothing is carried over from other settings or rows that weigh otherwise, to another meaning, or
    to an anchor that more of its rows name than last time.
    """
    every: NDArray[np.bool_] = np.ones(len(material), np.bool_)
    if old is None or old.basis is None:
        return {}, every
    then, built = old.basis, old.rows_built
    if (
        (then.settings, then.digest) != (basis.settings, material.digest(built))
        or then.now > basis.now  # a clock that was set back makes rows fresher
        or old.vectors.shape[1] != directions.shape[1]
    ):
        return {}, every
    fresh = every
    # What was hidden then lay under nothing, so it counts as new.
    fresh[:built] = ~then.shown
    # Likewise what another one stood for then, and does so no more.
    fresh[np.setdiff1d(old.aliases[:, 0], known[:, 0])] = True
    place_of = {int(key): place for place, key in enumerate(old.keys)}
    # One mask for all anchors: a new one for each would cost a pass over all rows.
    named = np.zeros(len(material), np.bool_)
    carried = {}
    for place in np.flatnonzero(directions.any(axis=1)).tolist():
        was = place_of.get(keys[place])
        if was is None or not np.array_equal(old.vectors[was], directions[place]):
            continue
        rows = old.rows[old.ends[was] : old.ends[was + 1]].astype(np.int64)
        if len(rows) < least:
            continue  # there may be more that others stood for
        before = old.mentions[old.mention_ends[was] : old.mention_ends[was + 1]]
        now = mentions[place][~fresh[mentions[place]]]
        named[before] = True
        if named[now].all():
            carried[place] = Carried(rows, float(old.scores[old.ends[was + 1] - 1]))
        named[before] = False
    return carried, fresh


def _ages(material: Material, now: int) -> Floats:
    return (np.maximum(0, now - material.occurred_at) / MICROS_PER_HOUR).astype(np.float32)


def _best(parts: Sequence[Ranked], most: int) -> Ranked:
    rows = np.concatenate([np.empty(0, np.int64), *(one.rows for one in parts)])
    scores = np.concatenate([np.empty(0, np.float32), *(one.scores for one in parts)])
    order = np.argsort(-scores, kind="stable")[:most]
    return Ranked(rows[order], scores[order])
