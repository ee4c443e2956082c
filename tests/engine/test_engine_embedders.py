"""With an embedder, without one, with another: what recall says, and how a store moves."""

from datetime import timedelta
from functools import partial

import numpy as np
import pytest

from hippocampus import Config, Embedded, Fingerprint, Ingest, Turn
from hippocampus.errors import EmbedderMismatch, EncoderError, InputError
from hippocampus.testing import Fails, HashEmbedder, ScriptedEmbedder
from hippocampus.upkeep import reembed, reindex, verify

SMALL = Config(ingest=Ingest(seal_rows=16, batch=16))
COLOURS = ("red", "old", "big", "odd", "wet")
THINGS = "kettle violin garden ticket ladder parrot candle hammer pillow saddle".split()
TURNS = [
    Turn(
        text=f"Remark {n}: {COLOURS[n // 10]}{THINGS[n % 10]} and no other thing.",
        session=f"s{n // 10}",
        at=f"2025-03-{n % 28 + 1:02}",
    )
    for n in range(50)
]


def best(bank, words, **options):
    return bank.recall(words, k=1, **options)[0].text


# ---------------------------------------------------------------- without


def test_recall_says_that_it_goes_by_words_without_an_embedder(open_memory):
    bank = open_memory(embedder="none").bank("ada")
    bank.remember_many(TURNS)
    recall = bank.recall("the wethammer")

    assert "wethammer" in recall[0].text
    assert recall.found
    assert "embedder" == recall.degraded[0].part
    assert "embedder" in recall.explain()
    assert "lexical" in recall[0].shares
    of_meaning = {"vector", "tokens", "concept"}
    assert of_meaning.isdisjoint(set().union(*(hit.shares for hit in recall)))
    assert bank.stats().embedder is None
    assert "wethammer" in bank.context("the wethammer", 200).text


def test_asking_only_for_words_degrades_nothing(open_memory):
    bank = open_memory(embedder="none").bank("ada")
    bank.remember_many(TURNS)

    assert () == bank.recall("the wethammer", cues=["lexical", "time"]).degraded


def test_a_dimension_that_kernels_cannot_take_is_refused_with_the_rule_and_the_fix(open_memory):
    memory = open_memory(embedder=HashEmbedder(20))

    with pytest.raises(EncoderError, match=r"20 dimensions.* multiple of 8.* zeros up to 24"):
        memory.bank("ada").remember("I like the violin.")
    assert [] == memory.banks()


def test_an_explanation_calls_cues_by_the_words_that_people_read(open_memory):
    bank = open_memory(embedder=HashEmbedder()).bank("ada")
    bank.remember_many(TURNS)
    told = bank.recall("the wethammer").explain()

    assert "words " in told
    assert "phrasing " in told
    assert "lexical" not in told


def test_a_missing_default_model_degrades_while_saying_how_to_install_it(
    open_memory, monkeypatch, tmp_path
):
    for name in ("XDG_DATA_HOME", "HOME"):  # where Linux and where macOS looks for data
        monkeypatch.setenv(name, str(tmp_path / "no models here"))
    bank = open_memory(embedder="default").bank("ada")
    with pytest.warns(RuntimeWarning, match="no vectors.*'hippocampus models install'"):
        bank.remember_many(TURNS[:5])
    bank.remember("Once is enough to be told.")
    recall = bank.recall("redviolin")

    assert "redviolin" in recall[0].text
    assert "went on without the embedder" in repr(recall)
    assert "hippocampus models install" in recall.degraded[0].reason


def test_an_embedder_that_fails_on_a_question_degrades(open_memory):
    bank = open_memory(embedder=ScriptedEmbedder(on_query=Fails())).bank("ada")
    bank.remember_many(TURNS)
    recall = bank.recall("the wethammer")

    assert "wethammer" in recall[0].text
    assert "does not answer" in recall.degraded[0].reason


