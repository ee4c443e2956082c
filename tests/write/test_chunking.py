import random
import string
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rs_bpe.bpe import openai

from hippocampus.errors import InputError
from hippocampus.write.chunking import split_text

count = openai.o200k_base().count

prose = st.text(st.sampled_from("ab .!?\n#`~-=>|\t\r1)我。é👍"), max_size=1500)
anything = st.one_of(prose, st.text(max_size=600))


def paragraphs(number, *, seed=0, sentences=(1, 6)):
    chance = random.Random(seed)  # noqa: S311
    words = "the memory of a brain keeps what it needs and lets the rest go"
    words = words.split()

    def sentence():
        return " ".join(chance.choices(words, k=chance.randint(4, 18))).capitalize() + "."

    return [" ".join(sentence() for _ in range(chance.randint(*sentences))) for _ in range(number)]


@settings(max_examples=150, deadline=None)
@given(anything, st.integers(8, 60), st.integers(1, 80))
@example("x" * 5000, 8, 3)
@example(" " * 5000, 8, 8)
@example("# a\n" * 400, 9, 9)
@example("```\n" + "code\n" * 300, 20, 20)
def test_pieces_within_the_limit_join_to_the_text(text, limit, target):
    pieces = split_text(text, limit, count, target=target)

    assert text == "".join(pieces)
    assert all(count(piece) <= limit for piece in pieces)
    assert all(pieces) or pieces == [""]


@settings(deadline=None)
@given(anything, st.integers(1, 40))
def test_every_kind_of_counter_is_served(text, limit):
    for counter in (len, lambda t: len(t.split()), lambda t: len(t.encode())):
        pieces = split_text(text, limit, counter)

        assert text == "".join(pieces)
        assert all(counter(piece) <= limit or len(piece) == 1 for piece in pieces)


@given(prose)
def test_a_text_that_fits_is_one_piece(text):
    assert [text] == split_text(text, max(count(text), 100), count)


@pytest.mark.parametrize("total", [20, 40, 80])
@pytest.mark.parametrize(("limit", "target"), [(512, 256), (256, 256), (128, 64)])
def test_pieces_of_prose_are_balanced_around_the_target(total, limit, target):
    text = "\n\n".join(paragraphs(total, seed=total))
    sizes = [count(piece) for piece in split_text(text, limit, count, target=target)]

    assert len(sizes) > 1
    assert target * 0.4 <= min(sizes)
    assert max(sizes) <= min(limit, target * 1.6)


def test_a_text_just_over_the_limit_gives_halves_and_no_crumb():
    text = " ".join(paragraphs(1, sentences=(24, 24)))
    sizes = [count(piece) for piece in split_text(text, count(text) - 1, count)]

    assert min(sizes) > max(sizes) * 0.6


def test_an_edit_leaves_most_other_pieces_as_they_were():
    kept = []
    for seed in range(12):
        before = paragraphs(40, seed=seed)
        after = [*before]
        if seed % 2:
            after.insert(seed * 2, paragraphs(1, seed=99)[0])
        else:
            del after[seed * 2]
        old, new = (set(split_text("\n\n".join(p), 256, count)) for p in (before, after))
        kept.append(len(old & new) / len(old))

    assert sum(kept) / len(kept) > 0.7  # 0.4 when a text is divided evenly


def test_prose_is_cut_after_sentences():
    text = " ".join(paragraphs(1, sentences=(200, 200)))

    assert all(p.rstrip().endswith(".") for p in split_text(text, 128, count, target=64))


def test_abbreviations_do_not_end_a_sentence():
    text = "Dr. Almeida saw Mrs. Costa at 9 a.m. about the ear. " * 40

    assert all(p.startswith("Dr. Almeida") for p in split_text(text, 100, count))


def test_chinese_is_cut_after_its_own_full_stops():
    pieces = split_text("我们下周一去海边散步。天气会很好吗。" * 60, 64, count)

    assert all(p[-1] == "。" for p in pieces)


@pytest.mark.parametrize(
    "heading", ["## Part {}\n\n", "Part {}\n-------\n", "=====\nPart {}\n=====\n"]
)
def test_headings_stay_with_what_follows(heading):
    parts = [heading.format(i) + p for i, p in enumerate(paragraphs(40, seed=3))]
    pieces = split_text("\n\n".join(parts), 128, count, target=64)

    assert len(pieces) > 3
    assert all(p.rstrip().endswith(".") for p in pieces), "a piece ends in a heading"


def test_code_blocks_are_kept_together_when_they_fit():
    code = "```python\n# not a heading\n\n" + "x = 1\n\n" * 20 + "```\n"
    text = "\n\n".join(p + "\n\n" + code for p in paragraphs(12, seed=4))
    pieces = split_text(text, 256, count, target=100)

    assert all(p.count("```") % 2 == 0 for p in pieces)


def test_a_code_block_that_does_not_fit_is_cut_between_lines():
    text = "```\n" + "".join(f"value_{i} = compute({i})\n" for i in range(300)) + "```\n"

    assert all(p.endswith("\n") for p in split_text(text, 64, count))


def test_the_counter_is_never_given_long_text():
    longest = 0

    def watched(text):
        nonlocal longest
        longest = max(longest, len(text))
        return count(text)

    split_text("a" * 300_000 + "\n" + "word " * 50_000, 512, watched)

    assert longest <= 16 * 512


@pytest.mark.slow
@pytest.mark.parametrize("letters", ["a", string.ascii_letters + string.digits])
def test_time_is_linear_in_a_line_without_spaces(letters):
    def elapsed(size):
        text = "".join(random.Random(1).choices(letters, k=size))  # noqa: S311
        start = time.perf_counter()
        split_text(text, 512, count)
        return time.perf_counter() - start

    elapsed(20_000)
    assert elapsed(2_000_000) < 40 * elapsed(200_000)


@pytest.mark.parametrize(("limit", "target"), [(0, 256), (256, 0), (-1, 1)])
def test_sizes_below_one_are_refused(limit, target):
    with pytest.raises(InputError, match="at least 1"):
        split_text("text", limit, count, target=target)
