#!/bin/sh
# Restores the newest backup of FOLDER into the database gatehouse_restore_check, compares its rows with the saved files,
# and empties the database again. Fails if the backup is too old, cannot be restored, or lacks files. See docs/backups.md.
# Usage: restore-check.sh FOLDER
set -eu
folder=$1
# The parameters of the URL can contain paths.
place=${MIGRATION_DATABASE_URL%%\?*}
scratch=${place%/*}/gatehouse_restore_check${MIGRATION_DATABASE_URL#"$place"}
# The owner of a database can replace its schemas, so that the role needs no other rights.
empty() {
  psql -qX -v ON_ERROR_STOP=1 -d "$scratch" -c 'SET client_min_messages = warning' \
    -c 'DROP SCHEMA IF EXISTS public, drizzle CASCADE' -c 'CREATE SCHEMA public'
}

# Ignores names in the future, which a wrong clock gave.
now=$(date -u +%Y-%m-%dT%H%M%S)
newest=$(ls "$folder" | grep '^2...-..-..T......$' | awk -v now="$now" '$0 <= now' | tail -n 1)
[ -n "$newest" ] || { echo "No complete backup exists in $folder." >&2; exit 1; }
if [ "$newest" \< "$(date -u -d '-2 days' +%Y-%m-%dT%H%M%S)" ]; then
  echo "The newest complete backup is from $newest." >&2
  exit 1
fi
started=$(date +%s)
empty
trap empty EXIT
pg_restore --exit-on-error --no-owner --no-privileges -d "$scratch" < "$folder/$newest/gatehouse.dump"
# The dump is older than the files, so files without a row are expected.
found=$(DATABASE_URL=$scratch BLOB_URL=file://$folder/$newest/files \
  node_modules/.bin/node dist/src/cli/main.js check-files) || [ $? -eq 3 ]
rows=$(psql -qAtX -d "$scratch" -c 'SELECT count(*) FROM files')
missing=$(printf '%s\n' "$found" | grep ' is missing$') || true
echo "Restored the backup of $newest with $rows files in $(($(date +%s) - started)) s."
[ -z "$missing" ] || { printf '%s\n' "$missing" >&2; exit 1; }
node_modules/.bin/node dist/src/cli/main.js record-run --task restore_check ||
  echo 'The check was not recorded.' >&2
