import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { writeModule } from "../../../../sim/module-writer/module-writer.ts";
import { judgeChanges } from "../../../../src/capabilities/changes/judge/judge.ts";
import { judgeWatches } from "../../../../src/capabilities/watch/judge/judge-watches.ts";
import { type ModuleArchive, moduleArchive } from "../../../../src/core/db/archive/read/module-archive.ts";
import { openStore } from "../../../../src/core/work/store.ts";
import { runCli, temporaryDirectory } from "../../../support/index.ts";
import { sealModules } from "../../../support/sealed-modules.ts";

const RET = Uint8Array.of(0x02);
/** A number that is computed with: LdU64 7, Pop. */
const SEVEN = [Uint8Array.of(0x06, 7, 0, 0, 0, 0, 0, 0, 0), Uint8Array.of(0x01)];
const fn = (name: string, ...code: readonly Uint8Array[]) => ({ name, visibility: "public" as const, params: [], returns: [], code });
const clear = "DELETE FROM _judgement_finding_calls; DELETE FROM _judgement_findings; DELETE FROM _judgements";
const vault = (...functions: readonly ReturnType<typeof fn>[]) => writeModule({ address: "0xb", name: "vault", functions });

describe("what a watch makes of the stored judgement of a night", () => {
  const place = temporaryDirectory();
  const db = place.file("night.db");
  beforeAll(async () => {
    await sealModules(db, [{ version: 10n, accounts: { "0xb": [vault(fn("open", RET), fn("shut", RET))] } }]);
    const add = (...words: string[]) => runCli(["watch", "add", ...words, "--db", db]);
    for (const item of ["open", "shut"])
      for (const level of ["breaking", "dangerous", "behaviour", "any"])
        expect((await add(`0xb::vault::${item}`, "--level", level)).code).toBe(0);
    await sealModules(db, [{ version: 20n, accounts: { "0xb": [vault(fn("open", ...SEVEN, RET), fn("shut", RET))] } }]);
  });

  /** Judges, then looks for all watches; the bytes that were read for comparing, and who is told. */
  const look = async (): Promise<{ read: number; told: readonly string[] }> => {
    const store = await openStore(db, { mode: "write", now: () => 0 });
    const archive = moduleArchive(store.engine, db);
    let read = 0;
    const contents: ModuleArchive["contents"] = (bytecodes) => {
      read += bytecodes.length;
      return archive.contents(bytecodes);
    };
    try {
      await judgeChanges(store.engine);
      await judgeWatches({ ...archive, contents }, () => 0);
    } finally {
      await store.close();
    }
    const { stdout } = await runCli(["query", "SELECT watch, severity FROM alerts ORDER BY watch", "--format", "csv", "--db", db]);
    return { read, told: stdout.trim().split(/\r?\n/).slice(1) };
  };
  const change = (sql: string): void => {
    const database = new Database(db);
    database.exec(sql);
    database.close();
  };

  test("compares a change once for all watches that it is bad enough for", async () => {
    // Watches 1 to 4 are on the changed function: two of them get a behaviour alert. Watch 8, on the other, gets one because its module has
    // other bytes.
    expect(await look()).toEqual({ read: 2, told: ["3,behaviour", "4,behaviour", "8,silent"] });
  });

  test("compares nothing that is stored as milder than any watch wants, and what no judgement stands of", async () => {
    change(`${clear}; UPDATE _judged_upgrades SET severity = 'silent', callers = 'silent', clients = NULL, readers = NULL`);
    expect(await look()).toEqual({ read: 2, told: ["4,behaviour", "8,silent"] });
    change(`${clear}; DELETE FROM _watches WHERE level = 'any'`);
    expect(await look()).toEqual({ read: 0, told: [] });
    change(`${clear}; UPDATE _judged_upgrades SET rules = 0`);
    expect(await look()).toEqual({ read: 2, told: ["3,behaviour"] });
  });
});
