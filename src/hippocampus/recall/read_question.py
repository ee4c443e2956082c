"""The reading of a question, in words for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from hippocampus.index.query import Query
from hippocampus.language.asked_conversation import Whole
from hippocampus.language.question_intent import Intent

_INTENTS: Final[Mapping[Intent, str]] = {
    "now": "what is so now",
    "past": "what was so",
    "when": "a time",
    "last": "the latest of something",
    "how many": "a number",
    "list": "all there is of something",
}
_FACTS: Final = {
    "now": "a fact", "before": "the fact before the present one", "then": "a fact of that time",
    "next": "a fact that is planned",
}  # fmt: skip
"""Words for the state that is asked for."""
_WHOLES: Final[Mapping[Whole, str]] = {
    "events": "events in their order",
    "about": "all that was said of a matter",
    "talk": "one conversation",
    "first": "what was said first",
    "all": "every conversation",
    "themes": "what all of it is about",
}


def asks_for(query: Query) -> Iterator[str]:
    """Yield a phrase for each kind of answer that a question's words ask for."""
    if query.small_talk:
        yield "nothing: it greets, thanks or agrees"
    yield from (_INTENTS[one] for one in _INTENTS if one in query.intents)
    if query.listing:
        yield "whatever was at a time"
    if query.latest > 1:
        yield "the last thing of all"
    if query.occasion is not None:
        yield f"when something took place {'last' if query.occasion.last else 'first'}"
    if query.conversation is not None:
        about = ", ".join(f"“{one}”" for one in query.conversation.about)
        yield _WHOLES[query.conversation.whole] + (f": {about}" if about else "")
    if query.advice:
        yield "advice, on which wishes and rules bear"
    if query.state is not None and query.conversation is None:
        yield "one of several states of a matter"
    if query.fact is not None:
        relations = ", ".join(sorted(query.fact.relations))
        yield f"{_FACTS[query.fact.of]}: {relations}"
    if query.quoting:
        yield "what the assistant said"
    if len(query.introduced):
        yield "who somebody is"
    if query.impersonal and not query.speakers and query.conversation is None:
        yield "something that may be of the world, not of anybody's life"
