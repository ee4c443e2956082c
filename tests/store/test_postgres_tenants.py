"""The wall between tenants in PostgreSQL: a server's role sees the banks of one of them alone."""

import asyncio
import threading
from contextlib import closing
from datetime import UTC, datetime

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_process import invoke
from store_samples import KEY, grow

from hippocampus import Memory
from hippocampus.core.clock import ManualClock
from hippocampus.core.idempotency import Request, doing
from hippocampus.core.tenant import EVERY, acting, acting_for, as_now, tenant_of, tenant_of_all
from hippocampus.errors import InputError, StoreError, StoreReadOnly
from hippocampus.server import create_app
from hippocampus.server.keys import Keys
from hippocampus.store import open_store
from hippocampus.upkeep import verify

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("psycopg_pool")

from psycopg import sql  # noqa: E402 - after the check

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
KINDS = ("episodes", "journal", "tail", "blocks")


both = pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"], indirect=True)


@pytest.fixture
def key(request):
    """What opens the store of a test; None for one in plain words, which most are about."""
    return getattr(request, "param", None)


@pytest.fixture
def dsn(database):
    return database()


@pytest.fixture
def role(dsn):
    """A role for servers, which owns nothing."""
    with psycopg.connect(dsn, autocommit=True) as db:
        name = "app_" + db.execute("SELECT current_database()").fetchone()[0]
        db.execute(f"CREATE ROLE {name} LOGIN")
    yield name
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(f"DROP OWNED BY {name}")
        db.execute(f"DROP ROLE {name}")


@pytest.fixture
def owner(dsn, key):
    with closing(open_store(dsn, busy_timeout_s=5, key=key)) as store:
        yield store


def fill(store, name, episodes=3):
    with acting_for(tenant_of(name)), store.write():
        bank = store.banks.add(name, 1)
        grow(store, bank, episodes)
        store.payloads.put(bank, "content", [(0, b"secret of " + name.encode())])
    return bank


@pytest.fixture
def as_role(dsn, role, key):
    return dsn.replace("user=hippo", f"user={role}"), key


@pytest.fixture
def app(owner, role, as_role):
    """The store as a server opens it, and two banks of two tenants, made by itself."""
    owner.grants.grant(role)
    with closing(open_store(as_role[0], busy_timeout_s=1, key=as_role[1])) as store:
        yield store, fill(store, "acme/ada"), fill(store, "rival/bob")


def seen(store, bank):
    return (
        store.episodes.count(bank), store.journal.last_seq(bank),
        len(store.payloads.tail(bank, "content")), list(store.episodes.scan(bank)),
        store.banks.has(bank),
    )  # fmt: skip


# ---------------------------------------------------------------- whose a bank is


@given(st.text(min_size=1))
def test_a_banks_tenant_is_what_its_name_begins_with_rather_than_all(name):
    tenant = tenant_of(name)
    assert (name + "/").startswith(tenant)
    assert tenant_of(tenant) == tenant != EVERY
    assert tenant_of_all(name.rstrip("*") or "x") != EVERY


def test_what_a_key_opens_says_for_whom_to_act_if_it_ends_with_a_tenants_name():
    wanted = {"acme/*": "acme/", "acme/a*": "acme/", "acme": "acme/", "ac*": EVERY, "*": EVERY}
    assert {pattern: tenant_of_all(pattern) for pattern in wanted} == wanted


def test_a_call_acts_on_another_thread_for_whom_it_was_made():
    told = []
    with acting_for("acme/"):
        call = as_now(lambda: told.append(acting()))
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert told == ["acme/"]
    assert acting() == EVERY


# ---------------------------------------------------------------- the wall


@both
def test_who_acts_for_a_tenant_reads_nothing_of_another_by_a_number_that_was_guessed(app):
    store, ours, theirs = app
    with acting_for("acme/"):
        assert seen(store, ours)[0] == 3
        assert seen(store, theirs) == (0, 0, 0, [], False)
        with store.read():
            assert seen(store, theirs) == (0, 0, 0, [], False)
        assert store.banks.names() == ["acme/ada"]
        assert store.banks.number("rival/bob") is None


