"""
The premise of a question: that one memory speaks of all that it names.

"When is Ana's birthday?" supposes that Ana and a birthday come together somewhere. Where they do
not, what is nearest is of Ana, or of another birthday, and fits the question well without having
its answer. Whose turn it is, where a speaker is named, is judged by ``evidence.rivalry`` instead.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_MOST_WORDS: Final = 6
"""More than so many words make no difference (docs/adr/0058): a long question says much that no
memory needs to have."""
_A_WORD: Final = 0.5
"""Log odds for each word of content: the more there are, the less of each is matched by a memory
that answers. This and the next ones are round numbers near a logistic fit on everyday histories,
with the needed turns and without them (docs/adr/0058)."""
_WHOLE: Final = 1.0
"""Log odds if one of the best memories has all that the question names."""
_WHOLE_WORDS: Final = 1.5
"""The same where no tokens tell what is near: then it is most of the evidence."""
_OPEN: Final = 1.0
"""Log odds of a question whose words say little of what bears on it."""
_UNOWNED: Final = -2.0
"""Log odds that a question for what nobody is known to have loses: set by hand on small talk
without animals, and no answer of LoCoMo or of the everyday histories changes by it."""
_TOLD: Final = 1.5
"""Log odds if a memory tells the very fact that is asked for; a guess that was never measured."""
_USUAL: Final = 2.3
"""Sum of the others on average, which is taken off: so a usual question is judged by its hits
alone."""
_USUAL_WORDS: Final = 1.8
"""The same where no tokens tell what is near."""


class Premise(NamedTuple):
    """
    Supposition of a question, and how far it holds.

    ``words``: how many words of content it has: the more, the less of each is matched by a memory
    that answers it. ``whole``: whether one of the best memories has all that it names, word for
    word. ``open``: whether it asks for more than its words say: for advice, on which all that is
    wished or barred bears, or for what was at some time. ``of_speaker``: whether it names one who
    speaks, which ``rivalry`` judges instead. ``named``: what it names, in its own words;
    ``lacking``: what of that none of the best memories has. ``unowned``: whether it takes one who
    speaks to have an animal, a child, a sibling or the like, of which no best memory tells.
    ``told``: whether one of them tells the fact that is asked for, and all that it names.
    """

    words: int
    whole: bool
    open: bool
    of_speaker: bool
    named: tuple[str, ...]
    lacking: tuple[str, ...]
    unowned: bool = False
    told: bool = False

    def beside(self, other: Premise) -> Premise:
        """Return the premise as its best memories and others meet it together."""
        lacking = tuple(word for word in self.lacking if word in other.lacking)
        return self._replace(
            whole=self.whole or other.whole,
            lacking=lacking,
            unowned=self.unowned and other.unowned,
            told=self.told or other.told,
        )

    def describe_unmet(self) -> str:
        """Return a sentence that says what the best memories lack; "" if they have it all."""
        if self.whole:
            return ""
        words = [f'"{word}"' for word in self.lacking or self.named]
        *others, last = words
        said = f"{', '.join(others)} or {last}" if others else last
        if not self.lacking:
            said = f"{', '.join(others)} and {last} together"
        return f"It may have no answer: none of the nearest memories speaks of {said}."

    def odds(self, *, by_tokens: bool, unheard: bool = False) -> float:
        """
        Return its share of the log odds that the best memory answers the question.

        ``unheard``: no memory has a word of it, and nothing tells what is near in meaning. Then
        many words make nothing likelier: of none a part is matched.
        """
        whole, usual = (_WHOLE, _USUAL) if by_tokens else (_WHOLE_WORDS, _USUAL_WORDS)
        told = _TOLD * self.told  # a statement that was read answers in whatever words
        if self.of_speaker:
            return told + _UNOWNED * self.unowned
        if not self.words:
            return told + _OPEN * self.open
        said = 0.0 if unheard and not self.open else _A_WORD * min(self.words, _MOST_WORDS)
        return told + said + whole * self.whole + _OPEN * self.open - usual
