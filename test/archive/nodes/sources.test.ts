import { expect, test } from "vitest";
import { sourceQueries } from "../../../src/core/db/archive/nodes/sources.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { NOON } from "../../support/store/temporary-store.ts";

const findings = sql`SELECT subject, from_version, to_version, first_seen_at, last_seen_at FROM _all_findings ORDER BY from_version`;
const builds = sql`SELECT node, git_hash, build, first_seen_at, last_seen_at FROM _builds ORDER BY git_hash`;

eachArchive("a finding", (open) => {
  test("that is known is marked as seen again, and its stretch only grows", async () => {
    await using at = await open();
    const { addFinding } = sourceQueries(at.engine);
    const one = { kind: "module", subject: "0x1::a\u0007", fromVersion: 5n, stored: "absent", found: "ab", origin: "http://a" } as const;
    await addFinding({ ...one, toVersion: 9n }, NOON);
    await addFinding({ ...one, toVersion: 7n }, NOON + 1);
    await addFinding({ ...one, toVersion: 2n ** 62n }, NOON + 2);
    await addFinding({ ...one, fromVersion: 6n, toVersion: 6n }, NOON + 3);
    expect(await at.engine.all(findings)).toEqual([
      ["0x1::a\\u{7}", 5, 2n ** 62n, NOON, NOON + 2],
      ["0x1::a\\u{7}", 6, 6, NOON + 3, NOON + 3],
    ]);
  });
});

eachArchive("a node's build", (open) => {
  test("is written down once, with the last time it was seen", async () => {
    await using at = await open();
    const { recordBuild } = sourceQueries(at.engine);
    await recordBuild({ node: "http://a", gitHash: null }, NOON);
    await recordBuild({ node: "http://a", gitHash: null }, NOON + 5);
    await recordBuild({ node: "http://a", gitHash: "abc" }, NOON + 6);
    expect(await at.engine.all(builds)).toEqual([
      ["http://a", "", "", NOON, NOON + 5],
      ["http://a", "abc", "", NOON + 6, NOON + 6],
    ]);
  });
});
