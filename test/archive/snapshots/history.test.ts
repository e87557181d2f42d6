import { expect, test } from "vitest";
import type { Engine, Row } from "../../../src/core/db/engine/engine.ts";
import { named, sql, verbatim } from "../../../src/core/db/schema/sql/sql.ts";
import { viewList } from "../../../src/core/db/schema/views/views.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { isLongRun, sized } from "../../run-size.ts";
import { addressOf, loadHistory, night, readReleases, type SeenAccount, temporaryStore, testReleases } from "../../support/index.ts";

const histories = viewList.filter(({ name }) => name.endsWith("_history") && !["coverage_history", "run_history"].includes(name));

const ownOf = (name: string): string[] =>
  Object.keys(viewList.find((one) => one.name === name)?.columns ?? {}).filter((column) => !column.startsWith("valid_"));

/** The rows of a history view as they follow from those of its view `…_at`: an account's snapshots that show the same are one stretch. */
async function stretchesOf(engine: Engine, name: string): Promise<string[]> {
  const own = ownOf(name);
  const at = await engine.all(
    sql`SELECT DISTINCT ledger_version, ${verbatim(own.join(", "))} FROM ${named(name.replace("_history", "_at"))}`,
  );
  const read = sql<[string, number, number | null]>`SELECT address, ledger_version, has_record FROM covered_at ORDER BY ledger_version`;
  const covered = Map.groupBy(
    (await engine.all(read)).filter(([, , hasRecord]) => name !== "accounts_history" || hasRecord !== null),
    ([address]) => address,
  );
  return [...Map.groupBy(at, (row) => JSON.stringify(row.slice(1).map(String)))].flatMap(([text, found]) => {
    const shown = new Set(found.map(([version]) => version));
    const versions = (covered.get(String(found[0]?.[1 + own.indexOf("address")])) ?? []).map(([, version]) => version);
    return versions.flatMap((version, i) => {
      if (!shown.has(version) || shown.has(versions[i - 1] as number)) return [];
      return [`${version} ${versions.slice(i).find((later) => !shown.has(later)) ?? null} ${text}`];
    });
  });
}

/** Each history is what follows from its view `…_at`; what stands in it is the view `…_latest`, which exports leave out. */
async function compareAll(engine: Engine): Promise<void> {
  for (const { name } of histories) {
    const own = verbatim(ownOf(name).join(", "));
    const history = await engine.all(sql`SELECT valid_from_version, valid_to_version, ${own} FROM ${named(name)}`);
    const found = history.map(([from, to, ...row]) => `${from} ${to} ${JSON.stringify(row.map(String))}`);
    expect([name, found.sort()]).toEqual([name, (await stretchesOf(engine, name)).sort()]);
    const latest = await engine.all(sql`SELECT ${own} FROM ${named(name.replace("_history", "_latest"))}`);
    const standing = history.flatMap(([, to, ...row]) => (to === null ? [String(row)] : []));
    expect(latest.map(String).sort()).toEqual(standing.sort());
  }
  const [covered, last] = [await engine.all(coveredAccounts), await engine.all(lastCoverage)];
  const flags = (rows: readonly Row[]) => rows.map(([address, hasRecord]) => [address, hasRecord === null ? null : Boolean(hasRecord)]);
  expect(flags(last)).toEqual(flags(covered));
}

/** `covered_latest`, which no export has, and how docs/exchange.md makes it of what one has. */
const coveredAccounts = sql`SELECT address, has_record FROM covered_latest ORDER BY 1`;
const lastCoverage = sql`SELECT c.address, CASE WHEN c.is_record_read
    THEN EXISTS (SELECT 1 FROM accounts_history a WHERE a.address = c.address AND a.valid_to_version IS NULL) END
  FROM coverage_history c WHERE c.valid_from_version = (SELECT max(l.valid_from_version) FROM coverage_history l WHERE l.address = c.address)
  ORDER BY 1`;

const [one, two] = [addressOf(1), addressOf(2)];
const holding = (modules: Record<string, string>, sequence: bigint | null = 1n): SeenAccount => ({ sequence, modules });

/** Four snapshots; the second is sealed last, and the third has no answer about the second account. */
async function fourSnapshots(engine: Engine): Promise<void> {
  await night(engine, 10n, [
    [one, holding({ coin: "a", other: "x" })],
    [two, holding({ coin: "a" })],
  ]);
  await night(engine, 30n, [
    [one, holding({ coin: "b", other: "x" }, 2n)],
    [two, "missed"],
  ]);
  await night(engine, 40n, [
    [one, holding({ other: "x" }, null)],
    [two, holding({ coin: "a" })],
  ]);
  await night(engine, 20n, [[one, holding({ coin: "b", other: "x" })]]);
}

async function checkFour(engine: Engine): Promise<void> {
  const coverage = await engine.all(
    sql`SELECT valid_from_version, valid_to_version, is_record_read, address FROM coverage_history ORDER BY address, 1`,
  );
  expect(coverage.map(([from, to, isRead, address]) => [from, to, Boolean(isRead), address])).toEqual([
    [10, null, true, one],
    [10, 20, true, two],
    [40, null, true, two],
  ]);
  const asOf = sql`SELECT m.address, m.module FROM modules_history m JOIN coverage_history c ON c.address = m.address
    AND c.valid_from_version <= 35 AND (c.valid_to_version IS NULL OR c.valid_to_version > 35)
    WHERE m.valid_from_version <= 35 AND (m.valid_to_version IS NULL OR m.valid_to_version > 35) ORDER BY 1, 2`;
  expect(await engine.all(asOf)).toEqual([
    [one, "coin"],
    [one, "other"],
  ]);
  await compareAll(engine);
}

eachArchive("views of stretches", (open) => {
  test("have a row for each stretch of an account's snapshots that show the same; with the coverage a gap is no answer", async () => {
    await using at = await open();
    await fourSnapshots(at.engine);
    await checkFour(at.engine);
  });
});

testReleases("views of stretches come to what the views of snapshots show of recorded releases", async () => {
  await using at = await temporaryStore();
  const releases = readReleases().filter((_, i) => sized([61, 133], [0, 60, 61, 90, 133]).includes(i));
  const isTaken = (id: string): boolean => isLongRun || /::[a-f]/.test(id);
  await loadHistory(
    at.engine,
    releases.map((one) => ({ ...one, modules: new Map([...one.modules].filter(([id]) => isTaken(id))) })),
  );
  await compareAll(at.engine);
  const rows = await at.engine.first(sql<[number, number]>`SELECT count(1), count(valid_to_version) FROM functions_history`);
  expect(rows?.[1]).toBeGreaterThan(sized(10, 100));
});
