#!/usr/bin/env bash
# A standby: at its first start it copies the primary, and follows it from then on.
set -euo pipefail

if [ ! -s "$PGDATA/PG_VERSION" ]; then
	until pg_isready --quiet --host "$PRIMARY_HOST" --port "${PRIMARY_PORT:-5432}"; do sleep 1; done
	# Beside its place, which it takes when it is whole: of a copy that was cut off nothing is started,
	# and nothing of it is in the way of the next one.
	copy="$PGDATA/copy"
	mkdir -p "$PGDATA"
	others=(-mindepth 1 -maxdepth 1 ! -name lost+found)
	if [ -d "$copy" ]; then
		find "$PGDATA" "${others[@]}" ! -name copy -exec rm -rf {} +
		rm -rf "$copy" # last, for it says whose the others are
	elif [ -n "$(find "$PGDATA" "${others[@]}")" ]; then
		echo "$PGDATA holds something else than a copy of the primary: look at it, and empty it" >&2
		exit 1
	fi
	PGPASSWORD="$REPLICATION_PASSWORD" pg_basebackup --pgdata "$copy" --checkpoint fast \
		--wal-method stream --slot standby --write-recovery-conf \
		--dbname "host=$PRIMARY_HOST port=${PRIMARY_PORT:-5432} user=replicator application_name=standby"
	find "$copy" -mindepth 1 -maxdepth 1 ! -name PG_VERSION -exec mv -t "$PGDATA" {} +
	sync "$PGDATA"
	mv "$copy/PG_VERSION" "$PGDATA" # last, for it says that all is there
	rmdir "$copy"
	chmod 0700 "$PGDATA"
fi
exec postgres "$@"
