import { parseArgs } from "node:util";
import pg from "pg";
import { openModuleArchive } from "../../../src/archive/read/module-archive.ts";
import { databaseAt } from "../../../src/engine/database-at.ts";
import { type Address, parseAddress } from "../../../src/move/address.ts";
import { servedQueries } from "../../../src/serve/operations/served-archive.ts";
import { removeCopies } from "../../support/postgres/binaries.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { describeMachine } from "../machine.ts";
import { median } from "../process-cost.ts";
import { benchServer } from "../server-cost.ts";
import { accountWith, fillDistinctArchive, nights } from "./distinct-archive.ts";

/**
 * Short questions to PostgreSQL 18 on loopback, one after another, of an account with many modules and of one with few. Each
 * `plan_cache_mode` has its column, since sessions keep statements: the server's own choice must be no slower than either kind of plan.
 *
 *     npx node test/bench/questions/one-by-one.ts [--accounts 2000] [--times 300]
 */
const { values } = parseArgs({ options: { accounts: { type: "string", default: "2000" }, times: { type: "string", default: "300" } } });
const size = { accounts: Number(values.accounts), modules: 4 };
const modes = ["auto", "force_generic_plan", "force_custom_plan"] as const;
const version = nights.to;

if (frameworkHistory === undefined) throw new Error("wanted the recorded releases beside the repository, and they are not there");
const server = await benchServer({ fsync: "off" });
const db = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
try {
  await fillDistinctArchive(db, frameworkHistory, size);
  await run("VACUUM (ANALYZE)");
  const rows = new Map<string, string[]>();
  for (const mode of modes) {
    await run(`ALTER DATABASE postgres SET plan_cache_mode = '${mode}'`);
    for (const [about, ms] of await measure()) rows.set(about, [...(rows.get(about) ?? []), ms.toFixed(2)]);
  }
  process.stdout.write(
    `${describeMachine()}, PostgreSQL 18; ${size.accounts} accounts × ${size.modules} modules; medians of ${values.times}, ms\n\n`,
  );
  process.stdout.write(`| question | ${modes.join(" | ")} |\n|---|---|---|---|\n`);
  for (const [about, cells] of rows) process.stdout.write(`| ${about} | ${cells.join(" | ")} |\n`);
} finally {
  await server.remove();
  removeCopies();
}

async function measure(): Promise<Map<string, number>> {
  const { engine, close } = await databaseAt(db).open({ mode: "read" });
  await using archive = await openModuleArchive(db);
  const served = servedQueries(engine);
  const [large, small] = [parseAddress("0x1"), accountWith("coin", size)] as [Address, Address];
  const questions: [string, () => Promise<unknown>][] = [["snapshot by its version", () => served.findSnapshot(version)]];
  for (const [whose, address] of [
    ["0x1", large],
    ["a small account", small],
  ] as const) {
    const account = (await served.accountCoverage(address, version))?.account ?? 0;
    questions.push(
      [`coverage of ${whose}`, () => served.accountCoverage(address, version)],
      [`bytecode of coin of ${whose}`, () => served.bytecode(account, version, "coin")],
      [`listing of ${whose}`, () => served.listing(account, version)],
      [`module coin of ${whose} at a version`, () => archive.findModule({ address, name: "coin" }, version)],
      [`modules of ${whose} at a version`, () => archive.modulesAt(version, address)],
      [`history of coin of ${whose}`, () => archive.historyOf({ address, name: "coin" })],
    );
  }
  const found = new Map<string, number>();
  for (const [about, ask] of questions) {
    const times: number[] = [];
    for (let i = -20; i < Number(values.times); i++) {
      const begun = performance.now();
      await ask();
      if (i >= 0) times.push(performance.now() - begun);
    }
    found.set(about, median(times));
  }
  await close();
  return found;
}

async function run(statement: string): Promise<void> {
  const client = new pg.Client(db);
  await client.connect();
  await client.query(statement);
  await client.end();
}
