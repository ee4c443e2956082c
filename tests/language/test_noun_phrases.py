"""Noun phrases are found without a tagger, and nouns are known for what they are kinds of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language.noun_phrases import find_phrases, key_of
from hippocampus.language.nouns import kinds, singular, synonyms, use_of


def names(text):
    return [phrase.name for phrase in find_phrases(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Can we talk about peer review for our papers?", ["peer review", "review", "paper"]),
        ("The support group gave me courage.", ["support group", "group", "courage"]),
        ("I bought shoes and she sold cars.", ["shoe", "car"]),
        ("We went on a camping trip.", ["camping trip", "trip"]),
        ("Really glad you enjoyed it!", []),
        ("", []),
    ],
)
def test_phrases_end_in_nouns_without_any_verbs_or_grammar(text, expected):
    assert set(expected) <= set(names(text))
    assert not {"talk", "gave", "bought", "sold", "went", "enjoyed", "glad"} & set(names(text))
    if not expected:
        assert not names(text)


def test_names_are_told_by_a_capital_that_no_sentence_asks_for():
    found = find_phrases(
        "Pottery helps. Yesterday Ana Silva drove to Porto. MARVELLOUS! NASA rang."
    )
    proper = {phrase.name for phrase in found if phrase.proper}

    assert {"ana silva", "ana", "silva", "porto", "nasa"} == proper
    assert "pottery" in names("Pottery helps.")


def test_a_name_no_dictionary_has_is_one_even_at_the_start_of_a_sentence():
    assert [(p.name, p.proper) for p in find_phrases("Biscotto sleeps.")] == [("biscotto", True)]


@pytest.mark.parametrize("forms", [["camping trip", "Camping Trips"], ["violin", "violins"]])
def test_all_inflections_of_a_phrase_have_one_key(forms):
    assert len({key_of(form) for form in forms}) == 1


def test_a_phrase_never_reaches_across_marks():
    assert "trip budget" not in names("Before the trip, budget matters.")


@given(st.text(max_size=200))
def test_any_text_has_phrases_that_stand_where_they_say(text):
    for phrase in find_phrases(text):
        assert 0 <= phrase.start < phrase.end <= len(text)
        assert phrase.key < 1 << 31
        assert phrase.name.split()[0][0] == text[phrase.start].casefold()[0]


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("violins", "violin"), ("classes", "class"), ("babies", "baby"), ("women", "woman"),
        ("news", "news"), ("politics", "politics"), ("bus", "bus"), ("lens", "lens"),
    ],
)  # fmt: skip
def test_singulars_are_those_of_nouns(many, one):
    assert singular(many) == one


def test_a_violin_is_a_kind_of_something_unlike_a_made_up_word():
    assert "musical instrument" in kinds("violin")
    assert "city" in kinds("lisbon")
    assert () == kinds("frobnitz") == kinds("violin" * 20)


def test_use_tells_nouns_from_verbs():
    assert use_of("pottery").noun > 0.9
    assert use_of("enjoyed").verb > 0.9
    assert not use_of("frobnitz").known


def test_nouns_mean_the_same_where_that_is_the_first_and_usual_sense_of_each():
    assert ("car", "auto", "automobile", "motorcar") == synonyms("automobile") == synonyms("car")
    assert ("film", "motion picture", "movie") == synonyms("motion picture")
    assert ("bank",) == synonyms("bank"), "a slope first"
    assert () == synonyms("frobnitz")


def test_names_and_words_read_as_others_have_no_synonyms():
    for noun in ("amazon", "jack", "china", "calling", "glasses", "picture", "co-worker"):
        assert (noun,) == synonyms(noun), noun
