#!/usr/bin/env bash
# Builds SQLite 3.37.2, the oldest that must read a file, as a library that Python's own sqlite3 can be made to load.
# Its source comes inside of better-sqlite3 7.5.0. It has the JSON functions, as the builds of distributions had.
set -eu
cd "$(dirname "$0")/../.."
out=.witnesses/sqlite-3.37.2.so
[ -f "$out" ] && exit 0
mkdir -p .witnesses
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
npm pack --silent --pack-destination "$place" better-sqlite3@7.5.0 >/dev/null
tar -xzf "$place"/better-sqlite3-7.5.0.tgz -C "$place" package/deps/sqlite3
gcc -O1 -shared -fPIC -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_JSON1 -o "$place/built.so" "$place/package/deps/sqlite3/sqlite3.c" -lm -lpthread -ldl
mv "$place/built.so" "$out"
