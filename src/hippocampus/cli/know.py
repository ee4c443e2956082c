"""The commands of what a bank knows once it slept: facts, summary, gists, topics, anchors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.text import Text

from hippocampus.cli.command import verb
from hippocampus.cli.options import Trust
from hippocampus.cli.render import Answer, clean, listed, table
from hippocampus.errors import InputError

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.core.records import AnchorInfo


@verb("facts")
def facts(
    bank: Bank,
    entity: str | None = None,
    *,
    relation: str | None = None,
    as_of: str | None = None,
    at: str | None = None,
    trust: Trust = None,
) -> Answer:
    """List facts about people and things, and from when until when each held."""
    found = bank.facts(entity, relation, as_of=as_of, at=at, trust=trust)
    rows = [
        (f.subject, f.relation, f.object, *(f"{t.date()}" if t else "" for t in
         (f.valid_from, f.valid_to, f.known_from)))
        for f in found
    ]  # fmt: skip
    heads = ("subject", "relation", "object", "from", "until", "known since")
    about = "" if entity is None else f" about {clean(entity)!r}"
    return listed(found, table(rows, *heads, wraps=(0, 2)), f"no facts{about} fit")


@verb("people")
def people(bank: Bank) -> Answer:
    """List the people and pets that a bank speaks of, those named most first."""
    found = bank.people()
    rows = [
        (p.name, p.kind, f"{p.episodes}", "; ".join(
            [*(f"{tie.role} of {tie.to}" for tie in p.ties),
             *([f"also called {', '.join(p.aliases)}"] if p.aliases else [])]))
        for p in found
    ]  # fmt: skip
    return listed(
        found, table(rows, "name", "kind", "memories", "who it is"), "no memory names anybody"
    )


@verb("summary")
def summary(
    bank: Bank, *, session: str | None = None, versions: bool = False, sources: bool = False
) -> Answer:
    """Summarise a bank in a line: speakers, topics, the last decision and the last news."""
    found = bank.summary(session)
    doubt = "no memory says so; a model was shown "
    parts = [f"{part.text}\n  {'' if part.said else doubt}{' '.join(part.sources)}"
             for part in found.parts] if sources else []  # fmt: skip
    if not found.text:
        return Answer(found, note=_none(bank))
    return Answer(found, (*(found.versions if versions else ()), found.text, *parts))


@verb("profile")
def profile(bank: Bank, *, persona: str | None = None, projects: str | None = None) -> Answer:
    """Show or set the profile that begins every prompt: the agent's role, and work under way."""
    if persona is not None or projects is not None:
        bank.set_profile(persona=persona, projects=projects)
    found = bank.profile()
    how = "found in what is spoken of lately" if found.projects_made else "as you said"
    return Answer(found, [
        "Who the agent is: " + (found.persona or "nothing said; --persona says it"),
        *([f"Under way, {how}:", *(f"  {line}" for line in found.projects.splitlines())]
          if found.projects else ["Under way: nothing said or found; --projects says it"]),
    ])  # fmt: skip


@verb("gists")
def gists(bank: Bank) -> Answer:
    """List gists, each the essence of several memories, the most mature first."""
    found = bank.gists()
    rows = [
        (g.text, str(len(g.sources)), f"{g.made_at:%Y-%m-%d}",
         f"{g.activation:.2f}{' silent' if g.silent else ''}")
        for g in found
    ]  # fmt: skip
    return listed(found, table(rows, "gist", "memories", "made", "activation"), _none(bank))


@verb("topics")
def topics(bank: Bank, *, plot: Path | None = None, force: bool = False) -> Answer:
    """Show the topics of a bank, narrow ones under broad ones."""
    from hippocampus.sleep.topic_plot import plot_topics  # noqa: PLC0415 - the engine, once used

    found = bank.topics()
    if plot is not None:
        plot_topics(found, plot, overwrite=force)
    return listed(found, "\n".join(bank.topic_outline()), _none(bank))


@verb("communities")
def communities(bank: Bank) -> Answer:
    """Show the communities of a bank: topics that are said together, and a summary of each."""
    found = bank.communities()
    shown = [
        line
        for one in found
        for line in (
            Text(f"{one.name}  ({one.episodes:,} memories, {one.share:.0%})", "bold"),
            Text(clean(f"  {one.summary}")),
            Text(clean(f"  {', '.join(t.replace('_', ' ') for t in one.topics[3:12])}\n"), "dim"),
        )
    ]
    return listed(found, shown, _none(bank))


