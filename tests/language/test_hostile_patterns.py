"""No regular expression takes more than a moment over a sentence that was made to hold it up."""

import re
import signal

import pytest
from hostile_patterns import hostile_texts, patterns

SENTENCE = 600
"""Characters that are read as one sentence at most, wherever expressions take its square."""
MOST_S = 0.25
"""Seconds for such a text: the square takes a tenth of it, and two ways at each part take years."""

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="nothing could end it")


class TooLong(Exception):
    """An expression that still looks for a match."""


@pytest.fixture(autouse=True)
def ended():
    """Whoever starts the timer is ended by it."""

    def end(_signal, _frame):
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, end)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def slow_text(pattern, size):
    """Return a text over which an expression takes too long, None if none is known."""
    for text in hostile_texts(pattern, size):
        given = text.encode() if isinstance(pattern.pattern, bytes) else text
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST_S)
        try:
            pattern.match(given)
            for _ in pattern.finditer(given):
                pass
        except TooLong:
            return text
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return None


@pytest.mark.slow
@pytest.mark.parametrize(
    "expression",
    [
        "(a+)+b",
        "(?:a|a)*b",
        r"(?:\w+ ?)+!",
        r"\s*\s*\s*\s*x",
        "(?i)moved from (?P<from>[A-Z]+(?: (?:(?:of|de) )?[A-Z0-9]+)*) to",
    ],
)
def test_an_expression_that_can_be_held_up_is_found(expression):
    assert slow_text(re.compile(expression), SENTENCE) is not None


@pytest.mark.slow
@pytest.mark.parametrize("size", [160, pytest.param(SENTENCE, marks=pytest.mark.slow)])
def test_no_expression_can_be_held_up_by_a_sentence(size):
    known = patterns()
    assert len(known) > 300
    assert {"statements.txt: from_to", "language/session_words.py: _FENCE"} <= known.keys()
    found = {
        name: text for name, one in known.items() if (text := slow_text(one, size)) is not None
    }
    assert {} == {name: f"{text[:60]!r} ..." for name, text in found.items()}
