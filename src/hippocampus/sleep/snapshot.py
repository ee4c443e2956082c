"""Snapshot for a step of sleep: a bank as of one moment, in columns, and its history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats, Rows
from hippocampus.core.config import Policy
from hippocampus.core.events import (
    Annotated,
    FeedbackGiven,
    InvertibleEvent,
    Lapsed,
    Merged,
    PolicySet,
    Quarantined,
    RecallsNoted,
    Record,
    Released,
    Restored,
    SleepBegan,
    SleepEnded,
    SleepEvent,
    TextsShortened,
    Unpinned,
    Unquarantined,
)
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import DOUBTED, HELD, PINNED, SUSPECT, Act, EpisodeRow, State
from hippocampus.errors import InputError, StoreCorrupt
from hippocampus.index.cue import Mask
from hippocampus.journal.ledger import Ledger
from hippocampus.sleep.material import Material

DOUBTS: Final = (Quarantined, Unquarantined)
"""The events of quarantine."""
_AS_NEW: Final = (Unquarantined, Restored, Released, Unpinned)
"""The events after which an episode is to be gone over that was hidden, or kept as it is, when it
was its turn."""

Micros: TypeAlias = NDArray[np.int64]


class RecallShown(NamedTuple):
    """Rows that one recall has shown, and when."""

    at: int
    rows: tuple[int, ...]


class Covered(NamedTuple):
    """Rows that a step has gone over: the first, but those that were as good as not there."""

    rows: int = 0
    but: frozenset[int] = frozenset()


@immutable(eq=False)
class SleepSnapshot:
    """
    A bank of n rows as a sleep finds it; ``zone``: in which a day is meant.

    ``records``: every row's; ``material``: what concepts are made of, see there. ``uses``: how
    often each was recalled, ``used_at`` when it last was or helped, 0 for never; ``outcome``: how
    often it helped less how often it did not; each of shape (n,). ``shown``: the recalls, in order
    of time. ``slept``: what each step has gone over in earlier sleeps under this policy.
    """

    now: int
    zone: tzinfo
    policy: Policy
    records: Sequence[EpisodeRow]
    material: Material
    uses: NDArray[np.int64]
    used_at: Micros
    outcome: Floats
    shown: tuple[RecallShown, ...]
    slept: Mapping[str, Covered]
    apart: frozenset[int]
    """Rows that were merged, or stood for others, until somebody told them apart again."""
    doubts: Doubts
    annotated: frozenset[tuple[int, str]]
    """Rows, each with the id of what was ever noted with it; undoing that does not ask for more."""
    cut_short: Mapping[int, str]
    """Rows that lapsed in sleeps since the last that came to its end, each with why."""
    vectors: Callable[[Rows], Floats] | None
    texts: Callable[[Collection[int]], Mapping[int, str]]
    tokens: Callable[[Collection[int]], Mapping[int, int]]
    """Reader of the number of tokens in the texts of rows."""

    def __len__(self) -> int:
        return len(self.records)

    def seen(self, step: str) -> int:
        """Return the number of rows, the first ones, that a step has seen in earlier sleeps."""
        return self.slept.get(step, Covered()).rows

    def fresh(self, step: str) -> Mask:
        """Return a mask of the rows that a step has not gone over yet."""
        covered = self.slept.get(step, Covered())
        fresh: Mask = np.arange(len(self)) >= covered.rows
        fresh[[row for row in covered.but if row < len(self)]] = True
        return fresh

    @property
    def marks(self) -> NDArray[np.int64]:
        """The marks of every row."""
        return np.fromiter((e.marks for e in self.records), np.int64, len(self))

    @property
    def level(self) -> NDArray[np.int64]:
        """Return the level to which every row has faded."""
        return np.fromiter((e.level for e in self.records), np.int64, len(self))

    @property
    def recorded_at(self) -> Micros:
        """When every row was noted."""
        return np.fromiter((e.recorded_at for e in self.records), np.int64, len(self))

    @property
    def kept(self) -> Mask:
        """Mask of rows that never fade."""
        return (self.marks & (PINNED | HELD)) > 0

    @property
    def trusted(self) -> Mask:
        """Mask of rows that are in force, not in quarantine, and not suspect."""
        trusted: Mask = self.material.shown & ((self.marks & (DOUBTED | SUSPECT)) == 0)
        return trusted

    def after(self, acts: Sequence[Act]) -> SleepSnapshot:
        """Return the bank as it is once this is done, for a dry run's next step."""
        records, shown = list(self.records), self.material.shown.copy()
        since, cleared = dict(self.doubts.since), set[int]()
        for act in acts:
            e = records[act.row]
            match act.kind:
                case "merge" | "lapse":
                    shown[act.row] = False
                    state: State = "superseded" if act.kind == "merge" else "forgotten"
                    e = e._replace(state=state, superseded_by=act.by)
                case "fade":
                    e = e._replace(level=act.level or 0)
                case "doubt":
                    e, since[act.row] = e._replace(marks=e.marks | DOUBTED), self.now
                case "clear":
                    e = e._replace(marks=e.marks & ~DOUBTED)
                    since.pop(act.row, None)
                    cleared.add(act.row)
            records[act.row] = e
        return replace(
            self,
            records=records,
            material=replace(self.material, shown=shown),
            doubts=Doubts(since, self.doubts.ever | set(since)),
            slept={
                # What leaves quarantine now was passed over when it was its turn.
                step: covered._replace(but=covered.but | cleared)
                for step, covered in self.slept.items()
            },
        )


