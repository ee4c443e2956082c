"""
Answers of tools within a budget of tokens: data for programs, and text for models.

A client shows its model one or the other, so each keeps to the budget and says all: the memories
and where they come from, what was left out, and what recall went on without. In the text a memory
is quoted and indented, so that nothing remembered can pass for a line of ours or close the tags
around it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any, TypeVar

from hippocampus.core.clock import in_zone
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.quotes import CLOSE, INDENT, OPEN, line, quote
from hippocampus.mcp.schemas import ToolAnswer

if TYPE_CHECKING:  # they bring NumPy, and tools are listed without
    from hippocampus.core.records import (
        Change,
        Context,
        Episode,
        Fact,
        Hit,
        Interval,
        Recall,
        Stats,
    )

_LABEL = 100
"""Characters of a session, source or speaker that are shown; they may have thousands."""
_REASON = 100, 200
"""Characters of a reason's beginning and end that are shown; what to do about it comes last."""
_REASONS = 3
"""Reasons that are told, so that those, however many, leave room for memories. Chosen by hand."""
_NAMED = 5
"""Most of a kind that are named: memories left out, sessions, sources."""
_NEAREST = 3
"""Memories that are shown where none is relevant. Chosen by hand."""
_UNSURE = 0.3
"""Confidence from which on one of these may well be the answer."""
_LEAST_SCORE, _SHARE_OF_BEST = 0.02, 0.05
"""Score, and share of the best one's, below which a memory has nothing to do with the question."""
_CHANGES = 10
"""Changes of a memory that are told, the latest. Chosen by hand."""
_LONGEST_CUT = 1 << 18
"""Characters of a text, of which some might fit the largest budget."""

Item = TypeVar("Item")


def fit(
    items: Sequence[Item],
    budget_tokens: int,
    make: Callable[[Sequence[Item], Sequence[Item]], ToolAnswer],
    shorten: Callable[[Item, int], Item] | None = None,
) -> ToolAnswer:
    """
    Return the answer with as many items as fit, the first ones first; the rest is left out.

    ``make`` is given what is in and what is out. If not even the first item fits whole, it is
    given as much of its text as does, where ``shorten`` knows how.
    """

    def room(inside: Sequence[Item], outside: Sequence[Item]) -> bool:
        return make(inside, outside).tokens <= budget_tokens

    whole = _most(len(items), lambda n: room(items[:n], items[n:]))
    if whole == 0 and items and shorten is not None:
        first, rest = items[0], items[1:]
        letters = _most(_LONGEST_CUT, lambda n: room([shorten(first, n)], rest))
        if letters:
            return make([shorten(first, letters)], rest)
    return make(items[:whole], items[whole:])


def _most(stop: int, holds: Callable[[int], bool]) -> int:
    """Return the largest number from 0 to ``stop`` for which something that ends holds."""
    if stop and holds(stop):
        return stop
    best = 0
    while stop - best > 1:
        middle = (best + stop) // 2
        best, stop = (middle, stop) if holds(middle) else (best, middle)
    return best


# ---------------------------------------------------------------- memories


@immutable(kw_only=False)
class ShownMemory:
    """A memory that is to be shown, whole or in part."""

    episode: Episode
    hit: Hit | None = None
    cut: bool = False
    bank: str | None = None
    """Its bank, where several were read."""

    def shortened(self, characters: int) -> ShownMemory:
        """Return it with the beginning of its text; where that is short, names give way to it."""
        episode, named = self.episode, characters >= _LABEL
        if characters >= len(episode.text) and named:
            return self
        if not named:
            episode = replace(
                episode, speaker=None, role=None, session=None, source=None, address=episode.id
            )
        if characters < len(episode.text):
            episode = replace(episode, text=f"{episode.text[:characters].rstrip()} […]")
        return replace(self, episode=episode, cut=True)

    def data(self, zone: tzinfo) -> dict[str, Any]:
        """Return it as a ``MemoryEntry``."""
        episode, hit = self.episode, self.hit
        return said(
            id=episode.id,
            when=moment(episode.occurred_at, zone),
            text=episode.text,
            speaker=short(episode.speaker),
            role=short(episode.role),
            session=short(episode.session),
            source=short(episode.source),
            origin=episode.origin,
            suspect=episode.suspect or None,
            address=None if episode.address == episode.id else short(episode.address),
            score=None if hit is None else round(hit.score, 2),
            over_since=None if hit is None else moment(hit.valid_to, zone),
            corrected_by=None if hit is None else hit.corrected_by,
            state=None if episode.state == "active" else episode.state,
            cut=self.cut or None,
            bank=short(self.bank),
        )

    def text(self, zone: tzinfo) -> str:
        """Return it as lines: our words in the first, the speaker's indented under it."""
        data = self.data(zone)
        told = [f"id {self.episode.id}"]
        if "score" in data:
            told.append(f"score {data['score']:.2f}")
        # In quotes, or a name with a comma in it could pass for another of our words.
        told += [
            f"{name.replace('_', ' ')} {quote(json.dumps(data[name], ensure_ascii=False))}"
            for name in (
                "bank",
                "session",
                "source",
                "over_since",
                "corrected_by",
                "state",
                "suspect",
            )
            if name in data
        ]
        if self.cut:
            told.append("cut to fit")
        return f"{', '.join(told)}\n{INDENT}{line(self.episode, zone)}"


