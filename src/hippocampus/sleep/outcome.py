"""
Outcomes of memories so far, and the chance that something comes of each.

What has been referred to has turned out to matter: the one signal of importance that nobody has to
guess (the *outcome* factor of HUMAN, Table 2). What will be is foreseen from how often and how
lately each group of rows was come back to, its activation; and a small model learns anew every
night what else those had in common that were referred to lately, from how they looked before. It
knows no kinds, names or words; what these tell is counted in the bank itself, so one mechanism
serves a tracker of bugs, reviews of code and a person's talk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.appraise import FORESIGHT, appraise
from hippocampus.core.arrays import Codes, Doubles
from hippocampus.core.logistic import fit_logistic, sigmoid
from hippocampus.sleep.importance import places

_LOOKS: Final = (1 / 16, 1 / 8, 1 / 4, 1 / 2)
"""Distances to look back, as shares of the time that is remembered: so a bank learns from its first
days on, and one of years from years (docs/adr/0070)."""
_FEWEST: Final = 50
"""Rows of either outcome without which nothing is learnt: the 27 signals would be fitted to chance,
and activation stands alone (docs/adr/0056). Set by hand."""
_PRIOR: Final = 10.0
"""Rows that what is usual counts for, beside those of a code itself: a kind that was seen twice
tells little. Set by hand."""
_RIDGE: Final = 300.0
"""Strength that draws weights to where they start, in groups: those of a group are referred to
together, so thousands of rows may be a handful of chances to learn from. 100 is better where much
is referred to by rows, 1 000 where groups are few (docs/adr/0070)."""
_FADING: Final = 0.8
"""Speed at which a use counts less, as a power of its age: d of ACT-R's base-level activation, ln Σ
t⁻ᵈ (J. R. Anderson and L. J. Schooler, Psychological Science 2, 1991), where 0.5 is usual. Between
0.5 and 0.8 next to nothing changes; below, it comes near to mere frequency (docs/adr/0056)."""
_ROW_FADING: Final = 0.5
"""The same of a row by itself, as ACT-R has it; not tuned apart."""
_NOWHERE: Final = 1e-6
"""Surroundings of a group that refers to nothing and that nothing refers to, as a share of the
usual: little, but with a logarithm."""
_LATELY_H: Final = 336.0
"""Half-life of what counts as going on lately: two weeks. Set by hand."""
_STEPS: Final = 12
"""Most steps of the fit, which goes over tens of thousands of rows every night; where it has not
settled by then, its ranks hold all the same. Set by hand."""
_CLOSE: Final = 1e-4
"""Longest step of a fit that has settled: only ranks are read off it, so it need not be as close as
other fits."""
_MOST: Final = 60_000
"""Rows that are learnt from, evenly apart: more take longer and change nothing."""

SIGNALS: Final = (
    "constant", "activation", "age", "group age", "group idle", "since used", "used", "times used",
    "group citations", "group citation rate", "group size", "group actors", "group lately",
    "place", "places to the end", "actor usually used", "kind usually used",
    "group's last kind usually used", "group's kinds usually used", "fame of who cites it",
    "fame of what it cites", "activation around", "linked", "own activation", "own uses",
    "uses of rows of its group", "rows of its group used", "refers",
)  # fmt: skip
"""Signals of a row's future, of itself and of its group; counts and hours as logarithms."""


class OutcomeUses(NamedTuple):
    """
    References between rows: one entry a reference, each array of shape (m,), int64.

    A reference is to a group of rows, such as an issue or a session, and then speaks of every
    earlier row of it; or to one row. The other of the two is -1.
    """

    by: Codes
    """The row that refers; for what came to be used otherwise, such as by recall, the row that came
    next, which is one past the last where none has."""
    group: Codes
    row: Codes

    def before(self, stop: int) -> OutcomeUses:
        """Return the references that the first ``stop`` rows make."""
        known = self.by < stop
        return OutcomeUses(*(part[known] for part in self))