def test_an_embedder_that_fails_on_a_passage_stores_nothing(open_memory):
    memory = open_memory(embedder=ScriptedEmbedder(on_passages=Fails()))
    with pytest.raises(EncoderError, match="does not answer"):
        memory.bank("ada").remember("The key is here.")
    assert [] == memory.bank("ada").episodes()
    assert () == verify(memory).problems


@pytest.mark.parametrize("cues", [["time"], ["vector"], ["tokens"], ["tokens", "vector", "time"]])
@pytest.mark.parametrize("question", ["the key", "???", "key yesterday"])
def test_cues_that_give_no_hold_still_answer(open_memory, cues, question):
    for embedder in ("none", "hash"):
        bank = open_memory(f"{embedder}.db", embedder=embedder).bank("ada")
        bank.remember_many(TURNS[:3])
        recall = bank.recall(question, cues=cues)
        assert len(recall) <= 3
        assert all(0 <= hit.score <= 1 for hit in recall)


@pytest.mark.parametrize("question", ["???", "…", "the of and", "🎻", "\0"])
def test_a_question_without_words_is_answered(open_memory, question):
    for embedder in ("none", "hash"):
        bank = open_memory(f"{embedder}.db", embedder=embedder).bank("ada")
        bank.remember_many(TURNS[:3])
        assert len(bank.recall(question)) <= 3
        assert bank.context(question, 500).tokens <= 500


def test_what_was_stored_without_an_embedder_is_found_by_one_after_a_rebuild(
    open_memory,
):
    memory = open_memory(embedder="none", config=SMALL)
    memory.bank("ada").remember_many(TURNS[:20])
    memory.close()
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    bank.remember_many(TURNS[20:])

    assert {t.text for t in TURNS} == {hit.text for hit in bank.recall("the redviolin", k=99)}
    assert "redviolin" in best(bank, "the redviolin", cues=["lexical"])
    assert "redviolin" not in best(bank, "redviolin", cues=["vector"])
    memory.rebuild()
    assert "redviolin" in best(bank, "redviolin", cues=["vector"])
    assert () == verify(memory).problems


# ---------------------------------------------------------------- with another


def test_another_embedder_is_refused_with_the_fix(open_memory):
    open_memory().bank("ada").remember("The key is here.")
    with pytest.raises(EmbedderMismatch, match="reembed") as caught:
        open_memory(embedder="hash:64")
    assert "256" in caught.value.stored
    assert "64" in caught.value.configured
    assert open_memory(embedder="none").bank("ada").recall("key")
    assert open_memory().bank("ada").recall("key")


def test_two_memories_that_opened_a_new_store_with_two_embedders_do_not_mix_vectors(open_memory):
    one, two = open_memory(), open_memory(embedder="hash:64")
    one.bank("ada").remember("The key is here.")
    with pytest.raises(EmbedderMismatch):
        two.bank("ada").remember("The door is there.")
    with pytest.raises(EmbedderMismatch):
        two.bank("ada").recall("key")

    assert ["The key is here."] == [e.text for e in one.bank("ada").episodes()]
    assert () == verify(one).problems


def test_a_memory_notices_that_the_store_moved_to_another_embedder(open_memory):
    here, there = open_memory(), open_memory()
    here.bank("ada").remember_many(TURNS)
    there.bank("ada").recall("redviolin")
    here.rebuild(embedder=HashEmbedder(64))

    assert "redviolin" in best(here.bank("ada"), "redviolin", cues=["vector"])
    here.bank("ada").remember("One more.")
    for call in (there.bank("ada").recall, there.bank("ada").remember):
        with pytest.raises(EmbedderMismatch):
            call("redviolin and more")
    assert () == verify(here).problems


