"""The parts of a score: each has a word that people read, and each word a part or a cue."""

import ast
from pathlib import Path

import hippocampus.recall
from hippocampus.core.config import Fusion
from hippocampus.core.cue_names import CUE_WORDS, CUES
from hippocampus.index.bm25 import MARKS, Marked
from hippocampus.recall.features import features
from hippocampus.recall.reorder import STEPS
from hippocampus.recall.signals import BESIDE_SESSIONS, OF_THE_RANKING, OF_THE_TURN

PACKAGE = Path(hippocampus.recall.__file__).parent
HOLDERS = {"parts"}
"""Names of the dictionaries of parts, also as attributes."""


def named(node):
    """Return whether an expression is a dictionary of parts."""
    return getattr(node, "attr", getattr(node, "id", None)) in HOLDERS


def given_in(source):
    """Return the names under which a module sets parts of a score."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Subscript) and named(node.value):
            key = getattr(node.slice, "value", None)
            found |= {key} if isinstance(key, str) else set()
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(map(named, targets)):
                told = (one for one in ast.walk(node.value) if isinstance(one, ast.Dict))
                found |= {key.value for one in told for key in one.keys}
    return found


def given():
    """Return every part that scoring can give."""
    sources = (file.read_text("utf-8") for file in PACKAGE.glob("*.py"))
    signals = (name for name, _ in OF_THE_TURN + BESIDE_SESSIONS + OF_THE_RANKING)
    steps = (step.part for step in STEPS)
    return set().union(features(Fusion()), signals, steps, *map(given_in, sources))


def test_a_part_is_seen_however_it_is_set():
    source = "scored.parts['a'] = b\nparts |= {'c': d} if x else {}\nparts: dict = {'e': f}"

    assert {"a", "c", "e"} == given_in(source)


def test_every_part_that_scoring_can_give_has_a_word():
    assert {"news", "possession", "choice", "answering", "alike", "feedback"} <= given()
    assert set() == given() - CUE_WORDS.keys()


def test_every_word_is_of_a_cue_or_of_a_part():
    assert set() == CUE_WORDS.keys() - given() - set(CUES)


def test_marks_have_names_in_the_order_in_which_they_are_kept():
    assert len(MARKS) == len(Marked._fields)
    assert ("telling", "deed", "standing", "asking") == Marked._fields