def _none(bank: Bank) -> str:
    """Return why a list of what sleep makes is empty."""
    if bank.sleeps():
        return f"none in bank {bank.name!r}"
    return f"nothing yet: bank {bank.name!r} has not slept; 'hippocampus sleep' makes this"


# ---------------------------------------------------------------- anchors


@verb("anchors list")
def list_(bank: Bank) -> Answer:
    """List the anchors, the most salient first."""
    anchors = bank.anchors()
    rows = [(a.name, a.kind, f"{a.salience:.1f}", f"{a.episodes}") for a in anchors]
    made = table(rows, "anchor", "kind", "salience", "episodes")
    return listed(anchors, made, _none(bank))


@verb("anchors report")
def report(bank: Bank) -> Answer:
    """Show the life of the anchors: born when and of what, fading, merged or given up, and why."""
    anchors, ended = bank.anchors(), bank.anchors(pruned=True)
    names = {
        "promotable": [one.name for one in anchors if _discovered(one) and one.strong >= _LONG],
        "weak": [one.name for one in anchors if _discovered(one) and one.weak],
        "pruned": [one.name for one in ended],
    }
    shown = zip(("worth keeping", "fading", "given up"), names.values(), strict=True)
    told = [f"{what}: {', '.join(some) or 'none'}" for what, some in shown]
    lives = sorted([*anchors, *ended], key=lambda one: one.ended_at or one.found_at, reverse=True)
    rows = [_life(one) for one in lives[:_LIVES]]
    if len(lives) > _LIVES:
        told.append(f"the last {_LIVES} of {len(lives)} lives; --json has all:")
    found = names | {"lives": [*anchors, *ended]}
    return Answer(found, [*told, table(rows, "anchor", "kind", "born", "from", "then")])


_LONG: Final = 3
"""Sleeps in a row in which an anchor stayed salient, from which on it may be worth keeping."""
_LIVES: Final = 40
"""Lives that are told, those that changed last; ``--json`` has all. Chosen by hand."""


def _discovered(anchor: AnchorInfo) -> bool:
    return anchor.kind == "discovered"


def _life(anchor: AnchorInfo) -> tuple[str, ...]:
    """Return a line on an anchor: its birth, where it comes from, and what became of it."""
    then = f"{anchor.episodes} episodes"
    if anchor.weak and anchor.ended_at is None:
        then += f", fading for {anchor.weak}"
    if anchor.why or anchor.ended_at is not None:
        day = f" {anchor.ended_at:%Y-%m-%d}" if anchor.ended_at else ""
        into = f" into {anchor.into}" if anchor.into else ""
        then = f"{anchor.why or 'given up'}{into}{day}"
    born = f"{anchor.found_at:%Y-%m-%d}"
    return anchor.name, anchor.kind, born, anchor.origin or "", then


_NEXT_SLEEP = "'hippocampus sleep' heeds it"


@verb("anchors add")
def add(bank: Bank, names: list[str]) -> Answer:
    """Make words or phrases anchors from the next sleep on; they are never given up."""
    bank.curate(add=names)
    return Answer({"add": names}, _NEXT_SLEEP)


@verb("anchors deny")
def deny(bank: Bank, names: list[str]) -> Answer:
    """Have words or phrases call nothing up from now on, and never be anchors."""
    bank.curate(deny=names)
    return Answer({"deny": names}, "heeded from now on")


@verb("anchors remove")
def remove(bank: Bank, names: list[str]) -> Answer:
    """Take back what 'add' or 'deny' said."""
    bank.curate(remove=names)
    return Answer({"remove": names}, _NEXT_SLEEP)


@verb("anchors sources")
def sources(bank: Bank, names: list[str] | None = None, *, every: bool = False) -> Answer:
    """Have anchors lead to memories of these sources only; without any, say which they are."""
    if names and every:
        raise InputError(f"--every {names[0]}: name the only sources, or say --every, not both")
    if names or every:
        bank.curate(sources=names or ())
    only = bank.curated().sources
    lines = ["every source, or those that the configuration names"] if only is None else only
    return Answer({"sources": only}, list(lines))


@verb("anchors export")
def export(bank: Bank, path: Path, *, force: bool = False) -> Answer:
    """Write the concept index as JSON."""
    count = bank.export_concepts(path, overwrite=force)
    return Answer({"anchors": count}, f"{count:,} anchors written to {path}")


@verb("anchors import", embed=True)
def import_(bank: Bank, path: Path) -> Answer:
    """Use a concept index that was exported, or edited since."""
    count = bank.import_concepts(path)
    return Answer({"anchors": count}, f"{count:,} anchors read from {path}")