@pytest.mark.parametrize("meanwhile", [False, True])
def test_a_rebuild_moves_no_store_back_to_the_embedder_it_had(open_memory, meanwhile):
    here, there = open_memory(config=SMALL), open_memory(config=SMALL)
    here.bank("ada").remember_many(TURNS)

    def move(done, _of):
        if done == 16:
            here.rebuild(embedder=HashEmbedder(64))

    if not meanwhile:
        move(16, 16)
    with pytest.raises(EmbedderMismatch, match=r"hash.*64.* but .*hash.*256.*reembed"):
        there.rebuild(progress=move if meanwhile else None)
    assert HashEmbedder(64).fingerprint == here.engine.stored_fingerprint()
    assert () == verify(here).problems
    there.rebuild(embedder=HashEmbedder())  # who names one moves the store to it
    assert () == verify(there).problems


@pytest.mark.parametrize("dimension", [64, 384])
def test_a_store_moves_to_another_embedder_in_place(open_memory, path, dimension):
    memory = open_memory(config=SMALL)
    memory.bank("ada").remember_many(TURNS)
    memory.bank("tom").remember_many(TURNS[:3])
    texts = memory.bank("ada").episodes()
    memory.close()
    seen = []
    done = reembed(path, f"hash:{dimension}", progress=lambda *step: seen.append(step))

    assert {"ada": 50, "tom": 3} == done
    assert (50, 50) in seen
    assert (3, 3) in seen
    moved = open_memory(embedder=f"hash:{dimension}", config=SMALL)
    assert texts == moved.bank("ada").episodes()
    assert () == verify(moved).problems
    assert () == moved.bank("ada").recall("redviolin").degraded
    for word in ("redviolin", "wetsaddle"):
        assert word in best(moved.bank("ada"), word, cues=["vector"])
        assert word in best(moved.bank("ada"), word, cues=["tokens"])


def test_old_answers_stay_until_a_move_that_was_interrupted_is_finished(open_memory):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    bank.remember_many(TURNS[:40])
    before = [(hit.id, hit.score) for hit in bank.recall("redviolin ladder", k=40)]
    target = ScriptedEmbedder(64)

    class Stop(Exception):
        pass

    def stop_at(mark):
        def progress(done, total):
            if 0 < mark <= done < total:
                raise Stop

        return progress

    for mark in (16, 32):
        with pytest.raises(Stop):
            memory.rebuild(embedder=target, progress=stop_at(mark))
        assert before == [(hit.id, hit.score) for hit in bank.recall("redviolin ladder", k=40)]
        assert () == verify(memory).problems
    assert 32 == target.passages
    bank.remember_many(TURNS[40:])  # what is written meanwhile moves too
    gone = bank.episodes()[3]
    bank.forget(gone.id, erase=True)
    assert {"ada": 49} == memory.rebuild(embedder=target)
    assert target.passages < 32 + 18 + 16 + 1, "it went on where it was"
    assert HashEmbedder(64).fingerprint == memory.engine.stored_fingerprint()
    assert "wetsaddle" in best(bank, "wetsaddle", cues=["vector"])
    assert () == verify(memory).problems
    assert () == open_memory(embedder="hash:64").bank("ada").recall("wetsaddle").degraded


def test_an_interrupted_move_to_one_embedder_is_dropped_by_a_move_to_another(open_memory):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    bank.remember_many(TURNS)

    def stop(done, total):
        if 0 < done < total:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        memory.rebuild(embedder=HashEmbedder(64), progress=stop)
    memory.rebuild(embedder=HashEmbedder(128))

    assert "redviolin" in best(bank, "redviolin", cues=["vector"])
    assert 128 == memory.engine.fingerprint().dimension
    assert () == verify(memory).problems


def test_a_part_of_the_banks_cannot_move_alone(open_memory):
    memory = open_memory()
    for name in ("ada", "tom"):
        memory.bank(name).remember("The key is here.")
    with pytest.raises(InputError, match="one embedder"):
        memory.rebuild(banks=["ada"], embedder=HashEmbedder(64))
    assert {"tom": 1} == reindex(memory, bank="tom")


