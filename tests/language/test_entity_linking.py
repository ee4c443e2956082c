"""Names are taken for one only where nothing else could be meant, and every merge says why."""

from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.records import Statement
from hippocampus.language.entity_linking import canonical_name, fold_name, resolve


def merged(*said, speakers=("Melanie", "Tom")):
    return {name: same.name for name, same in resolve(said, speakers).items()}


def test_a_short_form_of_one_speaker_means_that_speaker():
    assert {"mel": "Melanie"} == merged(Statement("Mel", "likes", "tea"))
    assert {} == merged(Statement("Mel", "likes", "tea"), speakers=("Melanie", "Melvin"))
    assert {} == merged(Statement("Me", "likes", "tea"))


def test_speakers_never_mean_each_other():
    assert {} == merged(Statement("Mel", "likes", "tea"), speakers=("Mel", "Melanie"))


def test_no_speaker_becomes_another_by_what_they_say_they_are_called():
    assert {} == merged(Statement("Tom", "name", "Melanie"))
    assert {"melanie": "user"} == merged(Statement("user", "name", "Melanie"))


def test_a_name_that_two_go_by_means_neither():
    assert {} == merged(Statement("Tom", "name", "Bob"), Statement("Melanie", "name", "Bob"))


def test_a_name_that_differs_in_its_last_letter_is_another_one():
    assert {} == merged(Statement("Ann", "likes", "tea"), speakers=("Anna", "Tom"))


def test_a_first_name_means_the_only_full_name_that_begins_so():
    ana, other = Statement("Ana Silva", "lives_in", "Faro"), Statement("Ana Costa", "has", "dog")

    assert {"ana": "Ana Silva"} == merged(ana, Statement("Ana", "likes", "tea"))
    assert {"a silva": "Ana Silva"} == merged(ana, Statement("A. Silva", "likes", "tea"))
    assert {} == merged(ana, other, Statement("Ana", "likes", "tea"))


def test_a_first_name_means_nobody_who_is_told_apart_from_others_of_it():
    (works, likes) = Statement("Ana from work", "age", "19"), Statement("Ana", "likes", "tea")

    assert {} == merged(works, likes)


def test_and_in_a_name_is_the_same_as_its_sign():
    assert fold_name("Salt & Rye") == fold_name("Salt and Rye")


def test_somebodys_kin_means_the_only_one_who_is_named():
    told, moved = Statement("Tom", "sister", "Eva"), Statement("Tom's sister", "lives_in", "Faro")

    assert {"tom's sister": "Eva"} == merged(told, moved)
    assert {} == merged(told, moved, Statement("Tom", "sister", "Ida"))
    assert {} == merged(told, Statement("Melanie's sister", "lives_in", "Faro"))


def test_another_name_of_a_thing_means_it_unless_it_is_taken():
    heron = Statement("boat trip", "also_called", "Heron")

    assert {"heron": "boat trip"} == merged(heron)
    assert {"heron": "boat trip"} == merged(heron, Statement("Boat", "likes", "tea"))
    assert {} == merged(heron, heron._replace(subject="train trip"))
    assert {} == merged(heron._replace(mode="denied"))
    assert {} == merged(heron._replace(object="Tom"))


def test_what_somebody_is_said_to_be_called_means_them_with_the_reason_kept():
    found = resolve([Statement("Tom", "name", "Thomas Reed")], ["Tom"])

    assert "Tom" == found["thomas reed"].name
    assert "Thomas Reed" in found["thomas reed"].why
    assert "Tom" == canonical_name("Thomas Reed", found) == canonical_name("thomas  reed", found)
    assert "Eva" == canonical_name("Eva's", found)


def test_who_is_denied_to_be_somebodys_sister_is_not_taken_for_her():
    told = Statement("Tom's sister", "lives_in", "Faro")
    denied = Statement("Tom", "sister", "Eva", "denied")

    assert {} == merged(told, denied)
    assert {"mel": "Melanie"} == merged(Statement("Mel", "lives_in", "Faro", "denied"))


names = st.sampled_from(["Ana", "Ana Silva", "A. Silva", "Mel", "Melanie", "Tom", "Tom's sister"])
statements = st.builds(Statement, names, st.sampled_from(["name", "sister", "likes"]), names)


@given(st.lists(statements, max_size=12), st.sets(st.sampled_from(["Melanie", "Tom", "Ana"])))
def test_whoever_is_meant_means_nobody_else_unless_names_go_round_in_a_circle(said, speakers):
    found = resolve(said, speakers)

    for alias, (name, why) in found.items():
        assert why
        assert alias not in {fold_name(speaker) for speaker in speakers} or any(
            one.relation == "name" for one in said
        )
        assert fold_name(name) != alias or any(one.relation == "name" for one in said)
    assert found == resolve(said, speakers)
