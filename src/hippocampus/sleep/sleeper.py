"""
One sleep of a bank: its steps in order, each shown, done and noted (HUMAN, section 4).

Steps that change episodes are functions from a snapshot to acts, done here or, in a dry run,
only told. Steps that make something of what there is make it anew, and drop what was made before.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from hippocampus.core.budget import check_budget
from hippocampus.core.clock import from_micros
from hippocampus.core.events import Faded, JournalEvent, SleepBegan, SleepEnded, SleepEvent
from hippocampus.core.overtaken import write_again
from hippocampus.core.records import STATE_CHANGES, Act, Progress, SleepAct, SleepStep, Slept
from hippocampus.errors import InputError
from hippocampus.sleep.artifacts import ARTIFACTS, Gathered, SleepContext, find_missing_phrases
from hippocampus.sleep.capacity import retain
from hippocampus.sleep.forget import forget
from hippocampus.sleep.merge import merge
from hippocampus.sleep.reconsolidate import reconsolidate
from hippocampus.sleep.schedule import STEPS
from hippocampus.sleep.snapshot import SleepSnapshot, last_sleep, read_doubts
from hippocampus.sleep.topics import TagAnswers
from hippocampus.sleep.validate import validate

Propose: TypeAlias = Callable[[SleepSnapshot], list[Act]]

_TELLING: Final = ("gists", "summary")
"""Artifacts that speak in the bank's name, and so may hold nothing that was corrected."""
BY_MEANING: Final = ("near", "cluster")
"""Policies that merge by more than the words, and so need an embedder."""
_VISIBLE: Final[tuple[type[JournalEvent], ...]] = (*STATE_CHANGES, Faded)
"""The events that change how much of an episode can be seen."""
_TRIES: Final = 3
"""Tries of a step that somebody disturbs: each reads the bank again, and a bank that is never quiet
must not keep its sleep going for ever. Set by hand."""
_RESTLESS: Final = "somebody erased or rebuilt at the same time, again and again; sleep once more"
_ANEW: Final = "would be made anew; it changes no episode"
_FILLED_IN: Final = {
    "vectors": "what has no vector would get one; it changes no episode",
    "phrases": "what is not read yet would be read; it changes no episode",
}
"""Messages of a dry run on the steps that only fill in missing data."""
_NO_EMBEDDER: Final = "there is no embedder"
_AT_ONCE: Final = 2048
"""Acts of a transaction: none is long, so writers need not wait (docs/adr/0021)."""


def check_steps(steps: Collection[str] | None) -> tuple[str, ...]:
    """Return the steps asked for, in the order in which they are done."""
    if steps is None:
        return STEPS
    several = isinstance(steps, Collection) and not isinstance(steps, str)
    if not several or not steps or any(name not in STEPS for name in steps):
        msg = f"steps={steps!r}: give a list of one or more of {', '.join(STEPS)}"
        raise InputError(msg)
    return tuple(name for name in STEPS if name in steps)


