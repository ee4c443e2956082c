"""
Whether a text tells of who says it, as against asking: "my sister lives in Porto".

That is what memories of people are made of. A question about Ada is better answered by what Ada
says of herself than by what she wants to know, however alike the words. English, as the words of
grammar are (``terms.py``): in other languages texts tell by chance, where a word is spelt alike, as
"i" is "and" in Polish and "in" in Danish, and "i.e." passes for a first person too.
"""

from __future__ import annotations

import re
from functools import cache

from hippocampus.core.word_lists import word_list

# A first person, and from there no question mark before the sentence ends.
_TELLS = re.compile(
    r"\b(?:i|me|my|mine|myself|we|our|ours)\b[^.!?\n]*+(?:[.!\n]|\Z)", re.IGNORECASE
)


@cache
def _deed() -> re.Pattern[str]:
    went = "|".join(word_list("irregular_pasts"))
    return re.compile(
        r"\b(?:i|we)(?:['’]ve| have)?(?: (?:never|even|just|\w+ly|also|actually|already))*+"
        rf" (?:{went}|[a-z]{{3,}}ed)\b",
        re.IGNORECASE,
    )


def tells_of_self(text: str) -> bool:
    """Return whether any sentence says something in the first person without asking."""
    return _TELLS.search(text) is not None


def tells_of_deed(text: str) -> bool:
    """Return whether a first person did or was something: "we went", "I've also joined"."""
    return _deed().search(text) is not None
