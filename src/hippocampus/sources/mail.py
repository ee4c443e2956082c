"""Read mail, one message or a mailbox: sender, recipients, time, thread and text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from datetime import datetime
from email import message_from_bytes
from email.errors import MessageError
from email.header import Header, decode_header
from email.message import Message
from email.utils import getaddresses
from html import unescape
from typing import NamedTuple, TypeAlias

from hippocampus.core.records import Turn
from hippocampus.core.validation import clean
from hippocampus.errors import SourceError
from hippocampus.sources.base import Item, Raw, SourceProblem, metadata
from hippocampus.sources.repeated import quoted, with_repeated_quoted
from hippocampus.sources.timestamps import read_moment

Mail: TypeAlias = "Message[str, str]"

# A separator is at the start or after an empty line, and holds a time of day; a sentence that
# happens to begin with "From" does not.
_SEPARATOR = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From ([^\n]*+)\n")
_TIME_OF_DAY = re.compile(rb"\d:\d\d")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_MESSAGE_ID = re.compile(r"<([^<>\s]+)>")
_HEADERS = ("From", "Date", "Subject", "Message-ID")
# Codecs of Python that are no charsets: they would make other text of it, or fail.
_NOT_CHARSETS = {"unicode_escape", "raw_unicode_escape", "idna", "punycode", "undefined"}
_DEPTH = 50
"""Levels of parts within parts that are read: each forwarded mail adds one or two, and what lies
deeper is left out. Chosen by hand."""
_QUOTES = 5
"""Marks before a line that is quoted within quotations; deeper ones look alike. Chosen by hand."""
_SUBJECT_CHARS = 1000
"""Of a subject that metadata have, with each part of a long text; the text has all of it."""
# Possessive throughout: whoever wrote the page, no part of it is matched in two ways.
_TAG_NAME = re.compile(r"<(?:(/?)([a-zA-Z][^\s/>]{0,64}+)|[!?/]())")
_TAG_REST = re.compile(r"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+'|(?!["'])))*+>""")
_RAW = {tag: re.compile(rf"</{tag}\b", re.IGNORECASE) for tag in ("script", "style")}
"""Tags whose inside is no HTML, and what ends it."""
_LONG_REFERENCE = re.compile(r"&#(?:[0-9]{8,}+|[xX][0-9a-fA-F]{7,}+);?")
"""A character's number that no character has; Python refuses to read thousands of digits."""
_HIDDEN = {"script", "style", "head", "title", "template"}
_INLINE = set(
    "a abbr b bdi bdo cite code em font i img mark q s small span strong sub sup tt u var wbr".split()  # noqa: E501
)


def read_eml(raw: Raw) -> Iterator[Item]:
    """Yield a file that is one message."""
    yield _Mailbox(raw).turn(_unmarked(raw), raw.path)


def read_mbox(raw: Raw) -> Iterator[Item]:
    """Yield the messages of a mailbox, in its order."""
    mails = _unmarked(raw)
    lines = _SEPARATOR.finditer(mails)
    separators = [line for line in lines if _TIME_OF_DAY.search(line[1])]
    if not separators:
        raise SourceError("not a mailbox: no line 'From address date'", path=raw.path)
    mailbox = _Mailbox(raw)
    ends = [separator.start() for separator in separators[1:]] + [len(mails)]
    for number, (separator, end) in enumerate(zip(separators, ends, strict=True), 1):
        address = f"{raw.path}#message-{number}"
        data = _QUOTED_FROM.sub(rb"\1", mails[separator.end() : end])
        try:
            yield mailbox.turn(data, address)
        except SourceError as exc:
            reason = str(exc).removeprefix(f"{address}: ")
            yield SourceProblem(path=address, reason=reason)


def _unmarked(raw: Raw) -> bytes:
    """Return the bytes of mail behind a byte order mark, which programs of Windows put there."""
    return raw.data.removeprefix(codecs.BOM_UTF8)


