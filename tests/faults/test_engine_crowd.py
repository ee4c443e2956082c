"""Processes on one store, stopped, killed and told the wrong time, see what is of some order."""

import pytest
from crowd import ROLES, crowd
from linearizable import in_some_order


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_what_a_crowd_of_processes_sees_is_of_some_order(seed, tmp_path):
    history, killed, stopped, problems = crowd(tmp_path, seed)

    assert [] == problems
    assert len(history) > 100
    assert (killed, stopped) > (0, 0)
    assert {"owner", "sleeper", "reader"} == set(ROLES)
    assert in_some_order(history), sorted(history, key=lambda one: one.began)
