"""Whatever is damaged in a store's files, nothing raw comes out and no wrong answer goes unsaid."""

import time

import pytest
from damage import WAYS, campaign


@pytest.mark.parametrize("times", [12, pytest.param(400, marks=pytest.mark.slow)])
def test_damage_anywhere_is_an_error_of_ours_or_changes_no_answer(tmp_path, times):
    tried, _, findings = campaign(tmp_path, time.monotonic() + 600, times=times)

    assert times == sum(tried.values())
    assert set(tried) <= set(WAYS)
    assert [] == findings
