"""
Parse of a counting question by its head: "how often did I swim", "how many films have we seen".

Read from structure: an auxiliary, who did it, a verb, and what else belongs to the event. A verb
that carries a noun ("go running", "have a lesson") is no part of what has to be told again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias

from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Interval
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.counting.families import key_of_family
from hippocampus.language.nouns import use_of
from hippocampus.language.question_intent import places_of
from hippocampus.language.time import find_intervals
from hippocampus.language.time.tense import is_past

_RE: Final = Patterns("counting")
_VERB: Final = 0.5
"""Share of its uses as a verb from which a word after its subject ends it."""
_SELF: Final = frozenset({"i", "we", "me", "us"})
_OTHER: Final = frozenset({"he", "she", "they", "it", "you", "anyone", "somebody", "someone"})
_BEING: Final = frozenset({"was", "were", "is", "are", "am"})
_OWN: Final = frozenset({"my", "our", "his", "her", "their", "the", "a", "an", "your"})

Actor: TypeAlias = Literal["self", "other", "any"]
"""Actor of the event: the asker, somebody who is named, or anybody."""


class Said(NamedTuple):
    """A word of a text: as it is written, in lower case, and where it stands."""

    written: str
    word: str
    start: int

    @property
    def end(self) -> int:
        """Return the place behind the last character."""
        return self.start + len(self.written)

    @property
    def capital(self) -> bool:
        """Return whether it is written like a name."""
        return self.written[:1].isupper() and self.word not in _SELF


@immutable
class AskedEvents:
    """
    Events that a question counts.

    ``verb``: the key of the verb that says it, "" if a noun does (``things``); ``things``: keys of
    the nouns that belong to it; ``names``: of each name in it, the words one of which stands for
    it; ``item``: the noun that is counted, if it is not times; ``who``: the words for who did it.
    """

    text: str
    about: str
    verb: str = ""
    things: tuple[str, ...] = ()
    names: tuple[tuple[str, ...], ...] = ()
    item: str = ""
    actor: Actor = "any"
    who: tuple[str, ...] = ()
    intervals: tuple[Interval, ...] = ()

    @property
    def words(self) -> frozenset[str]:
        """Return its words in lower case."""
        return frozenset(said.word for said in words_of_text(self.about))

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of the words of which a mention has one."""
        item = (key_of_family(self.item),) if self.item else ()
        return tuple(dict.fromkeys(key for key in (self.verb, *self.things, *item) if key))


def words_of_text(text: str) -> list[Said]:
    """Return the words and marks of a text."""
    return [
        Said(found[0], found[0].lower().replace("’", "'"), found.start())
        for found in _RE.word.finditer(text)
    ]


def read_asked_events(text: str, now: datetime) -> AskedEvents:
    """
    Return the events that a question, or a phrase such as "swimming lessons", counts.

    Args:
        text: the question.
        now: the aware moment at which it is asked.

    """
    intervals = find_intervals(text, now)
    if intervals and all(one.start is not None and one.start > now for one in intervals):
        been = (find_intervals(f"I did it {one.text}", now)[:1] for one in intervals)
        intervals = tuple(one for some in been for one in some)  # what is counted has been
    plain = text
    for start, end in places_of(intervals, text):
        # As long as before, since the places of the other times count on that.
        plain = plain[:start] + " " * (end - start) + plain[end:]
    frame = _RE.how_often.search(plain)
    counted = None if frame else _RE.how_many.search(plain)
    match = frame or counted
    asked = plain if match is None else plain[match.end() :]
    asked = _RE.aside.split(asked, maxsplit=1)[0]
    words = words_of_text(asked)
    read = AskedEvents(text=text, about=" ".join(asked.split()), intervals=intervals)
    if match is None:
        return _with_rest(read, words, light=True)
    if counted is not None:
        head = _until_auxiliary(words)
        read, words = _with_item(read, words[:head]), words[head:]
    return _read_clause(read, words)


class AskedOccasion(NamedTuple):
    """The occasion that a question asks for the time of: the last of some events, or the first."""

    events: AskedEvents
    last: bool


def read_asked_occasion(text: str, now: datetime) -> AskedOccasion | None:
    """Return the occasion that "when did I last swim?" asks for; None if it asks for none."""
    found = _RE.when_edge.search(text) or _RE.edge_time.search(text)
    if found is None:
        return None
    told = found.groupdict(default="")
    clause, rest = told["clause"], told.get("rest", "").strip()
    if rest and _is_verb(clause.split()[-1].lower()):
        return None  # "when did I finish last in the race?"
    events = read_asked_events(f"how often {clause} {rest}?", now)
    return AskedOccasion(events, told["edge"].lower() != "first") if events.keys else None


