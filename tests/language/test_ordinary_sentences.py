"""Facts in ordinary sentences, by their structure: who is joined, named, hired or weaned off."""

from datetime import UTC, datetime

import pytest

from hippocampus.language.parsed.pipeline import can_parse
from hippocampus.language.statements import find_statements

pytestmark = pytest.mark.skipif(
    not can_parse(), reason="needs spaCy and 'hippocampus models install english'"
)

NOW = datetime(2025, 5, 10, 12, tzinfo=UTC)


def lines(text, speaker="Ada"):
    found = find_statements(text, speaker=speaker, occurred_at=NOW, reader="parse")
    return [(s.subject, s.relation, s.object, s.mode) for s in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "relation", "thing", "mode", "people"),
    [
        ("Lena and Karl moved to Graz in spring.", "lives_in", "Graz", "began", "Lena Karl"),
        ("Lena, Karl and Jo moved to Graz.", "lives_in", "Graz", "began", "Lena Karl Jo"),
        ("Both Otto and Lena live in Graz.", "lives_in", "Graz", "holds", "Otto Lena"),
        ("Otto and I settled in Graz.", "lives_in", "Graz", "began", "Otto Ada"),
        ("Otto and I don't live in Graz any more.", "lives_in", "Graz", "ended", "Otto Ada"),
        ("Otto and Lena work at Bosch.", "works_at", "Bosch", "holds", "Otto Lena"),
        ("Otto and Lena were fired by Bosch.", "works_at", "Bosch", "ended", "Otto Lena"),
        ("Otto and Lena are vegan.", "diet", "vegan", "holds", "Otto Lena"),
        ("Otto and Lena are allergic to kiwi.", "allergic_to", "kiwi", "holds", "Otto Lena"),
        ("Lena and Karl are both plumbers.", "works_as", "plumber", "holds", "Lena Karl"),
        ("Lena and Karl bought a caravan.", "owns", "caravan", "began", "Lena Karl"),
        ("Lena and Karl will move to Graz.", "lives_in", "Graz", "planned", "Lena Karl"),
        ("Neither Lena nor Karl lives in Graz.", "lives_in", "Graz", "denied", "Lena Karl"),
        ("Bruno & Sarah moved to Graz.", "lives_in", "Graz", "began", "Bruno Sarah"),
        ("Jules and Greta work as nurses.", "works_as", "nurse", "holds", "Jules Greta"),
        ("Otto and Lena love sushi.", "likes", "sushi", "holds", "Otto Lena"),
        ("Lena and the landlord moved to Graz.", "lives_in", "Graz", "began", "Lena"),
        ("The landlord and Lena moved to Graz.", "lives_in", "Graz", "began", "Lena"),
    ],
)
def test_what_is_said_of_several_people_is_said_of_each(text, relation, thing, mode, people):
    wanted = [(who, relation, thing, mode) for who in people.split()]

    assert sorted(wanted) == sorted(lines(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "Otto or Lena works at Bosch.",
        "Either Otto or Lena lives in Graz.",
        "Otto and the landlord said hello.",
        "Do Otto and Lena live in Graz?",
        "If Otto and Lena moved to Graz, we would visit.",
        "Otto and Lena might move to Graz.",
        "Ines and Karl's boss moved to Graz.",
    ],
)
def test_of_whom_it_is_not_said_for_sure_nothing_is_read(text):
    assert [] == lines(text)


def test_who_is_joined_as_somebodys_is_told_of_by_whose_they_are():
    assert [
        ("Otto", "lives_in", "Graz", "began"), ("Otto's husband", "lives_in", "Graz", "began"),
    ] == lines("Otto and his husband moved to Graz.")  # fmt: skip
    assert ("Ada's sister", "lives_in", "Graz", "holds") in lines(
        "My dad and my sister live in Graz."
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Lena and Karl got married.", [("Lena", "married_to", "Karl", "began")]),
        ("Lena and Karl have split up.", [("Lena", "partner", "Karl", "ended")]),
        ("Lena and Karl brought their son Emil.", [
            ("Lena", "child", "Emil", "holds"), ("Karl", "child", "Emil", "holds"),
        ]),
        ("Lena and Karl have a dog called Waldo.", [
            ("Lena", "pet", "Waldo", "holds"), ("Karl", "pet", "Waldo", "holds"),
        ]),
    ],
)  # fmt: skip
def test_what_two_people_are_to_each_other_or_have_together_is_read(text, said):
    assert said == [one for one in lines(text) if one[1] != "marital_status"]


