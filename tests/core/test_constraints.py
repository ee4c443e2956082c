"""Settings are checked by the constraints in their annotations."""

from dataclasses import dataclass
from typing import Annotated

import pytest
from msgspec import Meta

from hippocampus.core.constraints import check
from hippocampus.errors import InputError


@dataclass
class Pace:
    """A setting whose bound was written as a whole number."""

    step_h: Annotated[float, Meta(gt=0)]


def test_a_bound_is_told_as_a_number_of_its_type():
    with pytest.raises(InputError, match=r"Pace.step_h=-1: must be a number above 0\.0"):
        check(Pace(step_h=-1))
