"""A made-up life: the same for a seed, in the paper's proportions, with targets that hold."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from hippocampus.encode.terms import find_terms
from hippocampus.errors import InputError
from hippocampus_bench import life, synthetic
from hippocampus_bench.texts import LIFE as FORM
from hippocampus_bench.wording import PACKAGED, read

TEXTS = read(FORM).texts
LIFE = life.live(4000, seed=3)
CHUNKS = {chunk.id: chunk for chunk in LIFE.chunks}


def content(text):
    """Return the words that carry content, stemmed and hashed."""
    return {term.hash for term in find_terms(text) if not term.function}


def names(text):
    """Return the names of projects and people in a text."""
    known = {*TEXTS.codes, *TEXTS.people}
    return known & set(text.replace("'s", "").replace(",", " ").replace(".", " ").split())


def test_two_lives_are_the_same_only_for_the_same_seed():
    assert life.live(300, seed=5) == life.live(300, seed=5)
    assert life.live(300, seed=5).chunks != life.live(300, seed=6).chunks


def test_sources_and_the_time_after_the_last_rebuild_have_the_papers_shares():
    chunks = LIFE.chunks
    sources = Counter(chunk.source for chunk in chunks)

    assert 4000 == len(chunks) == len(CHUNKS)
    assert sources == pytest.approx(
        {name: 4000 * share / 100 for name, share in life.SOURCES.items()}, abs=20
    )
    assert 3600 == len(LIFE.before)


def test_questions_and_their_targets_have_the_papers_shares():
    organic = [question for question in LIFE.questions if question.mode in life.MODES]
    modes = Counter(question.mode for question in organic)
    sources = Counter(CHUNKS[question.target].source for question in LIFE.questions)
    asked = len(LIFE.questions)

    assert modes == pytest.approx(
        {mode: len(organic) * share / 74 for mode, share in life.MODES.items()}, abs=1
    )
    assert sources == pytest.approx(
        {name: asked * share / 100 for name, share in life.SOURCES.items()}, abs=6
    )
    assert len(organic) == pytest.approx(asked * 512 / 612, abs=1)


@pytest.mark.slow
def test_the_full_life_has_the_papers_questions():
    whole = life.live(seed=0)
    questions = whole.questions
    organic = [question for question in questions if question.mode in life.MODES]
    modes = Counter(question.mode for question in questions)
    targets = {chunk.id: chunk.source for chunk in whole.chunks}
    sources = Counter(targets[question.target] for question in questions)

    assert life.CHUNKS == len(whole.chunks)
    assert {"pronoun": 83, "depth": 55, "source": 159, "anchor": 215, "paraphrase": 100} == modes
    assert sources == pytest.approx({n: 6.12 * s for n, s in life.SOURCES.items()}, abs=8)
    assert 0.41 == pytest.approx(
        sum(question.also is not None for question in organic) / len(organic), abs=0.02
    )
    assert 0.1 == pytest.approx(sum(q.fresh for q in questions) / len(questions), abs=0.01)


def test_time_only_goes_forward_with_questions_after_what_they_ask_for():
    times = [chunk.at for chunk in LIFE.chunks]

    assert times == sorted(times)
    for spell in LIFE.spells:
        for question in spell.ask:
            assert spell.remember[-1].at <= question.now
            assert CHUNKS[question.target].at < question.now


def test_fresh_targets_and_only_they_were_written_after_the_last_rebuild():
    before = {chunk.id for chunk in LIFE.before}

    assert any(question.fresh for question in LIFE.questions)
    for question in LIFE.questions:
        assert question.fresh == (question.target not in before)


def test_targets_are_relevant_distinct_and_of_the_persons_own_projects():
    targets = [question.target for question in LIFE.questions]

    assert len(targets) == len(set(targets))
    for question in LIFE.questions:
        project, _, _ = CHUNKS[question.target].about.partition("/")
        assert question.target in question.matter < question.relevant
        assert {CHUNKS[key].about.partition("/")[0] for key in question.relevant} == {project}
        assert {CHUNKS[key].about for key in question.matter} == {CHUNKS[question.target].about}


def test_blind_to_a_source_means_that_notes_do_not_hold_it():
    for question in LIFE.questions:
        blind = "source" in (question.mode, question.also)

        if question.mode in life.MODES:
            assert blind == (CHUNKS[question.target].source != "notes"), question


def test_no_word_of_a_pronoun_question_names_its_project_or_singles_out_its_target():
    asked = [question for question in LIFE.questions if question.mode == "pronoun"]
    words = {key: content(chunk.text) for key, chunk in CHUNKS.items()}

    assert asked
    rivals = []
    for question in asked:
        assert not names(question.text), question.text
        wanted = content(question.text)
        shared = len(wanted & words[question.target])
        rivals.append(sum(len(wanted & said) >= shared for said in words.values()))
    assert min(rivals) > 1
    assert sum(number > 20 for number in rivals) > 0.75 * len(rivals)


def test_what_a_deep_question_calls_its_project_is_in_another_chunk_than_its_target():
    asked = [question for question in LIFE.questions if question.mode == "depth"]

    assert asked
    for question in asked:
        target = CHUNKS[question.target]
        project = target.about.partition("/")[0]
        links = [CHUNKS[k].text for k in question.relevant if CHUNKS[k].about == f"{project}/names"]
        named = content(question.text) - content(target.text)
        assert not names(question.text), question.text
        assert any(named & content(link) for link in links)


def test_the_project_in_focus_is_what_a_spell_is_mostly_about():
    for spell in LIFE.spells:
        asked = {
            CHUNKS[question.target].about.partition("/")[0]
            for question in spell.ask
            if question.mode == "pronoun"
        }
        told = Counter(c.about.partition("/")[0] for c in spell.remember if c.about)
        (focus, often), *others = told.most_common()

        assert {focus} == asked
        assert all(2 * number <= often for _, number in others)


def test_chunks_have_natural_lengths_with_hardly_any_text_repeated():
    lengths = sorted(len(chunk.text.split()) for chunk in LIFE.chunks)
    texts = Counter(q.text for q in LIFE.questions if q.text not in TEXTS.status_ask)

    assert 5 <= lengths[0]
    assert lengths[-1] <= 250
    assert 40 < lengths[2000] < 100
    assert 0.97 < len({chunk.text for chunk in LIFE.chunks}) / 4000
    assert max(texts.values()) <= 2
    assert not [chunk.text for chunk in LIFE.chunks if "{" in chunk.text]
    assert not [question.text for question in LIFE.questions if "{" in question.text]


def test_every_kind_has_facets_with_matters_that_can_be_told_and_asked_for():
    assert 15 == len(TEXTS.kinds)
    for kind in TEXTS.kinds:
        matters = [matter for facet in kind.facets for matter in facet.matters]
        assert 6 <= len(kind.facets) <= 7
        assert 18 == len(matters) == len({matter.name for matter in matters})
        assert all(3 == len(matter.told) for matter in matters)


@pytest.mark.parametrize("wording", PACKAGED)
def test_what_settles_a_matter_is_in_slots_that_no_question_about_it_has(wording):
    for kind in read(FORM, wording).texts.kinds:
        for matter in (matter for facet in kind.facets for matter in facet.matters):
            assert all(synthetic.slots(text) for text in matter.told), matter.told
            assert not [text for text in matter.hinted if synthetic.slots(text) or "{" in text]
            assert all("{project}" in text for text in matter.asked), matter.asked


def test_it_can_be_had_in_the_format_of_the_retrieval_benchmark(tmp_path):
    from hippocampus_bench import retrieval
    from hippocampus_bench.options import Options

    small = life.live(300)
    file = tmp_path / "life.json"
    file.write_text(json.dumps(small.banks()))
    (case,) = retrieval.load(file, Options()).cases

    assert {"notes", "chats", "mail", "other"} == {said.turn.source for said in case.said}
    assert {q.target for q in small.questions} == {k for q in case.questions for k in q.gold}


@pytest.mark.parametrize("size", [0, -1, 199, life.CHUNKS + 1])
def test_a_size_that_cannot_hold_a_life_is_refused(size):
    with pytest.raises(InputError, match=f"size={size}: must be from 200 to 47392"):
        life.live(size)


@pytest.mark.parametrize("size", [200, 301, 777, 1999])
def test_every_size_has_exactly_its_chunks_and_some_questions_of_every_mode(size):
    made = life.live(size, seed=size)

    assert size == len(made.chunks)
    assert {*life.MODES, life.PARAPHRASE} == {question.mode for question in made.questions}
    assert all(spell.ask for spell in made.spells)
