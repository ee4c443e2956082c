"""Disks fail and processes die at any operation of any verb: nothing acknowledged is lost."""

import pytest
from campaign import KILLED, VERBS, WAYS, Case, make, sweep
from disk import EVERY, faulty_disk

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


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_whatever_the_disk_fails_at_nothing_is_lost_and_nothing_raw_comes_out(
    verb, template, tmp_path
):
    tried, found = 0, []
    with faulty_disk(tmp_path) as disk:
        case = Case(tmp_path, template, verb)
        for number, way in enumerate([KILLED, *WAYS]):
            for nth, how, wrong in sweep(case, disk, [way], step=STEP, start=1 + 7 * number):
                tried += 1
                found += [(nth, how, one) for one in wrong]
    assert [] == found[:5]
    assert tried >= len(WAYS) or verb == "redate"
