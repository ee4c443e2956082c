"""Whatever a text is made of, all that reads it takes time, memory and disk in proportion to it."""

import contextlib
import re
from itertools import count
from mmap import PAGESIZE, mmap
from pathlib import Path
from time import process_time
from typing import NamedTuple

import pytest
from hostile_inputs import (
    ASKED,
    FILES,
    NO_WORDS,
    READERS,
    SHAPES,
    call,
    read,
    words_of_verbs,
    write,
)

from hippocampus import Budget, Memory
from hippocampus.errors import HippocampusError
from hippocampus.sources import ALL_FORMATS
from hippocampus.testing import ScriptedEmbedder
from hippocampus.verbs import BANK_VERBS

SIZES = (4_000, 8_000, 16_000, 32_000)


class Cost(NamedTuple):
    """What a call takes: seconds of processor time, resident bytes at its peak, bytes written."""

    seconds: float
    resident: float
    written: float


SLACK = Cost(0.3, 16e6, 64e3)
"""What counts for nothing: clocks tick, pages and buffers come in one piece."""
A_BYTE = Cost(80e-6, 400, 24)
"""The most of a byte of text: at least a third more than the dearest on a quiet machine."""
PACE_S = 0.022
"""Seconds of what tells the pace, on the machine of A_BYTE when it is quiet."""


def took(do, *given):
    """Return what a call takes, which may refuse what it is given."""
    peak = Path("/proc/self/clear_refs")
    if peak.exists():
        peak.write_text("5", "ascii")  # the peak is that of now
    before, began = resident("VmRSS"), process_time()
    with contextlib.suppress(HippocampusError), Budget(written_bytes=1 << 40) as budget:
        do(*given)
    return Cost(process_time() - began, resident("VmHWM") - before, budget.written)


def resident(what):
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    return 1024.0 * int(re.search(rf"{what}:\s+(\d+)", status.read_text("utf-8"))[1])


def pace():
    """Return how many times as long this machine takes now as that of A_BYTE does, at least 1."""
    began = process_time()
    for _ in range(40):
        words = re.findall(r"\w+", "Ada met Tom in Porto on 3 May, and it rained. " * 200)
        sorted({word: place for place, word in enumerate(words)}.items())
    return max(1.0, (process_time() - began) / PACE_S)


def costly_ones(measure):
    """
    Return the shapes that cost too much: by the byte, or more than in proportion to their length.

    What takes too long is measured once more, with texts that no cache knows and at the pace of
    the machine: the clock is the process's, and may have told of another thread, of a collection
    of garbage or of a processor that others share.
    """
    found = {}
    for shape in SHAPES:
        told = _told_against(shape, measure)
        if "seconds" in told and "seconds" not in _told_against(shape, measure, again=True):
            del told["seconds"]
        found |= {(shape, name): costs for name, costs in told.items()}
    return found


