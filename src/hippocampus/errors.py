"""
The tree of errors, which a caller can catch at any height.

* HippocampusError
  + InputError            the caller passed something we cannot use
    - InvalidText         text that cannot be stored as it is: blank, lone surrogates
    - SecretRefused       it holds a secret, and none may be kept
    - FloodRefused        more from one origin within an hour than may come in
    - TextTooLong         more text in one call than the cap allows
    - InvalidTime         a time we cannot read or represent
    - InvalidFilter       a filter with an unknown field, operator or operand
    - UnknownArgument     a verb has no argument of that name
    - InvalidScope        a bank name that is empty, missing or malformed
    - BudgetTooSmall      a token budget that cannot hold even the frame
    - UnknownBank
    - UnknownEpisode
    - UnknownSource
    - UnknownEvent        nothing in the bank tells of an event that a filter names
    - ListChanged         a list was read further since the page before; begin it anew
    - AmbiguousId         the beginning of an id is that of several
    - NotRecorded         a cassette is asked for what it has not recorded
    - SourceError         a file could not be read as a memory source
    - OutputError         a file could not be written
    - OutputExists        something is there already; nothing is written over unasked
  + StoreError            the database said no
    - StoreLocked         another process holds the write lock for too long
    - StoreOvertaken      another server wrote the same bank first, again and again
    - ErasurePending      it is done, but the file may hold bytes of it until it is next used
    - StoreUnreachable    its database is not there, or went away
    - StoreBehind         it is not as new as what somebody has seen of it
    - StoreTooNew         written by a later version than this one
    - StoreCorrupt        damaged bytes: a checksum, length or structure is wrong
    - StoreFull           the disk is full
    - StoreReadOnly       the file or its folder cannot be written
    - NotAStore           the file is something else
    - StoreEncrypted      it is encrypted, and no key was given
    - WrongKey            the key that was given does not open it, or cannot be had
    - StoreReplaced       its file was deleted, moved or replaced while it was open
    - StoreClosed         used after close
  + EncoderError          a model could not be loaded or run
    - ModelNotInstalled   the weights are not on this machine
    - EmbedderMismatch    the store's vectors come from another embedder
    - SignatureMismatch   the store's tokens were signed otherwise
    - ModelError          a language model was asked in vain, as one of the next four
    - ModelUnavailable    its server is not there, or has no room, after every attempt
    - ModelTimeout        it did not answer in time
    - ModelRefused        its server does not take the request: a key, a name, a length
    - ModelAnswer         what it answered is not what it was asked for
  + AccessError           a server does not let this key do that
    - Unauthorized        there is no key, or none that the server knows
  + Overloaded            a server has no room for this now; it says when to try again
    - RateLimited         this key asks more often than it may
  + ServerError           a server was asked in vain, as one of the next three
    - ServerUnavailable   it is not there, or was gone before it had answered
    - ServerTimeout       it did not answer in time
    - ServerMismatch      it is no server of hippocampus, or one of another version
  + OverBudget            the call took or wrote more than its budget allows
    - Cancelled           whoever asked has called it off
  + MissingExtra          an optional dependency is not installed
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


DISTRIBUTION = "hippocampus-memory"
"""Name of the package to install. Another project owns ``hippocampus`` on PyPI."""
VERSION = "0.1.0"
"""The distribution's, which ``importlib.metadata`` would say, too, but twenty times as slowly."""
BENCH = "hippocampus-bench"
"""The distribution of this project that measures this one, and brings the command ``bench``."""


