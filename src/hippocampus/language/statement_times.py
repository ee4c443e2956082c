"""Since when and until when a statement holds, by the times that its sentence tells."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from hippocampus.core.clock import to_micros
from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.records import Interval, Statement
from hippocampus.language.relations import is_being

_DAYS: Final = frozenset({"birthday", "anniversary"})
"""Relations whose object is a day."""

_SINCE: Final = frozenset(
    {"works_at", "works_as", "lives_in", "studies_at", "boss", "doctor", "partner", "diet"}
)
"""Relations that are so from a time on; "songs from the 80s" are not loved since then."""

_FROM: Final = lazy_pattern(
    r"\b(?:from|as of|as from|starting|beginning|effective)(?: on| in| from)? *$", re.IGNORECASE
)
_OF_THING: Final = lazy_pattern(r"(?P<noun>\S+) from(?: the)? *$", re.IGNORECASE)
_CLAUSE: Final = lazy_pattern(
    r"(?:(?:[,;]|\b(?:and|but|so|while|whereas|when|before|after|since|until|till)\b)\s+){0,2}"
    r"\b(?:i|we|he|she|they)\b"
    r"|(?:[,;]|\b(?:and|but|so|while|whereas)\b)(?:\s+(?:and|but|so|while|whereas)\b)?\s+"
    r"(?:(?:my|our|his|her|their) \w+(?: (?-i:[A-Z])\w*)? \w+"
    r"|(?-i:[A-Z])\w*(?:'s|\s+(?:has|have|is|are|was|were|had|\w+[^s\W]s|\w+ed))\b)",
    re.IGNORECASE,
)
"""Beginning of a clause that has a subject of its own: "…, and I've", "but my sister Anna has"."""
_WORD: Final = lazy_pattern(r"[\w'-]+")
_BESIDE: Final = 80
"""Characters behind a name in which a noun explains it; set by hand."""
_OWN: Final = frozenset({"my", "our", "your", "his", "her", "their"})
_TO: Final = lazy_pattern(r" *(?:to|until|till|[-\u2013\u2014])\b", re.IGNORECASE)


def with_times(
    said: Statement, sentence: str, times: Sequence[Interval], occurred_at: datetime
) -> Statement:
    """
    Return a statement with the first time that its clause tells, or else its sentence.

    What is or was so has times of its own clause alone: "I live in Graz and I've worked at Acme
    since May" does not say since when I live there. What began or ended did so at the start of a
    time; of what holds, only what lasts until now or goes on counts, for "I work at Acme on
    Fridays" does not say since when; but "from Friday" does. Of a birthday, and of whatever else is
    a day, the time that is told is what is stated, and no bound of it.
    """
    if said.relation in _DAYS or any(time.text in said.object for time in times):
        return said
    if said.mode == "holds" and _is_in_passing(said, sentence):
        return said
    times = _of_clause(said, sentence, times)
    if said.mode == "holds" and times and _is_of_thing(said, sentence, times[0].text):
        return said
    if said.mode == "holds" and times and _is_from(sentence, times[0].text):
        said = said._replace(mode="began")
    start, end = next(((time.start, time.end) for time in times), (None, None))
    if said.mode in ("began", "ended", "planned"):
        end = None
    elif said.mode == "holds" and end is not None:
        end = None if start is None or start <= occurred_at else end
        start = start if times and times[0].end is None else None
    return said._replace(
        start=None if start is None else to_micros(start),
        end=None if end is None else to_micros(end),
    )


def _is_in_passing(said: Statement, sentence: str) -> bool:
    """Return whether a noun only names somebody: "my boss Tom", or "Tom, my boss,"."""
    noun, name = said.word.casefold(), said.object.casefold()
    before, found, behind = sentence.casefold().partition(name)
    if not (name and found and is_being(said.relation)):
        return False
    before = before.rstrip(" ,")
    if before.endswith(noun) and not before[: -len(noun)][-1:].isalnum():
        return True
    whose, *words = _WORD.findall(behind, 0, _BESIDE) or [""]
    return behind.startswith(", ") and whose in _OWN and noun in words[:2]


def _of_clause(said: Statement, sentence: str, times: Sequence[Interval]) -> Sequence[Interval]:
    """Return the times of a statement's clause; of a deed without any, those of others that end."""
    begins = [clause.start() for clause in _CLAUSE.finditer(sentence)]
    place = sentence.find(said.object) if said.object else -1
    if place < 0 or not times:
        return times
    # What stands before the first subject is said of it: "Since May I've lived in Graz".
    clause = max(1, bisect(begins, place))
    own = [t for t in times if max(1, bisect(begins, sentence.find(t.text))) == clause]
    is_state = said.mode in ("holds", "held")
    return own or [time for time in times if time.end is not None and not is_state]


def _is_from(sentence: str, time: str) -> bool:
    """Return whether a sentence says that something is so from a time on, whenever it ends."""
    before, found, behind = sentence.partition(time)
    return bool(found and _FROM.search(before) and not _TO.match(behind))


def _is_of_thing(said: Statement, sentence: str, time: str) -> bool:
    """Return whether a time is that of a thing: "a sofa from 1990", "my boss from last year"."""
    before, found, _ = sentence.partition(time)
    of = _OF_THING.search(before) if found else None
    return of is not None and (said.relation not in _SINCE or of["noun"] == said.noun)
