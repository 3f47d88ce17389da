#!/bin/sh
# Prints where the note of a day lies in the vault.
day="$1"
if [ "$day" = "today" ]; then
  day=$(date +%Y-%m-%d)
fi
case "$day" in
  [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]) ;;
  *)
    echo "no such day: $day" >&2
    exit 2
    ;;
esac
printf 'daily/%s\n' "$day"