def memories_text(shown: Sequence[ShownMemory], zone: tzinfo) -> list[str]:
    """Return memories as text, between tags that mark them as data."""
    return [OPEN, *(one.text(zone) for one in shown), CLOSE] if shown else []


# ---------------------------------------------------------------- what an answer says of itself


def said(**parts: object) -> dict[str, Any]:
    """Return data without the parts that say nothing, which are None."""
    return {name: part for name, part in parts.items() if part is not None}


def left_out(dropped: int, some: Sequence[str]) -> list[str]:
    """Say in a line how many memories were left out, some by their ids."""
    named = f" ({', '.join(some)}{', …' if len(some) < dropped else ''})" if some else ""
    line_ = (
        f"Left out for want of room: {dropped}{named}."
        " Raise budget_tokens, or look at one with timeline(id=…)."
    )
    return [line_] if dropped else []


def without(reasons: Sequence[str]) -> list[str]:
    """Say in lines what an answer went on without."""
    return [f"Went on without {quote(reason)}" for reason in reasons]


# ---------------------------------------------------------------- the answers


def recalled(
    found: Recall, budget_tokens: int, zone: tzinfo, degraded: Iterable[str] = ()
) -> ToolAnswer:
    """Return the hits of a recall, as ``Recalled``."""
    reasons = reasons_of([*map(str, found.degraded), *degraded])
    when = None if found.when is None else _stretch(found.when, zone)

    def make(shown: Sequence[ShownMemory], left: Sequence[ShownMemory]) -> ToolAnswer:
        some = [one.episode.id for one in left[:_NAMED]]
        data = said(
            found=found.found,
            confidence=round(found.confidence, 2),
            memories=[one.data(zone) for one in shown],
            dropped=len(left),
            when=when,
            dropped_ids=some or None,
            degraded=reasons or None,
        )
        lines = [_verdict(found, shown), *([] if when is None else [f"When: {when}."])]
        lines += memories_text(shown, zone) + left_out(len(left), some) + without(reasons)
        return ToolAnswer(data, "\n".join(lines))

    hits = found if found.found else found.hits[:_NEAREST]
    several = len({hit.bank for hit in hits}) > 1
    shown = [ShownMemory(hit.episode, hit, bank=hit.bank if several else None) for hit in hits]
    return fit(shown, budget_tokens, make, ShownMemory.shortened)


def near_the_best(found: Recall) -> Recall:
    """Return a recall that found something without the hits far behind the best."""
    best = max((hit.score for hit in found.hits), default=0.0)
    least = min(best, max(_LEAST_SCORE, _SHARE_OF_BEST * best))
    if not found.found:
        return found
    return replace(found, hits=tuple(hit for hit in found.hits if hit.score >= least))


def _verdict(found: Recall, shown: Sequence[ShownMemory]) -> str:
    sure = f"confidence {found.confidence:.2f}"
    if found.found:
        return f"Found ({sure}), the best first:" if shown else f"Found ({sure})."
    unsure = shown and found.confidence >= _UNSURE
    nothing = (
        f"{'Nothing surely answers it' if unsure else 'Nothing relevant is remembered'} ({sure})"
    )
    if found.note:
        nothing = f"{nothing}. {found.note.rstrip('.')}"
    return f"{nothing}; the nearest:" if shown else f"{nothing}."


def _stretch(interval: Interval, zone: tzinfo) -> str:
    return " to ".join(moment(end, zone) or "…" for end in (interval.start, interval.end))


