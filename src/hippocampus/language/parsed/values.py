"""Numbers and addresses of somebody: phone, e-mail, birthday; and first and last days at work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hippocampus.core.records import Mode, Statement
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.given_names import is_person
from hippocampus.language.noun_sorts import is_region
from hippocampus.language.parsed.clauses import BE, SUBJECTS, VERBAL, child, children, negation
from hippocampus.language.parsed.names import is_proper, words_of
from hippocampus.language.parsed.referents import Referents
from hippocampus.language.relations import VALUES, relation_of

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_RE: Final = Patterns("parsed")
_REACHING: Final = frozenset({"email", "e-mail", "mail", "reach", "write", "call", "ring", "text"})


def tell_values(sentence: Span, referents: Referents) -> Iterator[Statement]:
    """Yield the numbers, addresses and days of a sentence that asks nothing."""
    # An address whose owner is told is not one at which somebody else is to be reached.
    told = list(_owned(sentence, referents))
    yield from told or _reached(sentence, referents)
    first = _RE.first_day.match(sentence.text)
    if first:
        studies = first["unit"].lower() in ("year", "term", "semester")
        relation = "studies_at" if studies else "works_at"
        # The last day ends it, the last year has only begun; "last week at" may be the week before.
        lasts = first["unit"].lower() in ("week", "month") and first["last"] is not None
        last = first["last"] is not None and first["unit"].lower() in ("day", "shift")
        if not lasts:
            mode: Mode = "ended" if last else "began"
            yield Statement(referents.speaker, relation, _whole(first), mode)
    born = _RE.born.search(sentence.text)
    day = _RE.day.match(sentence.text, born.end()) if born else None
    if day:
        verb = next((one for one in sentence if one.lower_ == "born"), None)
        subject = None if verb is None else child(verb, *SUBJECTS)
        who = referents.speaker if subject is None else referents.entity(subject)
        if who is not None:
            yield Statement(who, "birthday", day[0])


def _whole(first: re.Match[str]) -> str:
    """Return the name of a place, with what "and" joins to it: "Flour and Salt", and no "Tom"."""
    more = first["more"]
    alone = more is None or more == "I" or is_person(more) or is_region(more)
    no_names = word_set("weekdays") | word_set("months") | word_set("pleasantries")
    dated = more is not None and more.casefold() in no_names
    return first["where"] if alone or dated else f"{first['where']} and {more}"


def _owned(sentence: Span, referents: Referents) -> Iterator[Statement]:
    """Yield the values behind a noun such as "my new number", "Ada's mobile", "date of birth"."""
    for noun in sentence:
        relation = relation_of(noun.lower_)
        if relation not in VALUES:
            continue
        owner = _owner(noun, sentence, referents)
        if owner is None:
            continue
        behind = sentence.doc.text[noun.idx + len(noun) : sentence.end_char]
        new = any(one.lower_ == "new" for one in children(noun, "amod"))
        found = list(getattr(_RE, "day" if relation == "birthday" else relation).finditer(behind))
        for value in found[:1]:
            start = noun.idx + len(noun) + value.start()
            mode: Mode = _negated(noun, start) or ("began" if new else "holds")
            yield Statement(owner, relation, value[0].strip(" ."), mode)


def _negated(noun: Token, start: int) -> Mode | None:
    """
    Return whether the clause of a noun says that a value is not so: "my number is not ...".

    ``start``: where the value starts. Of "my number is not working, use ..." it is so.
    """
    verb = next((above for above in noun.ancestors if above.pos_ in VERBAL), None)
    if verb is None:
        return None
    value = next((one for one in noun.doc[noun.i :] if one.idx + len(one) > start), noun)
    if noun.i < verb.i < value.i:
        above = next((above for above in value.ancestors if above.pos_ in VERBAL), None)
        if verb.lemma_.lower() not in BE or above != verb:
            return None
    return negation(verb)


def _owner(noun: Token, sentence: Span, referents: Referents) -> str | None:
    """Return the owner of a value: a name before a colon counts, too."""
    owner = referents.owner(noun)
    if owner is not None:
        return owner
    follows = noun.doc[noun.i + 1].lower_ if noun.i + 1 < len(noun.doc) else ""
    starts = noun.left_edge.i == sentence.start and follows in (":", "is", "'s", "=", "-")
    starts &= not any(map(is_proper, children(noun, "compound", "nmod")))  # "James birthday is"
    if noun.lower_ == "birth" or starts:
        return referents.speaker
    before = noun.doc[noun.i - 1] if noun.i > sentence.start else None
    if before is not None and before.lower_ in ("my", "our"):
        return referents.speaker
    if before is not None and before.dep_ == "case" and is_proper(noun.doc[noun.i - 2]):
        return words_of(noun.doc[noun.i - 2])
    return None


def _reached(sentence: Span, referents: Referents) -> Iterator[Statement]:
    """Yield the owner of an address at which somebody is to be written to."""
    instead = _RE.use_address.search(sentence.text)
    if instead:
        yield Statement(referents.speaker, "email", instead["old"].rstrip("."), "ended")
        yield Statement(referents.speaker, "email", instead["new"].rstrip("."))
        return
    old = _RE.old_address.search(sentence.text)
    if old:
        yield Statement(referents.speaker, "email", old["old"], "ended")
        return
    for verb in sentence:
        if verb.lower_ not in _REACHING or verb.i + 1 >= len(verb.doc):
            continue
        whom = verb.doc[verb.i + 1]
        who = referents.speaker if whom.lower_ == "me" else None
        who = whom.text if who is None and is_proper(whom) else who
        address = _RE.email.search(sentence.text)
        if who is not None and address is not None:
            yield Statement(who, "email", address[0].rstrip("."))
            return
