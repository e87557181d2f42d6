// A large archive merged into an empty database, from another database and from each kind of export: time, rows, and the
// most memory that the kernel counted. Each line is the command line as a process of its own.
//   npx node test/bench/exchange/import-rows.ts [ACCOUNTS…]

import Database from "better-sqlite3";
import { manyAccounts } from "../../../sim/index.ts";
import { generatedPackage } from "../../../sim/ledger/generated-package.ts";
import { decodeModule } from "../../../src/abi/decode.ts";
import { sha256 } from "../../../src/base/sha256.ts";
import type { ObservedModule } from "../../../src/store/snapshots/visit-model.ts";
import { openStore } from "../../../src/store/store.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine } from "../machine.ts";
import { launcher, measureProcess } from "../process-cost.ts";

const PACKAGES = 100;
const MODULES = 8;
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [12_500, 125_000];

process.stdout.write(`${describeMachine()}; ${MODULES} modules an account, ${PACKAGES * MODULES} distinct\n\n`);
process.stdout.write("| from | module rows | s | rows/s | peak memory | database |\n|---|---|---|---|---|---|\n");
for (const accounts of sizes) {
  using place = temporaryDirectory();
  const source = place.file("source.db");
  await fill(source, accounts);
  for (const format of ["parquet", "jsonl"])
    await measureProcess(launcher, "export", place.file(format), "--format", format, "--tables", "archive", "--db", source);
  for (const [name, path] of [
    ["database", source],
    ["Parquet", place.file("parquet")],
    ["JSON lines", place.file("jsonl")],
  ] as const) {
    const into = place.file(`${name}.db`);
    const { ms, peakMb } = await measureProcess(launcher, "import", path, "--db", into);
    const database = new Database(into, { readonly: true });
    const [rows, bytes] = database
      .prepare("SELECT (SELECT count(*) FROM _listing_modules), (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)")
      .raw()
      .get() as [number, number];
    database.close();
    if (rows !== accounts * MODULES) throw new Error(`${rows} rows instead of ${accounts * MODULES}`);
    const cells = [
      name,
      rows,
      (ms / 1000).toFixed(1),
      Math.round((rows * 1000) / ms),
      `${Math.round(peakMb)} MB`,
      `${Math.round(bytes / 1e6)} MB`,
    ];
    process.stdout.write(`| ${cells.join(" | ")} |\n`);
  }
}

/** One snapshot of accounts that each hold one of a hundred packages. */
async function fill(path: string, count: number): Promise<void> {
  const packages = Array.from({ length: PACKAGES }, (_, index) =>
    generatedPackage(MODULES, 7_000 + index).map(({ name, code: { bytes: code } }): ObservedModule => {
      const { bytecodeVersion } = decodeModule(code);
      return { name, sha256: sha256(code), content: { code, bytecodeVersion } };
    }),
  );
  const { addresses } = manyAccounts(count);
  const store = await openStore(path, { mode: "write", now: () => 0 });
  const facts = { chainId: 4, headVersion: 1_000n, oldestVersion: 0n, headTimestampUsec: 0n, now: 0 };
  await store.createPin({ ...facts, ledgerVersion: 1_000n }, addresses());
  let index = 0;
  for (const address of addresses()) {
    const account = { sequenceNumber: 0n, authenticationKey: new Uint8Array(32), resource: null };
    await store.commitVisit(1_000n, { address, account, modules: packages[index++ % PACKAGES] ?? [] });
  }
  await store.seal(1_000n, { now: 0 });
  await store.derive();
  await store.close();
}
