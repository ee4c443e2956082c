"""
Questions for whole conversations: a summary, an order of events, all that was said.

Read from grammar: verbs of saying with "I", "we" or "you", nouns for talk, orders to sum up,
superlatives and comparisons of time. What is left of the question is what it is about.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from hippocampus.core.word_lists import Patterns
from hippocampus.encode.terms import find_terms

_RE = Patterns("conversations")
_LONGEST: Final = 600
"""Characters of a question that is looked at; longer ones are texts."""
_MOST_SENTENCES: Final = 3
"""Sentences of a question that is looked at: more tell something, of which the question is a part.
Set by hand."""
_MOST_EVENTS: Final = 8
"""Events to be put in order, at most: each costs a search and an embedding (docs/adr/0060)."""

Whole: TypeAlias = Literal["events", "about", "talk", "first", "all", "themes"]
"""Events to be put in order; all of a matter; one conversation; a beginning; every conversation;
what all of it is about."""


class AskedConversation(NamedTuple):
    """
    Question for conversations, and the events or the matter that it is about.

    ``of_self``: of what the user said, where it says who.
    """

    whole: Whole
    about: tuple[str, ...] = ()
    of_self: bool = False


def read_asked_conversation(text: str) -> AskedConversation | None:
    """
    Return the question about whole conversations, as read; None for one that is about none.

    One of a few sentences asks or orders; what only speaks of a summary or a talk does not.
    """
    if len(text) > _LONGEST:
        return None
    sentences = _sentences(text)
    if len(sentences) > _MOST_SENTENCES:
        return None
    for sentence in filter(_RE.asks.match, sentences):
        found = _themes(sentence) or _in_order(sentence) or _first(sentence) or _all(sentence)
        if found is not None:
            return found
    return None


def _sentences(text: str) -> list[str]:
    parts, begin = [], 0
    for place, char in enumerate(text):
        # A mark within a word ends nothing: "trip.md", "3.5".
        if char in ".?!\n" and (place + 1 == len(text) or text[place + 1].isspace()):
            parts.append(text[begin : place + 1])
            begin = place + 1
    return [part for part in [*parts, text[begin:]] if part.strip()]


def _in_order(sentence: str) -> AskedConversation | None:
    """Read "in which order did I …", "which was first, A or B?", "did A happen before B?"."""
    compared = _RE.before.search(sentence)
    if compared and _is_event(compared["one"]) and _is_event(compared["other"]):
        return AskedConversation("events", (_bare(compared["one"]), _bare(compared["other"])))
    ordered, earlier = _RE.order.search(sentence), _RE.earlier.search(sentence)
    if not ordered and not earlier:
        return None
    listed = _RE.listed.search(sentence)  # what stands before is what they have in common
    rest = _without(sentence[listed.end() :] if listed else sentence)
    events = [_bare(one) for one in _RE.between_events.split(rest)]
    events = [one for one in events if _says(one)]
    if len(events) > 1 and (earlier or not _RE.said.search(sentence)):
        return AskedConversation("events", tuple(events[:_MOST_EVENTS]))
    return AskedConversation("about", (_bare(rest),)) if ordered and _says(rest) else None


def _is_event(part: str) -> bool:
    """Return whether a side of a comparison tells of an event, and not of a time alone."""
    words = [word for word in find_terms(part) if not word.function]
    return bool(words) and (len(words) > 1 or _RE.clause.search(part) is not None)


def _first(sentence: str) -> AskedConversation | None:
    """Read "the first thing I told you", "when did I first mention the boat?"."""
    if not _RE.first_said.search(sentence) or not _RE.said.search(sentence):
        return None
    rest = _bare(_RE.first_said.sub(" ", _without(sentence)))
    own = _RE.said.search(sentence)
    of_self = own is not None and "i" in own[0].casefold().replace("’", "'").split()
    return AskedConversation("first", (rest,) if _says(rest) else (), of_self)


def _themes(sentence: str) -> AskedConversation | None:
    """Read a question for themes: "what are the main themes?", "what is all of it about?"."""
    asked = _RE.themes.search(sentence) or _RE.all_about.search(sentence)
    if not asked:
        return None
    rest = _bare(_without(sentence[: asked.start()] + " " + sentence[asked.end() :]))
    rest = _bare(_RE.everything.sub(" ", rest))
    return None if _says(rest) else AskedConversation("themes")


def _all(sentence: str) -> AskedConversation | None:
    """Read "summarise our chat about the kitchen", "everything I said about the oven"."""
    summed = _RE.summary.search(sentence)
    said = _RE.said.search(sentence)
    every = said and _RE.all_said.search(sentence[: said.start() + 1])
    if not (summed or every or _RE.we_talked.search(sentence) or _RE.across.search(sentence)):
        return None
    rest = _bare(_RE.all_said.sub(" ", _without(sentence)) if said else _without(sentence))
    # "Summarise this: ..." is about a text that comes with it.
    if _RE.pasted.match(rest):
        return None
    if not _says(rest):
        return AskedConversation("all")
    one = summed and _RE.one_talk.search(sentence)
    return AskedConversation("talk" if one else "about", (rest,))


def _without(sentence: str) -> str:
    """Return a sentence without the words that ask for a whole."""
    for asking in (_RE.summary, _RE.order, _RE.said, _RE.whole_talk):
        sentence = asking.sub(" ", sentence)
    return sentence


def _bare(part: str) -> str:
    """Return the subject of a part of a question, without the words around it."""
    return _RE.trail.sub("", _RE.lead.sub("", part.strip())).strip()


def _says(part: str) -> bool:
    return any(not word.function for word in find_terms(part))
