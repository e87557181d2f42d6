import { expect, test } from "vitest";
import { snapshotQueries } from "../../src/archive/snapshots/snapshot-queries.ts";
import { temporaryStore } from "../support/store/temporary-store.ts";

test("the chain is bound once: another chain's is refused", async () => {
  await using at = await temporaryStore();
  await snapshotQueries(at.engine).bindChain(4);
  await snapshotQueries(at.engine).bindChain(4);
  await expect(snapshotQueries(at.engine).bindChain(5)).rejects.toMatchObject({ code: "MOVEDEX_STORE_CHAIN" });
});
