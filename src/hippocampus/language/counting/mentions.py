"""
Mentions of events in a text: whether a sentence tells that what is counted took place, and when.

Read from grammar, without a parse: tense (``time/tense.py``), negation, conditions, verbs under
which nothing happened ("missed", "booked"), and who did it. A sentence that has the words and does
not say that it took place tells nothing; one that leaves it open is doubtful.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import cached_property
from typing import Final, NamedTuple

from hippocampus.core.clock import in_zone
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Interval
from hippocampus.core.word_lists import Patterns, word_list, word_set
from hippocampus.language.counting.asked import AskedEvents, words_of_text
from hippocampus.language.counting.families import (
    belongs,
    families,
    is_derived,
    is_event,
    is_kind_of,
    is_unmarked_past,
    key_of_family,
)
from hippocampus.language.counting.participants import is_being, takes_part
from hippocampus.language.nouns import kinds, singular, use_of
from hippocampus.language.question_intent import day_of, places_of
from hippocampus.language.time import find_told
from hippocampus.language.time.english import word_meanings
from hippocampus.language.time.tense import Tenses, is_past

_RE: Final = Patterns("counting")
_SELF: Final = frozenset({"i", "we", "me", "us", "my", "our"})
_ATTENDING: Final = frozenset({"at", "to", "from", "during", "after", "in"})
_LOCATING: Final = frozenset({"at", "in", "from"})
_VISITING: Final = ("see", "visit", "meet")
"""Verbs that say of somebody at work what "been to" says: "saw the dentist"."""
_LEADING: Final = frozenset({"had", "got", "managed", "went", "came", "started", "began", "ended"})
"""Verbs of the past after which "to run" was done."""
_NOUN: Final = 0.8
"""Share of its uses as a noun from which a word is the head of a compound."""
_SUBJECTS: Final = frozenset({"i", "we", "he", "she", "they", "you"})
_VERB: Final = 0.5
"""Share of its uses as a verb from which a word may be one of the present."""
_NO_HEADS: Final = frozenset({"person", "time period", "time unit", "unit of measurement"})
_TENSED: Final = frozenset({"was", "were", "is", "had", "has", "have", "did"})
_NUMBERED: Final = frozenset({"number", "no"})
_OPENING: Final = 2
"""Words before the noun of a note without a verb, at most: "lesson number two", "another good
swim". Set by hand, as the next two."""
_JOINT: Final = 6
"""Words between two times of a list, at most."""
_RATES: Final = frozenset({"a", "an", "per", "each", "every", "as", "the"})
"""Words after "twice" with which it says how often it was over and over, or how much."""
_NEAR: Final = 4
"""Words between a preposition and its noun."""


@immutable
class Mention:
    """
    A sentence that tells of an event.

    ``times``: when it was, each a day or a longer stretch; ``told``: whether the sentence tells
    so, rather than the moment at which it was said; ``known``: whether it takes the event for
    known, "the swim"; ``what``: names of what it was done to, for things that are counted.
    """

    quote: str
    times: tuple[Interval, ...]
    told: bool
    sure: bool
    known: bool = False
    what: frozenset[str] = frozenset()
    often: int = 1
    """Number of times within that time: "twice today"."""


class EventMentions(NamedTuple):
    """Mentions of events in a text; ``refused``: whether it says of one that it did not happen."""

    found: list[Mention]
    refused: bool = False


def find_mentions(
    text: str, asked: AskedEvents, *, occurred_at: datetime, zone: tzinfo, by_actor: bool = False
) -> EventMentions:
    """
    Return mentions of the events asked for in a text, a sentence at a time.

    Args:
        text: what somebody said.
        asked: what is counted.
        occurred_at: when it was said.
        zone: where days begin.
        by_actor: whether who speaks is the one whose deed is asked for, so that "I" is them.

    """
    words, keys = {said.word for said in words_of_text(text)}, asked.keys
    # Most texts have none of the words, and need not be read a sentence at a time.
    told = any(belongs(word, key) for word in words for key in keys)
    if not told and not (_is_of_meeting(asked) and any(map(is_event, words))):
        return EventMentions([])
    # What is quoted somebody else did; blanks keep the places of all else.
    plain = _RE.quoted.sub(lambda quoted: " " * len(quoted[0]), text)
    everywhere = {word.removesuffix("'s") for word in words}
    named = all(any(name in everywhere for name in names) for names in asked.names)
    if asked.actor == "other" and not by_actor and everywhere.isdisjoint(asked.who):
        return EventMentions([])
    found: list[Mention] = []
    refused = False
    for match in _RE.sentence.finditer(plain):
        start, sentence = match.start(), match[0]
        if sentence.rstrip().endswith("?"):
            continue
        reading = _Sentence(sentence, asked, in_zone(occurred_at, zone), by_actor=by_actor)
        mention = reading.mention(text[start : match.end()].strip())
        refused = refused or reading.refused
        # The text has not the name that is asked for: it may still be of it, in doubt, unless the
        # sentence names another.
        if mention is not None and not named:
            mention = None if reading.names_another else replace(mention, sure=False)
        if mention is not None:
            found.append(mention)
    return EventMentions(found, refused)