def test_what_is_said_of_kin_by_their_names_is_said_of_each():
    said = lines("My brothers Otto and Karl live in Graz.")

    assert [("Otto", "lives_in"), ("Karl", "lives_in")] == [one[:2] for one in said[2:]]


def test_what_several_people_are_to_one_each_of_them_is():
    said = lines("Lena and Karl are my friends.")

    assert {("Ada", "friend", "Lena", "holds"), ("Ada", "friend", "Karl", "holds")} == set(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Otto turned up with his wife Greta.", ("Otto", "married_to", "Greta")),
        ("Lena brought her son Emil along.", ("Lena", "child", "Emil")),
        ("Lena says her dog Waldo is limping.", ("Lena", "pet", "Waldo")),
        ("Lena introduced me to her friend Jules.", ("Lena", "friend", "Jules")),
        ("We bumped into Karl with his daughter Lotte.", ("Karl", "child", "Lotte")),
        ("Dinner with Greta and her husband Otto.", ("Greta", "married_to", "Otto")),
        ("Otto and his sister, Greta, cooked.", ("Otto", "sibling", "Greta")),
        ("We saw Otto. He was there with his wife Greta.", ("Otto", "married_to", "Greta")),
        ("My colleague and her husband Otto sang.", ("Ada's colleague", "married_to", "Otto")),
        ("my uncle and my brother Nils rang", ("Ada", "sibling", "Nils")),
        ("my brother Tom called.", ("Ada", "sibling", "Tom")),
        ("my sister Greta's bike is gone", ("Ada", "sibling", "Greta")),
        ("She told Otto that his wife Greta had rung.", ("Otto", "married_to", "Greta")),
    ],
)
def test_a_name_beside_a_noun_of_kin_tells_whatever_the_clause_is_about(text, said):
    assert (*said, "holds") in lines(text)


@pytest.mark.parametrize(
    "text",
    [
        "He turned up with his wife Greta.",
        "Some woman with her son Emil waited.",
        "The landlord and his wife Greta argued.",
        "Otto told Karl that his wife Greta had rung.",
        "My sister told me about his wife Greta.",
        "Pretend that Otto came with his wife Greta.",
    ],
)
def test_of_whose_kin_nobody_can_tell_nothing_is_read(text):
    assert [] == [one for one in lines(text) if one[1] in ("married_to", "child")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Lena got a job as a welder.", [("works_as", "welder", "began")]),
        ("Lena found work as a welder.", [("works_as", "welder", "began")]),
        ("Lena landed a position at Bosch.", [("works_at", "Bosch", "began")]),
        ("Lena has secured a role with Bosch.", [("works_at", "Bosch", "began")]),
        ("Lena got a part-time job in a bakery.", [("works_at", "bakery", "began")]),
        ("Lena took up a post as a chemist at Bosch.", [
            ("works_at", "Bosch", "began"), ("works_as", "chemist", "began"),
        ]),
        ("Lena was taken on as a gardener.", [("works_as", "gardener", "began")]),
        ("Lena was recruited by Bosch.", [("works_at", "Bosch", "began")]),
        ("Bosch hired Lena as a translator.", [
            ("works_at", "Bosch", "began"), ("works_as", "translator", "began"),
        ]),
        ("Bosch has sacked Lena.", [("works_at", "Bosch", "ended")]),
        ("They gave Lena a job as a cook.", [("works_as", "cook", "began")]),
        ("Lena lost her job as a cook.", [("works_as", "cook", "ended")]),
        ("Lena quit her position as a cook at Bosch.", [
            ("works_at", "Bosch", "ended"), ("works_as", "cook", "ended"),
        ]),
        ("Lena was laid off and lost her job.", [("works_at", "", "ended")]),
        ("Lena will start a job as a cook.", [("works_as", "cook", "planned")]),
    ],
)  # fmt: skip
def test_who_gets_or_loses_a_job_works_or_worked_there_as_that(text, said):
    assert sorted(("Lena", *one) for one in said) == sorted(lines(text))