def composed(
    compose: Callable[[int], Context], budget_tokens: int, degraded: Sequence[str] = ()
) -> ToolAnswer:
    """
    Return a context, and under it where its memories come from.

    ``compose`` makes it within a number of tokens. Quoted as data it takes more than it has, by
    how much nobody knows before, so it is made smaller until all fits.
    """
    room = budget_tokens * 3 // 4
    while True:
        made = compose(room)
        answer = _composed(made, budget_tokens, degraded)
        if answer.tokens <= budget_tokens or not made.text:
            return answer
        # Less each time, whatever the rounding, so that it comes to an end.
        room = room * budget_tokens // (answer.tokens + 1)


def _composed(made: Context, budget_tokens: int, degraded: Sequence[str]) -> ToolAnswer:
    from hippocampus.context.render import in_time  # noqa: PLC0415 - brings NumPy

    found = made.recall
    # Ids are told in the order in which the text has them.
    hits = sorted(made.items, key=lambda hit: in_time(hit.episode))
    reasons = reasons_of([*map(str, found.degraded), *degraded])
    provenance = [
        *(("id", hit.id) for hit in hits),
        *(("session", name) for name in names(hit.episode.session for hit in hits)),
        *(("source", name) for name in names(hit.episode.source for hit in hits)),
        *(("left", left.id) for left in made.left_out[:_NAMED]),
    ]

    def make(told: Sequence[tuple[str, str]], _: Sequence[tuple[str, str]]) -> ToolAnswer:
        ids, sessions, sources, some = _by_kind(told, "id", "session", "source", "left")
        data = said(
            found=found.found,
            confidence=round(found.confidence, 2),
            text=made.text,
            tokens=made.tokens,
            ids=ids,
            dropped=len(made.left_out),
            ids_left_out=len(hits) - len(ids) or None,
            sessions=sessions or None,
            sources=sources or None,
            dropped_ids=some or None,
            degraded=reasons or None,
        )
        nothing = "No memory fits whole." if made.left_out else "Nothing is remembered about it."
        lines = [made.text or nothing]
        if made.text and not found.found:
            lines.insert(0, "Nothing of it surely bears on the question.")
        if ids:
            more = ", …" if len(ids) < len(hits) else ""
            lines.append(f"Ids, in that order: {', '.join(ids)}{more}")
        if sessions:
            lines.append(f"Sessions: {quote(_listing(sessions))}")
        if sources:
            lines.append(f"Sources: {quote(_listing(sources))}")
        lines += left_out(len(made.left_out), some) + without(reasons)
        return ToolAnswer(data, "\n".join(lines))

    return fit(provenance, budget_tokens, make)


def _by_kind(told: Sequence[tuple[str, str]], *kinds: str) -> Iterator[list[str]]:
    """Yield for each kind the names of it."""
    return ([name for kind, name in told if kind == wanted] for wanted in kinds)


def listed(
    episodes: Sequence[Episode],
    budget_tokens: int,
    zone: tzinfo,
    *,
    offset: int,
    limit: int,
    degraded: Iterable[str] = (),
) -> ToolAnswer:
    """Return a page of a timeline, as ``Listed``; the next one begins with what does not fit."""
    reasons = reasons_of(degraded)

    def make(shown: Sequence[ShownMemory], left: Sequence[ShownMemory]) -> ToolAnswer:
        entries = [one.data(zone) for one in shown]
        lines = memories_text(shown, zone) or ["Nothing is there."]
        # A full page may be the last one, which only the next shows.
        goes_on = offset + len(shown) if left or len(episodes) == limit else None
        if goes_on is not None:
            why = f"{len(left)} more found, left out for want of room; go" if left else "Go"
            lines.append(f"{why} on with offset={goes_on}.")
        data = said(
            memories=entries, dropped=len(left), next_offset=goes_on, degraded=reasons or None
        )
        return ToolAnswer(data, "\n".join([*lines, *without(reasons)]))

    return fit([ShownMemory(one) for one in episodes], budget_tokens, make, ShownMemory.shortened)


