#!/bin/sh
# Starts movedex on the Node.js that lies beside it.
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=$(dirname "$self")/$target ;;
  esac
done
lib=$(cd "$(dirname "$self")/../lib/movedex" && pwd -P)
exec "$lib/node" "$lib/bin/movedex.mjs" "$@"
