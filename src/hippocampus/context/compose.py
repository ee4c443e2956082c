"""Compose a prompt-ready context from a recall, within a token budget counted exactly."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from datetime import tzinfo
from functools import partial

from hippocampus.core.quotes import (
    CLOSE,
    GISTS_CLOSE,
    GISTS_OPEN,
    MORE_CLOSE,
    MORE_OPEN,
    OPEN,
    RECENT_CLOSE,
    RECENT_OPEN,
    SUMMARY_CLOSE,
    SUMMARY_OPEN,
    can_be_named,
    line,
    pointer_line,
    quote,
)
from hippocampus.core.records import Context, Episode, Hit, Pointer, Recall
from hippocampus.encode.tokens import count
from hippocampus.errors import BudgetTooSmall

_LEAST_FREED = 64
"""Tokens that may be freed for names in a small budget: so much do a few of them take."""
_OWN_PART = 4
"""The bank's own summary takes at most one in so many tokens of what the frame leaves, and so do
its gists of what is left then."""


def compose(  # noqa: PLR0913 - a prompt has as many parts
    recall: Recall,
    *,
    budget_tokens: int,
    zone: tzinfo,
    system: str = "",
    persona: str = "",
    projects: str = "",
    summary: str = "",
    compact: str = "",
    gists: Sequence[str] = (),
    user: str = "",
    recent: Sequence[Episode] = (),
    minimum: float = 0.0,
    pointers: int = 0,
    without: Iterable[str] = (),
) -> Context:
    """
    Fit what was recalled into ``budget_tokens``.

    The frame (system, persona, projects, summary, and at the end the user's message) is there
    whole; then recent turns, newest kept first; then hits by rank, whole ones only. What did not
    fit is named in ``left_out``; the first ``pointers`` of it also in the text, by address, for
    which the last hits may give way. In the text, memories stand in order of time; those known to
    be over, or corrected, say so.

    ``compact`` is the bank's own summary, in place of one, and ``gists`` what the bank knows: as
    data, and only where they leave most of the room to memories; of gists the first ones.
    ``without``: texts that whoever asks has; hits that are part of one are left out unnamed.

    Raises:
        BudgetTooSmall: the frame alone does not fit.

    """
    frame, needed = frame_within(
        budget_tokens, system=system, persona=persona, projects=projects, summary=summary, user=user
    )
    say = _saying(recall, zone)
    render = partial(_render, frame, say=say, last=_tagged("user", user))
    own = "" if summary or not compact else f"{SUMMARY_OPEN}\n{quote(compact)}\n{SUMMARY_CLOSE}"
    if own and _OWN_PART * count(own) <= budget_tokens - needed:
        frame.append(own)
        needed = count(render([], []))
    known = _fitting(gists, budget_tokens - needed)
    if known:
        frame.append(known)
        needed = count(render([], []))
    kept_recent: list[Episode] = []
    kept: list[Hit] = []
    left: list[Pointer] = []
    spent = needed
    tags = count(f"{OPEN}\n{CLOSE}\n") + 2

    def fits(cost: int, *, first: bool) -> bool:
        return spent + cost + (tags if first else 0) <= budget_tokens

    for episode in sorted(recent, key=lambda e: e.said_at, reverse=True):
        cost = count(say(episode)) + 1
        if not fits(cost, first=not kept_recent):
            break
        spent += cost + (0 if kept_recent else tags)
        kept_recent.append(episode)
    shown = {episode.id for episode in kept_recent}
    held = "\n".join(map(_folded, without))
    for hit in recall.hits:
        if hit.id in shown or hit.score < minimum or (held and _folded(hit.text) in held):
            continue
        cost = count(say(hit.episode)) + 1
        if fits(cost, first=not kept):
            spent += cost + (0 if kept else tags)
            kept.append(hit)
        else:
            left.append(Pointer(id=hit.id, address=hit.address, tokens=cost))
    text, tokens = _trimmed(render, kept, kept_recent, left, budget_tokens)
    if pointers and left:
        text, tokens = _pointed(render, kept, kept_recent, left, budget_tokens, pointers)
    return Context(
        text=text,
        tokens=tokens,
        budget_tokens=budget_tokens,
        items=tuple(kept),
        left_out=tuple(left),
        recall=recall,
    )


def frame_within(
    budget_tokens: int,
    *,
    system: str,
    persona: str,
    projects: str,
    summary: str,
    user: str,
) -> tuple[list[str], int]:
    """
    Return what stands before the memories, and the tokens of that and of the user's message.

    Raises:
        BudgetTooSmall: it does not fit.

    """
    parts = {"persona": persona, "projects": projects, "summary": summary}
    frame = [part for part in (system, *itertools.starmap(_tagged, parts.items())) if part]
    last = _tagged("user", user)
    needed = count("\n\n".join([*frame, *([last] if last else [])]))
    if needed > budget_tokens:
        raise BudgetTooSmall(budget_tokens=budget_tokens, needed_tokens=needed)
    return frame, needed


def _saying(recall: Recall, zone: tzinfo) -> Callable[[Episode], str]:
    """Return what renders an episode, with what recall knows of it, among the last turns too."""
    marked = {hit.id: hit for hit in recall.hits if hit.until or hit.corrected_by}

    def say(episode: Episode) -> str:
        hit = marked.get(episode.id)
        if hit is None:
            return line(episode, zone)
        return line(episode, zone, until=hit.until, corrected=hit.corrected_by is not None)

    return say


def _fitting(gists: Sequence[str], room: int) -> str:
    """Return as many gists as leave most of the room, a line each; nothing if none does."""
    for number in range(len(gists), 0, -1):
        text = "\n".join([GISTS_OPEN, *map(quote, gists[:number]), GISTS_CLOSE])
        if _OWN_PART * count(text) <= room:
            return text
    return ""


def _folded(text: str) -> str:
    """Return a text in which white space and letter case say nothing."""
    return " ".join(text.split()).casefold()


def _tagged(name: str, text: str) -> str:
    """Return a text between tags, nothing if it is empty."""
    return text and f"<{name}>\n{quote(text)}\n</{name}>"


def _trimmed(
    render: Callable[..., str],
    kept: list[Hit],
    recent: list[Episode],
    left: list[Pointer],
    budget_tokens: int,
) -> tuple[str, int]:
    """
    Leave out the last hits, and then the oldest recent turns, until all fits.

    That is seldom more than one: tokens may merge across lines, so the sum was a guide.
    """
    while True:
        text = render(kept, recent)
        tokens = count(text)
        if tokens <= budget_tokens or not (kept or recent):
            return text, tokens
        if kept:
            hit = kept.pop()
            left.insert(0, Pointer(id=hit.id, address=hit.address, tokens=hit.tokens))
        else:
            recent.pop()


def _pointed(
    render: Callable[..., str],
    kept: list[Hit],
    recent: Sequence[Episode],
    left: list[Pointer],
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
            text = render(kept[:stay], recent, named[:number])
            tokens = count(text)
            if tokens <= budget_tokens:
                kept[:], left[:] = kept[:stay], out
                return text, tokens
        stay -= 1
        freed = sum(hit.tokens for hit in kept[stay:])
        if stay < 1 or freed > max(_LEAST_FREED, budget_tokens // 8):
            text = render(kept, recent)
            return text, count(text)


def _render(
    frame: Iterable[str],
    hits: Sequence[Hit],
    recent: Sequence[Episode],
    left: Sequence[Pointer] = (),
    *,
    say: Callable[[Episode], str],
    last: str = "",
) -> str:
    parts = list(frame)
    if hits:
        ordered = sorted((hit.episode for hit in hits), key=in_time)
        parts.append("\n".join([OPEN, *map(say, ordered), CLOSE]))
    if recent:
        ordered = sorted(recent, key=in_time)
        parts.append("\n".join([RECENT_OPEN, *map(say, ordered), RECENT_CLOSE]))
    if left:
        parts.append("\n".join([MORE_OPEN, *map(pointer_line, left), MORE_CLOSE]))
    if last:
        parts.append(last)
    return "\n\n".join(parts)


def in_time(episode: Episode) -> tuple[object, ...]:
    """Return by what episodes are sorted, to stand in order of time."""
    return (episode.said_at, episode.session or "", episode.turn or 0, episode.part)
