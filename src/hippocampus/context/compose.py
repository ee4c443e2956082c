"""
Pack hits into a token budget, counted exactly; ``render.py`` then says it.

The frame is there whole; then recent turns, newest kept first; then hits by rank, whole ones only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo

from hippocampus.context.render import Frame, OwnPart, Renderer
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.quotes import (
    CLOSE,
    GISTS_CLOSE,
    GISTS_OPEN,
    OPEN,
    can_be_named,
    quote,
)
from hippocampus.core.records import Context, Episode, Hit, Pointer, Recall
from hippocampus.encode.tokens import count

_LEAST_REACH = 7.0
"""Standard deviations behind the best hit that even the smallest context holds: with 400 tokens,
within 6 of it .838 of what everyday questions need is quoted and .722 is waste, within 8 .866 and
.763 (docs/adr/0047)."""
_SEVERAL = 2.0
"""Standard deviations more where several things are asked for (docs/adr/0063)."""
_LEAST_FREED = 64
"""Tokens that may be freed for names in a small budget: so much do a few of them take."""
_WISHES_PART = 3
"""Wishes about how to answer take at most one in so many of the rest (docs/adr/0050)."""
_GISTS_PART = 4
"""Its gists take at most one in so many of the rest: they stand beside memories, never instead
(docs/adr/0026). Set by hand."""


@immutable
class Extras:
    """Parts of a context beside the frame and the hits."""

    own: Sequence[OwnPart] = ()
    """Parts before the memories that are the bank's own; each only if it leaves room."""
    gists: Sequence[str] = ()
    """Gists of the bank, the most important first; likewise."""
    wishes: Sequence[Hit] = ()
    """Wishes about every answer, the newest first; they stand among the memories."""
    recent: Sequence[Episode] = ()
    """The last turns."""
    pointers: int = 0
    """Most addresses of hits that did not fit, for which the last hits may give way."""
    without: Iterable[str] = ()
    """Texts that whoever asks has; hits that are part of one are left out unnamed."""
    several: bool = False
    """Whether several things are asked for, of which the last lies farther behind the first."""
    reach: bool = False
    """Whether hits that lie too far behind the best one for the budget are left out unnamed."""


_NO_FRAME = Frame()
_NO_EXTRAS = Extras()


