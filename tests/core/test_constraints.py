"""Settings are checked by the constraints in their annotations."""

from dataclasses import dataclass, fields, replace
from typing import Annotated

import pytest
from msgspec import Meta

from hippocampus.capacity import Load, Prices
from hippocampus.core.config import (
    Compact,
    Concepts,
    Config,
    Flood,
    Fusion,
    Ingest,
    Maturation,
    Policy,
    Secrets,
    Signatures,
    Vectors,
)
from hippocampus.core.constraints import check
from hippocampus.errors import InputError
from hippocampus.server.settings import Limits
from hippocampus.sleep.forgetting_policies import Retention
from hippocampus.sleep.schedule import Schedule


@dataclass
class Pace:
    """A setting whose bound was written as a whole number."""

    step_h: Annotated[float, Meta(gt=0)]


def test_a_bound_is_told_as_a_number_of_its_type():
    with pytest.raises(InputError, match=r"Pace.step_h=-1: must be a number above 0\.0"):
        check(Pace(step_h=-1))


SETTINGS = (
    Compact(), Concepts(), Config(), Flood(), Fusion(), Ingest(), Limits(), Load(banks=1),
    Maturation(), Policy(), Prices(), Retention(target=1.0), Schedule(), Secrets(), Signatures(),
    Vectors(),
)  # fmt: skip
NUMBERS = [
    pytest.param(one, each.name, id=f"{type(one).__name__}.{each.name}")
    for one in SETTINGS
    for each in fields(one)
    if isinstance(getattr(one, each.name), float) or each.type in ("int", "float")
]


@pytest.mark.parametrize("given", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(("settings", "name"), NUMBERS)
def test_no_number_of_a_setting_is_without_bounds(settings, name, given):
    with pytest.raises(InputError, match=f"{name}={given!r}: must be "):
        replace(settings, **{name: given})


@pytest.mark.parametrize("name", ["recent_days", "best_within", "long_tokens"])
def test_a_scale_is_above_zero(name):
    with pytest.raises(InputError, match=f"{name}=0: must be a number above"):
        Fusion(**{name: 0})


@pytest.mark.parametrize(
    ("setting", "rule"),
    [
        ({"secrets": "redact"}, r"secrets='redact': must be of the class Secrets; give Secrets\("),
        ({"policy": "human"}, r"policy='human'.* give Policy\.named\('human'\)"),
        ({"flood": 5}, "flood=5: must be of the class Flood"),
        ({"ingest": {}}, "ingest={}: must be of the class Ingest"),
        ({"timezone": "Mars/X"}, "timezone='Mars/X': not an IANA time zone"),
        ({"timezone": "Europe"}, "timezone='Europe': not an IANA time zone"),
        ({"timezone": 5}, "timezone=5: not an IANA time zone"),
    ],
)
def test_a_setting_of_another_kind_is_refused_before_a_memory_has_it(setting, rule):
    with pytest.raises(InputError, match=rule):
        Config(**setting)
