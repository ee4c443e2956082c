"""What holds for the package as a whole: its names, its errors, and that importing does nothing."""

import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import hippocampus
from hippocampus import errors

HEAVY = (
    "onnxruntime", "tokenizers", "openai", "typer", "rich", "torch", "transformers",
    "sentence_transformers", "fastembed", "model2vec", "sklearn",
)  # fmt: skip


def run(script, **environment):
    """Run Python code in a fresh process and return what it printed, as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


def test_every_public_name_has_its_documentation():
    assert sorted(hippocampus.__all__) == list(hippocampus.__all__)
    for name in set(hippocampus.__all__) - {"__version__"}:
        found = getattr(hippocampus, name)
        assert found.__name__ == name
        assert (found.__doc__ or "").strip(), name
    assert set(hippocampus.__all__) <= set(dir(hippocampus))


def test_the_version_is_a_public_name_that_is_looked_up_when_it_is_asked_for():
    before, told, loaded = run(
        "import json, sys, hippocampus\n"
        "before = '__version__' in vars(hippocampus)\n"
        "print(json.dumps([before, hippocampus.__version__, sorted(sys.modules)]))"
    )

    assert "__version__" in hippocampus.__all__
    assert (False, version("hippocampus-memory")) == (before, told)
    assert "importlib.metadata" not in loaded


def test_a_name_that_is_not_public_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Hippo"):
        hippocampus.Hippo  # noqa: B018


def test_every_error_is_in_the_tree_of_the_module_docstring():
    named = {n for n, v in vars(errors).items() if isinstance(v, type) and issubclass(v, Exception)}

    assert named <= set(errors.__doc__.split()), "draw the new error in the tree"
    assert all(issubclass(getattr(errors, n), errors.HippocampusError) for n in named)


def test_the_drawn_tree_is_the_tree():
    above: list[str] = []
    drawn = 0
    for line in errors.__doc__.splitlines():
        mark = line.strip()[:2]
        if mark not in {"* ", "+ ", "- "}:
            continue
        level = "*+-".index(mark[0])
        name = line.split()[1]
        del above[level:]
        if above:
            assert getattr(errors, above[-1]) in getattr(errors, name).__mro__, name
        above.append(name)
        drawn += 1
    assert drawn > 20


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        ("InputError", ValueError), ("UnknownBank", KeyError), ("UnknownEpisode", KeyError),
        ("StoreLocked", TimeoutError), ("StoreFull", OSError), ("StoreReadOnly", PermissionError),
        ("EncoderError", RuntimeError), ("MissingExtra", ImportError),
    ],
)  # fmt: skip
def test_an_error_is_also_the_builtin_a_caller_would_expect(error, builtin):
    assert issubclass(getattr(errors, error), builtin)


@pytest.mark.slow
def test_importing_everything_public_imports_no_model_runtime_and_no_surface():
    loaded = run(
        "import json, sys, hippocampus\n"
        "for name in hippocampus.__all__: getattr(hippocampus, name)\n"
        "print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    )

    assert not set(HEAVY) & set(loaded)


LATER = (
    "numpy", "msgspec", "sqlite3", "Stemmer", "nupunkt", "spacy", "tzlocal",
    "hippocampus.core.config", "hippocampus.core.records", "hippocampus.encode",
    "hippocampus.engine.context", "hippocampus.language", "hippocampus.store",
    "asyncio", "concurrent.futures", "logging", "ssl", "http.client", "email.message",
    "html.parser", "importlib.metadata", "platformdirs", "subprocess", "hippocampus.bank",
    "hippocampus.calibrate.run",
    "hippocampus.calibrate.trial", "hippocampus.engine.rebuild", "hippocampus.index.bank_index",
    "hippocampus.llm.http", "hippocampus.recall.search", "hippocampus.sleep.sleeper",
    "hippocampus.sources",
    "hippocampus.write",
)  # fmt: skip


def test_importing_memory_imports_nothing_that_opening_a_store_takes():
    """A list is sturdier than a time, which ``bench/imports.py`` measures."""
    loaded = run(
        "import json, sys\nfrom hippocampus import Memory\nprint(json.dumps(sorted(sys.modules)))"
    )

    assert set() == set(LATER) & set(loaded)


def test_telling_the_version_loads_no_command():
    loaded = run(
        """
import contextlib, io, json, sys
sys.argv = ["hippocampus", "--version"]
from hippocampus.cli import main
with contextlib.redirect_stdout(io.StringIO()) as told:
    main()
print(json.dumps([told.getvalue(), sorted({m.partition(".")[0] for m in sys.modules})]))
"""
    )

    assert [f"{version(errors.DISTRIBUTION)}\n", set()] == [
        loaded[0], {"numpy", "typer", "rich", "msgspec", "tomllib", "sqlite3"} & set(loaded[1]),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_command_loads_no_other_command():
    loaded = run(
        """
