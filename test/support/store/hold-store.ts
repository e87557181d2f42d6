// Opens the store named on the command line, begins a snapshot and holds the lock until it is killed, though nothing refers to the store.
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { addressOf, NOON, pinAt } from "./temporary-store.ts";

const store = await openStore(process.argv[2] as string, { mode: "write", now: () => NOON });
await snapshotQueries(store.engine).createSnapshot(pinAt(10n), [addressOf(1), addressOf(2)]);
setInterval(() => undefined, 60_000);
setImmediate(() => {
  (globalThis as { gc?: () => void }).gc?.();
  process.stdout.write("held\n");
});
