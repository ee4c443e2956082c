"""Disks fail and processes die at any operation of any verb: nothing acknowledged is lost."""

import pytest
from campaign import KEY, KILLED, OF_KEYS, VERBS, WAYS, Case, make, opened, sweep
from disk import EVERY, faulty_disk

from hippocampus.errors import HippocampusError
from hippocampus.upkeep import verify

STEP = 41
"""Of so many operations one is tried here, another one for each way; ``campaign.py`` tries all."""


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    path = tmp_path_factory.mktemp("template") / "template.db"
    make(path)
    return path


def test_a_disk_without_faults_is_as_any_other(template, tmp_path):
    with faulty_disk(tmp_path) as disk:
        counted, met, wrong = Case(tmp_path, template, "remember").once(
            disk, 0, EVERY, "EIO", forever=False
        )
    assert (met, wrong) == (0, [])
    assert counted > 20


def swept(tmp_path, template, verb, key=None, step=STEP):
    """Return how many runs were tried, and what was found in them."""
    tried, found = 0, []
    with faulty_disk(tmp_path) as disk:
        case = Case(tmp_path, template, verb, key)
        for number, way in enumerate([KILLED, *WAYS]):
            for nth, how, wrong in sweep(case, disk, [way], step=step, start=1 + 7 * number):
                tried += 1
                found += [(nth, how, one) for one in wrong]
    return tried, found


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_whatever_the_disk_fails_at_nothing_is_lost_and_nothing_raw_comes_out(
    verb, template, tmp_path
):
    tried, found = swept(tmp_path, template, verb)
    assert [] == found[:5]
    assert tried >= len(WAYS) or verb == "redate"


@pytest.mark.slow
@pytest.mark.parametrize("verb", [*OF_KEYS, "open", "remember in a new bank", "delete_bank"])
def test_nor_is_anything_lost_of_an_encrypted_store(verb, tmp_path_factory, tmp_path):
    template = tmp_path_factory.mktemp("encrypted") / "template.db"
    make(template, key=KEY)
    tried, found = swept(tmp_path, template, verb, KEY)
    assert [] == found[:5]
    assert tried >= len(WAYS)


def test_a_new_encrypted_store_is_made_whole_or_not_at_all(tmp_path):
    whole = tmp_path / "whole"
    whole.mkdir()
    tried = 0
    with faulty_disk(whole) as disk:
        for nth in range(1, 200, 9):
            for file in whole.iterdir():
                file.unlink()
            disk.fail(nth, EVERY, "EIO", forever=True)
            try:
                opened(whole / "new.db", key=KEY).close()
            except HippocampusError:
                tried += 1
            disk.mend()
            with opened(whole / "new.db", key=KEY) as memory:
                memory.bank("ada").remember("It was made after all.")
                assert verify(memory).sound
    assert tried > 5
