"""The commands of what happens at rest: sleep, its policy, and what it leaves alone."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, NoReturn

from hippocampus.cli.command import verb
from hippocampus.cli.options import BankScope
from hippocampus.cli.policy_words import name_of, rows_of
from hippocampus.cli.render import (
    Answer,
    clean,
    memories,
    progress,
    short_id,
    show,
    stderr,
    table,
)
from hippocampus.cli.write import unchanged
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.errors import EncoderError, InputError, StoreCorrupt, StoreLocked, UnknownBank

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.core.records import Slept
    from hippocampus.memory import Memory

_SHOWN = 12
"""Names that are printed of many; ``--json`` has all."""
_NAMES = {
    "found": "new anchors",
    "pruned": "anchors given up",
    "promotable": "anchors worth keeping",
    "fallbacks": "done without the model",
}
"""Names of counts in a step's report, for people."""
_LOOK_EVERY_S = 60.0
"""Seconds after which a watch looks again whether it is time."""


@immutable
class SleepOptions:
    """The steps of a sleep, or what to do instead of sleeping."""

    steps: str | None = None
    dry_run: bool = False
    undo: int | None = None
    past: bool = False
    watch: bool = False

    def check(self) -> None:
        """Refuse options that exclude each other."""
        asked = {
            "--undo": self.undo is not None, "--list": self.past, "--watch": self.watch,
            "--dry-run": self.dry_run,
        }  # fmt: skip
        chosen = [name for name, given in asked.items() if given]
        if len(chosen) > 1 or (chosen and chosen != ["--dry-run"] and self.steps):
            given = " and ".join([*chosen, *(["--steps"] if self.steps else [])])
            msg = f"{given} exclude each other; choose one"
            raise InputError(msg)


@verb("sleep", opens=None)
def sleep(
    *, chosen: SleepOptions, model: str = "none", scope: BankScope, as_json: bool = False
) -> Answer:
    """Consolidate memories: merge repetitions, let some fade, renew topics, anchors and summary."""
    chosen.check()
    if chosen.watch:
        _watch(scope, model, as_json=as_json)
    if chosen.undo is not None:
        with scope.open_bank() as bank:
            return _undone(bank.undo(chosen.undo))
    if chosen.past:
        with scope.open_bank() as bank:
            return _past(bank.sleeps())
    steps = None if chosen.steps is None else [s.strip() for s in chosen.steps.split(",")]
    with scope.open_bank(embed=True, model=model) as bank, progress("sleeping") as told:
        slept = bank.sleep(steps=steps, dry_run=chosen.dry_run, progress=told)
    return Answer(slept, _report(slept))


def _report(slept: Slept) -> Iterator[str]:
    yield str(slept)
    for step in slept.steps:
        for what, names in step.names.items():
            if names:
                more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
                yield f"  {_NAMES.get(what, what)}: {', '.join(names[:_SHOWN])}{more}"
        yield from (f"  {act}" for act in step.acts[:_SHOWN])
        if len(step.acts) > _SHOWN:
            yield f"  and {len(step.acts) - _SHOWN:,} more; --json has all"


def _past(past: Sequence[Slept]) -> Answer:
    rows = [
        (
            str(one.number),
            f"{one.at:%Y-%m-%d %H:%M}",
            "; ".join(f"{step.name}: {step.did}" for step in one.steps if step.did)
            or "; ".join(one.notes),
        )
        for one in past
    ]
    return Answer(past, table(rows, "sleep", "began", "did"))


def _undone(counts: Mapping[str, int]) -> Answer:
    """Return the acts of a sleep that were taken back; a promotion is none, and is not counted."""
    rest = "what it promoted is so no more; gists, topics and facts follow with the next sleep"
    told = counted(counts, "undone")
    return told if counts else told._replace(view=f"undone: it had changed no memory; {rest}")


