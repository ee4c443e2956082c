"""The synthetic conversations are a data set as any other."""

import json

from hippocampus_bench import retrieval, run
from hippocampus_bench.datasets import SourceNode
from hippocampus_bench.synthetic import generate


def test_it_loads_as_a_retrieval_data_set():
    data = retrieval.parse(SourceNode(dict(generate(11, 9)), "synthetic"))

    assert len(data.cases) == 9
    assert data.sessions


def test_the_retrieval_benchmark_runs_on_it(lab, tmp_path):
    path = tmp_path / "synthetic.json"
    path.write_text(json.dumps(generate(3, 1)))

    report = run("retrieval", path, options=lab.options(limit=12, baselines=()))

    assert report.metrics["evidence_recall@50"].value > 0
