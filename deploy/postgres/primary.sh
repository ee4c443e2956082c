#!/usr/bin/env bash
# Run once by PostgreSQL's image, when the primary's folder is new: roles, the database, and a standby
# that every commit waits for.
set -euo pipefail

psql --username "$POSTGRES_USER" --dbname postgres --no-psqlrc --quiet --set ON_ERROR_STOP=1 \
	--set store="$STORE_PASSWORD" --set replication="$REPLICATION_PASSWORD" --set monitor="$MONITOR_PASSWORD" <<'SQL'
CREATE ROLE hippocampus LOGIN PASSWORD :'store';
CREATE DATABASE hippocampus OWNER hippocampus;
REVOKE CONNECT ON DATABASE hippocampus FROM PUBLIC;
CREATE ROLE monitor LOGIN PASSWORD :'monitor' IN ROLE pg_monitor;
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'replication';
SELECT FROM pg_create_physical_replication_slot('standby');
-- From its next start on: there is no standby yet, and nothing here would ever be committed.
ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby)';
-- A standby that stays away must not fill the disk; one that was away for longer is made anew.
ALTER SYSTEM SET max_slot_wal_keep_size = '8GB';
SQL
echo "host replication replicator all scram-sha-256" >>"$PGDATA/pg_hba.conf"
