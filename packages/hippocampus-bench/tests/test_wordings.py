"""Made-up benchmarks are told in words that are data, which anybody may write."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.errors import InputError
from hippocampus_bench import life, passages, talk, tracker, wording
from hippocampus_bench.texts import DIALOGUE, EVENTS, LIFE, PASSAGES

FORMS = {form.benchmark: form for form in (LIFE, DIALOGUE, PASSAGES, EVENTS)}
PAGE = Path(__file__).parents[3] / "docs" / "wordings.md"


def said(benchmark, given_):
    """Return all that a benchmark says in a wording, as texts."""
    match benchmark:
        case "corf":
            made = life.live(300, seed=1, wording=given_)
            return [chunk.text for chunk in made.chunks] + [q.text for q in made.questions]
        case "dialogue":
            made = [talk.make_dialogue(200, number=n, wording=given_) for n in range(3)]
            return [one.text for each in made for one in (*each.turns, *each.questions)]
        case "passages":
            (bank,) = passages.make_passages(people=40, questions=5, wording=given_)["banks"]
            return [one["text"] for one in (*bank["episodes"], *bank["questions"])]
        case "events":
            return [event.body for event in tracker.make_stream(300, wording=given_)]


@pytest.mark.parametrize("given_", wording.PACKAGED)
@pytest.mark.parametrize("benchmark", wording.BENCHMARKS)
def test_every_benchmark_is_told_in_both_wordings_without_an_open_slot(benchmark, given_):
    texts = said(benchmark, given_)

    assert len(texts) > 80
    assert not [text for text in texts if re.search(r"\{\w+\}", text)]
    assert wording.read(FORMS[benchmark], given_).name == given_


@pytest.mark.parametrize("benchmark", wording.BENCHMARKS)
def test_the_second_wording_shares_next_to_no_sentence_with_the_tuned_one(benchmark):
    tuned, second = (wording.read(FORMS[benchmark], one) for one in wording.PACKAGED)

    assert tuned.reworded == 0
    assert second.reworded > 0.75
    assert set(said(benchmark, "tuned")).isdisjoint(said(benchmark, "second")) or (
        benchmark == "events"  # whose bots say nothing at times
    )


@pytest.mark.parametrize("benchmark", wording.BENCHMARKS)
def test_what_is_written_out_is_a_wording_that_tells_the_same(benchmark, tmp_path):
    file = wording.write(benchmark, "tuned", tmp_path / "mine.toml")

    assert said(benchmark, str(file)) == said(benchmark, "tuned")
    with pytest.raises(InputError, match="has no wording"):
        wording.write("locomo", "tuned", tmp_path / "no.toml")


def mine(folder, text, benchmark="corf"):
    file = folder / "mine.toml"
    file.write_text(f'benchmark = "{benchmark}"\n{text}', encoding="utf-8")
    return str(file)


def test_what_a_wording_leaves_out_stays_as_it_was_beside_lists_taken_whole(tmp_path):
    file = mine(
        tmp_path, 'name = "terse"\nasks = ["Well, what now?"]\n[openers]\nnone = ["More."]\n'
    )
    made, tuned = wording.read(LIFE, file), wording.read(LIFE)

    assert ("terse", ("Well, what now?",), ("More.",)) == (
        made.name, made.texts.asks, made.texts.openers.none
    )  # fmt: skip
    assert made.texts.openers.code == tuned.texts.openers.code
    assert made.texts.kinds == tuned.texts.kinds
    assert 0 < made.reworded < 0.01
    assert made.as_dict()["sha256"] != tuned.as_dict()["sha256"]


WRONG = {
    "kin = ['{who}, {freind}: {relation}']": r"mine\.toml: kin\[0\] = .*nothing fills \{freind\}",
    "kin = ['{who} and {friend}']": r"kin\[0\].*needs \{relation\}",
    "asks = ['What {of it?']": r"asks\[0\].*a brace without its slot",
    "asks = []": r"mine\.toml: .*length >= 1 - at `\$\.asks`",
    "asks = 'Well?'": r"Expected `array`, got `str` - at `\$\.asks`",
    "assks = ['Well?']": r"unknown field `assks`",
    "[calls]\ntitle = 'the {title}'": r"calls\.title = .*needs \{noun\}",
    "[words]\nspan = ['an {hour}']": r"words\.span\[0\] = .*nothing fills \{hour\}",
    "[[kinds]]\nnoun = 'climb'": r"required field `others` - at `\$\.kinds\[0\]`",
    "asks = [": r"mine\.toml: not TOML",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_mistake_is_told_with_the_file_the_key_and_the_slot(tmp_path, text):
    with pytest.raises(InputError, match=WRONG[text]):
        wording.read(LIFE, mine(tmp_path, text))


def test_a_wording_of_another_benchmark_or_none_or_not_of_utf8_is_refused(tmp_path):
    with pytest.raises(InputError, match='this one needs benchmark = "corf"'):
        wording.read(LIFE, mine(tmp_path, "", "events"))
    with pytest.raises(InputError, match="no such file; a wording is tuned, second or a TOML file"):
        wording.read(LIFE, str(tmp_path / "none.toml"))
    file = tmp_path / "latin.toml"
    file.write_bytes(b'benchmark = "corf"\nname = "caf\xe9"\n')
    with pytest.raises(InputError, match="is not UTF-8 text"):
        wording.read(LIFE, str(file))


def test_a_genre_that_nobody_can_tell_is_refused(tmp_path):
    whole = tomllib.loads(wording.write("dialogue", "tuned", tmp_path / "w.toml").read_text())
    assert {"user", "assistant"} == {genre["teller"] for genre in whole["genres"]}
    text = (tmp_path / "w.toml").read_text()
    for old, new, why in (
        ('teller = "assistant"', 'teller = "cat"', "must be user or assistant"),
        ('value = "code"', 'value = "cod"', "is no key of values"),
    ):
        (tmp_path / "mine.toml").write_text(text.replace(old, new))
        with pytest.raises(InputError, match=why):
            wording.read(DIALOGUE, str(tmp_path / "mine.toml"))


def test_a_life_that_is_too_large_for_a_wording_says_what_is_missing(tmp_path):
    file = mine(tmp_path, 'name = "short"\ncodes = ["Heron", "Basalt", "Ember", "Marlin"]')

    assert life.live(300, wording=file).chunks
    with pytest.raises(InputError, match=r"'short': 4 codes; a life of 6,000 chunks .* needs 15"):
        life.live(6000, wording=file)


@given(st.text(max_size=40))
def test_any_sentence_is_read_or_refused_with_where_it_stands(text):
    rule = wording.slots("who", "thing")
    try:
        wording.check_sentence(text, rule, frozenset({"city"}), "kin[0]")
    except InputError as error:
        said_of = str(error)
    else:
        said_of = "" if "{who}" in text else "let through"

    assert not said_of or "kin[0]" in said_of


def test_the_page_shows_every_key_with_wordings_that_can_be_read(tmp_path):
    page = PAGE.read_text(encoding="utf-8")
    for number, block in enumerate(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)):
        file = tmp_path / f"{number}.toml"
        file.write_text(block)
        assert said("corf", str(file))
    for form in FORMS.values():
        for key in tomllib.loads(
            (wording.write(form.benchmark, "tuned", tmp_path / form.benchmark)).read_text()
        ):
            if key not in ("benchmark", "name"):
                assert f"`{key}" in page, f"{form.benchmark}: {key}"
