// What sealing costs: `npx node test/bench/archive/seal.ts [accounts] [postgres://…]`. Nights of as many accounts, one in 200 with modules:
// the first one, a quiet one, one that saw a tenth otherwise, one between two others and one before all. Without an address it writes
// a file of its own that it removes; a database that is named has to be an empty one.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ObservedModule, Visit } from "../../../src/archive/content/visit-model.ts";
import { preparePins } from "../../../src/archive/snapshots/pins.ts";
import { prepareSeal } from "../../../src/archive/snapshots/seal.ts";
import { prepareVisits } from "../../../src/archive/snapshots/visits.ts";
import { sha256 } from "../../../src/base/sha256.ts";
import type { Engine, Transaction } from "../../../src/engine/engine.ts";
import { openPostgres } from "../../../src/engine/postgresql/open-postgres.ts";
import { openSqlite } from "../../../src/engine/sqlite/open-sqlite.ts";
import { type Address, parseAddress } from "../../../src/move/address.ts";
import { sql } from "../../../src/schema/sql/sql.ts";

const [accounts = 200_000, url] = [Number(process.argv[2] ?? 200_000), process.argv[3]];
const BATCH = 500;
const WITH_MODULES = 200;
const now = () => 0;

const addresses = Array.from({ length: accounts }, (_, n) => parseAddress((n + 1).toString(16)) as Address);
const code = (text: string): ObservedModule => ({
  name: "coin",
  sha256: sha256(text),
  content: { code: Buffer.from(text), bytecodeVersion: null },
});

/** The bytecode itself is not what is measured. */
const content = {
  packBeforehand: () => undefined,
  internAll: async (tx: Transaction, modules: readonly { readonly module: ObservedModule }[]) => {
    const ids: { id: number; isNew: boolean }[] = [];
    for (const { module } of modules) {
      await tx.run(sql`INSERT INTO _bytecodes (sha256, size) VALUES (:sha256, 1) ON CONFLICT DO NOTHING`, { sha256: module.sha256 });
      const row = await tx.first<[number]>(sql`SELECT id FROM _bytecodes WHERE sha256 = :sha256`, { sha256: module.sha256 });
      ids.push({ id: row?.[0] as number, isNew: true });
    }
    return ids;
  },
};

async function night(engine: Engine, name: string, version: bigint, sequenceOf: (n: number) => bigint): Promise<void> {
  const store = { ...preparePins(engine), ...prepareVisits(engine, content), ...prepareSeal(engine) };
  const times: string[] = [];
  const timed = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const begun = performance.now();
    const cpu = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(cpu);
    times.push(`${what} ${((performance.now() - begun) / 1000).toFixed(2)} s (${((user + system) / 1e6).toFixed(2)})`);
  };
  const pin = { chainId: 4, ledgerVersion: version, headVersion: version, oldestVersion: 0n, headTimestampUsec: 0n, now: now() };
  const visitOf = (n: number): Visit => ({
    address: addresses[n] as Address,
    account: { sequenceNumber: sequenceOf(n), authenticationKey: sha256(`${n}`), resource: null },
    modules: n % WITH_MODULES === 0 ? [code(`${n}`)] : [],
  });
  await timed("plan", () => store.createPin(pin, addresses));
  await timed("visits", async () => {
    for (let n = 0; n < accounts; n += BATCH) {
      const size = Math.min(BATCH, accounts - n);
      await store.commitVisits(
        version,
        Array.from({ length: size }, (_, i) => visitOf(n + i)),
      );
    }
  });
  await timed("seal", () => store.seal(version, { now: now() }));
  const peak = (process.resourceUsage().maxRSS / 1024).toFixed(0);
  process.stdout.write(`| ${name} | ${times.join(" | ")} | ${peak} MiB |\n`);
}

const directory = mkdtempSync(join(tmpdir(), "movedex-bench-"));
const { engine, close } =
  url === undefined
    ? openSqlite(join(directory, "archive.db"), { mode: "write", now })
    : { engine: await openPostgres(url, { mode: "write", now }), close: () => engine.close() };
try {
  const tenth = (n: number) => (n % 10 === 0 ? 2n : 1n);
  await night(engine, "first", 1000n, () => 1n);
  await night(engine, "quiet", 2000n, () => 1n);
  await night(engine, "a tenth changed", 3000n, tenth);
  await night(engine, "between two", 2500n, tenth);
  await night(engine, "before all", 500n, () => 1n);
} finally {
  await close();
  rmSync(directory, { recursive: true, force: true });
}
