"""
Secrets and personal data in a text: keys, passwords, card, account and identity numbers, addresses.

They are known by structure: the beginning that an issuer gives its keys, the checksum of a number,
the word before a value that says what it is. What has none of these is not found, such as a
password that is a plain word.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from hashlib import blake2b
from string import ascii_lowercase, hexdigits
from typing import Any, Final, NamedTuple

from hippocampus.core.records import LABELS
from hippocampus.core.word_lists import pattern_list, word_set
from hippocampus.language.number_checks import (
    is_aadhaar,
    is_ahv,
    is_card,
    is_cpf,
    is_dni,
    is_iban,
    is_nir,
)
from hippocampus.language.payload_texts import NAMES, as_id, as_words, change_texts, is_call_id

_ADDRESS: Final = "e-mail address"
"""A kind that needs no hiding behind what is hidden: nobody's, without what stands before its @."""


class SecretSpan(NamedTuple):
    """Place and kind of a secret in a text."""

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> list[SecretSpan]:
    """Return the secrets in a text in order; those that overlap are one, of the first's kind."""
    found = [*_all(text)]
    if (plain := _unquoted(text)) != text:
        found += _all(plain, said=text)
    return _apart(_outside_binary(text, found) if found else found)


def _unquoted(text: str) -> str:
    """Return a text in which fields of JSON read as words do, each character at its place."""
    if not _FIELD.search(text):
        return text
    plain = _ESCAPED.sub(lambda found: f" {_ESCAPES.get(found[1], ' ')}", text)
    return _FIELD.sub(_in_words, plain)


def _in_words(field: re.Match[str]) -> str:
    """Return a field in quotes as its last words, as long as before."""
    room = len(field[0]) - len(field[2])  # that of the quotes: "dbPassword" as db_Password
    words = _HUMPS.split(field[2])
    first = max(len(words) - room, 1)
    return "_".join(["".join(words[:first]), *words[first:]]).center(len(field[0]))


def _outside_binary(text: str, spans: Iterable[SecretSpan]) -> Iterator[SecretSpan]:
    """Yield the spans that are not within a picture or a sound, where all is found by chance."""
    parts = [part.span() for part in _BINARY.finditer(text)]
    for span in spans:
        before = bisect_left(parts, (span.start, 0))
        outside = not before or span.start >= parts[before - 1][1]
        if outside or span.kind in _ISSUED or text.startswith("eyJ", span.start):
            yield span


_FIELD: Final = re.compile(r"""\\{0,7}(["'])([\w .-]{1,64})\\{0,7}\1(?=\s{0,3}:)""")
_HUMPS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ESCAPED: Final = re.compile(r"""\\([nr"'\\/])""")
_ESCAPES: Final = {"n": "\n", "r": "\n", '"': '"', "'": "'"}
# A path and a ruled line are long, too; but of what is binary the first 128 characters mix all.
_BINARY: Final = re.compile(
    r"(?<=;base64,)[A-Za-z0-9+/_-]{16,}|(?<![A-Za-z0-9])[A-Za-z0-9]{512,}"
    r"|(?<![A-Za-z0-9+/_-])(?=[a-z0-9+/_-]{0,127}[A-Z])(?=[A-Z0-9+/_-]{0,127}[a-z])"
    r"(?=[A-Za-z+/_-]{0,127}\d)[A-Za-z0-9+/_-]{512,}"
)
_ISSUED: Final = frozenset({"key", "private key"})
"""Kinds that are known by how they begin, which hardly anything does by chance."""


PERSONAL: Final = frozenset({"e-mail address", "phone number"})
"""Kinds of which a sentence says enough without them."""


def as_kept(said: str) -> str:
    """Return a sentence as it may be kept: "" for one that has a key, others without addresses."""
    finder = SecretFinder()
    if any(span.kind not in PERSONAL for span in finder.find(said)):
        return ""
    return finder.redact(said)


def lines_as_kept(text: str) -> list[tuple[str, str]]:
    """Return the lines of a text, each with what of it may be kept: "" where it has a key."""
    # In the whole text, for a key of several lines is known by its first one alone.
    keys = [span for span in find_secrets(text) if span.kind not in PERSONAL]
    found: list[tuple[str, str]] = []
    start = 0
    for whole in text.splitlines(keepends=True):
        line, end = whole.rstrip("\r\n"), start + len(whole)
        in_key = any(span.start < end and start < span.end for span in keys)
        found.append((line, "" if in_key else as_kept(line) if line.strip() else line))
        start = end
    return found