import contextlib, io, json, sys
from hippocampus.cli.commands import HOMES, app
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    app(["stats", "--help"])
print(json.dumps([m for m in set(HOMES.values()) if f"hippocampus.cli.{m}" in sys.modules]))
"""
    )

    assert ["read"] == loaded


@pytest.mark.slow
def test_importing_neither_opens_anything_nor_reads_the_environment():
    opened, read, handlers = run(
        """
import json, logging, os, sys
import numpy, zoneinfo, asyncio, sqlite3, concurrent.futures.thread, importlib.metadata
events, read, armed = [], [], True
def hook(event, arguments):
    if not armed:
        return
    if event in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "sqlite3.connect"):
        events.append(event)
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        events.append(str(arguments))
sys.addaudithook(hook)
class Spy(type(os.environ)):
    def __getitem__(self, key):
        frame = sys._getframe(1)
        while frame:
            if "/hippocampus/" in frame.f_code.co_filename:
                read.append(key)
            frame = frame.f_back
        return super().__getitem__(key)
os.environ.__class__ = Spy
import hippocampus
for name in hippocampus.__all__:
    getattr(hippocampus, name)
armed = False
print(json.dumps([events, read, len(logging.getLogger().handlers)]))
""",
        PYTHONDONTWRITEBYTECODE="1",
    )

    assert [] == opened
    # platformdirs asks which system it is on; an editable install, whether to build itself anew.
    known = ("ANDROID_DATA", "SKBUILD_EDITABLE")
    assert set() == {key for key in read if not key.startswith(known)}
    assert 0 == handlers


@pytest.mark.slow
def test_opening_a_memory_without_a_model_loads_no_model_runtime(tmp_path):
    loaded = run(
        "import json, sys\nfrom hippocampus import Memory\n"
        f"with Memory({str(tmp_path / 'm.db')!r}, embedder='hash') as memory:\n"
        "    memory.bank('a').remember('The key is here.')\n"
        "    assert memory.bank('a').recall('key')\n"
        "print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    )

    assert not set(HEAVY) & set(loaded)


# ---------------------------------------------------------------- old names

IMPORT_ALL = """
import importlib, json, sys, warnings
from hippocampus._moved import MOVED
wrong = []
for old, new in MOVED.items():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            module = importlib.import_module(old)
        except ModuleNotFoundError as exc:
            if exc.name and not exc.name.startswith("hippocampus"):
                continue  # an extra that is not installed
            raise
    if module is not importlib.import_module(new) or module.__spec__.name != new:
        wrong.append(old)
    if not any(new in str(one.message) for one in told):
        wrong.append(f"{old} without a warning")
print(json.dumps(wrong))
"""


@pytest.mark.slow
def test_every_module_that_was_moved_is_found_by_its_old_name_with_a_warning():
    assert [] == run(IMPORT_ALL)


def test_a_name_imported_from_a_module_that_was_moved_is_the_same_object():
    from hippocampus.core.records import Turn

    with pytest.warns(
        DeprecationWarning, match=r"hippocampus\.model is hippocampus\.core\.records"
    ):
        from hippocampus.model import Turn as Old

    assert Turn is Old


NAME_ALL = """
import importlib, json, warnings
from hippocampus._moved import MOVED_NAMES
wrong = []
for module, names in MOVED_NAMES.items():
    try:
        home = importlib.import_module(module)
    except ModuleNotFoundError as exc:
        if exc.name and not exc.name.startswith("hippocampus"):
            continue  # an extra that is not installed
        raise
    for old, new in names.items():
        place, _, name = new.rpartition(".")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = getattr(home, old)
        if found is not getattr(importlib.import_module(place), name):
            wrong.append(f"{module}.{old}")
        said = [str(one.message) for one in told]
        if said != [f"{module}.{old} is {new} now; the old name goes with 0.3"]:
            wrong.append(f"{module}.{old}: {said}")
