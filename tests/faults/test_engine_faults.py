"""Disks fail and processes die at any operation of any verb: nothing acknowledged is lost."""

import pytest
from campaign import (
    KEY,
    KILLED,
    NO_VERBS,
    OF_EMBEDDERS,
    OF_KEYS,
    VERBS,
    WAYS,
    Case,
    make,
    opened,
    sweep,
)
from disk import EVERY, OPERATIONS, faulty_disk

from hippocampus import Memory
from hippocampus.bank import Bank
from hippocampus.errors import HippocampusError
from hippocampus.upkeep import verify

STEP = 41
"""Of so many operations one is tried here, another one for each way; ``campaign.py`` tries all."""
FEW = {"banks", "policy", "position", "redate"}
"""Verbs of few operations."""


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    path = tmp_path_factory.mktemp("template") / "template.db"
    make(path)
    return path


@pytest.fixture(scope="module")
def with_vectors(tmp_path_factory):
    path = tmp_path_factory.mktemp("template") / "template.db"
    make(path, embedder="hash")
    return path


def test_every_public_verb_of_a_bank_and_of_a_memory_is_failed_at():
    tried = {verb.partition(" ")[0].rstrip(",") for verb in VERBS | OF_EMBEDDERS}
    of_stores = {"redate", "verify", "salvage", "open", "scan", "shrink", "reembed", "encrypt"}
    public = {name for owner in (Bank, Memory) for name in dir(owner) if not name.startswith("_")}

    assert public == public & tried | set(NO_VERBS), "add it to VERBS of campaign.py"
    assert not tried & set(NO_VERBS)
    assert of_stores | {"move"} == tried - public


@pytest.mark.slow
def test_a_disk_without_faults_is_as_any_other(template, tmp_path):
    with faulty_disk(tmp_path) as disk:
        counted, met, wrong = Case(tmp_path, template, "remember").once(
            disk, 0, EVERY, "EIO", forever=False
        )
    assert (met, wrong) == (0, [])
    assert counted > 20


def swept(tmp_path, template, verb, key=None, step=STEP, embedder="none"):
    """Return how many runs were tried, and what was found in them."""
    tried, found = 0, []
    with faulty_disk(tmp_path) as disk:
        case = Case(tmp_path, template, verb, key, embedder)
        for number, way in enumerate([KILLED, *WAYS]):
            for nth, how, wrong in sweep(case, disk, [way], step=step, start=1 + 7 * number):
                tried += 1
                found += [(nth, how, one) for one in wrong]
    return tried, found


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_a_failing_disk_brings_neither_loss_nor_raw_errors_whatever_it_fails_at(
    verb, template, tmp_path
):
    tried, found = swept(tmp_path, template, verb)
    assert [] == found[:5]
    assert tried >= 3 or verb in FEW


WRITE_VECTORS = (
    "remember_many", "correct", "forget, erasing", "compact", "sleep", "rebuild", "import_",
    "import_ of an export", "backup", "salvage", "open",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("verb", [*OF_EMBEDDERS, *WRITE_VECTORS])
def test_nor_is_anything_lost_of_a_store_with_vectors(verb, with_vectors, tmp_path):
    tried, found = swept(tmp_path, with_vectors, verb, embedder="hash")
    assert [] == found[:5]
    assert tried >= 3 or verb in FEW


@pytest.mark.slow
@pytest.mark.parametrize("embedder", ["none", "hash"])
def test_an_erasure_that_fails_where_it_zeroes_in_place_is_finished_later(
    embedder, template, with_vectors, tmp_path
):
    store, zero = with_vectors if embedder == "hash" else template, OPERATIONS["zero"]
    with faulty_disk(tmp_path) as disk:
        for verb in ("forget, erasing", "delete_bank"):
            case = Case(tmp_path, store, verb, embedder=embedder)
            for how in ("EIO", "ENOSPC", "short", "kill"):
                nth, met = 1, True
                while met:
                    if how == "kill":
                        _, met, wrong = case.killed(disk, nth, zero)
                    else:
                        _, met, wrong = case.once(disk, nth, zero, how, forever=False)
                    assert [] == wrong, (verb, how, nth)
                    nth += 1
                assert nth > 5, "it has something to zero"


@pytest.mark.slow
@pytest.mark.parametrize("verb", [*OF_KEYS, "open", "remember in a new bank", "delete_bank"])
def test_nor_is_anything_lost_of_an_encrypted_store(verb, tmp_path_factory, tmp_path):
    template = tmp_path_factory.mktemp("encrypted") / "template.db"
    make(template, key=KEY)
    tried, found = swept(tmp_path, template, verb, KEY)
    assert [] == found[:5]
    assert tried >= len(WAYS)


@pytest.mark.slow
def test_a_new_encrypted_store_is_made_whole_or_not_at_all(tmp_path):
    whole = tmp_path / "whole"
    whole.mkdir()
    tried = 0
    with faulty_disk(whole) as disk:
        for nth in range(1, 200, 9):
            for file in whole.iterdir():
                file.unlink()
            disk.fail(nth, EVERY, "EIO", forever=True)
            try:
                opened(whole / "new.db", key=KEY).close()
            except HippocampusError:
                tried += 1
            disk.mend()
            with opened(whole / "new.db", key=KEY) as memory:
                memory.bank("ada").remember("It was made after all.")
                assert verify(memory).sound
    assert tried > 5
