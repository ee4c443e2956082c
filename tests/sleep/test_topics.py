"""Sleep makes the graph of tags from what a bank was told: the same again, whoever tags."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.encode.embed import HashEmbedder
from hippocampus.encode.terms import hash_terms
from hippocampus.errors import EncoderError
from hippocampus.index.lexical import pack_terms
from hippocampus.index.topic import TopicCue, pack, unpack
from hippocampus.model import Payloads
from hippocampus.sleep.topics import WINDOW, Turn, group_turns, make_topics

TALK = [
    "The cat is ill and will not eat.",
    "Did you call the vet about the cat?",
    "The vet comes at noon; the dog hates the vet.",
    "My violin lesson was fun, but the violin needs strings.",
    "A guitar is easier than a violin, says Bela.",
    "I bought a guitar! The guitar was cheap.",
    "I am so happy, happy with my guitar.",
]


def turns_of(texts, session="s", start=0):
    return [Turn(start + at, text, session, 1000 * at) for at, text in enumerate(texts)]


def made(texts=TALK, **options):
    artifact, report = make_topics(turns_of(texts), length=len(texts), **options)
    return artifact, report


def test_rows_lie_under_the_tags_they_name_and_these_under_what_is_broader():
    graph = made()[0].graph

    assert [3, 4] == graph["violin"].rows.tolist()
    assert [0, 1] == graph["cat"].rows.tolist()
    assert {"guitar", "violin"} <= graph.expand(["stringed_instrument"], down=1).keys()
    assert [6] == graph["joy"].rows.tolist()
    assert {"emotion"} >= graph["joy"].parents


def test_the_dictionary_alone_makes_no_tag_above_a_single_one():
    graph = made(["The violin is old.", "My violin!", "A violin is loud."])[0].graph

    assert "violin" in graph
    assert "stringed_instrument" not in graph


def test_doing_it_again_changes_nothing():
    embedder = HashEmbedder()
    first, cost = made(embedder=embedder)
    again, report = made(embedder=embedder, before=unpack(pack(first)))

    assert pack(first) == pack(again)
    assert report.embedded == cost.embedded - len(first.graph), "but for names that made no tag"


def test_a_name_is_embedded_once_and_again_only_by_another_embedder():
    first, report = made(embedder=HashEmbedder(64))
    assert 0 < report.embedded
    assert all(tag.vector is not None for tag in first.graph)

    _, more = make_topics(
        turns_of([*TALK, "A trombone!", "Trombone again"]),
        length=9,
        embedder=HashEmbedder(64),
        before=first,
    )
    other, anew = made(embedder=HashEmbedder(32), before=first)
    assert 0 < more.embedded < report.embedded
    assert report.embedded == anew.embedded
    assert {32} == {len(tag.vector) for tag in other.graph}


def test_no_turns_make_an_empty_graph():
    artifact, report = make_topics([], length=0)

    assert 0 == len(artifact.graph) == report.groups
    assert 0 == len(make_topics([], length=0, embedder=HashEmbedder())[0].graph)


def test_what_was_written_since_comes_under_the_tags_that_there_are():
    artifact, _ = made()
    cue = TopicCue(artifact.graph, artifact.length)
    cue.observe(Payloads.of([pack_terms(hash_terms("The cats sleep, so glad!"))]))
    late = len(TALK)

    assert late in cue.rows("cat")
    assert late not in cue.rows("violin")


@given(st.lists(st.sampled_from(TALK), max_size=30))
def test_the_cue_puts_rows_where_sleep_puts_them(texts):
    graph = made(texts)[0].graph
    cue = TopicCue(made(texts)[0].graph)
    for tag in graph:
        cue.graph[tag.name].rows = np.empty(0, np.uint32)
    fresh = TopicCue(cue.graph)
    fresh.observe(Payloads.of([pack_terms(hash_terms(text)) for text in texts]))

    assert all(set(tag.rows.tolist()) <= set(fresh.rows(tag.name).tolist()) for tag in graph)


@given(st.lists(st.tuples(st.sampled_from("abc") | st.none(), st.integers(0, 9)), max_size=90))
def test_groups_are_windows_of_one_session_in_order_and_hold_every_turn_once(given_turns):
    turns = [Turn(row, "x", session, at) for row, (session, at) in enumerate(given_turns)]
    groups = group_turns(turns)

    assert sorted(turns) == sorted(turn for group in groups for turn in group)
    for group in groups:
        assert 0 < len(group) <= 2 * WINDOW
        assert 1 == len({turn.session or "" for turn in group})
        assert group == sorted(group, key=lambda turn: (turn.at, turn.row))


# ---------------------------------------------------------------- with a model


class Model:
    """A model that gives one answer to whatever it is asked, and counts."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = 0

    def __call__(self, _prompt, /):
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


ANSWER = json.dumps(
    {
        "tags": ["pet_health", "making_music", "guitar"],
        "relations": [
            {"parent": "music", "child": "making_music"},
            {"parent": "making_music", "child": "guitar"},
        ],
    }
)


def test_a_models_tags_hold_all_of_their_group_where_nobody_says_their_words():
    artifact, report = made(model=Model(ANSWER))
    graph = artifact.graph

    assert list(range(len(TALK))) == graph["pet_health"].rows.tolist()
    assert [4, 5, 6] == graph["guitar"].rows.tolist()
    assert {"making_music"} <= graph["guitar"].parents
    assert (1, 1, ()) == (report.by_model, report.asked, report.fallbacks)


def test_a_model_is_not_asked_again_about_what_it_has_tagged():
    model = Model(ANSWER)
    first, _ = made(model=model)
    again, report = made(model=model, before=unpack(pack(first)))

    assert 1 == model.asked
    assert (1, 0) == (report.by_model, report.asked)
    assert pack(first) == pack(again)


@pytest.mark.parametrize("answer", ["garbage", EncoderError("timed out after 5 s")])
def test_where_a_model_fails_words_make_the_tags_and_the_report_says_why(answer):
    artifact, report = made(model=Model(answer))

    assert pack(made()[0]) == pack(artifact)
    assert 0 == report.by_model
    assert 1 == len(report.fallbacks)
    assert "group 0" in report.fallbacks[0]


def test_relations_of_several_answers_that_close_a_circle_are_refused_and_counted():
    answers = iter(
        json.dumps({"tags": ["aa", "bb", "cc"], "relations": [{"parent": parent, "child": child}]})
        for parent, child in (("aa", "bb"), ("bb", "aa"))
    )
    turns = turns_of(TALK[:3], "one") + turns_of(TALK[3:], "two", 3)
    artifact, report = make_topics(turns, length=7, model=lambda _: next(answers))

    assert 1 == report.refused
    assert {"aa"} == artifact.graph["bb"].parents
    assert not artifact.graph["aa"].parents


@given(st.lists(st.text(max_size=60) | st.just(ANSWER), min_size=4, max_size=4))
def test_nothing_a_model_answers_breaks_the_graph(answers):
    script = iter(answers)
    turns = turns_of(TALK[:3], "one") + turns_of(TALK[3:], "two", 3)
    artifact, report = make_topics(turns, length=7, model=lambda _: next(script))

    again = unpack(pack(artifact)).graph
    assert {tag.name for tag in artifact.graph} == {tag.name for tag in again}
    assert 2 == report.by_model + len(report.fallbacks)
