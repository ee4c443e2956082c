"""Signatures tried on a file of LoCoMo's schema: every way once, and what the cue finds."""

import json

import pytest

from hippocampus.core.config import Signatures
from hippocampus.encode.tokens import encode
from hippocampus.errors import InputError
from hippocampus_bench import sensitivity

TALK = [
    ("Ann", "I bought a red kayak in Lisbon."),
    ("Bob", "The zebra at the zoo was asleep."),
    ("Ann", "My kayak has a name: Zebra."),
    ("Bob", "Nothing else happened."),
]
ASKED = [
    ("Who has a kayak in Lisbon?", ["D1:1"], 1),
    ("Where was the zebra asleep?", ["D1:2"], 2),
    ("Which unicorn?", ["D1:4"], 5),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    file = tmp_path_factory.mktemp("data") / "talk.json"
    said = [
        {"speaker": who, "dia_id": f"D1:{n}", "text": text} for n, (who, text) in enumerate(TALK, 1)
    ]
    sample = {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": said,
        },
        "qa": [{"question": q, "evidence": gold, "category": c} for q, gold, c in ASKED],
    }
    file.write_text(json.dumps([sample]))
    return file


@pytest.fixture(scope="module")
def made(data):
    return sensitivity.run(data)


def untimed(report):
    rows = report.as_dict()["rows"]
    return [{name: v for name, v in row.items() if name != "search_ms"} for row in rows]


def test_every_way_is_tried_once_with_the_same_outcome_in_every_run(data, made):
    rows = made.as_dict()["rows"]
    tried = [tuple(row.get(name) for name in ("form", "window", "nonzeros", "components", "bits",
             "radius")) for row in rows]  # fmt: skip

    assert len(tried) == len(set(tried))
    assert "BM25" == rows[0]["form"]
    assert {0, 1, 2, 3, 4, 5} < {row["radius"] for row in rows[1:]}
    assert {
        (c, d) for c in sensitivity.COMPONENTS for d in sensitivity.BITS
    } == {(row["components"], row["bits"]) for row in rows[1:]}  # fmt: skip
    assert untimed(made) == untimed(sensitivity.run(data))


def test_equal_tokens_find_their_turn_and_nothing_else(made):
    usual, rows = Signatures(), made.as_dict()["rows"]
    (exact,) = [
        row for row in rows[1:]
        if (row["form"], row["window"], row["components"], row["bits"], row["radius"])
        == (usual.form, usual.window, usual.components, usual.bits, usual.radius)
    ]  # fmt: skip
    lengths = [len(encode(text)) for _, text in TALK]

    assert 1.0 == exact["recall@10"] == exact["recall@20"]
    # "kayak" and "Lisbon"; "zebra" and "asleep"
    assert sum(lengths[:3:2]) + sum(lengths[1:3]) == 2 * exact["tokens_any"]
    assert lengths[0] + lengths[1] == 2 * exact["tokens_all"]


def test_a_wider_radius_returns_more(made):
    for rows in sensitivity._by_way(made.as_dict()).values():
        returned = [row["tokens_any"] for _, row in sorted(rows.items())]

        assert sorted(returned) == returned


def test_the_rule_gives_a_keyword_by_itself_the_angle_to_its_company():
    assert (0, 20, 10, 25) == (
        sensitivity.natural(0, 64),
        sensitivity.natural(1, 64),
        sensitivity.natural(1, 32),
        sensitivity.natural(4, 64),
    )


def test_a_file_without_a_question_is_refused(data, tmp_path):
    (sample,) = json.loads(data.read_text())
    empty = tmp_path / "empty.json"
    empty.write_text(json.dumps([sample | {"qa": sample["qa"][2:]}]))
    with pytest.raises(InputError, match="no question"):
        sensitivity.run(empty)


def test_a_written_report_gives_the_same_tables_along_with_plots(made, tmp_path):
    made.write(tmp_path / "signatures.json")
    read = json.loads((tmp_path / "signatures.json").read_text())

    assert read == made.as_dict()
    assert sensitivity.tables(read) == made.tables()
    assert "hyperplanes | 0 | 8 | 64 | 0 | 100.0" in str(made)
    pytest.importorskip("matplotlib")
    for plot in made.plot(tmp_path / "plots"):
        assert plot.read_bytes().startswith(b"\x89PNG")
