"""The commands of what happens at rest: sleep, what it may do, and the anchors it finds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from hippocampus.cli.command import command
from hippocampus.cli.options import BankScope, Force, Json, ModelOption
from hippocampus.cli.render import answer, clean, print_json, progress, stderr, stdout, table
from hippocampus.errors import InputError, StoreLocked, UnknownBank

if TYPE_CHECKING:
    from hippocampus.core.records import Slept
    from hippocampus.memory import Memory

PANEL, CHANGE, KNOW = "Look after", "Change", "Know"
_SHOWN = 12
"""Names that are printed of many; ``--json`` has all."""

Names: TypeAlias = Annotated[list[str], typer.Argument(metavar="NAME...", help="Words or phrases.")]

IdArguments: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="ID...", help="Memories, as recall shows them with --ids.")
]
_LOOK_EVERY_S = 60.0
"""How often a watch looks whether it is time."""

app = typer.Typer(no_args_is_help=True, help="See and curate the anchors of a bank.")


def register(root: typer.Typer) -> None:
    """Add the commands to an app."""
    command(
        root,
        "sleep",
        "hippocampus sleep --bank work",
        "hippocampus sleep --dry-run",
        "hippocampus sleep --undo 12",
        "hippocampus sleep --watch",
        "hippocampus sleep --model openai:llama3.2@http://localhost:11434/v1",
        panel=PANEL,
    )(sleep)
    for panel, name, run, examples in (
        (PANEL, "policy", policy, ("hippocampus policy", "hippocampus policy adaptive:25000")),
        (PANEL, "quarantine", quarantine, ("hippocampus quarantine",)),
        (CHANGE, "pin", pin, ("hippocampus pin 5f0c9a…", "hippocampus pin 5f0c9a… --undo")),
        (CHANGE, "hold", hold, ('hippocampus hold 5f0c9a… --reason "case 12/2026"',)),
        (CHANGE, "release", release, ("hippocampus release 5f0c9a…",)),
        (CHANGE, "feedback", feedback, ("hippocampus feedback 5f0c9a… --helpful",)),
        (KNOW, "facts", facts, ("hippocampus facts Ana", "hippocampus facts --as-of 2025-03-01")),
        (KNOW, "summary", summary, ("hippocampus summary", "hippocampus summary --session s01")),
        (KNOW, "gists", gists, ("hippocampus gists --bank work",)),
        (KNOW, "topics", topics, ("hippocampus topics", "hippocampus topics --plot topics.png")),
    ):
        command(root, name, *examples, panel=panel)(run)
    root.add_typer(app, name="anchors", rich_help_panel=KNOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepOptions:
    """The policy and the time of a sleep."""

    steps: Annotated[
        str | None,
        typer.Option(help="Only these steps, separated by commas; --dry-run lists them all."),
    ] = None
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Change nothing; say what would be done, and why."),
    ] = False
    undo: Annotated[
        int | None,
        typer.Option(metavar="N", help="Take back what sleep N did to memories."),
    ] = None
    past: Annotated[bool, typer.Option("--list", help="List the sleeps there were.")] = False
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Stay, and let every bank sleep when it is time: every 6 hours, at night for what"
            " is made anew, or once nobody writes to it.",
        ),
    ] = False

    def check(self) -> None:
        """Refuse what excludes each other."""
        chosen = [
            name
            for name, given in (
                ("--undo", self.undo is not None),
                ("--list", self.past),
                ("--watch", self.watch),
                ("--dry-run", self.dry_run),
            )
            if given
        ]
        if len(chosen) > 1 or (chosen and chosen != ["--dry-run"] and self.steps):
            given = " and ".join([*chosen, *(["--steps"] if self.steps else [])])
            msg = f"{given} exclude each other; choose one"
            raise InputError(msg)


def sleep(
    *, night: SleepOptions, model: ModelOption = "none", scope: BankScope, as_json: Json = False
) -> None:
    """
    Turn what was experienced into what is known.

    Keeps apart what cannot be right, merges what says the same, lets fade what the bank's policy
    lets fade, makes anchors and topics anew, and brings the running summary up. Others read and
    write meanwhile.

    Nothing is sent anywhere unless a model is named. What a model was asked, and where it failed
    and words were used instead, is part of the report.
    """
    night.check()
    if night.watch:
        _watch(scope, model, as_json=as_json)
        return
    if night.undo is not None:
        with scope.open_bank() as bank:
            undone = bank.undo(night.undo)
        _counted(undone, "undone", as_json=as_json)
        return
    if night.past:
        with scope.open_bank() as bank:
            past = bank.sleeps()
        _listed(past, as_json=as_json)
        return
    steps = None if night.steps is None else [s.strip() for s in night.steps.split(",")]
    with (
        scope.open_bank(embed=True, model=model) as bank,
        progress("sleeping") as told,
    ):
        slept = bank.sleep(steps=steps, dry_run=night.dry_run, progress=told)
    if as_json:
        print_json(slept)
    else:
        _say(slept)


def _say(slept: Slept) -> None:
    console = stdout()
    console.print(clean(str(slept)), soft_wrap=True)
    for step in slept.steps:
        for what, names in step.names.items():
            if names:
                more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
                console.print(clean(f"  {what}: {', '.join(names[:_SHOWN])}{more}"))
        for deed in step.deeds[:_SHOWN]:
            console.print(clean(f"  {deed}"), soft_wrap=True)
        if len(step.deeds) > _SHOWN:
            console.print(f"  and {len(step.deeds) - _SHOWN:,} more; --json has all")


def _listed(past: Sequence[Slept], *, as_json: bool) -> None:
    rows = [
        (
            str(one.number),
            f"{one.at:%Y-%m-%d %H:%M}",
            "; ".join(
                f"{step.name}: {', '.join(f'{n:,} {what}' for what, n in step.counts.items())}"
                for step in one.steps
                if any(step.counts.values())
            )
            or "; ".join(one.notes),
        )
        for one in past
    ]
    answer(past, table(rows, "sleep", "began", "did"), as_json=as_json)


def _watch(scope: BankScope, model: str, *, as_json: bool) -> None:
    with scope.open(embed=True, model=model) as memory:
        stderr().print("watching; Ctrl-C ends it", style="dim")
        while True:
            for slept in sleep_those_due(memory):
                if as_json:
                    print_json(slept)
                else:
                    stdout().print(clean(f"{slept.at:%Y-%m-%d %H:%M} {slept.bank}"))
                    _say(slept)
            time.sleep(_LOOK_EVERY_S)


def sleep_those_due(memory: Memory) -> Iterator[Slept]:
    """Let banks sleep for which it is time; what is locked, or gone, is no reason to stop."""
    from hippocampus.sleep.schedule import Schedule  # noqa: PLC0415

    for name in memory.banks():
        try:
            slept = memory.bank(name).sleep_if_due(Schedule())
        except (StoreLocked, UnknownBank) as exc:
            stderr().print(clean(f"{name}: {exc}"), style="dim")
        else:
            if slept is not None:
                yield slept


def _counted(counts: Mapping[str, int], verb: str, *, as_json: bool) -> None:
    told = ", ".join(f"{n:,} {what}" for what, n in counts.items())
    answer({verb: dict(counts)}, f"{verb}: {told or 'nothing'}", as_json=as_json)


def policy(
    name: Annotated[
        str | None,
        typer.Argument(
            help="keep, dedup, human, hema, adaptive:TOKENS, useful:MEMORIES or aggressive;"
            " 'default' for the store's. Shows the bank's if left out."
        ),
    ] = None,
    *,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    See or choose what sleep does with a bank: what it merges, and what it lets fade.

    'keep' merges nothing but the same words in one session on one day; nothing fades.
    """
    with scope.open_bank(create=name is not None) as bank:
        if name is not None:
            bank.set_policy(None if name == "default" else name)
        chosen = asdict(bank.policy)
    answer(chosen, table([(key, str(value)) for key, value in chosen.items()]), as_json=as_json)