def test_who_acts_for_a_tenant_changes_nothing_of_another(app, owner):
    store, ours, theirs = app
    before = seen(owner, theirs)
    with acting_for("acme/"):
        with pytest.raises(StoreError, match="another tenant"), store.write(theirs):
            grow(store, theirs, 1)
        with pytest.raises(StoreError, match=r"another tenant|breaks a rule"), store.write():
            grow(store, theirs, 1)
        with store.write(ours):  # whose transaction writes another's rows by mistake
            store.episodes.set_level(theirs, [0, 1], 3)
            store.journal.redact(theirs, [0, 1])
            store.payloads.drop(theirs, "content")
        with pytest.raises(StoreError, match="another tenant"), store.write():
            store.banks.add("rival/new", 1)
    assert seen(owner, theirs) == before
    assert owner.banks.names() == ["acme/ada", "rival/bob"]


def test_a_query_without_a_tenant_neither_sees_nor_changes_anything(app, as_role, owner):
    _, ours, theirs = app
    with psycopg.connect(as_role[0], autocommit=True) as db:
        db.execute("SET search_path TO hippocampus")
        for table in ("banks", *KINDS):
            name = sql.Identifier(table)
            assert db.execute(sql.SQL("SELECT 1 FROM {}").format(name)).fetchall() == []
            assert db.execute(sql.SQL("DELETE FROM {}").format(name)).rowcount == 0
        assert db.execute("UPDATE episodes SET said_at = 0").rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            db.execute("INSERT INTO tail VALUES (%s, 'content', 9, '', '')", (theirs,))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("SELECT * FROM episodes_0")  # a part, on which no wall stands
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("ALTER TABLE banks DISABLE ROW LEVEL SECURITY")
    assert seen(owner, ours)[0] == seen(owner, theirs)[0] == 3


@pytest.mark.slow
@both
def test_a_reading_transaction_may_be_the_first_to_act_for_a_tenant(app, as_role):
    """The tenant's mark is then not known yet, and is asked for as the transaction begins."""
    _, ours, _ = app
    with (
        closing(open_store(as_role[0], busy_timeout_s=1, key=as_role[1])) as fresh,
        acting_for("acme/"),
        fresh.read(),
    ):
        assert fresh.banks.number("acme/ada") == ours
        assert fresh.banks.number("rival/bob") is None


def test_a_connection_of_the_pool_carries_no_tenant_over(app):
    store, ours, theirs = app
    for tenant, bank in (("acme/", ours), ("rival/", theirs)) * 3:
        with acting_for(tenant):
            assert store.episodes.count(bank) == 3
            with store.read():
                assert store.episodes.count(bank) == 3
            with store.write(bank):
                store.episodes.set_level(bank, [0], 1)
        with store.transactions.open.connection() as db:  # the one that was just given back
            told = "SELECT current_setting('hippocampus.tenant', true)"
            assert not db.execute(told).fetchone()[0]
            assert db.execute("SELECT COUNT(*) FROM episodes").fetchone() == (0,)


def test_a_tenant_is_not_carried_over_by_a_transaction_that_fails(app):
    store, ours, _ = app
    with acting_for("acme/"), pytest.raises(ZeroDivisionError), store.write(ours):
        _ = 1 / 0
    with store.transactions.open.connection() as db:
        assert db.execute("SELECT COUNT(*) FROM banks").fetchone() == (0,)


def test_many_rows_go_in_behind_a_wall_that_follows_a_renamed_bank(app):
    store, ours, theirs = app
    with acting_for("acme/"):
        with store.write(ours):
            grow(store, ours, 200)
        assert store.episodes.count(ours) == 203
    with store.write():
        store.banks.rename(theirs, "acme/bob")
    with acting_for("acme/"):
        assert seen(store, theirs)[0] == 3
    with acting_for("rival/"):
        assert seen(store, theirs) == (0, 0, 0, [], False)


