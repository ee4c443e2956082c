from datetime import UTC, datetime

import pytest

from hippocampus import Memory, Turn
from hippocampus.core.records import Embedded, Fingerprint
from hippocampus.encode.embedders.hashing import HashEmbedder
from hippocampus.encode.model_files import DEFAULT_MODEL

GERMAN = Turn(text="Ich habe am Montag einen Termin beim Zahnarzt.", speaker="Lena")
ENGLISH = Turn(text="The dentist is on Monday.", speaker="Lena")


class English(HashEmbedder):
    """Says that it is the default embedder, which knows English alone."""

    @property
    def fingerprint(self):
        return Fingerprint(name=DEFAULT_MODEL, weights="0" * 64, dimension=256)

    def embed(self, passages):
        return [Embedded(vector=one.vector) for one in super().embed(passages)]


def parts(query, *turns, embedder="hash"):
    with Memory(":memory:", embedder=embedder) as memory:
        memory.bank("ada").remember_many(turns)
        return {one.part: one.reason for one in memory.bank("ada").recall(query).degraded}


def test_a_question_in_another_language_says_what_is_not_read_in_it():
    assert "German" in parts("Wann ist mein Termin beim Zahnarzt?", GERMAN)["language"]
    assert "Chinese" in parts("我现在住在哪里", GERMAN)["language"]
    assert parts("When is the dentist?", ENGLISH) == {}


def test_what_is_said_not_to_be_read_is_less_in_a_language_that_is_read():
    german = parts("Wann ist mein Termin beim Zahnarzt?", GERMAN)["language"]
    finnish = parts("Missä minä olen nyt ja miksi se on niin?", GERMAN)["language"]

    assert "facts" in german
    assert "times" not in german
    assert "when" not in german
    assert "what it asks for (when" in finnish


def test_what_happened_in_a_week_is_found_in_whatever_language_it_is_asked_for():
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        for day, text in ((4, "Der Zug hatte Verspätung."), (13, "上午买了一辆自行车。")):
            bank.remember(text, at=datetime(2026, 5, day, tzinfo=UTC))
        now = datetime(2026, 5, 20, tzinfo=UTC)

        for asked in ("Was ist letzte Woche passiert?", "¿Qué pasó la semana pasada?"):
            assert "自行车" in bank.recall(asked, 1, now=now).hits[0].text
        assert bank.recall("Guten Abend!", now=now).found is False


def test_an_embedder_made_for_english_says_what_it_hardly_knows():
    said = parts("Wann ist mein Termin?", ENGLISH, embedder=English())
    assert "reembed multilingual" in said["meaning"]
    assert "German" in parts("When is the dentist?", GERMAN, embedder=English())["meaning"]
    assert "meaning" not in parts("When is the dentist?", ENGLISH, embedder=English())


def test_a_question_in_a_script_of_no_known_language_says_that_meaning_was_not_asked():
    told = parts("სად არის კბილის ექიმი?", ENGLISH, embedder=English())
    assert "cannot read the script" in told["meaning"]


def test_words_are_found_in_their_inflections_without_an_embedder():
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        bank.remember_many([
            Turn(text="Die Katze schläft in der Küche, und ich bin müde."),
            Turn(text="Der Hund ist mit mir an der Elbe gewesen."),
            Turn(text="我们在杭州租了一套房子"),
            Turn(text="น้องสาวแต่งงานที่เชียงใหม่เมื่อวาน"),
            Turn(text=""" 😀🎉 """),
        ])  # fmt: skip

        assert "Katze" in bank.recall("Wo sind meine Katzen?", 1, cues=["lexical"]).hits[0].text
        assert "杭州" in bank.recall("房子在哪里", 1, cues=["lexical"]).hits[0].text
        assert "เชียงใหม่" in bank.recall("ใครแต่งงาน", 1, cues=["lexical"]).hits[0].text
        assert bank.recall("😀").degraded == bank.recall("cat").degraded


