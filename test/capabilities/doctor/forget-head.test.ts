import { expect, test } from "vitest";
import { forgetHead } from "../../../src/capabilities/doctor/forget-head.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { runQueries } from "../../../src/core/work/runs/runs.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { NOON } from "../../support/store/temporary-store.ts";

const addSnapshot = sql`INSERT INTO _all_snapshots (ledger_version, status, created_at, head_version, oldest_version, head_timestamp_usec, planned)
  VALUES (:version, 'unsealed', :now::time, :head, 0, :usec::u64, 0)`;
const heads = sql`SELECT head_version, head_timestamp_usec FROM _all_snapshots`;

eachArchive("a newest version that a node gave falsely", (open) => {
  test("is struck out of samples and pins: it is neither the newest nor a contradiction any more", async () => {
    await using at = await open();
    const runs = runQueries(at.engine);
    const sample = (headVersion: bigint) => ({
      node: "http://a",
      sampledAt: 10,
      headVersion,
      oldestVersion: 5n,
      timestampUsec: headVersion,
    });
    await runs.addHeadSample(sample(100n));
    await at.engine.run(addSnapshot, { version: 90n, now: NOON, head: 110n, usec: 110n });
    await runs.addHeadSample(sample(110n));
    const later = { ledgerVersion: 120n, timestampUsec: 105n };
    expect(await runs.contradictingHead(later)).toMatchObject({ ledgerVersion: 110n });
    expect(await forgetHead(at.engine, 110n)).toBe(2);
    expect(await runs.newestHead()).toMatchObject({ ledgerVersion: 100n });
    expect(await runs.contradictingHead(later)).toBeUndefined();
    expect(await at.engine.all(heads)).toEqual([[90, "0"]]);
    expect(await forgetHead(at.engine, 90n)).toBe(0);
  });
});
