"""Statements go to bytes and back; names lead from row to row; damaged bytes are refused."""

import json
import zlib
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.records import Mode, Payloads, Statement
from hippocampus.errors import InputError
from hippocampus.index.graph import FORMAT, GraphCue, Statements, pack, unpack
from hippocampus.index.phrase_codec import pack_phrases

words = st.text(min_size=1, max_size=8)
moments = st.none() | st.integers(-(2**60), 2**60)
made = st.builds(
    Statement, words, words, st.text(max_size=8),
    st.sampled_from(get_args(Mode)), moments, moments,
)  # fmt: skip
artifacts = st.builds(
    Statements,
    st.just(40),
    st.dictionaries(st.integers(0, 39), st.lists(made, min_size=1, max_size=3).map(tuple)),
    st.dictionaries(words, st.lists(words, max_size=3).map(tuple), max_size=3),
    st.dictionaries(words, words, max_size=3),
)


@given(artifacts)
def test_statements_come_back_from_bytes_as_they_were(artifact):
    assert artifact == unpack(pack(artifact))
    assert pack(artifact) == pack(unpack(pack(artifact)))
    assert {row for rows in artifact.telling.values() for row in rows} == set(artifact.rows)


GOOD = {"format": FORMAT, "length": 2, "rows": [[0, [["a", "b", "c", "holds", None, 3]]]],
        "heard": {"s": ["a"]}, "kept": {"d": "x"}}  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"format": FORMAT + 1}, {"length": -1}, {"length": True}, {"length": "2"}, {"rows": 7},
        {"rows": [[2, []]]}, {"rows": [[0, [["a", "b", "c", "never", None, None]]]]},
        {"rows": [[0, [["", "b", "c", "holds", None, None]]]]}, {"rows": [[0, [["a"]]]]},
        {"rows": [[0, [["a", "b", "c", "holds", 1.5, None]]]]}, {"rows": [[-1, []]]},
        {"heard": []}, {"heard": {"s": [7]}}, {"kept": {"d": 7}}, {"kept": None},
    ],
)  # fmt: skip
def test_what_has_another_structure_is_refused(wrong):
    assert 2 == unpack(zlib.compress(json.dumps(GOOD).encode())).length
    with pytest.raises(InputError, match="sleep once more"):
        unpack(zlib.compress(json.dumps(GOOD | wrong).encode()))


@given(st.binary(max_size=60), st.integers(0, 80))
def test_bytes_that_are_cut_or_something_else_are_refused(junk, cut):
    whole = pack(unpack(zlib.compress(json.dumps(GOOD).encode())))
    for data in (junk, whole[: min(cut, len(whole) - 1)]):
        with pytest.raises(InputError):
            unpack(data)


# ---------------------------------------------------------------- names

NAMES = st.lists(st.frozensets(st.integers(1, 9), max_size=4), max_size=20)


class Asking:
    """A question as far as this cue looks at it."""

    def __init__(self, *keys):
        self.phrases = dict.fromkeys(keys, ())


def cue_of(rows, batch=7):
    cue = GraphCue()
    payloads = [
        pack_phrases({k: k != 9 for k in names}, 1.0, 0) if names else b"" for names in rows
    ]
    for start in range(0, len(rows), batch):
        cue.observe(Payloads.of(payloads[start : start + batch]))
    return cue


@given(NAMES, st.frozensets(st.integers(1, 9), max_size=3), st.integers(1, 21))
def test_names_are_counted_but_for_those_who_take_part_and_what_is_no_name(rows, apart, batch):
    cue = cue_of(rows, batch)
    every = np.arange(len(rows), dtype=np.uint32)[::-1]
    found = cue.mentions(every, np.array(sorted(apart), np.uint32))

    assert [len(rows[row] - apart - {9}) for row in every] == found.tolist()
    assert len(rows) == len(cue)


@given(NAMES, st.integers(1, 9))
def test_what_is_active_holds_what_is_asked_or_shares_a_name_with_what_does(rows, asked):
    cue = cue_of(rows)
    names = [held - {9} for held in rows]
    first = {row for row, held in enumerate(names) if asked in held}
    reached = {row for row, held in enumerate(names) if any(held & names[one] for one in first)}
    active = cue.scores(Asking(asked))
    allowed = np.arange(len(rows)) % 2 == 0

    if not first:
        assert active is None
        assert not len(cue.propose(Asking(asked), None, 5))
    else:
        assert reached == set(np.flatnonzero(active).tolist())
        proposed = cue.propose(Asking(asked), None, len(rows)).tolist()
        assert reached == set(proposed)
        assert sorted(proposed, key=lambda row: -active[row]) == proposed or len(proposed) < 2
        inside = cue.propose(Asking(asked), allowed, len(rows)).tolist()
        assert {row for row in reached if allowed[row]} == set(inside)


def test_the_rarer_a_name_the_more_it_passes_on():
    cue = cue_of([{1, 2}, {1, 3}, {3}, {3}, {3}, {2}])
    active = cue.score(Asking(1), np.arange(6, dtype=np.uint32))

    assert active[0] > active[5] > active[2] > 0
