"""
Let memories fade by age and worth, before any is forgotten (HUMAN, section 5; HEMA, section 3.4).

How far is the bank's policy. What fades is shown shorter and kept whole; what lapses is hidden, as
by ``forget``. Only ``compact`` makes either final. What is pinned or held stays as it is.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.records import DEEPEST, Act
from hippocampus.sleep.appraisal import Appraisal
from hippocampus.sleep.forgetting_policies import (
    fade_by_levels,
    levels,
    prune,
    salience,
)
from hippocampus.sleep.importance import PROMOTED, PRUNED, tiers
from hippocampus.sleep.snapshot import SleepSnapshot

SHARES: Final = (1.0, 0.98, 0.5, 0.25, 0.12, 0.0)
"""Rough share of a memory's tokens that is shown at each level: measured on 300 turns each of
RealMem and LoCoMo (docs/adr/0069)."""
_LEAST: Final = "of least salience in its hundred turns"
_DAY_H: Final = 24.0
"""Hours of a day."""


def forget(snapshot: SleepSnapshot, value: Appraisal, *, most: int | None = None) -> list[Act]:
    """
    Return fading and lapsing memories, the least valuable first, up to the cap.

    ``most``: what is left of that, if something has lapsed tonight already.
    """
    policy, rows = snapshot.policy, value.rows
    if not policy.deepest or not len(rows):
        return []
    level = snapshot.level[rows]
    # What is in quarantine or suspect stays until somebody has looked, or time has cleared it.
    kept = snapshot.kept[rows] | ~snapshot.trusted[rows]
    due = level.copy()
    if policy.token_target is None:
        due = levels(value.age_h, np.clip(value.value, 0, 1), level, kept, deepest=policy.deepest)
        # Never less than the level there is: another policy may have let it go deeper.
        due = np.minimum(due, np.maximum(_deepest(snapshot, value), level))
    why = np.zeros(len(rows), np.int64)
    if policy.prune_share:
        gone = _pruned(snapshot, rows, kept)
        due[gone], why[gone] = DEEPEST + 1, 1
    if policy.token_target is not None:  # which takes the place of what age alone would do
        squeezed = _squeezed(snapshot, value, due, kept)
        why[squeezed > due] = 2
        due = np.maximum(due, squeezed)
    over = _over(snapshot, value)
    due[over], why[over] = DEEPEST + 1, 3
    # Last, so that no rule above moves what is kept.
    due[kept] = level[kept]
    changed = np.flatnonzero(due > level)
    # The cap may cut this off, so the least valuable come first.
    order = changed[np.argsort(value.value[changed], kind="stable")]
    most = int(policy.cap * len(rows)) if most is None else most
    return [
        _act(int(rows[place]), int(due[place]), _why(int(why[place]), value, place))
        for place in order[:most].tolist()
    ]


def _deepest(snapshot: SleepSnapshot, value: Appraisal) -> NDArray[np.int64]:
    """
    Return the deepest level to which each row may fade, by the tier that its age puts it in.

    What is promoted does not fade by age, and what is pruned does not wait for its time to be over
    (HUMAN, section 4).
    """
    policy = snapshot.policy
    age_h = value.age_h
    rank = tiers(value.importance, promote=policy.promote, prune=policy.prune)
    warm = (age_h < policy.warm_days * _DAY_H) & (rank != PRUNED)
    most = np.where(warm, policy.warm_level, min(policy.deepest, DEEPEST))
    # After the line above, for what is promoted or hot does not fade whatever its tier.
    most = np.where((rank == PROMOTED) | (age_h < policy.hot_hours), 0, most)
    return most.astype(np.int64)


def _over(snapshot: SleepSnapshot, value: Appraisal) -> NDArray[np.bool_]:
    """Return memories past their time in the last tier; promoted ones stay (HUMAN, section 3)."""
    policy = snapshot.policy
    if policy.long_days is None or policy.deepest <= DEEPEST:
        return np.zeros(len(value.rows), np.bool_)
    rank = tiers(value.importance, promote=policy.promote, prune=policy.prune)
    # What is hot never lapses, even if ``long_days`` is set shorter.
    old = value.age_h >= max(policy.long_days * _DAY_H, policy.hot_hours)
    over: NDArray[np.bool_] = old & (rank != PROMOTED)
    return over


def _pruned(
    snapshot: SleepSnapshot, rows: NDArray[np.int64], kept: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """
    Return memories that HEMA's salience lets go, for every hundred turns since the last sleep.

    What a sleep that did not come to its end has let go of them is gone already.
    """
    cut = [row for row, why in snapshot.cut_short.items() if why == _LEAST]
    rows = np.concatenate([rows, np.array(cut, np.int64)])
    kept = np.concatenate([kept, np.zeros(len(cut), np.bool_)])
    policy, every = snapshot.policy, snapshot.policy.prune_turns
    # Only full hundreds: the rest counts in the next sleep.
    turns = len(snapshot) // every * every - snapshot.seen("forget") // every * every
    ago = (len(snapshot) - 1 - rows).astype(np.float64)
    since = snapshot.recorded_at[max(0, len(snapshot) - every)]
    recalled = snapshot.used_at[rows] >= since
    weight = salience(
        ago, recalled, freshness=policy.freshness, fading=policy.turn_decay, bonus=policy.retrieved
    )
    # They are gone already, so they take their place in the share before all others.
    weight[len(weight) - len(cut) :] = -np.inf
    gone = prune(weight, kept, turns=turns, share=policy.prune_share, every=every)
    return gone[: len(gone) - len(cut)]


def _squeezed(
    snapshot: SleepSnapshot, value: Appraisal, level: NDArray[np.int64], kept: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return levels at which all tokens shown fit the target: what is worth least a token fades."""
    policy = snapshot.policy
    assert policy.token_target is not None, "the caller asked for a target"
    return fade_by_levels(
        value.value / np.maximum(value.tokens, 1),  # or a few long ones would crowd out many
        value.tokens,
        level,
        kept | (value.age_h < policy.hot_hours),
        target=policy.token_target,
        shares=SHARES,
        deepest=policy.deepest,
    )


def _act(row: int, level: int, why: str) -> Act:
    if level > DEEPEST:
        return Act("lapse", row, why)
    return Act("fade", row, why, level=level)


def _why(rule: int, value: Appraisal, place: int) -> str:
    days = value.age_h[place] / _DAY_H
    what = f"worth {value.value[place]:.2g} after {days:.0f} days"
    if value.interference[place] > 0:
        what += f", interference {value.interference[place]:.1f}"
    return (
        what,
        _LEAST,
        f"over the token target; {what}",
        f"its time in the long-term tier is over; {what}",
    )[rule]
