"""What was acknowledged is there after a process was killed in the middle of writing more."""

import subprocess
import sys

import pytest
from langchain_core.messages import HumanMessage

from hippocampus import Memory
from hippocampus.integrations.langchain import HippocampusChatMessageHistory
from hippocampus.integrations.langgraph import HippocampusStore

pytestmark = pytest.mark.slow

WRITER = """
import itertools, sys
from langchain_core.messages import HumanMessage
from hippocampus import Memory
from hippocampus.integrations.langchain import HippocampusChatMessageHistory
from hippocampus.integrations.langgraph import HippocampusStore

bank = Memory(sys.argv[1], embedder="hash").bank("ada")
store, history = HippocampusStore(bank), HippocampusChatMessageHistory(bank, "talk")
for n in itertools.count():
    store.put(("n",), "k", {"n": n, "text": "the same words every time"})
    history.add_messages([HumanMessage("the same words every time", id=str(n))])
    print(n, flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 7, 20])
def test_a_killed_writer_leaves_every_acknowledged_value_whole(path, acknowledged):
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    )
    told = [int(writer.stdout.readline()) for _ in range(acknowledged)]
    writer.kill()
    told += [int(line) for line in writer.stdout]
    writer.wait()
    writer.stdout.close()

    with Memory(path, embedder="hash") as memory:
        bank = memory.bank("ada")
        store, history = HippocampusStore(bank), HippocampusChatMessageHistory(bank, "talk")
        (found,) = store.search(("n",))
        assert found.value["n"] in (told[-1], told[-1] + 1)
        assert found.value == store.get(("n",), "k").value
        messages = [int(message.id) for message in history.messages]
        assert messages in (told, [*told, told[-1] + 1])

        store.put(("n",), "k", {"n": "after"})
        history.add_messages([HumanMessage("after", id="after")])
        assert ["after"] == [item.value["n"] for item in store.search(("n",))]
        assert "after" == history.messages[-1].id
