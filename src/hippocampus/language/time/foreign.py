"""
Times in other languages: words become those that English has for them, and its grammar reads them.

What they mean is chosen by what stands beside them, and what English says in another order is put
in that order. Whatever means no time is a word that says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import cached_property

from hippocampus.language.time.english import Role
from hippocampus.language.time.foreign_meaning import resolve
from hippocampus.language.time.foreign_order import in_order
from hippocampus.language.time.foreign_tenses import ForeignTenses
from hippocampus.language.time.foreign_words import items_of
from hippocampus.language.time.grammar import Reader, Reading, readings
from hippocampus.language.time.tokens import Tokens


class ForeignReader(Reader):
    """A sentence in another language, as tokens of English."""

    def __init__(self, tokens: Tokens, now: datetime, tenses: ForeignTenses, *, told: bool) -> None:
        super().__init__(tokens, now, told=told)
        self._foreign = tenses

    @cached_property
    def tenses(self) -> ForeignTenses:  # type: ignore[override]
        return self._foreign

    def clear(self, _i: int) -> bool:
        return True  # words that go with a time are told by their ending, not by their place

    def counts(self, i: int) -> bool:
        return self.tokens[i].word in {"%", "€", "$", "£"} or self.tokens[i].value == "counted"


def read_foreign(
    text: str, start: int, end: int, now: datetime, *, language: str, told: bool
) -> Iterator[Reading]:
    """Yield readings of time in a sentence of another language, even if they overlap."""
    sentence = text[start:end]
    items = resolve(items_of(sentence, start, language), language)
    if not items:
        return
    tokens = [token for item in in_order(items, language) for token in item.tokens]
    tenses = ForeignTenses(sentence, start, tokens, language)
    yield from readings(ForeignReader(Tokens(tokens, end), now, tenses, told=told))


def foreign_days(sentence: str, language: str) -> Iterator[tuple[int, int, list[int]]]:
    """
    Yield days of the week after "every" in a sentence of another language, Monday being 0.

    Each with the place at which its words begin, and that at which they end.
    """
    items = [one for one in resolve(list(items_of(sentence, 0, language)), language) if one.tokens]
    for place, item in enumerate(items):
        if item.role is not Role.EVERY:
            continue
        if len(item.tokens) > 1 and item.last is Role.WEEKDAY:  # "montags"
            yield item.start, item.end, [item.tokens[-1].value]
            continue
        days, end = list[int](), item.end
        for after in items[place + 1 :]:
            if after.role is Role.WEEKDAY and len(after.tokens) == 1:
                days.append(after.tokens[0].value)
                end = after.end
            elif not days or after.role not in (Role.AND, Role.COMMA):
                break
        if days:
            yield item.start, end, days
