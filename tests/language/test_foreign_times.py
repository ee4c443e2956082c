"""Times in other languages: what they mean is what the English words for them mean."""

import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.word_lists import word_list
from hippocampus.language.time import find_intervals
from hippocampus.language.time.lexicon import BY_HAND, TIMED, lexicon

NOW = datetime(2024, 9, 18, 10, 30, tzinfo=UTC)  # a Wednesday
TOLD = [  # as statements, with what English says
    ("Gestern war ich beim Friseur.", "I was there yesterday."),
    ("Der Kurs war vom 3. bis 7. Juni.", "The course was from 3 to 7 June."),
    ("Also, am 12.10. ist Konzert.", "The concert is on 12 October."),
    ("Vor vier Wochen hat es gebrannt.", "It burnt four weeks ago."),
    ("Nächstes Jahr ziehen wir um.", "We move next year."),
    ("Am Sonntagabend essen wir bei Oma.", "We eat there on Sunday evening."),
    ("Seit letztem Montag ist die Heizung aus.", "It has been off since last Monday."),
    ("Le concert est samedi prochain.", "The concert is next Saturday."),
    ("Nous étions à Lyon il y a cinq jours.", "We were there five days ago."),
    ("Je suis né en juillet 1988.", "I was born in July 1988."),
    ("Depuis mardi dernier il pleut.", "It has been raining since last Tuesday."),
    ("El concierto es el sábado que viene.", "The concert is next Saturday."),
    ("Hace cuatro semanas hubo un incendio.", "There was a fire four weeks ago."),
    ("Vivimos aquí desde 2016.", "We have lived here since 2016."),
    ("Fra tre giorni parte il treno.", "The train leaves in three days."),
    ("Il corso era dal 3 al 7 giugno.", "The course was from 3 to 7 June."),
    ("O concerto é na próxima sexta-feira.", "The concert is next Friday."),
    ("Voltei há quatro semanas.", "I came back four weeks ago."),
    ("Мы вернулись четыре недели назад.", "We came back four weeks ago."),
    ("В субботу вечером у нас концерт.", "We have a concert on Saturday evening."),
    ("四周前着火了。", "It burnt four weeks ago."),
    ("音乐会是下周六。", "The concert is on Saturday next week."),
    ("我1988年7月出生。", "I was born in July 1988."),
    ("五日前に帰りました。", "I came back five days ago."),
    ("コンサートは来週の土曜日です。", "The concert is on Saturday next week."),
    ("Volgend weekend gaan we naar zee.", "We go next weekend."),
    ("W przyszłym roku się przeprowadzamy.", "We move next year."),
    ("För fyra veckor sedan brann det.", "It burnt four weeks ago."),
    ("Gelecek yıl taşınıyoruz.", "We move next year."),
    ("내년에 이사해요.", "We move next year."),
    ("Er wurde 91. Die Feier ist am Dienstag.", "The party is on Tuesday."),
    ("Am ersten Oktober ziehen wir um.", "We move on 1 October."),
    ("Am einundzwanzigsten August war die Hochzeit.", "The wedding was on 21 August."),
    ("Compré el vuelo para el 9 de octubre.", "I have bought the flight for 9 October."),
    ("J'ai acheté le billet pour le 9 octobre.", "I have bought the ticket for 9 October."),
    ("Ho comprato il biglietto per il 9 ottobre.", "I have bought the ticket for 9 October."),
    ("我买了十月九号的机票。", "I have bought the flight for 9 October."),
]
ASKED = [
    ("Was habe ich letzten Dienstag gekauft?", "What did I buy last Tuesday?"),
    ("Wie war das Wetter im August?", "What was the weather like in August?"),
    ("Was kochten wir Mitte Juli?", "What did we cook in mid-July?"),
    ("Qu'est-ce que j'ai acheté mardi ?", "What did I buy on Tuesday?"),
    ("Où étions-nous en août ?", "Where were we in August?"),
    ("¿Qué cociné a mediados de julio?", "What did I cook in mid-July?"),
    ("¿Dónde estuvimos entre mayo y julio?", "Where were we between May and July?"),
    ("Dove siamo stati ad agosto?", "Where were we in August?"),
    ("O que comprei na terça passada?", "What did I buy last Tuesday?"),
    ("Где мы были в августе?", "Where were we in August?"),
    ("八月我们在哪里？", "Where were we in August?"),
    ("8月にどこにいましたか？", "Where were we in August?"),
    ("先々週何を買いましたか？", "What did I buy the week before last?"),
    ("前天我买了什么？", "What did I buy the day before yesterday?"),
    ("Wohin fahren wir am Samstag?", "Where are we going on Saturday?"),
    ("Wen treffe ich im November?", "Whom am I meeting in November?"),
    ("Wen traf ich im November?", "Whom did I meet in November?"),
    ("Où est-ce que je mange vendredi ?", "Where am I eating on Friday?"),
    ("Où aviez-vous rendez-vous vendredi ?", "Where did you have it on Friday?"),
    ("¿A quién visitamos el domingo?", "Whom are we visiting on Sunday?"),
    ("Chi viene sabato?", "Who is coming on Saturday?"),
    ("Wat eten we zondag?", "What are we eating on Sunday?"),
    ("Wat heb ik zondag gezien?", "What did I see on Sunday?"),
    ("Vem träffar jag på fredag?", "Whom am I meeting on Friday?"),
    ("Gdzie idę w sobotę?", "Where am I going on Saturday?"),
    ("Quem visitamos no sábado?", "Whom are we visiting on Saturday?"),
    ("Куда мы едем в субботу?", "Where are we going on Saturday?"),
    ("Was steht am Montag an?", "What is on on Monday?"),
    ("Was war am Montag?", "What was on Monday?"),
    ("Was war am 3. Mai?", "What was on 3 May?"),
    ("Was war am Ostermontag?", "What was on Easter Monday?"),
    ("Was passiert im Oktober?", "What happens in October?"),
    ("Was passierte am 22. Juli?", "What happened on 22 July?"),
    ("Habe ich am Montag einen Termin?", "Do I have an appointment on Monday?"),
    ("Hast du am Montag angerufen?", "Did you call on Monday?"),
]
NO_TIMES = [
    "Mit Anna so viel zu lachen, das tut gut.",
    "Der Morgen graut, die Sonne scheint.",
    "Mon oncle marche vite et porte douze sacs.",
    "Elle a été là pour moi.",
    "Mi primo Julio tiene mar y sol.",
    "Hace frío y la puerta hace ruido.",
    "Il sole e il mare fanno bene.",
    "La mañana es fría, y con mayo sabe mejor.",
    "Nu mai vreau nimic și nu mai pot.",
    "Há pão na cozinha e a segunda chave abre.",
    "Мой стол стоит у окна, дело ясное.",
    "周先生和月月是好朋友，天生一对。",
    "日本は好きだが、月給は少ない。",
]


