"""Errors as answers: which status each has, and one shape for all."""

from __future__ import annotations

import math
from typing import Final

import msgspec
from starlette.responses import Response

from hippocampus import errors, wire
from hippocampus.errors import HippocampusError, Overloaded, UnknownBank

_STATUS: Final[tuple[tuple[type[HippocampusError], int], ...]] = (
    (errors.UnknownBank, 404),
    (errors.UnknownEpisode, 404),
    (errors.UnknownSource, 404),
    (errors.UnknownEvent, 404),
    (errors.ListChanged, 409),
    (errors.TextTooLong, 413),
    (errors.InputError, 422),
    (errors.Unauthorized, 401),
    (errors.AccessError, 403),
    (errors.RateLimited, 429),
    (errors.Overloaded, 503),
    (errors.StoreLocked, 503),
    (errors.StoreUnreachable, 503),
    (errors.StoreBehind, 503),
    (errors.StoreClosed, 503),
    (errors.WrongKey, 409),
    (errors.StoreFull, 507),
    (errors.StoreReadOnly, 409),
    (errors.ModelTimeout, 504),
    (errors.Cancelled, 499),
    (errors.OverBudget, 504),
    (errors.ModelError, 502),
    (errors.EncoderError, 503),
    (errors.MissingExtra, 501),
)
"""The first that fits; anything else is 500."""
_RETRY_S: Final = 1
"""Seconds after which to try again where nobody knows better."""


class Refused(errors.InputError):
    """A request that cannot be read at all, with the status HTTP has for it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def status_of(exc: HippocampusError) -> int:
    """Return the status of an error."""
    if isinstance(exc, Refused):
        return exc.status
    return next((status for kind, status in _STATUS if isinstance(exc, kind)), 500)


def fault_of(exc: HippocampusError, request_id: str) -> wire.Fault:
    """Return an error as it is told to others: nothing of other banks, nor where the store is."""
    fault = wire.as_fault(exc, request_id)
    if isinstance(exc, UnknownBank):  # the engine's own message names others
        return wire.Fault(type="UnknownBank", message=NO_SUCH_BANK, request_id=request_id)
    if isinstance(exc, Refused):
        return wire.Fault(type="InputError", message=str(exc), request_id=request_id)
    if isinstance(exc, errors.OverBudget):
        return msgspec.structs.replace(fault, message=f"{exc}{_MORE}")
    return fault


_MORE: Final = (
    "; whoever runs the server allows more with 'serve --longest' and Limits.written_bytes, and an"
    " import may take hours"
)
NO_SUCH_BANK: Final = "no such bank, or none that this key opens"


def answer(exc: HippocampusError, request_id: str) -> Response:
    """Return the answer that tells of an error."""
    status = status_of(exc)
    headers = {}
    if isinstance(exc, Overloaded):
        headers["Retry-After"] = str(max(1, math.ceil(exc.retry_after_s)))
    elif status == 503:
        headers["Retry-After"] = str(_RETRY_S)
    elif status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    body = wire.dump_fault(fault_of(exc, request_id))
    return Response(body, status, headers, "application/json")
