"""What ``docs/content.md`` draws is what the code makes."""

import re

import numpy as np
from docs_blocks import ROOT

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
