"""Compact Memory: within its tokens, from the turns' own words, the same again, made once."""

import json
import os
import subprocess
import sys
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.config import Compact
from hippocampus.encode.tokens import count
from hippocampus.errors import EncoderError, InputError
from hippocampus.sleep.summary import (
    LONGEST_TALK,
    TOLD,
    Version,
    clause_of,
    fold,
    go_on,
    holds,
    pack,
    summarise,
    take_in,
    tell,
    unpack,
)

SAYINGS = [
    "I decided to sell the boat in May.",
    "We moved from Porto to Lisbon.",
    "Nice weather, is it not?",
    "The vet says that Biscuit must not eat fish.",
    "ok",
    "My sister Clara marries on the 14th of June.",
    "今天天气很好",
    "😂😂",
    "Where shall we eat tonight?",
    "She paid 4,500 euros for a piano and cannot play.",
]
turns = st.lists(st.tuples(st.sampled_from(["Ada", "Tom", None]), st.sampled_from(SAYINGS)))
SMALL = Compact(every=5)


def reader(said, asked=None):
    def read(rows):
        if asked is not None:
            asked.append(list(rows))
        return [clause_of(row, 60 * row, said[row][0], None, said[row][1]) for row in rows]

    return read


def talking(said):
    return lambda rows: [said[row][1] for row in rows]


def every(said):
    return np.ones(len(said), np.bool_)


@given(turns, st.integers(8, 90), st.integers(0, 12))
def test_a_line_within_its_tokens_is_empty_only_where_no_whole_sentence_fits(said, tokens, step):
    how = Compact(tokens=tokens, every=step)
    versions = go_on(every(said), reader(said), how)
    line = tell(versions, how)
    alone = [Version("00", (clause,), ()) for version in versions for clause in version.clauses]

    assert count(line.text) <= tokens
    assert bool(line.text) == any(tell([version], how).text for version in alone)
    if tokens >= 40:  # any sentence that is quoted has a date, a name and at most as many tokens
        assert bool(line.text) == any(clause_of(0, 0, *one[:1], None, one[1]) for one in said)
    for row in line.rows:
        assert clause_of(row, 0, None, None, said[row][1]).text in line.text


@given(turns)
def test_a_summary_of_turns_is_that_of_all_but_the_last_and_the_last(said):
    clauses = [c for c in reader(said)(range(len(said))) if c is not None]
    if clauses:
        *before, last = clauses
        assert fold(clauses, 40) == take_in(fold(before, 40), last, 40)


def test_what_settles_something_outlasts_small_talk():
    said = [("Ada", SAYINGS[0]), *[("Tom", text) for text in SAYINGS[2:] for _ in range(3)]]
    versions = go_on(every(said), reader(said), Compact(every=100))

    assert "sell the boat" in tell(versions, Compact()).text
    again = [("Ada", "The key is under the blue pot."), ("Ada", "The key is under the red pot.")]
    assert ["The key is under the red pot"] == [
        clause.text for clause in go_on(every(again), reader(again), SMALL)[0].clauses
    ]


@given(turns.filter(len), st.data())
def test_going_on_from_what_was_kept_is_as_good_as_starting_anew(said, data):
    cut = data.draw(st.integers(0, len(said)))
    hidden = data.draw(st.sets(st.integers(0, len(said) - 1)))
    kept, _ = summarise(every(said[:cut]), reader(said), talking(said), SMALL)
    shown = every(said)
    shown[list(hidden)] = False
    asked = []
    on = go_on(shown, reader(said, asked), SMALL, kept=kept)
    anew = go_on(shown, reader(said), SMALL)

    assert anew == on
    for start in range(0, cut - 4, 5):  # whole hundreds in which nothing was hidden
        if hidden.isdisjoint(range(start, start + 5)):
            assert not any(start in rows for rows in asked)
    assert holds(kept, shown) == hidden.isdisjoint(range(cut))


@given(turns)
def test_what_is_packed_is_unpacked(said):
    kept, _ = summarise(every(said), reader(said), talking(said), SMALL)
    again = unpack(pack(kept))

    assert pack(again) == pack(kept)
    one, other = tell(again.versions, SMALL), tell(kept.versions, SMALL)
    assert (one.text, one.rows) == (other.text, other.rows)
    assert summarise(every(said), reader(said), talking(said), SMALL, before=again)[0] == again


@pytest.mark.parametrize(
    "bytes_", [b"", b"nonsense", pack(summarise(every([]), reader([]), talking([]), SMALL)[0])[:-3]]
)
def test_bytes_that_are_no_summary_are_refused(bytes_):
    with pytest.raises(InputError, match="sleep makes it anew"):
        unpack(bytes_)


