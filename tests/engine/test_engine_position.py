"""A bank's position differs whenever an answer of the bank may, and only then."""

import pytest

from hippocampus.engine.context import CALIBRATED


def place(bank):
    return bank.position()[1]


def test_every_change_of_a_bank_moves_it(memory, bank):
    seen = [place(bank)]
    first = bank.remember("Lena moved to Porto.", speaker="Lena")
    kept = bank.remember("It rains.")
    for change in (
        lambda: None,
        lambda: bank.correct(first.id, "Lena moved to Lisbon."),
        lambda: bank.pin(kept.id),
        lambda: bank.feedback(kept.id, helpful=True),
        lambda: bank.forget(kept.id),
        lambda: bank.restore(kept.id),
        bank.sleep,
        lambda: bank.forget(kept.id, erase=True),
        memory.rebuild,
        lambda: memory.delete_bank("ada"),
    ):
        change()
        seen.append(place(bank))

    assert len(seen) == len(set(seen))


def test_what_others_do_to_other_banks_does_not_move_it_though_the_store_changes(memory, bank):
    bank.remember("Lena moved to Porto.")
    changes, before = bank.position()
    memory.bank("bo").remember("Bo moved to Rome.")

    assert before == place(bank)
    assert changes != bank.position()[0]


def test_reading_moves_nothing(bank):
    bank.remember("Lena moved to Porto.")
    before = bank.position()
    bank.recall("Where is Lena?")
    bank.context("Where is Lena?")
    bank.stats()

    assert before == bank.position()


def test_another_process_moves_it(open_memory, bank):
    before = bank.position()
    open_memory().bank("ada").remember("Lena moved to Porto.")

    assert before != bank.position()
    assert before[1] != place(bank)


def test_a_calibration_moves_every_bank(memory, bank):
    bank.remember("Lena moved to Porto.")
    before = place(bank)
    with memory.engine.store.write():
        memory.engine.store.settings.put(CALIBRATED, "another")

    assert before != place(bank)


def test_banks_are_listed_by_how_they_begin(memory):
    for name in ("acme/a", "acme/b", "bo"):
        memory.bank(name).remember("Something.")

    assert ["acme/a", "acme/b"] == memory.banks(prefix="acme/")
    assert ["acme/b"] == memory.banks(prefix="acme/", after="acme/a")
    assert ["acme/a"] == memory.banks(limit=1)
    for wrong in (-1, 1.5, True, "1"):
        with pytest.raises(ValueError, match="limit="):
            memory.banks(limit=wrong)


def test_a_bank_that_is_not_there_is_told_by_a_few_names_of_those_that_are(memory):
    for number in range(8):
        memory.bank(f"b{number}").remember("Something.")

    with pytest.raises(KeyError, match="'b4', …"):
        memory.bank("nobody").stats()