@both
def test_a_role_of_one_tenant_sees_no_other_whatever_it_says(app, owner, role, as_role):
    _, ours, theirs = app
    owner.grants.grant(role, tenant="acme/")
    with closing(open_store(as_role[0], busy_timeout_s=1, key=as_role[1])) as store:
        for tenant in (EVERY, "rival/"):
            with acting_for(tenant):
                assert store.banks.names() == ["acme/ada"]
                assert seen(store, ours)[0] == 3
                assert seen(store, theirs) == (0, 0, 0, [], False)


@both
def test_what_was_there_before_the_wall_is_behind_it_as_well(owner, role, as_role):
    ours, theirs = fill(owner, "acme/ada"), fill(owner, "rival/bob")
    owner.grants.grant(role)
    owner.grants.grant(role)  # twice is as good as once
    assert owner.upkeep.check() == []
    with (
        closing(open_store(as_role[0], busy_timeout_s=1, key=as_role[1])) as store,
        acting_for("acme/"),
    ):
        assert seen(store, ours)[0] == 3
        assert seen(store, theirs) == (0, 0, 0, [], False)


def test_a_bank_that_an_earlier_version_made_is_told_until_a_grant_notes_its_tenant(
    owner, role, dsn
):
    owner.grants.grant(role)
    fill(owner, "acme/ada")
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("UPDATE hippocampus.banks SET tenant = NULL")
    assert owner.upkeep.check() == ["1 banks have no tenant; grant a role again"]
    owner.grants.grant(role)
    assert owner.upkeep.check() == []


# ---------------------------------------------------------------- who is let behind it


def test_only_the_owner_grants(app, role):
    with pytest.raises(StoreReadOnly, match="owns the tables"):
        app[0].grants.grant(role)


def test_a_role_that_no_wall_holds_is_refused(owner, dsn, role):
    with pytest.raises(InputError, match="CREATE ROLE"):
        owner.grants.grant("nobody there")
    with pytest.raises(InputError, match="no wall holds"):
        owner.grants.grant("hippo")
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(f"GRANT hippo TO {role}")
    with pytest.raises(InputError, match="no wall holds"):
        owner.grants.grant(role)
    with pytest.raises(InputError, match="'acme/'"):
        owner.grants.grant(role, tenant="acme")


# ---------------------------------------------------------------- a memory behind it


@pytest.mark.slow
@both
def test_a_memory_works_behind_the_wall_even_in_what_goes_over_all_banks(owner, role, as_role):
    owner.grants.grant(role)
    with Memory(as_role[0], embedder="hash", clock=ManualClock(NOON), key=as_role[1]) as memory:
        for name in ("acme/ada", "rival/bob"):
            with acting_for(tenant_of(name)):
                bank = memory.bank(name)
                ids = [bank.remember(f"{name} sails boat {n}.", at=NOON).id for n in range(9)]
                bank.forget(ids[0])
                bank.forget(ids[1], erase=True)
        with acting_for("acme/"):
            assert memory.bank("acme/ada").recall("boat 7", k=1).hits[0].text.endswith("boat 7.")
            assert not memory.bank("rival/new").recall("boat 7").hits
        assert memory.banks() == ["acme/ada", "rival/bob"]
        for name in memory.banks():  # as a schedule does, for nobody in particular
            memory.bank(name).sleep()
        assert verify(memory).problems == ()
        with acting_for("rival/"):
            memory.delete_bank("rival/bob")
        assert memory.banks() == ["acme/ada"]


