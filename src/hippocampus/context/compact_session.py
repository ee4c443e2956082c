"""
One conversation within a token budget, as where a model's window is full (CONCEPT, section 2.2).

The paper's ENGRAM takes a full window for a cache: what matters stays, and what does not leaves a
pointer behind. Here the newest turns stay whole; of older ones those that matter most stay whole,
others in few of their own words; of the rest a mark tells how many there were, and where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import groupby
from typing import Final

from hippocampus.context.render import OwnPart, in_time
from hippocampus.core.quotes import SESSION_CLOSE, SESSION_OPEN, left_out_line, line
from hippocampus.core.records import CompactedSession, Episode, Pointer
from hippocampus.encode.tokens import count
from hippocampus.errors import BudgetTooSmall
from hippocampus.language.extractive_compression import SUMMARY, condense
from hippocampus.language.importance import lasting_importance
from hippocampus.language.noun_phrases import find_phrases

_NEWEST: Final = 0.5
"""Share of the room that the newest turns take, whole: what goes on, goes on from there. Set by
hand (docs/adr/0065)."""
_WHOLE: Final = 0.75
"""Share of the room from which on older turns are shortened: the last quarter holds twice as many
of them in half of their words. Set by hand."""
_MARK: Final = 14
"""Tokens of the mark of what is left out beside an older turn, about."""


@dataclass(slots=True, eq=False)
class _TurnLine:
    """A turn, how much it matters, and what stands for it."""

    turn: Episode
    worth: float
    newest: bool = False
    text: str = ""
    """Text of the turn; empty where it is left out."""
    tokens: int = 0
    whole: bool = True

    def stand(self, text: str, tokens: int, *, whole: bool) -> int:
        """Let a text stand for it; return the tokens."""
        self.text, self.tokens, self.whole = text, tokens, whole
        return tokens


def compact_session(
    turns: Sequence[Episode],
    budget_tokens: int,
    *,
    session: str,
    zone: tzinfo,
    summary: OwnPart | None = None,
) -> CompactedSession:
    """
    Fit a conversation into ``budget_tokens``.

    Args:
        turns: what was said, in any order.
        budget_tokens: most tokens of the whole text.
        session: its name.
        zone: in which times are told.
        summary: what to begin with, if it leaves room.

    Raises:
        BudgetTooSmall: not even the mark that all was left out fits.

    """
    lines = [_TurnLine(turn, _worth(turn)) for turn in sorted(turns, key=in_time)]
    head = "" if summary is None else f"{summary}\n\n"
    if summary is not None and summary.share * count(head) > budget_tokens:
        head = ""
    _choose(lines, budget_tokens - count(f"{head}{SESSION_OPEN}\n{SESSION_CLOSE}"), zone)
    while True:
        text = head + _render(lines)
        tokens = count(text)
        if tokens <= budget_tokens or not _evict(lines, tokens - budget_tokens):
            break
    if tokens > budget_tokens:
        raise BudgetTooSmall(budget_tokens=budget_tokens, needed_tokens=tokens)
    return CompactedSession(
        session=session, text=text, tokens=tokens, budget_tokens=budget_tokens,
        kept=tuple(one.turn for one in lines if one.text and one.whole),
        shortened=tuple(one.turn for one in lines if one.text and not one.whole),
        left_out=tuple(_pointer(one.turn) for one in lines if not one.text),
    )  # fmt: skip


def _worth(turn: Episode) -> float:
    """Return the importance of a turn by itself (CONCEPT, section 4.6a)."""
    names = len(find_phrases(turn.text, only_names=True))
    return lasting_importance(turn.text, names=names, role=turn.role)


def _choose(lines: Sequence[_TurnLine], room: int, zone: tzinfo) -> None:
    """Choose the form of each turn: itself, a few of its words, or nothing."""
    whole = [line(one.turn, zone) for one in lines]
    costs = [count(said) + 1 for said in whole]
    if sum(costs) <= room:
        for one, said, tokens in zip(lines, whole, costs, strict=True):
            one.stand(said, tokens, whole=True)
        return
    spent = 0
    rest: list[tuple[_TurnLine, str, int]] = []
    for one, said, tokens in reversed(list(zip(lines, whole, costs, strict=True))):
        # From the first that does not fit on all are older: the newest turns stay without a gap.
        if rest or spent + tokens > _NEWEST * room:
            rest.append((one, said, tokens))
        else:
            spent += one.stand(said, tokens, whole=True)
            one.newest = True
    # By worth and no longer by time: what matters most is chosen while there is room for it whole.
    for one, said, tokens in sorted(rest, key=lambda found: -found[0].worth):
        if spent + tokens + _MARK <= _WHOLE * room:
            spent += one.stand(said, tokens, whole=True) + _MARK
            continue
        few = replace(one.turn, text=condense(one.turn.text, SUMMARY))
        less = line(few, zone)
        cost = count(less) + 1
        if spent + cost + _MARK <= room:
            spent += one.stand(less, cost, whole=few.text == one.turn.text) + _MARK


def _evict(lines: Sequence[_TurnLine], tokens: int) -> bool:
    """Leave out what matters least, and is worth so many tokens; return whether there was any."""
    there = sorted(
        (one for one in lines if one.text),
        # Older before newest, and shortened before whole, whatever each is worth.
        key=lambda one: (one.newest, one.whole, one.worth, one.turn.occurred_at),
    )
    for one in there:
        if tokens <= 0:
            break
        tokens -= one.tokens
        one.text = ""
    return bool(there)


def _render(lines: Sequence[_TurnLine]) -> str:
    return "\n".join([SESSION_OPEN, *_lines(lines), SESSION_CLOSE])


def _lines(lines: Sequence[_TurnLine]) -> Iterator[str]:
    for there, some in groupby(lines, key=lambda one: bool(one.text)):
        run = list(some)
        if there:
            yield from (one.text for one in run)
        else:
            yield left_out_line(len(run), _pointer(run[0].turn))


def _pointer(turn: Episode) -> Pointer:
    return Pointer(id=turn.id, address=turn.address, tokens=count(turn.text))
