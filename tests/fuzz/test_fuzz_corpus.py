"""The kept corpus is read in every run: what was a defect once is none again."""

from pathlib import Path

import pytest
from fuzz_json import mutate
from fuzz_targets import TARGETS

from hippocampus.errors import HippocampusError

CORPUS = Path(__file__).parent / "corpus"
MOST_BYTES = 500 << 10


def inputs(target):
    return sorted(file for file in (CORPUS / target).iterdir() if file.is_file())


def read(target, data):
    """Return whether a target read bytes; anything but an error of ours is the test's failure."""
    try:
        TARGETS[target](data)
    except HippocampusError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_what_others_made_is_read_or_refused_with_an_error_of_ours(target):
    known = inputs(target)
    assert known, "each target begins from something"
    good = [read(target, file.read_bytes()) for file in known]
    assert any(good), "and from something sound"


@pytest.mark.slow
@pytest.mark.parametrize("target", sorted(TARGETS.keys() - {"stores", "verbs", "tools"}))
def test_changed_json_too(target):
    def same(data, _longest):
        return data

    for seed, file in enumerate(inputs(target)):
        for nth in range(3):
            read(target, mutate(file.read_bytes(), 6000, 1000 * seed + nth, same))


def test_the_corpus_is_small_and_of_known_targets():
    assert set(TARGETS) == {folder.name for folder in CORPUS.iterdir()}
    assert sum(file.stat().st_size for file in CORPUS.rglob("*") if file.is_file()) <= MOST_BYTES
