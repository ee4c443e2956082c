"""What questions in other languages ask for."""

from datetime import UTC, datetime

import pytest

from hippocampus.core.word_lists import word_list
from hippocampus.language.asked_state import AskedState
from hippocampus.language.chatter import is_chatter
from hippocampus.language.foreign_intent import ASKED_IN
from hippocampus.recall.parse import parse

NOW = datetime(2024, 9, 18, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["Hallo!", "Guten Tag", "merci beaucoup", "¡Buenas tardes!", "Ciao, come va?", "Obrigada!",
     "Привет!", "你好啊", "谢谢", "こんばんは", "감사합니다", "dank je wel", "Dziękuję", "Tack!",
     "Bis morgen!", "Schönen Abend noch!", "Bonne journée !", "谢谢你！", "Fijn weekend!"],
)  # fmt: skip
def test_a_greeting_or_thanks_asks_for_nothing(text):
    assert parse(text, now=NOW).small_talk
    assert is_chatter(text)


@pytest.mark.parametrize(
    "text",
    ["Hallo, wo wohnt Jana?", "Merci de garder la clé", "Hola Ana", "谢谢你借给我雨伞",
     "ありがとうの手紙"],
)  # fmt: skip
def test_what_says_more_than_a_greeting_is_none(text):
    assert not parse(text, now=NOW).small_talk
    assert not is_chatter(text)


@pytest.mark.parametrize(
    "text",
    ["Was haben wir vorgestern gemacht?", "Was ist am Sonntag passiert?",
     "Qu'est-ce qu'on a fait lundi ?", "¿Qué hicimos el mes pasado?", "Che cosa è successo ieri?",
     "O que aconteceu na semana passada?", "Что было вчера?", "昨天发生了什么事？",
     "先週は何をしましたか？", "Wat is er gisteren gebeurd?", "Was steht am Montag an?",
     "Was liegt nächste Woche an?", "Was mache ich übermorgen?", "¿Qué hago el lunes que viene?",
     "Qu'est-ce que je fais lundi prochain ?", "十月有什么安排？", "Che faccio domani?"],
)  # fmt: skip
def test_a_question_for_whatever_was_at_a_time_is_asked_of_the_time_alone(text):
    asked = parse(text, now=NOW)

    assert asked.intervals
    assert asked.listing == asked.intervals


@pytest.mark.parametrize(
    "text",
    ["Was hat Jana vorgestern verkauft?", "Qu'a dit Jana lundi ?", "¿Qué compró Jana ayer?",
     "昨天雅娜卖了什么？", "昨日ヤナは何を売りましたか？", "Что вчера продала Яна?"],
)  # fmt: skip
def test_a_question_for_one_thing_at_a_time_is_not(text):
    asked = parse(text, now=NOW)

    assert asked.intervals
    assert asked.listing == ()


@pytest.mark.parametrize(
    "text",
    ["Wo arbeite ich jetzt?", "Wie heißt meine Ärztin?", "Où est-ce que je vis actuellement ?",
     "¿Quién es mi médica?", "Dove lavoro adesso?", "Onde é que eu trabalho agora?",
     "Где я сейчас работаю?", "我现在在哪里上班？", "今の上司は誰ですか？"],
)  # fmt: skip
def test_a_question_of_the_present_asks_for_the_newest_state(text):
    state = parse(text, now=NOW).state

    assert state is not None
    assert state.newest
    assert state.sure


@pytest.mark.parametrize(
    "text",
    ["Singt Anna noch im Chor?", "Wohnt Tobias immer noch in Köln?", "Raucht Papa nicht mehr?",
     "Est-ce que Bastien travaille encore à la poste ?", "Anna habite-t-elle toujours à Lyon ?",
     "¿Vive Lucía todavía en Granada?", "¿Sigue Lucía en el coro?",
     "Isst Mia nach wie vor kein Fleisch?", "Zingt Anna nog in het koor?",
     "Анна ещё поёт в хоре?", "Czy Anna nadal śpiewa w chórze?", "安娜还在合唱团唱歌吗？",
     "アンナはまだ歌っていますか？", "안나는 아직 합창단에서 노래해요?"],
)  # fmt: skip
def test_whether_something_goes_on_asks_for_the_newest_state(text):
    assert parse(text, now=NOW).state == AskedState(newest=True, sure=True)


@pytest.mark.parametrize(
    "text",
    ["Was hat Anna noch gesagt?", "Hat Anna noch etwas gesagt?", "War Anna noch im Chor?",
     "Qu'est-ce que Marie a dit encore ?", "¿Qué más compró todavía Ana?"],
)  # fmt: skip
def test_words_for_else_and_yet_in_a_question_of_the_past_ask_for_no_state(text):
    assert parse(text, now=NOW).state is None


@pytest.mark.parametrize(
    "text", ["Was hat der Arzt verschrieben?", "¿Qué compré para Jana?", "医生开了什么药？"]
)
def test_a_question_of_what_is_over_asks_for_none(text):
    assert parse(text, now=NOW).state is None


def test_a_question_that_asks_when_says_so():
    for text in (
        "Wann war die Hochzeit?",
        "Quand est la fête ?",
        "婚礼是什么时候？",
        "結婚式はいつ？",
    ):
        assert "when" in parse(text, now=NOW).intents, text


def test_i_and_you_point_to_whose_turns_they_are():
    assert parse("Was habe ich dir gesagt?", now=NOW).roles == {"user", "assistant"}
    assert parse("我说了什么？", now=NOW).roles == {"user"}


def test_every_language_that_is_said_to_be_read_has_words_of_every_kind():
    kinds = {}
    for line in word_list("asking_in_languages"):
        language, kind, _ = line.split(" | ")
        kinds.setdefault(language, set()).add(kind)

    assert set(kinds) == ASKED_IN
    assert len({frozenset(some) for some in kinds.values()}) == 1
