"""
The relations that rules know: how they are said, and of how much they hold at a time.

The vocabulary is open: what is "my" something makes a relation of its own.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from hippocampus.core.records import Mode
from hippocampus.core.word_lists import word_set
from hippocampus.language.nouns import kinds

FUNCTIONAL: Final = frozenset(
    "lives_in works_at works_as studies_at married_to marital_status birthday age".split()
)
"""Relations of which one holds at a time; what is "my" something, in the singular, is another."""
EXCLUSIVE: Final = {"likes": "dislikes", "dislikes": "likes"}
"""Relations that cannot both hold of the same."""
BY_BIRTH: Final = frozenset({"born_in", "from", "grew_up_in"})
"""Relations that hold for ever if they hold at all."""

ALSO_CALLED: Final = "also_called"
"""What a thing is to its other name."""


class Rule(NamedTuple):
    """What a beginning of a predicate says; ``named``: only of a name, as places are."""

    said: re.Pattern[str]
    relation: str
    mode: Mode
    named: bool = False


def _rule(said: str, relation: str, mode: Mode, *, named: bool = False) -> Rule:
    return Rule(re.compile(rf"(?:{said})(?: |$)", re.IGNORECASE), relation, mode, named)


WAY = "(?: back| out| over| down| up| away| here| together| all the way)*"
RULES: Final = (
    _rule(rf"(?:live|lives|living|reside|resides|residing|based|settled){WAY} (?:in|at)",
          "lives_in", "holds", named=True),
    _rule(rf"(?:lived|resided){WAY} in", "lives_in", "held", named=True),
    _rule(rf"(?:moved|relocated|emigrated|moving|relocating|settled down|move|relocate){WAY}"
          r"(?: from [\w' -]+?)? (?:to|in)", "lives_in", "began", named=True),
    _rule(rf"(?:moved|relocated|moving){WAY} (?:from|out of)|left", "lives_in", "ended",
          named=True),
    _rule("(?:was |were )?born(?: and raised)? in", "born_in", "holds", named=True),
    _rule("grew up in|raised in", "grew_up_in", "held", named=True),
    _rule("from|come from|comes from|originally from|hail from", "from", "holds", named=True),
    _rule("(?:work|works|working|employed) (?:at|for|by)", "works_at", "holds", named=True),
    _rule("worked (?:at|for)", "works_at", "held", named=True),
    _rule("(?:join|joined|joining|hired by|(?:started|start|starting|began)"
          "(?: working| a (?:new )?(?:job|position|role))?(?: work)? (?:at|with|for)"
          "|got (?:a|the|my) (?:new |dream )?(?:job|offer|position) (?:at|with|from)"
          "|(?:accepted|took) (?:a|the) (?:new )?(?:job|offer|position) (?:at|with|from))",
          "works_at", "began", named=True),
    _rule("(?:quit|left|lost|resigned from|gave up) (?:my|his|her|the|your)"
          "(?: old| current)? job(?: at| with)?|retired(?: from)?"
          "|(?:got |was )?(?:fired|laid off)(?: from| by)?", "works_at", "ended"),
    _rule("quit|left|resigned from|stopped working (?:at|for)|leaving|quitting", "works_at",
          "ended", named=True),
    _rule("(?:work|works|working) as", "works_as", "holds"),
    _rule("worked as", "works_as", "held"),
    _rule("(?:became|started(?: working| out)? as|got promoted to|promoted to|hired as)",
          "works_as", "began"),
    _rule("(?:study|studies|studying|enrolled|attend|attends)(?: at| in)?"
          r"|(?:go|goes) to(?= (?:the )?(?:[A-Z]\S* )*(?:\w*school|college|university|academy)\b)",
          "studies_at", "holds", named=True),
    _rule("graduated from|finished at|dropped out of", "studies_at", "ended", named=True),
    _rule("study|studies|studying|major in|majoring in|majors in", "studies", "holds"),
    _rule("(?:started|began|start) (?:studying|learning)|took up", "studies", "began"),
    _rule("married to", "married_to", "holds", named=True),
    _rule("(?:got |getting )?married(?: to)?|marrying|tied the knot with", "married_to", "began",
          named=True),
    _rule("(?:got )?(?:divorced|separated)(?: from)?|divorced", "married_to", "ended", named=True),
    _rule("(?:like|love|enjoy|adore)s?|into|keen on|crazy about|passionate about|fond of"
          "|(?:a )?(?:big|huge|great)? ?fans? of|fell in love with", "likes", "holds"),
    _rule("(?:hate|dislike|detest|loathe)s?|can't stand", "dislikes", "holds"),
    _rule("prefers?", "prefers", "holds"),
    _rule("allergic to", "allergic_to", "holds"),
    _rule("(?:have|has|own|owns|'ve got|got)(?: got)?", "has", "holds"),
    _rule("had|owned", "has", "held"),
    _rule("(?:bought|adopted|purchased)(?: myself| ourselves| himself| herself)?", "has", "began"),
    _rule("(?:sold|gave away|got rid of)", "has", "ended"),
    _rule("plays?|playing", "plays", "holds"),
    _rule("(?:stopped|quit|gave up) playing", "plays", "ended"),
    _rule("speaks?", "speaks", "holds", named=True),
)  # fmt: skip

_SEVERAL: Final = {rule.relation for rule in RULES} - FUNCTIONAL | {"is_a", "name", ALSO_CALLED}


def functional(relation: str) -> bool:
    """
    Return whether a relation is to one thing at a time.

    So are the ones that are known to be, and what is "my" something, unless it is a person or an
    animal, of whom one may have several.
    """
    if relation in FUNCTIONAL:
        return True
    return relation not in _SEVERAL and not is_being(relation)


def is_being(relation: str) -> bool:
    """Return whether who is "my" something by a relation is somebody close, or an animal."""
    return relation in word_set("kin") or "animal" in kinds(relation)
