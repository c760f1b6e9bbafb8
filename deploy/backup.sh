#!/bin/sh
# Saves the database first, then the files, in a new folder of FOLDER. See docs/backups.md.
# Usage: backup.sh systemd|compose|kubernetes FOLDER
# Deletes backups that are older than BACKUP_DAYS (35 by default), so that erased people do not remain in them. Always
# keeps the seven newest complete backups, or one if BACKUP_DAYS is smaller than seven. To a clock that is wrong for
# several nights, all of them look old. A folder that ends in .partial is in progress or has failed.
set -eu
umask 077
how=$1
folder=$2

case $how in
  systemd)
    dump() { pg_dump -Fc -d "$MIGRATION_DATABASE_URL"; }
    copy() { node_modules/.bin/node dist/src/cli/main.js move-files --to "file://$1"; }
    record() { node_modules/.bin/node dist/src/cli/main.js record-run --task backup "$@"; }
    ;;
  compose)
    dump() { docker compose exec -T postgres pg_dump -U gatehouse -Fc gatehouse; }
    copy() {
      # The container works as this user.
      [ "$(id -u)" -ne 0 ] || chown 1000:1000 "$1"
      docker compose run --rm --no-deps -T -v "$1:/backup" api node dist/src/cli/main.js move-files --to file:///backup
    }
    record() {
      docker compose run --rm --no-deps -T api node dist/src/cli/main.js record-run --task backup "$@"
    }
    ;;
  kubernetes)
    # Another container of the same pod has created the dump.
    dump() { cat /dump/gatehouse.dump; }
    copy() { node dist/src/cli/main.js move-files --to "file://$1"; }
    record() { node dist/src/cli/main.js record-run --task backup "$@"; }
    ;;
  *)
    echo "Usage: backup.sh systemd|compose|kubernetes FOLDER" >&2
    exit 2
    ;;
esac

now=$(date -u +%Y-%m-%dT%H%M%S)
# The names of backups are times, so they can be compared.
days=${BACKUP_DAYS:-35}
oldest=$(date -u -d "-$days days" +%Y-%m-%dT%H%M%S)
count=1
[ "$days" -lt 7 ] || count=7

delete_old() {
  rm -rf "$folder"/*.partial
  # Ignores names in the future, which a wrong clock gave. They would count as the newest backup for years.
  complete=$(ls "$folder" | grep '^2...-..-..T......$' || true)
  newest=$(echo "$complete" | awk -v now="$now" '$0 <= now' | tail -n "$count")
  echo "$complete" | awk -v now="$now" '$0 > now { print $0 " is in the future. Delete this backup." }' >&2
  for each in "$folder"/2???-??-??T??????; do
    name=${each##*/}
    if [ "$name" \< "$oldest" ] && ! echo "$newest" | grep -qx "$name"; then rm -rf "$each"; fi
  done
}

# Runs first, so that a backup that fails every night neither keeps old ones nor fills the disk.
delete_old
at=$folder/$now
mkdir "$at.partial" "$at.partial/files"
dump > "$at.partial/gatehouse.dump"
# Exit code 3: all files were copied, except those that the command lists.
copy "$at.partial/files" > "$at.partial/files.txt" || [ $? -eq 3 ] || { cat "$at.partial/files.txt" >&2; exit 1; }
cat "$at.partial/files.txt"
mv "$at.partial" "$at"
delete_old
# Alerts report if no backup has succeeded for two days, and if the disk lacks the space for the next ones. The backup is
# complete even if this fails.
record --bytes "$(du -s -B1 "$at" | cut -f1)" --free-bytes "$(df -B1 --output=avail "$folder" | tail -n 1 | tr -d ' ')" ||
  echo 'The backup was not recorded.' >&2
