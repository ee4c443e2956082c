"""The people and pets of a bank: who is somebody, by what the whole bank says."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from hippocampus import Memory
from hippocampus.testing import HashEmbedder


@pytest.fixture
def bank():
    with Memory(":memory:", embedder=HashEmbedder()) as memory:
        yield memory.bank("lena")


def tell(bank, *texts, speaker="Lena", role="user"):
    at = datetime(2025, 3, 1, 9).astimezone()
    for place, text in enumerate(texts):
        bank.remember(text, at=at + timedelta(days=place), speaker=speaker, role=role)


def people(bank):
    return {one.name: one.kind for one in bank.people()}


def test_a_pet_called_like_a_biscuit_is_a_pet(bank):
    tell(
        bank,
        "We got a cat called Biscuit.",
        "Biscuit was sick all night.",
        "I baked biscuits with Mum.",
        "This morning Biscuit brought me a mouse.",
    )
    assert people(bank)["Biscuit"] == "pet"


def test_people_called_like_words_are_people(bank):
    tell(
        bank,
        "My brother Mark came over, and he will mark the essays tonight.",
        "I told Rose about it. The rose in the garden is out.",
        "Rose says that it may rain in May.",
        "Then we asked Will if he will drive.",
        "Later Will told me that he sold the car.",
    )
    found = people(bank)
    assert {"Mark", "Rose", "Will"} <= found.keys()
    assert "May" not in found


def test_places_months_products_and_headings_are_nobody(bank):
    tell(
        bank,
        "We drove to Porto in April and stayed in Porto for a week.",
        "Porto was lovely. I had never been in Porto before.",
        "The Kindle broke, so I took the Kindle back to the shop.",
        "Optimal Output And Delimiters",
        "Becuase of the rain we stayed at Rose Cottage.",
    )
    assert people(bank).keys() == {"Lena"}


def test_who_writes_without_capitals_has_people_too(bank):
    tell(
        bank,
        "got my daughter priti a bike today",
        "priti says the bike is too big, she is cross",
        "pritis bike goes back tomorrow",
        "took priti and anil to the pool",
    )
    assert {"Priti", "Anil"} <= people(bank).keys()


def test_a_first_name_is_the_whole_one_unless_two_have_it(bank):
    tell(
        bank,
        "Mrs Nora Quill rang about the roof.",
        "I told Nora that the roof leaks.",
        "I met Lee Hodge and he likes the plan.",
        "I met Lee Barker and he hates it.",
        "Lee says no.",
    )
    found = bank.people()
    assert {"Nora Quill", "Lee Hodge", "Lee Barker"} <= {one.name for one in found}
    assert "Lee" not in {one.name for one in found}
    (nora,) = (one for one in found if one.name == "Nora Quill")
    assert "Nora" in nora.aliases
    assert nora.episodes == 2


def test_a_surname_that_several_have_with_their_titles_is_nobody_more(bank):
    tell(
        bank,
        "Mr Hill and Mrs Hill live next door.",
        "Mrs Hill has a cat.",
        "Hill says that he is away.",
        "Dr Amann gave me a jab.",
        "Amann says that I should drink more.",
    )
    found = {one.name for one in bank.people()}

    assert {"Mr Hill", "Mrs Hill", "Dr Amann"} <= found
    assert found.isdisjoint({"Hill", "Amann"})


def test_a_person_has_the_tie_to_the_speaker_that_is_told(bank):
    tell(bank, "My sister Ana has a dog called Rex.", "Ana says Rex ate her shoe.")
    (ana,) = (one for one in bank.people() if one.name == "Ana")
    assert [("Lena", "sister")] == [(tie.to, tie.role) for tie in ana.ties]


def test_what_an_assistant_tells_of_the_world_names_nobody(bank):
    tell(bank, "Zeus told Hera that he loved her.", speaker="assistant", role="assistant")
    tell(bank, "I like myths.")
    assert people(bank).keys() == {"Lena"}


def test_nobody_is_left_of_what_was_forgotten(bank):
    tell(bank, "My brother Mark came over.")
    (row,) = bank.episodes()
    bank.forget(row.id)
    assert people(bank).keys() <= {"Lena"}
    assert "Mark" not in people(bank)


def test_other_languages_make_no_people_of_their_words(bank):
    tell(
        bank,
        "gestern war ich mit dem hund draussen und dann hat es geregnet",
        "der Hund heisst nicht mehr so wie er hiess, und das ist auch gut so",
        "heute kommt frau onken und bringt die liste mit",
    )
    assert people(bank).keys() <= {"Lena", "Frau Onken"}


def test_a_mother_is_not_the_child_whose_second_name_is_hers(bank):
    tell(
        bank,
        "My mum is Doreen.",
        "Doreen was so happy when Martha Doreen was born.",
        "I saw Doreen and Martha.",
    )
    bank.sleep()

    assert {"Doreen", "Martha Doreen"} <= people(bank).keys()


def test_who_is_named_behind_somebody_elses_tie_has_not_that_tie(bank):
    tell(bank, "Luca is my partner, Noah is mine.", "This is my sister, Greta.", "Noah rang Luca.")
    ties = {one.name: [(tie.role, tie.to) for tie in one.ties] for one in bank.people()}

    assert ties["Luca"] == [("partner", "Lena")]
    assert ties["Greta"] == [("sister", "Lena")]
    assert not ties["Noah"]


def test_another_name_of_a_speaker_is_no_second_person(bank):
    tell(bank, "I'm Lena (Leni), 27, a nurse in Hove.", "Tom said hello Leni and Leni laughed.")
    bank.sleep()
    found = {one.name: one.aliases for one in bank.people()}

    assert found["Lena"] == ("Leni",)
    assert "Leni" not in found


def test_whom_an_included_bank_speaks_of_is_nobody_here(open_memory):
    memory = open_memory(embedder="hash")
    own, other = memory.bank("lena"), memory.bank("team")
    tell(own, "My brother Mark came over.")
    tell(other, "My sister Greta lives in Oslo.", speaker="Tom")
    own.include("team")

    assert {"Lena", "Mark"} == people(own).keys()


def test_what_is_only_written_in_capitals_is_nobody(bank):
    tell(bank, "The LPA said nothing.", "Tom rang about the LPA.", "LPA says wait.")

    assert "Lpa" not in people(bank)
