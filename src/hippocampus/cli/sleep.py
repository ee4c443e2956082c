"""The commands of what happens at rest: sleep, and the anchors it finds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from hippocampus.cli.command import command
from hippocampus.cli.options import BankScope, Json, Model
from hippocampus.cli.render import clean, print_json, stdout, table

PANEL = "Look after"
_SHOWN = 12
"""Names that are printed of many; ``--json`` has all."""

Names: TypeAlias = Annotated[list[str], typer.Argument(metavar="NAME...", help="Words or phrases.")]

app = typer.Typer(no_args_is_help=True, help="See and curate the anchors of a bank.")


def register(root: typer.Typer) -> None:
    """Add the commands to an app."""
    command(
        root,
        "sleep",
        "hippocampus sleep --bank work",
        "hippocampus sleep --model openai:llama3.2@http://localhost:11434/v1",
        panel=PANEL,
    )(sleep)
    command(
        root, "topics", "hippocampus topics", "hippocampus topics --plot topics.png", panel=PANEL
    )(topics)
    command(
        root, "facts", "hippocampus facts Ana", "hippocampus facts --relation lives_in --as-of"
        " 2025-03-01", panel=PANEL,
    )(facts)  # fmt: skip
    root.add_typer(app, name="anchors", rich_help_panel=PANEL)


def sleep(*, model: Model = "none", scope: BankScope, as_json: Json = False) -> None:
    """
    Turn what was experienced into what is known.

    Chooses the anchors anew, what memories gather around, and ranks what lies under each. Others
    read and write meanwhile; run it at night, or when nobody is there.

    Nothing is sent anywhere unless a model is named. What a model was asked, and where it failed
    and words were used instead, is part of the report.
    """
    with scope.open_bank(embed=True, model=model) as bank:
        slept = bank.sleep()
    if as_json:
        print_json(slept)
        return
    console = stdout()
    console.print(clean(str(slept)), soft_wrap=True)
    for step in slept.steps:
        for what, names in step.names.items():
            if names:
                more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
                console.print(clean(f"  {what}: {', '.join(names[:_SHOWN])}{more}"))


def topics(
    *,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw them as trees: a .png, .svg or .pdf.")
    ] = None,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Show what a bank is about: its tags, the narrow ones under the broad ones.

    Sleep makes them. Drawing needs matplotlib, which is in the extra 'bench'.
    """
    with scope.open_bank() as bank:
        if plot is not None:
            bank.plot_topics(plot)
        found = bank.topics() if as_json else bank.topic_outline()
    if as_json:
        print_json(found)
    else:
        stdout().print(clean("\n".join(map(str, found))), soft_wrap=True)


def facts(
    entity: Annotated[
        str | None, typer.Argument(metavar="[ENTITY]", help="Only facts of this one.")
    ] = None,
    *,
    relation: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only these, such as lives_in.")
    ] = None,
    as_of: Annotated[
        str | None, typer.Option(metavar="TIME", help="What the bank knew at that moment.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only what held at that moment.")
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
    if as_json:
        print_json(found)
        return
    rows = [
        (f.subject, f.relation, f.object, *(f"{t:%Y-%m-%d}" if t else "" for t in
         (f.valid_from, f.valid_to, f.known_from)))
        for f in found
    ]  # fmt: skip
    stdout().print(table(rows, "subject", "relation", "object", "from", "until", "known since"))


def list_(*, scope: BankScope, as_json: Json = False) -> None:
    """List the anchors, the most salient first."""
    with scope.open_bank() as bank:
        anchors = bank.anchors()
    if as_json:
        print_json(anchors)
        return
    rows = [(a.name, a.kind, f"{a.salience:.1f}", f"{a.episodes}") for a in anchors]
    stdout().print(table(rows, "anchor", "kind", "salience", "episodes"))


def report(*, scope: BankScope, as_json: Json = False) -> None:
    """
    Say which anchors may be worth keeping for good, and which are about to be given up.

    Keep one with 'hippocampus anchors add'; what is curated is never given up.
    """
    with scope.open_bank() as bank:
        anchors = [anchor for anchor in bank.anchors() if anchor.kind == "discovered"]
    strong = [anchor.name for anchor in anchors if anchor.strong >= 3]
    weak = [anchor.name for anchor in anchors if anchor.weak]
    if as_json:
        print_json({"promotable": strong, "weak": weak})
        return
    for what, names in (("worth keeping", strong), ("fading", weak)):
        stdout().print(clean(f"{what}: {', '.join(names) or 'none'}"))


def add(names: Names, *, scope: BankScope, as_json: Json = False) -> None:
    """Make words or phrases anchors from the next sleep on; they are never given up."""
    with scope.open_bank() as bank:
        bank.curate(add=names)
    _said(add=names, as_json=as_json)


def deny(names: Names, *, scope: BankScope, as_json: Json = False) -> None:
    """Have words or phrases never be anchors."""
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
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """Write the concept index as JSON."""
    with scope.open_bank() as bank:
        count = bank.export_concepts(path)
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
    else:
        stdout().print("'hippocampus sleep' heeds it")


def _moved(count: int, where: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"anchors": count})
    else:
        stdout().print(clean(f"{count:,} anchors {where}"), soft_wrap=True)


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