class _Mailbox:
    """Messages being read, and the threads they have shown so far."""

    def __init__(self, raw: Raw) -> None:
        self.raw = raw
        self.threads: dict[str, str] = {}

    def turn(self, data: bytes, address: str) -> Turn:
        """Return a message as a turn, its subject in front of its text."""
        try:
            mail = message_from_bytes(data)
            if not any(name in mail for name in _HEADERS):
                msg = f"not mail: none of {', '.join(_HEADERS)}"
                raise SourceError(msg, path=address)
            text, attachments = _body(mail)
        except RecursionError as exc:
            raise SourceError("its parts are nested too deeply to read", path=address) from exc
        subject = _header(mail, "Subject")
        text = with_repeated_quoted(text, subject)
        if not text and not subject:
            raise SourceError("holds no text", path=address)
        name, sender = next(iter(_addresses(mail, "From")), ("", ""))
        recipients = [*_addresses(mail, "To"), *_addresses(mail, "Cc")]
        return Turn(
            text=f"Subject: {subject}\n\n{text}".strip() if subject else text,
            at=self._at(mail),
            speaker=name or sender or None,
            session=self._thread(mail, address),
            source=self.raw.path,
            address=address,
            metadata=metadata(
                subject=subject[:_SUBJECT_CHARS],
                sender=sender,
                to=[name or at for name, at in recipients if name or at],
                attachments=attachments,
            ),
        )

    def _at(self, mail: Mail) -> datetime:
        return read_moment(_header(mail, "Date")) or self.raw.modified

    def _thread(self, mail: Mail, address: str) -> str:
        """Return the first message of the thread: what all its messages have in common."""
        own = _MESSAGE_ID.findall(_header(mail, "Message-ID"))[:1]
        before = _MESSAGE_ID.findall(_header(mail, "References"))
        before += _MESSAGE_ID.findall(_header(mail, "In-Reply-To"))
        known = (self.threads[name] for name in before if name in self.threads)
        thread = next(known, None) or next(iter(before + own), address)
        for name in before + own:
            self.threads.setdefault(name, thread)
        return thread


def html_text(html: str) -> str:
    """
    Return the visible text of a page, a line per block; in linear time, whatever it holds.

    What is quoted has a mark before each line, as in plain text: it is another one's words.
    """
    seen: list[str] = []
    hidden = quotes = 0
    for data, tag, closing in _html_tokens(html):
        if data:
            if not hidden:
                plain = unescape(_LONG_REFERENCE.sub("\ufffd", data))
                seen.append(re.sub(r"\s+", " ", plain))
            continue
        if tag == "body":  # a head that nobody closed ends here
            hidden = 0
        elif tag in _HIDDEN:
            # More may be closed than was opened.
            hidden = max(0, hidden + (-1 if closing else 1))
        if tag == "blockquote":
            quotes = max(0, quotes + (-1 if closing else 1))
        if tag not in _INLINE:
            item = "- " if tag == "li" and not closing else ""
            seen.append("\n" + "> " * min(quotes, _QUOTES) + item)
    return _tidy("".join(seen))


def _html_tokens(html: str) -> Iterator[tuple[str, str, bool]]:
    """
    Yield the tokens of a page: (text, "", False), or ("", tag, whether it is a closing one).

    As a browser reads it, but for what does not show: comments, declarations, scripts and styles
    are passed over, and a tag that does not end is text. Each character is looked at a bounded
    number of times: once a search has met the end of the page, the like of it is not made again.
    """
    at, quotes = 0, True
    while (start := html.find("<", at)) >= 0:
        if start > at:
            yield html[at:start], "", False
        if html.startswith("<!--", start):
            stop = html.find("-->", start + 4)
            at = stop + 3 if stop >= 0 else len(html)
            continue
        opening = _TAG_NAME.match(html, start)
        if opening is None:
            yield "<", "", False
            at = start + 1
            continue
        end = _TAG_REST.match(html, opening.end()) if quotes else None
        if end is None:
            quotes = False  # one was opened and never closed
            at = html.find(">", opening.end()) + 1
            if not at:
                yield html[start:], "", False
                return
        else:
            at = end.end()
        tag, closing = (opening[2] or "").lower(), bool(opening[1])
        if not tag:  # <!DOCTYPE ...>, <?xml ...>
            continue
        if tag in _RAW and not closing and html[at - 2] != "/":
            over = _RAW[tag].search(html, at)
            at = over.start() if over else len(html)
        # A tag that closes itself has nothing inside that it could hide.
        if html[at - 2 : at] != "/>" or tag not in _HIDDEN:
            yield "", tag, closing
    if at < len(html):
        yield html[at:], "", False


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) if line.strip("> ") else "" for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