def test_a_move_that_another_rebuild_ended_begins_again_and_keeps_nobody_waiting(open_memory):
    memory = open_memory(config=SMALL)
    memory.bank("ada").remember_many(TURNS)
    asked_in = []
    embedder = ScriptedEmbedder(
        64, on_passages=lambda _: asked_in.append(memory.engine.store.transactions.writing)
    )
    others = [memory.rebuild]

    def another_comes_between(done, _):
        if others and done > 20:
            others.pop()()

    assert {"ada": 50} == memory.rebuild(embedder=embedder, progress=another_comes_between)
    assert not any(asked_in)
    assert embedder.passages > 50
    assert () == verify(memory).problems


def test_reembedding_with_no_embedder_is_refused(path, open_memory):
    open_memory().bank("ada").remember("The key is here.")
    with pytest.raises(InputError, match="embedder"):
        reembed(path, "none")


# ---------------------------------------------------------------- rebuilt


def test_a_rebuild_changes_no_answer(open_memory, clock):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    kept = bank.remember_many(TURNS)
    bank.forget([e.id for e in kept[5:8]])
    bank.correct(kept[0].id, "Remark 0: a silvery kettle.")

    def answers():
        return [
            [(hit.id, hit.score, hit.shares) for hit in bank.recall(q, k=60)]
            for q in ("silvery kettle", "oldcandle", "remark 7")
        ], bank.episodes()

    before = answers()
    clock.advance(timedelta(days=1))
    assert {"ada": 47} == memory.rebuild()
    assert before == answers()
    memory.close()
    bank = open_memory(config=SMALL).bank("ada")
    assert before == answers()


@pytest.mark.parametrize("kind", ["vector", "tokens", "lexical"])
def test_a_damaged_block_is_reported_until_a_rebuild_repairs_it(open_memory, kind):
    memory = open_memory(config=SMALL)
    memory.bank("ada").remember_many(TURNS)
    number = memory.engine.store.banks.number("ada")
    with memory.engine.store.write():
        memory.engine.store.transactions._writing().execute(
            "UPDATE blocks SET payload = zeroblob(length(payload))"
            " WHERE bank = ? AND kind = ? AND first = 16",
            (number, kind),
        )
    memory.close()
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    degraded = bank.recall("redviolin").degraded
    assert any(f"the {kind} block of rows 16" in one.reason for one in degraded)
    assert any(kind in problem for problem in verify(memory).problems)
    assert {"ada": 50} == reindex(memory)
    assert "redviolin" in best(bank, "redviolin")
    assert () == verify(memory).problems
    assert "store" not in {one.part for one in bank.recall("redviolin").degraded}


def test_recall_is_the_same_from_the_tail_and_from_sealed_blocks(open_memory):
    whole = open_memory("tail.db").bank("ada")
    sealed = open_memory("sealed.db", config=Config(ingest=Ingest(seal_rows=3, batch=7))).bank(
        "ada"
    )
    whole.remember_many(TURNS)
    sealed.remember_many(TURNS)
    again = open_memory("sealed.db").bank("ada")
    for question in ("redviolin", "remark 33", "wet pillow"):
        expected = [(hit.id, hit.score) for hit in whole.recall(question, k=50)]
        for bank in (sealed, again):
            assert expected == [(hit.id, hit.score) for hit in bank.recall(question, k=50)]


def test_a_reranker_orders_the_hits_unless_its_failure_degrades_the_recall(open_memory):
    class Longest:
        name = "longest"

        def rerank(self, query, texts):
            if "fail" in query:
                raise EncoderError(query)
            return np.array([len(text) for text in texts], np.float32)

    bank = open_memory(reranker=Longest()).bank("ada")
    for text in ("key", "key " * 9, "key " * 4):
        bank.remember(text, at="2025-03-02")
    hits = bank.recall("key")

    assert [9, 4, 1] == [hit.text.count("key") for hit in hits]
    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]
    assert ["reranker"] == [d.part for d in bank.recall("fail key").degraded]