def spans(text, *, told):
    return [(one.start, one.end, one.vague) for one in find_intervals(text, NOW, told=told)]


@pytest.mark.parametrize(("foreign", "english"), TOLD)
def test_what_is_told_of_a_time_is_what_english_tells(foreign, english):
    assert spans(english, told=True)
    assert spans(foreign, told=True) == spans(english, told=True)


@pytest.mark.parametrize(("foreign", "english"), ASKED)
def test_what_is_asked_of_a_time_is_what_english_asks(foreign, english):
    assert spans(english, told=False)
    assert spans(foreign, told=False) == spans(english, told=False)


@pytest.mark.parametrize("text", NO_TIMES)
def test_words_that_only_look_like_times_are_none(text):
    assert find_intervals(text, NOW, told=True) == ()


def test_each_sentence_is_read_in_its_own_language():
    text = "I saw her yesterday. Vorgestern war ich krank. La semana pasada comí allí."

    said = [one.text for one in find_intervals(text, NOW, told=True)]

    assert said == ["yesterday", "Vorgestern", "La semana pasada"]


def test_the_verb_tells_on_which_side_a_day_lies():
    assert spans("Am Freitag war ich beim Arzt.", told=True) == spans(
        "I was there on Friday.", told=True
    )
    assert spans("Am Freitag gehe ich zum Arzt.", told=True) == spans(
        "I go there on Friday.", told=True
    )
    assert spans("В пятницу я ходила к врачу.", told=True) == spans(
        "I went there on Friday.", told=True
    )


