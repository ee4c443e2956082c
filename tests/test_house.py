"""Rules of the house that no linter knows; what still breaks one is listed until it is mended."""

import ast
import gc
import inspect
import re
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

import hippocampus
from hippocampus import AsyncBank, AsyncMemory, Bank, Memory

ROOT = Path(hippocampus.__file__).parent
TESTS = Path(__file__).parent
BENCH = TESTS.parent / "packages/hippocampus-bench/src/hippocampus_bench"
"""The second distribution, which measures the first: the same rules hold for both."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@pytest.fixture(scope="module", autouse=True)
def _forgetful():
    """Collect no garbage among the trees, a million objects; let go of them after these tests."""
    gc.disable()
    yield
    trees.cache_clear()
    nodes.cache_clear()
    gc.enable()


@cache
def trees(root=ROOT):
    """Return the syntax tree of each module, read by the first test that asks."""
    return {
        file.relative_to(root).as_posix(): ast.parse(file.read_text("utf-8"))
        for file in sorted(root.rglob("*.py"))
    }


@cache
def nodes(tree):
    """Return every node of a tree, which most tests look at."""
    return [*ast.walk(tree)]


def both():
    """Return the trees of the product, and those of the bench, which are told as such."""
    return trees() | {f"bench: {module}": tree for module, tree in trees(BENCH).items()}


def functions(found=None):
    """Yield (module, function) of all there are."""
    for module, tree in (trees() if found is None else found).items():
        for node in nodes(tree):
            if isinstance(node, FUNCTIONS):
                yield module, node


# ---------------------------------------------------------------- one name, one thing

SAME_NAME = {
    "Memory": "what mem0 calls it, for those who come from there",
    "AsyncMemory": "what mem0 calls it, for those who come from there",
}
"""Classes of which there are two that are meant, and why."""


def test_no_class_name_stands_for_two_things():
    places = defaultdict(set)
    for module, tree in both().items():
        for node in nodes(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(module)
    twice = {name: sorted(found) for name, found in places.items() if len(found) > 1}

    assert {} == {name: at for name, at in twice.items() if name not in SAME_NAME}


OLD_WORDS = {
    "said_at": {
        "core/records/episode.py", "core/records/stored.py", "journal/transfer.py",
        "store/schema.py", "store/postgres/schema.py",
    },
}  # fmt: skip
"""Words that had a better one found, and the modules that know them for what is stored."""


def test_a_word_that_was_replaced_stands_only_where_stored_data_has_it():
    found = {
        f"{module}: {word}"
        for module in trees()
        for word, allowed in OLD_WORDS.items()
        if module not in allowed and re.search(rf"\b_?{word}\b", (ROOT / module).read_text("utf-8"))
    }

    assert set() == found


def test_a_dataclass_that_never_changes_compiles_its_methods_when_used():
    told = {"frozen=True", "slots=True"}
    slow = [
        f"{module}: {node.name}"
        for module, tree in trees().items()
        if module != "core/lazy_dataclass.py"
        for node in nodes(tree)
        if isinstance(node, ast.ClassDef)
        for one in node.decorator_list
        if isinstance(one, ast.Call)
        and told <= {f"{given.arg}={ast.unparse(given.value)}" for given in one.keywords}
    ]

    assert slow == [], "@immutable of core/lazy_dataclass.py"


# ---------------------------------------------------------------- imports go one way


def imports(found, package):
    """Return what each module imports of its package: also for types, and inside functions."""
    modules = {
        f"{package}.{path.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__"): tree
        for path, tree in found.items()
    }
    graph = {}
    for name, tree in modules.items():
        wanted = set()
        for node in nodes(tree):
            if isinstance(node, ast.Import):
                wanted |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                parts = {f"{node.module}.{one.name}" for one in node.names}
                wanted |= (parts & modules.keys()) or {node.module}
        graph[name] = wanted & modules.keys() - {name}
    return graph


def circle(graph):
    """Return modules that import each other in a circle; none if there is no such."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as exc:
        return list(exc.args[1])
    return []