class HippocampusError(Exception):
    """Anything this package raises on purpose."""

    __str__ = Exception.__str__
    """The message, whatever built-in error one is as well: ``KeyError`` would quote it."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        """Be pickled and copied by message and attributes; initialisers take other arguments."""
        return _revive, (type(self), self.args, dict(self.__dict__))


def _revive(
    kind: type[HippocampusError], args: tuple[object, ...], attributes: dict[str, object]
) -> HippocampusError:
    builtin: Any = kind
    while builtin.__module__ != "builtins":  # of several, the one whose fields the error has
        builtin = builtin.__base__
    error: HippocampusError = builtin.__new__(kind, *args)
    error.args = args  # not so of an OSError that is not initialised
    error.__dict__.update(attributes)
    return error


# ---------------------------------------------------------------- what the caller passed


class InputError(HippocampusError, ValueError):
    """The caller passed something we cannot use. Nothing was stored or changed."""


class InvalidText(InputError):
    """The text cannot be stored byte for byte, or holds nothing to remember."""


class SecretRefused(InputError):
    """A text holds what looks like a secret, and none may be kept; see ``Secrets``."""


class FloodRefused(InputError):
    """Others would bring more into a bank within an hour than they may; see ``Flood``."""


class TextTooLong(InputError):
    """More text in one call than the cap allows; raise ``Ingest.max_text_bytes`` or split it."""


class InvalidTime(InputError):
    """A time that cannot be read, or lies outside the years 1 to 9999."""


class InvalidFilter(InputError):
    """A filter names an unknown field or operator, or compares with the wrong kind of value."""


class UnknownArgument(InvalidFilter, TypeError):
    """
    A verb has no argument of that name; the message leads to the one that is meant.

    A filter that is none is one of them, so whoever catches ``InvalidFilter`` has it as well.
    """


class InvalidScope(InputError):
    """A bank name is required: there is no default scope and no way to mean 'all of them'."""


class BudgetTooSmall(InputError):
    """The token budget cannot hold even the fixed parts of the context."""

    def __init__(self, *, budget_tokens: int, needed_tokens: int) -> None:
        super().__init__(
            f"budget_tokens={budget_tokens} cannot hold the frame, which needs {needed_tokens};"
            " raise the budget or shorten the system, persona or summary text"
        )
        self.budget_tokens = budget_tokens
        self.needed_tokens = needed_tokens


class UnknownBank(InputError, KeyError):
    """No bank of that name is in the store."""


class UnknownEpisode(InputError, KeyError):
    """No episode with that id is in the bank."""


class UnknownSource(InputError, LookupError):
    """Nothing in the bank is from a source of that name."""


class UnknownEvent(InputError, LookupError):
    """Nothing in the bank tells of the event whose time was asked for."""


class ListChanged(InputError):
    """A list of a server was read further since the page before. Ask without the cursor, anew."""


class AmbiguousId(InputError, LookupError):
    """The beginning of an id, where several ids begin so; the message names them."""


class NotRecorded(InputError, LookupError):
    """A cassette that replays was asked for what it has not recorded. Record it again."""


# ---------------------------------------------------------------- what the database said


class StoreError(HippocampusError):
    """The database said no. ``path`` names the store."""

    def __init__(self, message: str, *, path: Path | str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path


class StoreLocked(StoreError, TimeoutError):
    """Another process kept the write lock longer than the timeout. Nothing changed; try again."""


class StoreOvertaken(StoreLocked):
    """
    Another server wrote the same bank at the same time, and was first. Nothing changed; try again.

    A verb does so by itself, a few times.
    """


class ErasurePending(StoreLocked):
    """
    Pending erasure: out of every table, but perhaps not yet out of the bytes of the store's files.

    The store knows: the next erasure, opening or closing of it takes them out.
    """


class StoreUnreachable(StoreError, ConnectionError):
    """
    The database that the store is in is not there, or went away; nothing was acknowledged.

    Where it went away while it committed, it may be done: the message says so.
    """


class StoreBehind(StoreError):
    """The store is not as new as what somebody has seen of it elsewhere; try again soon."""


class StoreTooNew(StoreError):
    """
    The store was written by a later version of hippocampus than this one.

    Nothing was changed. Upgrade the package, or open a copy made before the upgrade.
    """

    def __init__(self, *, path: Path | str, found: int, supported: int) -> None:
        super().__init__(
            f"store format {found} is newer than {supported}, the newest this version reads;"
            f" upgrade with 'pip install -U {DISTRIBUTION}', or open an older backup",
            path=path,
        )
        self.found = found
        self.supported = supported


class StoreCorrupt(StoreError):
    """Bytes in the store are not what was written. ``hippocampus verify`` says how far it goes."""


class StoreFull(StoreError, OSError):
    """The disk is full. The write was rolled back; what was stored before is intact."""


class StoreReadOnly(StoreError, PermissionError):
    """The file or its folder cannot be written by this user."""


class NotAStore(StoreError):
    """The file exists and is not a hippocampus store. It was left untouched."""


class StoreEncrypted(StoreError):
    """The store is encrypted and was opened without a key. It was left untouched."""


class WrongKey(StoreError):
    """A key does not open the store, or cannot be had from where it should come from."""


class StoreReplaced(StoreError):
    """The store's file was deleted, moved or replaced while it was open. Nothing was kept."""


