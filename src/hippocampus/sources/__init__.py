"""Read files, chat exports, mail and other memories into turns."""

from hippocampus.sources.agents.log import SessionLog
from hippocampus.sources.base import SourceFile, SourceProblem
from hippocampus.sources.walk import ALL_FORMATS, FORMATS, read_source

__all__ = ["ALL_FORMATS", "FORMATS", "SessionLog", "SourceFile", "SourceProblem", "read_source"]