class RecallUses(NamedTuple):
    """Uses of memories after they were remembered, see ``SleepSnapshot``."""

    uses: NDArray[np.int64]
    used_at: Micros
    outcome: Floats
    shown: tuple[RecallShown, ...]


def read_uses(ledger: Ledger, count: int, recalled: Sequence[Sequence[int]] = ()) -> RecallUses:
    """
    Return the recalls and outcomes in the journal, of the first ``count`` rows.

    What ``compact`` has shortened was recalled as often as what it was. ``recalled``: what the
    journal does not tell yet.
    """
    uses, used_at = np.zeros(count, np.int64), np.zeros(count, np.int64)
    outcome = np.zeros(count, np.float32)
    shown: list[RecallShown] = []
    recalls = list(recalled)
    shortened: list[tuple[int, int]] = []
    for _, now, row, event in ledger.reader.events(RecallsNoted, FeedbackGiven, TextsShortened):
        match event:
            case RecallsNoted():
                recalls += event.shown
            case TextsShortened():
                shortened += event.rows
            case FeedbackGiven(helpful=bool(helpful)) if row is not None and row < count:
                outcome[row] += 1 if helpful else -1
                # Only help is a use: a bad word must not make a memory fresh again.
                if helpful:
                    used_at[row] = max(used_at[row], now if event.at is None else event.at)
    for at, *rows in recalls:
        there = [row for row in rows if 0 <= row < count]
        shown.append(RecallShown(at, tuple(there)))
        uses[there] += 1
        used_at[there] = np.maximum(used_at[there], at)
    # In the order of the journal, so that uses are passed on through several shortenings.
    for old, new in shortened:
        if max(old, new) < count:
            uses[new] += uses[old]
            used_at[new] = max(used_at[new], used_at[old])
    # Recalls are noted late, by the next writer, so the journal's order is not that of time.
    shown.sort(key=lambda one: one.at)
    return RecallUses(uses, used_at, outcome, tuple(shown))


def find_uses(ledger: Ledger, row: int, recalled: Sequence[Sequence[int]] = ()) -> list[int]:
    """
    Return when a memory was of use, in microseconds and in order: recalled, or found helpful.

    ``recalled``: what the journal does not tell yet.
    """
    rows = {row}
    # Backwards, so that a row leads through several shortenings to its first wording.
    for shortened in reversed(ledger.reader.events(TextsShortened)):
        # Its recalls are those of what it was before.
        rows |= {old for old, new in shortened.event.rows if new in rows}
    shown = [one for noted in ledger.reader.events(RecallsNoted) for one in noted.event.shown]
    uses = [at for at, *of in (*shown, *recalled) if not rows.isdisjoint(of)]
    helped = [told for told in ledger.reader.events(FeedbackGiven, row=row) if told.event.helpful]
    uses += [told.at if told.event.at is None else told.event.at for told in helped]
    return sorted(uses)


def last_sleep(ledger: Ledger) -> int:
    """Return the number of the last sleep that a bank has had or begun; 0 before the first."""
    begun = ledger.store.journal.read(ledger.bank, kinds=(SleepBegan,))
    told = [change.event.sleep for change in ledger.reader.events(SleepBegan)]
    told += [change.event.sleep for change in ledger.reader.events(SleepEnded)]
    # Of a bank that was salvaged some may be missing, and some of another be damaged.
    return max([len(begun), *told])


def read_covered(ledger: Ledger, policy: Policy) -> dict[str, Covered]:
    """Return the rows that each step has gone over; under another policy, none."""
    own, begun = policy.to_stored(), dict[int, int]()
    rows: Counter[str] = Counter()
    last: dict[str, tuple[int, int]] = {}
    for change in ledger.reader.events(SleepBegan, SleepEnded):
        told = change.event
        if isinstance(told, SleepBegan):
            begun[told.sleep] = change.seq
        elif isinstance(told, SleepEnded) and told.policy == own:
            # What does not say ``over`` is of a version that passed over what was shown again.
            sleep = 0 if told.over is None else told.sleep
            for step in told.steps if told.over is None else told.over:
                # Of two sleeps at once, the one that ends last may have begun with fewer rows.
                rows[step] = max(rows[step], told.rows)
                last[step] = max(last.get(step, (0, 0)), (begun.get(sleep, 0), sleep))
    but: dict[str, set[int]] = {step: set() for step in last}
    # What happened before was known to the last sleep of every step.
    after = min((since for since, _ in last.values()), default=0)
    for change in ledger.reader.events(*_AS_NEW, after=after) if last else ():
        by = change.event.sleep if isinstance(change.event, SleepEvent) else None
        for step, (since, sleep) in last.items():
            # What a sleep itself has let go of, it has gone over.
            if change.row is not None and change.seq > since and by != sleep:
                but[step].add(change.row)
    return {step: Covered(rows[step], frozenset(but[step])) for step in last}


