"""``immutable`` gives what ``dataclass(frozen=True, slots=True, kw_only=True)`` gives, later."""

import copy
import inspect
import pickle
import threading
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import Generic, TypeVar

import pytest

from hippocampus.core.lazy_dataclass import LazyMethod, immutable
from hippocampus.core.renamed import renamed

T = TypeVar("T")


@immutable
class Point:
    """A point."""

    x: int
    y: int = 0
    tags: list = field(default_factory=list, compare=False)
    hidden: str = field(default="h", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What ``Point`` is compared with."""

    x: int
    y: int = 0
    tags: list = field(default_factory=list, compare=False)
    hidden: str = field(default="h", repr=False)


@immutable
class Named(Point):
    name: str = "n"

    def __post_init__(self):
        if not self.name:
            raise ValueError("a name")


@immutable(kw_only=False)
class Pair(Generic[T]):
    left: T
    right: T


@immutable(eq=False)
class Own:
    x: int


@immutable
class WithItsOwn:
    x: int

    def __repr__(self):
        return "own"

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 7


def fresh():
    """Return a class of which nothing was asked yet."""

    @immutable
    class Fresh:
        x: int

    return Fresh


def waiting(cls):
    return {name for name, method in vars(cls).items() if isinstance(method, LazyMethod)}


def test_nothing_is_compiled_until_the_first_instance_is_made():
    cls = fresh()
    assert waiting(cls) == {"__init__", "__repr__", "__eq__", "__hash__"}
    one = cls(x=1)
    assert waiting(cls) == {"__repr__", "__eq__", "__hash__"}
    assert one == cls(x=1)
    assert not waiting(cls)


@pytest.mark.parametrize(
    ("ask", "answer"), [(repr, "fresh.<locals>.Fresh(x=3)"), (hash, hash((3,))), (fields, 1)]
)
def test_whatever_is_asked_first_is_answered(ask, answer):
    bare = object.__new__(cls := fresh())
    object.__setattr__(bare, "x", 3)
    told = ask(bare)
    assert (len(told) if ask is fields else told) == answer
    assert list(inspect.signature(cls).parameters) == ["x"]


@pytest.mark.parametrize(
    "given", [{"x": 1}, {"x": 1, "y": 2}, {"x": 2, "tags": [1], "hidden": "z"}]
)
def test_an_instance_is_as_that_of_a_dataclass(given):
    ours, theirs = Point(**given), Told(**given)
    assert repr(ours) == repr(theirs).replace("Told", "Point")
    assert hash(ours) == hash(theirs)
    assert asdict(ours) == asdict(theirs)
    assert [f.name for f in fields(ours)] == [f.name for f in fields(theirs)]
    assert Point.__slots__ == Told.__slots__
    assert Point.__match_args__ == Told.__match_args__
    assert replace(ours, y=9) == Point(**given | {"y": 9}) != ours
    assert ours != theirs


@pytest.mark.parametrize("given", [((), {}), ((1,), {}), ((), {"x": 1, "z": 2})])
def test_wrong_arguments_are_refused_in_the_same_words(given):
    told = []
    for cls in Point, Told:
        with pytest.raises(TypeError) as caught:
            cls(*given[0], **given[1])
        told.append(str(caught.value).replace("Told", "Point"))
    assert told[0] == told[1]


def test_an_instance_can_not_be_changed():
    one = Point(x=1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        one.x = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del one.x
    with pytest.raises(FrozenInstanceError):
        one.other = 2
    assert one == Point(x=1)


@pytest.mark.parametrize("one", [Point(x=1, tags=[2]), Named(x=1, name="m"), Pair("a", "b")])
def test_a_copy_of_an_instance_equals_it_even_through_pickle(one):
    for other in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):  # noqa: S301
        assert other == one
        assert type(other) is type(one)


def test_a_class_behaves_as_a_dataclass_when_inherited_or_matched_by_position():
    assert repr(Named(x=1)) == "Named(x=1, y=0, tags=[], name='n')"
    assert Named(x=1) != Point(x=1)
    with pytest.raises(ValueError, match="a name"):
        Named(x=1, name="")
    match Pair(1, 2):
        case Pair(left, right):
            assert (left, right) == (1, 2)


def test_what_a_class_says_of_itself_stays():
    assert (repr(WithItsOwn(x=1)), hash(WithItsOwn(x=1))) == ("own", 7)
    assert WithItsOwn(x=1) == WithItsOwn(x=2)
    one = Own(x=1)
    assert one != Own(x=1)
    assert len({one, Own(x=1)}) == 2
    assert repr(one) == "Own(x=1)"


@pytest.mark.slow
def test_threads_may_make_the_first_instances_together():
    for _ in range(50):
        cls, made, barrier = fresh(), [], threading.Barrier(4)

        def make(cls=cls, made=made, barrier=barrier):
            barrier.wait()
            made.append(cls(x=1))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert made == [cls(x=1)] * 4


def test_a_class_with_old_names_is_compiled_at_its_first_use_too():
    @renamed({"old": "new"})
    @immutable
    class Renamed:
        new: int = 0

    assert "__init__" in waiting(Renamed)
    with pytest.warns(DeprecationWarning, match=r"Renamed\.old is Renamed\.new now"):
        assert Renamed(new=3) == Renamed(old=3)
    assert waiting(Renamed).isdisjoint({"__init__", "__eq__"})
    assert ["new"] == list(inspect.signature(Renamed).parameters)
