"""Sleep makes the graph of tags from what a bank was told: the same again, whoever tags."""

import json
from datetime import UTC, datetime
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.records import Payloads
from hippocampus.encode.embed import HashEmbedder
from hippocampus.encode.terms import hash_terms
from hippocampus.errors import EncoderError
from hippocampus.index.bm25 import pack_terms
from hippocampus.index.query import Query
from hippocampus.index.topic import TagGraph, TopicCue, Topics, pack, unpack
from hippocampus.language.topic_tags import read_group, same_as
from hippocampus.sleep import topics
from hippocampus.sleep.topics import RULES, WINDOW, WindowTurn, group_turns, make_topics

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
    return [WindowTurn(start + at, text, session, 1000 * at) for at, text in enumerate(texts)]


def made(texts=TALK, **options):
    artifact, report = make_topics(turns_of(texts), length=len(texts), **options)
    return artifact, report


def test_rows_lie_under_the_tags_they_name_below_what_is_broader():
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


def test_a_name_is_embedded_again_only_by_another_embedder():
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


CARS = [
    "The car is at the garage again.",
    "A garage that cannot repair a car!",
    "Grandpa had an automobile like it.",
    "His automobile had a violin on the back seat.",
    "My car is cheap.",
    "The violin is not, and the violin is old.",
]


@pytest.mark.parametrize("word", ["car", "automobile", "motorcar", "cars"])
def test_a_question_by_any_synonym_reaches_the_tag_that_the_texts_say_most(word):
    graph = made(CARS)[0].graph
    cue = TopicCue(graph, len(CARS))
    question = Query(
        text=word,
        now=datetime(2025, 1, 1, tzinfo=UTC),
        terms=hash_terms(word),
        term_weights=np.ones(1, np.float32),
    )
    asked = cue.route(question)

    assert "car" in asked
    assert "automobile" not in {tag.name for tag in graph}
    assert [0, 1, 2, 3, 4] == graph["car"].rows.tolist() == graph["automobile"].rows.tolist()
    assert {"automobile"} == graph["car"].aliases, "nobody said motorcar"


def test_the_tag_shown_is_the_form_that_the_texts_say_most():
    swapped = [
        text.replace("automobile", "CAR").replace(" car", " automobile").replace("CAR", "car")
        for text in CARS
    ]
    graph = made(swapped)[0].graph

    assert "automobile" == graph["car"].name
    assert {"car"} == graph["automobile"].aliases


def test_what_was_written_since_comes_under_the_tag_by_a_synonym_as_well():
    artifact, _ = made(CARS)
    cue = TopicCue(unpack(pack(artifact)).graph, artifact.length)
    cue.observe(Payloads.of([pack_terms(hash_terms("She sold her automobile."))]))

    assert len(CARS) in cue.rows("car")
    assert len(CARS) in cue.rows("automobile")


def test_two_tags_of_an_earlier_version_become_one_in_the_next_sleep():
    graph = TagGraph()
    for tag, rows in {"car": [0, 1, 4], "automobile": [2, 3]}.items():
        graph.add(tag, rows, [tuple(hash_terms(tag).tolist())])
    before = unpack(pack(Topics(graph, len(CARS))))

    assert [2, 3] == TopicCue(before.graph, before.length).rows("automobile").tolist()
    assert "car" == made(CARS, before=before)[0].graph["automobile"].name


def test_a_name_is_nothings_synonym():
    talk = ["My film is on.", "A film by night.", "We saw Movie at work.", "I like Movie, our cat."]
    graph = made(talk)[0].graph

    assert [0, 1] == graph["film"].rows.tolist()
    assert "movie" not in graph["film"].aliases


def test_nor_is_the_name_of_who_speaks():
    graph = made(CARS, speakers={"Violin Automobile"})[0].graph

    assert [0, 1, 4] == graph["car"].rows.tolist()
    assert "automobile" not in graph


def test_what_is_under_a_synonym_is_under_the_tag():
    answer = json.dumps({"tags": ["car", "automobile_museum", "violin"]})
    graph = made(CARS, model=Model(answer))[0].graph

    assert {"car"} == graph["automobile_museum"].parents


@given(
    st.lists(
        st.tuples(
            st.lists(
                st.tuples(st.sampled_from([*TALK, *CARS]), st.sampled_from("ab") | st.none()),
                max_size=30,
            ),
            st.sets(st.integers(0, 60), max_size=4),
        ),
        min_size=2,
        max_size=4,
    )
)
def test_many_sleeps_make_what_one_would_have_made(nights):
    turns, before, embedder = [], None, HashEmbedder(16)
    for told, hidden in nights:
        for text, session in told:
            turns.append(WindowTurn(len(turns), text, session, len(turns)))
        turns = [turn._replace(text="") if turn.row in hidden else turn for turn in turns]
        artifact, _ = make_topics(turns, length=len(turns), embedder=embedder, before=before)
        before = unpack(pack(artifact))
    at_once, _ = make_topics(turns, length=len(turns), embedder=embedder)

    assert pack(at_once) == pack(before)


