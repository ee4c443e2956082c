"""The dashboard names cues in the words of every other surface."""

import re
from importlib.resources import files

from hippocampus.core.cue_names import CUE_WORDS, cue_of
from hippocampus.engine.context import CUES

SCRIPT = (files("hippocampus.dashboard") / "static" / "format.js").read_text("utf-8")


def test_the_dashboard_has_the_same_word_for_each_cue():
    _, _, table = SCRIPT.partition("export const CUES = {")
    said = dict(re.findall(r'^  (\w+): \["([^"]+)"', table.partition("};")[0], re.MULTILINE))

    assert dict(CUE_WORDS) == said


def test_every_cue_that_can_be_asked_is_found_by_its_word_and_by_its_name():
    assert list(CUES) == [cue_of(CUE_WORDS[cue]) for cue in CUES]
    assert list(CUES) == [cue_of(cue) for cue in CUES]
