"""How well recall finds what it should, measured on public benchmarks through the public API."""

from hippocampus.evaluation.options import Options
from hippocampus.evaluation.report import Report
from hippocampus.evaluation.runner import run

__all__ = ["Options", "Report", "run"]