def test_a_text_of_two_languages_is_found_by_the_words_of_both():
    said = "Ich habe heute den Vertrag unterschrieben. The landlord was very kind to me."
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        bank.remember_many([Turn(text=said), GERMAN, ENGLISH])

        assert bank.recall("Vertrag", 1).hits[0].text == said
        assert bank.recall("who is my landlord?", 1).hits[0].text == said


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (["明天我要去机场。", "ผมซื้อรถใหม่", "我的电脑坏了。"], "电脑"),
        (["ผมซื้อรถใหม่", "แม่ทำแกงเขียวหวาน", "我的电脑坏了。"], "แกงเขียวหวาน"),
        (["Моя собака спит.", "Я купил велосипед.", "我的电脑坏了。"], "велосипед"),
    ],
)
def test_a_script_that_the_model_cannot_read_is_asked_by_words_alone(said, asked):
    class Unlike(English):
        """Takes every question for the opposite of the text that it has a word of."""

        def embed(self, passages):
            near = super().embed_query("a").vector
            return [Embedded(vector=-near if asked in one.text else near) for one in passages]

        def embed_query(self, _text):
            return Embedded(vector=super().embed_query("a").vector)

    with Memory(":memory:", embedder=Unlike()) as memory:
        bank = memory.bank("ada")
        bank.remember_many([Turn(text=text, speaker="Lin") for text in said])
        found = bank.recall(asked)

    assert asked in found.hits[0].text
    assert found.found
    assert "was not asked" in {one.part: one.reason for one in found.degraded}["meaning"]


@pytest.mark.parametrize("slept", [True, False])
@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (
            ["Ich arbeite in der Bäckerei.", "Der Hund schläft.", "Gestern war ich bei Uwe.",
             "Ich habe eine neue Lampe in der Küche."],
            "Wo arbeite ich?",
        ),
        (
            ["Mi hermano vive en Cuenca.", "El tren de la mañana no vino.",
             "La tía de mi vecina canta en el coro.", "Ayer pinté la puerta de la cocina."],
            "¿Dónde vive mi hermano?",
        ),
        (
            ["Je travaille à la poste.", "Le chat de ma voisine dort.", "Hier je suis allé au lac.",
             "Nous avons une nouvelle lampe à la cuisine."],
            "Où est-ce que je travaille ?",
        ),
    ],
)  # fmt: skip
def test_words_of_grammar_of_a_language_make_no_two_texts_of_one_matter(slept, said, asked):
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        for month, text in enumerate(said, start=1):
            bank.remember(text, speaker="Lena", at=datetime(2026, month, 5, tzinfo=UTC))
        if slept:
            bank.sleep()

        assert bank.recall(asked, now=datetime(2026, 7, 1, tzinfo=UTC))[0].text == said[0]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (
            ["Anna singt seit Januar im Chor, jeden Mittwoch.", "Anna hat mit dem Chor aufgehört.",
             "Anna geht oft ins Kino."],
            ["Singt Anna noch im Chor?", "Ist Anna immer noch im Chor?"],
        ),
        (
            ["Anna chante dans la chorale tous les mercredis.", "Anna a arrêté la chorale.",
             "Anna va souvent au cinéma."],
            ["Anna chante-t-elle toujours dans la chorale ?",
             "Est-ce qu'Anna chante encore dans la chorale ?"],
        ),
        (
            ["Anna canta en el coro todos los miércoles.", "Anna ha dejado el coro.",
             "Anna va mucho al cine."],
            ["¿Anna todavía canta en el coro?", "¿Sigue cantando Anna en el coro?"],
        ),
        (
            ["Anna sings in the choir, every Wednesday.", "Anna has given up the choir.",
             "Anna goes to the cinema a lot."],
            ["Does Anna still sing in the choir?"],
        ),
    ],
)  # fmt: skip
def test_whether_something_goes_on_is_answered_by_the_newest_of_it(said, asked):
    with Memory(":memory:", embedder="hash") as memory:
        bank = memory.bank("jonas")
        for month, text in enumerate(said, start=3):
            bank.remember(text, speaker="Jonas", at=datetime(2026, month, 5, tzinfo=UTC))

        for question in asked:
            found = bank.recall(question, now=datetime(2026, 9, 1, tzinfo=UTC))
            assert [hit.text for hit in found.hits[:2]] == [said[1], said[0]], question
