"""The time zone of a machine has a name even where no link says it."""

import zoneinfo
from pathlib import Path

import pytest

from hippocampus.cli.local_zone import name_of_rules


def rules_of(name):
    """The rules of a zone as a file, or none on a machine that has no such files."""
    found = (Path(folder, name) for folder in zoneinfo.TZPATH)
    file = next((one for one in found if one.is_file()), None)
    return file or pytest.skip("this machine keeps no files of time zones")


@pytest.mark.parametrize("name", ["Europe/Vienna", "America/New_York", "Asia/Kolkata"])
def test_a_copy_of_the_rules_of_a_zone_is_known_by_them(tmp_path, name):
    copy = tmp_path / "localtime"
    copy.write_bytes(rules_of(name).read_bytes())

    assert rules_of(name_of_rules(copy)).read_bytes() == copy.read_bytes()


def test_without_rules_or_with_unknown_ones_it_is_utc(tmp_path):
    junk = tmp_path / "localtime"
    junk.write_bytes(b"TZif?")

    assert ["UTC", "UTC"] == [name_of_rules(junk), name_of_rules(tmp_path / "none")]