@pytest.mark.parametrize(("root", "package"), [(ROOT, "hippocampus"), (BENCH, BENCH.name)])
def test_no_modules_import_each_other_in_a_circle_not_even_for_types(root, package):
    assert [] == circle(imports(trees(root), package))


def test_a_circle_is_seen_also_where_it_is_of_types_alone():
    left = "if TYPE_CHECKING:\n    from some.right import Right"
    right = "def make():\n    from some import left"
    graph = imports({"left.py": ast.parse(left), "right.py": ast.parse(right)}, "some")

    assert {"some.left", "some.right"} == set(circle(graph))


# ---------------------------------------------------------------- private is private

OF_PYTHON = {"_replace", "_asdict", "_fields", "_make"}
"""Public names of named tuples, spelled so that no field can have them."""
OWN_SELF = {"self", "cls", "super()"}
MODULES = {"os"}  # os._exit is public


def private(name):
    return name.startswith("_") and not name.endswith("__") and name not in OF_PYTHON


def own(tree):
    """Return every private name that a module defines: functions, classes, attributes, fields."""
    names = set()
    for node in nodes(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)  # __slots__
    return names


def abroad(tree):
    """Yield every private name of another module that a module reads."""
    known = own(tree)
    for node in nodes(tree):
        if isinstance(node, ast.Attribute) and private(node.attr) and node.attr not in known:
            if ast.unparse(node.value) not in OWN_SELF | MODULES:
                yield node.attr
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hippocampus"):
            package = ROOT.joinpath(*node.module.split(".")[1:])
            names = {alias.name for alias in node.names}
            yield from (n for n in names if private(n) and not (package / f"{n}.py").exists())


def test_private_names_are_not_read_across_modules():
    found = {module: names for module, tree in trees().items() if (names := sorted(abroad(tree)))}

    assert {} == found, "ask the other module for a public name"


INHERITED_LEFT = 118
"""Private names that classes read of a base in another module, mostly what a bank's parts and the
books of a bank stand on (``_state``, ``_engine``, ``_store``). This number only falls."""


def known_to_classes(tree):
    """Return for each class of a module the names that it and its bases there define."""
    classes = {node.name: node for node in nodes(tree) if isinstance(node, ast.ClassDef)}

    def known(name):
        bases = (ast.unparse(base).partition("[")[0] for base in classes[name].bases)
        return own(classes[name]).union(*(known(base) for base in bases if base in classes))

    return {name: (node, known(name)) for name, node in classes.items()}


