"""What the pages teach is public: its modules and names are those that docs/stability.md lists."""

import ast
import doctest
import re
from functools import cache

import pytest
from docs_blocks import PAGES, ROOT, blocks

PACKAGE = ROOT / "src" / "hippocampus"
STABILITY = ROOT / "docs" / "stability.md"
TEACH = [
    page
    for page in PAGES
    if page.parent.name not in {"adr", "changelog.d"} and page.parent.parent.name != "packages"
]
_ROW = re.compile(r"^\| `(hippocampus[.\w]*)` \| (.*) \|$", re.MULTILINE)
_NAMED = re.compile(r"`(\w+)`")
_MENTION = re.compile(r"`hippocampus((?:\.\w+)+)")


@cache
def declared():
    """Return the row of each public module: the names that it lists, or None for all there are."""
    rows = _ROW.findall(STABILITY.read_text("utf-8"))
    return {module: frozenset(_NAMED.findall(names)) or None for module, names in rows}


def source_of(module):
    """Return the file of a module, None where there is no such module."""
    place = PACKAGE.joinpath(*module.split(".")[1:])
    files = place.with_suffix(".py"), place / "__init__.py"
    return next((file for file in files if file.exists()), None)


@cache
def offered(module):
    """Return the public names of a module, read off its source: extras need not be installed."""
    tree = ast.parse(source_of(module).read_text("utf-8"))
    names = set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return frozenset(ast.literal_eval(node.value))
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            names.add(node.name)
    return frozenset(name for name in names if not name.startswith("_"))


def code_of(page):
    """Yield the Python of a page, that of its transcripts included."""
    for block in blocks(page):
        if block.language == "python":
            yield block.code
        elif block.language == "pycon":
            yield "".join(one.source for one in doctest.DocTestParser().get_examples(block.code))


def imports(page):
    """Yield (module, name) of all that a page imports from the package; name "" for a module."""
    for code in code_of(page):
        for node in ast.walk(ast.parse(code)):
            if (
                isinstance(node, ast.ImportFrom)
                and (node.module or "").split(".")[0] == "hippocampus"
            ):
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    yield (whole, "") if source_of(whole) else (node.module, alias.name)
            elif isinstance(node, ast.Import):
                yield from (
                    (a.name, "") for a in node.names if a.name.split(".")[0] == "hippocampus"
                )


def is_public(module, name):
    if module not in declared():  # a folder of public modules may be named, as loggers are
        return not name and any(known.startswith(f"{module}.") for known in declared())
    return not name or name in (declared()[module] or offered(module))


def test_the_pages_import_from_many_modules():
    assert len({module for page in TEACH for module, _ in imports(page)}) > 10


@pytest.mark.parametrize("module", sorted(declared()))
def test_a_module_that_is_called_public_offers_the_names_listed(module):
    assert source_of(module) is not None
    assert offered(module)
    assert (declared()[module] or frozenset()) <= offered(module)


@pytest.mark.parametrize("page", TEACH, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_imports_only_public_names_from_public_modules(page):
    wrong = [one for one in imports(page) if not is_public(*one)]

    assert [] == wrong, "import from a module of docs/stability.md, or list it there"


@pytest.mark.parametrize("page", TEACH, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_names_only_public_modules(page):
    mentions = (f"hippocampus{rest}" for rest in _MENTION.findall(page.read_text("utf-8")))
    wrong = []
    for mention in mentions:
        module = mention
        while module != "hippocampus" and source_of(module) is None:
            module = module.rpartition(".")[0]
        name = mention[len(module) :].lstrip(".").partition(".")[0]
        if module != "hippocampus" and not is_public(module, name):
            wrong.append(mention)

    assert [] == wrong or page == STABILITY