def _until_auxiliary(words: Sequence[Said]) -> int:
    """Return the end of the group that is counted: an auxiliary, or the word for who did it."""
    for at, said in enumerate(words):
        if said.word in word_set("asking_auxiliaries") or (at and said.word in _SELF | _OTHER):
            return at
    return len(words)


def _with_item(read: AskedEvents, group: Sequence[Said]) -> AskedEvents:
    """Read the noun that is counted: the last before a preposition, and what stands beside it."""
    group = [said for said in group if said.word not in _OWN]
    stop = next(
        (at for at, said in enumerate(group) if at and said.word in word_set("function_words")),
        len(group),
    )
    head = [said for said in group[:stop] if _is_content(said)]
    if not head:
        return _with_rest(read, group, light=True)
    read = replace(read, item=head[-1].word)
    return _with_rest(read, [*head[:-1], *group[stop:]], light=True)


def _read_clause(read: AskedEvents, words: Sequence[Said]) -> AskedEvents:
    """Read the subject of a clause, its verb, and the rest."""
    words = list(words)
    begun = []
    while words and words[0].word in word_set("asking_auxiliaries") | {"there", "n't"}:
        begun.append(words.pop(0).word)
    taken = _subject(words)
    if begun and _BEING.issuperset(begun) and taken > 1 and not any(map(_is_told, words[taken:])):
        taken -= 1  # what it was: "how often was the ferry late?"
    subject, words = words[:taken], words[taken:]
    who = tuple(said.word.removesuffix("'s") for said in subject if _is_content(said))
    if any(said.word in _SELF for said in subject):
        read = replace(read, actor="self")
    elif who:
        read = replace(read, actor="other", who=who)
    light = True
    while words and (words[0].word in word_set("adverbs") or words[0].word in ("been", "actually")):
        words.pop(0)
    if words and _is_content(words[0]) and not words[0].capital:
        key = key_of_family(words[0].word)
        light = key in _light()
        bare = not any(map(_is_content, words[1:])) and not (read.item or read.things)
        if (not light or bare) and (read.actor != "any" or _is_verb(words[0].word)):
            read, words, light = replace(read, verb=key), words[1:], light and not bare
        elif light:
            words = words[1:]
    return _with_rest(read, words, light=light)


def _subject(words: Sequence[Said]) -> int:
    """Return the number of words, the first ones, that say who did it."""
    if not words:
        return 0
    if words[0].word in _SELF | _OTHER:
        return 1
    if words[0].capital:
        at = 1
        while at < len(words) and words[at].capital:
            at += 1
        return at
    at = 1 if words[0].word in _OWN else 0
    if not at and (_is_verb(words[0].word) or not _is_content(words[0])):
        return 0
    nouns = at
    while at < len(words) and (_is_content(words[at]) or words[at].word == "'s"):
        if at > nouns and not words[at].capital and _is_verb(words[at].word):
            break
        at += 1
    return at if at > nouns else 0


def _is_verb(word: str) -> bool:
    use = use_of(word)
    return is_past(word) or (use.known and use.verb >= _VERB) or _participle(word)


def _participle(word: str) -> bool:
    return word in word_set("irregular_participles")


def _with_rest(read: AskedEvents, words: Sequence[Said], *, light: bool) -> AskedEvents:
    """Read the nouns and names that belong to the event."""
    things, names = list(read.things), list(read.names)
    run: list[str] = []
    end = -1
    for said in words:
        word = said.word.removesuffix("'s")
        if not _is_content(said):
            continue
        if said.capital:
            run = [*run, word] if run and end + 1 == said.start else [word]
            names = [*names[:-1], tuple(run)] if len(run) > 1 else [*names, tuple(run)]
            end = said.end
        elif word not in word_set("adverbs"):
            key = key_of_family(word)
            if light and key in _light() and not things and not read.item:
                continue
            things.append(key)
    return replace(read, things=tuple(dict.fromkeys(things)), names=tuple(names))


def _is_content(said: Said) -> bool:
    letters = said.word[:1].isalnum()
    return letters and said.word not in word_set("function_words") | word_set("particles")


def _is_told(said: Said) -> bool:
    """Return whether a word may be what somebody did or was."""
    return _is_content(said) and said.word not in word_set("adverbs")


def _light() -> frozenset[str]:
    return frozenset(map(key_of_family, word_set("light_verbs")))