class _Sentence:
    """One sentence, read for the event that is asked for."""

    def __init__(
        self, text: str, asked: AskedEvents, occurred_at: datetime, *, by_actor: bool
    ) -> None:
        self._text = text
        self._asked = asked
        self._occurred_at = occurred_at
        self._by_actor = by_actor
        self._words = words_of_text(text)
        self._tenses = Tenses((said.word for said in self._words), told=False)
        self.refused = False
        """Whether it says of an event that it did not take place."""

    def mention(self, quote: str) -> Mention | None:
        """Return the mention, None if there is none."""
        best: Mention | None = None
        for at, sure in self._candidates():
            took_place = self._took_place(at)
            times, told = self._times(at)
            self.refused = self.refused or took_place is None or not times
            if took_place is None or not times or not self._is_by_actor(at):
                continue
            mention = Mention(
                quote=quote, times=times, told=told, sure=sure and took_place,
                known=self._before(at) in ("the", "that", "this") and not told,
                what=frozenset(self._names_after(at)) if self._asked.item else frozenset(),
                often=self._often(at) if len(times) == 1 else 1,
            )  # fmt: skip
            if mention.sure:
                return mention
            best = best or mention
        return best

    @property
    def names_another(self) -> bool:
        """Return whether it names an event, which is then another than the one asked for."""
        return any(said.capital and not use_of(said.word).known for said in self._words[1:])

    # ------------------------------------------------------------ where it is told

    def _candidates(self) -> Iterator[tuple[int, bool]]:
        """Yield the places of words that may tell of the event, and whether they surely do."""
        asked = self._asked
        there = [at for at, said in enumerate(self._words) if said.word[:1].isalpha()]

        def places(key: str) -> list[int]:
            return [at for at in there if belongs(self._words[at].word, key)]

        said = asked.words

        def nouns(key: str) -> list[int]:
            return [at for at in places(key) if not is_derived(self._words[at].word, said)]

        things = [nouns(key) for key in asked.things]
        verbs = places(asked.verb) if asked.verb else []
        items = nouns(key_of_family(asked.item)) if asked.item else []
        verbs = [at for at in verbs if not self._modifies(at)]
        if not verbs and asked.verb in _failing():
            return  # who "went to the club" has not skipped it
        if not verbs and _is_of_meeting(asked):
            yield from ((at, True) for at in there if self._is_with_them(at))
        if verbs and all(things):
            for at in verbs:
                known = not asked.item or bool(items) or self._does_to_kind(at)
                yield at, known and not self._leads(at)
        elif verbs and len([t for t in things if t]) * 2 >= len(things) > 0:
            yield from ((at, False) for at in verbs)
        if items and things and not any(things):
            yield from ((at, False) for at in items if not self._modifies(at))
        if not (verbs and items) and all(things) and (items or (things and not asked.item)):
            for at in items or things[-1]:
                if not self._modifies(at) and (not verbs or items):
                    yield at, self._is_told_as_event(at) and not self._leads(at)

    def _is_with_them(self, at: int) -> bool:
        """Return whether a word is of a meeting with who is asked for: "visit at Dr. Huber's"."""
        beside = self._word(at + 1) in ("with", "at") and is_event(self._word(at))
        behind = {said.word.removesuffix("'s") for said in self._words[at + 2 : at + 2 + _NEAR]}
        return beside and all(not behind.isdisjoint(names) for names in self._asked.names)

    def _leads(self, at: int) -> bool:
        """Return whether a word says of what sort the noun after it is: "swimming lesson"."""
        after = self._word(at + 1)
        grammar = word_set("function_words") | word_set("adverbs") | word_set("numbers")
        if not after[:1].isalpha() or after in grammar:
            return False
        verb = self._asked.verb
        if verb and belongs(self._word(at), verb) and self._words[at + 1].capital:
            return False  # "reading Ulysses"
        if any(belongs(after, key) for key in self._asked.keys) or is_past(self._word(at)):
            return False
        if after in _NUMBERED or after in word_meanings():
            return False
        use, above = use_of(after), kinds(singular(after))
        return use.known and use.noun >= _NOUN and not _NO_HEADS.intersection(above)

    def _modifies(self, at: int) -> bool:
        """Return whether a word says of what sort a thing is, and tells of no event: "run club"."""
        return self._leads(at) and not is_event(self._word(at + 1))

    def _does_to_kind(self, verb: int) -> bool:
        """Return whether a verb is done to something that may be of the kind that is counted."""
        for at in range(verb + 1, min(verb + 6, len(self._words))):
            said = self._words[at]
            if not said.word[:1].isalpha():
                return False
            if said.word in word_set("function_words") or said.word in word_set("adverbs"):
                continue
            return said.capital or is_kind_of(said.word, self._asked.item)
        return False

    def _is_told_as_event(self, at: int) -> bool:
        """Return whether a noun is told as something that took place, not as a thing or person."""
        asked = self._asked
        if is_past(self._word(at)):
            return not asked.verb or belongs(self._word(at), asked.verb)
        verb = self._verb_of(at)
        near = {self._word(i) for i in range(max(at - _NEAR, 0), at)}
        if near & _ATTENDING:
            return True
        if "about" in near:
            return False
        if verb is None:
            event = is_event(self._word(at)) or self._times(at)[1]
            told = event or self._is_numbered(at) or self._is_reported(at)
            return told or self._is_followed(at)
        key = key_of_family(self._word(verb))
        if key == key_of_family("be") or key in map(key_of_family, word_set("light_verbs")):
            return True
        there = is_event(self._word(at)) or not is_being(self._word(at))
        return not asked.verb and (there or key in families(*_VISITING))

    def _verb_of(self, at: int) -> int | None:
        """Return the verb nearest before a word in its clause, or the first one after it."""
        start, end = self._clause(at)
        places = (*range(at - 1, start - 1, -1), *range(at + 1, end))
        return next((i for i in places if self._is_finite(i, start)), None)

    def _is_finite(self, i: int, start: int) -> bool:
        """Return whether a word is a verb of the past, or of any time; "hit" may begin a note."""
        word = self._word(i)
        return is_past(word) or word in _TENSED or (i == start and is_unmarked_past(word))

    # ------------------------------------------------------------ whether it took place

    def _took_place(self, at: int) -> bool | None:
        """Return whether it took place, False if that is left open; None if it did not."""
        start, end = self._clause(at)
        if self._is_unreal(at, start) or self._failed(at, start, end) or self._is_habit(at):
            return None
        word = self._word(at)
        done = is_past(word) or word in word_set("irregular_participles")
        direction = self._tenses.direction(at + 1)
        if direction == "behind" or (done and key_of_family(word) == self._asked.verb):
            return True
        if direction == "ahead" and not self._is_verbless(at, start, end):
            return None
        known = self._times(at)[1] or self._is_numbered(at) or self._is_reported(at)
        return known or self._is_noted(at, start) or (at == start and is_unmarked_past(word))

    def _is_verbless(self, at: int, start: int, end: int) -> bool:
        """Return whether the clause is a note, whatever the verb beside it: "gym again, I ache"."""
        if self._verb_of(at) is not None:
            return False
        others = [self._word(i) for i in range(start, end) if i != at]
        if any(word in _SUBJECTS for word in others):
            return False
        grammar = word_set("function_words")
        return all(word in grammar or use_of(word).verb < _VERB for word in others)

    def _is_noted(self, at: int, start: int) -> bool:
        """Return whether a note says where its writer is or was: "back at the gym", "gym again"."""
        if not all(self._is_today(one) for one, _ in self._told_times):
            return False
        verb = self._verb_of(at)
        if verb is not None:
            return verb == start and is_unmarked_past(self._word(verb))
        light = word_set("function_words") | word_set("adverbs") | {"back"}
        before = [self._word(i) for i in range(start, at)]
        return bool(_LOCATING.intersection(before)) and light.issuperset(before)

    def _is_today(self, time: Interval) -> bool:
        """Return whether a time is of the day on which the sentence was said."""
        ends = time.start, time.end
        return any(one is not None and one.date() == self._occurred_at.date() for one in ends)

    def _is_unreal(self, at: int, start: int) -> bool:
        """Return whether it is denied, supposed, possible, or only what somebody wanted to do."""
        before = self._text[self._words[start].start : self._words[at].start]
        if _RE.condition.search(before) or _RE.going_to.search(before):
            return True
        words = (self._word(i) for i in range(start, at))
        return any(map(_denies, words)) or self._is_infinitive(at, start)

    def _is_reported(self, at: int) -> bool:
        """Return whether a note without a verb is of what is over: "parkrun 33.05", "snow!"."""
        start, end = self._clause(at)
        if at - start > _OPENING or self._verb_of(at) is not None:
            return False
        result = any(
            self._word(i)[:1].isdigit()
            and self._word(i - 1) not in word_set("function_words")
            and not self._is_of_time(i)
            for i in range(at, end)
        )
        return result or self._text.rstrip().endswith("!")

    def _is_numbered(self, at: int) -> bool:
        """Return whether it is one of several that were: "second lesson", "swimming again"."""
        near = {self._word(i) for i in range(max(at - _NEAR, 0), at)}
        repeated = self._word(at + 1) == "again" and self._is_verbless(at, *self._clause(at))
        if repeated or not near.isdisjoint(word_set("ordinals") | {"another"}):
            return True
        place = self._words[at].end
        beside = _RE.counted_beside.match(self._text, place)
        return beside is not None and self._is_verbless(at, *self._clause(at))

    def _is_followed(self, at: int) -> bool:
        """Return whether a note goes on with what was done there: "book club, loved it"."""
        start, end = self._clause(at)
        if at - start > _OPENING or is_being(self._word(at)):
            return False
        rest = range(end, len(self._words))
        verb = next((i for i in rest if self._is_finite(i, end)), None)
        return verb is not None and key_of_family(self._word(verb)) not in _failing()

    def _failed(self, at: int, start: int, end: int) -> bool:
        """Return whether a verb in the clause says that it did not, or need not, take place."""
        # "As planned" says that it did.
        others = (self._word(i) for i in range(start, end) if i != at and self._word(i - 1) != "as")
        mine = self._asked.keys
        verbs = [key_of_family(word) for word in others if word not in word_set("function_words")]
        # Where bookings are counted, "booked" does not say that nothing took place.
        return any(key in _failing() and key not in mine for key in verbs)

    def _is_infinitive(self, at: int, start: int) -> bool:
        """Return whether it is only what somebody wanted, or had in mind, to do."""
        for i in range(at - 1, start - 1, -1):
            if self._word(i) == "to" and use_of(self._word(i + 1)).verb >= _VERB:
                governing = self._word(i - 1)
                return not (governing in _LEADING or is_past(self._word(i - 2)))
        return False

    def _is_habit(self, at: int) -> bool:
        """Return whether what is told is a habit: in the present, of somebody, without a time."""
        words = {self._word(i) for i in range(*self._clause(at))}
        return bool(words & {"every", "usually", "always", "never", "normally", "often"})

    # ------------------------------------------------------------ who did it

    def _is_by_actor(self, at: int) -> bool:
        """Return whether the one whose deed is asked for did it, as far as the clause tells."""
        if self._asked.actor == "any":
            return True
        start, end = self._clause(at)
        done = is_past(self._word(at)) and bool(self._asked.verb)
        verb = at if done else self._verb_of(at)
        inside = self._words[start:end]
        took_part = takes_part(
            inside, at - start, None if verb is None else verb - start, self._asked,
            by_actor=self._by_actor,
        )  # fmt: skip
        if self._asked.actor == "self" or self._by_actor:
            return took_part
        if (
            start > 1
            and self._word(start - 1) == "and"
            and self._word(start - 2) in self._asked.who
        ):
            return True  # "Tom and I went"
        everywhere = {said.word.removesuffix("'s") for said in self._words}
        if not everywhere.isdisjoint(self._asked.who):
            return took_part
        return took_part and not any(said.word in _SELF for said in inside)

    # ------------------------------------------------------------ when

    def _times(self, at: int) -> tuple[tuple[Interval, ...], bool]:
        """Return when it was, and whether the sentence tells; nothing if that is to come."""
        behind = self._tenses.direction(at + 1) == "behind"
        said_on = day_of(self._occurred_at)
        told = self._told_times
        if not told:
            return (said_on,), False
        start, end = self._clause(at)
        first, last = self._words[start].start, self._words[end - 1].end
        place = self._words[at].start
        inside = [one for one in told if first <= one[1][0] < last]
        nearest = min(inside or told, key=lambda one: abs(one[1][0] - place))
        # What was done "today" has been, though the day is not over.
        latest = said_on.end if behind and said_on.end else self._occurred_at
        joined = [nearest[0], *(one for one, span in told if self._joins(nearest[1], span))]
        over = [one for one in joined if one.start is not None and one.start <= latest]
        return tuple(over), True

    @cached_property
    def _told_times(self) -> list[tuple[Interval, tuple[int, int]]]:
        """Return the closed times that the sentence tells, with their places."""
        zone = self._occurred_at.tzinfo
        assert zone is not None, "said at an aware moment"
        times = find_told(self._text, self._occurred_at, zone)
        return [
            (one, span)
            for one, span in zip(times, places_of(times, self._text), strict=True)
            if one.start is not None
            and one.end is not None
            # "The first time this year" does not say when.
            and not _RE.ranked_time.search(self._text, 0, span[0])
        ]

    def _is_of_time(self, i: int) -> bool:
        """Return whether a word belongs to a time that the sentence tells: "5" in "5 May"."""
        place = self._words[i].start
        return any(start <= place < end for _, (start, end) in self._told_times)

    def _joins(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        """Return whether a time is one more of a list: "on Monday and to Bergen on Friday"."""
        between = words_of_text(self._text[one[1] : other[0]])
        words = [said.word for said in between]
        if not 0 < len(words) <= _JOINT or words[0] not in ("and", ","):
            return False
        return not any(is_past(word) or word in _SUBJECTS or _denies(word) for word in words)

    def _often(self, at: int) -> int:
        """Return the number of times, or of things, that a clause tells: "twice", "two books"."""
        words = [*(self._word(i) for i in range(*self._clause(at))), "", ""]
        counted = self._number_of_things(at)
        if counted is not None:
            return counted
        for number, after, further in zip(words, words[1:], words[2:], strict=False):
            if number == "twice" and after not in _RATES:
                return 2
            known = number in word_list("numbers") and further not in _RATES
            if after == "times" and known:
                return word_list("numbers").index(number) + 1
        return 1

    def _number_of_things(self, at: int) -> int | None:
        """Return the number right behind a deed, or before a thing: "read two books"."""
        item, numbers = self._asked.item, word_list("numbers")
        done = self._asked.verb and belongs(self._word(at), self._asked.verb)
        place = at + 1 if done else at - 1
        told = self._word(place) in numbers and item
        if not told or not belongs(self._word(place + 1), key_of_family(item)):
            return None
        return numbers.index(self._word(place)) + 1

    # ------------------------------------------------------------ words

    def _clause(self, at: int) -> tuple[int, int]:
        """Return the bounds of the clause around a word, in words."""
        place = self._words[at].start
        start, end = 0, len(self._text)
        for cut in _RE.clause.finditer(self._text):
            if cut.end() <= place:
                start = cut.end()
            elif cut.start() > place:
                end = cut.start()
                break
        inside = [i for i, said in enumerate(self._words) if start <= said.start < end]
        return inside[0], inside[-1] + 1

    def _names_after(self, at: int) -> Iterator[str]:
        start, end = self._clause(at)
        for i in range(max(at - 1, start), end):
            if self._words[i].capital and i:
                yield self._words[i].word.removesuffix("'s")

    def _before(self, at: int) -> str:
        return self._word(at - 1)

    def _word(self, at: int) -> str:
        return self._words[at].word if 0 <= at < len(self._words) else ""


def _is_of_meeting(asked: AskedEvents) -> bool:
    """Return whether it is asked how often somebody was seen, who is named."""
    named = bool(asked.names) and not (asked.things or asked.item)
    return named and asked.verb in families(*_VISITING)


def _denies(word: str) -> bool:
    return word in word_set("negations") or word.endswith(("n't", "n’t"))


def _failing() -> frozenset[str]:
    words = word_set("failing_verbs") | word_set("arranging_verbs") | word_set("supposing_verbs")
    return frozenset(map(key_of_family, words))
