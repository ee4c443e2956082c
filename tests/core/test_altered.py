"""Altered copies of records."""

from dataclasses import fields, replace
from datetime import UTC, datetime

import pytest

from hippocampus import Episode
from hippocampus.core.altered import altered
from hippocampus.index.cues import CueSet
from hippocampus.recall.parse import parse

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def of(record):
    return {one.name: getattr(record, one.name) for one in fields(record)}


def test_a_copy_is_as_dataclasses_makes_it():
    episode = Episode(id="1", bank="b", text="Ada sails.", occurred_at=NOW, recorded_at=NOW)
    question = parse("Where does Ada live?", now=NOW)

    assert altered(episode, level=2, pinned=True) == replace(episode, level=2, pinned=True)
    made, expected = altered(question, deixis=0.5), replace(question, deixis=0.5)
    assert of(made) == of(expected)
    assert (question.deixis, made.deixis) == (0.0, 0.5)


def test_what_is_copied_keeps_the_very_same_values():
    question = parse("Where does Ada live?", now=NOW)
    assert all(kept is of(question)[name] for name, kept in of(altered(question)).items())


@pytest.mark.parametrize("name", ["nothing", "said_at"])
def test_a_field_that_is_not_there_is_refused(name):
    episode = Episode(id="1", bank="b", text="Ada sails.", occurred_at=NOW, recorded_at=NOW)
    with pytest.raises(KeyError, match=name):
        altered(episode, **{name: NOW})


def test_classes_that_are_copied_so_have_nothing_to_do_after_they_are_made():
    assert not any(
        hasattr(kind, "__post_init__") for kind in (Episode, CueSet, type(parse("Hi", now=NOW)))
    )
