"""
Words for times in the order in which English says them.

"Vor zwei Wochen" and "两周前" are "two weeks ago", "la semaine dernière" is "last week", "五月以前"
is "before May". Words keep the places of those that they stand for.
"""

from __future__ import annotations

from typing import Final

from hippocampus.encode.languages import stop_words
from hippocampus.language.time.english import Role
from hippocampus.language.time.foreign_meaning import AMOUNTS, CORE, SHIFTED
from hippocampus.language.time.foreign_words import Item, said
from hippocampus.language.time.lexicon import BY_HAND
from hippocampus.language.time.tokens import Token

_ORDER_AFTER: Final = frozenset({"ca", "es", "fr", "it", "pt", "ro", "vi"})
"""Languages that say "last" and "next" after what they are said of."""
_BARE_YEARS: Final = frozenset({"de", "nl", "sv", "no", "da"})
"""Languages that say of a year no more than its number: "2024 war ich in Rom"."""
_UNLED: Final = frozenset({"ja", "ko", "zh"})
"""Languages that lead to a feast with no word before it."""
_TIMES: Final = CORE | {
    Role.OF,
    Role.AND,
    Role.IN,
    Role.ON,
    Role.AT,
    Role.AGO,
    Role.DASH,
    Role.BEFORE,
}
_RELATIONS: Final = {Role.SINCE, Role.BEFORE, Role.AFTER, Role.UNTIL, Role.ONWARD}
_BEGINS: Final = {Role.SINCE, Role.FROM}
_LEADING: Final = {Role.BETWEEN, Role.AND, Role.FROM, Role.TO, Role.BY} | _RELATIONS
_LEADS: Final = {
    Role.IN, Role.ON, Role.AT, Role.OF, Role.SINCE, Role.BEFORE, Role.AFTER, Role.UNTIL, Role.BY,
    Role.FROM, Role.TO, Role.BETWEEN, Role.AND, Role.AROUND, Role.SHIFT, Role.NUMBER, Role.ORDINAL,
    Role.COUNT, Role.DASH, Role.EDGE, Role.ONWARD,
}  # fmt: skip
"""Roles before a month that say how it is meant."""
_PM: Final = frozenset({"afternoon", "evening", "night"})


def in_order(items: list[Item], language: str) -> list[Item]:
    """Put items in the order in which English says them."""
    items = _amounts(_led_once(items))
    if language in _ORDER_AFTER:
        items = _shifts(items)
    items = _onward(_postpositions(_without_links(_without_habits(items), language)))
    return _introduced(_years(_hours(items)), language)


def _led_once(items: list[Item]) -> list[Item]:
    """Leave out "on" after what leads to a time already: "entre le 2 et le 9 mai"."""
    return [
        item
        for place, item in enumerate(items)
        if item.role is not Role.ON or not place or items[place - 1].last not in _LEADING
    ]


def _amounts(items: list[Item]) -> list[Item]:
    """Put "ago" after its amount, "in" before it, and "last" before it."""
    items = list(items)
    for place in range(len(items)):
        meaning = items[place].meanings[0] if items[place].meanings else None
        if meaning is None or not meaning.of_amount:
            continue
        ago = items[place].role is Role.AGO
        if meaning.side == "before" and ago:
            end = next((n for n in range(place, len(items)) if items[n].last is Role.UNIT), place)
            if end + 1 < len(items) and items[end + 1].role is Role.AGO:
                # Said before and behind its amount, it is one word in English.
                items[end + 1] = items[end + 1]._replace(tokens=())
            _move(items, place, end)
        elif meaning.side == "after" and not ago:
            start = place - 1
            while start > 0 and items[start - 1].last in AMOUNTS:
                start -= 1
            _move(items, place, start)
    for place in range(1, len(items) - 1):  # "les trois dernières semaines"
        if (
            items[place].role is Role.SHIFT
            and len(items[place].tokens) == 1
            and items[place - 1].role in (Role.NUMBER, Role.COUNT)
            and items[place + 1].role is Role.UNIT
        ):
            _move(items, place, place - 1)
    return [item for item in items if item.tokens]


def _move(items: list[Item], place: int, to: int) -> None:
    """Move an item; all that it passes, and itself, then have the place of the whole."""
    items.insert(to, items.pop(place))
    first, last = min(place, to), max(place, to)
    start = min(item.start for item in items[first : last + 1])
    end = max(item.end for item in items[first : last + 1])
    for n in range(first, last + 1):
        moved = items[n]
        tokens = tuple(token._replace(start=start, end=end) for token in moved.tokens)
        items[n] = moved._replace(start=start, end=end, tokens=tokens)


def _shifts(items: list[Item]) -> list[Item]:
    """Put "last" and "next" before what they are said of: "lunes pasado"."""
    items = list(items)
    for place in range(1, len(items)):
        after = items[place + 1].role if place + 1 < len(items) else None
        if (
            items[place].role is Role.SHIFT
            and len(items[place].tokens) == 1
            and items[place - 1].last in SHIFTED
            and len(items[place - 1].tokens) == 1
            and after is not Role.UNIT
        ):
            _move(items, place, place - 1)
    return items


