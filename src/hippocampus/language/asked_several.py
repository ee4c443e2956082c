"""
Signs that a question asks for several things: "which trips did I take?", "names of the children".

What answers it is several memories, each with one of the things, and not the ten that speak most of
the best one. The form of a question says so: all of something is asked for, or a number; the noun
after "what" or "which" is in the plural; or what somebody has done so far is asked for.
"""

from __future__ import annotations

import re
from typing import Final

from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.nouns import kinds, singular, use_of

_RE: Final = Patterns("questions")
_LONGEST: Final = 300
"""Characters of a question that are read; what is longer tells more than it asks."""
_NOUN: Final = 0.4
"""Share of its uses as a noun from which a word ends what is asked for."""


# "Class", "bus" and "basis" end so, too, and are singular.
_LOOKS_PLURAL: Final = re.compile(r"(?<!s)(?<!u)(?<!i)s$")


def asked_in_plural(text: str) -> str:
    """Return the noun in the plural that a question asks for, as a singular; "" if for none."""
    head = text[:_LONGEST].lower().replace("’", "'")
    said = [(re.split("[ /&]", match["rest"])[-1], True) for match in _RE.which.finditer(head)]
    said += [(_first_nouns(match["rest"]), False) for match in _RE.which_of.finditer(head)]
    for noun, surely in said:
        one = singular(noun)
        if one == noun and surely and _LOOKS_PLURAL.search(noun) and not kinds(noun):
            one = noun[:-1]  # what is mostly a verb elsewhere: "causes", "deals"
        if one != noun or noun in word_set("plurals"):
            return one
    return ""


def _first_nouns(rest: str) -> str:
    """Return the last of the nouns with which some words begin, "" if they begin with none."""
    head = ""
    for word in rest.split():
        if word in word_set("function_words") or use_of(singular(word)).noun < _NOUN:
            break
        head = word
    return head


def asks_for_several(text: str) -> bool:
    """Return whether a question asks for several things, in a form that says so."""
    head = text[:_LONGEST]
    if _RE.list.search(head) or _RE.how_many.search(head) or _RE.several_of.search(head):
        return True
    return bool(asked_in_plural(head)) or _RE.so_far.search(head) is not None
