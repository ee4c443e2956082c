"""
The wall between tenants: row-level security, by the tenant that a transaction says it acts for.

A role that was granted the store sees the rows of one tenant's banks, those of ``SETTING``, and
none where that is not set. The owner of the tables sees all: it makes the rules. Which tenant a
bank is of stands beside its name; in an encrypted store, a digest of it.
"""

from __future__ import annotations

import hashlib
import os
from typing import Final

from psycopg import sql

from hippocampus.core.cipher import STORE
from hippocampus.core.tenant import EVERY, tenant_of
from hippocampus.errors import InputError, StoreReadOnly
from hippocampus.store.banks import SqlBanks
from hippocampus.store.postgres.encryption import PostgresEncryption
from hippocampus.store.postgres.schema import SCHEMA
from hippocampus.store.postgres.transactions import PostgresTransactions
from hippocampus.store.settings import SqlSettings

SETTING: Final = "tenants"
"""The setting with the key of the digests of tenants; none where the store is in plain words."""
_BANKED: Final = ("journal", "episodes", "tail", "blocks", "requests")
_SHARED: Final = {"format": "SELECT", "commits": "SELECT, UPDATE"}
_BY_TENANT: Final = sql.Identifier("banks_by_tenant")
_ALL: Final = "SELECT, INSERT, UPDATE, DELETE"


class Tenants:
    """Tenants of banks, as the database knows them."""

    def __init__(self, settings: SqlSettings, encryption: PostgresEncryption) -> None:
        self._settings = settings
        self._encryption = encryption
        self._key: bytes | None = None

    def mark(self, tenant: str) -> str | None:
        """Return the mark of a tenant; None in an encrypted store that keeps none apart."""
        if tenant == EVERY or not self._encryption.seals:
            return tenant
        if self._key is None:
            kept = self._settings.get(SETTING)
            self._key = None if kept is None else bytes.fromhex(kept)
        if self._key is None:
            return None
        return hashlib.blake2b(tenant.encode(), key=self._key, digest_size=16).hexdigest()

    def make_key(self) -> None:
        """Make the key of the digests, if they need one; inside ``write()``."""
        if self._encryption.seals and self._settings.get(SETTING) is None:
            self._settings.put(SETTING, os.urandom(32).hex())


class PostgresBanks(SqlBanks):
    """The ``banks`` table, in which each has a tenant."""

    def __init__(
        self, db: PostgresTransactions, encryption: PostgresEncryption, tenants: Tenants
    ) -> None:
        super().__init__(db, encryption)
        self._transactions = db.open
        self._keys = encryption
        self._tenants = tenants

    def _insert(self, name: str, at: int, tenant: str) -> None:
        self._db.do(
            "INSERT INTO banks (name, at, tenant) VALUES (?, ?, ?)",
            name, at, self._tenants.mark(tenant),
        )  # fmt: skip

    def rename(self, bank: int, name: str) -> None:
        super().rename(bank, name)
        mark = self._tenants.mark(tenant_of(name))
        self._db.do("UPDATE banks SET tenant = ? WHERE bank = ?", mark, bank)

    def number(self, name: str) -> int | None:
        cipher, number = self._db.cipher(STORE), super().number(name)
        if self._transactions.noting:
            return number
        # Another may have had names sealed anew since the key was looked up.
        while number is None and (now := self._keys.look_again(STORE)) is not cipher:
            cipher, number = now, super().number(name)
        return number

    def _names(self, prefix: str, after: str, limit: int | None) -> list[str]:
        if not self._keys.seals:
            return super()._names(prefix, after, limit)
        with self._transactions.read():  # in which names and their key are of one moment
            return super()._names(prefix, after, limit)

    def note_tenants(self) -> None:
        """Note the tenant of each bank, where an earlier version has not."""
        for name in self.names():
            mark = self._tenants.mark(tenant_of(name))
            self._db.do(
                "UPDATE banks SET tenant = ? WHERE bank = ? AND tenant IS DISTINCT FROM ?",
                mark, self.number(name), mark,
            )  # fmt: skip


