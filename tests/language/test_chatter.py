"""What only keeps a talk going is told from what has something in it to remember."""

import pytest

from hippocampus.language.chatter import is_chatter


@pytest.mark.parametrize(
    "text",
    [
        "ok", "Yes please!", "thanks", "go ahead", "Try it once more.", "and now?", "👍", "...",
        "2", "looks good to me", "undo that", "please proceed", "Why not?", "That's correct.",
    ],
)  # fmt: skip
def test_what_names_nothing_without_telling_of_anybody_is_chatter(text):
    assert is_chatter(text)


@pytest.mark.parametrize(
    "text",
    [
        "Porto", "ok, but in Porto", "I resigned.", "We split up", "it failed", "on Tuesday",
        "in March", "use spaces", "src/main.rs", "7 cats", "be brief", "Never force it",
        "do not wait", "He agreed.", "我搬到了北京", "да, в Омске", "Her name is Lea.",
        "run again again again again again again then stop then go then wait then finish",
    ],
)  # fmt: skip
def test_a_name_a_time_or_a_word_of_somebody_is_no_chatter(text):
    assert not is_chatter(text)


def test_a_long_text_is_never_read_for_it():
    assert not is_chatter("ok " * 400_000)