@pytest.mark.parametrize(
    "text",
    [
        "I got a job to do.",
        "I got the job done at home.",
        "Lena applied for a job as a welder.",
        "Lena was offered a position at Bosch.",
        "Lena wants to get a job as a welder.",
        "Lena might land a job at Bosch.",
        "Did Lena get a job as a welder?",
        "We hired a plumber.",
        "Otto hired a van.",
        "I have a job for Otto.",
        "Bosch hired somebody as a welder.",
        "They took on a lot as parents.",
    ],
)
def test_a_job_that_is_offered_sought_or_only_work_tells_no_work(text):
    assert [] == [one for one in lines(text) if one[1] in ("works_at", "works_as")]


@pytest.mark.parametrize(
    ("text", "given_up"),
    [
        ("I don't eat cheese any more.", "cheese"),
        ("I no longer drink tea.", "tea"),
        ("I've stopped eating bread.", "bread"),
        ("I gave up eating pork.", "pork"),
        ("I don't eat red meat anymore.", "red meat"),
        ("I never drink beer any more, sadly.", "beer"),
        ("I don't eat pork any more because of my husband.", "pork"),
        ("I no longer eat pork or cheese.", "pork cheese"),
        ("I no longer eat salmon, tuna or eggs.", "salmon tuna eggs"),
        ("My son no longer eats meat, and I don't eat fish any more.", "fish"),
        ("I stopped drinking beer in March.", "beer"),
    ],
)
def test_who_no_longer_eats_or_drinks_something_has_given_it_up(text, given_up):
    things = [given_up] if given_up == "red meat" else given_up.split()

    said = [one for one in lines(text) if one[0] == "Ada"]
    assert [("Ada", "diet", thing, "ended") for thing in things] == said


def test_what_several_people_gave_up_each_of_them_did():
    assert [
        ("Ada", "diet", "pork", "ended"), ("Otto", "diet", "pork", "ended"),
    ] == sorted(lines("Otto and I don't eat pork any more."))  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "I don't eat cheese on Sundays.",
        "I no longer eat cheese on Sundays.",
        "I don't drink tea in the evening any more.",
        "I don't drink tea that often any more.",
        "I don't eat as much cheese any more.",
        "I no longer eat only cheese.",
        "I don't eat your cheese any more.",
        "I don't eat out any more.",
        "I don't eat lunch any more.",
        "I gave up cheese for Lent.",
        "We don't have milk any more.",
        "I don't eat anything any more.",
        "Do you no longer drink tea?",
        "If I no longer drink tea, I shall be tired.",
        "I might give up tea.",
        "I stopped to eat cheese.",
        "I don't want any more cheese.",
        "I haven't eaten cheese since breakfast.",
    ],
)
def test_what_is_given_up_in_part_for_once_or_perhaps_is_not_given_up(text):
    assert [] == lines(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I sold my van.", ("Ada", "owns", "van", "ended")),
        ("I had to sell the van.", ("Ada", "owns", "van", "ended")),
        ("I sold her my van.", ("Ada", "owns", "van", "ended")),
        ("Lena sold her van.", ("Lena", "owns", "van", "ended")),
        ("I gave my Škoda to my brother.", ("Ada", "owns", "Škoda", "ended")),
        ("We gave away the piano.", ("Ada", "owns", "piano", "ended")),
        ("I donated the boat.", ("Ada", "owns", "boat", "ended")),
    ],
)
def test_what_somebody_sells_or_gives_away_is_theirs_no_more(text, said):
    assert said in lines(text)


@pytest.mark.parametrize(
    "text",
    [
        "I sold his van.",
        "I sold Lena's van.",
        "I gave the talk to the team.",
        "I gave Lena a lift.",
        "I gave my van to the garage.",
        "I gave Lena my van for the weekend.",
        "I'm thinking of selling my van.",
        "I won't sell my van.",
        "I plan to sell my van.",
        "I'm going to sell candles.",
        "I decided to leave my job at Bosch.",
    ],
)
def test_what_is_anothers_or_only_given_as_a_word_ends_nothing(text):
    assert [] == [one for one in lines(text) if one[3] == "ended"]
