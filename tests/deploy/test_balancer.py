"""The balancer that is shipped keeps a bank with a server, and does without one that died."""

import re
import shutil
import signal
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import postgres_server
import psycopg
import pytest
from balanced_nodes import Node, balanced, free_ports, status, until
from shipped_figures import expressions

from hippocampus import Client, wire
from hippocampus.errors import Overloaded
from hippocampus.verbs import BANK_VERBS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("haproxy") is None, reason="no HAProxy is installed"),
]
BANKS = [f"acme/bank {number}" for number in range(12)]


@pytest.fixture(scope="module")
def nodes(shared_store):
    made = [Node(shared_store, port) for port in free_ports(2)]
    try:
        for node in made:
            node.start()
            node.await_ready()
        yield made
    finally:
        for node in made:
            node.process.kill()
            node.process.wait()


@pytest.fixture(scope="module")
def balancer(nodes, tmp_path_factory):
    with balanced(nodes, tmp_path_factory.mktemp("balancer")) as (port, figures):
        until(lambda: up(figures) == 2, "the balancer finds one server alone")
        yield f"http://127.0.0.1:{port}", figures


def told_by(figures):
    """Return the balancer's figures, a line each."""
    with urllib.request.urlopen(f"http://127.0.0.1:{figures}/metrics", timeout=5) as answer:
        return answer.read().decode().splitlines()


def up(figures):
    """Return how many servers the balancer finds."""
    wanted = 'haproxy_backend_active_servers{proxy="banks"'
    line = next(one for one in told_by(figures) if one.startswith(wanted))
    return float(line.rpartition(" ")[2])


def any_failed(working):
    """Return whether any of those that work until they are stopped has ended."""
    return any(one.done() for one in working)


def shares(nodes, ask):
    """Return how many of three requests each server answered."""
    before = sum(node.served() for node in nodes), [node.served() for node in nodes]
    ask()  # three times; a server counts a request when its answer has been sent
    until(lambda: sum(node.served() for node in nodes) == before[0] + 3, "they answered no three")
    return [node.served() - old for node, old in zip(nodes, before[1], strict=True)]


def test_all_servers_share_the_banks_with_each_bank_going_to_one_of_them(nodes, balancer):
    with Client(balancer[0]) as client:
        found = []
        for bank in map(client.bank, BANKS):

            def ask(bank=bank):
                bank.remember("The spare key is under the blue pot.")
                assert bank.recall("Where is the spare key?").hits
                bank.stats()

            found.append(shares(nodes, ask))

    assert all(sorted(one) == [0, 3] for one in found), found
    assert all(map(sum, zip(*found, strict=True))), "one server has all banks"


def test_a_bank_is_the_same_however_its_name_is_encoded(nodes, balancer):
    def ask():
        for name in ("a%2Fb", "a%2fb", "%61%2Fb"):
            status(f"{balancer[0]}/v1/banks/{name}/stats")

    assert sorted(shares(nodes, ask)) == [0, 3]


def test_figures_are_not_to_be_had_through_it(balancer):
    assert 404 == status(f"{balancer[0]}/metrics")


def test_the_board_and_the_alerts_read_figures_that_the_balancer_gives(balancer):
    told = "".join(expression for _, expression in expressions())
    given = {re.split(r"[ {]", line)[0] for line in told_by(balancer[1])}
    wanted = set(re.findall(r"haproxy_\w+", told))

    assert wanted
    assert wanted <= given


def test_nobody_misses_a_server_that_is_killed_before_it_comes_back(nodes, balancer):
    url, figures = balancer
    lost, stop = nodes[0], []
    kept = dict.fromkeys(BANKS, 0)

    def work(names):
        with Client(url) as client:
            while not stop:
                for name in names:
                    client.bank(name).remember(f"It is tick {kept[name]} of {name}.")
                    kept[name] += 1
                    assert client.bank(name).recall("What is it?").hits

    pool = ThreadPoolExecutor(3)
    working = [pool.submit(work, BANKS[n::3]) for n in range(3)]
    failed = partial(any_failed, working)
    until(lambda: min(kept.values()) > 2 or failed(), "nothing is remembered")
    lost.end(signal.SIGKILL)
    then = dict(kept)
    until(lambda: all(kept[n] > then[n] + 2 for n in BANKS) or failed(), "not all go on")
    until(lambda: up(figures) == 1, "the balancer does not see that one is gone")
    lost.start()
    lost.await_ready()
    until(lambda: up(figures) == 2, "the balancer does not see that it is back")
    then = dict(kept)
    until(lambda: all(kept[n] > then[n] + 1 for n in BANKS) or failed(), "not all go on")
    stop.append(True)
    for one in working:
        one.result()

    assert lost.served(), "its banks are with it again"
    with Client(url) as client:
        for name in BANKS:
            said = [one.text for one in client.bank(name).episodes()]
            told = [text for text in said if "tick" in text]
            assert sorted(told) == sorted(f"It is tick {n} of {name}." for n in range(kept[name]))


