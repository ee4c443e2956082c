import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus.core.budget import Budget
from hippocampus.core.records import Passage
from hippocampus.encode.embed import load_embedder
from hippocampus.encode.minilm import WINDOW, MiniLmEmbedder
from hippocampus.encode.model_files import installed
from hippocampus.errors import Cancelled, EncoderError, InvalidText

REPOSITORY = Path(__file__).parents[2]
REFERENCE = REPOSITORY.parent / "shared" / "data" / "minilm_reference.json"

pytestmark = pytest.mark.skipif(
    installed() is None, reason="the model is not installed: hippocampus models install"
)

TURNS = [
    "I'm moving to Lisbon in March.",
    "Oh nice! What will you do there?",
    "A friend of mine, João, opens a bakery 🥐 and I'll help him.",
    "Yes.",
    "And the dog? You know that he hates the heat, and that flat of yours is on the fifth floor.",
    "He comes too, of course.",
]


@pytest.fixture(scope="module")
def minilm():
    return load_embedder("minilm")


def words(count, start=0):
    return " ".join(f"thing {number} is" for number in range(start, start + count))


def test_vectors_are_those_of_the_published_model_but_for_rounding(minilm):
    if not REFERENCE.exists():
        pytest.skip("the reference vectors are not on this machine")
    reference = json.loads(REFERENCE.read_text())
    made = minilm.embed([Passage(text) for text in reference["texts"]])

    cosines = (np.array(reference["vectors"]) * [m.vector for m in made]).sum(axis=1)
    assert cosines.mean() > 0.9993
    assert cosines.min() > 0.998


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["", "Where do you live?"]))
def test_any_text_gets_unit_vectors_and_spans_that_lie_in_it(minilm, text, before):
    (made,) = minilm.embed([Passage(text, before=before)])

    assert np.linalg.norm(made.vector) == pytest.approx(1, abs=1e-5)
    assert np.allclose(1, np.linalg.norm(made.tokens, axis=1), atol=1e-5)
    assert (len(made.tokens), 2) == made.spans.shape
    starts, ends = made.spans.T
    assert np.all((starts >= 0) & (starts < ends) & (ends <= len(text)))


def test_a_token_knows_the_letters_it_covers(minilm):
    text = "João's croissants, in Tōkyō"
    spans = minilm.embed_query(text).spans

    covered = [text[start:end] for start, end in spans]
    assert "".join(covered) == text.replace(" ", "")
    assert {"João", "'", ",", "in"} <= set(covered)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_a_passage_has_one_vector_whatever_else_is_in_the_batch(minilm, seed):
    passages = [
        Passage(text, before=before, after=after)
        for before, text, after in zip(["", *TURNS], TURNS, [*TURNS[1:], ""], strict=False)
    ] + [Passage(words(150))]
    order = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(passages)), 3))
    alone = [minilm.embed([passage])[0] for passage in passages]
    batch = minilm.embed([passages[place] for place in order])

    for place, made in zip(order, batch, strict=True):
        assert np.array_equal(alone[place].vector, made.vector)
        assert np.array_equal(alone[place].tokens, made.tokens)
        assert np.array_equal(alone[place].spans, made.spans)


def test_passages_and_questions_that_go_together_come_out_as_they_would_alone(minilm):
    passages = [Passage(text, before=before) for before, text in zip(["", *TURNS], TURNS)]  # noqa: B905
    asked = ["Where does the dog sleep?", TURNS[0], words(40)]
    made, questions = minilm.embed_together(passages, asked)

    alone = [minilm.embed([passage])[0] for passage in passages]
    alone += [minilm.embed_query(text) for text in asked]
    for one, own in zip([*made, *questions], alone, strict=True):
        assert np.array_equal(own.vector, one.vector)
        assert np.array_equal(own.tokens, one.tokens)
        assert np.array_equal(own.spans, one.spans)


def test_neighbours_colour_a_passage_without_adding_anything_to_it(minilm):
    text = "He comes too, of course."
    bare = minilm.embed_query(text)
    (coloured,) = minilm.embed([Passage(text, before="And the dog?", after="Good boy!")])

    assert bare.tokens.shape == coloured.tokens.shape
    assert np.array_equal(bare.spans, coloured.spans)
    dog = minilm.embed_query("the dog").vector
    assert coloured.vector @ dog > bare.vector @ dog + 0.05


def test_blank_neighbours_are_none(minilm):
    (made,) = minilm.embed([Passage("Yes.", before=" \n", after="\t")])

    assert np.array_equal(minilm.embed_query("Yes.").vector, made.vector)


