#!/usr/bin/env bash
# A standby: at its first start it copies the primary, and follows it from then on.
set -euo pipefail

if [ ! -s "$PGDATA/PG_VERSION" ]; then
	until pg_isready --quiet --host "$PRIMARY_HOST" --port "${PRIMARY_PORT:-5432}"; do sleep 1; done
	PGPASSWORD="$REPLICATION_PASSWORD" pg_basebackup --pgdata "$PGDATA" --checkpoint fast \
		--wal-method stream --slot standby --write-recovery-conf \
		--dbname "host=$PRIMARY_HOST port=${PRIMARY_PORT:-5432} user=replicator application_name=standby"
	chmod 0700 "$PGDATA"
fi
exec postgres "$@"
