"""
Regular expressions of modules, each compiled at its first use.

Compiling the expressions of the modules that a recall loads takes as long as the recall. Instead of
``re.compile``, a module says ``lazy_pattern``; what is used often is none the slower for it.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Final, cast

_METHODS: Final = ("search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn")


class _LazyPattern:
    """An expression, and once it is used the methods of what it was compiled to."""

    def __init__(self, expression: str | bytes, flags: int) -> None:
        self.pattern = expression
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        if name.startswith("__"):  # of a protocol that something looks for, as for copying
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:  # so that Python finds them without asking here again
            self.__dict__[method] = getattr(compiled, method)
        return getattr(compiled, name)


def lazy_pattern(expression: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """
    Return an expression that is compiled once somebody looks for it in a text.

    It has what a pattern has, but is none: functions of ``re`` do not take it.
    """
    return cast(re.Pattern[AnyStr], _LazyPattern(expression, flags))