def private_reads(tree):
    """Return the places where a private attribute is read: of what, and its name."""
    reads = [(node, ast.unparse(node.value), node.attr)
             for node in nodes(tree) if isinstance(node, ast.Attribute)]  # fmt: skip
    for node in nodes(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr":
            whose, name, *_ = node.args
            if isinstance(name, ast.Constant):
                reads.append((node, ast.unparse(whose), name.value))
    return [(node, whose, name) for node, whose, name in reads if private(name)]


def read_of_others(tree):
    """Yield the private attributes that are read of an object by none of its own class."""
    around = {id(n): names for cls, names in known_to_classes(tree).values() for n in nodes(cls)}
    for node, whose, name in private_reads(tree):
        if whose not in OWN_SELF | MODULES and name not in around.get(id(node), ()):
            yield f"{whose}.{name}"


def inherited(tree):
    """Yield the private names that classes of a module read of a base in another one."""
    for kind, (cls, known) in known_to_classes(tree).items():
        read = {name for _, whose, name in private_reads(cls) if whose in OWN_SELF}
        yield from (f"{kind}.{name}" for name in read - known)


@pytest.mark.parametrize(
    "source",
    [
        "def f(bank): return bank._state",
        "def f(bank): return getattr(bank, '_state', None)",
        "class A:\n    def __init__(self): self._state = 1\ndef f(a: A): return a._state",
        "class A:\n    _state = 1\nclass B:\n    def f(self, a): return a._state",
    ],
)
def test_a_private_attribute_of_another_class_is_seen(source):
    assert 1 == len([*read_of_others(ast.parse(source))])


def test_private_attributes_are_read_by_their_own_class_alone():
    found = {module: names for module, t in both().items() if (names := [*read_of_others(t)])}
    left = [f"{module}: {name}" for module, t in both().items() for name in inherited(t)]

    assert {} == found, "give it a public name, or a method that does what is wanted"
    assert len(left) <= INHERITED_LEFT, "\n".join(left)


# ---------------------------------------------------------------- cues are fields


def test_recall_asks_cues_by_their_fields_and_never_which_class_one_is():
    wrong = [
        f"{module}:{node.lineno}: {text}"
        for module, tree in trees().items()
        if module.startswith("recall/")
        for node in nodes(tree)
        if isinstance(node, (ast.Subscript, ast.Call))
        if re.match(r"(?:\w+\.)*cues(?:\[|\.pop\()|isinstance\(.*Cue\b", text := ast.unparse(node))
    ]

    assert [] == wrong


# ---------------------------------------------------------------- a question is read in one place

READERS = {"recall/parse.py", "recall/name_terms.py", "recall/encode_query.py"}
"""Modules that may read a question's text: what parses it, and what embeds it."""
MADE = {"parse", "bind", "bind_to", "led", "choose_forms", "without_event", "at_event"}
"""Functions that return a query."""
WRITTEN = "spelled"
"""The method of a query that returns one of its words as it is written, and reads no more."""


def is_made(node):
    """Return whether an expression makes a query."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in MADE


def queries_in(tree):
    """Return the expressions of a module that are queries, by annotation, by name or as made."""
    found = {"query", "search.query", "self.query", "here.query", "part.query", "looked.query"}
    for node in nodes(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            told = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
            kind = ast.unparse(node.annotation).strip("'\"")
            found |= {told} if kind in {"Query", "Query | None"} else set()
            found -= {told} if kind == "str" else set()
        elif isinstance(node, ast.Assign) and is_made(node.value):
            found |= {ast.unparse(target) for target in node.targets}
    return found


def read_by_itself(tree):
    """Yield the places where a query reads its own text, but to say how a word is written."""
    for kind in nodes(tree):
        if isinstance(kind, ast.ClassDef) and kind.name == "Query":
            for method in kind.body:
                if isinstance(method, FUNCTIONS) and method.name != WRITTEN:
                    inside = [n for n in ast.walk(method) if isinstance(n, ast.Attribute)]
                    yield from (n.lineno for n in inside if ast.unparse(n) == "self.text")


def texts_read(tree):
    """Return the places of a module where the text of a query is read."""
    queries = queries_in(tree)
    return [*read_by_itself(tree)] + [
        node.lineno
        for node in nodes(tree)
        if isinstance(node, ast.Attribute) and node.attr == "text"
        if ast.unparse(node.value) in queries or is_made(node.value)
    ]


@pytest.mark.parametrize(
    "source",
    [
        "def f(search): return search.query.text",
        "def f(asked: Query): return asked.text",
        "bound = bind(parsed)\nprint(bound.text)",
        "print(parse(words, now=now).text)",
        "class Query:\n    def counted(self): return read(self.text)",
    ],
)
def test_reading_the_text_of_a_query_is_seen(source):
    assert 1 == len(texts_read(ast.parse(source)))


def test_nothing_but_the_parser_and_the_models_reads_the_text_of_a_query():
    folders = ("recall/", "bank/", "index/", "context/", "engine/")
    found = {
        module: lines
        for module, tree in trees().items()
        if module.startswith(folders) and module not in READERS
        if (lines := texts_read(tree))
    }

    assert {} == found, "give Query a field for what is read there"


OF_QUESTIONS = re.compile(
    r"hippocampus\.language\.(?:asked_\w+|counting\.asked|foreign_intent|question_intent)"
    r"|hippocampus\.recall\.name_terms"
)
"""Modules that read questions, by what their names say."""
ALSO_OF_MEMORIES = {"find_intervals", "find_event_anchored", "asks_for_advice", "asked_language"}
"""Readers of questions in modules that read memories as well."""


def test_what_reads_a_question_is_called_by_the_parser_alone():
    readers = ALSO_OF_MEMORIES | {
        one.name
        for node in nodes(trees()["recall/parse.py"])
        if isinstance(node, ast.ImportFrom) and OF_QUESTIONS.fullmatch(node.module or "")
        for one in node.names
    }
    found = {
        f"{module}: {ast.unparse(node.func)}"
        for module, tree in trees().items()
        if module.startswith(("recall/", "bank/", "index/", "context/", "engine/"))
        if module not in READERS
        for node in nodes(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in readers
    }

    assert {"asks_for_events", "read_asked_events", "name_terms"} <= readers
    assert set() == found


# ---------------------------------------------------------------- times at the ends of the calendar

WHERE_THE_CALENDAR_ENDS = {
    "core/clock.py": "it is what all others call",
    "language/time/__init__.py": "what has no date tells no times there",
    "language/time/repeated.py": "what has no date tells no times there",
    "language/time/grammar.py": "a reading that leaves the calendar is none",
}
"""Modules that put times into a zone and catch ``OverflowError`` themselves, and why."""


def test_times_are_put_into_a_zone_as_those_of_the_years_1_and_9999_can_be():
    found = {
        f"{module}: {ast.unparse(node)}"
        for module, tree in trees().items()
        if module not in WHERE_THE_CALENDAR_ENDS
        for node in nodes(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".astimezone")
        if [ast.unparse(one) for one in node.args] != ["UTC"]
    }

    assert set() == found, "call in_zone of core/clock.py"


# ---------------------------------------------------------------- a function is read in one look

LONGEST = 60


def lines(function):
    """Return how many lines a function has from ``def`` to its end, but for its docstring."""
    first = function.body[0]
    told = first.end_lineno - first.lineno + 1 if ast.get_docstring(function) is not None else 0
    return function.end_lineno - function.lineno + 1 - told


def test_no_function_is_longer_than_one_look():
    long = [(m, f.name, n) for m, f in functions(both()) if (n := lines(f)) > LONGEST]

    assert [] == long


# ---------------------------------------------------------------- parameters

MOST = 8
POSITIONAL = 2
OWNERS = (Bank, Memory, AsyncBank, AsyncMemory)
PUBLIC = {
    "integrations/mem0.py: Memory.add": "what mem0 takes",
    "integrations/mem0.py: Memory.search": "what mem0 takes",
    "llm/client.py: LanguageModel.__init__": "docs/models.md",
    "proxy/app.py: create_app": "docs/surfaces/proxy.md",
    "bench: cli.py: bench": "a command",
    "bench: corf.py: run": "a measurement, with its settings",
    "bench: events.py: run": "a measurement, with its settings",
    "bench: streaming.py: run": "a measurement, with its settings",
}
"""Public calls beside the verbs of ``OWNERS`` that have more parameters than ``MOST``, and why."""


def verbs():
    """Return the functions behind the verbs of a bank and of a memory, also those that open one."""
    members = (one for owner in OWNERS for one in inspect.getmembers(owner, callable))
    made = [inspect.unwrap(f) for name, f in members if not private(name) and name != "__class__"]
    return {
        f"{f.__module__.partition('.')[2].replace('.', '/')}.py: {f.__qualname__}"
        for f in made
        if inspect.isfunction(f)
    }


def named_functions(node, name=""):
    """Yield each function inside a node, with its name behind those of what it stands in."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, (*FUNCTIONS, ast.ClassDef)):
            whole = f"{name}.{inner.name}".lstrip(".")
            if isinstance(inner, FUNCTIONS):
                yield whole, inner
            yield from named_functions(inner, whole)
        else:
            yield from named_functions(inner, name)


def is_command(module, function):
    """Return whether a function is a command, with an argument for each option, given by name."""
    made = [ast.unparse(one) for one in function.decorator_list]
    return module.startswith("cli/") and any(one.startswith("verb(") for one in made)


def parameters(function):
    """Return the names of the parameters of a function: by position, and by keyword alone."""
    given = function.args
    first = [arg.arg for arg in (*given.posonlyargs, *given.args)]
    return first[1:] if first[:1] in (["self"], ["cls"]) else first, given.kwonlyargs


def test_only_public_verbs_and_commands_have_many_parameters_most_by_keyword():
    many = {
        f"{module}: {name}": len(first)
        for module, tree in both().items()
        for name, function in named_functions(tree)
        for first, named in [parameters(function)]
        if len(first) + len(named) > MOST and not is_command(module, function)
    }

    assert PUBLIC.keys() <= many.keys(), "it has no more parameters than others: strike it out"
    assert set() == many.keys() - PUBLIC.keys() - verbs()
    assert {} == {name: first for name, first in many.items() if first > POSITIONAL}


# ---------------------------------------------------------------- a test is named by one clause

LONGEST_NAME = 80


def test_the_name_of_a_test_is_one_clause():
    files = [*TESTS.rglob("*.py"), *TESTS.parent.glob("packages/*/tests/**/*.py")]
    names = re.compile(r"^ *(?:async )?def (test_\w+)", re.MULTILINE)
    long = [n for f in files for n in names.findall(f.read_text("utf-8")) if len(n) > LONGEST_NAME]

    assert [] == long


# ---------------------------------------------------------------- words

RELATIVES = {"What", "Which", "Who", "Whom", "Whose", "How", "Where", "Whether"}
DOCUMENTED = (ast.Module, ast.ClassDef, *FUNCTIONS)


def test_no_docstring_begins_with_a_word_that_stands_for_a_noun():
    riddles = {
        f"{module} {getattr(node, 'name', 'module')}"
        for module, tree in both().items()
        for node in nodes(tree)
        if isinstance(node, DOCUMENTED)
        if (told := ast.get_docstring(node)) and told.split(maxsplit=1)[0].strip(",:") in RELATIVES
    }

    assert set() == riddles


VERB_AND_RELATIVE = re.compile(
    r"\w+ (?:what|which|who|whom|whose|whoever|whatever|how|where|of (?:what|which|whom))\b"
)
RELATIVES_LEFT = 0
"""Docstrings that still put "what" or "how" in the place of a noun. This number only falls."""


def test_docstrings_name_a_noun_behind_their_verb():
    # "Return the rows that match", and not "Return what matches".
    riddles = [
        f"{module} {getattr(node, 'name', 'module')}: {told.splitlines()[0]}"
        for module, tree in both().items()
        for node in nodes(tree)
        if isinstance(node, DOCUMENTED)
        if VERB_AND_RELATIVE.match(told := ast.get_docstring(node) or "")
    ]

    assert len(riddles) <= RELATIVES_LEFT, "\n".join(riddles)


def documented_names(tree):
    """Yield the text below each name of a module or class, which documents that name."""
    for node in nodes(tree):
        body = node.body if isinstance(node, (ast.Module, ast.ClassDef)) else []
        for named, below in pairwise(body):
            text = getattr(getattr(below, "value", None), "value", None)
            if not isinstance(below, ast.Expr) or not isinstance(text, str):
                continue
            if isinstance(named, (ast.Assign, ast.AnnAssign)):
                yield text.strip()


NAMES_LEFT = 0
"""Names documented by "what" or "how" in the place of a noun. This number only falls."""
LEADS_TO_NO_NOUN = re.compile(
    r"(?:What|Which|Who|Whom|Whose|Whoever|Whatever|How|Where)\b"
    r"|(?:About|After|At|Before|By|For|From|In|Of|On|Over|Through|To|Under|With|Within)"
    r" (?:what|which|whom|how)\b"
)
"""Beginnings of a text below a name that stand for a noun; "whether" tells of a true or false."""


def test_texts_below_names_begin_with_a_noun():
    riddles = [
        f"{module}: {told.splitlines()[0]}"
        for module, tree in both().items()
        for told in documented_names(tree)
        if LEADS_TO_NO_NOUN.match(told)
    ]

    assert len(riddles) <= NAMES_LEFT, "\n".join(riddles)


WORDS_IN_CODE = 12
"""From so many words on a list of them stands in ``core/words``, with its origin."""


def words_of(node):
    """Return the words of a literal: of a set, tuple or list, or of a text that is split."""
    if isinstance(node, (ast.Set, ast.Tuple, ast.List)):
        values = node.elts
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "split":
        values = [node.func.value]
    else:
        return []
    if not all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in values):
        return []
    return [one.value for one in values] if len(values) > 1 else values and values[0].value.split()