def _apart(spans: Iterable[SecretSpan]) -> list[SecretSpan]:
    kept: list[SecretSpan] = []
    # The longest first of those that begin together, or its end would stay readable.
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
        elif span.end > kept[-1].end and span.kind != _ADDRESS:
            kept[-1] = kept[-1]._replace(end=span.end)
    return kept


class SecretFinder:
    """
    Finder of secrets, which puts something in their place.

    Args:
        more: finds others than these rules do, such as ``presidio.find_identities``.
        salt: keys the letters by which redacted labels are told apart, at most 64 bytes.

    """

    def __init__(
        self, more: Callable[[str], Iterable[SecretSpan]] | None = None, *, salt: bytes = b""
    ) -> None:
        self._more = more
        self._salt = salt
        # The labels of a conversation come with each of its turns.
        self.redact_label = lru_cache(_LABELS_KEPT)(self._redact_label)
        self.label_kinds = lru_cache(_LABELS_KEPT)(self.kinds)

    def find(self, text: str) -> list[SecretSpan]:
        """Return the secrets in a text in order, as ``find_secrets`` does."""
        found = find_secrets(text)
        return found if self._more is None else _apart([*found, *self._more(text)])

    def redact(
        self,
        text: str,
        name: Callable[[str, str], str] = lambda kind, _: f"[{kind}]",
        *,
        label: str = "",
    ) -> str:
        """
        Return a text with each secret replaced by its kind, such as ``[card number]``.

        ``name``: what stands in the place of a secret, of its kind and itself. ``label``: what the
        text is called where it stands, such as "password".
        """
        # Many a value is known for a secret only by the word before it, so that is read, too.
        before = f"{as_words(label)}: " if label else ""
        if is_call_id(text, label):
            before = as_id("", label)[:-1]
        parts, end, said = [], len(before), before + text
        for span in self.find(said):
            if span.end > end:
                # What lies in the label is not of this text.
                start = max(span.start, end)
                parts += [said[end:start], name(span.kind, said[start : span.end])]
                end = span.end
        return "".join([*parts, said[end:]])

    def kinds(self, text: str) -> tuple[str, ...]:
        """Return the kinds of the secrets in a text, in alphabetical order."""
        return tuple(sorted({span.kind for span in self.find(text)}))

    def _redact_label(self, label: str) -> str:
        """
        Return a label, such as a speaker or a source, with each secret replaced: ``redact_label``.

        Labels are keys: turns of one session belong together, and those of two do not. So a secret
        that tells one person or account from another is replaced by its kind and letters, such as
        ``[phone number kqzv]``, always the same in a store; of any other only the kind is left, for
        an address is the same with another password. The letters tell little of what they stand
        for: of 456,976 numbers one has the same.
        """

        def name(kind: str, secret: str) -> str:
            if kind not in _TELLING_APART:
                return f"[{kind}]"
            # One number is written with blanks and without, and must stay one label.
            plain = "".join(c for c in secret.casefold() if c.isalnum())
            return f"[{kind} {letters_of(plain.encode(), key=self._salt)}]"

        return self.redact(label, name)

    def redact_all(self, value: Any) -> Any:  # noqa: ANN401 - JSON
        """Return JSON with each secret in its texts replaced by its kind, whatever its fields."""

        def shown(text: str, field: str) -> str:
            if field in LABELS:
                return self.redact_label(text)
            return self.redact(text, label=field if is_call_id(text, field) else "")

        return change_texts(value, shown)

    def redact_fields(self, value: Any, rename: Callable[[str], str] = str) -> Any:  # noqa: ANN401
        """
        Return metadata likewise, where the name of a field may tell that it is a secret.

        ``rename``: what becomes of those that are names of somebody's; nothing, unless given.
        """
        return change_texts(
            value,
            lambda text, label: self.redact(text, label=label),
            names=NAMES,
            rename=rename,
        )


_LABELS_KEPT: Final = 4096
"""Labels whose masked form is remembered: speakers and sources, of which a bank has few, are asked
for with every hit."""
_TELLING_APART: Final = frozenset(
    {"e-mail address", "phone number", "card number", "account number", "identity number"}
)
"""Kinds of secrets that tell one person or account from another."""
_LETTERS: Final = 4
"""Letters in place of a secret, 456 976 of them: two secrets of a bank hardly share theirs."""


