"""More identity numbers are found with the extra that has their rules."""

import sys

import pytest

from hippocampus import Config, Memory, Secrets
from hippocampus.errors import MissingExtra
from hippocampus.language.presidio import identity_finder
from hippocampus.language.secrets import SecretFinder


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("My NHS number is 943 476 5919.", "943 476 5919"),
        ("Personnummer: 19811218-9876", "19811218-9876"),
        ("PESEL 44051401359, said Jan.", "44051401359"),
        ("Meine Steuer-ID ist 65929970489.", "65929970489"),
    ],
)
def test_a_number_whose_checksum_fits_is_found(text, number):
    pytest.importorskip("presidio_analyzer", reason="the extra 'presidio' is not installed")
    (found,) = SecretFinder(identity_finder()).find(text)
    assert ("identity number", number) == (found.kind, text[found.start : found.end])


@pytest.mark.parametrize(
    "text",
    [
        "My NHS number is 943 476 5918.",
        "We met on 2024-05-01 at 18:30, in flat 12 B 4711.",
        "see https://example.com/a, or ask Lena",
    ],
)
def test_what_has_only_the_form_of_one_is_not(text):
    pytest.importorskip("presidio_analyzer", reason="the extra 'presidio' is not installed")
    assert [] == list(identity_finder()(text))


def test_without_the_extra_the_memory_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    config = Config(secrets=Secrets(write="redact", also="presidio"))
    with pytest.raises(MissingExtra, match=r"hippocampus-memory\[presidio\]"):
        Memory(tmp_path / "memory.db", embedder="none", config=config)
