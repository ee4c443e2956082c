"""
Importance of a memory by itself, before anybody has asked for it (CONCEPT, section 4.6a).

One score for all that need one: anchors rank what is under them by it, and sleep keeps by it. What
is kept with an episode are the signals that stay; ``core/appraise.py`` adds the one that fades.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from hippocampus.core.appraise import LASTING
from hippocampus.core.roles import MACHINE_ROLES
from hippocampus.core.word_lists import word_list

FULL_DENSITY: Final = 0.25
"""Names a word from which on a text is as dense as can be: every fourth word is one. CONCEPT,
section 4.6a, wants it in [0, 1] and names no number: set by hand."""
FULL_LENGTH: Final = 40
"""Words with which somebody who writes for themself has shown all the interest there is: CONCEPT,
section 4.6a, compares with the median, which a turn by itself does not know. Set by hand."""


@cache
def _decides() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:{'|'.join(word_list('decisions'))})\b"
        r"|\b(?:constraint|rule|todo|action|requirement)s?\s*:",
        re.IGNORECASE,
    )


def decides(text: str) -> bool:
    """Return whether a text holds a decision, a constraint, a commitment or a directive."""
    return _decides().search(text) is not None


def lasting_importance(text: str, *, names: int, role: str | None) -> float:
    """
    Return the part of a text's importance, of 1 to 10, that does not fade, in [0, 8.5].

    Args:
        text: what was said.
        names: how many names it has.
        role: who said it; what an assistant or a tool writes at length shows nobody's interest.

    """
    words = text.count(" ") + 1
    density = min(1.0, names / words / FULL_DENSITY)
    engaged = min(1.0, words / FULL_LENGTH) if role not in MACHINE_ROLES else 0.0
    signals = {"entity_density": density, "decision": decides(text), "engagement": engaged}
    return sum(weight * signals[name] for name, weight in LASTING.weights.items())
