import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.word_lists import word_set
from hippocampus.encode.languages import NAMES, bare, latin_languages, stem_in, stop_words
from hippocampus.encode.terms import find_terms, hash_terms, language_of

ASKED = {
    "en": "Where did I leave the keys of the boat?",
    "de": "Wo habe ich die Schlüssel vom Boot gelassen?",
    "fr": "Où est-ce que j'ai laissé les clés du bateau ?",
    "es": "¿Dónde dejé las llaves del barco?",
    "pt": "Onde é que eu deixei as chaves do barco?",
    "it": "Dove ho lasciato le chiavi della barca?",
    "nl": "Waar heb ik de sleutels van de boot gelaten?",
    "sv": "Var har jag lagt nycklarna till båten?",
    "pl": "Gdzie zostawiłem klucze od łodzi?",
    "tr": "Teknenin anahtarlarını nerede bıraktım?",
    "fi": "Mihin minä jätin veneen avaimet?",
    "id": "Di mana saya meninggalkan kunci perahu?",
    "vi": "Tôi đã để chìa khóa thuyền ở đâu?",
    "ru": "Где я оставил ключи от лодки?",
    "el": "Πού άφησα τα κλειδιά της βάρκας;",
    "ar": "أين تركت مفاتيح القارب؟",
    "he": "איפה השארתי את המפתחות של הסירה?",
    "hi": "मैंने नाव की चाबियाँ कहाँ छोड़ीं?",
    "ja": "船の鍵はどこに置きましたか？",
    "ko": "배 열쇠를 어디에 두었지?",
    "th": "ฉันวางกุญแจเรือไว้ที่ไหน",
    "zh": "我把船的钥匙放在哪里了？",
}


@pytest.mark.parametrize("language", ASKED)
def test_the_language_of_a_question_is_told_by_its_letters_and_words_of_grammar(language):
    assert language == language_of(ASKED[language])


@pytest.mark.parametrize("text", ["", " ", "😀🎉", "12345", "—", "Lisbon", "dog"])
def test_what_has_no_words_of_grammar_is_of_no_language(text):
    assert language_of(text) is None
    assert [] == [term for term in find_terms(text) if term.function]


def shared(asked, told):
    """Whether a content word of a question is among a text's terms, in whatever form."""
    kept = set(hash_terms(told).tolist())
    return any(
        not kept.isdisjoint((term.hash, *term.forms))
        for term in find_terms(asked)
        if not term.function
    )


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Welche Katzen habe ich?", "Ich habe jetzt eine Katze, und sie schläft."),
        ("¿Qué libros leí?", "El libro que me dio mi hermana está en la mesa."),
        ("Quels livres ai-je lus ?", "J'ai fini le livre de ma sœur, il est très bon."),
        ("Quand ai-je loué l'appartement ?", "Les appartements de cette rue sont chers."),
        ("telefono nuevo", "Mi teléfono nuevo es el que está en la mesa."),
        ("Какие книги я читал?", "Я взял эту книгу у сестры."),
        ("Hangi kitapları okudum?", "Bu kitabı çok beğendim ve bir arkadaşıma verdim."),
        ("मेरी किताब कहाँ है?", "मैंने किताबें मेज़ पर रखीं।"),
        ("동생 결혼식이 언제야?", "동생의 결혼식은 오월이야."),
        ("น้องสาวแต่งงานเมื่อไหร่", "งานแต่งงานของน้องสาวอยู่ที่เชียงใหม่"),
        ("妹の結婚式はいつですか", "来月、妹が結婚します。"),
        ("متى زفاف أختي؟", "حضرنا الزفاف في بيت جدي."),
    ],
)
def test_a_question_meets_a_text_in_another_inflection(asked, told):
    assert shared(asked, told)


@pytest.mark.parametrize("text", ["Anna kommt am Montag, und Marco bleibt hier.", "Anna e Marco."])
def test_a_name_is_asked_for_in_another_language(text):
    assert shared("Where is Anna?", text)