@pytest.mark.parametrize(
    "version",
    [
        '["f", [[0, 1e999, "Ada", "It rains.", 3, 1.0]], [], ""]',
        '["f", [[0, 0, "Ada", "It rains.", 3, 1e999]], [], ""]',
        f'["ff", [[0, {10**30}, "Ada", "It rains.", 3, 1.0]], [], ""]',
        '["f0", [[-1, 0, "Ada", "It rains.", 3, 1.0]], [], ""]',
        '["zz", [], [], ""]', '["f", [], [], ""]', '["ff", [], [["x", null]], ""]', "[]",
    ],
)  # fmt: skip
def test_a_version_that_cannot_be_is_refused(version):
    said = f'{{"format": 1, "rows": 9, "every": 5, "told": "", "versions": [{version}]}}'
    with pytest.raises(InputError, match="sleep makes it anew"):
        unpack(zlib.compress(said.encode()))


TALK = [("Ada", f"In week {n} we built wall {n} of the house.") for n in range(12)]


def model_of(answers, prompts):
    def model(prompt):
        prompts.append(prompt)
        answer = answers(len(prompts))
        if isinstance(answer, Exception):
            raise answer
        return json.dumps({"summary": answer})

    return model


def test_a_model_words_each_version_once_and_what_they_come_to():
    prompts, answered = [], {}
    model = model_of(lambda n: f"They built a house, part {n}.", prompts)
    options = {"model": model, "answered": answered}
    kept, made = summarise(every(TALK), reader(TALK), talking(TALK), SMALL, **options)

    assert 4 == len(prompts) == made.asked == made.usage.calls, "three versions, and all of them"
    assert [f"They built a house, part {n}." for n in (1, 2, 3)] == [v.told for v in kept.versions]
    assert "They built a house, part 4." == kept.told
    assert "week 11" in prompts[2]
    assert "part 3" in prompts[3]
    line = tell(kept.versions, SMALL, told=kept.told, since=kept.rows)
    assert "They built a house, part 4." == line.text
    again, made = summarise(every(TALK), reader(TALK), talking(TALK), SMALL, before=kept, **options)
    assert (kept, 0, 4) == (again, made.asked, len(prompts))


def test_what_came_since_a_model_was_asked_is_quoted_behind_its_words():
    model = model_of(lambda _: "They built a house.", [])
    kept, _ = summarise(every(TALK), reader(TALK), talking(TALK), SMALL, model=model)
    said = [*TALK, ("Tom", "I decided to sell it in May.")]
    versions = go_on(every(said), reader(said), SMALL, kept=kept)

    assert "They built a house. 1970-01-01 Tom: I decided to sell it in May." == (
        tell(versions, SMALL, told=kept.told, since=kept.rows).text
    )


@pytest.mark.parametrize("wrong", ["", "word " * (TOLD + 5), EncoderError("out of reach")])
def test_where_a_model_fails_the_report_says_that_turns_are_quoted(wrong):
    model = model_of(lambda _: wrong, [])
    kept, made = summarise(every(TALK), reader(TALK), talking(TALK), SMALL, model=model)
    plain, _ = summarise(every(TALK), reader(TALK), talking(TALK), SMALL)

    assert kept == plain
    assert made.fallbacks
    assert not made.by_model


def test_a_sleep_without_a_model_keeps_what_one_has_worded():
    model = model_of(lambda _: "They built a house.", [])
    kept, _ = summarise(every(TALK), reader(TALK), talking(TALK), SMALL, model=model)
    said = [*TALK, *TALK]
    on, _ = summarise(every(said), reader(said), talking(said), SMALL, before=kept)

    assert ["They built a house."] * 2 == [version.told for version in on.versions[:2]]
    assert "" == on.told, "which spoke of less"


def test_a_model_is_shown_no_more_than_it_can_read():
    said = [("Ada", "A long story about the harbour and its 14 boats. " * 30)] * 30
    prompts = []
    model = model_of(lambda _: "A story.", prompts)
    summarise(every(said), reader(said), talking(said), Compact(), model=model)

    assert prompts
    assert all(len(prompt) < LONGEST_TALK * 1.2 + 2000 for prompt in prompts)


def test_a_speakers_name_may_be_longer_than_a_summary():
    said = [("Ada " * 200, "I moved to Porto."), ("Tom", "Ok.")]
    line = tell(go_on(every(said), reader(said), SMALL), SMALL)

    assert 0 < count(line.text) <= SMALL.tokens
    assert "I moved to Porto" in line.text
    assert "…" in line.text


def test_a_version_may_hold_nothing():
    empty = Version("00", (), ())

    assert "" == tell([empty], SMALL).text == tell([], SMALL).text
    assert "They met." == tell([empty], SMALL, told="They met.", since=9).text
    assert replace(empty, told="x") != empty


SAME_WORDS = """
from hippocampus import Memory, Turn
memory = Memory(":memory:", embedder="hash")
bank = memory.bank("ada")
said = "The garden, the kitchen, the violin, the bicycle and the telescope are in the house."
bank.remember_many([Turn(text=f"{said} Number {n}.", speaker="Ada") for n in range(12)])
bank.sleep()
print(bank.summary().text)
"""


@pytest.mark.slow
def test_a_summary_has_the_same_words_in_every_process():
    told = [
        subprocess.run(
            [sys.executable, "-c", SAME_WORDS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True, timeout=60,
        ).stdout
        for seed in "01"
    ]  # fmt: skip

    assert told[0].strip()
    assert told[0] == told[1]