class _SaidOnce(NamedTuple):
    """Texts of a message that say the same in two ways, or one text that stands alone."""

    plain: list[str]
    html: list[str]
    forwarded: bool

    @property
    def text(self) -> str:
        """The plain text, or what a page shows where there is none."""
        plain = "\n\n".join(filter(None, (part.strip() for part in self.plain)))
        text = plain or "\n\n".join(filter(None, map(html_text, self.html)))
        return quoted(text) if self.forwarded and text else text


def _body(mail: Mail) -> tuple[str, list[str]]:
    """
    Return the text of a message in order, and its attachments' names.

    Plain text takes the place of a page only where it is offered as the same: a list's footer is
    plain text as well.
    """
    said: list[_SaidOnce] = []
    attachments: list[str] = []
    # Not by recursion: whoever sent it decides how deep its parts are nested.
    waiting: list[tuple[object, int, bool, _SaidOnce | None]] = [(mail, 0, False, None)]
    while waiting:
        part, depth, forwarded, same = waiting.pop()
        if not isinstance(part, Message):
            continue
        kind = part.get_content_type()
        if part.is_multipart():
            forwarded = forwarded or kind == "message/rfc822"
            if same is None and kind == "multipart/alternative":
                said.append(same := _SaidOnce([], [], forwarded))
            inner = part.get_payload()
            if isinstance(inner, list) and depth < _DEPTH:
                waiting += [(each, depth + 1, forwarded, same) for each in reversed(inner)]
            continue
        name = _file_name(part)
        if name or part.get_content_disposition() == "attachment":
            attachments.append(name or kind)
        elif kind in {"text/plain", "text/html"}:
            if same is None:
                said.append(same := _SaidOnce([], [], forwarded))
            (same.plain if kind == "text/plain" else same.html).append(_part_text(part))
    return "\n\n".join(filter(None, (one.text for one in said))), attachments


def _file_name(part: Mail) -> str | None:
    try:
        return _decoded(part.get_filename() or "") or None
    except (LookupError, ValueError):  # a charset in the name's encoding that there is not
        return "unnamed"


def _part_text(part: Mail) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        charset = part.get_content_charset() or "utf-8"
    except (LookupError, ValueError):
        charset = "utf-8"
    return clean(_decode(data, charset)).replace("\r\n", "\n").replace("\0", "\ufffd")


def _decode(data: bytes, charset: str) -> str:
    """Decode with the charset that is claimed, or else with one that fits."""
    try:
        if codecs.lookup(charset).name.replace("-", "_") not in _NOT_CHARSETS:
            # What claims to be ASCII is often UTF-8, and ASCII reads the same as either.
            return data.decode("utf-8" if charset.lower() == "us-ascii" else charset)
    except (LookupError, ValueError):
        pass
    # What is no UTF-8 hardly ever reads as it; nearly anything reads as cp1252, so that comes last.
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _addresses(mail: Mail, name: str) -> list[tuple[str, str]]:
    """Return the (name, address) of whom a header names."""
    # Parted before it is decoded: an encoded name may have a comma in it ("Doe, Jane").
    written = " ".join(_written(mail, name).split())
    found = getaddresses([written])
    if not any("@" in address for _, address in found):  # as where the addresses are encoded, too
        found = getaddresses([_decoded(written)])
    return [(_decoded(who), _decoded(address)) for who, address in found]


def _header(mail: Mail, name: str) -> str:
    """Return a header as one line of text; empty when there is none."""
    return _decoded(_written(mail, name))


def _written(mail: Mail, name: str) -> str:
    """Return a header as it is written, with its encoded words."""
    value: object = mail.get(name, "")
    if isinstance(value, Header):  # of bytes that are not ASCII, as newer programs send UTF-8
        return "".join(_decode(part, charset or "utf-8") for part, charset in decode_header(value))
    return str(value)


def _decoded(value: str) -> str:
    try:
        parts = decode_header(value)
    except (MessageError, ValueError):  # broken base64
        parts = [(value, None)]
    words = (
        part if isinstance(part, str) else _decode(part, charset or "utf-8")
        for part, charset in parts
    )
    return clean(" ".join("".join(words).split()))