def pin(
    ids: IdArguments,
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Let them fade again.")] = False,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """Keep memories from ever fading."""
    with scope.open_bank() as bank:
        changed = bank.unpin(ids) if undo else bank.pin(ids)
    _counted({"memories": changed}, "unpinned" if undo else "pinned", as_json=as_json)


def hold(
    ids: IdArguments,
    *,
    reason: Annotated[str, typer.Option(help="Why, for whoever finds them held.")],
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """Keep memories from every change, until 'release': none can be forgotten or erased."""
    with scope.open_bank() as bank:
        changed = bank.hold(ids, reason=reason)
    _counted({"memories": changed}, "held", as_json=as_json)


def release(ids: IdArguments, *, scope: BankScope, as_json: Json = False) -> None:
    """Let memories that are held or in quarantine be as all others."""
    with scope.open_bank() as bank:
        changed = bank.release(ids)
    _counted({"memories": changed}, "released", as_json=as_json)


def quarantine(*, scope: BankScope, as_json: Json = False) -> None:
    """
    Show what sleep keeps from being consolidated, and why; 'release' lets it go.

    That is what came twice, late, or before its cause. After 15 minutes it is as everything else.
    """
    with scope.open_bank() as bank:
        found = bank.quarantine()
    if as_json:
        print_json([{"episode": episode, "why": why} for episode, why in found])
        return
    for episode, why in found:
        stdout().print(clean(f"{episode.id}  {why}\n  {episode}"), soft_wrap=True)
    if not found:
        stdout().print("nothing is in quarantine")


def feedback(
    ids: IdArguments,
    *,
    helpful: Annotated[bool, typer.Option(help="Whether they helped.")],
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """Rate memories: a helpful one is kept longer, a misleading one fades sooner."""
    with scope.open_bank() as bank:
        changed = bank.feedback(ids, helpful=helpful)
    _counted({"memories": changed}, "noted", as_json=as_json)


def topics(
    *,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw them as trees: a .png, .svg or .pdf.")
    ] = None,
    force: Force = False,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Show what a bank is about: its tags, the narrow ones under the broad ones.

    Sleep makes them. Drawing needs matplotlib, which is in the extra 'plots'.
    """
    with scope.open_bank() as bank:
        if plot is not None:
            bank.plot_topics(plot, overwrite=force)
        found = bank.topics() if as_json else bank.topic_outline()
    answer(found, "\n".join(map(str, found)), as_json=as_json)


def gists(*, scope: BankScope, as_json: Json = False) -> None:
    """
    Show what memories of one matter came to, the most mature first.

    Sleep makes them of what matters most. One is silent for about a week.
    """
    with scope.open_bank() as bank:
        found = bank.gists()
    rows = [
        (g.text, str(len(g.sources)), f"{g.made_at:%Y-%m-%d}",
         f"{g.activation:.2f}{' silent' if g.silent else ''}")
        for g in found
    ]  # fmt: skip
    answer(found, table(rows, "gist", "memories", "made", "activation"), as_json=as_json)


def summary(
    *,
    session: Annotated[str | None, typer.Option(help="Only this conversation.")] = None,
    versions: Annotated[
        bool, typer.Option("--versions", help="Also the summary of each hundred turns.")
    ] = False,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Summarise a bank in a line: speakers, topics, the last decision and the last news.

    It is what a context begins with, once the bank has slept.
    """
    with scope.open_bank() as bank:
        found = bank.summary(session)
    if as_json:
        print_json(found)
        return
    for line in (*(found.versions if versions else ()), found.text):
        stdout().print(clean(line), soft_wrap=True)


def facts(
    entity: Annotated[
        str | None, typer.Argument(metavar="[ENTITY]", help="Only facts of this one.")
    ] = None,
    *,
    relation: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only these, such as lives_in.")
    ] = None,
    as_of: Annotated[
        str | None, typer.Option(metavar="TIME", help="The knowledge of the bank at that moment.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only facts that held at that moment.")
    ] = None,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Show what the bank was told of whom, and from when until when it was so.

    What is over stays: it says until when it held. What was said since the last sleep is there.
    """
    with scope.open_bank() as bank:
        found = bank.facts(entity, relation, as_of=as_of, at=at)
    rows = [
        (f.subject, f.relation, f.object, *(f"{t:%Y-%m-%d}" if t else "" for t in
         (f.valid_from, f.valid_to, f.known_from)))
        for f in found
    ]  # fmt: skip
    answer(
        found,
        table(rows, "subject", "relation", "object", "from", "until", "known since"),
        as_json=as_json,
    )


def list_(*, scope: BankScope, as_json: Json = False) -> None:
    """List the anchors, the most salient first."""
    with scope.open_bank() as bank:
        anchors = bank.anchors()
    rows = [(a.name, a.kind, f"{a.salience:.1f}", f"{a.episodes}") for a in anchors]
    answer(anchors, table(rows, "anchor", "kind", "salience", "episodes"), as_json=as_json)


def report(*, scope: BankScope, as_json: Json = False) -> None:
    """
    Say which anchors may be worth keeping, which are about to be given up, and which were.

    Keep one with 'hippocampus anchors add'; what is curated is never given up.
    """
    with scope.open_bank() as bank:
        anchors = [anchor for anchor in bank.anchors() if anchor.kind == "discovered"]
        pruned = [anchor.name for anchor in bank.anchors(pruned=True)]
    strong = [anchor.name for anchor in anchors if anchor.strong >= 3]
    weak = [anchor.name for anchor in anchors if anchor.weak]
    if as_json:
        print_json({"promotable": strong, "weak": weak, "pruned": pruned})
        return
    for what, names in (("worth keeping", strong), ("fading", weak), ("given up", pruned)):
        stdout().print(clean(f"{what}: {', '.join(names) or 'none'}"))


def add(names: Names, *, scope: BankScope, as_json: Json = False) -> None:
    """Make words or phrases anchors from the next sleep on; they are never given up."""
    with scope.open_bank() as bank:
        bank.curate(add=names)
    _said(add=names, as_json=as_json)


def deny(names: Names, *, scope: BankScope, as_json: Json = False) -> None:
    """Have words or phrases call nothing up from now on, and never be anchors."""
    with scope.open_bank() as bank:
        bank.curate(deny=names)
    _said(deny=names, as_json=as_json)


def remove(names: Names, *, scope: BankScope, as_json: Json = False) -> None:
    """Take back what 'add' or 'deny' said."""
    with scope.open_bank() as bank:
        bank.curate(remove=names)
    _said(remove=names, as_json=as_json)


def export(
    path: Annotated[Path, typer.Argument(help="The JSON file to write.")],
    *,
    force: Force = False,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """Write the concept index as JSON."""
    with scope.open_bank() as bank:
        count = bank.export_concepts(path, overwrite=force)
    _moved(count, f"written to {path}", as_json=as_json)


def import_(
    path: Annotated[Path, typer.Argument(help="The JSON file to read.")],
    *,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """Use a concept index that was exported, or edited since."""
    with scope.open_bank(embed=True) as bank:
        count = bank.import_concepts(path)
    _moved(count, f"read from {path}", as_json=as_json)


def _said(*, as_json: bool, **said: list[str]) -> None:
    if as_json:
        print_json(said)
    elif "deny" in said:
        stdout().print("heeded from now on")
    else:
        stdout().print("'hippocampus sleep' heeds it")


def _moved(count: int, where: str, *, as_json: bool) -> None:
    answer({"anchors": count}, f"{count:,} anchors {where}", as_json=as_json)


for _name, _run, _example in (
    ("list", list_, "hippocampus anchors list --bank work"),
    ("report", report, "hippocampus anchors report"),
    ("add", add, 'hippocampus anchors add ENGRAM "laser tunneling"'),
    ("deny", deny, "hippocampus anchors deny meeting"),
    ("remove", remove, "hippocampus anchors remove meeting"),
    ("export", export, "hippocampus anchors export concepts.json"),
    ("import", import_, "hippocampus anchors import concepts.json"),
):
    command(app, _name, _example)(_run)
