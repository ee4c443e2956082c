"""What not every system has is asked for in one file; text is written the same everywhere."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from systems import SYSTEMS, is_missing, lacking, names, of_stdlib

import hippocampus

ROOT = Path(__file__).parents[2]
HOMES = {"hippocampus/core/system.py", "src/hippocampus_bench/machine.py"}
"""The one file of each distribution that may."""
FOLDERS = [Path(hippocampus.__file__).parent, ROOT / "packages/hippocampus-bench/src"]
READS_OR_WRITES = {"read_text": 0, "write_text": 1}
"""Methods of paths, and how many arguments stand before the encoding."""
LOCAL = re.compile("%[-#_^]|%[aAbBcpxX]")
"""Directives of a moment that not every system has, or that a locale gives words to."""


@cache
def trees():
    return {
        f"{folder.name}/{file.relative_to(folder).as_posix()}": ast.parse(file.read_text("utf-8"))
        for folder in FOLDERS
        for file in sorted(folder.rglob("*.py"))
    }


@pytest.fixture(scope="module", autouse=True)
def _forgetful():
    yield
    trees.cache_clear()


def asked_of_systems(tree):
    """Yield (line, name, systems without it) of what a module asks of the standard library."""
    nodes = list(ast.walk(tree))
    modules = {}  # what stands for which module
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {one.asname or one.name: one.name for one in node.names}
            asked = [(one.name, None) for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            asked = [(node.module, None), *((node.module, one.name) for one in node.names)]
        else:
            continue
        yield from lacked(node.lineno, asked)
    for node in nodes:
        if isinstance(node, (ast.Attribute, ast.Call)) and (asked := of_module(node)):
            yield from lacked(node.lineno, [(modules.get(asked[0]), asked[1])])


def of_module(node):
    """Return (what stands for a module, the name taken from it), if that is what is done."""
    match node:
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return module, name
        case ast.Call(
            func=ast.Name(id="getattr" | "hasattr"),
            args=[ast.Name(id=module), ast.Constant(value=str(name)), *_],
        ):
            return module, name
    return None


def lacked(line, asked):
    """Yield (line, name, systems without it) of those pairs of a module and a name; None: of it."""
    for module, name in asked:
        if module not in of_stdlib():
            continue
        if name is None and (without := [one for one in SYSTEMS if is_missing(module, one)]):
            yield line, module, without
        elif name in lacking(module):
            yield line, f"{module}.{name}", lacking(module)[name]


@pytest.mark.slow
def test_only_one_file_asks_for_what_not_every_system_has():
    found = [
        f"{module}:{line}: {name} is not on {', '.join(without)}; core/system.py has what is common"
        for module, tree in trees().items()
        if module not in HOMES
        for line, name, without in asked_of_systems(tree)
    ]

    assert [] == found


def formats_of_moments(tree):
    """Yield (line, format) of each moment that is written by what a locale or a system says."""
    for node in ast.walk(tree):
        match node:
            case ast.FormattedValue(format_spec=ast.JoinedStr(values=[ast.Constant(value=spec)])):
                pass
            case ast.Call(
                func=ast.Attribute(attr="strftime"), args=[ast.Constant(value=str(spec)), *_]
            ):
                pass
            case _:
                continue
        if LOCAL.search(spec):
            yield node.lineno, spec


def test_no_moment_is_written_by_the_words_of_a_locale_or_the_signs_of_one_system():
    found = [
        f"{module}:{line}: {spec!r} is other words elsewhere; core/spelled_days.py has English ones"
        for module, tree in trees().items()
        if module.startswith("hippocampus/")
        for line, spec in formats_of_moments(tree)
    ]

    assert [] == found


@pytest.mark.parametrize("spec", ["%-d", "%d %B %Y", "%A", "%#d", "%I %p"])
def test_a_format_of_a_locale_or_a_system_is_seen(spec):
    for text in (f"f'{{day:{spec}}}'", f"day.strftime('{spec}')"):
        assert [(1, spec)] == list(formats_of_moments(ast.parse(text)))
    assert not list(formats_of_moments(ast.parse("f'{day:%Y-%m-%d %H:%M} {at:%F} {part:.2%}'")))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import fcntl", "fcntl"),
        ("from pwd import getpwuid", "pwd"),
        ("import os\nos.fork()", "os.fork"),
        ("import os as o\no.geteuid()", "os.geteuid"),
        ("from signal import SIGHUP", "signal.SIGHUP"),
        ("import socket\nhasattr(socket, 'AF_UNIX')", "socket.AF_UNIX"),
        ("import os\ngetattr(os, 'O_NOFOLLOW', 0)", "os.O_NOFOLLOW"),
        ("import os\nos.posix_fallocate", "os.posix_fallocate"),  # nor is it on macOS
        ("import os\nos.O_BINARY", "os.O_BINARY"),  # on Windows alone
        ("import msvcrt", "msvcrt"),
    ],
)
def test_what_not_every_system_has_is_seen_however_it_is_asked_for(text, found):
    assert found in [name for _, name, _ in asked_of_systems(ast.parse(text))]


def test_the_stubs_are_read_as_they_are_meant():
    assert not is_missing("os", "win32")
    assert is_missing("resource", "win32")
    assert not is_missing("resource", "darwin")
    assert is_missing("winreg", "linux")
    assert {"replace", "O_BINARY"} <= names("os", "win32")
    assert ["win32"] == lacking("os")["pread"]
    assert ["darwin", "win32"] == lacking("os")["posix_fallocate"]


def says_text(word):
    """Return whether an argument asks for the output of a program as text."""
    is_so = isinstance(word.value, ast.Constant) and word.value.value is True
    return is_so and word.arg in {"text", "universal_newlines"}


def text_files(tree):
    """Yield (line, what is missing) of each call that reads or writes text."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        given = {word.arg for word in node.keywords}
        match node.func:
            case ast.Attribute(attr=name) if name in READS_OR_WRITES:
                encoded = "encoding" in given or len(node.args) > READS_OR_WRITES[name]
                writes = name == "write_text"
            case ast.Attribute(attr="open" | "fdopen") | ast.Name(id="open"):
                modes = [one.value for one in node.args if isinstance(one, ast.Constant)]
                mode = next((one for one in modes if set(str(one)) <= set("rwxab+t")), None)
                if mode is None or "b" in mode:
                    continue
                encoded, writes = "encoding" in given, not set(mode) <= set("rt")
            case _:
                if "encoding" not in given and any(map(says_text, node.keywords)):
                    yield node.lineno, "encoding="
                continue
        if not encoded:
            yield node.lineno, "encoding="
        if writes and "newline" not in given:
            yield node.lineno, "newline="


@pytest.mark.slow
def test_text_files_are_the_same_on_every_system():
    found = [
        f"{module}:{line}: text without {missing}"
        for module, tree in trees().items()
        for line, missing in text_files(tree)
    ]

    assert [] == found


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("path.write_text('x', encoding='utf-8')", ["newline="]),
        ("path.read_text()", ["encoding="]),
        ("path.open('w', newline='')", ["encoding="]),
        ("open('x', 'a')", ["encoding=", "newline="]),
        ("run(['x'], text=True)", ["encoding="]),
        ("path.open('rb')", []),
        ("path.read_text('utf-8')", []),
        ("webbrowser.open('https://example.org')", []),
    ],
)
def test_text_without_an_encoding_is_seen(text, missing):
    assert missing == [found for _, found in text_files(ast.parse(text))]
