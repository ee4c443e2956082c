"""Compose a prompt-ready context from a recall, within a token budget counted exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import tzinfo

from hippocampus.encode.tokens import count
from hippocampus.errors import BudgetTooSmall
from hippocampus.model import Context, Episode, Hit, Pointer, Recall
from hippocampus.quotes import CLOSE, OPEN, RECENT_CLOSE, RECENT_OPEN, line, quote


def compose(
    recall: Recall,
    *,
    budget_tokens: int,
    zone: tzinfo,
    system: str = "",
    persona: str = "",
    summary: str = "",
    recent: Sequence[Episode] = (),
    minimum: float = 0.0,
) -> Context:
    """
    Fit what was recalled into ``budget_tokens``.

    The frame (system, persona, summary) comes first and whole; then recent turns, newest kept
    first; then hits by rank, whole ones only. What did not fit is named in ``left_out``. In the
    text, memories stand in order of time.

    Raises:
        BudgetTooSmall: the frame alone does not fit.

    """
    frame = [
        part
        for part in (
            system,
            persona and f"<persona>\n{quote(persona)}\n</persona>",
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
    return Context(
        text=text,
        tokens=tokens,
        budget_tokens=budget_tokens,
        items=tuple(kept),
        left_out=tuple(left),
        recall=recall,
    )


def _render(
    frame: Iterable[str], hits: Sequence[Hit], recent: Sequence[Episode], zone: tzinfo
) -> str:
    parts = list(frame)
    if hits:
        ordered = sorted((hit.episode for hit in hits), key=_in_time)
        parts.append("\n".join([OPEN, *(line(episode, zone) for episode in ordered), CLOSE]))
    if recent:
        ordered = sorted(recent, key=_in_time)
        lines = [line(episode, zone) for episode in ordered]
        parts.append("\n".join([RECENT_OPEN, *lines, RECENT_CLOSE]))
    return "\n\n".join(parts)


def _in_time(episode: Episode) -> tuple[object, ...]:
    return (episode.said_at, episode.session or "", episode.turn or 0, episode.part)