def test_what_was_read_is_read_again_only_where_talk_went_on_or_something_was_hidden():
    talk = [WindowTurn(row, f"{TALK[row % 7]} {row}", None, row) for row in range(10 * WINDOW)]
    first, report = make_topics(talk, length=len(talk))
    assert 10 == report.read == report.groups

    more = range(10 * WINDOW, 11 * WINDOW)
    on = [*talk, *(WindowTurn(row, f"{TALK[row % 7]} {row}", None, row) for row in more)]
    longer, report = make_topics(on, length=len(on), before=unpack(pack(first)))
    assert (1, 11) == (report.read, report.groups)

    on[3] = on[3]._replace(text="")
    _, report = make_topics(on, length=len(on), before=unpack(pack(longer)))
    assert (1, 11) == (report.read, report.groups)


def test_what_rules_read_is_as_it_was_when_they_were_numbered():
    # If this fails, you have changed what is read of a text: raise RULES, and put the new digest
    # here, so that no bank goes on with what the rules before have read.
    read = [read_group(texts) for texts in (TALK, CARS)]
    digest = blake2b(json.dumps(read, sort_keys=True).encode(), digest_size=8).hexdigest()

    assert (2, "a01cb8f03ad20ec6") == (RULES, digest)


def test_what_other_rules_have_read_is_read_again(monkeypatch):
    first, _ = made()
    monkeypatch.setattr(topics, "RULES", RULES + 1)

    assert 1 == made(before=first)[1].read


@given(st.lists(st.tuples(st.sampled_from("abc") | st.none(), st.integers(0, 9)), max_size=90))
def test_ordered_windows_of_one_session_hold_every_turn_once(given_turns):
    turns = [WindowTurn(row, "x", session, at) for row, (session, at) in enumerate(given_turns)]
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


def test_a_model_is_asked_about_what_is_new_only_where_talk_goes_on_and_on():
    talk = [WindowTurn(row, f"{TALK[row % 7]} {row}", None, row) for row in range(11 * WINDOW)]
    model, started = Model(ANSWER), talk[: 10 * WINDOW]
    first, _ = make_topics(started, length=len(started), model=model)
    _, report = make_topics(talk, length=len(talk), model=model, before=first)

    assert (11, 1) == (model.asked, report.asked)


@pytest.mark.parametrize("answer", ["garbage", EncoderError("timed out after 5 s")])
def test_where_a_model_fails_words_make_the_tags_with_the_reason_in_the_report(answer):
    artifact, report = made(model=Model(answer))

    assert pack(made()[0]) == pack(artifact)
    assert 0 == report.by_model
    assert 1 == len(report.fallbacks)
    assert "group 0" in report.fallbacks[0]


def test_a_models_synonyms_become_one_tag_with_what_it_put_under_each():
    answer = {
        "tags": ["automobiles", "film", "movie"],
        "relations": [
            {"parent": "car", "child": "automobile"},
            {"parent": "doctor", "child": "film"},
            {"parent": "physician", "child": "motorcar"},
        ],
    }
    artifact, report = made(CARS, model=Model(json.dumps(answer)))
    graph = artifact.graph

    assert 1 == report.by_model
    assert 0 == report.refused, "that one is under its like says nothing"
    assert graph["automobile"] is graph["car"] is graph["motorcar"] is graph["automobiles"]
    assert graph["film"] is graph["movie"]
    assert graph["doctor"] is graph["physician"]
    assert {"car", graph["film"].name} == graph["doctor"].children
    assert "car" == graph["automobiles"].name, "as the speakers call it, not the model"
    assert [0, 1, 2, 3, 4] == graph["car"].rows.tolist()
    assert 1 == sum("car" in {tag.name, *tag.aliases} for tag in graph)


WORDS = [
    "car",
    "automobile",
    "motorcar",
    "cars",
    "auto",
    "film",
    "movie",
    "sofa",
    "couch",
    "vehicle",
]
some_tags = st.lists(st.sampled_from(WORDS), min_size=3, max_size=8, unique=True)
some_relations = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), max_size=8)


@given(some_tags, some_relations)
def test_no_two_tags_of_the_graph_mean_the_same_whatever_a_model_relates(tags, pairs):
    relations = [{"parent": parent, "child": child} for parent, child in pairs if parent < child]
    model = Model(json.dumps({"tags": tags, "relations": relations}))
    artifact, report = made(CARS, model=model)
    graph = artifact.graph

    assert 1 == report.by_model
    meant = [same_as(tag.name) for tag in graph]
    assert len(meant) == len(set(meant))
    names = [name for tag in graph for name in (tag.name, *tag.aliases)]
    assert len(names) == len(set(names))
    for tag in graph:
        assert all(graph.level(parent) < graph.level(tag.name) for parent in tag.parents)
    assert pack(artifact) == pack(unpack(pack(artifact)))


def test_a_relation_that_closes_a_circle_over_several_answers_counts_as_refused():
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
