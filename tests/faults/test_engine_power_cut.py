"""The power fails: of what was not synced anything may be gone, torn, or there before the rest."""

import pytest
from campaign import OF_EMBEDDERS, SECRET, VERBS
from disk import Surviving, rng_of
from power_cut import SHARES, record, scenario, tried, wrong_of

CUTS = 160
"""Steps of a life that the power fails at here, each in three ways; ``campaign.py`` tries all."""


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    return record(tmp_path_factory.mktemp("disk"), scenario())


@pytest.mark.slow
def test_what_was_acknowledged_is_there_wherever_the_power_fails(life, tmp_path):
    places = set(rng_of("cuts").sample(range(len(life.steps)), CUTS))
    met = list(tried(life, tmp_path, places, embedder="hash"))

    assert len(met) > 2.5 * CUTS
    assert [] == [(place, share, verb, wrong) for place, share, verb, wrong in met if wrong][:5]


@pytest.mark.slow
def test_the_power_fails_between_two_writes_of_an_erasure_that_zeroes_in_place(life, tmp_path):
    place = life.verbs.index("forget, erasing")
    marks = [at for at, step in enumerate(life.steps) if step.kind == "M"]
    whole = next(f for f, name in life.names.items() if name == "memory.db")
    zeroed = [
        at
        for at in range(marks[place - 1], marks[place])
        if life.steps[at].kind == "W"
        and life.steps[at].file == whole
        and not any(life.steps[at].data)
    ]
    met = list(tried(life, tmp_path, set(zeroed), embedder="hash"))

    assert len(met) == len(SHARES) * len(zeroed) > 5
    assert {"forget, erasing"} == {verb for _, _, verb, _ in met}
    assert [] == [one for one in met if one[3]][:5]


@pytest.mark.slow
def test_the_record_of_a_life_with_its_syncs_makes_the_same_file(life, tmp_path):
    disk = Surviving()
    whole = next(f for f, name in life.names.items() if name == "memory.db")
    disk.durable[whole] = bytearray(life.begun)
    for step in life.steps:
        disk.take(step)
    files = {life.names[f]: data for f, data in disk.after_a_cut(rng_of(0), 1.0).items()}
    last = life.states[-1]

    assert set(VERBS) | set(OF_EMBEDDERS) == set(life.verbs)
    assert {"O", "W", "S", "M"} <= {step.kind for step in life.steps}
    assert [] == list(wrong_of(files, tmp_path / "end", last, last, embedder="hash"))
    files = {name: data for name, data in files.items() if name.startswith("memory.db")}
    assert SECRET.encode() not in b"".join(files.values()), "it was erased"