def compose(
    recall: Recall,
    *,
    budget_tokens: int,
    zone: tzinfo,
    frame: Frame = _NO_FRAME,
    extras: Extras = _NO_EXTRAS,
) -> Context:
    """
    Fit the hits of a recall into ``budget_tokens``.

    What did not fit is named in ``left_out``, and the first of it also in the text, by address.
    In the text, memories stand in order of time; those known to be over, or corrected, say so.

    Raises:
        BudgetTooSmall: the frame alone does not fit.

    """
    marked = {hit.id: hit for hit in recall.hits if hit.valid_to or hit.corrected_by}
    renderer, spent = _known(Renderer(frame, zone, marked), extras, budget_tokens)
    # And two for the blank line before the next part.
    tags = count(f"{OPEN}\n{CLOSE}\n") + 2
    recent: list[Episode] = []
    # Newest first, for where they stop fitting the older ones stay out.
    for episode in sorted(extras.recent, key=lambda e: e.occurred_at, reverse=True):
        cost = renderer.cost(episode) + (0 if recent else tags)
        if spent + cost > budget_tokens:
            break
        spent += cost
        recent.append(episode)
    reach = _reach(budget_tokens, recall, extras) if extras.reach else math.inf
    kept: list[Hit] = []
    left: list[Pointer] = []
    shown = {episode.id for episode in recent}
    # One text, so that each hit is looked for once and not in every message.
    held = "\n".join(map(_folded, extras.without))
    room = budget_tokens - spent
    for hit in [*_wished(renderer, recall, extras, room // _WISHES_PART), *recall.hits]:
        if hit.lag > reach:
            break
        if hit.id in shown or (held and _folded(hit.text) in held):
            continue
        cost = renderer.cost(hit.episode)
        if spent + cost + (0 if kept else tags) > budget_tokens:
            # No break: a later, shorter hit may still fit.
            left.append(Pointer(id=hit.id, address=hit.address, tokens=cost))
        else:
            spent += cost + (0 if kept else tags)
            kept.append(hit)
            shown.add(hit.id)
    text, tokens = _trimmed(renderer, kept, recent, left, budget_tokens)
    if extras.pointers and left:
        text, tokens = _pointed(renderer, kept, recent, left, budget_tokens, extras.pointers)
    return Context(
        text=text, tokens=tokens, budget_tokens=budget_tokens, items=tuple(kept),
        left_out=tuple(left), recall=recall,
    )  # fmt: skip


def _wished(renderer: Renderer, recall: Recall, extras: Extras, room: int) -> Iterator[Hit]:
    """Yield the wishes that fit into so many tokens, as near as the best hit."""
    found = {hit.id: hit for hit in recall.hits}
    for wish in extras.wishes:
        cost = renderer.cost(wish.episode)
        if cost > room:
            continue  # a shorter one may still fit
        room -= cost
        yield replace(found.get(wish.id, wish), lag=0.0)


def _reach(budget_tokens: int, recall: Recall, extras: Extras) -> float:
    """
    Return the farthest that a hit may lie behind the best to be shown, in standard deviations.

    In a budget of 400 tokens, where eight turns fit, 7; 2 more each time it doubles: what is far
    behind is needed for one question in many, and a large budget can pay for that (ADR 47). Where
    nothing is found, 7 in any: the answer is likely nowhere (ADR 58).
    """
    least = _LEAST_REACH + _SEVERAL * extras.several
    if not recall.found:
        return least
    return least + 2 * max(0.0, math.log2(max(budget_tokens, 1) / 400))


def _known(renderer: Renderer, extras: Extras, budget_tokens: int) -> tuple[Renderer, int]:
    """Add the bank's own parts, as far as there is room; return the tokens so far."""
    frame, needed = renderer.frame, renderer.frame.check(budget_tokens)
    for part in extras.own:
        fits = _as_fits(part, budget_tokens - needed)
        if fits is not None:
            frame = replace(frame, own=(*frame.own, fits))
            needed = frame.check(budget_tokens)
    renderer = replace(renderer, frame=frame)
    gists = _fitting(extras.gists, budget_tokens - needed)
    if gists:
        renderer = replace(renderer, known=(*renderer.known, gists))
        # Counted as a whole: tokens may merge where parts meet, so sums are a little off.
        needed = count(renderer.render([], []))
    return renderer, needed


def _as_fits(part: OwnPart, room: int) -> OwnPart | None:
    """Return a part with as many lines as its share of the room holds; None if that is none."""
    for number in range(len(part.lines), 0, -1):
        shorter = part._replace(lines=part.lines[:number])
        if part.share * count(str(shorter)) <= room:
            return shorter
    return None


def _fitting(gists: Sequence[str], room: int) -> str:
    """Return as many gists as leave most of the room, a line each; nothing if none does."""
    for number in range(len(gists), 0, -1):
        text = "\n".join([GISTS_OPEN, *map(quote, gists[:number]), GISTS_CLOSE])
        if _GISTS_PART * count(text) <= room:
            return text
    return ""


def _folded(text: str) -> str:
    """Return a text in which white space and letter case say nothing."""
    return " ".join(text.split()).casefold()


def _trimmed(
    renderer: Renderer,
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
        text = renderer.render(kept, recent)
        tokens = count(text)
        if tokens <= budget_tokens or not (kept or recent):
            return text, tokens
        if kept:
            hit = kept.pop()
            left.insert(0, Pointer(id=hit.id, address=hit.address, tokens=hit.tokens))
        else:
            recent.pop()


def _pointed(
    renderer: Renderer,
    kept: list[Hit],
    recent: Sequence[Episode],
    left: list[Pointer],
    budget_tokens: int,
    most: int,
) -> tuple[str, int]:
    """
    Name the hits that were left out, as it was if none can be named.

    The last hits, but not the only one, give way to the names, up to an eighth of the budget.
    """
    stay = len(kept)
    while True:
        given_up = [Pointer(id=h.id, address=h.address, tokens=h.tokens) for h in kept[stay:]]
        out = given_up + left
        named = [pointer for pointer in out if can_be_named(pointer)][:most]
        for number in range(len(named), 0, -1):
            text = renderer.render(kept[:stay], recent, named[:number])
            tokens = count(text)
            if tokens <= budget_tokens:
                kept[:], left[:] = kept[:stay], out
                return text, tokens
        stay -= 1
        freed = sum(hit.tokens for hit in kept[stay:])
        if stay < 1 or freed > max(_LEAST_FREED, budget_tokens // 8):
            text = renderer.render(kept, recent)
            return text, count(text)