def looked_at(
    episode: Episode, changes: Sequence[Change], budget_tokens: int, zone: tzinfo
) -> ToolAnswer:
    """Return one memory whole, as far as it fits, and its latest changes, as ``Listed``."""
    happened = [
        said(at=moment(change.at, zone), change=change.kind, id=change.episode)
        for change in reversed(changes[-_CHANGES:])
    ]

    def make(shown: Sequence[ShownMemory], told: Sequence[Mapping[str, str]]) -> ToolAnswer:
        history = list(reversed(told))
        entries = [one.data(zone) for one in shown]
        data = said(memories=entries, history=history, dropped=0 if shown else 1)
        lines = [*memories_text(shown, zone), "History:"]
        lines += [f"{one['at']} {one['change']} {one.get('id', '')}".rstrip() for one in history]
        return ToolAnswer(data, "\n".join(lines))

    # The latest changes, in half of the room; the memory has the rest.
    most = _most(len(happened), lambda n: 2 * make([], happened[:n]).tokens <= budget_tokens)
    told = happened[:most]
    return fit(
        [ShownMemory(episode)], budget_tokens, lambda one, _: make(one, told), ShownMemory.shortened
    )


def kept(
    episode: Episode, zone: tzinfo, *, new: bool, replaces: str | None = None, unembedded: str = ""
) -> ToolAnswer:
    """Return the result of remembering, as ``Kept``; ``unembedded``: without vectors."""
    when = moment(episode.occurred_at, zone)
    parts = episode.parts if episode.parts > 1 else None
    state = None if episode.state == "active" else episode.state
    verb = "Corrected" if replaces else "Remembered" if new else "Remembered already"
    told = f"{verb} as {episode.id}, {when}"
    if replaces is not None:
        told += f", in place of {replaces}, which stays in its history"
    if parts is not None:
        told += f", in {parts} parts"
    if state is not None:
        back = "; forget with undo=true brings it back" if state == "forgotten" else ""
        told += f"; it is {state}, and recall does not show it{back}"
    data = said(id=episode.id, when=when, new=new, replaces=replaces, parts=parts, state=state)
    return _by_words(ToolAnswer(data, f"{told}."), unembedded if new else "")


def without_secrets(answer: ToolAnswer, kinds: Sequence[str]) -> ToolAnswer:
    """Add the kinds of secrets that were not kept, if there are any."""
    if not kinds:
        return answer
    return ToolAnswer(answer.data, f"{answer.text} It is kept without its {', '.join(kinds)}.")


def _by_words(answer: ToolAnswer, unembedded: str) -> ToolAnswer:
    """Add why what was kept is found by its words alone, if it is."""
    if not unembedded:
        return answer
    why = f"embedder: {unembedded}"
    return ToolAnswer(
        {**answer.data, **said(degraded=[why])},
        f"{answer.text} It has no vectors, and is found by words alone ({why}).",
    )


def many_kept(
    episodes: Sequence[Episode], zone: tzinfo, *, since: datetime, unembedded: str = ""
) -> ToolAnswer:
    """Return the result of keeping a chat's messages, as ``Kept``; new ones are after ``since``."""
    # A long message is kept in parts; a part alone is what a message quotes.
    episodes = [
        one for place, one in enumerate(episodes)
        if not (place and _goes_on(episodes[place - 1], one))
    ]  # fmt: skip
    fresh = [one for one in episodes if one.recorded_at >= since]
    first = episodes[0]
    data = said(
        id=first.id, when=moment(first.occurred_at, zone), new=bool(fresh),
        ids=[one.id for one in episodes],
    )  # fmt: skip
    old = len(episodes) - len(fresh)
    already = f"; {old} of them were remembered already" if old else ""
    told = f"Remembered {len(episodes)} messages, from {first.id} on{already}."
    return _by_words(ToolAnswer(data, told), unembedded if fresh else "")


def _goes_on(before: Episode, after: Episode) -> bool:
    """Return whether two episodes are parts of one text, one after the other."""
    return before.parts == after.parts and before.part + 1 == after.part


