"""What ``docs/content.md`` draws and tables is what the code makes."""

import json
import re

import numpy as np
import pytest
from docs_blocks import ROOT

from hippocampus.evaluation import dwm
from hippocampus.kernel import WaveletMatrix

PAGE = (ROOT / "docs" / "content.md").read_text(encoding="utf-8")
LETTERS = "abcdr"


def drawn(name):
    """The rows of the drawing that begin with a name, as lists of what stands at each place."""
    drawing = re.search(r"```text\n(place.*?)```", PAGE, re.DOTALL)[1]
    return [line[11:43].split() for line in drawing.splitlines() if line[:10].strip() == name]


def test_the_drawing_is_the_matrix():
    text = "abracadabra"
    matrix = WaveletMatrix.build(np.array([*map(LETTERS.index, text)], np.uint64), bits=3)
    order = list(text)

    assert [str(place) for place in range(len(text))] == drawn("place")[0]
    for level, letters in enumerate(drawn("")):
        bits = np.unpackbits(matrix.level(level), bitorder="little")[: len(text)]
        assert order == letters
        assert [str(bit) for bit in bits] == drawn(f"level {level}")[0]
        assert f"{matrix.zeros[level]} zeros" in re.search(f"level {level}.*", PAGE)[0]
        order = [order[at] for at in np.argsort(bits, kind="stable")]


@pytest.mark.parametrize(("report", "which"), [("dwm", (0, 1, 2, 3)), ("dwm-locomo", (1, 3))])
def test_the_tables_are_those_of_the_committed_reports(report, which):
    made = json.loads((ROOT / "evaluation" / "results" / f"{report}.json").read_text())
    tables = dwm.tables(made)

    for place in which:
        assert tables[place] in PAGE
