"""
Forgetting rules of the papers, as functions of arrays: who stays, who fades and how far.

Each looks at numbers about rows and says something about the same rows, so a night may take any of
them, in any order, for any bank. None fades what is pinned. Those that have to choose among equals
let the earlier row go.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, NamedTuple

import numpy as np
from msgspec import Meta

from hippocampus.core.appraise import SALIENCE, appraise
from hippocampus.core.arrays import Codes, Doubles, Flags
from hippocampus.core.constraints import check
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.sleep.importance import DECAY_PER_HOUR
from hippocampus.sleep.outcome import OutcomeHistory, foresee, times_used

RETROACTIVE: Final = 0.6
"""Weight of the interference by later memories (HUMAN, section 5): what is learnt anew disturbs old
memories more than the other way."""
PROACTIVE: Final = 0.4
"""Weight of the interference by earlier ones (likewise)."""
FRESHNESS: Final = SALIENCE.weights["recency"]
"""Called λ in HEMA, section 3.4, 1 by default."""
FADING: Final = 0.002
"""Called γ there, per turn: after 500 turns a third is left."""
RECALLED: Final = SALIENCE.weights["recalled"]
"""Called β there."""
PRUNED_SHARE: Final = 0.005
"""Share of the least salient that goes (HEMA, section 3.4)."""
PRUNED_EVERY: Final = 100
"""Turns after which it does (HEMA, section 3.4)."""
LEVEL_H: Final = (30 * 24.0, 60 * 24.0, 120 * 24.0, 240 * 24.0, 480 * 24.0)
"""Hours at which a worthless memory reaches L1 to L5; one worth s, after 1/(1-s) of them. HUMAN,
section 5, has the levels and no times: a month doubled at each is set by hand."""

# Sums of tokens times shares differ by less than this through rounding alone.
_SAME: Final = 1e-9


def decay(importance: Doubles, age_h: Doubles, *, rate: float = DECAY_PER_HOUR) -> Doubles:
    """Return decayed importance, I₀e^(−λt) (HUMAN, eq. 2)."""
    left: Doubles = importance * np.exp(-rate * np.maximum(age_h, 0.0))
    return left


def interfere(
    neighbours: Codes,
    cosines: Doubles,
    order: Doubles,
    *,
    least: float = 0.0,
    retroactive: float = RETROACTIVE,
    proactive: float = PROACTIVE,
) -> Doubles:
    """
    Return the interference with each memory, Σ w·sim (HUMAN, eq. 3), by its neighbours alone.

    Args:
        neighbours: the rows nearest to each, shape (n, k); -1 where there are fewer.
        cosines: of them, shape (n, k).
        order: when each row was said, on any scale; of two at once neither came later.
        least: the cosine from which on two may be taken for each other; ``Cosines.interference``.
        retroactive: weight of those that came later.
        proactive: weight of those that came earlier.

    """
    there = (neighbours >= 0) & (cosines >= least)
    # Row 0 stands in for missing neighbours, whose weight is 0 below.
    theirs = order[np.where(there, neighbours, 0)] if len(order) else np.zeros(neighbours.shape)
    weights = np.where(theirs > order[:, None], retroactive, proactive)
    total: Doubles = np.where(there, weights * cosines, 0.0).sum(axis=1)
    return total


def salience(
    turns_ago: Doubles,
    recalled: Flags,
    *,
    freshness: float = FRESHNESS,
    fading: float = FADING,
    bonus: float = RECALLED,
) -> Doubles:
    """
    Return HEMA's weight, w = λe^(−γ(t−i)) + βδ (section 3.4).

    ``recalled``: whether it was within the last 100 turns. The paper writes β(1−δ), which would
    reward what was not, against its own legend; this follows the legend.
    """
    signals = {"recency": np.exp(-fading * turns_ago), "recalled": recalled}
    return appraise(signals, SALIENCE, {"recency": freshness, "recalled": bonus})


def prune(
    salience: Doubles,
    pinned: Flags,
    *,
    turns: int,
    share: float = PRUNED_SHARE,
    every: int = PRUNED_EVERY,
) -> Flags:
    """
    Return the rows pruned after so many turns: every 100, the least salient 0.5 % of the rest.

    Turns that do not fill a hundred are not counted; whoever asks again begins from there.
    """
    # Each hundred takes its share of what the one before has left.
    left = (1 - share) ** (turns // every)
    # A hair more, for binary fractions may leave a whole number just below itself.
    return _lowest(salience, pinned, int((1 - left) * len(salience) + 1e-9))


def fade_by_levels(
    worth: Doubles,
    tokens: Doubles,
    level: Codes,
    pinned: Flags,
    *,
    target: float,
    shares: tuple[float, ...],
    deepest: int,
) -> Codes:
    """
    Return levels at which all tokens shown fit the target, where ``deepest`` lets them.

    Down one level after another (HUMAN, section 5): nothing is halved while something else still
    has its ornament, and nothing is gone while something else could be shorter. On each level what
    is worth least goes first, until it fits. Nothing comes back up.

    Args:
        worth: what each token of a row is worth by now, the stalest least; shape (n,).
        tokens: of each row in full, from 0 on, shape (n,).
        level: at which level each is.
        pinned: who stays at it.
        target: tokens that may be shown of all together.
        shares: of its tokens that are shown of a row at each level; never rising.
        deepest: the last level anybody may reach.

    """
    left = np.asarray(shares)
    order = np.argsort(worth, kind="stable")
    order = order[~pinned[order]]
    found = level.copy()
    over = float((tokens * left[level]).sum()) - target
    for deeper in range(1, deepest + 1):
        if over <= _SAME:
            break
        # What is deeper already saves nothing here.
        saves = (tokens * np.maximum(left[found] - left[deeper], 0.0))[order]
        # One more than stays above the target: the one that crosses it must fade, too.
        some = order[: int(np.searchsorted(np.cumsum(saves), over - _SAME)) + 1]
        some = some[found[some] < deeper]
        over -= float((tokens[some] * (left[found[some]] - left[deeper])).sum())
        found[some] = deeper
    return found


def levels(
    age_h: Doubles,
    score: Doubles,
    level: Codes,
    pinned: Flags,
    *,
    steps_h: tuple[float, ...] = LEVEL_H,
    deepest: int = len(LEVEL_H),
) -> Codes:
    """
    Return the level to which each row has faded, L0 to L5, by its age and what it is worth.

    Age counts less the more a row is worth: not at all for a score of 1. Nothing comes back up.

    Args:
        age_h: hours since each was said, or since it was last of use.
        score: what each is worth, in [0, 1].
        level: at which level each is.
        pinned: who stays at it.
        steps_h: ages at which what is worth nothing reaches each level; ascending.
        deepest: the last level anybody may reach.

    """
    counted = np.maximum(age_h, 0.0) * (1 - np.clip(score, 0.0, 1.0))
    due = np.minimum(np.searchsorted(np.asarray(steps_h), counted, "right"), deepest)
    return np.where(pinned, level, np.maximum(level, due)).astype(np.int64)


def _lowest(value: Doubles, pinned: Flags, count: int) -> Flags:
    order = np.argsort(value, kind="stable")
    gone = np.zeros(len(value), np.bool_)
    gone[order[~pinned[order]][: max(0, count)]] = True
    return gone


# ---------------------------------------------------------------- by what came of it


class Chosen(NamedTuple):
    """Choice of a night: who fades, and what each row is worth."""

    fades: Flags
    value: Doubles
    """The chance of (further) use; under ``proven``, above 1 for memories that were of use."""


@immutable
class Retention:
    """
    Keeps the likeliest to be of use, or what has been and of the rest the likeliest, in a target.

    By what is ``proven``, what has been referred to since it was said stays, the likeliest to be
    again first; what has not may use the room that leaves. Where there is none, a small share is
    theirs all the same: else a full bank would learn nothing new any more.
    """

    target: Annotated[float, Meta(ge=0.0, le=1e15)]
    """Most that kept rows may cost together, in the unit of the costs: episodes or tokens."""
    by: Literal["foreseen", "proven"] = "proven"
    probationary_share: Annotated[float, Meta(ge=0.0, lt=1.0)] = 0.1
    """Share of the kept for memories without any use yet, where those of use would fill it all. The
    less, the surer it is that the kept ones were of use, and the fewer new ones are there."""

    def __post_init__(self) -> None:
        check(self)

    def choose(
        self,
        history: OutcomeHistory,
        there: Flags,
        pinned: Flags,
        cost: Doubles,
        *,
        now_h: float,
        evict_probationary: bool = False,
    ) -> Chosen:
        """
        Return the rows that fade tonight. Pure: the same history gives the same choice.

        Args:
            history: all rows so far, also those that are gone.
            there: who is still there, shape (n,).
            pinned: who stays in any case, shape (n,).
            cost: what each row costs, shape (n,).
            now_h: the present moment, on the history's scale.
            evict_probationary: close the books, at the end of a season: whoever is on probation
                beyond its share goes, although there is room; unless nothing was of use at all.

        """
        count, _ = times_used(history.group, history.uses)
        used = count > 0
        ahead = foresee(history, now_h)
        # A chance is below 1, so every row that was of use is above all that were not.
        value = ahead if self.by == "foreseen" else used + ahead
        held = there & pinned
        # What is pinned cannot go, so it uses room that others would have.
        room = self.target - float(cost[held].sum())
        proven = there & used & ~pinned
        fades = there & ~pinned
        closing = evict_probationary and self.by == "proven"
        if not closing and float(cost[fades].sum()) <= room:
            return Chosen(np.zeros(len(there), np.bool_), value)
        if self.by == "foreseen":
            return Chosen(fades & ~self._best(value, cost, fades, room), value)
        kept = self._best(value, cost, proven, (1 - self.probationary_share) * room)
        spent = float(cost[kept].sum())
        most = room - spent
        if closing and spent:  # where nothing was ever of use, that says nothing against anybody
            # Of what stays in the end, not of the target, which may be far from full.
            most = min(most, self.probationary_share / (1 - self.probationary_share) * spent)
        kept |= self._best(value, cost, fades & ~used, most)
        return Chosen(fades & ~kept, value)

    @staticmethod
    def _best(value: Doubles, cost: Doubles, among: Flags, room: float) -> Flags:
        """Return the most valuable of some rows that fit."""
        rows = np.flatnonzero(among)
        # Reversed after a stable sort, so that of equals the later row stays.
        order = rows[np.argsort(value[rows], kind="stable")[::-1]]
        kept = np.zeros(len(value), np.bool_)
        kept[order[: int(np.searchsorted(np.cumsum(cost[order]), room + 1e-9, "right"))]] = True
        return kept
