import { expect, test } from "vitest";
import { postgresEngine } from "../../../src/capabilities/postgresql/postgresql-engine.ts";
import { closing } from "../../../src/core/base/async.ts";
import { named, sql } from "../../../src/core/db/schema/sql/sql.ts";
import type { TableData } from "../../../src/core/db/schema/table.ts";
import { tableList } from "../../../src/core/db/schema/tables/tables.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { addressOf, NOON, night } from "../../support/index.ts";

/** Forty accounts of a module each; of some of them another sequence number or other code. */
const accounts = (numbers: Readonly<Record<number, bigint>> = {}, codes: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 40 }, (_, n) => {
    return [addressOf(n + 1), { sequence: numbers[n] ?? 1n, modules: { coin: codes[n] ?? `coin ${n}` } }] as const;
  });
const write = { mode: "write", now: () => NOON } as const;

eachPostgres("an archive on a server", (open) => {
  test("grows in a night without change by the row of its pin, and in another by what changed", async () => {
    const at = await open();
    await using server = await openStore(at.url(), write);
    await using reader = closing(await postgresEngine(at.url()));
    const rowsIn = async ({ name }: TableData) => [name, Number((await reader.first(sql`SELECT count(*) FROM ${named(name)}`))?.[0])];
    const rows = async (): Promise<Record<string, number>> => Object.fromEntries(await Promise.all(tableList.map(rowsIn)));
    const same = accounts();
    await night(server.engine, 10n, same);
    let before = await rows();
    for (const version of [30n, 20n, 5n]) {
      await night(server.engine, version, same);
      const after = await rows();
      expect(after).toEqual({ ...before, _all_snapshots: (before["_all_snapshots"] as number) + 1 });
      before = after;
    }
    await night(server.engine, 40n, accounts({ 7: 2n }));
    const { _all_snapshots: pins = 0, _account_spans: spans = 0 } = before;
    expect(await rows()).toEqual({ ...before, _all_snapshots: pins + 1, _account_spans: spans + 1 });
  });
});