class Grants:
    """The rights of roles on a store, behind the wall."""

    def __init__(self, db: PostgresTransactions, banks: PostgresBanks, tenants: Tenants) -> None:
        self._db = db
        self._banks = banks
        self._tenants = tenants

    def grant(self, role: str, *, tenant: str | None = None) -> None:
        """
        Let a role read and write the store, behind the wall.

        It sees the banks of the tenant that its session says it acts for, or, with ``tenant``,
        those of this one alone, whatever it says. What it was granted before is taken back.

        Raises:
            InputError: there is no such role, or one that no wall holds.
            StoreReadOnly: this session does not own the tables.

        """
        if tenant is not None and tenant != tenant_of(tenant):
            raise InputError(
                f"tenant={tenant!r}: it is what the names of its banks begin with, up to and with"
                f" the first slash, such as {tenant_of(tenant)!r}"
            )
        with self._db.write():
            self._check_owner()
            self._check_role(role)
            self._tenants.make_key()
            self._banks.note_tenants()
            for statement in _statements(role, tenant and self._tenants.mark(tenant)):
                self._db.command(statement)

    def _check_owner(self) -> None:
        owns = "SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_class AS c WHERE c.oid = "
        if not self._db.rows(f"{owns} to_regclass('banks')")[0][0]:
            raise self._db.refuse(
                StoreReadOnly, "only the role that owns the tables grants them: connect as that one"
            )

    def _check_role(self, role: str) -> None:
        found = self._db.rows(
            "SELECT rolsuper OR rolbypassrls,"
            " (SELECT pg_has_role(r.oid, c.relowner, 'MEMBER') FROM pg_class AS c"
            " WHERE c.oid = to_regclass('banks')) FROM pg_roles AS r WHERE rolname = ?",
            role,
        )
        if not found:
            raise InputError(
                f"role={role!r}: the database has none of that name; make it with"
                f" 'CREATE ROLE \"{role}\" LOGIN'"
            )
        if any(found[0]):
            raise InputError(
                f"role={role!r}: no wall holds a superuser, a role with BYPASSRLS, or a member of"
                " the role that owns the tables; make another one for servers"
            )

    def sees_every_bank(self) -> bool:
        """Return whether this session sees the banks of all tenants where it acts for all."""
        if not self._db.connections.walled:
            return True
        # A role that was granted one tenant has a policy that does not ask for whom it acts.
        return bool(
            self._db.rows(
                "SELECT 1 FROM pg_policies WHERE schemaname = ? AND tablename = 'banks'"
                " AND qual LIKE ? AND roles && ARRAY("
                "SELECT rolname FROM pg_roles WHERE pg_has_role(oid, 'USAGE')) LIMIT 1",
                SCHEMA,
                "%hippocampus.tenant%",
            )
        )

    def check_walls(self) -> list[str]:
        """Return a line for a wall that is up and does not hold: banks without a tenant."""
        if not self._db.rows("SELECT 1 FROM pg_policies WHERE schemaname = ?", SCHEMA):
            return []
        unmarked = self._db.rows("SELECT COUNT(*) FROM banks WHERE tenant IS NULL")[0][0]
        return [f"{unmarked} banks have no tenant; grant a role again"] * bool(unmarked)


def _statements(role: str, tenant: str | None) -> list[sql.Composed]:
    """Return the statements that put the wall up, and give a role its place behind it."""
    # PostgreSQL cuts longer names by itself, and warns.
    who, policy = sql.Identifier(role), sql.Identifier(f"tenant of {role}"[:63])
    if tenant is None:
        # As a query of its own it is asked once a statement, and not of every row.
        acting = sql.SQL("(SELECT current_setting('hippocampus.tenant', true))")
        whose = sql.SQL("tenant = {0} OR {0} = {1}").format(acting, sql.Literal(EVERY))
        every = sql.SQL("{0} = {1} OR ").format(acting, sql.Literal(EVERY))
    else:
        whose, every = sql.SQL("tenant = {0}").format(sql.Literal(tenant)), sql.Composed([])
    schema = sql.Identifier(SCHEMA)
    made: list[sql.Composed] = [
        sql.SQL("CREATE INDEX IF NOT EXISTS {} ON banks (tenant)").format(_BY_TENANT),
        sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, who),
    ]
    for table in (*_SHARED, "settings", "rates", "banks", *_BANKED):
        rights = sql.SQL(_SHARED.get(table, _ALL))
        made.append(sql.SQL("GRANT {} ON {} TO {}").format(rights, sql.Identifier(table), who))
    its = sql.SQL("EXISTS (SELECT 1 FROM {}.banks AS its WHERE its.bank = {}.bank)")
    for table in ("banks", *_BANKED):
        name = sql.Identifier(table)
        rule = whose if table == "banks" else sql.Composed([every, its.format(schema, name)])
        if table == "requests":  # those that outlast their bank are of none: digests and a number
            rule = sql.Composed([rule, sql.SQL(" OR bank = 0")])
        made += [
            # Not forced on the owner, who may take it down anyway: a dump, a migration or a check
            # as the owner would silently see nothing (docs/adr/0080).
            sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(name),
            sql.SQL("DROP POLICY IF EXISTS {} ON {}").format(policy, name),
            sql.SQL("CREATE POLICY {} ON {} TO {} USING ({})").format(policy, name, who, rule),
        ]
    return made
