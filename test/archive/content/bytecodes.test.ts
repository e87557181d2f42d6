import { expect, test } from "vitest";
import { bytecodeQueries } from "../../../src/archive/content/bytecodes.ts";
import { snapshotQueries } from "../../../src/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/archive/snapshots/visits.ts";
import { databaseAt } from "../../../src/engine/database-at.ts";
import { sql } from "../../../src/schema/sql/sql.ts";
import { openStore } from "../../../src/work/store.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { addressOf, NOON, opaqueModule, pinAt, recordOf } from "../../support/store/temporary-store.ts";

eachPostgres("bytecode that two workers meet", (open) => {
  test("is stored once, though the second was told that it is not there; from then on it is", async () => {
    const url = (await open()).url();
    const openWorker = () => openStore(url, { mode: "write", now: () => NOON, beside: "sync" });
    await using first = await openWorker();
    await using second = await openWorker();
    const bytecodes = bytecodeQueries(second.engine);
    const accounts = [1, 2, 3].map(addressOf);
    await snapshotQueries(first.engine).createSnapshot(pinAt(10n), accounts);
    const module = opaqueModule("m", "the same bytes");
    const visit = (i: number) => ({ address: accounts[i] as (typeof accounts)[number], account: recordOf(1n), modules: [module] });
    expect(await bytecodes.knowsBytecode(module.sha256)).toBe(false);
    expect(await visitQueries(first.engine).commitVisits(10n, [visit(0)])).toEqual([{ newBytecodes: 1 }]);
    expect(await bytecodeQueries(first.engine).knowsBytecode(module.sha256)).toBe(true);
    expect(await bytecodes.knowsBytecode(module.sha256)).toBe(false);
    expect(await visitQueries(second.engine, bytecodes).commitVisits(10n, [visit(1)])).toEqual([{ newBytecodes: 0 }]);
    expect(await bytecodes.knowsBytecode(module.sha256)).toBe(true);
    const { content: _, ...known } = module;
    expect(await visitQueries(second.engine, bytecodes).commitVisits(10n, [{ ...visit(2), modules: [known] }])).toEqual([
      { newBytecodes: 0 },
    ]);
    const { engine, close } = await databaseAt(url).open({ mode: "join" });
    expect(await engine.first(sql`SELECT count(*) FROM _bytecodes`)).toEqual([1]);
    await close();
  });
});
