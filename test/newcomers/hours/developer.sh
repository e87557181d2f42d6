# A Move developer's first hour: typings for the build, a check in CI, a watch, an abort explained.
# $NODE and $PASS_A_DAY as for the operator; $TSC compiles; build/Good and build/Bad are what a Move compiler left.
set -eu
cd "$HOME"
movedex targets add $ACCOUNTS --db night.db
movedex sync --rpc "$NODE" --rate 0 --db night.db

movedex export src/abis --format ts --module "$POOL" --db night.db
cat > src/use.ts <<TS
import { abi } from "./abis/${POOL%%::*}/pool.js";
type Name = (typeof abi.exposed_functions)[number]["name"];
export const right: Name = "create";
// @ts-expect-error: the pool has no such function.
export const wrong: Name = "craete";
TS
node "$TSC" --strict --noEmit --module nodenext --target es2022 --types "" src/use.ts

# What CI runs: nothing to say of a good build, exit 100 and annotations for a bad one.
movedex check build/Good --against night.db > good.txt
code=0
movedex check build/Bad --against night.db --format sarif > bad.sarif || code=$?
test "$code" = 100

movedex watch add "$POOL" --level breaking --db night.db
curl -fsS -X POST "$PASS_A_DAY"
movedex sync --rpc "$NODE" --rate 0 --db night.db
movedex tell --alerts-file alerts.jsonl --db night.db > told.txt
movedex explain "$POOL" 3 --db night.db > explained.txt
