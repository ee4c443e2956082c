"""Compose a prompt-ready context from a recall, within a token budget counted exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import tzinfo

from hippocampus.encode.tokens import count
from hippocampus.errors import BudgetTooSmall
from hippocampus.model import Context, Episode, Hit, Pointer, Recall
from hippocampus.quotes import (
    CLOSE,
    MORE_CLOSE,
    MORE_OPEN,
    OPEN,
    RECENT_CLOSE,
    RECENT_OPEN,
    can_be_named,
    line,
    pointer_line,
    quote,
)

_LEAST_FREED = 64
"""Tokens that may be freed for names in a small budget: so much do a few of them take."""


def compose(
    recall: Recall,
    *,
    budget_tokens: int,
    zone: tzinfo,
    system: str = "",
    persona: str = "",
    projects: str = "",
    summary: str = "",
    recent: Sequence[Episode] = (),
    minimum: float = 0.0,
    pointers: int = 0,
) -> Context:
    """
    Fit what was recalled into ``budget_tokens``.

    The frame (system, persona, projects, summary) comes first and whole; then recent turns, newest
    kept first; then hits by rank, whole ones only. What did not fit is named in ``left_out``; the
    first ``pointers`` of it also in the text, by address, for which the last hits may give way.
    In the text, memories stand in order of time.

    Raises:
        BudgetTooSmall: the frame alone does not fit.

    """
    frame = [
        part
        for part in (
            system,
            persona and f"<persona>\n{quote(persona)}\n</persona>",
            projects and f"<projects>\n{quote(projects)}\n</projects>",
            summary and f"<summary>\n{quote(summary)}\n</summary>",
        )
        if part
    ]
    text = _render(frame, [], [], zone)
    needed = count(text)
    if needed > budget_tokens:
        raise BudgetTooSmall(budget_tokens=budget_tokens, needed_tokens=needed)
    kept_recent: list[Episode] = []
    kept: list[Hit] = []
    left: list[Pointer] = []
    spent = needed
    tags = count(f"{OPEN}\n{CLOSE}\n") + 2

    def fits(cost: int, *, first: bool) -> bool:
        return spent + cost + (tags if first else 0) <= budget_tokens

    for episode in sorted(recent, key=lambda e: e.said_at, reverse=True):
        cost = count(line(episode, zone)) + 1
        if not fits(cost, first=not kept_recent):
            break
        spent += cost + (0 if kept_recent else tags)
        kept_recent.append(episode)
    shown = {episode.id for episode in kept_recent}
    for hit in recall.hits:
        if hit.id in shown or hit.score < minimum:
            continue
        cost = count(line(hit.episode, zone)) + 1
        if fits(cost, first=not kept):
            spent += cost + (0 if kept else tags)
            kept.append(hit)
        else:
            left.append(Pointer(id=hit.id, address=hit.address, tokens=cost))
    text = _render(frame, kept, kept_recent, zone)
    tokens = count(text)
    while tokens > budget_tokens and kept:  # tokens may merge across lines: the sum is a guide
        last = kept.pop()
        left.insert(0, Pointer(id=last.id, address=last.address, tokens=last.tokens))
        text = _render(frame, kept, kept_recent, zone)
        tokens = count(text)
    while tokens > budget_tokens and kept_recent:
        kept_recent.pop()
        text = _render(frame, kept, kept_recent, zone)
        tokens = count(text)
    if pointers and left:
        text, tokens = _pointed(frame, kept, kept_recent, left, zone, budget_tokens, pointers)
    return Context(
        text=text,
        tokens=tokens,
        budget_tokens=budget_tokens,
        items=tuple(kept),
        left_out=tuple(left),
        recall=recall,
    )


def _pointed(
    frame: Sequence[str],
    kept: list[Hit],
    recent: Sequence[Episode],
    left: list[Pointer],
    zone: tzinfo,
    budget_tokens: int,
    most: int,
) -> tuple[str, int]:
    """
    Name what was left out, as it was if nothing can be named.

    The last hits, but not the only one, give way to the names, up to an eighth of the budget.
    """
    stay = len(kept)
    while True:
        given_up = [Pointer(id=h.id, address=h.address, tokens=h.tokens) for h in kept[stay:]]
        out = given_up + left
        named = [pointer for pointer in out if can_be_named(pointer)][:most]
        for number in range(len(named), 0, -1):
            text = _render(frame, kept[:stay], recent, zone, named[:number])
            tokens = count(text)
            if tokens <= budget_tokens:
                kept[:], left[:] = kept[:stay], out
                return text, tokens
        stay -= 1
        freed = sum(hit.tokens for hit in kept[stay:])
        if stay < 1 or freed > max(_LEAST_FREED, budget_tokens // 8):
            text = _render(frame, kept, recent, zone)
            return text, count(text)


def _render(
    frame: Iterable[str],
    hits: Sequence[Hit],
    recent: Sequence[Episode],
    zone: tzinfo,
    left: Sequence[Pointer] = (),
) -> str:
    parts = list(frame)
    if hits:
        ordered = sorted((hit.episode for hit in hits), key=_in_time)
        parts.append("\n".join([OPEN, *(line(episode, zone) for episode in ordered), CLOSE]))
    if recent:
        ordered = sorted(recent, key=_in_time)
        lines = [line(episode, zone) for episode in ordered]
        parts.append("\n".join([RECENT_OPEN, *lines, RECENT_CLOSE]))
    if left:
        parts.append("\n".join([MORE_OPEN, *map(pointer_line, left), MORE_CLOSE]))
    return "\n\n".join(parts)


def _in_time(episode: Episode) -> tuple[object, ...]:
    return (episode.said_at, episode.session or "", episode.turn or 0, episode.part)