def letters_of(secret: bytes, *, key: bytes = b"") -> str:
    """Return four letters that are always the same for a secret under a key."""
    number = int.from_bytes(blake2b(secret, key=key, digest_size=8).digest())
    return "".join(ascii_lowercase[number // 26**n % 26] for n in range(_LETTERS))


def stands_for_several(label: str) -> bool:
    """Return whether a redacted label may be that of several: "notes-[token]" has no letters."""
    kinds = {kind for kind, _ in _KINDS.values()} - _TELLING_APART
    return any(f"[{kind}]" in label for kind in kinds)


def relabelled(labels: Mapping[str, str | None], change: Callable[[str], str]) -> dict[str, Any]:
    """
    Return labels changed, by name, where an address that begins with its source still does.

    Of "trip.md#chunk-3" the source is found by what stands before the mark.
    """
    address = labels["address"]
    made: dict[str, Any] = {
        name: label and change(label) for name, label in labels.items() if name != "address"
    }
    for name in ("source", "session"):
        whole = labels[name]
        if address and whole and address.startswith(f"{whole}#"):
            return {**made, "address": made[name] + change(address[len(whole) :])}
    return {**made, "address": address and change(address)}


def _all(text: str, said: str | None = None) -> Iterator[SecretSpan]:
    """Yield the secrets of a text; ``said``: as it was before its fields were made words."""
    said = text if said is None else said
    for name, expression in pattern_list("secrets"):
        if name not in _KINDS:  # it is a part of others
            continue
        kind, holds = _KINDS[name]
        for found in _compiled(expression).finditer(text):
            groups = found.re.groupindex
            part = next((g for g in _PARTS if g in groups and found[g]), 0)
            start, end = found.span(part)
            if part == "bare":  # not the sentence's own end
                end = start + len(text[start:end].rstrip(".!?:)]}>*…。"))
            rule = _is_quoted_password if part == "quoted" else holds
            if kind in _NUMBERS and _is_within_hash(text, start, end):
                continue
            if (kind in _OF_NO_ID or name == "labelled") and _is_id(said, start, end):
                continue
            if rule is None or rule(text[start:end]):
                yield SecretSpan(kind, start, end)


def _is_within_hash(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text is within a hexadecimal word, as an id or a hash is."""
    first, last = start, end
    while first > max(0, end - _LONGEST_HASH) and text[first - 1] in hexdigits:
        first -= 1
    while last < min(len(text), first + _LONGEST_HASH) and text[last] in hexdigits:
        last += 1
    alone = not (text[first - 1 : first].isalnum() or text[last : last + 1].isalnum())
    return alone and last - first >= max(_SHORTEST_HASH, end - start + 1)


def _is_id(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text is in the id of a call, or in that of some JSON."""
    before = text[max(0, start - _LONGEST_ID) : start]
    if _BEFORE_ID.search(before):
        return True
    of_call = _OF_CALL.search(before)
    tail = _REST.match(text, end)
    return (
        of_call is not None
        and tail is not None
        and text[start:end].isalnum()
        and len(of_call[1]) + tail.end() - start >= _SHORTEST_ID
    )


_BEFORE_ID: Final = re.compile(
    r"""(["'])(?:id|(?:tool_)?call_id)\\{0,7}\1\s{0,2}:\s{0,2}\\{0,7}["']?[\w:.-]{0,256}$"""
)
_OF_CALL: Final = re.compile(
    r"(?<![^\W_])(?:call|toolu|tooluse|srvtoolu|run|msg|fc|resp|rs|step|thread|pyd_ai)_"
    r"([A-Za-z0-9]{0,64})$"
)
"""Beginnings of the ids that frameworks give."""
_REST: Final = re.compile(r"[A-Za-z0-9]{0,64}(?![\w-])")
_SHORTEST_ID: Final = 16
"""Characters of the id of a call: frameworks give more, and a shorter value may be a secret. Set by
hand."""
_LONGEST_ID: Final = 300
"""Characters before a value in which an id is looked for, whatever the length of the text."""
_NUMBERS: Final = frozenset({"phone number", "card number", "account number", "identity number"})
"""Kinds of which a hash has some by chance: one in 1,600 ids of 24 digits has a card's."""
_OF_NO_ID: Final = _NUMBERS | {"password", "code"}
"""Kinds of which an id is none, though it looks like one or has the word for it."""
_SHORTEST_HASH: Final = 20
"""Characters of a hexadecimal word that is an id or a hash: more than the 19 digits of a card,
which is no hash."""
_LONGEST_HASH: Final = 128
"""Characters of the longest, a SHA-512; more are not looked at."""


_PARTS: Final = ("value", "quoted", "bare")
"""The groups of an expression that are the secret."""


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


def _is_password(value: str) -> bool:
    """Return whether a value after the word password may be one: few plain words are."""
    # Shorter ones are words like "is" or "for", which follow "password" all the time.
    if len(value) < 4 or value.lower() in _NO_PASSWORDS or "://" in value:
        return False
    if re.search(r"[()\[\]{}<>]|^[$£€]", value) or sum(c.isalnum() for c in value) < 3:
        return False  # of a program, a price, a mark
    # A first capital alone is a sentence's or a name's.
    mixed = any(c.isupper() for c in value[1:]) and any(c.islower() for c in value)
    return mixed or any(c.isdigit() for c in value) or bool(re.search(r"[^\w\s'’-]|_", value))


def _is_strong(value: str) -> bool:
    """Return whether a value is a password though nothing says so but the word beside it."""
    letters, digits = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    return letters and digits and _is_password(value)


def _is_phrase(value: str) -> bool:
    """Return whether words are strung together by chance: no sentence has none of its grammar."""
    words = re.split(r"[ -]", value)
    told = words[0].endswith("ed") or not _OF_PHRASES.isdisjoint(words)
    return not told and not any(word in word_set(name) for word in words for name in _GRAMMAR)


def _is_quoted_password(value: str) -> bool:
    return value.lower() not in _NO_PASSWORDS and any(c.isalnum() for c in value)


_GRAMMAR: Final = ("function_words", "adverbs", "irregular_participles", "irregular_past_forms")
_OF_PHRASES: Final = frozenset({"phrase", "phrases", "word", "words", "letters", "characters"})
"""Words for a phrase, which tell of one and are in none."""
_NO_PASSWORDS: Final = frozenset(
    {"n/a", "none", "null", "true", "false", "required", "optional", "the", "not", "wrong", "****"}
)
_LEAST_BITS: Final = 2.5
"""Entropy of the characters of a key; that of an example such as "xxxx-xxxx" is less. Set by
hand."""


def _is_random(value: str) -> bool:
    """Return whether a value has as many different characters as chance would give it."""
    counts = Counter(value)
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return bits > _LEAST_BITS


def _is_phone(value: str) -> bool:
    return 8 <= sum(c.isdigit() for c in value) <= 15  # E.164 allows no more; fewer are a count


_KINDS: Final[dict[str, tuple[str, Callable[[str], bool] | None]]] = {
    "key": ("key", _is_random),
    "key_in_connection": ("key", _is_random),
    "private_key": ("private key", None),
    "jwt": ("token", None),
    "bearer": ("token", _is_random),
    "password_in_address": ("password", None),
    "password": ("password", _is_password),
    "password_short": ("password", _is_password),
    "password_contracted": ("password", _is_strong),
    "phrase": ("password", _is_phrase),
    "password_beside": ("password", _is_strong),
    "password_before": ("password", _is_strong),
    "labelled": ("token", _is_random),
    "login_pair": ("password", _is_strong),
    "pin_code": ("code", None),
    "lock_code": ("code", None),
    "code_of_lock": ("code", None),
    "code_before": ("code", None),
    "card": ("card number", is_card),
    "iban": ("account number", is_iban),
    "ssn": ("identity number", None),
    "nino": ("identity number", None),
    "cpf": ("identity number", is_cpf),
    "codice_fiscale": ("identity number", None),
    "dni": ("identity number", is_dni),
    "ahv": ("identity number", is_ahv),
    "nir": ("identity number", is_nir),
    "aadhaar": ("identity number", is_aadhaar),
    "identity": ("identity number", None),
    "account": ("account number", None),
    "email": (_ADDRESS, None),
    "phone": ("phone number", _is_phone),
    "phone_called": ("phone number", _is_phone),
}
"""The kind of what each expression finds, and the rule that it must hold, if there is one."""
