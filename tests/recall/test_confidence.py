"""What is said about how sure recall is: by each hit, by all of them, and by "nothing"."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hippocampus import Turn
from hippocampus.encode.signature import rotation_for
from hippocampus.recall.confidence import DEPTH, MODELS, confidence
from hippocampus.recall.evidence import evidence
from hippocampus.recall.parse import bind, parse

SAID = [
    ("Ann", "I adopted a beagle called Pickle last week."),
    ("Ben", "Congratulations! I only have a cactus."),
    ("Ann", "We are off to Lisbon in May, by night train."),
    ("Ben", "I broke my ankle while ice skating."),
    ("Ann", "Oh no, get well soon!"),
    ("Ben", "The cactus is flowering, by the way."),
    (None, "Minutes: the boiler is serviced every October."),
    *(("Ann" if n % 2 else "Ben", f"Small talk number {n}, of no weight.") for n in range(12)),
]
ANSWERED = [
    "What is Ann's beagle called?",
    "Where does Ann go by night train?",
    "Did Ben break an ankle while ice skating?",
    "When is the boiler serviced?",
]
NEVER_SAID = [
    "Which opera did Ann see in Vienna?",
    "Which torpedo sank the battleship?",
    "What does Ben's lawyer charge?",
]


@pytest.fixture(params=["hash", "none"])
def bank(request, open_memory):
    """Return a bank of a short talk, once with an embedder and once without."""
    bank = open_memory(embedder=request.param).bank("ada")
    bank.remember_many(
        Turn(text=text, speaker=speaker, at=f"2025-03-{day:02}", session=f"s{day % 3}")
        for day, (speaker, text) in enumerate(SAID, 1)
    )
    return bank


# ---------------------------------------------------------------- what is found


@pytest.mark.parametrize("question", ANSWERED)
def test_what_was_said_is_found(bank, question):
    assert bank.recall(question).found


@pytest.mark.parametrize("question", NEVER_SAID)
def test_what_was_never_said_is_not_found_though_there_are_hits(bank, question):
    recall = bank.recall(question)

    assert recall.hits
    assert not recall.found


def test_what_the_other_person_did_is_less_sure_than_what_one_did_oneself(bank):
    own = bank.recall("Did Ben break an ankle while ice skating?")
    others = bank.recall("Did Ann break an ankle while ice skating?")

    assert own.confidence > others.confidence + 0.1


def test_what_another_tells_of_more_than_once_is_not_found_of_the_one_asked_about(open_memory):
    bank = open_memory(embedder="hash").bank("ada")
    bank.remember_many(
        Turn(text=text, speaker=speaker, at=f"2025-03-{day:02}")
        for day, (speaker, text) in enumerate([
            ("Ben", "I glazed my first pottery bowl in the workshop."),
            ("Ann", "A pottery bowl, well done!"),
            ("Ben", "The glaze of the bowl ran, the workshop laughed."),
            ("Ann", "I was at the workshop of a violin maker once."),
        ], 1)
    )  # fmt: skip
    ben, ann = (bank.recall(f"Which pottery bowl did {who} glaze?") for who in ("Ben", "Ann"))

    assert ben.confidence > ann.confidence + 0.3
    assert [hit.text for hit in ben][:1] == [hit.text for hit in ann if "first" in hit.text]


def test_a_note_that_nobody_speaks_counts_for_whoever_is_asked_about(bank):
    assert bank.recall("When is Ben's boiler serviced?").found


def test_questions_that_are_nothing_but_a_name_or_signs_have_an_answer_or_none(bank):
    for question in ("Ann", "Ann?", "?!", "who is it", "Ann and Ben", "\0"):
        recall = bank.recall(question, k=len(SAID))
        assert 0 <= recall.confidence <= 1
        assert len(SAID) == len(recall)
        assert all(0 <= hit.score <= 1 for hit in recall)


# ---------------------------------------------------------------- what a score means


@pytest.mark.parametrize("question", ANSWERED + NEVER_SAID)
def test_scores_and_confidence_do_not_depend_on_how_many_hits_are_asked_for(bank, question):
    full = bank.recall(question, k=len(SAID))

    for k in (0, 1, DEPTH, DEPTH + 3):
        recall = bank.recall(question, k=k)
        assert full.found == recall.found
        assert full.confidence == pytest.approx(recall.confidence, abs=1e-6)
        assert [hit.score for hit in full[:k]] == pytest.approx(
            [hit.score for hit in recall], abs=1e-6
        )


@pytest.mark.parametrize("question", ANSWERED)
def test_a_filter_changes_confidence_only_where_it_drops_the_answer(bank, question):
    free = bank.recall(question)
    answer = free[0].episode

    within = bank.recall(question, session=answer.session)
    assert answer == within[0].episode
    assert within.found
    assert free.confidence == pytest.approx(within.confidence, abs=0.05)  # others are left out
    assert free[0].score == pytest.approx(within[0].score, abs=1e-6)
    others = [f"s{n}" for n in range(3) if f"s{n}" != answer.session]
    assert not bank.recall(question, session=others).found


def test_evidence_is_read_off_the_hit_alone(bank):
    index, embedder = bank.state.take().index, bank.state.engine.embedder
    rows = np.arange(len(SAID), dtype=np.uint32)
    for text in ANSWERED + NEVER_SAID:
        question = bind(
            parse(text, now=bank.state.engine.now(), cues=frozenset(bank.state.engine.cues)),
            embedded=embedder and embedder.embed_query(text),
            rotation=embedder and rotation_for(embedder.fingerprint),
            speakers=index.columns.speakers(),
        )
        together = evidence(index, question, rows)
        for row in rows:
            one = rows[row : row + 1]
            alone = evidence(index, question, one)
            assert alone.keys() == together.keys()
            for name, values in alone.items():
                assert values == pytest.approx(together[name][row : row + 1], abs=1e-5)


# ---------------------------------------------------------------- the models

KNOWN = {
    "matched": st.floats(-1, 1),
    "covered": st.floats(0, 1),
    "vector": st.floats(-1, 1),
    "missing": st.floats(0, 15),
    "absent": st.floats(0, 15),
    "other": st.sampled_from([0.0, 1.0]),
}


@st.composite
def judged(draw):
    """Draw a model, and evidence for some hits."""
    model = draw(st.sampled_from(MODELS))
    rows = draw(st.integers(1, 2 * DEPTH))
    return model, {
        name: draw(arrays(np.float32, rows, elements=KNOWN[name].map(np.float32)))
        for name in model.evidence
    }


@given(judged())
def test_scores_are_never_rising_probabilities_independent_of_what_follows(case):
    model, known = case
    rows = len(known[model.evidence[0]])
    every = confidence(known, rows, models=[model])

    assert (every.scores >= 0).all()
    assert (every.scores <= 1).all()
    assert (np.diff(every.scores) <= 0).all()
    assert every.found == (every.sure >= model.found)
    for short in range(min(rows, DEPTH), rows):
        first = {name: values[:short] for name, values in known.items()}
        fewer = confidence(first, short, models=[model])
        assert fewer.sure == every.sure
        assert fewer.scores.tolist() == every.scores[:short].tolist()


@given(judged(), st.data())
def test_more_that_speaks_for_a_hit_never_makes_it_less_sure(case, data):
    model, known = case
    rows = len(known[model.evidence[0]])
    row = data.draw(st.integers(0, rows - 1))
    better = {name: values.copy() for name, values in known.items()}
    for name, values in better.items():
        values[row] += -0.5 if name in {"missing", "absent", "other"} else 0.5
    before, after = (confidence(e, rows, models=[model]) for e in (known, better))

    assert after.sure >= before.sure
    assert (after.scores >= before.scores).all()


def test_the_richest_model_whose_evidence_is_there_is_used():
    known = {"matched": [0.9], "missing": [0.1], "other": [0.0], "covered": [0.0], "absent": [9.0]}
    arrays_ = {name: np.array(values, np.float32) for name, values in known.items()}

    assert confidence(arrays_, 1) == confidence(arrays_, 1, models=MODELS[1:2])
    assert confidence({"other": np.zeros(3, np.float32)}, 3).scores.tolist() == [0, 0, 0]
    assert not confidence({"other": np.zeros(3, np.float32)}, 3).found
    assert not confidence({}, 0).found
