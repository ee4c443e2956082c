"""Which language a short question is in, whose words of grammar English may have as well."""

import pytest

from hippocampus.language.time.asked_language import asked_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Was steht am Montag an?", "de"),
        ("Was liegt heute an?", "de"),
        ("Was war am Freitag?", "de"),
        ("Was passiert am 12. September?", "de"),
        ("Wo wohnt Lena?", "de"),
        ("Wie heißt Annas Bruder?", "de"),
        ("Où j'habite maintenant ?", "fr"),
        ("Missä minä olen nyt ja miksi se on niin?", "fi"),
        ("我住在哪里？", "zh"),
    ],
)
def test_words_that_are_not_english_tell_the_language_of_the_others(text, language):
    assert asked_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "Was Tom at home on Monday?",
        "Was Anna in Zalando?",
        "What is an AM radio?",
        "Die hard or not?",
        "What did she persue in May?",
        "Will Ben arrive in Oslo?",
        "ta ur a wee legend",
        "whats 15% of 80",
        "Tue 23:40",
        "",
    ],
)
def test_a_question_in_english_stays_english_with_names_and_slips(text):
    assert asked_language(text) in ("en", None)
