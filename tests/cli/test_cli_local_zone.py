"""The time zone of a machine is what ``TZ`` names, and has a name even where no link says it."""

import struct
import subprocess
import zoneinfo
from pathlib import Path

import pytest
import tzlocal

from hippocampus.cli.local_zone import local_zone, name_of_rules


def rules(minutes):
    """Return the rules of a zone whose clocks are always so far ahead, as its file holds them."""
    counts = struct.pack(">6l", 0, 0, 0, 0, 1, 4)  # one kind of time, four letters of names
    return b"TZif" + bytes(16) + counts + struct.pack(">lbb", 60 * minutes, 0, 0) + b"LMT\0"


RULES = {"Europe/Vienna": rules(60), "Asia/Kolkata": rules(330)}


@pytest.fixture(autouse=True)
def system(tmp_path):
    """Give the system these rules of time zones and no others."""
    for name, content in RULES.items():
        file = tmp_path / "zoneinfo" / name
        file.parent.mkdir(parents=True)
        file.write_bytes(content)
    zoneinfo.ZoneInfo.clear_cache(only_keys=RULES)
    before = zoneinfo.TZPATH
    zoneinfo.reset_tzpath([str(tmp_path / "zoneinfo")])
    yield
    zoneinfo.reset_tzpath(before)
    zoneinfo.ZoneInfo.clear_cache(only_keys=RULES)


@pytest.mark.parametrize("name", RULES)
def test_a_copy_of_the_rules_of_a_zone_is_known_by_them(tmp_path, name):
    copy = tmp_path / "localtime"
    copy.write_bytes(RULES[name])

    assert name == name_of_rules(copy)


def test_without_rules_or_with_unknown_ones_it_is_utc(tmp_path):
    junk = tmp_path / "localtime"
    junk.write_bytes(b"TZif?")

    assert ["UTC", "UTC"] == [name_of_rules(junk), name_of_rules(tmp_path / "none")]


@pytest.mark.parametrize(
    "told", ["EST5EDT", ":EST5EDT", "America/New_York", ":Asia/Kolkata", "UTC"]
)
def test_every_iana_name_in_the_environment_is_taken(monkeypatch, told):
    monkeypatch.setenv("TZ", told)

    assert told.removeprefix(":") == local_zone()


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("colon", ["", ":"])
def test_a_file_in_the_environment_is_known_by_its_place_or_its_rules(
    monkeypatch, tmp_path, colon, name
):
    copy = tmp_path / "copy"
    copy.write_bytes(Path(tmp_path, "zoneinfo", name).read_bytes())
    for file in (copy, tmp_path / "zoneinfo" / name):
        monkeypatch.setenv("TZ", f"{colon}{file}")
        assert name == local_zone()


@pytest.mark.parametrize("told", ["CET-1CEST,M3.5.0,M10.5.0/3", "<+03>-3", "/none", "Nowhere"])
def test_what_the_environment_names_in_vain_is_told_once_with_what_is_used(monkeypatch, told):
    monkeypatch.delenv("TZ", raising=False)
    tzlocal.reload_localzone()  # it reads the machine's once
    used = local_zone()
    monkeypatch.setenv("TZ", told)

    with pytest.warns(RuntimeWarning) as said:
        assert [used, used] == [local_zone(), local_zone()]
    (one,) = said
    assert str(one.message).startswith(f"TZ={told!r}: not an IANA time zone")
    assert f"times are in {used!r}" in str(one.message)


def test_a_command_says_on_stderr_that_the_environment_names_no_zone(shell, monkeypatch):
    monkeypatch.setenv("TZ", "EET-2EEST,M3.5.0/3")
    with shell.spawn("remember", "The tub leaks.", stdin=subprocess.DEVNULL, text=True) as command:
        out, err = command.communicate()

    assert "remembered" in out
    assert 1 == err.count("hippocampus: TZ='EET-2EEST,M3.5.0/3': not an IANA time zone")
