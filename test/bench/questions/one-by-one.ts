import { servedQueries } from "../../../src/capabilities/serve/operations/served-archive.ts";
import { openModuleArchive } from "../../../src/core/db/archive/read/module-archive.ts";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { type Address, parseAddress } from "../../../src/core/move/address.ts";
import { removeCopies } from "../../support/postgres/binaries.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { describeMachine, median } from "../process-cost.ts";
import { benchServer } from "../server-cost.ts";
import { accountWith, fillDistinctArchive, nights } from "./distinct-archive.ts";

// Short questions to PostgreSQL 18 on loopback, one after another, of an account with many modules and of one with few:
//
//     npx node test/bench/questions/one-by-one.ts
const TIMES = 300;
const size = { accounts: 2000, modules: 4 };

if (frameworkHistory === undefined) throw new Error("wanted the recorded releases beside the repository, and they are not there");
const server = await benchServer({ fsync: "off" });
const db = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
try {
  await fillDistinctArchive(db, frameworkHistory, size);
  await ask();
} finally {
  await server.remove();
  removeCopies();
}

async function ask(): Promise<void> {
  const { engine, close } = await databaseAt(db).open({ mode: "read" });
  await using archive = await openModuleArchive(db);
  const [large, small] = [parseAddress("0x1"), accountWith("coin", size)] as [Address, Address];
  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    "a snapshot by its version": () => servedQueries(engine).findSnapshot(nights.to),
    "module coin of 0x1 at a version": () => archive.findModule({ address: large, name: "coin" }, nights.to),
    "module coin of a small account at a version": () => archive.findModule({ address: small, name: "coin" }, nights.to),
    "all modules of 0x1 at a version": () => archive.modulesAt(nights.to, large),
  };
  process.stdout.write(`${describeMachine()}, PostgreSQL 18; ${size.accounts} accounts × ${size.modules} modules; medians of ${TIMES}\n\n`);
  for (const [about, question] of Object.entries(questions)) {
    const times: number[] = [];
    for (let i = -20; i < TIMES; i++) {
      const begun = performance.now();
      await question();
      if (i >= 0) times.push(performance.now() - begun);
    }
    process.stdout.write(`| ${about} | ${median(times).toFixed(2)} ms |\n`);
  }
  await close();
}
