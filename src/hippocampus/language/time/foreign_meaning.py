"""Senses of words for times: "vor" is "ago" or "before", by what comes next."""

from __future__ import annotations

from typing import Final

from hippocampus.language.time.english import Role
from hippocampus.language.time.foreign_words import Item, placed
from hippocampus.language.time.lexicon import Meaning
from hippocampus.language.time.tokens import Token

_LOWER: Final = frozenset({"es", "fr", "it"})
"""Languages whose names of months and days have no capital: with one it is a name."""
_NUMBERS: Final = {Role.NUMBER, Role.ORDINAL, Role.OF}
"""Roles of words beside a month that is one."""
CORE: Final = {
    Role.DAY, Role.TONIGHT, Role.PART, Role.UNIT, Role.WEEKDAY, Role.MONTH, Role.SEASON,
    Role.HOLIDAY, Role.SHIFT, Role.EDGE, Role.NUMBER, Role.ORDINAL, Role.COUNT, Role.DATE,
    Role.DAY_MONTH, Role.CLOCK, Role.ONE, Role.VAGUE, Role.THE, Role.STAMP,
}  # fmt: skip
"""Roles that are of a time by themselves, beside words that lead to one."""
AMOUNTS: Final = {Role.NUMBER, Role.COUNT, Role.ONE, Role.VAGUE, Role.HALF}
SHIFTED: Final = {Role.UNIT, Role.WEEKDAY, Role.MONTH, Role.SEASON, Role.HOLIDAY}


def resolve(items: list[Item], language: str) -> list[Item]:
    """Choose the meaning of each word by its neighbours; leave out words without one."""
    chosen: list[Item] = []
    for place, item in enumerate(items):
        if not item.meanings:
            chosen.append(item)
            continue
        meaning = _meant(items, place, chosen, language)
        if meaning is None:
            token = Token(Role.WORD, None, "", item.start, item.end, capital=False)
            chosen.append(item._replace(tokens=(token,), meanings=()))
        elif meaning.tokens:
            tokens = placed(meaning.tokens, item.start, item.end)
            chosen.append(item._replace(tokens=tokens, meanings=(meaning,)))
    return chosen


def _meant(items: list[Item], place: int, before: list[Item], language: str) -> Meaning | None:
    item = items[place]
    for meaning in sorted(item.meanings, key=_certainty):
        if _fits(meaning, items, place, before, language):
            return meaning
    return None


def _certainty(meaning: Meaning) -> tuple[bool, bool, bool]:
    """Return the key to order meanings by: first those that need most beside them."""
    return not meaning.of_amount, not meaning.side, not meaning.tokens


def _fits(
    meaning: Meaning, items: list[Item], place: int, before: list[Item], language: str
) -> bool:
    """Return whether a meaning goes with what stands beside its word."""
    following = items[place + 1 : place + 8]
    if meaning.of_amount:
        after = meaning.side == "after"
        return _ends_in_amount(before) if after else _begins_with_amount(following)
    if meaning.side == "after":
        return bool(before) and before[-1].last in CORE
    if not meaning.tokens:  # an article, before a time or another one
        return bool(following) and (_may_be(following[0], CORE) or _may_be_nothing(following[0]))
    near = before[-1].last if before else None
    if meaning.short:
        return near in _NUMBERS or (bool(following) and following[0].role in _NUMBERS)
    sure = len(meaning.tokens) > 1 or len(items[place].meanings) == 1
    goes_on = sure or _goes_on(meaning.tokens[0].role, near, following)
    return goes_on and not (language in _LOWER and _is_name(items[place], meaning, near))


def _goes_on(role: Role, near: Role | None, following: list[Item]) -> bool:
    """Return whether what needs more has it: "every" a day, "from" a "to", "to" a beginning."""
    if role is Role.EVERY:
        return bool(following) and _may_be(following[0], SHIFTED | {Role.PART})
    if role is Role.TO:
        return near in CORE
    if role is Role.FROM:
        return any(_may_be(one, {Role.TO, Role.DASH}) for one in following)
    return True


def _is_name(item: Item, meaning: Meaning, near: Role | None) -> bool:
    """Return whether a month or day is somebody's name: "Julio" inside a sentence."""
    of_calendar = meaning.tokens[0].role in (Role.MONTH, Role.WEEKDAY)
    capital = item.word[0].isupper() and near is not None
    return of_calendar and capital and near not in _NUMBERS


def _may_be_nothing(item: Item) -> bool:
    return any(not one.tokens for one in item.meanings)


def _may_be(item: Item, roles: set[Role]) -> bool:
    if item.tokens:
        return item.role in roles
    return any(one.tokens and one.tokens[0].role in roles for one in item.meanings)


def _begins_with_amount(following: list[Item]) -> bool:
    """Return whether an amount comes: "zwei Wochen", "ein paar Tagen"."""
    for place, item in enumerate(following[:3]):
        if place and _may_be(item, {Role.UNIT}):
            return True
        if not _may_be(item, AMOUNTS):
            return False
    return False


def _ends_in_amount(before: list[Item]) -> bool:
    return (
        len(before) > 1
        and before[-1].last is Role.UNIT
        # One word may be both the amount and its unit.
        and (before[-2].last in AMOUNTS or before[-1].role in AMOUNTS)
    )