def _told_against(shape, measure, *, again=False):
    """
    Return the costs of texts of n, 2n, 4n and 8n characters, by name, that are too high.

    Eight times as much text may take sixteen times as long. Of memory each has its bound by the
    byte alone, for what was freed before is taken again.
    """
    texts = [shape * (size // len(shape) + again) for size in SIZES]
    before = pace() if again else 1.0
    costs = [measure(text) for text in texts]
    slower = max(before, pace()) if again else 1.0
    of_bytes = [len(text.encode()) for text in texts]
    too_high = {}
    bounds = A_BYTE._replace(seconds=slower * A_BYTE.seconds)
    of_each = zip(Cost._fields, zip(*costs, strict=True), SLACK, bounds, strict=True)
    for name, own, slack, most in of_each:
        grows = name != "resident" and own[-1] > 2 * SIZES[-1] / SIZES[0] * own[0] + slack
        if grows or any(one > most * size + slack for one, size in zip(own, of_bytes, strict=True)):
            too_high[name] = list(own)
    return too_high


def test_what_costs_too_much_is_found(monkeypatch):
    monkeypatch.setitem(globals(), "pace", lambda: 1.0)

    def waste(text):
        size = 1000 * len(text)
        # Mapped anew each time: what an allocator has freed it may keep, and give again.
        with mmap(-1, size) as pages:
            pages[::PAGESIZE] = bytes(-(-size // PAGESIZE))

    def square(text):
        return Cost(len(text) ** 2 * 1e-9, 0, 0)

    assert {(shape, "seconds") for shape in SHAPES} == set(costly_ones(square))
    monkeypatch.setitem(globals(), "SHAPES", SHAPES[:5])  # real memory, and a second of writing it
    assert {"resident"} == {name for _, name in costly_ones(lambda text: took(waste, text))}


def test_what_is_costly_once_is_somebody_elses():
    late = iter([0.0, 0.0, 0.0, 9.0])

    assert {} == costly_ones(lambda _: Cost(next(late, 0.0), 0, 0))


def test_a_slow_machine_has_as_much_longer_by_the_byte(monkeypatch):
    monkeypatch.setitem(globals(), "pace", lambda: 2.0)

    def dear(times):
        a_byte = times * A_BYTE.seconds
        return lambda text: Cost(SLACK.seconds + a_byte * len(text.encode()), 0, 0)

    assert {} == costly_ones(dear(1.9))
    assert {(shape, "seconds") for shape in SHAPES} == set(costly_ones(dear(2.1)))


def test_every_format_has_files_that_are_read(tmp_path):
    assert set(ALL_FORMATS) == set(FILES), "give the format a file in hostile_inputs.py"
    said = "Ada said that we always use pnpm here."
    for format_, files in FILES.items():
        texts = []
        for name in files:
            path = tmp_path / name
            with contextlib.suppress(HippocampusError):
                write(path, format_, said)
                texts += read(path, format_)
        assert any(said in text for text in texts), format_


def test_an_export_is_read_around_a_text(tmp_path):
    told = READERS["an export"]("Ada met Tom.", tmp_path / "a")

    assert "Ada met Tom." in repr(told)


@pytest.mark.slow
def test_every_argument_that_takes_text_is_tried_unless_a_reason_is_given(memory):
    pairs = set(words_of_verbs())
    unknown = {
        argument
        for spec in BANK_VERBS.values()
        for argument, one in spec.arguments.items()
        if "str" in str(one.type)
    } - {argument for _, argument in pairs}
    assert set(NO_WORDS) >= unknown, "a new argument is tried, or has a reason why not"
    tried = {verb for verb, _ in pairs}
    assert {"remember_many", "correct", "recall", "context", "find", "count_events"} <= tried
    answered = set()
    for verb, argument in pairs:
        bank = memory.bank(f"{verb} {argument}")
        bank.remember("Ada met Tom in Porto.", session="s", source="a.md")
        with contextlib.suppress(HippocampusError):
            call(bank, verb, argument, "Ada")
            answered.add((verb, argument))
    assert {("recall", "query"), ("remember", "speaker"), ("curate", "add")} <= answered


@pytest.mark.slow
@pytest.mark.parametrize("format_", FILES)
def test_every_file_is_read_at_a_cost_in_proportion_to_its_size(format_, tmp_path):
    for name in FILES[format_]:
        path = tmp_path / name

        def reading(text, path=path):
            write(path, format_, text)
            return took(read, path, format_)

        reading("warm. " * 1_000)
        assert {} == costly_ones(reading), name


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_everything_else_is_read_at_a_cost_in_proportion_to_its_size(name, tmp_path):
    def reading(text):
        return took(READERS[name], text, tmp_path / "a")

    reading("warm. " * 1_000)
    assert {} == costly_ones(reading)


@pytest.mark.slow
@pytest.mark.parametrize("pair", list(words_of_verbs()), ids=".".join)
def test_every_verb_costs_in_proportion_to_each_of_its_texts(pair):
    with Memory(":memory:", embedder="none") as memory:
        numbers = count()

        def calling(text):
            name = f"ada {next(numbers)}"
            bank = memory.bank(name)
            bank.remember("Ada met Tom in Porto.", session="s", source="a.md")
            cost = took(call, bank, *pair, text)
            with contextlib.suppress(HippocampusError):  # which is held now
                memory.delete_bank(name)
            return cost

        calling("warm. " * 1_000)
        assert {} == costly_ones(calling)


@pytest.mark.slow
@pytest.mark.parametrize("pair", [("recall", "query"), ("find", "terms")], ids=".".join)
def test_what_a_bank_holds_is_asked_for_at_a_cost_in_proportion_to_its_length(pair):
    with Memory(":memory:", embedder="none") as memory:
        numbers = count()

        def asking(text):
            bank = memory.bank(f"ada {next(numbers)}")
            bank.remember("Ada met Tom in Porto.", session="s", source="a.md")
            with contextlib.suppress(HippocampusError):  # a text of no letters
                bank.remember(text)
            cost = took(call, bank, *pair, text)
            memory.delete_bank(bank.name)
            return cost

        asking("warm. " * 1_000)
        assert {} == costly_ones(asking)


def cost_of_asking(bank, verb):
    """
    Return a measure of questions to a bank that has vectors and names, and has slept.

    Of time alone: this embedder gives a vector of each word, of which models read 512 at most.
    """
    bank.remember("I met Tom in Porto, where the old pump is.", speaker="Ada", role="user")
    bank.remember("The valve is checked by Ada Silva on Friday.", speaker="Tom", role="user")
    bank.sleep()

    def asking(text):
        return took(call, bank, verb, "query", text)._replace(resident=0.0)

    asking("warm. " * 1_000)
    return asking


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["recall", "context"])
def test_a_question_that_repeats_itself_costs_in_proportion_to_its_length(verb, bank, monkeypatch):
    monkeypatch.setitem(globals(), "SHAPES", ASKED)
    assert {} == costly_ones(cost_of_asking(bank, verb))


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["recall", "context"])
def test_a_bank_that_has_slept_is_asked_at_a_cost_in_proportion_to_the_question(verb, bank):
    assert {} == costly_ones(cost_of_asking(bank, verb))


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["document", "eml"])
def test_an_import_costs_in_proportion_to_the_file(format_, tmp_path):
    name = next(iter(FILES[format_]))
    with Memory(":memory:", embedder="none") as memory:

        def importing(text):
            write(tmp_path / name, format_, text)
            cost = took(memory.bank("ada").import_, tmp_path / name)
            if "ada" in memory.banks():
                memory.delete_bank("ada")  # or the next one is an edit of this one
            return cost

        importing("warm. " * 1_000)
        assert {} == costly_ones(importing)


@pytest.mark.slow
def test_sleep_costs_in_proportion_to_what_was_remembered():
    with Memory(":memory:", embedder="none") as memory:

        def sleeping(text):
            bank = memory.bank("ada")
            took(bank.remember, text)
            cost = took(bank.sleep)
            if memory.banks():  # a text of no letters is refused, and there is none
                memory.delete_bank("ada")
            return cost

        sleeping("I live in Porto, and a@b.example is my address. " * 100)  # readers are loaded
        assert {} == costly_ones(sleeping)


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape",
    ["<a ", "<!--", '<a "', "<recent>\n[x\n</recent>", " ",
     pytest.param("1:11 ", marks=pytest.mark.slow)],
)  # fmt: skip
def test_what_once_took_minutes_takes_no_time(shape, tmp_path):
    text = shape * (100_000 // len(shape))
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        for format_, name in (("mbox", "a.mbox"), ("eml", "html.eml"), ("document", "a.txt")):
            write(tmp_path / name, format_, text)
            assert took(bank.import_, tmp_path / name).seconds < 3
        assert took(bank.remember, text).seconds < 3


@pytest.mark.slow
def test_a_text_of_many_parts_takes_no_metadata_that_would_fill_a_disk(bank):
    text = "The quick brown fox jumps over the lazy dog. " * 9_000
    with pytest.raises(HippocampusError, match="would be kept with each of the"):
        bank.remember(text, metadata={"k": "v" * 400_000})
    assert [] == bank.episodes()

    kept = bank.remember(text, metadata={"k": "v" * 1_000})
    assert {"k": "v" * 1_000} == kept.metadata


def test_parts_that_are_alike_are_embedded_once():
    embedder = ScriptedEmbedder()
    with Memory(":memory:", embedder=embedder) as memory:
        bank = memory.bank("ada")
        bank.remember("The old pump is in the hall. " * 2_000)
        bank.remember("The old pump and the valve. The sea was calm.")

        parts = len(bank.episodes(limit=None)) - 1
        assert parts > 20
        assert embedder.passages < parts / 4
        assert parts + 1 == len(bank.recall("Where is the old pump?", k=parts + 1).hits)


@pytest.mark.slow
@pytest.mark.parametrize("count", [5_000, pytest.param(22_000, marks=pytest.mark.slow)])
def test_an_edit_moves_few_parts_of_a_long_text_that_comes_back_byte_for_byte(memory, count):
    lines = [f"Line {n}: the tide was {n % 7} metres high, they said. " for n in range(count)]
    text = "".join(lines)
    edited = text[:100_000] + "They put in a few words here. " + text[100_000:]
    parts = []
    for name, one in (("a", text), ("b", edited)):
        bank = memory.bank(name)
        bank.remember(one, at="2025-01-01")
        parts.append([episode.text for episode in bank.episodes(limit=None)])
        assert one == "".join(parts[-1])

    assert len(set(parts[1]) - set(parts[0])) < 0.05 * len(parts[0])


def test_a_long_text_goes_and_comes_back_with_each_part_read_a_few_times(memory, monkeypatch):
    bank, table, rows_read = memory.bank("ada"), memory.engine.store.episodes, []
    bank.remember(
        " ".join(f"Line {n}: the tide was {n % 7} m high." for n in range(900)), source="s"
    )
    kept = bank.episodes(limit=None)
    read = table.read
    monkeypatch.setattr(
        table, "read", lambda bank, rows: rows_read.append(len(rows)) or read(bank, rows)
    )
    for change in (
        lambda: bank.forget(source="s"),
        lambda: bank.restore(source="s"),
        lambda: bank.forget(kept[0].id, erase=True),
    ):
        rows_read.clear()
        assert change() == len(kept) > 30
        assert sum(rows_read) < 25 * len(kept)


def test_terms_of_one_search_are_counted_before_any_is_looked_for(bank):
    bank.remember("Ada met Tom in Porto.")
    assert 1 == len(bank.find(*["Porto", "ada"] * 32))
    with pytest.raises(HippocampusError, match="2,000 terms; at most 64 at once"):
        bank.find(*(f"t{number}" for number in range(2_000)))