def test_lists_of_english_words_are_files():
    literal = {
        f"{module}:{node.lineno}"
        for module, tree in trees().items()
        if module.startswith(("language/", "encode/", "recall/", "write/"))
        for node in nodes(tree)
        if len(words := words_of(node)) >= WORDS_IN_CODE
        if all(re.fullmatch(r"[a-z][a-z' ]*", word) for word in words)
        if max(map(len, words)) > 2  # codes of languages
    }

    assert set() == literal


# ---------------------------------------------------------------- a number stands beside its reason

REASON = re.compile(r"#(?! (?:noqa|type:|fmt:|-{4}))")
"""A comment; what is said to a tool, or parts a file, gives no reason."""


def is_number(node):
    """Return whether an expression is a number as it is written, negative or not."""
    written = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(written, ast.Constant) and type(written.value) in {int, float}


def unexplained(tree, text):
    """Yield the constants that are numbers, without a text below or a comment beside or above."""
    lines = ["", *text.splitlines()]
    for node in nodes(tree):
        body = node.body if isinstance(node, (ast.Module, ast.ClassDef)) else []
        for named, below in pairwise([*body, None]):
            if not isinstance(named, (ast.Assign, ast.AnnAssign)) or not is_number(named.value):
                continue
            told = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            above = lines[named.lineno - 1].lstrip()
            beside = REASON.search(lines[named.lineno]) or REASON.match(above)
            name = ast.unparse(named.targets[0] if isinstance(named, ast.Assign) else named.target)
            if name.isupper() and not told and not beside:
                yield name


def test_every_number_with_a_name_has_its_reason_beside_it():
    bare = [
        f"{module}: {name}"
        for module, tree in trees().items()
        for name in unexplained(tree, (ROOT / module).read_text("utf-8"))
    ]

    assert [] == bare, "say why it is so much, and where that comes from"


def test_what_is_said_to_a_tool_is_no_reason_for_a_number():
    text = (
        '# Of a week.\nDAYS = 7\nONE = 1\nTWO = 2\n"""Eyes."""\nTEN = -10  # noqa: X1\nYES = True'
    )

    assert ["ONE", "TEN"] == list(unexplained(ast.parse(text), text))


# ---------------------------------------------------------------- nothing is written twice

LEAST_WRITTEN_TWICE = 5
"""Lines of a function, without its documentation, from which on it is written once."""


def test_no_two_functions_are_the_same():
    places = defaultdict(set)
    for module, function in functions():
        told = ast.get_docstring(function) is not None
        body = "\n".join(map(ast.unparse, function.body[1:] if told else function.body))
        if body.count("\n") + 1 >= LEAST_WRITTEN_TWICE:
            places[body].add((module, function.name))

    assert [] == [sorted(found) for found in places.values() if len(found) > 1]
