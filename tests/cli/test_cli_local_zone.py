"""The time zone of a machine has a name even where no link says it."""

import zoneinfo

import pytest

from hippocampus.cli.local_zone import name_of_rules

RULES = {"Europe/Vienna": b"TZif2 one hour", "Asia/Kolkata": b"TZif2 five and a half"}


@pytest.fixture(autouse=True)
def system(tmp_path):
    """Give the system these rules of time zones and no others."""
    for name, rules in RULES.items():
        file = tmp_path / "zoneinfo" / name
        file.parent.mkdir(parents=True)
        file.write_bytes(rules)
    before = zoneinfo.TZPATH
    zoneinfo.reset_tzpath([str(tmp_path / "zoneinfo")])
    yield
    zoneinfo.reset_tzpath(before)


@pytest.mark.parametrize("name", RULES)
def test_a_copy_of_the_rules_of_a_zone_is_known_by_them(tmp_path, name):
    copy = tmp_path / "localtime"
    copy.write_bytes(RULES[name])

    assert name == name_of_rules(copy)


def test_without_rules_or_with_unknown_ones_it_is_utc(tmp_path):
    junk = tmp_path / "localtime"
    junk.write_bytes(b"TZif?")

    assert ["UTC", "UTC"] == [name_of_rules(junk), name_of_rules(tmp_path / "none")]