@pytest.mark.slow
@pytest.mark.parametrize("key", [KEY], indirect=True)
def test_what_one_tenant_erased_is_sealed_anew_by_the_next_that_sees_it(owner, role, as_role):
    owner.grants.grant(role)
    with closing(open_store(as_role[0], busy_timeout_s=1, key=KEY)) as store:
        ours, theirs = fill(store, "acme/ada"), fill(store, "rival/bob")
        kept = owner.settings.get_plain(f"key {theirs}")
        with acting_for("rival/"), store.write(theirs):  # and then its server died
            store.upkeep.owe_scrub(theirs)
        with acting_for("acme/"):
            with store.write(ours):
                store.upkeep.owe_scrub(ours)
            store.upkeep.scrub()
            assert seen(store, ours)[0] == 3
        assert owner.settings.get_plain(f"key {theirs}") != kept
        with acting_for("rival/"):
            assert seen(store, theirs)[0] == 3
    owner.grants.grant(role, tenant="acme/")
    kept = owner.settings.get_plain(f"key {theirs}")
    with owner.write(theirs):
        owner.upkeep.owe_scrub(theirs)
    with closing(open_store(as_role[0], busy_timeout_s=1, key=KEY)) as store:
        store.upkeep.scrub()
        assert store.upkeep.owes_scrub(), "it does not see that bank, and leaves it to others"
    assert owner.settings.get_plain(f"key {theirs}") == kept
    owner.upkeep.scrub()
    assert not owner.upkeep.owes_scrub()
    assert owner.upkeep.check() == []


@pytest.mark.parametrize("key", [KEY], indirect=True)
def test_the_name_of_a_deleted_bank_is_left_to_who_sees_every_other(app, owner, role, as_role):
    store, ours, theirs = app
    third = fill(store, "acme/tom")
    kept = owner.settings.get_plain("key 0")
    with acting_for("acme/"):  # for the server sees all of them whenever it says so
        with store.write():
            store.upkeep.owe_drop(third)
        store.upkeep.scrub()
        assert not store.upkeep.owes_scrub()
        assert store.banks.names() == ["acme/ada"]
    assert (between := owner.settings.get_plain("key 0")) != kept
    with acting_for("rival/"):
        assert seen(store, theirs)[0] == 3
    owner.grants.grant(role, tenant="acme/")
    with closing(open_store(as_role[0], busy_timeout_s=1, key=KEY)) as walled:
        with walled.write():
            walled.upkeep.owe_drop(ours)
        walled.upkeep.scrub()
        assert walled.upkeep.owes_scrub(), "the names that it does not see would be lost"
    assert owner.settings.get_plain("key 0") == between
    owner.upkeep.scrub()
    assert not owner.upkeep.owes_scrub()
    assert owner.settings.get_plain("key 0") != between
    assert owner.banks.names() == ["rival/bob"]
    assert owner.upkeep.check() == []


# ---------------------------------------------------------------- a server behind it


class _Confused(Memory):
    """A memory that mixes banks up: what the wall is for."""

    asked_for = None

    def bank(self, name):
        return super().bank(self.asked_for or name)


def ask(memory, calls):
    """Return what a server says to calls of (token, bank, verb, arguments)."""

    async def every():
        transport = httpx.ASGITransport(create_app(memory))
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            told = []
            for token, bank, verb, given in calls:
                headers = {"Authorization": f"Bearer {token}"}
                path = f"/v1/banks/{bank.replace('/', '%2F')}/{verb}" if bank else "/v1/banks"
                how = {"json": given} if bank else {}
                done = await client.request("POST" if bank else "GET", path, headers=headers, **how)
                told.append((done.status_code, done.json()))
            return told

    return asyncio.run(every())


