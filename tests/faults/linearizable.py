"""
Is there an order, one after the other, in which what several did to a bank gives what each saw?

J. Wing, C. Gong. Testing and verifying concurrent objects. JPDC 17(1-2), 1993: an operation takes
place at one moment between its call and its answer. What was called and never answered, for its
process was killed, took place at some moment after its call, or never.
"""

import math
from dataclasses import dataclass
from functools import partial

from hippocampus.errors import StoreLocked, UnknownEpisode

TEXTS = {
    "roof": "The roof of the red house leaks.",
    "boat": "Nina's boat leaves the harbour at nine.",
    "piano": "Omar tuned the old piano.",
    "soup": "The soup was far too salty.",
    "key": "The spare key is under a blue pot.",
    "train": "The train to Graz was late again.",
}
"""What a bank may hold, by a short name."""
SEEDED = ("roof", "boat", "key")
"""What it holds from the beginning."""


@dataclass(frozen=True)
class Done:
    """One operation: what, of which text, from when to when, and what came of it."""

    what: str
    text: str
    began: float
    ended: float = math.inf
    answer: object = None
    sure: bool = True
    """Whether its answer was heard; what was not took place before it ended, or never."""

    @property
    def answered(self):
        return self.sure and self.ended < math.inf


# ---------------------------------------------------------------- what a bank is to do


def _remember(state, text):
    now = state.get(text, "active")
    return state | {text: now}, now


def _move(start, end, state, text):
    now = state[text]
    if now == "erased":
        return state, "unknown"
    return (state | {text: end}, 1) if now == start else (state, 0)


def _erase(state, text):
    if state[text] == "erased":
        return state, "unknown"
    return state | {text: "erased"}, 1


def _read(state, _):
    return state, sorted(text for text, now in state.items() if now == "active")


def _count(state, _):
    return state, sum(now == "active" for now in state.values())


def _compact(state, _):
    return {text: "erased" if now == "forgotten" else now for text, now in state.items()}, None


def _nothing(state, _):
    return state, None


MODEL = {
    "remember": _remember,
    "forget": partial(_move, "active", "forgotten"),
    "restore": partial(_move, "forgotten", "active"),
    "erase": _erase,
    "episodes": _read,
    "recall": _read,
    "find": _read,
    "count": _count,
    "indexed": _count,
    "sleep": _nothing,
    "compact": _compact,
}
"""Each verb on a dictionary of states by text: the dictionary after it, and its answer."""
IN_STEPS = ("erase", "compact")
"""Verbs whose work may be finished by whoever comes next, if they were cut off."""
READS = ("episodes", "recall", "find")
OF_SEEDED = ("forget", "restore", "erase")
"""Verbs that take an id, and so a text that was there before anybody began."""


def do(bank, ids, what, text, texts=TEXTS):
    """Do it to a real bank, that holds some texts by name; return the model's answer."""
    names = {words: name for name, words in texts.items()}
    verbs = {
        "remember": lambda: bank.remember(texts[text], at="2025-03-02").state,
        "forget": lambda: bank.forget(ids[text]),
        "restore": lambda: bank.restore(ids[text]),
        "erase": lambda: bank.forget(ids[text], erase=True),
        "episodes": lambda: sorted(names[e.text] for e in bank.episodes()),
        "recall": lambda: sorted(names[hit.text] for hit in bank.recall("the house", k=99)),
        "find": lambda: sorted(names[e.text] for e in bank.find("the")),
        "sleep": lambda: bank.sleep() and None,
        "compact": lambda: bank.compact() and None,
    }
    try:
        return verbs[what]()
    except UnknownEpisode:
        return "unknown"
    except StoreLocked:
        return "locked"


def seed(bank):
    """Put in what is there from the beginning; return the ids."""
    return {text: bank.remember(TEXTS[text], at="2025-03-02").id for text in SEEDED}


# ---------------------------------------------------------------- whether there is an order


def in_some_order(history, *, start=None):
    """
    Return whether some order explains a history.

    What was refused because the store was locked changed nothing, but an erasure may have been cut
    off between its steps: that is taken as one that was never answered.
    """
    history = [
        Done(one.what, one.text, one.began) if one.answer == "locked" else one
        for one in history
        if one.answer != "locked" or one.what in IN_STEPS
    ]
    must = frozenset(n for n, one in enumerate(history) if one.answered)
    seen = set()
    stack = [(frozenset(), dict.fromkeys(SEEDED, "active") if start is None else start)]
    while stack:
        done, state = stack.pop()
        if must <= done:
            return True
        key = done, frozenset(state.items())
        if key in seen:
            continue
        seen.add(key)
        first = min(history[n].ended for n in must - done)
        latest = max((history[n].began for n in done), default=-math.inf)
        for n, one in enumerate(history):
            if n in done or one.began > first or one.ended < latest:
                continue
            after, answer = MODEL[one.what](state, one.text)
            if not one.answered or answer == one.answer:
                stack.append((done | {n}, after))
    return False
