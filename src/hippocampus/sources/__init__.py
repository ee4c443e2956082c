"""Read files, chat exports, mail and other memories into turns."""

from hippocampus.sources.base import SourceFile, SourceProblem
from hippocampus.sources.walk import FORMATS, read_source

__all__ = ["FORMATS", "SourceFile", "SourceProblem", "read_source"]
