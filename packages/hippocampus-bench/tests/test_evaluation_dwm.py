"""The token stream's measurements: whole without the other packages, reproducible but for time."""

import json

import pytest

from hippocampus.errors import InputError
from hippocampus_bench import dwm

TIMED = ("_s", "_m", "_us")


@pytest.fixture(scope="module")
def made():
    return dwm.run(limit=2_000, tries_s=0)


def untimed(report):
    rows = report.as_dict()["rows"]
    return [
        {k: v for k, v in row.items() if not k.endswith(TIMED) and k != "package_dynamic_bytes"}
        for row in rows
    ]


def test_sizes_and_bytes_are_the_same_in_every_run(made):
    assert untimed(made) == untimed(dwm.run(limit=2_000, tries_s=0))
    assert untimed(made) != untimed(dwm.run(limit=2_000, tries_s=0, seed=1))


def test_a_row_has_everything_that_can_be_measured(made):
    (row,) = made.as_dict()["rows"]

    assert 2_000 <= row["tokens"] < 2_300
    assert 18 * row["tokens"] / 8 < row["sealed_bytes"] < row["dynamic_bytes"]
    assert row["huffman_bytes"] < row["content_bytes"] < row["sealed_bytes"]
    assert all(row[f"{kind}_s"] > 0 for kind in ("append", "extend", "build", "huffman_build"))
    assert all(row[f"{kind}_rank_m"] > 0 for kind in ("huffman", "sealed", "dynamic"))
    assert row["read_us"] > 0
    assert row["huffman_read_us"] > 0


def test_the_other_packages_take_part_where_they_are_installed(made):
    pytest.importorskip("wavelet_matrix")
    pytest.importorskip("zstandard")
    (row,) = made.as_dict()["rows"]

    assert all(row[f"package_{kind}_s"] > 0 for kind in ("append", "extend", "build"))
    assert row["package_dynamic_bytes"] > 18 * row["tokens"] / 8
    assert row["package_sealed_access_m"] > 0
    assert 0 < row["zstd_block_bytes"] < row["zstd_bytes"] < row["text_bytes"]
    assert row["zstd_read_us"] > 0


def test_without_them_their_figures_are_left_out(monkeypatch):
    monkeypatch.setattr(dwm, "_optional", lambda _: None)
    made = dwm.run(limit=600, tries_s=0)

    assert not [name for name in made.rows[0] if name.startswith(("package", "zstd"))]
    assert made.as_dict()["settings"]["wavelet_matrix"] is None
    assert "| package, static: rank | – |" in str(made)


def test_texts_of_a_file_are_measured_instead(tmp_path):
    file = tmp_path / "turns.txt"
    file.write_text("The boat leaves at nine.\n\nFrom the pier, she said.\n" * 60)
    made = dwm.run(file, tries_s=0)

    assert 120 == made.rows[0]["texts"]
    assert "turns.txt" == made.as_dict()["settings"]["data"]
    file.write_text("\n \n")
    with pytest.raises(InputError, match="no text"):
        dwm.run(file)


def test_the_paper_stands_beside_its_sizes():
    report = {
        "settings": {"bits": 18},
        "rows": [
            {
                "tokens": 160_012,
                "dynamic_bytes": 435_000,
                "sealed_bytes": 389_000,
                "huffman_bytes": 190_000,
                "append_s": 0.16,
            }
        ],
    }
    making, keeping, *_ = dwm.tables(report)

    assert "| 160,012 | 0.16 s | – | – | – | – | 402 s |" in making
    assert "| 160,012 | 0.435 MB | 0.389 MB | 1.080 | 0.19 MB | 0.528 |" in keeping
    assert "| 1.46 MB |" in keeping


def test_a_written_report_can_be_drawn(made, tmp_path):
    pytest.importorskip("matplotlib")
    made.write(tmp_path / "dwm.json")
    read = json.loads((tmp_path / "dwm.json").read_text())

    assert read == made.as_dict()
    for plot in dwm.plot(read, tmp_path / "plots"):
        assert plot.read_bytes().startswith(b"\x89PNG")