print(json.dumps(wrong))
"""


@pytest.mark.slow
def test_every_name_that_was_changed_is_found_in_its_module_with_a_warning():
    assert [] == run(NAME_ALL)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("index.lexical.LexicalCue", "index.bm25.Bm25Cue"),
        ("mcp.server.Door", "mcp.server.BackgroundOpener"),
        ("memory.CUES", "core.cue_names.CUES"),
        ("model.JournalRow", "core.events.JournalRow"),
        ("upkeep.Place", "upkeep.ResiduePlace"),
    ],
)
@pytest.mark.filterwarnings("ignore:.* goes with 0.3")
def test_a_name_that_was_changed_is_the_object_of_its_new_name(old, new):
    assert found(old) is found(new)


def found(path):
    """Return what a path within the package leads to."""
    module, _, name = f"hippocampus.{path}".rpartition(".")
    return getattr(import_module(module), name)


def test_a_module_with_old_names_refuses_others_and_says_where_it_comes_from():
    import hippocampus.upkeep as module

    assert module.__spec__.loader is module.__loader__
    assert Path(module.__file__).read_text("utf-8") == module.__loader__.get_source(module.__name__)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        module.nonsense  # noqa: B018


def test_every_attribute_of_memory_that_was_moved_still_works_with_a_warning():
    from hippocampus import Memory
    from hippocampus.memory import MOVED_TO_ENGINE

    assert len(MOVED_TO_ENGINE) > 20
    with Memory(":memory:", embedder="none") as memory:
        for old, new in MOVED_TO_ENGINE.items():
            with pytest.warns(
                DeprecationWarning, match=rf"Memory\.{old} is Memory\.engine\.{new} now"
            ):
                assert getattr(memory, old) == getattr(memory.engine, new)
        with pytest.raises(AttributeError, match="nonsense"):
            memory.nonsense  # noqa: B018


def test_a_bank_that_is_asked_to_draw_its_topics_names_what_draws_them(tmp_path):
    from hippocampus import HippocampusError, Memory

    with (
        Memory(":memory:", embedder="none") as memory,
        pytest.warns(DeprecationWarning, match=r"Bank\.plot_topics is hippocampus\."),
        pytest.raises(HippocampusError),  # nothing draws this format
    ):
        memory.bank("ada").plot_topics(tmp_path / "topics.xyz")


def test_memory_has_about_a_dozen_public_members():
    from hippocampus import Memory

    names = {name for name in dir(Memory) if not name.startswith("_")} | {"engine"}
    assert len(names) <= 13, sorted(names)


def test_settings_by_their_old_names_still_work_with_a_warning():
    from dataclasses import replace

    from hippocampus import Fusion

    with pytest.warns(DeprecationWarning, match=r"Fusion\.lent is Fusion\.spreading_share"):
        assert Fusion(lent=0.0) == Fusion(spreading_share=0.0)
    with pytest.warns(DeprecationWarning, match="spreading_share"):
        assert 0.5 == replace(Fusion(), lent=0.5).spreading_share
    with pytest.warns(DeprecationWarning, match="spreading_share"):
        assert Fusion().lent == Fusion().spreading_share
    with pytest.raises(TypeError, match="nonsense"):
        Fusion(nonsense=1)


def old_names():
    """Return (class, old name, new name) of every field that has a new name."""
    from hippocampus.core import config, records  # noqa: F401 - these fill the table
    from hippocampus.core.renamed import RENAMED

    return [(cls, old, new) for cls, names in RENAMED.items() for old, new in names.items()]


def another(value):
    """Return a value that a field takes as well as its default, and that differs from it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return value / 2 if isinstance(value, float) and value else 0.25


def test_the_table_of_old_names_has_those_of_all_records_and_settings():
    tables = {cls.__name__ for cls, _, _ in old_names()}

    assert {"Fusion", "Concepts", "Policy", "Hit", "Cost", "Episode", "Imported"} <= tables


@pytest.mark.parametrize(
    ("cls", "old", "new"), old_names(), ids=lambda one: getattr(one, "__name__", one)
)
def test_every_field_by_its_old_name_still_works_with_a_warning(cls, old, new):
    from dataclasses import MISSING, fields, replace

    all_fields = {field.name: field for field in fields(cls)}
    bare = [f for f in all_fields.values() if f.default is f.default_factory is MISSING]
    needed = {field.name: 0.5 for field in bare if field.name != new}
    usual = 0.75 if all_fields[new].default is MISSING else all_fields[new].default
    value, before = another(usual), cls(**needed, **{new: usual})

    with pytest.warns(DeprecationWarning, match=rf"{cls.__name__}\.{old} is .*\.{new} now"):
        made = cls(**needed, **{old: value})
    assert value == getattr(made, new)
    with pytest.warns(DeprecationWarning, match=new):
        assert value == getattr(made, old)
    with pytest.warns(DeprecationWarning, match=new):
        assert value == getattr(replace(before, **{old: value}), new)


def test_an_act_of_a_sleep_is_known_by_the_name_it_had():
    from hippocampus import wire
    from hippocampus.core.records import SleepAct, SleepStep

    act = SleepAct(kind="fade", episode="e1", why="of no use", level=2)
    with pytest.warns(DeprecationWarning, match=r"SleepAct\.deed is SleepAct\.kind now"):
        assert "fade" == act.deed
    step = SleepStep(name="forget", elapsed_s=0.1, acts=(act,))
    with pytest.warns(DeprecationWarning, match=r"SleepStep\.deeds is SleepStep\.acts now"):
        assert (act,) == step.deeds
    told = (
        '{"name": "forget", "elapsed_s": 0.1, "deeds":'
        ' [{"deed": "fade", "episode": "e1", "why": "of no use", "level": 2}]}'
    )

    assert step == wire.load(SleepStep, told)  # as a server of an earlier version says it