@pytest.mark.slow
@both
def test_a_server_gives_each_key_only_its_own_even_when_it_mixes_banks_up(owner, role, as_role):
    owner.grants.grant(role)
    how = {"embedder": "none", "clock": ManualClock(NOON), "key": as_role[1]}
    said = {"text": "The spare key is under the blue pot.", "at": NOON.isoformat()}
    with Memory(as_role[0], **how) as memory:
        keys = Keys(memory)
        acme = keys.create("acme", "write", ["acme/*"]).token
        rival = keys.create("rival", "write", ["rival/bob"]).token
        every = keys.create("all", "admin", ["*"]).token
        found = ask(memory, [
            (acme, "acme/ada", "remember", said), (rival, "rival/bob", "remember", said),
            (acme, "acme/ada", "recall", {"query": "Where is the spare key?"}),
            (acme, "rival/bob", "recall", {"query": "Where is the spare key?"}),
            (acme, "", "", None), (rival, "", "", None), (every, "", "", None),
        ])  # fmt: skip
    assert [status for status, _ in found] == [200, 200, 200, 404, 200, 200, 200]
    assert [hit["episode"]["text"] for hit in found[2][1]["hits"]] == [said["text"]]
    assert [told for _, told in found[4:]] == [
        ["acme/ada"], ["rival/bob"], ["acme/ada", "rival/bob"],
    ]  # fmt: skip
    with _Confused(as_role[0], **how) as memory:
        memory.asked_for = "rival/bob"
        found = ask(memory, [
            (acme, "acme/ada", "recall", {"query": "Where is the spare key?"}),
            (acme, "acme/ada", "remember", said),
        ])  # fmt: skip
        assert found[0] == (200, found[0][1])
        assert found[0][1]["hits"] == []
        assert found[1][0] >= 400
    assert owner.episodes.count(owner.banks.number("rival/bob")) == 1


def test_the_command_that_grants_says_what_is_seen(dsn, role):
    done = invoke("remember", "--store", dsn, "--embedder", "none", "--bank", "acme/ada", "A pot.")
    assert done.exit_code == 0, done.output
    done = invoke("postgres", "grant", role, "--tenant", "acme/", "--store", dsn)
    assert "of 1 banks it sees those of 'acme/' alone" in done.output
    app = dsn.replace("user=hippo", f"user={role}")
    done = invoke("banks", "--store", app)
    assert "acme/ada" in done.output
    done = invoke("postgres", "grant", role, "--store", "memory.db")
    assert "a file has no roles" in done.output


@both
def test_a_bank_is_deleted_behind_the_wall_under_a_key(owner, role, as_role):
    owner.grants.grant(role)
    request = Request.named("k", caller="", asked=b"", salt=b"")
    with Memory(as_role[0], key=as_role[1], embedder=None) as memory, acting_for("acme/"):
        memory.bank("acme/ada").remember("It rains.")
        for _ in range(2):
            with doing(request):
                memory.delete_bank("acme/ada")
        assert [] == memory.banks()


@pytest.mark.slow
def test_what_a_bank_includes_never_crosses_the_wall_whatever_a_key_opens(owner, role, as_role):
    owner.grants.grant(role)
    texts = {"acme/ada": "Ada has tea.", "acme/team": "The VPN is up.", "rival/bob": "Bob has tea."}
    with Memory(as_role[0], embedder="none", clock=ManualClock(NOON)) as memory:
        keys = Keys(memory)
        every = keys.create("all", "admin", ["*"]).token
        said = [(every, name, "remember", {"text": text}) for name, text in texts.items()]
        asked = {"query": "Who has tea?"}
        found = ask(memory, [
            *said, (every, "rival/bob", "recall", asked),
            (every, "acme/ada", "include", {"banks": ["acme/team"]}),
            (every, "acme/ada", "include", {"banks": ["rival/bob"]}),
            (every, "acme/ada", "recall", asked),
            (every, "acme/ada", "recall", asked | {"include": ["rival/bob", "acme/team"]}),
        ])  # fmt: skip
        note = found[0][1]["id"]
        moved = ask(memory, [(every, "acme/ada", "promote", {"id": note, "to": "rival/bob"})])
    assert [200, 404, 200, 200] == [status for status, _ in found[4:]]
    for _, told in found[6:]:
        assert {"acme/ada", "acme/team"} == {hit["episode"]["bank"] for hit in told["hits"]}
    assert 403 == moved[0][0]