def read_apart(ledger: Ledger) -> frozenset[int]:
    """Return merges that ``undo`` or ``restore`` took back: each row, and its stand-in then."""
    back = {c.row for c in ledger.store.journal.read(ledger.bank, kinds=(Restored,))}
    # Most banks never took a merge back, and need not read all their merges.
    if not back:
        return frozenset()
    stand: dict[int, str] = {}
    apart: set[int] = set()
    names: set[str] = set()
    for _, _, row, event in ledger.reader.events(Merged, Restored):
        if row is None or row not in back:
            continue
        if isinstance(event, Merged):
            stand[row] = event.by or ""
        elif isinstance(event, Restored) and row in stand:
            name = stand.pop(row)
            # And not for want of what stood for it.
            if event == Restored() or event.undoes is not None:
                apart.add(row)
                names.add(name)
    return frozenset(apart | set(ledger.store.episodes.rows_of(ledger.bank, names).values()))


class Doubts(NamedTuple):
    """When each row in quarantine was put there, and which ever were."""

    since: Mapping[int, int]
    ever: frozenset[int]


def read_doubts(ledger: Ledger) -> Doubts:
    """Return the quarantine as the journal tells it."""
    return doubts_of(ledger.reader.events(*DOUBTS))


def doubts_of(changes: Iterable[Record[InvertibleEvent]]) -> Doubts:
    """Return the quarantine after its events, in order."""
    since: dict[int, int] = {}
    ever: set[int] = set()
    for change in changes:
        if change.row is None:
            continue
        if isinstance(change.event, Quarantined):
            since[change.row] = change.at
            ever.add(change.row)
        else:
            since.pop(change.row, None)
    return Doubts(since, frozenset(ever))


def read_annotated(ledger: Ledger) -> frozenset[tuple[int, str]]:
    """Return rows, each with the id of what sleep has ever noted with it."""
    told = ((change.row, change.event.by) for change in ledger.reader.events(Annotated))
    return frozenset((row, by) for row, by in told if row is not None and by is not None)


def read_cut_short(ledger: Ledger) -> dict[int, str]:
    """Return rows lapsed in sleeps that were killed, or go on, since one came to its end."""
    ended = ledger.store.journal.read(ledger.bank, kinds=(SleepEnded,))
    after = ended[-1].seq if ended else 0
    lapsed: dict[int, str] = {}
    for _, _, row, event in ledger.reader.events(Lapsed, Restored, after=after):
        if row is not None and isinstance(event, Lapsed):
            lapsed[row] = event.why or ""
        elif row is not None:
            lapsed.pop(row, None)
    return lapsed


def read_policy(ledger: Ledger, default: Policy) -> Policy:
    """Return the policy of a bank: its own, or else the default."""
    own = ledger.reader.events(PolicySet)
    told = own[-1].event.policy if own else None
    try:
        return default if told is None else Policy.from_stored(told)
    except (TypeError, InputError) as exc:
        msg = f"bank {ledger.name!r} has a policy that this version does not know ({exc}); set one"
        raise StoreCorrupt(msg, path=ledger.store.path) from exc


def read_snapshot(
    ledger: Ledger,
    material: Material,
    *,
    policy: Policy,
    now: int,
    zone: tzinfo,
    vectors: Callable[[Rows], Floats] | None,
    recalled: Sequence[Sequence[int]] = (),
) -> SleepSnapshot:
    """Return a bank as of the moment of its material."""
    # In one transaction, so that episodes and journal are of the same moment.
    with ledger.store.read():
        # The material was gathered before: of rows that came since it knows nothing.
        records = list(ledger.store.episodes.scan(ledger.bank))[: len(material)]
        told = read_uses(ledger, len(records), recalled)
        doubts = read_doubts(ledger)
        annotated = read_annotated(ledger)
        cut_short = read_cut_short(ledger)
        apart = read_apart(ledger)
        slept = read_covered(ledger, policy)
    return SleepSnapshot(
        now=now,
        zone=zone,
        policy=policy,
        records=records,
        material=material,
        uses=told.uses,
        used_at=told.used_at,
        outcome=told.outcome,
        shown=told.shown,
        slept=slept,
        apart=apart,
        doubts=doubts,
        annotated=annotated,
        cut_short=cut_short,
        vectors=vectors,
        texts=ledger.reader.texts,
        tokens=ledger.reader.tokens,
    )
