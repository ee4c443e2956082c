"""The commands that only read: recall, context, find, count, trend, episodes, show and more."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import tzinfo
from typing import TYPE_CHECKING, Annotated, Literal

from rich.text import Text

from hippocampus.cli.command import verb
from hippocampus.cli.options import (
    Cues,
    FilterOptions,
    Now,
    Question,
    Words,
    along,
    bits_or_auto,
    text_or_stdin,
)
from hippocampus.cli.recalled import HITS, told
from hippocampus.cli.render import (
    Answer,
    Verbatim,
    clean,
    episode_table,
    events_view,
    listed,
    memories,
    moment_text,
    pairs,
    short_id,
    table,
    trend_view,
)
from hippocampus.core.clock import in_zone
from hippocampus.core.constraints import check_whole
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.parameter_groups import ParameterGroup

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.core.records import Change, Stats
    from hippocampus.memory import Memory


@verb("recall", embed=True)
def recall(
    bank: Bank,
    query: Question,
    *,
    k: int = HITS,
    cues: Cues = None,
    now: Now = None,
    min_score: float = 0.0,
    full: bool = False,
    ids: bool = False,
    explain: bool = False,
    include: list[str] | None = None,
    filters: FilterOptions,
    zone: tzinfo,
) -> Answer:
    """Find the memories that answer a question, and say why."""
    found = bank.recall(
        " ".join(query),
        k,
        cues=cues,
        now=now,
        min_score=min_score,
        include=along(include),
        **filters.given(),
    )
    return told(found, zone, full=full, ids=ids, explain=explain)


@verb("explain", embed=True)
def explain(
    bank: Bank,
    query: Question,
    *,
    row: list[str] | None = None,
    k: int = 5,
    cues: Cues = None,
    now: Now = None,
    min_score: float = 0.0,
    include: list[str] | None = None,
    filters: FilterOptions,
) -> Answer:
    """Walk through a recall: what was read, proposed, weighed and decided, and why."""
    made = bank.explain(
        " ".join(query),
        k,
        ids=row or (),
        cues=cues,
        now=now,
        min_score=min_score,
        include=along(include),
        **filters.given(),
    )
    return Answer(made, clean(str(made)), success=made.recall.found)


@immutable
class PromptOptions(ParameterGroup):
    """The parts of a prompt beside what is recalled, and how many there are of each."""

    system: str = ""
    persona: str | None = None
    projects: str | None = None
    summary: str | None = None
    user: str = ""
    recent: int = 0
    pointers: int = 0
    gists: int = 0
    without: list[str] | None = None


@verb("context", embed=True)
def context(
    bank: Bank,
    query: Question,
    *,
    budget_tokens: int = 3500,
    k: int = 50,
    prompt: PromptOptions,
    cues: Cues = None,
    now: Now = None,
    min_score: float | None = None,
    include: list[str] | None = None,
    filters: FilterOptions,
) -> Answer:
    """Compose a text for a prompt: the memories that answer a question, within a token budget."""
    asked = prompt.given() | filters.given() | {"without": prompt.without or ()}
    asked["include"] = along(include)
    made = bank.context(
        " ".join(query), budget_tokens, k=k, cues=cues, now=now, min_score=min_score, **asked
    )
    full = (
        f"{made.tokens:,} of {made.budget_tokens:,} tokens: {memories(len(made.items))},"
        f" {len(made.left_out):,} left out"
    )
    some = bool(made.items)
    unsure = "" if made.recall.found else "; nothing relevant was found, these are the nearest"
    told = Text(full + unsure * some, "dim")
    return Answer(made, Verbatim(made.text), note=told, success=some)


@verb("compact-session")
def compact_session(bank: Bank, session: str, *, budget_tokens: int = 2000) -> Answer:
    """Fit one conversation into a token budget: the newest whole, of the rest what matters."""
    made = bank.compact_session(session, budget_tokens)
    told = (
        f"{made.tokens:,} of {made.budget_tokens:,} tokens: {len(made.kept):,} turns whole,"
        f" {len(made.shortened):,} shortened, {len(made.left_out):,} left out"
    )
    return Answer(made, Verbatim(made.text), note=Text(told, "dim"), success=bool(made.text))


@verb("find")
def find(
    bank: Bank,
    terms: Annotated[list[str], text_or_stdin],
    *,
    limit: int | None = 20,
    offset: int = 0,
    newest: bool = False,
    radius: Annotated[int | Literal["auto"] | None, bits_or_auto] = None,
    filters: FilterOptions,
    zone: tzinfo,
) -> Answer:
    """List the memories that have a word or phrase in them; of several, all."""
    found = bank.find(
        *terms, limit=limit, offset=offset, newest=newest, radius=radius, **filters.given()
    )
    return listed(found, episode_table(found, zone), "no memory has that in it and fits")


@verb("count")
def count(bank: Bank, term: Words, *, filters: FilterOptions) -> Answer:
    """Count the occurrences of a word or phrase."""
    times = bank.count(term, **filters.given())
    return Answer({"term": term, "count": times}, f"{times}")


@verb("count-events", embed=True)
def count_events(
    bank: Bank, question: Question, *, now: Now = None, filters: FilterOptions, zone: tzinfo
) -> Answer:
    """Count the times that something took place, and list them."""
    found = bank.count_events(" ".join(question), now=now, **filters.given())
    return Answer(found, events_view(found, zone))


@verb("trend")
def trend(bank: Bank, term: Words, *, by: str = "week", filters: FilterOptions) -> Answer:
    """Show the number of occurrences of a word or phrase, period by period."""
    found = bank.trend(term, by, **filters.given())  # type: ignore[arg-type]  # it looks
    return Answer({"term": term, "by": by, "periods": found}, trend_view(found, by))


@verb("episodes")
def episodes(
    bank: Bank,
    *,
    limit: int | None = 20,
    offset: int = 0,
    newest: bool = False,
    forgotten: bool = False,
    filters: FilterOptions,
    zone: tzinfo,
) -> Answer:
    """List memories in order of time."""
    found = bank.episodes(
        limit=limit, offset=offset, newest=newest, forgotten=forgotten, **filters.given()
    )
    return listed(found, episode_table(found, zone), "no memory fits")


@verb("show")
def show(bank: Bank, id: str, *, zone: tzinfo) -> Answer:  # noqa: A002
    """Show one episode whole, in whatever state it is."""
    found = bank.get(id)
    rows = []
    for name in (f.name for f in fields(found) if f.name != "text"):
        value = getattr(found, name)
        if value in (None, "", {}) or (name in ("part", "parts") and found.parts == 1):
            continue
        if name in ("occurred_at", "recorded_at"):
            value = moment_text(value, zone)
        elif name == "metadata":
            value = json.dumps(dict(value), ensure_ascii=False)
        rows.append((name, str(value)))
    return Answer(found, (pairs(rows), Text(""), Text(clean(found.text))))


@verb("history")
def history(
    bank: Bank,
    id: str | None = None,  # noqa: A002
    *,
    after: int = 0,
    limit: int | None = 50,
    newest: bool = False,
    zone: tzinfo,
) -> Answer:
    """List the changes to an episode and its other versions, or to the whole bank."""
    check_whole(limit=limit, optional=True)
    if id is None:
        # One more tells that there are more; the last are known once all are read.
        most = None if limit is None or newest else limit + 1
        every = bank.journal(after=after, limit=most)
    else:
        limit, every = None, bank.history(id)
    changes = (every[::-1] if newest else every)[:limit]
    rows = [
        (str(c.seq), moment_text(c.at, zone), c.kind, short_id(c.episode or ""), _detail(c))
        for c in changes
    ]
    told = listed(
        changes, table(rows, "seq", "at", "change", "episode", "detail"), "no change fits"
    )
    if len(every) <= len(changes) or not changes:
        return told
    ways = "" if newest else f"--newest lists the last first, --after {changes[-1].seq} goes on, "
    return told._replace(note=f"there are more: {ways}--limit N lists more at once")


def _detail(change: Change) -> str:
    return ", ".join(f"{k} {v}" for k, v in change.detail.items() if v != change.episode)


@verb("stats")
def stats(bank: Bank, *, tiers: bool = False, zone: tzinfo) -> Answer:
    """Show the size of a bank: memories, sessions, speakers, bytes."""
    return _held(bank, zone, tiers=tiers)


@verb("status")
def status(bank: Bank, *, tiers: bool = False, zone: tzinfo) -> Answer:
    """Show the size of a bank; another name for stats."""
    return _held(bank, zone, tiers=tiers)


def _held(bank: Bank, zone: tzinfo, *, tiers: bool) -> Answer:
    held = bank.stats()
    if tiers:
        shown = [(t.name, f"{t.memories:,}", f"{t.nbytes:,}", _TIERS[t.name]) for t in held.tiers]
        return Answer(held.tiers, table(shown, "tier", "memories", "bytes", "what is in it"))
    times = [moment_text(t, zone) for t in (held.first, held.last) if t is not None]
    rows = [
        ("bank", held.bank),
        ("episodes", f"{held.episodes:,}"),
        ("superseded", f"{held.superseded:,}"),
        ("forgotten", f"{held.forgotten:,}"),
        ("sessions", f"{held.sessions:,}"),
        ("speakers", _some(held.speakers)),
        ("sources", _some(held.sources)),
        ("time", " to ".join(times)),
        ("bytes", ", ".join(f"{kind} {n:,}" for kind, n in held.stored_bytes.items())),
        ("tiers", _in_tiers(held)),
        ("embedder", held.embedder or "none"),
    ]
    if held.uncalibrated is not None:
        rows.append(("thresholds", held.uncalibrated))
    return Answer(held, pairs(rows))


def _in_tiers(held: Stats) -> str:
    """Return the number of memories in each tier; one may be in several, so they do not add up."""
    numbers = ", ".join(f"{t.name} {t.memories:,}" for t in held.tiers)
    return f"{numbers}; each of the {held.episodes:,} may be in several, see --tiers"


_TIERS = {
    "hot": "said or recalled lately; texts read lately, in memory",
    "warm": "the index, in memory",
    "cold": "texts in sealed blocks, in the file",
}


@verb("sources")
def sources(bank: Bank, *, zone: tzinfo) -> Answer:
    """List the sources of memories: files, and systems that were named."""
    found = bank.sources()
    rows = [
        (
            s.name,
            f"{s.episodes:,}",
            f"{s.forgotten:,}" if s.forgotten else "",
            " to ".join(
                dict.fromkeys(f"{in_zone(t, zone).date()}" for t in (s.first, s.last) if t)
            ),
            (s.format or "") + (", synced" if s.synced else ""),
            s.place or "",
        )
        for s in found
    ]
    heads = ("source", "memories", "forgotten", "time", "format", "file")
    return listed(found, table(rows, *heads), "no memory has a source")


@verb("sessions")
def sessions(bank: Bank, *, zone: tzinfo) -> Answer:
    """List the sessions of memories, the latest first: conversations and documents."""
    found = bank.sessions()
    rows = [
        (
            s.name,
            f"{s.episodes:,}",
            " to ".join(dict.fromkeys(moment_text(t, zone) for t in (s.first, s.last))),
        )
        for s in found
    ]
    return listed(found, table(rows, "session", "memories", "time"), "no memory has a session")


def _some(names: tuple[str, ...], most: int = 8) -> str:
    more = f", … ({len(names):,} in all)" if len(names) > most else ""
    return ", ".join(names[:most]) + more


@verb("banks", opens="memory")
def banks(memory: Memory) -> Answer:
    """List the banks of a store."""
    names = memory.banks()
    return Answer(names, names)