@settings(max_examples=30, deadline=None)
@given(*[st.integers(0, 300)] * 3)
def test_a_pass_holds_the_nearest_neighbours_that_fit(minilm, before, own, after):
    texts = words(before), words(own, 1000), words(after, 2000)
    ids = [minilm._pieces(text).ids for text in texts]
    passage = Passage(texts[1], before=texts[0], after=texts[2])
    first, last = minilm._opening, minilm._closing
    jobs = list(minilm._jobs(0, passage, ids[1], first))

    assert ids[1] == [piece for job in jobs for piece in job.ids[job.start : job.end]]
    assert max(1, -(-len(ids[1]) // WINDOW)) == len(jobs)
    for job in jobs:
        assert (*first, *last) == (job.ids[0], job.ids[-1])
        assert len(job.ids) <= WINDOW + 2
    if ids[1] and len(jobs) == 1:
        left, right = jobs[0].start - 1, len(jobs[0].ids) - 1 - jobs[0].end
        assert ids[0][len(ids[0]) - left :] == jobs[0].ids[1 : jobs[0].start]
        assert ids[2][:right] == jobs[0].ids[jobs[0].end : -1]
        room = WINDOW - len(ids[1])
        assert min(room, len(ids[0]) + len(ids[2])) == left + right
        assert left >= min(len(ids[0]), room // 2)
        assert right >= min(len(ids[2]), room // 2)


def test_a_text_longer_than_a_window_keeps_every_token(minilm):
    text = words(400)
    made = minilm.embed_query(text)

    assert len(made.tokens) > 4 * WINDOW
    assert text.replace(" ", "") == "".join(text[start:end] for start, end in made.spans)
    part = minilm.embed_query(words(60)).vector
    assert made.vector @ part > 0.7


def test_text_that_looks_like_a_control_token_is_text(minilm):
    made = minilm.embed_query("[SEP] hello [CLS]")

    assert len(made.tokens) > 3
    assert not np.allclose(minilm.embed_query("hello").vector, made.vector, atol=0.01)


def test_text_without_a_single_piece_still_has_a_vector(minilm):
    for text in ("", " ", "\x00"):
        (made,) = minilm.embed([Passage(text, before="hello", after="world")])
        assert made.tokens.shape == (0, 384)
        assert np.array_equal(minilm.embed_query("").vector, made.vector)


def test_no_passages_give_no_vectors(minilm):
    assert minilm.embed([]) == []


def test_a_lone_surrogate_is_refused_by_name(minilm):
    with pytest.raises(InvalidText, match="surrogate"):
        minilm.embed_query("half \ud83d")


def test_threads_may_share_one_embedder(minilm):
    expected = [minilm.embed_query(text).vector for text in TURNS]
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(minilm.embed_query, TURNS * 5))

    for place, embedded in enumerate(made):
        assert np.array_equal(expected[place % len(TURNS)], embedded.vector)


def test_an_embedding_of_many_texts_ends_between_steps_once_called_off(minilm, monkeypatch):
    read, vectors_of_words = [], minilm._words

    def words_read(pieces):
        read.append(len(pieces))
        budget.cancel()
        return vectors_of_words(pieces)

    monkeypatch.setattr(minilm, "_words", words_read)
    with pytest.raises(Cancelled), Budget() as budget:
        minilm.embed([Passage(words(80, start)) for start in range(0, 4000, 80)])

    assert len(read) == 1
    assert read[0] < 2000, "a step is short, for others wait for its end"


def test_the_fingerprint_names_model_weights_and_dimensions(minilm):
    again = MiniLmEmbedder(installed(), threads=1).fingerprint

    assert again == minilm.fingerprint
    assert (again.name, again.dimension, again.token_dimension) == ("all-MiniLM-L6-v2", 384, 384)


def test_a_folder_with_other_files_is_refused(tmp_path):
    with pytest.raises(EncoderError, match="not a model folder"):
        MiniLmEmbedder(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(EncoderError, match="altered"):
        MiniLmEmbedder(tmp_path)


def test_weights_of_which_one_bit_is_other_embed_nothing(tmp_path):
    folder = shutil.copytree(installed(), tmp_path / "model")
    with (folder / "model.safetensors").open("r+b") as weights:
        weights.seek(60_000_000)
        byte = weights.read(1)[0]
        weights.seek(60_000_000)
        weights.write(bytes([byte ^ 1]))
    with pytest.raises(EncoderError, match="altered"):
        MiniLmEmbedder(folder)


def test_a_model_that_is_cut_short_while_in_use_is_an_error_and_not_a_crash(tmp_path):
    folder = shutil.copytree(installed(), tmp_path / "model")
    embedder = MiniLmEmbedder(folder)
    embedder.embed_query("before")
    os.truncate(folder / "model.safetensors", 1000)

    with pytest.raises(EncoderError, match="altered while it was in use"):
        embedder.embed_query("after")
