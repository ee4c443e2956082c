"""The power fails: of what was not synced anything may be gone, torn, or there before the rest."""

import pytest
from campaign import SECRET, VERBS, make, opened, state_of
from disk import Surviving, faulty_disk, rng_of, steps_of

from hippocampus.upkeep import verify

SCENARIO = (
    "open", "remember", "remember_many", "correct", "pin", "forget", "sleep", "restore", "erase",
    "remember in a new bank", "set_policy", "compact", "delete_bank", "reindex", "curate",
    "set_profile",
)  # fmt: skip


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Return the record of a life, the state after each verb of it, and the file it began with."""
    folder = tmp_path_factory.mktemp("disk")
    path, record = folder / "memory.db", folder.with_name("record")
    make(path)
    begun = path.read_bytes()
    with faulty_disk(folder) as disk:
        disk.trace(record)
        with opened(path, later=True) as memory:
            states = []
            for number, verb in enumerate(SCENARIO):
                if verb != "open":
                    VERBS[verb](memory)
                disk.mark(number)
                states.append(state_of(memory))
        disk.trace(None)
        steps = steps_of(record)
        names = {step.file: disk.name(step.file) for step in steps if step.kind != "M"}
    return steps, {file: name.rpartition("/")[2] for file, name in names.items()}, states, begun


def images(recorded, cuts, shares):
    """Yield (step, verbs acknowledged, files) of power cuts at some steps of a life."""
    steps, names, _, begun = recorded
    disk, done = Surviving(), -1
    disk.durable[next(f for f, name in names.items() if name == "memory.db")] = bytearray(begun)
    for place, step in enumerate(steps):
        disk.take(step)
        if step.kind == "M":
            done = step.at
        elif place in cuts:
            for share in shares:
                found = disk.after_a_cut(rng_of(place, share), share)
                yield place, done, {names[file]: data for file, data in found.items()}


def wrong_of(files, folder, before, after):
    """Return what is wrong with a store as a power cut left it."""
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with opened(folder / "memory.db", later=True) as memory:
        found = state_of(memory)
        for key in found.keys() | before.keys() | after.keys():
            if found.get(key) not in (before.get(key), after.get(key)):
                yield f"{key}: {found.get(key)}, not {before.get(key)} nor {after.get(key)}"
        yield from verify(memory).problems


@pytest.mark.slow
def test_what_was_acknowledged_is_there_wherever_the_power_fails(recorded, tmp_path):
    steps, _, states, _ = recorded
    rng, wrong, tried = rng_of("cuts"), [], 0
    cuts = set(rng.sample(range(len(steps)), 160))
    for place, done, files in images(recorded, cuts, (0.0, 0.5, 1.0)):
        before, after = states[max(done, 0)], states[min(done + 1, len(states) - 1)]
        tried += 1
        found = wrong_of(files, tmp_path / str(tried), before, after)
        wrong += [(place, SCENARIO[min(done + 1, len(states) - 1)], what) for what in found]
    assert tried > 400
    assert [] == wrong[:5]


def test_a_life_syncs_what_it_writes_and_its_record_makes_the_same_file(recorded, tmp_path):
    steps, names, states, begun = recorded
    disk = Surviving()
    disk.durable[next(f for f, name in names.items() if name == "memory.db")] = bytearray(begun)
    for step in steps:
        disk.take(step)
    files = {names[f]: data for f, data in disk.after_a_cut(rng_of(0), 1.0).items()}

    assert {"O", "W", "S", "M"} <= {step.kind for step in steps}
    assert [] == list(wrong_of(files, tmp_path / "end", states[-1], states[-1]))
    assert SECRET.encode() not in b"".join(files.values()), "it was erased"