def test_recall_says_how_many_episodes_no_embedder_has_seen(open_memory):
    with open_memory(embedder="none") as memory:
        memory.bank("ada").remember("The ferry leaves at nine.")
    with open_memory(embedder="hash") as memory:
        bank = memory.bank("ada")
        bank.remember("The train leaves at ten.")
        recall = bank.recall("ferry")

        assert ["vectors"] == [d.part for d in recall.degraded]
        assert recall.degraded[0].reason.startswith("1 of 2 episodes")

        memory.rebuild()

        assert () == bank.recall("ferry").degraded


# ---------------------------------------------------------------- made by callers


class Altered(HashEmbedder):
    """A hash embedder whose answers are altered, once it is told how."""

    alter = None

    def embed(self, passages):
        made = super().embed(passages)
        return made if self.alter is None else self.alter(made)

    def embed_query(self, text):
        made = super().embed_query(text)
        return made if self.alter is None else (self.alter([made]) or [None])[0]


def raising(error):
    def alter(_made):
        raise error

    return alter


def every(change):
    return lambda made: [change(one) for one in made]


@pytest.mark.parametrize(
    ("alter", "told"),
    [
        (raising(ConnectionError("the line is cut")), r"failed \(ConnectionError: the line is cut"),
        (raising(ValueError("no")), r"failed \(ValueError"),
        (lambda _made: None, "gave .*None"),
        (every(lambda one: one.vector), "gave an object of ndarray"),
        (every(lambda one: Embedded(one.vector.tolist())), "gave a vector of list"),
        (every(lambda one: Embedded(one.vector * np.nan)), "NaN"),
        (every(lambda one: Embedded(one.vector[:8])), r"shape \(8,\); its fingerprint says"),
        (every(lambda one: Embedded(one.vector * 3)), "length 3; divide it"),
        (every(lambda one: Embedded(one.vector, one.tokens[:, :8])), "token vectors of shape"),
    ],
)
def test_an_embedder_that_fails_in_any_way_stores_nothing_and_degrades(open_memory, alter, told):
    embedder = Altered()
    bank = open_memory(embedder=embedder).bank("ada")
    bank.remember("I like the violin.")
    embedder.alter = alter

    with pytest.raises(EncoderError, match=f"embedder hash .*{told}"):
        bank.remember("The kettle is red.")
    recall = bank.recall("Which violin do I like?")
    assert recall[0].text == "I like the violin."
    assert [(one.part, "embedder hash" in one.reason) for one in recall.degraded] == [
        ("embedder", True)
    ]
    assert bank.context("Which violin?").recall.degraded
    assert len(bank.episodes()) == 1


def test_too_few_vectors_are_refused_with_both_numbers(open_memory):
    embedder = Altered()
    embedder.alter = lambda made: made[:-1]

    with pytest.raises(EncoderError, match="gave 1 for 2 texts"):
        open_memory(embedder=embedder).bank("ada").remember_many(TURNS[:2])


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_what_ends_a_program_is_no_failure_of_an_embedder(open_memory, error):
    embedder = Altered()
    bank = open_memory(embedder=embedder).bank("ada")
    bank.remember("I like the violin.")
    embedder.alter = raising(error())

    with pytest.raises(error):
        bank.recall("Which violin?")


class Scores:
    """A reranker that gives what a function gives."""

    name = "scores"

    def __init__(self, give):
        self.give = give

    def rerank(self, _query, texts):
        return self.give(texts)


@pytest.mark.parametrize(
    "give",
    [
        raising(ConnectionError("the line is cut")),
        lambda _texts: None,
        lambda texts: [1.0] * (len(texts) - 1),
        lambda texts: [float("nan")] * len(texts),
        lambda texts: ["good"] * len(texts),
        lambda texts: [[1.0, 2.0]] * len(texts),
    ],
)
def test_a_reranker_that_fails_in_any_way_loses_no_hit(open_memory, give):
    texts = ["The violin is red.", "The violin is old and dear.", "My violin."]
    kept = [open_memory(p, embedder="hash", reranker=r).bank("ada")
            for p, r in ((":memory:", None), (":memory:", Scores(give)))]  # fmt: skip
    for bank in kept:
        bank.remember_many([Turn(text=text) for text in texts])
    usual, found = (bank.recall("Which violin?") for bank in kept)

    assert [hit.text for hit in found] == [hit.text for hit in usual]
    (lack,) = found.degraded
    assert lack.part == "reranker"
    assert "the reranker scores" in lack.reason


