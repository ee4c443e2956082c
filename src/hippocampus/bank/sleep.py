"""Sleep of a bank: its work at rest, its policy of forgetting, and feedback on use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple

from hippocampus.bank.copies import Copies
from hippocampus.bank.forgetting import Forgetting
from hippocampus.bank.part import BankPart, staying
from hippocampus.core.background_yield import giving_way
from hippocampus.core.clock import from_micros, to_micros
from hippocampus.core.config import Policy
from hippocampus.core.events import (
    Absorbed,
    Accepted,
    ArtifactReplaced,
    Consolidated,
    Event,
    FeedbackGiven,
    Held,
    JournalRow,
    Judged,
    Pinned,
    PolicySet,
    Quarantined,
    RecallsNoted,
    Record,
    Released,
    SleepBegan,
    SleepEnded,
    Suspected,
    Unpinned,
    Unquarantined,
    class_of,
    decode,
)
from hippocampus.core.given_arguments import check_flags
from hippocampus.core.records import (
    DOUBTED,
    HELD,
    PINNED,
    SUSPECT,
    Act,
    Episode,
    Progress,
    SleepStep,
    Slept,
)
from hippocampus.core.validation import check_text
from hippocampus.engine.bank_cache import give_back
from hippocampus.errors import AccessError, InputError, StoreError, UnknownBank
from hippocampus.journal.acts import ACTS
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.requests import once
from hippocampus.sleep.artifacts import Gathered, SleepContext, gather
from hippocampus.sleep.schedule import NIGHTLY, STEPS, Past, Schedule, due

_LOOKED_BACK: Final = 1000
"""Changes at a time among which the last that somebody made is looked for."""
_BY_DAY: Final = frozenset(STEPS) - {*NIGHTLY, "vectors"}
"""The steps without which a sleep was of a part only, and does not put off the next one. Earlier
versions had no step for vectors."""
_BLIND: Final = (
    "there is no embedder, so only the same words are merged, and not what means the same"
)
_SUSPECTED: Final = (
    "{} of the texts that others wrote read like instructions to a model, and were kept before such"
    " texts were marked; contexts leave them out until somebody accepts them: 'hippocampus review'"
)
_OF_SLEEP: Final = frozenset(
    {
        SleepBegan,
        SleepEnded,
        ArtifactReplaced,
        RecallsNoted,
        Consolidated,
        Absorbed,
        Suspected,
        Judged,
        *ACTS,
    }
)
"""The events that sleep writes, and so need none."""


class _Moment(NamedTuple):
    """When a change was made; the journal's order tells those of one microsecond apart."""

    seq: int
    at: int