def test_a_server_that_is_told_to_end_loses_no_request(nodes, balancer):
    url, figures = balancer
    stop, done = [], []

    def work(name):
        with Client(url) as client:
            while not stop:
                client.bank(name).remember(f"It is {len(done)} o'clock in {name}.")
                done.append(name)

    pool = ThreadPoolExecutor(4)
    working = [pool.submit(work, name) for name in BANKS[:4]]
    until(lambda: len(done) > 20 or any_failed(working), "nothing is remembered")
    for node in nodes:
        node.end(signal.SIGTERM)
        node.start()
        node.await_ready()
        until(lambda: up(figures) == 2, "the balancer does not see that it is back")
    stop.append(True)

    for one in working:
        one.result()


@pytest.fixture(scope="module")
def standby(shared_store):
    """A standby of the store's database, and the folder of its socket."""
    if postgres_server.binaries() is None:
        pytest.skip("no PostgreSQL is installed")
    folder = Path(parse_qs(urlsplit(shared_store).query)["host"][0])
    postgres_server.take_copy(folder, folder / "reads", standby=True)
    with postgres_server.running_copy(folder, folder / "reads") as place:
        yield shared_store.replace(str(folder), str(place))


@pytest.fixture(scope="module")
def replica(nodes, standby):
    assert len(nodes) == 2  # they have made the store's tables
    node = Node(standby, *free_ports(1), "--read-only")
    try:
        node.start()
        node.await_ready()
        yield node
    finally:
        node.process.kill()
        node.process.wait()


@pytest.fixture
def reads(nodes, replica, tmp_path):
    """Where a standby may answer, and where the balancer's figures are."""
    (port,) = free_ports(1)
    places = {
        "HIPPOCAMPUS_REPLICA": f"127.0.0.1:{replica.port}", "HIPPOCAMPUS_READS": f"127.0.0.1:{port}"
    }  # fmt: skip
    with balanced(nodes, tmp_path, **places) as (_, figures):
        until(lambda: replica_is_up(figures), "the balancer finds no replica")
        yield f"http://127.0.0.1:{port}", figures


def replica_is_up(figures):
    wanted = 'haproxy_server_status{proxy="replicas",server="replica",state="UP"} 1'
    return any(line.startswith(wanted) for line in told_by(figures))


def test_a_standby_answers_whoever_lets_it_and_the_servers_do_the_rest(nodes, replica, reads):
    with Client(reads[0]) as client:
        bank = client.bank("acme/reads")
        bank.remember("The spare key is under the blue pot.")
        assert bank.recall("Where is the spare key?").hits
        before = replica.served(), sum(node.served() for node in nodes)
        until(
            lambda: bank.recall("Where is the spare key?").hits and replica.served() > before[0],
            "the standby is never asked",
        )
        bank.remember("The ladder is in the shed.")

    assert sum(node.served() for node in nodes) > before[1]


def test_what_a_standby_is_behind_of_is_answered_by_a_server(standby, reads):
    with Client(reads[0]) as client, psycopg.connect(standby, autocommit=True) as held:
        bank = client.bank("acme/behind")
        bank.remember("The spare key is under the blue pot.")
        held.execute("SELECT pg_wal_replay_pause()")
        try:
            for number in range(3):
                bank.remember(f"The ladder was lent to Tom {number} times.")
                assert len(bank.episodes()) == number + 2
            client.bank("new").remember("The gate code is on the fridge.")
            assert 200 == status(f"{reads[0]}/v1/banks/new/stats")  # it has no such bank
        finally:
            held.execute("SELECT pg_wal_replay_resume()")


def test_without_its_standby_the_servers_answer_reads(replica, reads):
    with Client(reads[0]) as client:
        bank = client.bank("acme/alone")
        bank.remember("The spare key is under the blue pot.")
        replica.end()
        try:
            for _ in range(20):
                assert bank.recall("Where is the spare key?").hits
            until(lambda: not replica_is_up(reads[1]), "the balancer does not see that it is gone")
            assert bank.recall("Where is the spare key?").hits
        finally:
            replica.start()
            replica.await_ready()


@pytest.mark.parametrize("file", ["haproxy.cfg", "helm/hippocampus/templates/balancer.yaml"])
def test_what_is_repeated_changes_nothing_or_is_done_once(deploy, file):
    told = (deploy / file).read_text()
    listed = re.findall(r"acl (\w+) path,field\(5,/\) -m str (.*)", told)
    posted = {name for name, verb in BANK_VERBS.items() if verb.reads and verb.method == "POST"}
    once = {name for name, verb in BANK_VERBS.items() if verb.once}

    assert {name for name, _ in listed} == {"changes_nothing", "of_once"}
    for name, verbs in listed:
        assert set(verbs.split()) == {"changes_nothing": posted, "of_once": once}[name]


def test_without_a_server_a_client_is_told_to_come_again(tmp_path):
    nowhere = [Node("", port) for port in free_ports(2)]
    with balanced(nowhere, tmp_path) as (port, _):
        url = f"http://127.0.0.1:{port}"
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{url}/v1/banks/a/stats", timeout=20)  # noqa: S310
        told = wire.as_error(wire.load_fault(refused.value.read()))
        assert (503, "1") == (refused.value.code, refused.value.headers["Retry-After"])
        assert isinstance(told, Overloaded)  # which a client repeats, whatever it asked for
        assert 1 == told.retry_after_s
        until(lambda: status(f"{url}/balancerz") == 503, "the balancer does not see that none is")
