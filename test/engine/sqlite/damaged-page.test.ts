import { closeSync, openSync, writeSync } from "node:fs";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { changeQueries } from "../../../src/capabilities/changes/judge/changes.ts";
import { judgedRows } from "../../../src/capabilities/changes/judge/check-judgements.ts";
import { openExportSession } from "../../../src/capabilities/export/exporting.ts";
import { openVerification } from "../../../src/capabilities/verify/verify.ts";
import { openModuleArchive } from "../../../src/core/db/archive/read/module-archive.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { addressOf, night, runCli, temporaryStore } from "../../support/index.ts";

const damaged = expect.objectContaining({ code: "MOVEDEX_STORE_DAMAGED", exit: "corrupt" });

describe("a database with a damaged page", () => {
  /** Two nights of many accounts, the last leaf of the listings' spans written over. */
  let at: Awaited<ReturnType<typeof temporaryStore>>;
  beforeAll(async () => {
    at = await temporaryStore();
    const accounts = (text: string) =>
      Array.from({ length: 1200 }, (_, n) => [addressOf(n + 1), { sequence: 1n, modules: { coin: `${text} ${n % 7}` } }] as const);
    await night(at.engine, 10n, accounts("a"));
    await night(at.engine, 20n, accounts("b"));
    await at.close();
    const database = new Database(at.path);
    const page = database
      .prepare("SELECT max(pageno) FROM dbstat WHERE name = '_listing_spans' AND pagetype = 'leaf'")
      .pluck()
      .get() as number;
    const size = database.pragma("page_size", { simple: true }) as number;
    database.close();
    const file = openSync(at.path, "r+");
    writeSync(file, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
    closeSync(file);
  });
  const drain = async (rows: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of rows);
  };

  test("is told as damage by every iterable that walks into it, and by `report`", async () => {
    const store = await openStore(at.path, { mode: "read" });
    await expect(drain(changeQueries(store.engine).moduleChanges({ after: 0n, upTo: 99n }))).rejects.toThrow(damaged);
    await store.close();
    const door = await openExportSession(at.path);
    await expect(drain(door.modules(20n, { newest: false }))).rejects.toThrow(damaged);
    await expect(drain(door.viewRows("modules_at", [20n]))).rejects.toThrow(damaged);
    await door.close();
    const archive = await openModuleArchive(at.path);
    await expect(archive.modulesAt(20n)).rejects.toThrow(damaged);
    await archive.close();
    const { code, stderr } = await runCli(["report", "--db", at.path]);
    expect(stderr).toMatch(/the file is damaged\. Restore a copy/);
    expect(stderr).not.toContain("bug");
    expect(code).toBe(6);
  });

  test("is a finding of `verify`, which goes on with the rest", async () => {
    const verification = await openVerification(at.path);
    const steps = await Array.fromAsync(verification.run({ part: 0, of: 1 }, [judgedRows]));
    await verification.close();
    expect(steps.flatMap(({ damage }) => damage).length).toBeGreaterThan(0);
    expect(new Set(steps.map(({ check }) => check)).size).toBeGreaterThan(5);
  });
});