def test_a_reranker_may_give_a_list(open_memory):
    reranker = Scores(lambda texts: [len(text) for text in texts])
    bank = open_memory(embedder="hash", reranker=reranker).bank("ada")
    bank.remember_many([Turn(text="A violin."), Turn(text="A violin that is longer.")])
    found = bank.recall("violin")

    assert [hit.text for hit in found] == ["A violin that is longer.", "A violin."]
    assert found.degraded == ()


# ---------------------------------------------------------------- a function as embedder


def letters(texts):
    return [[text.lower().count(one) for one in "aeioulmnrs"] for text in texts]


def test_a_function_of_texts_is_an_embedder(open_memory):
    bank = open_memory(embedder=letters).bank("ada")
    bank.remember("A moose moans.")
    bank.remember("I like the violin.")

    found = bank.recall("oooo mmm", cues=["vector"])
    assert (found[0].text, found.degraded) == ("A moose moans.", ())
    assert bank.stats().embedder.startswith("function:letters (16 dimensions")

    def other(texts):
        return np.array(letters(texts))

    with pytest.raises(EmbedderMismatch, match="function:letters"):
        open_memory(embedder=other)


class Called:
    def __call__(self, texts):
        return letters(texts)


@pytest.mark.parametrize(
    "nameless", [lambda texts: np.array(letters(texts)), partial(letters), Called()]
)
def test_an_embedder_without_a_name_of_its_own_is_refused(open_memory, path, nameless):
    with pytest.raises(InputError, match="has no name of its own"):
        open_memory(embedder=nameless)
    assert not path.exists()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ([[1.0, 2.0], [1.0]], "expected a list of numbers per text"),
        ([["a", "b"]], "expected a list of numbers per text"),
        ([1.0, 2.0], "expected one vector per text"),
        ([[1.0, 2.0], [1.0, 2.0]], "gave 2 vectors for 1 texts"),
        ([[0.0, 0.0]], "must be finite and not zero"),
        (None, "expected one vector per text"),
    ],
)
def test_a_function_that_gives_no_vectors_is_told_what_was_expected(open_memory, answer, told):
    def gives(_texts):
        return answer

    with pytest.raises(EncoderError, match=f"function:.*gives.*{told}"):
        open_memory(embedder=gives)


class Unnamed(HashEmbedder):
    fingerprint = "mine"


class Half:
    fingerprint = Fingerprint(name="half", weights="0", dimension=8)

    def embed(self, passages):
        return passages


@pytest.mark.parametrize(
    ("part", "rule"),
    [
        ({"embedder": 5}, "embedder=5: must be a specification"),
        ({"embedder": HashEmbedder}, "it is a class"),
        ({"embedder": Half()}, "it lacks embed_query"),
        ({"embedder": Unnamed()}, r"fingerprint is 'mine'; must be a hippocampus\.Fingerprint"),
        ({"reranker": 5}, "reranker=5: must be a specification"),
        ({"clock": 5}, r"clock=5: must be an object whose now\(\)"),
        ({"keywords": 5}, "keywords=5: must be a function"),
        ({"model": 5}, "model=5: must be a specification"),
        ({"config": "x"}, "config='x': must be a Config"),
        ({"config": {}}, "config={}: must be a Config"),
    ],
)
def test_a_part_of_another_kind_is_refused_with_what_it_must_be(open_memory, path, part, rule):
    with pytest.raises(InputError, match=rule):
        open_memory(**part)
    assert not path.exists()
