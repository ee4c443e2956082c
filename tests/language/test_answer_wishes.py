import pytest

from hippocampus.language.answer_wishes import matters_of_answers


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("Please call me Captain.", "address"),
        ("My name is Robert but please call me Bob.", "address"),
        ("Never use emojis in your replies.", "emoji"),
        ("You can use smileys again.", "emoji"),
        ("From now on, reply in German.", "language"),
        ("Actually, no more French, speak Dutch.", "language"),
        ("Forget what I said about French, English is fine.", "language"),
        ("I'd like your replies to be brief.", "length"),
        ("I don't like long explanations.", "length"),
        ("Stop using markdown.", "layout"),
        ("You don't have to be formal.", "tone"),
        ("Give me distances in miles from now on.", "units"),
        ("Please be brief from now on.", "length"),
        ("Emojis are fine again.", "emoji"),
        ("Don't use bullet points.", "layout"),
        ("Always answer me in Polish please.", "language"),
        ("Call me Dr Amadi from now on.", "address"),
        ("when you answer keep it brief pls, my screen is tiny", "length"),
        ("If you write to me, be formal.", "tone"),
        ("When you're explaining things, no jargon", "tone"),
        ("keep it brief plz", "length"),
        ("no bullet points please", "layout"),
        ("No headings either", "layout"),
        ("please answer in ounces, not grams", "units"),
        ("always give me recipes in cups", "units"),
        ("Answer in Danish pls", "language"),
        ("Don't send me long messages.", "length"),
        ("Whenever you reply to me, keep things brief.", "length"),
        ("keep them short and to the point please", "length"),
        ("Keep it under fifty words.", "length"),
        ("Always give me the weather in Celsius.", "units"),
        ("Always show me amounts in ounces.", "units"),
    ],
)
def test_what_is_wanted_of_every_answer_is_told_by_its_matter(text, matter):
    assert {matter} == matters_of_answers(text)


@pytest.mark.parametrize(
    "text",
    [
        "Write me a short poem in French.",
        "I speak French and a bit of German.",
        "Call me back tomorrow.",
        "Call me a cab.",
        "She always answers in French.",
        "They call me Captain at work.",
        "I want to learn to speak Spanish.",
        "No more coffee for me.",
        "French wine is fine.",
        "Does it answer in French?",
        "I always keep my answers short in exams.",
        "Call me Monday about the lease.",
        "Don't call me during the day.",
        "Call me the moment you land.",
        "You can use my name on the application.",
        "You can see for miles from the top.",
        "Reply to the French client tomorrow.",
        "You can switch back to Spanish class in May.",
        "You can wear something casual.",
        "No more jokes about Tom at the office.",
        "Please keep the meeting short, I don't have much time.",
        "Don't give the dog long walks.",
        "No bullet wounds in that film.",
        "keep it short, I told the hairdresser",
        "Give me two cups of that.",
        "When you write to your aunt, keep it brief.",
        "If you answer the door, be friendly.",
        "Whenever you respond to Ms Okafor, be formal.",
        "Keep it simple for the wedding.",
        "Keep it on the long shelf",
        "Keep things short at the funeral",
        "Always send me 12 ounces of coffee.",
        "Don't give me pints at the party.",
        "Keep the receipts for the tables, don't throw them away.",
    ],
)
def test_what_is_told_of_people_or_wanted_once_is_no_wish(text):
    assert not matters_of_answers(text)


def test_a_wish_on_a_condition_is_beside_the_others():
    first, second = (
        matters_of_answers(text)
        for text in ("Answer in French.", "Whenever I ask about wine, answer in Italian.")
    )

    assert first
    assert second
    assert first.isdisjoint(second)


def test_every_word_that_tells_a_matter_is_looked_for_before_it_is_read():
    for word in ("smileys", "markdown", "succinctly", "two paragraphs", "humour", "kilometres"):
        assert matters_of_answers(f"From now on, please use {word} in your replies."), word