def _postpositions(items: list[Item]) -> list[Item]:
    """Put words that stand after a time before it: "五月以前", "去年から"."""
    found: list[Item] = []
    for item in items:
        meaning = item.meanings[0] if item.meanings else None
        if meaning is None or meaning.side != "after" or meaning.of_amount:
            found.append(item)
            continue
        start = len(found)
        while start and found[start - 1].last in _TIMES:
            start -= 1
        if start and found[start - 1].last in _RELATIONS:  # "从去年开始": it is said twice
            if found[start - 1].role in _BEGINS and item.role is Role.UNTIL:
                _make_range(found, start - 1)
            elif found[start - 1].role is Role.SINCE and item.role is Role.FROM:
                found[start - 1] = found[start - 1]._replace(tokens=item.tokens)
            continue
        # English says no "before in May": the word that leads to the time goes.
        led = [token for token in found[start].tokens if token.role is not Role.IN]
        found[start] = found[start]._replace(tokens=tuple(led) or found[start].tokens)
        found.append(item)
        _move(found, len(found) - 1, start)
    return found


def _without_links(items: list[Item], language: str) -> list[Item]:
    """Leave "of" out between times that contain each other in the other order: "先週の木曜日"."""
    if language not in _UNLED:
        return items
    return [
        item
        for place, item in enumerate(items)
        if item.role is not Role.OF
        or not 0 < place < len(items) - 1
        or not {items[place - 1].last, items[place + 1].role} <= CORE
    ]


def _onward(items: list[Item]) -> list[Item]:
    """Put "onward" after the time from which on it is: "ab Juni" is "from June onward"."""
    found: list[Item] = []
    open_end: Token | None = None
    for item in items:
        if open_end is not None and item.last not in _TIMES:
            found.append(_at_end_of(found[-1], open_end))
            open_end = None
        if item.last is Role.ONWARD and len(item.tokens) > 1:
            open_end = item.tokens[-1]
            item = item._replace(tokens=item.tokens[:-1])  # noqa: PLW2901 - what is left of it
        found.append(item)
    return found if open_end is None else [*found, _at_end_of(found[-1], open_end)]


def _at_end_of(item: Item, token: Token) -> Item:
    tokens = (token._replace(start=item.end, end=item.end),)
    return Item(tokens, (), item.end, item.end, "")


def _without_habits(items: list[Item]) -> list[Item]:
    """Make days that recur say nothing: of "every" up to the end of a clause, and of "today"."""
    found: list[Item] = []
    habit = False
    for item in items:
        habit = (habit or item.role is Role.EVERY) and item.role not in (Role.MARK, Role.COMMA)
        again = bool(found) and found[-1].role is Role.DAY  # "today, Sunday"
        day = item.role is Role.WEEKDAY or item.last is Role.ORDINAL
        if day and ((habit and item.role is not Role.ORDINAL) or (again and len(item.tokens) == 1)):
            nothing = Token(Role.WORD, None, "", item.start, item.end, capital=False)
            found.append(item._replace(tokens=(nothing,)))
        else:
            found.append(item)
    return found


def _make_range(items: list[Item], since: int) -> None:
    """Make "from … to …" of what stands after "since": "5月2日から5月9日まで"."""
    first = [n for n in range(since + 1, len(items)) if items[n].end == items[since].end]
    last = first[-1] + 1 if first else len(items)
    if last == len(items):
        return
    place = items[last].start
    items[since] = said("from", items[since].start, items[since].end, "")
    items.insert(last, said("to", place, place, ""))


def _hours(items: list[Item]) -> list[Item]:
    """Read hours after a part of the day as of it: "下午3点" is 15:00."""
    items = list(items)
    for place in range(1, len(items)):
        part = items[place - 1].tokens[-1]
        if items[place].role is Role.CLOCK and part.role is Role.PART and part.word in _PM:
            hour, _, minute = items[place].tokens[0].word.partition(":")
            # A larger hour counts the whole day already.
            if int(hour) < 12:
                token = items[place].tokens[0]._replace(word=f"{int(hour) + 12}:{minute}")
                items[place] = items[place]._replace(tokens=(token,))
    return items


def _years(items: list[Item]) -> list[Item]:
    """Leave out the word "year" beside one: "im Jahr 2021", "в 2021 году"."""
    kept = list(items)
    for place in range(len(items)):
        item = items[place]
        if item.role is not Role.UNIT or item.tokens[0].value != "year" or len(item.tokens) > 1:
            continue
        beside = [n for n in (place - 1, place + 1) if 0 <= n < len(items)]
        if any(_is_year(items[n]) for n in beside):
            kept[place] = item._replace(tokens=())
    return [item for item in kept if item.tokens]


def _is_year(item: Item) -> bool:
    token = item.tokens[-1] if item.tokens else None
    return token is not None and token.role is Role.NUMBER and len(token.word) == 4


def _introduced(items: list[Item], language: str) -> list[Item]:
    """Put "in" or "at" before what a language leads to with no word of its own."""
    found: list[Item] = []
    for item in items:
        before = found[-1].last if found else None
        if item.role is Role.HOLIDAY and before is Role.IN:
            # The grammar takes "in" before a feast for "over", which is more than its day.
            found[-1] = said("at", found[-1].start, found[-1].end, "")
        lead = _lead(item, language) if before not in _LEADS else ""
        if lead:
            led = said(lead, item.start, item.start, "").tokens
            item = item._replace(tokens=(*led, *item.tokens))  # noqa: PLW2901 - what it is by now
        found.append(item)
    return found


def _lead(item: Item, language: str) -> str:
    """Return the English preposition for a time that stands without one; "" for none."""
    if item.role is Role.HOLIDAY:
        return "at" if language in _UNLED else ""
    if item.role is Role.MONTH:
        # Where the words that lead to a month are known, without one it is a name: "Mai Ling".
        known = language in BY_HAND and language not in _UNLED and language != "tr"
        return "" if known or item.word.casefold() in stop_words()[language] else "in"
    return "in" if language in _BARE_YEARS and _is_year(item) else ""