class OutcomeHistory(NamedTuple):
    """
    History of rows, in the order in which they came; arrays of shape (n,).

    Codes are whole numbers from 0 on, equal for what is equal.
    """

    at_h: Doubles
    """When each came, in hours since any moment; never falls."""
    group: Codes
    """Its issue, session or document."""
    actor: Codes
    kind: Codes
    uses: OutcomeUses

    def before(self, stop: int) -> OutcomeHistory:
        """Return the history as it was once the first ``stop`` rows had come."""
        return OutcomeHistory(
            self.at_h[:stop], self.group[:stop], self.actor[:stop], self.kind[:stop],
            self.uses.before(stop),
        )  # fmt: skip


def find_uses(
    said: Iterable[tuple[int, str]],
    group: Codes,
    groups: Mapping[str, int],
    rows: Mapping[str, int],
) -> OutcomeUses:
    """
    Return references between memories, from names.

    A group's rows do not refer to their own group: that something goes on says nothing of it.

    Args:
        said: rows, and a name that each refers to; names of nothing known are passed over.
        group: of each row.
        groups: names of groups, such as sessions.
        rows: names of single rows, such as ids and addresses; where a group has the same name,
            that is meant.

    """
    found: list[tuple[int, int, int]] = []
    for by, name in said:
        named, row = groups.get(name, -1), rows.get(name, -1)
        if named >= 0:
            if named != group[by]:
                found.append((by, named, -1))
        elif row >= 0:
            found.append((by, -1, row))
    return OutcomeUses(*np.array(found, np.int64).reshape(-1, 3).T)


def times_used(group: Codes, uses: OutcomeUses) -> tuple[Codes, Codes]:
    """
    Return the number of references to each row by later rows, and the last of those rows, or -1.

    It takes one sort of the references, and a binary search a row.
    """
    n = len(group)
    span, rows = n + 1, np.arange(n)
    of_group = uses.group >= 0
    # One number for group and row, so that later references to a group are one slice.
    keys = np.sort(uses.group[of_group] * span + uses.by[of_group])
    first = np.searchsorted(keys, group * span + rows, "right")
    stop = np.searchsorted(keys, (group + 1) * span, "left")
    count = (stop - first).astype(np.int64)
    last = np.full(n, -1, np.int64)
    there = count > 0
    last[there] = keys[stop[there] - 1] - group[there] * span
    single = (uses.row >= 0) & (uses.by > uses.row)
    np.add.at(count, uses.row[single], 1)
    np.maximum.at(last, uses.row[single], uses.by[single])
    return count, last


