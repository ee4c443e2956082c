"""Which names of the standard library a system has, as the stubs know that mypy brings."""

import ast
import sys
from functools import cache
from importlib.util import find_spec
from operator import eq, ge, lt, ne
from pathlib import Path

SYSTEMS = ("linux", "darwin", "win32")
"""Those that this program is meant for, as ``sys.platform`` calls them."""


@cache
def stubs():
    """Return the folder of the stubs."""
    found = find_spec("mypy")
    assert found is not None, "mypy is among the packages for development"
    return Path(found.submodule_search_locations[0]) / "typeshed" / "stdlib"


@cache
def names(module, system):
    """Return the names that a module has on a system."""
    found = set()
    tree = _tree(module)
    if tree is not None:
        _gather(tree.body, system, found)
    return frozenset(found)


@cache
def lacking(module):
    """Return, for each name of a module that not all systems have, which of them do not."""
    every = {system: names(module, system) for system in SYSTEMS}
    return {
        name: [system for system in SYSTEMS if name not in every[system]]
        for name in frozenset().union(*every.values())
        if any(name not in of for of in every.values())
    }


@cache
def is_missing(module, system):
    """Return whether a system does not have a module that another has."""
    return not names(module, system) and any(names(module, other) for other in SYSTEMS)


@cache
def of_stdlib():
    """Return the modules whose names depend on the system."""
    found = set()
    for file in stubs().rglob("*.pyi"):
        if "sys.platform" in file.read_text("utf-8"):
            place = file.relative_to(stubs()).with_suffix("")
            found.add(".".join(part for part in place.parts if part != "__init__"))
    return frozenset(found)


def _tree(module):
    place = stubs().joinpath(*module.split("."))
    for file in (place.with_suffix(".pyi"), place / "__init__.pyi"):
        if file.is_file():
            return ast.parse(file.read_text("utf-8"))
    return None


def _gather(body, system, found):
    for node in body:
        match node:
            case ast.If(test=test, body=then, orelse=other):
                _gather(then if _holds(test, system) else other, system, found)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign(targets=targets):
                found.update(one.id for one in targets if isinstance(one, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.ImportFrom(module=str(source), names=taken, level=0):
                for one in taken:
                    if one.name == "*":
                        found |= names(source, system)
                    elif one.asname == one.name:  # what a stub passes on
                        found.add(one.name)
    found -= {"__all__"}


def _holds(test, system):
    """Return whether a condition of a stub holds on a system, for the Python that runs."""
    match test:
        case ast.BoolOp(op=op, values=values):
            each = [_holds(one, system) for one in values]
            return all(each) if isinstance(op, ast.And) else any(each)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _holds(operand, system)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _COMPARED[type(op)](_value(left, system), _value(right, system))
        case ast.Call(func=ast.Attribute(value=of, attr="startswith"), args=[begins]):
            return _value(of, system).startswith(_value(begins, system))
    return "TYPE_CHECKING" == ast.unparse(test)


_COMPARED = {ast.Eq: eq, ast.NotEq: ne, ast.GtE: ge, ast.Lt: lt}


def _value(node, system):
    known = {"sys.platform": system, "sys.version_info": sys.version_info[:2]}
    return known.get(ast.unparse(node)) or ast.literal_eval(node)


def missing_on(system):
    """Return the modules that a system lacks, and by module the names, as JSON can hold them."""
    gone = [module for module in of_stdlib() if is_missing(module, system)]
    lacks = {
        module: sorted(name for name, where in lacking(module).items() if system in where)
        for module in sorted(of_stdlib() - set(gone))
    }
    return {"modules": sorted(gone), "names": {module: of for module, of in lacks.items() if of}}
