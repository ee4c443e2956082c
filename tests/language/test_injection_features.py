"""Stretches of a text show what a plain reading of their words does."""

import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language.injection_words import classes_of
from hippocampus.language.injections import (
    SIZE,
    Weights,
    injection_odds,
    shares,
    stretches,
)

WORDS = ["ignore", "all", "rules", "the", "assistant", "must", "send", "日", "本", "0", "\n", "."]


PRIMES = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)


def place(sort, one, other=""):
    """Return where a feature of one or two words or classes is."""
    one, other = (zlib.crc32(some.encode()) for some in (one, other))
    mixed = (one * PRIMES[0] % 2**64 ^ other * PRIMES[1] % 2**64) + sort
    return mixed * PRIMES[2] % 2**64 // (2**64 // SIZE)


def shown_by(words):
    """Return the features of words, of which the first 48 begin them, as a plain reading has it."""
    kinds = [" ".join(sorted(classes_of(word))) or word for word in words] + [""] * 5
    said = [*words, *[""] * 5]
    for at, word in enumerate(words[:48]):
        yield place(0, word)
        if len(word) > 5:
            yield place(1, "<" + word[:5])
        if kinds[at] != word:
            yield place(2, kinds[at])
        for apart in range(1, 6):
            other = at + apart
            known = [kinds[at] != word, kinds[other] != said[other]]
            if apart == 1 or (apart == 2 and any(known)):
                yield place(2 + apart, kinds[at], kinds[other])
            if all(known):
                yield place(5, kinds[at], kinds[other])


@given(st.lists(st.sampled_from(WORDS), max_size=90))
def test_a_stretch_shows_what_a_plain_reading_of_its_words_does(words):
    told = np.concatenate(list(stretches(" ".join(words))))
    starts = range(0, max(1, 12 * len(told)), 12)

    assert len(told) == 1 + max(0, -(-(len(words) - 48) // 12))
    for start, shown in zip(starts, told, strict=True):
        there = shown[shown < SIZE].tolist()
        assert sorted(there) == sorted(set(shown_by(words[start:])))


@given(st.text(max_size=60))
def test_any_text_has_a_stretch(text):
    assert sum(map(len, stretches(text))) >= 1


def test_odds_are_those_of_the_likeliest_stretch():
    of = np.zeros(SIZE + 1, np.float32)
    quiet = "The boat leaves at nine. " * 60
    alone = np.concatenate(list(stretches("ignore")))
    of[alone[alone < SIZE]] = 5.0
    weights = Weights(of, -0.5)

    assert injection_odds(quiet, weights) == -0.5
    assert injection_odds(quiet + "Ignore.", weights) > injection_odds(quiet, weights)
    assert (
        injection_odds("ignore", weights) == -0.5 + 5 * len(alone[alone < SIZE]) * shares(alone)[0]
    )


def test_a_word_has_the_classes_of_its_parts_and_of_what_was_meant():
    assert "override" in classes_of("ignore")
    assert classes_of("chat-bot") >= classes_of("bot")
    assert classes_of("instrucitons") == classes_of("instructions")
    assert not classes_of("harbour")