def foresee(history: OutcomeHistory, now_h: float) -> Doubles:
    """
    Return the probability that each row is referred to from now on, in (0, 1).

    Learnt by looking back: as things stood a sixteenth, an eighth, a quarter and half of the time
    ago, what told who has been referred to since? What is learnt corrects activation, from which it
    starts, and which stands alone until there is enough to learn from.
    """
    _, last = times_used(history.group, history.uses)
    now = features(history, now_h)
    looks = []
    for share in _LOOKS if len(now) else ():
        then_h = now_h - share * (now_h - float(history.at_h[0]))
        known = int(np.searchsorted(history.at_h, then_h, "right"))
        if known:
            past = history.before(known)
            looks.append((features(past, then_h), last[:known] >= known, _apart(past.group)))
    came = np.concatenate([np.zeros(0, np.bool_), *(label for _, label, _ in looks)])
    if min(came.sum(), len(came) - came.sum()) < _FEWEST:
        return _resting(now[:, 0])
    past_rows = np.concatenate([rows for rows, _, _ in looks])
    counts = np.concatenate([count for _, _, count in looks])
    # Rows that stay count for those left out, so that the ridge weighs as much as before.
    thin = -(-len(past_rows) // _MOST)
    past_rows, came, counts = past_rows[::thin], came[::thin], counts[::thin] * thin
    # A signal that is always the same has no spread to divide by.
    centre, scale = past_rows.mean(axis=0), past_rows.std(axis=0) + 1e-9

    def signals(rows: Doubles) -> Doubles:
        return np.concatenate([np.ones((len(rows), 1)), (rows - centre) / scale], axis=1)

    start, ridge = np.zeros(len(SIGNALS)), np.full(len(SIGNALS), _RIDGE)
    # From activation alone; the constant is free, or rare uses would be drawn to even odds.
    start[1], ridge[0] = 1.0, 0.0
    weights = fit_logistic(
        signals(past_rows), came.astype(np.float64), counts, start, ridge,
        guarded=True, steps=_STEPS, settled=_CLOSE,
    )  # fmt: skip
    # Beyond the range that was seen the line means nothing: there, its end counts.
    seen = np.clip(now, past_rows.min(axis=0), past_rows.max(axis=0))
    columns = dict(zip(SIGNALS, signals(seen).T, strict=True))
    return appraise(columns, FORESIGHT, dict(zip(SIGNALS, weights.tolist(), strict=True)))


def _apart(group: Codes) -> Doubles:
    """Return the weight of each row, so that a group counts as one."""
    return 1.0 / np.bincount(group)[group]


def _resting(activation: Doubles) -> Doubles:
    """Return activation alone as a chance, in its order."""
    chance: Doubles = sigmoid(activation)
    return chance


class _Groups(NamedTuple):
    """Statistics of groups as of a moment; each array of shape (groups,)."""

    size: Codes
    newest: Codes
    oldest: Codes
    actors: Codes
    cited: Codes
    """The group that each reference speaks of,"""
    by: Codes
    """and the row that makes it, of which the last known stands for later ones."""


def _groups(history: OutcomeHistory) -> _Groups:
    group, uses = history.group, history.uses
    n = len(group)
    every, who = int(group.max()) + 1, int(history.actor.max()) + 1
    newest, oldest = np.zeros(every, np.int64), np.full(every, n - 1, np.int64)
    np.maximum.at(newest, group, np.arange(n))
    np.minimum.at(oldest, group, np.arange(n))
    meant = (uses.group >= 0) & (uses.group < every)
    return _Groups(
        size=np.bincount(group, minlength=every),
        newest=newest,
        oldest=oldest,
        actors=np.bincount(np.unique(group * who + history.actor) // who, minlength=every),
        cited=uses.group[meant],
        by=np.minimum(uses.by[meant], n - 1),
    )


def activation(history: OutcomeHistory, now_h: float) -> Doubles:
    """
    Return the activation of each row, ln Σ t⁻ᵈ over the times of its uses, shape (n,).

    Those are when its group began, went on and was referred to, and when the row itself was.
    Hours below one count as one. How often and how lately it was come back to are one number.
    """
    if not len(history.at_h):
        return np.zeros(0)
    of_group = _present_groups(history, _groups(history), now_h)
    used, _ = _used_rows(history, _since(history, now_h) ** -_FADING)
    present: Doubles = np.log(of_group[history.group] + used)
    return present


def _since(history: OutcomeHistory, now_h: float) -> Doubles:
    """Return hours since each row came, at least one."""
    return np.maximum(now_h - history.at_h, 1.0)


def _present_groups(history: OutcomeHistory, groups: _Groups, now_h: float) -> Doubles:
    """Return Σ t⁻ᵈ of each group: when it began, went on and was referred to."""
    weight = _since(history, now_h) ** -_FADING
    there = weight[groups.oldest] * (groups.size > 0)
    there += np.bincount(history.group, weight, len(groups.size))
    there += np.bincount(groups.cited, weight[groups.by], len(groups.size))
    return there


def _used_rows(history: OutcomeHistory, weight: Doubles) -> tuple[Doubles, Doubles]:
    """Return the weights of what refers to each row itself, added up, and how many they are."""
    n = len(history.at_h)
    single = (history.uses.row >= 0) & (history.uses.row < n)
    row, by = history.uses.row[single], np.minimum(history.uses.by[single], n - 1)
    present, count = np.bincount(row, weight[by], n), np.bincount(row, minlength=n)
    return present.astype(np.float64), count.astype(np.float64)


def _around(groups: _Groups, citing: Codes, present: Doubles) -> tuple[Doubles, Doubles]:
    """
    Return the logarithm of the activation linked to each group, and a mask of linked groups.

    A group is linked to what it refers to and to what refers to it, and shares itself out among
    these; two steps reach what is referred to together with it, as parts of one project are.
    """
    every = len(groups.size)
    links = np.bincount(groups.cited, minlength=every) + np.bincount(citing, minlength=every)
    found, spread = np.zeros(every), present
    for _ in range(2):
        share = spread / np.maximum(links, 1)
        cited = np.bincount(groups.cited, share[citing], every)
        spread = (cited + np.bincount(citing, share[groups.cited], every)).astype(np.float64)
        found += spread
    usual = float(present.sum()) / max(1, int((groups.size > 0).sum()))
    return np.log(found + _NOWHERE * usual), (links > 0).astype(np.float64)


def _of_rows(history: OutcomeHistory, now_h: float) -> tuple[Doubles, ...]:
    """Return the features of rows by themselves, which groups do not tell."""
    n, group = len(history.at_h), history.group
    weight = _since(history, now_h) ** -_ROW_FADING
    present, count = _used_rows(history, weight)
    of_group = np.bincount(group, count)
    return (
        np.log(weight + present),
        np.log1p(count),
        np.log1p(of_group)[group],
        np.log1p(of_group / np.maximum(np.bincount(group), 1))[group],
        np.log1p(np.bincount(np.minimum(history.uses.by, n - 1), minlength=n)),
    )


def features(history: OutcomeHistory, now_h: float) -> Doubles:
    """Return ``SIGNALS`` but for the constant, as of now, shape (n, 27)."""
    at, group = history.at_h, history.group
    n = len(at)
    if not n:
        return np.zeros((0, len(SIGNALS) - 1))
    count, last = times_used(group, history.uses)
    used, groups = count > 0, _groups(history)
    every = len(groups.size)
    citations = np.bincount(groups.cited, minlength=every).astype(np.float64)
    age = np.maximum(now_h - at, 0.0)
    since = np.where(used, np.maximum(now_h - at[np.minimum(last, n - 1)], 0.0), age)
    opened = age[groups.oldest]
    place = places(group)
    kinds = _usual(history.kind, used)
    fame, citing = np.log1p(citations), group[groups.by]
    of_groups = (
        np.log1p(opened),
        np.log1p(age[groups.newest]),
        fame,
        np.log1p(citations / (1.0 + opened)),
        np.log1p(groups.size),
        np.log1p(groups.actors),
        np.log1p(np.bincount(group, np.exp2(-age / _LATELY_H), every)),
        # How the group stands now.
        _usual(history.kind[groups.newest], used[groups.newest], of=groups.size),
        np.bincount(group, kinds, every) / np.maximum(groups.size, 1.0),
        np.log1p(np.bincount(groups.cited, fame[citing], every)),
        np.log1p(np.bincount(citing, fame[groups.cited], every)),
        *_around(groups, citing, _present_groups(history, groups, now_h)),
    )
    began, idle, cited, rate, size, actors, lately, stands, mixed, *linked = (
        one[group] for one in of_groups
    )
    known = (
        activation(history, now_h), np.log1p(age), began, idle, np.log1p(since),
        used.astype(np.float64), np.log1p(count), cited, rate, size, actors, lately,
        np.log1p(place), np.log1p(groups.size[group] - 1 - place),
        _usual(history.actor, used), kinds, stands, mixed, *linked,
        *_of_rows(history, now_h),
    )  # fmt: skip
    return np.stack(known, axis=1)


def _usual(codes: Codes, used: NDArray[np.bool_], *, of: Codes | None = None) -> Doubles:
    """Return the log odds that rows of a code were used, drawn to what is usual for all."""
    there = np.ones(len(codes)) if of is None else (of > 0).astype(np.float64)
    total = np.bincount(codes, there)
    hits = np.bincount(codes, there * used)
    # One more of each, so that the odds are finite where all or none were used.
    base = (hits.sum() + 1) / (total.sum() + 2)
    share = (hits + _PRIOR * base) / (total + _PRIOR)
    odds: Doubles = np.log(share / (1 - share))
    return odds[codes]