def _watch(scope: BankScope, model: str, *, as_json: bool) -> NoReturn:
    with scope.open(embed=True, model=model) as memory:
        stderr().print("watching; Ctrl-C ends it", style="dim")
        while True:
            for slept in sleep_those_due(memory):
                when = f"{slept.at:%Y-%m-%d %H:%M} {slept.bank}"
                show(Answer(slept, (when, *_report(slept))), as_json=as_json)
            time.sleep(_LOOK_EVERY_S)


def sleep_those_due(memory: Memory) -> Iterator[Slept]:
    """Let banks sleep for which it is time; one that cannot now is told of, and the rest go on."""
    from hippocampus.sleep.schedule import Schedule  # noqa: PLC0415

    for name in memory.banks():
        try:
            slept = memory.bank(name).sleep_if_due(Schedule())
        except (StoreLocked, StoreCorrupt, UnknownBank, EncoderError) as exc:
            stderr().print(clean(f"{name}: {exc}"), style="dim")
        else:
            if slept is not None:
                yield slept


def counted(counts: Mapping[str, int], verb: str) -> Answer:
    """Return the number of changes of each kind."""
    told = ", ".join(
        memories(n) if what == "memories" else f"{n:,} {what}" for what, n in counts.items()
    )
    return Answer({verb: dict(counts)}, f"{verb}: {told or 'nothing'}")


@verb("policy", opens=None)
def policy(name: str | None = None, *, scope: BankScope) -> Answer:
    """Show or set a bank's policy: which memories sleep merges, and which it lets fade."""
    with scope.open_bank(create=name is not None) as bank:
        if name is not None:
            bank.set_policy(None if name == "default" else name)
        chosen = bank.policy
    called = name_of(chosen) or "one of your own"
    settings = table(rows_of(chosen), "setting", "value", "what it means")
    return Answer(asdict(chosen), (f"policy: {called}", settings))


@verb("pin")
def pin(bank: Bank, ids: list[str], *, undo: bool = False) -> Answer:
    """Keep memories from ever fading."""
    changed = bank.unpin(ids) if undo else bank.pin(ids)
    told = counted({"memories": changed}, "unpinned" if undo else "pinned")
    return told._replace(note=unchanged(bank, ids, "unpin" if undo else "pin", changed))


@verb("hold")
def hold(bank: Bank, ids: list[str], *, reason: str) -> Answer:
    """Keep memories from every change, until 'release': none can be forgotten or erased."""
    return counted({"memories": bank.hold(ids, reason=reason)}, "held")


@verb("release")
def release(bank: Bank, ids: list[str]) -> Answer:
    """End the hold or the quarantine of memories."""
    return counted({"memories": bank.release(ids)}, "released")


@verb("quarantine")
def quarantine(bank: Bank) -> Answer:
    """List memories that sleep does not consolidate yet, and why; 'release' lets them go."""
    found = bank.quarantine()
    lines = [f"{short_id(episode.id)}  {why}\n  {episode}" for episode, why in found]
    return Answer(
        [{"episode": episode, "why": why} for episode, why in found],
        lines or "nothing is in quarantine",
    )


@verb("review")
def review(bank: Bank, *, accept: list[str] | None = None) -> Answer:
    """List memories of others that read like an instruction to a model; contexts leave them out."""
    if accept:
        return counted({"memories": bank.accept(accept)}, "accepted")
    found = bank.review()
    lines = [f"{short_id(episode.id)}  {episode.origin}\n  {episode}" for episode in found]
    return Answer(found, lines or "nothing reads like an instruction to a model")


@verb("reveal")
def reveal(bank: Bank, id: str) -> Answer:  # noqa: A002 - the verb's natural word
    """Show a memory with the secrets that were sealed when it was kept."""
    episode = bank.reveal(id)
    return Answer(episode, str(episode))


@verb("feedback")
def feedback(bank: Bank, ids: list[str], *, helpful: bool) -> Answer:
    """Rate memories: a helpful one is kept longer, a misleading one fades sooner."""
    return counted({"memories": bank.feedback(ids, helpful=helpful)}, "noted")