def stated(
    facts: Sequence[Fact], budget_tokens: int, now: datetime, degraded: Iterable[str] = ()
) -> ToolAnswer:
    """Return facts, as ``Stated``; present ones come first where there is no room for all."""
    reasons, zone = reasons_of(degraded), now.tzinfo
    assert zone is not None, "it is of the memory's clock"

    def is_so(fact: Fact) -> bool:
        """Return whether a fact holds, though its end may be told already."""
        return fact.current or (fact.valid_to is not None and fact.valid_to > now)

    def data(fact: Fact) -> dict[str, Any]:
        state = "denied" if fact.denied else "planned" if fact.planned else ""
        return said(
            fact=" ".join((fact.subject, fact.relation.replace("_", " "), fact.object)).strip(),
            subject=fact.subject,
            relation=fact.relation,
            object=fact.object,
            since=moment(fact.valid_from, zone),
            until=moment(fact.valid_to, zone),
            state=state or ("current" if is_so(fact) else "over"),
            ids=list(fact.sources[-_NAMED:]),
        )

    def make(shown: Sequence[Fact], left: Sequence[Fact]) -> ToolAnswer:
        chosen = set(map(id, shown))
        # In the order of the list, whichever of them were chosen first.
        told = [data(fact) for fact in facts if id(fact) in chosen]
        lines = [
            f"{quote(one['fact'])} ({', '.join(_ends(one))}; ids {', '.join(one['ids'])})"
            for one in told
        ]
        lines = [OPEN, *lines, CLOSE] if lines else ["No fact is known."]
        if left:
            lines.append(f"Left out for want of room: {len(left)}. Raise budget_tokens.")
        made = said(facts=told, dropped=len(left), degraded=reasons or None)
        return ToolAnswer(made, "\n".join([*lines, *without(reasons)]))

    return fit(sorted(facts, key=lambda fact: not is_so(fact)), budget_tokens, make)


def _ends(fact: Mapping[str, Any]) -> list[str]:
    """Return the state of a fact, and its start and end, in words."""
    ends = [f"{name} {fact[name][:10]}" for name in ("since", "until") if name in fact]
    return [fact["state"], *ends]


def changed(number: int, what: str, why: Iterable[str] = ()) -> ToolAnswer:
    """Return the number of memories changed, the meaning of that, and why others did not change."""
    memories = "1 memory" if number == 1 else f"{number} memories"
    lines = "".join(f"\n{line}." for line in why)
    return ToolAnswer({"changed": number}, f"{memories} {what}{lines}")


def held(
    stats: Stats,
    budget_tokens: int,
    zone: tzinfo,
    *,
    slept: datetime | None,
    version: str,
    banks: Sequence[str],
    degraded: Iterable[str],
) -> ToolAnswer:
    """Return the size of a bank, and how well it can be searched, as ``BankStatus``."""
    reasons = reasons_of(degraded)
    found = [
        *(("speakers", name) for name in names(stats.speakers)),
        *(("sources", name) for name in names(stats.sources)),
        *(("banks", name) for name in banks),
    ]

    def make(told: Sequence[tuple[str, str]], _: Sequence[tuple[str, str]]) -> ToolAnswer:
        speakers, sources, named = _by_kind(told, "speakers", "sources", "banks")
        data = said(
            bank=stats.bank,
            memories=stats.episodes,
            forgotten=stats.forgotten,
            superseded=stats.superseded,
            sessions=stats.sessions,
            speakers=speakers,
            sources=sources,
            bytes=sum(stats.stored_bytes.values()),
            embedder=stats.embedder or "none",
            version=version,
            dropped=len(banks) - len(named),
            first=moment(stats.first, zone),
            last=moment(stats.last, zone),
            slept=moment(slept, zone),
            banks=named or None,
        )
        lines = [
            f"{name}: {quote(_listing(value) if isinstance(value, list) else str(value))}"
            for name, value in data.items()
            if value not in ([], 0)
        ]
        lines += [f"goes without {quote(reason)}" for reason in reasons]
        return ToolAnswer(data | said(degraded=reasons or None), "\n".join(lines))

    return fit(found, budget_tokens, make)


# ---------------------------------------------------------------- values


def _listing(found: Sequence[str]) -> str:
    """Return names in quotes, so that none can pass for several."""
    return ", ".join(json.dumps(name, ensure_ascii=False) for name in found)


def names(found: Iterable[str | None]) -> list[str]:
    """Return different names, the first ones."""
    return [name for name in map(short, dict.fromkeys(found)) if name][:_NAMED]


def moment(when: datetime | None, zone: tzinfo) -> str | None:
    """Return a moment to the second, with its offset."""
    return None if when is None else in_zone(when, zone).isoformat(timespec="seconds")


def short(label: str | None) -> str | None:
    """Return a label in one line, and not without end; None if it is empty."""
    flat = " ".join((label or "").split())
    return (flat if len(flat) <= _LABEL else f"{flat[: _LABEL - 1]}…") or None


def reasons_of(told: Iterable[str]) -> list[str]:
    """Return the first reasons, each in a line, a long one without its middle."""
    head, tail = _REASON
    flat = [" ".join(reason.split()) for reason in told][:_REASONS]
    return [one if len(one) <= head + tail else f"{one[:head]}…{one[-tail:]}" for one in flat]