def test_words_of_one_language_are_not_those_of_another_by_chance():
    past, pasta = find_terms("past"), find_terms("Dove ho mangiato la pasta?")

    assert past[0].hash not in [term.hash for term in pasta]
    assert past[0].hash not in [form for term in pasta for form in term.forms]


def test_marks_are_part_of_the_word_that_they_stand_in():
    (word,) = find_terms("हिन्दी")

    assert (0, 6) == (word.start, word.end)


def test_questions_in_scripts_without_spaces_have_words_of_grammar():
    text = "我现在住在哪里"
    content = {text[t.start : t.end] for t in find_terms(text) if not t.function}

    assert "住" in content
    assert content.isdisjoint({"我", "现在", "哪里", "在"})


ENGLISH_WORDS = sorted(word for word in word_set("function_words") if word.isalpha())
GIVEN_NAMES = sorted(word for word in word_set("given_names") if word.isascii() and word.isalpha())


@given(
    st.lists(st.sampled_from(ENGLISH_WORDS), min_size=2, max_size=8, unique=True),
    st.lists(st.sampled_from(GIVEN_NAMES), max_size=3),
    st.randoms(use_true_random=False),
)
def test_words_of_english_with_names_among_them_are_in_no_other_language(words, names, random):
    said = [*words, *(name.title() for name in names)]
    random.shuffle(said)

    assert language_of(" ".join(said)) in ("en", None)


@given(st.lists(st.sampled_from(GIVEN_NAMES), min_size=1, max_size=4))
def test_names_alone_are_in_no_language(names):
    assert language_of(" ".join(name.title() for name in names)) in ("en", None)


@pytest.mark.parametrize("name", ["Nell", "Sara", "Greta", "Tanya Sean", "José"])
def test_a_name_that_is_a_word_of_grammar_elsewhere_tells_no_language(name):
    assert language_of(name) is None
    assert not any(term.function for term in find_terms(name))
    assert shared(name, f"{name} is at the harbour with the others.")
    assert "it" == language_of("Nell'acqua ho visto le chiavi della barca.")


@pytest.mark.parametrize("text", ["¼", "1½ cups", "a⅟4b", "ͺ", "a ﬁsh ①"])
def test_what_folds_to_several_words_is_asked_for_as_they_are_kept(text):
    kept = hash_terms(text).tolist()

    assert kept == [term.hash for term in find_terms(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Tom drinks coffee at night", "My son Per eats fish", "Ann met Jon at a bar",
        "sing me a song, a sad one", "Leo has no cat on a boat", "def main(): return None",
        "git commit -m fix", "import os, sys", "for i in range(10): print(i)", "Los Angeles",
        "SELECT a FROM b WHERE c", "npm run build && cd dist", "El Paso", "x = y if z else None",
    ],
)  # fmt: skip
def test_a_short_line_of_english_or_code_is_in_no_other_language(text):
    assert language_of(text) in ("en", None)


def test_a_letter_of_its_own_tells_between_languages_that_share_their_words():
    assert "ru" == language_of("С прошлого года учусь на скрипке, и это трудно.")
    assert "es" == language_of("La caldera se rompió y hace frío.")
    assert "pt" == language_of("A caldeira avariou e não há água.")


@given(st.text(max_size=40))
def test_terms_that_are_found_in_a_text_are_among_its_hashed_terms(text):
    kept = set(hash_terms(text).tolist())
    for term in find_terms(text):
        assert 0 <= term.start < term.end <= len(text)
        assert not kept.isdisjoint((term.hash, *term.forms))


@given(st.text(st.characters(categories=["L", "M"]), min_size=1, max_size=12))
def test_any_word_has_a_stem_in_every_language(word):
    assert all(stem_in(word, language) is not None for language in NAMES)
    assert isinstance(bare(word), str)


def test_every_language_with_stop_words_has_a_name():
    assert set(stop_words()) == set(NAMES)
    assert word_set("function_words") <= stop_words()["en"]
    assert set(latin_languages()) <= set(NAMES)