@dataclass(kw_only=True)
class Sleeper:
    """
    One sleep of a bank.

    ``look`` returns what the bank is at this moment. ``change`` runs what changes it and returns
    what that did, under the locks of whoever owns them. ``embed`` makes the vectors that are
    missing, and returns of how many.
    """

    context: SleepContext
    look: Callable[[], Gathered]
    change: Callable[[Callable[[], list[Act]]], list[Act]]
    embed: Callable[[], Mapping[str, int]]
    progress: Progress | None = None
    dry_run: bool = False
    _seen: int = field(default=0, init=False)
    """Up to which change the snapshot tells."""
    _blind: set[str] = field(default_factory=set, init=False)
    """Steps that could not tell what is near, and so have not gone over anything."""

    def sleep(self, steps: Sequence[str], notes: Sequence[str]) -> Slept:
        """Do some steps, and note that they were done."""
        # A dry run writes nothing, not even that it was; the first sleep has number 1.
        number = 0 if self.dry_run else self._begin(steps)
        seen = self.look()
        snapshot: SleepSnapshot | None = None
        report: list[SleepStep] = []
        acting = self._acting()
        for place, name in enumerate(steps):
            check_budget()
            if self.progress:
                self.progress(place, len(steps))
            if name in acting:
                snapshot, step = self._act(name, acting[name], number, snapshot)
                report.append(step)
            else:
                report.append(self._foresee(name, seen) if self.dry_run else self._make(name))
        if not self.dry_run:
            self._end(number, len(seen.material), report)
        if self.progress:
            self.progress(len(steps), len(steps))
        return Slept(
            bank=self.context.ledger.name,
            steps=tuple(report),
            notes=tuple(notes),
            number=number,
            at=from_micros(self.context.now),
        )

    def _begin(self, steps: Sequence[str]) -> int:
        ledger = self.context.ledger

        def begin() -> int:
            # Counted inside the transaction: two sleeps at once must not get the same number.
            number = last_sleep(ledger) + 1
            ledger.writer.note(SleepBegan(sleep=number, steps=list(steps)))
            return number

        return write_again(ledger.store, ledger.bank, begin)

    def _end(self, number: int, rows: int, report: Sequence[SleepStep]) -> None:
        told = {step.name: dict(step.counts) for step in report}
        ledger = self.context.ledger
        ended = SleepEnded(
            sleep=number,
            # As of the beginning: what was written meanwhile is left to the next sleep.
            rows=rows,
            policy=self.context.policy.to_stored(),
            steps=told,
            # Without an embedder a step went over nothing: these rows wait for one.
            over=[name for name in told if name not in self._blind],
        )
        write_again(ledger.store, ledger.bank, lambda: ledger.writer.note(ended))

    # ------------------------------------------------------------ steps that change episodes

    def _acting(self) -> Mapping[str, Propose]:
        cosines = self.context.cosines
        return {
            "validate": validate,
            "reconsolidate": lambda snapshot: reconsolidate(snapshot, related=cosines.related),
            "forget": self._forget,
            "deduplicate": lambda snapshot: merge(
                snapshot, near=cosines.near, cluster=cosines.cluster
            ),
        }

    def _forget(self, snapshot: SleepSnapshot) -> list[Act]:
        if self.context.policy.episode_target is not None:
            # What lapses here must not fade as well, and counts towards the same cap.
            after = snapshot.after(lapsed := retain(snapshot))
            left = int(self.context.policy.cap * snapshot.material.shown.sum()) - len(lapsed)
            return [*lapsed, *self._fade(after, most=max(0, left))]
        return self._fade(snapshot)

    def _fade(self, snapshot: SleepSnapshot, *, most: int | None = None) -> list[Act]:
        if not self.context.policy.deepest:
            return []
        return forget(snapshot, self.context.appraise(snapshot), most=most)

    def _act(
        self, name: str, propose: Propose, number: int, snapshot: SleepSnapshot | None
    ) -> tuple[SleepSnapshot | None, SleepStep]:
        """Do the acts that a step proposes; in a dry run, return the snapshot after them."""
        started = time.perf_counter()
        snapshot = self._fresh() if snapshot is None else snapshot
        acts = propose(snapshot)
        for _ in range(_TRIES):
            # After the last try acts are done all the same: each is checked again as it is done.
            if self.dry_run or not self._is_disturbed(number):
                break
            acts = propose(snapshot := self._fresh())
        if not self.dry_run:
            done: list[Act] = []
            for start in range(0, len(acts), _AT_ONCE):
                some = acts[start : start + _AT_ONCE]
                done += self.change(lambda some=some: self.context.ledger.acts.do(some, number))  # type: ignore[misc]
            acts = done
        if self._is_blind(name, snapshot):
            self._blind.add(name)
        counts = Counter(_counted(act) for act in acts)
        told = tuple(_told(act, snapshot) for act in acts)
        step = SleepStep(
            name=name,
            elapsed_s=time.perf_counter() - started,
            counts=dict(counts),
            acts=told,
            skipped="" if acts else self._why_not(name),
        )
        # The next step goes on from here, and need not read the whole bank again.
        return snapshot.after(acts), step

    def _why_not(self, name: str) -> str:
        """Return why a step did nothing: it found nothing, or could not tell."""
        blind = name in self._blind
        return (
            "there is no embedder to compare meanings with" if blind else "there was nothing to do"
        )

    def _is_blind(self, name: str, snapshot: SleepSnapshot) -> bool:
        by_meaning = {
            "reconsolidate": self.context.policy.reconsolidate,
            "deduplicate": self.context.policy.merge in BY_MEANING,
        }
        return snapshot.vectors is None and by_meaning.get(name, False)

    def _fresh(self) -> SleepSnapshot:
        gathered = self.look()
        self._seen = gathered.seq
        return self.context.snapshot(gathered)

    def _is_disturbed(self, number: int) -> bool:
        """
        Return whether somebody else has hidden or shown something since the snapshot was read.

        Who makes room would let go of more than it has to, and of the wrong.
        """
        events = (
            change.event
            for change in self.context.ledger.reader.events(*_VISIBLE, after=self._seen)
        )
        return any(not isinstance(e, SleepEvent) or e.sleep != number for e in events)

    # ------------------------------------------------------------ steps that make something anew

    def _foresee(self, name: str, seen: Gathered) -> SleepStep:
        """Say that a step would make something, or why it would not, as it would say itself."""
        lacking = ""
        if name == "vectors" and self.context.embedder is None:
            lacking = _NO_EMBEDDER
        elif name in ARTIFACTS:
            trusted = self._trusted(seen, standing=name in _TELLING)
            lacking = ARTIFACTS[name].lacking(self.context, trusted)
        return SleepStep(name=name, elapsed_s=0.0, skipped=lacking or _FILLED_IN.get(name, _ANEW))

    def _make(self, name: str) -> SleepStep:
        if name == "vectors":
            return self._embed()
        if name == "phrases":
            return find_missing_phrases(self.context.ledger, self.context.zone)
        # Outside of the loop: a further try must not pay a model for the same answers.
        answers = TagAnswers()
        for _ in range(_TRIES):
            gathered = self._trusted(self.look(), standing=name in _TELLING)
            done = ARTIFACTS[name].rebuild(self.context, gathered, answers)
            if done is not None:
                return done
        return SleepStep(name=name, elapsed_s=0.0, skipped=_RESTLESS)

    def _embed(self) -> SleepStep:
        if self.context.embedder is None:
            return SleepStep(name="vectors", elapsed_s=0.0, skipped=_NO_EMBEDDER)
        started = time.perf_counter()
        counts = self.embed()
        elapsed_s = time.perf_counter() - started
        return SleepStep(name="vectors", elapsed_s=elapsed_s, counts=counts)

    def _trusted(self, gathered: Gathered, *, standing: bool) -> Gathered:
        """Return the bank without rows in doubt or suspect, or ``standing`` ones corrected."""
        shown = gathered.material.shown & ~gathered.suspect
        # The journal is read later than the rows were, and may tell of newer ones.
        shown[[row for row in read_doubts(self.context.ledger).since if row < len(shown)]] = False
        shown[gathered.otherwise if standing else []] = False
        return gathered._replace(material=replace(gathered.material, shown=shown))


def _counted(act: Act) -> str:
    """Return under what a step counts an act."""
    if act.kind == "annotate":
        return act.why
    done = {
        "merge": "merged",
        "lapse": "lapsed",
        "doubt": "quarantined",
        "clear": "cleared",
        "fade": f"faded to level {act.level}",
    }
    return done[act.kind]


def _told(act: Act, snapshot: SleepSnapshot) -> SleepAct:
    ids = snapshot.records
    return SleepAct(
        kind=act.kind,
        episode=ids[act.row].id,
        why=act.why,
        by=None if act.by is None else ids[act.by].id,
        level=act.level,
    )
