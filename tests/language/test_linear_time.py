"""Every rule that reads a text when it is kept takes time in proportion to it, whatever it is."""

import gc
import random
import time
from datetime import UTC, datetime

import pytest

from hippocampus.encode.languages import language_by_script
from hippocampus.encode.terms import find_terms, hash_terms, language_of
from hippocampus.encode.tokens import count, encode
from hippocampus.language.alias_patterns import find_other_names
from hippocampus.language.chatter import is_chatter
from hippocampus.language.counting.asked import read_asked_events
from hippocampus.language.counting.mentions import find_mentions
from hippocampus.language.equivalence import digest_details
from hippocampus.language.extractive_compression import SUMMARY, condense, shorten
from hippocampus.language.importance import lasting_importance
from hippocampus.language.injections import injection_odds
from hippocampus.language.noun_phrases import find_phrases
from hippocampus.language.pointing import pointing
from hippocampus.language.secrets import find_secrets
from hippocampus.language.self_disclosure import only_asks, tells_of_deed, tells_of_self
from hippocampus.language.standing import tells_standing
from hippocampus.language.statements import find_statements
from hippocampus.language.time import find_intervals, find_told
from hippocampus.language.time.repeated import find_all_told
from hippocampus.language.topic_tags import read_group
from hippocampus.language.whole_sentences import whole_sentences
from hippocampus.recall.parse import parse
from hippocampus.write.chunking import split_text

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
ASKED = read_asked_events("How many times did I go running in October?", NOW)
WORDS = "the old boat sailed to Lisbon with Ana and Tom who said that we met in May at 6".split()
READERS = {
    "words": hash_terms,
    "language": language_of,
    "script": lambda text: language_by_script(text.split()),
    "places of words": find_terms,
    "tokens": encode,
    "parts": lambda text: split_text(text, 512, count),
    "times": lambda text: find_told(text, NOW, UTC),
    "times that come again": lambda text: find_all_told(text, NOW, UTC),
    "times in a question": lambda text: find_intervals(text, NOW),
    "phrases": find_phrases,
    "standing wishes": tells_standing,
    "marks": lambda text: (tells_of_self(text), tells_of_deed(text), only_asks(text)),
    "importance": lambda text: lasting_importance(text, names=1, role="user"),
    "details": lambda text: digest_details(text, []),
    "secrets": find_secrets,
    "injections": injection_odds,
    "chatter": is_chatter,
    "facts": lambda text: find_statements(text, speaker="Ana", occurred_at=NOW),
    "other names": lambda text: list(find_other_names(text)),
    "events": lambda text: find_mentions(text, ASKED, occurred_at=NOW, zone=UTC, by_actor=True),
    "topics": lambda text: read_group([text]),
    "sentences": lambda text: list(whole_sentences(text, 40)),
    "fading": lambda text: condense(text, SUMMARY),
    "a line": lambda text: shorten(text, 12),
    "a question": lambda text: parse(text, now=NOW),
    "pointing": lambda text: pointing(text, find_terms(text)),
}
SHAPES = {
    "nested brackets": lambda n: "(" * (n // 2) + ")" * (n // 2),
    "one word": lambda n: "a" * n,
    "commas": lambda n: "," * n,
    "a list": lambda n: "a, " * (n // 3),
    "and": lambda n: "and " * (n // 4),
    "digits": lambda n: "1234567890" * (n // 10),
    "dates": lambda n: "2024-05-01 " * (n // 11),
    "days": lambda n: "on Monday " * (n // 10),
    "last nights": lambda n: "last night " * (n // 11),
    "plans": lambda n: "in two weeks " * (n // 13),
    "days again": lambda n: "every Tuesday " * (n // 14),
    "days from days": lambda n: "every Monday from and " * (n // 22),
    "names": lambda n: "Ana Silva " * (n // 10),
    "one sentence": lambda n: " ".join(random.Random(n).choices(WORDS, k=n // 4)),  # noqa: S311
    "questions": lambda n: "?" * n,
    "abbreviations": lambda n: "Mr. " * (n // 4),
    "bullets": lambda n: "- a\n" * (n // 4),
    "quotes": lambda n: '"a ' * (n // 3),
    "emoji": lambda n: "😂" * n,
    "no spaces": lambda n: "今天天气很好我们去公园散步" * (n // 13),
    "no width": lambda n: "a\u200b" * (n // 2),
    "marks on a letter": lambda n: "e" + "\u0301" * n,
    "blanks": lambda n: "a" + " " * n,
    "lines": lambda n: "\n" * n,
    "two words": lambda n: "pump valve " * (n // 11),
    "pointing": lambda n: "where did this stall? " * (n // 22),
    "sentences of names": lambda n: "".join(
        f"Item {i % 900} was checked by Tom{i % 70}. " for i in range(n // 31)
    ),
}
LEAST_S = 0.06
"""CPU seconds below which a clock that ticks every few milliseconds says little of growth."""


@pytest.fixture(autouse=True)
def _no_garbage_is_looked_for():
    """What a collection takes depends on all else that the process holds."""
    gc.disable()
    yield
    gc.enable()


def seconds(read, text):
    begun = time.process_time()
    read(text)
    return time.process_time() - begun


def grows(read, shape, short, long):
    """Return how much longer a text takes that is so many times as long."""
    read(shape(1000))  # lists of words are read from the disk once
    # Texts that no cache knows.
    least = min(seconds(read, shape(short + more)) for more in (0, 200))
    return seconds(read, shape(long)) / max(least, LEAST_S)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_no_text_of_eight_thousand_characters_takes_long_to_read(shape):
    text = SHAPES[shape](8_000)
    assert all(seconds(read, text) < 2 for read in READERS.values())


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reader", READERS)
def test_four_times_the_text_takes_four_times_the_time(reader, shape):
    read, made = READERS[reader], SHAPES[shape]
    assert any(grows(read, made, 64_000, 256_000) < 6 for _ in range(2))
