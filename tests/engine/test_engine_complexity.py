"""Whatever a text is made of, all that reads it takes time, memory and disk in proportion to it."""

import contextlib
import re
from pathlib import Path
from time import process_time
from typing import NamedTuple

import pytest

from hippocampus import Budget, Memory
from hippocampus.errors import HippocampusError

SHAPES = [
    "a", " ", "\n", "\t", "\r\n", "1", ".", ",", '"', "(", "[[", "{", "<a ", "<a", '<a "', "<!--",
    "<recent>\n[x\n</recent>", '<memory note="', "</", "<script>", "&#1", "&amp", "-", "# ", "=?",
    "1:", "1:11 ", "A.B.", "a@b.", "a_", "a-", "AbCd", "it's'", "http://a.b/", "```\n", "|a", "? ",
    "Mr. ", "Ada: hi\n", "I am ", "3 days ago ", "2024-01-01 ", "Ada Lovelace and ", "and not ",
    "漢", "かな", "สวัสดี", "한국", "שלום ", "😀", "👩\u200d👧", "\U0001d54f", "a\u0301\u0302",
    "\u200b", "\ufeff", "\x1b[0m",
]  # fmt: skip
SIZES = (8_000, 16_000, 32_000, 64_000)
MAIL = "From: a <a@b>\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n"
FILES = {
    "a.mbox": "From a@b Mon Jan 1 10:00:00 2024\nFrom: a\n\nhi\n\nFrom ",
    "b.mbox": "From a@b Mon Jan 1 10:00:00 2024\nFrom: a\n\n",
    "html.eml": f"{MAIL}Content-Type: text/html; charset=utf-8\n\n",
    "subject.eml": f"{MAIL}Subject: ",
    "to.eml": f"{MAIL}To: ",
    "references.eml": f"{MAIL}References: ",
    "type.eml": f"{MAIL}Content-Type: ",
    "quoted.eml": f"{MAIL}Content-Transfer-Encoding: quoted-printable\n\n",
    "parts.eml": f"{MAIL}Content-Type: multipart/mixed; boundary=a\n\n--a\n\n",
    "a.md": "---\na: ",
    "a.txt": "",
    "a.jsonl": '{"text":"',
    "a.json": "[",
}
VERBS = {
    "remember": lambda bank, text: bank.remember(text, at="2025-01-01"),
    "recall": lambda bank, text: bank.recall(text),
    "find": lambda bank, text: bank.find(text),
    "context": lambda bank, text: bank.context(text, budget_tokens=500),
    "sleep": lambda bank, _text: bank.sleep(),
}


class Cost(NamedTuple):
    """What a call takes: seconds of processor time, resident bytes at its peak, bytes written."""

    seconds: float
    resident: float
    written: float


SLACK = Cost(0.3, 16e6, 64e3)
"""What counts for nothing: clocks tick, pages and buffers come in one piece."""
A_BYTE = Cost(80e-6, 400, 24)
"""The most of a byte of text: four times the processor of a quiet machine, half again the rest."""


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


def costly_ones(measure):
    """
    Return the shapes that cost too much: by the byte, or more than in proportion to their length.

    A cost is that of n, 2n, 4n and 8n; eight times as much text may take sixteen times as long. Of
    memory each has its bound by the byte alone, for what was freed before is taken again.
    """
    found = {}
    for shape in SHAPES:
        texts = [shape * (size // len(shape)) for size in SIZES]
        costs = [measure(text) for text in texts]
        of_bytes = [len(text.encode()) for text in texts]
        for place, name in enumerate(Cost._fields):
            own, slack, most = [cost[place] for cost in costs], SLACK[place], A_BYTE[place]
            grows = name != "resident" and own[-1] > 2 * SIZES[-1] / SIZES[0] * own[0] + slack
            if grows or any(
                one > most * size + slack for one, size in zip(own, of_bytes, strict=True)
            ):
                found[shape, name] = own
    return found


def test_what_costs_too_much_is_found():
    wasted = []

    def waste(text):
        wasted.append(bytearray(1000 * len(text)))
        wasted.clear()

    def square(text):
        return Cost(len(text) ** 2 * 1e-9, 0, 0)

    assert {"resident"} == {name for _, name in costly_ones(lambda text: took(waste, text))}
    assert {(shape, "seconds") for shape in SHAPES} == set(costly_ones(square))


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_file_is_read_at_a_cost_in_proportion_to_its_size(name, tmp_path):
    with Memory(":memory:", embedder="none") as memory:

        def read(text):
            path = tmp_path / name
            path.write_text(FILES[name] + text, encoding="utf-8")
            cost = took(memory.bank("ada").import_, path)
            if "ada" in memory.banks():
                memory.delete_bank("ada")  # or the next one is an edit of this one
            return cost

        read("warm. " * 5_000)
        assert {} == costly_ones(read)


@pytest.mark.slow
@pytest.mark.parametrize("name", VERBS)
def test_every_verb_costs_in_proportion_to_what_it_is_given(name):
    with Memory(":memory:", embedder="none") as memory:

        def call(text):
            bank = memory.bank("ada")
            bank.remember("Ada met Tom in Porto.")
            if name == "sleep":
                took(VERBS["remember"], bank, text)
            cost = took(VERBS[name], bank, text)
            memory.delete_bank("ada")
            return cost

        call("warm. " * 5_000)
        assert {} == costly_ones(call)


@pytest.mark.parametrize(
    "shape",
    ["<a ", "<!--", '<a "', "<recent>\n[x\n</recent>", " ",
     pytest.param("1:11 ", marks=pytest.mark.slow)],
)  # fmt: skip
def test_what_once_took_minutes_takes_no_time(shape, tmp_path):
    text = shape * (100_000 // len(shape))
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        for name in ("a.mbox", "html.eml", "a.txt"):
            path = tmp_path / name
            path.write_text(FILES[name] + text, encoding="utf-8")
            assert took(bank.import_, path).seconds < 3
        assert took(VERBS["remember"], bank, text).seconds < 3


def test_a_text_of_many_parts_takes_no_metadata_that_would_fill_a_disk(bank):
    text = "The quick brown fox jumps over the lazy dog. " * 9_000
    with pytest.raises(HippocampusError, match="would be kept with each of the"):
        bank.remember(text, metadata={"k": "v" * 400_000})
    assert [] == bank.episodes()

    kept = bank.remember(text, metadata={"k": "v" * 1_000})
    assert {"k": "v" * 1_000} == kept.metadata


@pytest.mark.parametrize("count", [5_000, pytest.param(22_000, marks=pytest.mark.slow)])
def test_a_long_text_comes_back_byte_for_byte_and_an_edit_moves_few_of_its_parts(memory, count):
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


def test_terms_of_one_search_are_counted_before_any_is_looked_for(bank):
    bank.remember("Ada met Tom in Porto.")
    assert 1 == len(bank.find(*["Porto", "ada"] * 32))
    with pytest.raises(HippocampusError, match="2,000 terms; at most 64 at once"):
        bank.find(*(f"t{number}" for number in range(2_000)))