def test_a_habit_is_no_time():
    assert spans("Jeden Montag gehe ich schwimmen.", told=True) == []
    assert spans("Los lunes voy a nadar.", told=True) == []
    assert spans("每周一我去游泳。", told=True) == []


def test_a_word_for_two_days_is_none():
    assert spans("मैं कल दिल्ली गया था।", told=True) == []


def common(english):
    lines = (line.split(" | ") for line in word_list("times/common"))
    said = ((lang, words.split(", ")) for lang, meant, words in lines if meant == english)
    return {lang: one for lang, words in said for one in words[-1:] if " " not in one}


@pytest.mark.parametrize("language", sorted(set(common("yesterday")) - {"hi"}))
def test_yesterday_is_read_in_every_language_that_has_a_word_for_it(language):
    word = common("yesterday")[language]
    day = spans("yesterday", told=True)

    assert spans(word, told=True) == day, word


def test_the_languages_that_are_said_to_be_read_are_those_that_have_words():
    assert {line.split(" | ")[0] for line in word_list("times/common")} == set(TIMED)
    assert set(BY_HAND) <= set(TIMED)


@pytest.mark.parametrize("language", sorted(TIMED))
def test_every_word_of_a_language_means_something_in_english(language):
    for entries in lexicon(language).values():
        for entry in entries:
            assert entry.words
            assert all(word == word.casefold() for word in entry.words)


PIECES = st.sampled_from(
    "gestern vor zwei Wochen am 3. Mai. la semaine dernière 上周三 5月3日 前 以前 から まで"
    " 十二 ayer hace dos días , . - ' 2024 в 12 июня назад 年 월 28일 letzten 31. 13:99 半".split()
)


@given(st.lists(PIECES | st.text(max_size=6), max_size=12), st.sampled_from(" _").map(str.strip))
def test_any_words_in_any_order_are_read_without_harm(words, between):
    text = (between or " ").join(words)
    at = 0
    for one in find_intervals(text, NOW, told=True):
        at = text.index(one.text, at) + len(one.text)
        assert one.start is None or one.end is None or one.start < one.end


def test_the_verb_of_the_clause_counts_before_those_of_others():
    told = "Ich habe den Vertrag unterschrieben, am 30. November ziehe ich um."

    (move,) = find_intervals(told, NOW, told=True)

    assert move.start == datetime(2024, 11, 30, tzinfo=UTC)
    (also,) = find_intervals("票买好了，11月30日出发。", NOW, told=True)
    assert also.start == move.start


def test_from_a_time_on_begins_with_it():
    for text in ("Ab Oktober arbeite ich weniger.", "À partir d'octobre je travaille moins."):
        (told,) = find_intervals(text, NOW, told=True)
        assert (told.start, told.end) == (datetime(2024, 10, 1, tzinfo=UTC), None), text


def test_a_day_of_every_month_is_no_time():
    assert spans("每个月第一个周三开会。", told=True) == []
    assert spans("每月五号交水费。", told=True) == []


def test_a_day_beside_today_is_not_another_one():
    assert [one.text for one in find_intervals("今天周三开会。", NOW, told=True)] == ["今天"]


def test_a_sentence_has_the_same_languages_in_every_process():
    # Each sums up the evidence in another order, and two languages are as likely here.
    ask = (
        "from hippocampus.language.time.mixed import likely_languages;"
        "print(likely_languages('sami jaz ne savoji paciais'))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", ask], capture_output=True, text=True, check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "3")
    }  # fmt: skip

    assert told == {"['lt', 'sl']\n"}