class StoreClosed(StoreError):
    """The memory was used after it was closed."""


# ---------------------------------------------------------------- models


class EncoderError(HippocampusError, RuntimeError):
    """A model could not be loaded or run."""


class ModelNotInstalled(EncoderError):
    """The weights are not on this machine. Nothing is downloaded without being asked."""


class EmbedderMismatch(EncoderError):
    """The store's vectors come from another embedder than the one configured."""

    def __init__(self, *, stored: str, configured: str) -> None:
        super().__init__(
            f"the store's vectors were made by {stored}, but the configured embedder is"
            f" {configured}; choose the former (embedder=, --embedder), or run"
            " 'hippocampus reembed' to move the store to the latter"
        )
        self.stored = stored
        self.configured = configured


class SignatureMismatch(EncoderError):
    """The store's tokens were signed with other parameters than those configured."""

    def __init__(self, *, stored: str, configured: str) -> None:
        super().__init__(
            f"the store's tokens were signed with {stored}, but configured is {configured}; leave"
            " Config.signatures out to go on with the former, or run 'hippocampus reindex"
            " --no-signatures', which drops them, and open it again with the latter"
        )
        self.stored = stored
        self.configured = configured


class ModelError(EncoderError):
    """A language model was asked in vain. What depends on it goes on without."""


class ModelUnavailable(ModelError, ConnectionError):
    """The server is not there, is broken or has no room, and was tried as often as allowed."""


class ModelTimeout(ModelError, TimeoutError):
    """The whole answer, further attempts included, did not come in time."""


class ModelRefused(ModelError):
    """The server does not take the request; asking again would not help. ``status`` is HTTP's."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


class ModelAnswer(ModelError, ValueError):
    """
    The model answered, and not what it was asked for.

    ``usage``: the tokens that took, a ``Usage``; None if they are not known.
    """

    def __init__(self, message: str, *, usage: object = None) -> None:
        super().__init__(message)
        self.usage = usage


# ---------------------------------------------------------------- servers


class AccessError(HippocampusError, PermissionError):
    """The key is known, and not allowed to do that. Nothing was changed."""


class Unauthorized(AccessError):
    """A key is needed, and there is none, or none that the server knows."""


class Overloaded(HippocampusError, TimeoutError):
    """More was asked than the server takes; try again after ``retry_after_s``."""

    def __init__(self, message: str, *, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RateLimited(Overloaded):
    """More often than this key, or this address, may ask."""


class ServerError(HippocampusError):
    """
    A server was asked in vain. ``url`` is its address.

    ``begun``: whether it may have done what it was asked to; False when it surely has not.
    """

    def __init__(self, message: str, *, url: str, begun: bool = True) -> None:
        super().__init__(f"{url}: {message}")
        self.url = url
        self.begun = begun


class ServerUnavailable(ServerError, ConnectionError):
    """The server is not there, or was gone before it had answered, after every attempt."""


class ServerTimeout(ServerError, TimeoutError):
    """The server did not answer in time."""


class ServerMismatch(ServerError, ValueError):
    """The server that answers is none of hippocampus, or one of another version."""


# ---------------------------------------------------------------- files and packages


class SourceError(InputError):
    """A file could not be read as a memory source. ``path`` names it."""

    def __init__(self, message: str, *, path: Path | str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path


class OutputError(InputError, OSError):
    """A file could not be written. What was there before is as it was. ``path`` names it."""

    def __init__(self, message: str, *, path: Path | str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path


class OutputExists(OutputError, FileExistsError):
    """Something is there already. Databases are never written over, files only when asked to."""


class OverBudget(HippocampusError, TimeoutError):
    """The call took longer, or would write more, than its ``Budget`` allows."""


class Cancelled(OverBudget):
    """Whoever asked has called it off."""


class MissingExtra(HippocampusError, ImportError):
    """
    An optional dependency is not installed; the message is the line that installs it.

    ``extra`` is the extra of this distribution that brings the package; None where the package is
    installed by its own name.
    """

    def __init__(self, feature: str, *, package: str, extra: str | None) -> None:
        wanted = package if extra is None else f"'{DISTRIBUTION}[{extra}]'"
        super().__init__(f"{feature} needs the package {package!r}: pip install {wanted}")
        self.feature = feature
        self.package = package
        self.extra = extra
