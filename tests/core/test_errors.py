"""Every error is pickled and copied whole, and so comes back from another process."""

import copy
import inspect
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from hippocampus import Memory, errors
from hippocampus.errors import HippocampusError, NotAStore

GIVEN = {
    "message": "what went wrong", "path": "/somewhere/memory.db", "url": "http://127.0.0.1:1",
    "feature": "the server", "package": "fastapi", "extra": "server", "stored": "a",
    "configured": "b", "budget_tokens": 7, "needed_tokens": 400, "found": 9, "supported": 4,
    "status": 400, "retry_after_s": 1.5, "usage": None, "begun": False,
}  # fmt: skip
CLASSES = [
    kind
    for kind in vars(errors).values()
    if inspect.isclass(kind) and issubclass(kind, HippocampusError)
]


def pickled(error):
    return pickle.loads(pickle.dumps(error))  # noqa: S301 - our own


def made(kind):
    """Return an error of a class, made as its initialiser wants it."""
    signature = inspect.signature(kind.__init__)
    named = [one for one in signature.parameters.values() if one.name in GIVEN]
    if not named:
        return kind("what went wrong")
    by_place = [GIVEN[one.name] for one in named if one.kind is not one.KEYWORD_ONLY]
    by_name = {one.name: GIVEN[one.name] for one in named if one.kind is one.KEYWORD_ONLY}
    return kind(*by_place, **by_name)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_an_error_comes_back_with_its_message_attributes_and_notes(kind, again):
    error = made(kind)
    error.add_note("in turn 3 of this call")
    back = again(error)

    assert type(back) is kind
    assert (str(back), back.args, vars(back)) == (str(error), error.args, vars(error))
    assert ["in turn 3 of this call"] == back.__notes__


def open_nothing(path):
    Memory(path, embedder="none", create=False)


@pytest.mark.slow
def test_an_error_of_another_process_reaches_who_asked_for_it(tmp_path):
    path = tmp_path / "no.db"
    path.write_bytes(b"no store, and long enough to be looked at" * 100)
    pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    with pool, pytest.raises(NotAStore) as caught:
        pool.submit(open_nothing, str(path)).result(timeout=60)
    assert str(path) == str(caught.value.path)
