"""
One script of calls for mem0's ``Memory`` and ours, and the shapes of what they answer.

Where mem0 is installed, ``python mem0_contract.py`` runs it there, without network, and prints the
shapes as JSON; ``mem0_shapes.json`` is what it printed of the version it names.
"""

import hashlib
import json
import os
import re
import sys
import tempfile

ADA, BOB = {"user_id": "ada"}, {"user_id": "bob"}
TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "My cat is called Momo.", "name": "Ada"},
    {"role": "assistant", "content": "Noted: Momo the cat."},
    {"role": "assistant", "tool_calls": []},
    {
        "role": "user",
        "content": [{"type": "text", "text": "She likes"}, {"type": "text", "text": "fish"}],
    },
]
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.?\d*\+00:00")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MD5 = re.compile(r"[0-9a-f]{32}")
_NONE = "00000000-0000-4000-8000-000000000000"


def shape(value):
    """Return a value with its scalars replaced by what they are, and keys in order."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    if isinstance(value, str):
        kinds = {"time": _TIME, "uuid": _UUID, "md5": _MD5}
        return next((kind for kind, form in kinds.items() if form.fullmatch(value)), f"'{value}'")
    return type(value).__name__


def answers(memory):  # noqa: PLR0915 - a script is a list of calls
    """Call everything, and yield the name and the shape of each answer."""

    def tried(call, *arguments, **options):
        try:
            call(*arguments, **options)
        except Exception as error:  # noqa: BLE001 - whatever it raises is what is compared
            return "ValueError" if isinstance(error, ValueError) else "another error"
        return "no error"

    facts = {"kind": "fact", "year": 2024}
    first = memory.add("I live in Lisbon.", user_id="ada", metadata=facts, infer=False)
    yield "add", shape(first)
    kept = first["results"][0]["id"]
    yield "add messages", shape(memory.add(TALK, user_id="ada", run_id="r1", infer=False))
    told = memory.add(
        {"role": "user", "content": "I sing."}, agent_id="choir", expiration_date="2999-12-31"
    )
    yield "add with infer", shape(told)
    yield "get", shape(memory.get(kept))
    expiring = memory.get(told["results"][0]["id"])
    expiring.pop("role", None)  # what a model has extracted has none; what was said has
    yield "get expiring", shape(expiring)
    yield "get nothing", shape(memory.get(_NONE))
    found = memory.search("I live in Lisbon.", filters=ADA, top_k=1)
    yield "search", shape(found)
    yield "search nothing", shape(memory.search("I live in Lisbon.", filters=BOB))
    wanted = {"AND": [{"year": {"gte": 2024, "lt": 2025}}, {"kind": {"in": ["fact"]}}]}
    yield "search filtered", shape(memory.search("Lisbon", filters=ADA | wanted))
    either = {"OR": [{"kind": {"eq": "fact"}}, {"kind": "rumour"}], "NOT": [{"year": 2023}]}
    yield "search either", shape(memory.search("Lisbon", filters=ADA | either))
    yield "get_all", shape(memory.get_all(filters=ADA | {"kind": "fact"}))
    yield (
        "get_all of a run",
        sorted(  # in no order with mem0
            sorted(one) for one in memory.get_all(filters=ADA | {"run_id": "r1"})["results"]
        ),
    )
    yield "get_all of nobody", shape(memory.get_all(filters=BOB))
    yield "update", shape(memory.update(kept, "I live in Rome."))
    yield "update data", shape(memory.update(kept, data="I live in Oslo."))
    yield "update metadata", shape(memory.update(kept, metadata={"year": 2025, "user_id": "eve"}))
    yield "get updated", shape(memory.get(kept))
    yield "history", shape(memory.history(kept))
    yield "delete", shape(memory.delete(kept))
    yield "get deleted", shape(memory.get(kept))
    yield (
        "history deleted",
        [(one["event"], one["is_deleted"]) for one in memory.history(kept)][-1:],
    )
    yield "delete_all", shape(memory.delete_all(user_id="ada"))
    yield "get_all deleted", shape(memory.get_all(filters=ADA))
    yield "get_all of others", len(memory.get_all(filters={"agent_id": "choir"})["results"])
    yield "reset", shape(memory.reset())
    yield "get_all reset", shape(memory.get_all(filters={"agent_id": "choir"}))
    yield "history of nothing", shape(memory.history(_NONE))
    yield "delete nothing", tried(memory.delete, _NONE)
    yield "update nothing", tried(memory.update, _NONE, "x")
    yield "update with nothing", tried(memory.update, kept)
    yield "search unscoped", tried(memory.search, "x")
    yield "search blank", tried(memory.search, " ", filters=ADA)
    yield "search below 0", tried(memory.search, "x", filters=ADA, top_k=-1)
    yield "search above 1", tried(memory.search, "x", filters=ADA, threshold=1.5)
    yield (
        "search unknown operator",
        tried(memory.search, "x", filters=ADA | {"a": {"eq": 1, "like": 2}}),
    )
    yield "get_all unscoped", tried(memory.get_all, filters={"kind": "fact"})
    yield "delete_all unscoped", tried(memory.delete_all)
    yield "add blank id", tried(memory.add, "x", user_id=" ")
    yield "add id with space", tried(memory.add, "x", user_id="a b")
    yield "add bad expiry", tried(memory.add, "x", user_id="ada", expiration_date="soon")
    yield "add to nobody", tried(memory.add, "x") != "no error"
    yield "add a number", tried(memory.add, 3, user_id="ada") != "no error"
    yield "add bad type", tried(memory.add, "x", user_id="ada", memory_type="odd") != "no error"


def real(folder):
    """Return mem0's own memory, with a model of no meaning, and no network."""
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": folder, "HF_HUB_OFFLINE": "1"}
    from mem0 import Memory
    from mem0.embeddings.base import EmbeddingBase

    class Hashed(EmbeddingBase):
        def embed(self, text, memory_action=None):  # noqa: ARG002 - mem0's signature
            words = re.findall(r"\w+", text.lower()) or ["-"]
            sums = [0.0] * 64
            for word in words:
                sums[hashlib.blake2b(word.encode()).digest()[0] % 64] += 1.0
            return sums

    class Repeats:
        def generate_response(self, messages, **_):
            said = re.findall(r"I sing\.", messages[-1]["content"])
            return json.dumps({"memory": [{"text": said[0]}]})

    nobody = {"provider": "openai", "config": {"api_key": "none"}}
    vectors = {"path": os.path.join(folder, "qdrant"), "embedding_model_dims": 64}  # noqa: PTH118
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": vectors},
            "embedder": nobody,
            "llm": nobody,
            "history_db_path": os.path.join(folder, "history.db"),  # noqa: PTH118
        }
    )
    memory.embedding_model, memory.llm = Hashed(), Repeats()
    return memory


if __name__ == "__main__":
    from importlib.metadata import version

    with tempfile.TemporaryDirectory() as place:
        seen = dict(answers(real(place)))
    json.dump({"mem0ai": version("mem0ai"), "answers": seen}, sys.stdout, indent=1)