class SleepVerbs(BankPart):
    """The verbs of sleep and of what guides it."""

    @staying
    def sleep(
        self,
        *,
        steps: Collection[str] | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Slept:
        """
        Consolidate the bank: make knowledge of experience, and forget as its policy says.

        What was stored without an embedder gets its vectors, if there is one now. What cannot be
        right is kept apart for a while; what was said of a memory is noted with it;
        what says the same is merged; of what matters and belongs together a gist is made; anchors
        are chosen anew and what lies under each is ranked; tags are put in a graph from broad to
        narrow, and the running summary is brought up. ``Memory.model`` words gists, tags and the
        summary if there is one.

        Others read and write meanwhile. Doing it again changes little; killed half-way, whole steps
        are done and the rest is as it was before; ``undo`` takes it back.

        Args:
            steps: only these, of ``sleep.sleeper.STEPS``; each can be done alone.
            dry_run: change nothing, and say what would be done to which episode, and why.
            progress: called with how many steps are done, of how many.

        """
        from hippocampus.sleep.sleeper import (  # noqa: PLC0415 - only for a sleep
            BY_MEANING,
            Sleeper,
            check_steps,
        )

        check_flags(dry_run=dry_run)
        wanted = check_steps(steps)
        engine = self._engine
        # Sleep reads in the journal what was of use; a dry run writes nothing there, and is told.
        if not dry_run:
            self._state.note_recalls()
        ledger = engine.ledger(self.name)
        calibrated = engine.calibration(ledger.bank)
        context = SleepContext(
            ledger=ledger, embedder=engine.embedder, model=engine.model,
            concepts=engine.config.concepts.heard(calibrated.values.cosines),
            cosines=calibrated.values.cosines, signals=calibrated.values.signals,
            policy=self.policy, compact=engine.config.compact,
            vectors=engine.config.vectors, zone=engine.zone,
            statements=engine.config.statements,
            now=to_micros(engine.now()),
            recalled=list(self._state.recalled) if dry_run else (),
        )  # fmt: skip
        sleeper = Sleeper(
            context=context, change=partial(self._changed, ledger.bank), progress=progress,
            dry_run=dry_run,
            look=lambda: self._gathered(ledger, unread=dry_run or "phrases" not in wanted),
            embed=self._embed_missing,
        )  # fmt: skip
        notes = [] if calibrated.lacking is None else [calibrated.lacking]
        if not dry_run:
            notes += self._erase_left_behind()
            notes += self._judge_older(ledger)
        if "deduplicate" in wanted and engine.embedder is None:
            notes += [_BLIND] if context.policy.merge in BY_MEANING else []
        try:
            with giving_way():
                slept = sleeper.sleep(wanted, notes)
        except StoreError as exc:
            if self._store.banks.number(self.name) == ledger.bank:
                raise
            msg = f"bank {self.name!r} was deleted while it slept; of what was, nothing is left"
            raise UnknownBank(msg) from exc
        with self._state.asking():  # the sleeper pays for the index, not the next reader
            if not dry_run:
                self._state.keep_index()
            give_back()  # a night holds several times what a bank does
            return slept

    def _erase_left_behind(self) -> list[str]:
        """Erase copies of what was erased elsewhere while they were made; return what could not."""
        notes = []
        for id_ in Copies(self._state).left_behind():
            try:
                Forgetting(self._state).forget(id_, erase=True)
            except (AccessError, InputError) as exc:
                notes.append(f"{id_} is a copy of what was erased, and is still here: {exc}")
        return notes

    def _judge_older(self, ledger: Ledger) -> list[str]:
        """Mark older episodes of others that read like an instruction to a model, if not done."""
        from hippocampus.sleep.suspects import (  # noqa: PLC0415 - only for a sleep
            find_suspects,
            is_judged,
            mark_suspects,
        )

        if is_judged(ledger):
            return []
        with giving_way():
            found = find_suspects(ledger)
        with self._state.changing():
            mark = partial(mark_suspects, found=found)
            marked = self._state.transact(mark, of=ledger.bank)
        return [_SUSPECTED.format(marked)] if marked else []

    def _embed_missing(self) -> Mapping[str, int]:
        from hippocampus.engine.missing_vectors import (  # noqa: PLC0415 - only for a sleep
            embed_missing,
        )

        return {"episodes": embed_missing(self._state)}

    def _gathered(self, ledger: Ledger, *, unread: bool) -> Gathered:
        with self._state.asking() as here:
            return gather(ledger, here.index, unread=unread)

    def _changed(self, bank: int, change: Callable[[], list[Act]]) -> list[Act]:
        with self._state.changing():
            return self._state.transact(lambda _: change(), of=bank)

    def undo(self, sleep: int) -> dict[str, int]:
        """
        Take back what a sleep did to episodes: how many were merged, faded, hidden or kept apart.

        What somebody has changed since stays as they made it, and what is held as it is. What it
        promoted is promoted no more.
        What was made anew of everything, such as gists and anchors, follows with the next sleep.

        Raises:
            InputError: the bank has had no such sleep.

        """
        with self._state.changing():
            return self._state.transact(
                lambda ledger: once(ledger, lambda: self._undo(ledger, sleep), dict[str, int])
            )

    def _undo(self, ledger: Ledger, sleep: int) -> dict[str, int]:
        from hippocampus.sleep.gists import demote  # noqa: PLC0415 - only for a sleep
        from hippocampus.sleep.snapshot import last_sleep  # noqa: PLC0415 - only for a sleep

        begun = last_sleep(ledger)
        whole = isinstance(sleep, int) and not isinstance(sleep, bool)
        if not whole or not 1 <= sleep <= begun:
            had = f"from 1 to {begun}" if begun else "none: it has not slept"
            raise InputError(f"sleep={sleep!r}: bank {self.name!r} has had {had}")
        demote(ledger, sleep)
        return dict(ledger.acts.undo(sleep))

    def sleeps(self) -> list[Slept]:
        """Return the sleeps there were, in order; of one that was killed, no steps."""
        with self._books() as ledger:
            begun = ledger.reader.events(SleepBegan)
            told = {
                ended.event.sleep: ended.event.steps for ended in ledger.reader.events(SleepEnded)
            }
        return [
            Slept(
                bank=self.name,
                number=(number := one.event.sleep),
                at=from_micros(one.at),
                steps=tuple(
                    SleepStep(name=name, elapsed_s=0.0, counts=counts)
                    for name in STEPS
                    if (counts := told.get(number, {}).get(name)) is not None
                ),
                notes=() if number in told else ("it was not finished",),
            )
            for one in begun
        ]

    def sleep_if_due(self, schedule: Schedule) -> Slept | None:
        """Sleep if it is time for it; None if it is not, or nothing has changed since."""
        if not isinstance(schedule, Schedule):
            raise InputError(f"schedule={schedule!r:.100}: must be a Schedule; give Schedule()")
        steps = due(schedule, self._past(), self._engine.now(), self._engine.zone)
        return self.sleep(steps=steps) if steps else None

    def _past(self) -> Past:
        """Return when the bank was last changed, slept, and had everything made anew."""
        from hippocampus.sleep.snapshot import DOUBTS, doubts_of  # noqa: PLC0415 - only for a sleep

        with self._store.read():
            ledger = self._state.ledger()
            doubts = ledger.reader.events(*DOUBTS)
            begun = ledger.reader.events(SleepBegan)
            told = {e.event.sleep: e.event.steps for e in ledger.reader.events(SleepEnded)}
            changed = self._last_change(ledger)
            judged = bool(ledger.reader.events(Judged))
        done = [(_moment(c), set(c.event.steps)) for c in begun if c.event.sleep in told]
        slept = [c for c, steps in done if steps >= _BY_DAY]
        remade = [c for c, steps in done if steps >= set(NIGHTLY)]
        # What was made anew before a sleep let something go from quarantine has not taken that in.
        cleared = {c.event.sleep for c in doubts if isinstance(c.event, Unquarantined)}
        let_go = [_moment(c) for c in begun if c.event.sleep in cleared]
        changed = max([*let_go, *filter(None, [changed])], default=None)
        last = (changed, slept[-1] if slept else None, remade[-1] if remade else None)
        # A clock that stood still, or was set back, gives one moment to all of them; what was
        # first says the journal, a microsecond apart.
        order = sorted({c.seq for c in last if c is not None})
        past = Past(*(c and from_micros(c.at + order.index(c.seq)) for c in last))
        blind = bool(told) and told[max(told)].get("vectors") == {}
        past = _with_more_to_do(
            past, more=not judged or (blind and self._engine.embedder is not None)
        )
        return self._out_of_doubt(past, doubts_of(doubts).since.values())

    def _out_of_doubt(self, past: Past, doubted: Collection[int]) -> Past:
        """Count it as a change that time in quarantine is over: only a sleep lets go of it."""
        if past.changed is None or not doubted:
            return past
        over = from_micros(max(doubted)) + timedelta(minutes=self.policy.doubt_minutes)
        return past if over > self._engine.now() else past._replace(changed=max(over, past.changed))

    def _last_change(self, ledger: Ledger) -> _Moment | None:
        """Return the last change that somebody made, and not sleep."""
        stop = self._store.journal.last_seq(ledger.bank)
        while stop > 0:
            start = max(0, stop - _LOOKED_BACK)
            found = self._store.journal.read(ledger.bank, after=start, limit=stop - start)
            own = [c for c in found if _is_somebodys(c, ledger)]
            if own:
                return _Moment(own[-1].seq, own[-1].at)
            stop = start
        return None

    @property
    def policy(self) -> Policy:
        """Policy of this bank's sleep; the store's ``Config.policy`` unless it has its own."""
        from hippocampus.sleep.snapshot import read_policy  # noqa: PLC0415 - only for a sleep

        with self._store.read():
            return read_policy(self._state.ledger(), self._engine.config.policy)

    def set_policy(self, policy: Policy | str | None) -> None:
        """
        Choose the policy by which sleep forgets here; None goes back to ``Config.policy``.

        A name is one of ``config.POLICIES``; ``adaptive:25000`` gives it a token target.
        """
        if isinstance(policy, str):
            policy = Policy.named(policy)
        if policy is not None and not isinstance(policy, Policy):
            raise InputError(f"policy={policy!r}: must be a Policy, the name of one, or None")
        with self._state.changing():
            self._engine.ledger(self.name, create=True)
            told = PolicySet(policy=None if policy is None else policy.to_stored())
            self._once(lambda ledger: ledger.writer.note(told))

    def pin(self, id: str | Collection[str]) -> int:  # noqa: A002
        """Keep episodes, long texts whole, from fading and from being merged; return how many."""
        return self._mark(id, PINNED, Pinned(), on=True)

    def unpin(self, id: str | Collection[str]) -> int:  # noqa: A002
        """Let pinned episodes fade again. Returns how many changed."""
        return self._mark(id, PINNED, Unpinned(), on=False)

    def hold(self, id: str | Collection[str], *, reason: str) -> int:  # noqa: A002
        """
        Keep episodes from every change, such as for a court; returns how many changed.

        Until ``release`` none can fade, be merged, forgotten, corrected or erased. What is hidden
        already stays so, and ``compact`` leaves it.

        Raises:
            SecretRefused: the reason holds a secret, and ``Secrets.write`` is "refuse".

        """
        if not isinstance(reason, str) or not reason.strip():
            msg = f"reason={reason!r}: say why, in a few words, for whoever finds it held"
            raise InputError(msg)
        why = check_text(reason, limits=self._engine.config.ingest)
        why = self._engine.secret_gate.words("reason", why)
        return self._mark(id, HELD, Held(why=why), on=True)

    def release(self, id: str | Collection[str]) -> int:  # noqa: A002
        """Release episodes that are held or in quarantine; return how many changed."""
        return self._change(id, _release)

    def quarantine(self) -> list[tuple[Episode, str]]:
        """Return the episodes kept from being consolidated, and why; see ``release``."""
        with self._books() as ledger:
            rows = [e.row for e in self._store.episodes.scan(ledger.bank) if e.marks & DOUBTED]
            entries = ledger.reader.read(rows)
            why = {}
            for row in rows:
                for change in ledger.reader.events(Quarantined, row=row):
                    why[row] = change.event.why or ""
        told = self._told()
        return [(entry.dated(told), why.get(entry.row, "")) for entry in entries]

    def accept(self, id: str | Collection[str]) -> int:  # noqa: A002
        """Let contexts show suspect episodes, long texts whole; return how many changed."""
        return self._mark(id, SUSPECT, Accepted(), on=False)

    def feedback(self, id: str | Collection[str], *, helpful: bool) -> int:  # noqa: A002
        """
        Mark memories as useful or not: helpful ones are kept longer and found sooner.

        Returns of how many it was noted.
        """
        check_flags(helpful=helpful)
        told = FeedbackGiven(helpful=helpful)
        return self._change(id, lambda ledger, ids: ledger.writer.tell(ids, told))

    def uses(self, id: str) -> list[datetime]:  # noqa: A002
        """
        Return when an episode was of use, in order: among the first of a recall, or of help.

        What is of use fades as if it had been said then (``Policy.decay_per_hour``).
        """
        from hippocampus.sleep.snapshot import find_uses  # noqa: PLC0415 - only for a sleep

        with self._books() as ledger:
            found = find_uses(ledger, ledger.reader.find(id).row, list(self._state.recalled))
        return [from_micros(at) for at in found]

    def note_recalls(self) -> None:
        """Write down what was recalled since the last time; writing, sleep and closing do so."""
        self._state.note_recalls()

    def _mark(self, named: str | Collection[str], marks: int, event: Event, *, on: bool) -> int:
        return self._change(named, lambda ledger, ids: ledger.writer.mark(ids, marks, event, on=on))


def _release(ledger: Ledger, ids: list[str]) -> int:
    freed = ledger.writer.mark(ids, HELD, Released(), on=False)
    return freed + ledger.writer.mark(ids, DOUBTED, Unquarantined(), on=False)


def _with_more_to_do(past: Past, *, more: bool) -> Past:
    """Count it as a change that a sleep could now do what the last one did not: embed, or judge."""
    if not more or past.slept is None:
        return past
    since = past.slept + timedelta(microseconds=1)
    return past._replace(changed=max(since, past.changed or since))


def _moment(record: Record[SleepBegan]) -> _Moment:
    return _Moment(record.seq, record.at)


def _is_somebodys(change: JournalRow, ledger: Ledger) -> bool:
    """Return whether it was not sleep that wrote a change; ``undo`` is somebody's, too."""
    from hippocampus.sleep.snapshot import DOUBTS  # noqa: PLC0415 - only for a sleep

    if (event := class_of(change.kind)) not in _OF_SLEEP:
        return True
    if event not in DOUBTS:
        return False
    told = decode(change, bank=ledger.name, path=ledger.store.path)
    return isinstance(told, DOUBTS) and told.sleep is None
