import { readFileSync, statSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { derivationQueries } from "../../../src/archive/content/derive.ts";
import { sealQueries } from "../../../src/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/archive/snapshots/snapshot-queries.ts";
import type { Visit } from "../../../src/archive/snapshots/visits.ts";
import { visitQueries } from "../../../src/archive/snapshots/visits.ts";
import { closing } from "../../../src/base/async.ts";
import { sha256 } from "../../../src/base/sha256.ts";
import { databaseAt } from "../../../src/engine/database-at.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { postgresEngine } from "../../../src/engine/postgresql/postgresql-engine.ts";
import type { Address } from "../../../src/move/address.ts";
import { named, sql } from "../../../src/schema/sql/sql.ts";
import { tableList } from "../../../src/schema/tables/tables.ts";
import { openServedArchive } from "../../../src/serve/operations/served-archive.ts";
import { openStore } from "../../../src/work/store.ts";
import { targetQueries } from "../../../src/work/targets/targets.ts";
import { removeCopies } from "../../support/postgres/binaries.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { addressOf, modulesOfAccount } from "../distinct-accounts.ts";
import { describeMachine } from "../machine.ts";
import { benchServer, serverCpuMs } from "../server-cost.ts";

/**
 * What the database costs as the number of accounts grows, without any network: the list of targets, a first night, a quiet one, and
 * one in which a part of the accounts was active; then questions as a service asks them, and what lies in each table.
 *
 *     npx node test/bench/archive/scale.ts --accounts 1000000 --with-code 1000 [--postgres] [--active 0.01]
 *
 * Accounts with code hold `--modules` recorded modules each (default 4), with their own address written over. An active account has
 * another sequence number; one in a hundred of those with code also upgrades one module. On PostgreSQL (18, from npm, started for this,
 * `fsync` on, 128 MB of shared buffers) the server's processor time is counted beside.
 *
 * Per step: seconds of the clock, processor seconds of the process with all its threads and of the server, the most resident memory
 * of the process (VmHWM, set back before each step), bytes that it wrote to disk or that the server wrote to its log.
 */
const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "20000" },
    "with-code": { type: "string", default: "1000" },
    modules: { type: "string", default: "4" },
    active: { type: "string", default: "0.01" },
    postgres: { type: "boolean", default: false },
  },
});
// As the command line does (bin/movedex.mjs).
setFlagsFromString("--semi-space-growth-factor=1");
const accounts = Number(values.accounts);
const withCode = Number(values["with-code"]);
const modulesEach = Number(values.modules);
const activeEvery = Math.round(1 / Number(values.active));
const BATCH = 256;
const QUESTIONS = 2_000;
const now = () => 0;
const serverSize = sql<[number, number]>`SELECT CAST(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS float8),
  CAST(pg_database_size(current_database()) AS float8)`;
const tableSize = values.postgres
  ? sql`SELECT CAST(pg_total_relation_size(to_regclass(:name::text)) AS float8)`
  : sql`SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT s.name FROM sqlite_schema s WHERE s.tbl_name = :name)`;

const numberOf = (address: Address): number => Number.parseInt(address.slice(-12), 16);

function visitOf(address: Address, n: number, night: { readonly isFirst: boolean; readonly isActive: boolean }): Visit {
  const isActive = night.isActive && n % activeEvery === 0;
  const upgraded = night.isActive && n % 100 === 0;
  return {
    address,
    account: { sequenceNumber: BigInt((n % 1000) + (isActive ? 1 : 0)), authenticationKey: sha256(`key ${n}`), resource: null },
    modules: n >= withCode ? [] : modulesOfAccount(n, { modules: modulesEach, upgraded }),
  };
}

using place = temporaryDirectory();
const server = values.postgres ? await benchServer({ fsync: "on", max_wal_size: "1GB" }) : undefined;
const database = server === undefined ? place.file("archive.db") : `postgres://postgres@127.0.0.1:${server.port}/postgres`;

try {
  process.stdout.write(
    `${describeMachine()}, ${server === undefined ? "SQLite" : "PostgreSQL 18"}; ${accounts} accounts, ${withCode} of them with ${modulesEach} modules; one in ${activeEvery} active.\n\n`,
  );
  process.stdout.write("| step | s | CPU s | server's CPU s | memory, MB | written, MB | database, MB |\n|---|---|---|---|---|---|---|\n");
  const store = await openStore(database, { mode: "write", now });
  await measured("list of targets", () => addTargets(store.engine));
  await night(store.engine, "first night", 1000n, { isFirst: true, isActive: false });
  await night(store.engine, "quiet night", 2000n, { isFirst: false, isActive: false });
  await night(store.engine, "active night", 3000n, { isFirst: false, isActive: true });
  await store.close();
  await measured(`${QUESTIONS} questions`, askQuestions);
  process.stdout.write(`\n${await describeTables()}\n`);
} finally {
  await server?.remove();
  removeCopies();
}

/** All at once, as `targets import` adds them. */
async function addTargets(engine: Engine): Promise<void> {
  const target = (n: number) => ({ address: addressOf(n), reason: "imported" as const, via: null, depth: 0 });
  await targetQueries(engine).addTargets(
    Array.from({ length: accounts }, (_, n) => target(n)),
    now(),
  );
}

async function night(engine: Engine, name: string, version: bigint, how: { readonly isFirst: boolean; readonly isActive: boolean }) {
  const pin = { chainId: 4, ledgerVersion: version, headVersion: version, oldestVersion: 0n, headTimestampUsec: version, now: now() };
  await measured(`${name}: plan`, () => snapshotQueries(engine).createSnapshot(pin, "targets"));
  await measured(`${name}: visits`, async () => {
    const planned = await snapshotQueries(engine).plannedTargets(version);
    for (let start = 0; start < planned.length; start += BATCH) {
      const visits = planned.slice(start, start + BATCH).map((address) => visitOf(address, numberOf(address), how));
      await visitQueries(engine).commitVisits(version, visits);
    }
  });
  await measured(`${name}: seal`, () => sealQueries(engine).seal(version, { now: now() }));
  await measured(`${name}: rows of ABIs`, () => derivationQueries(engine).derive());
}

/** An account's record and list of modules at a sealed version, half of them of accounts with code. */
async function askQuestions(): Promise<void> {
  await using archive = closing(await openServedArchive(database));
  for (let n = 0; n < QUESTIONS; n++) {
    const of = n % 2 === 0 ? n % withCode : (n * 7919) % accounts;
    const version = [1000n, 2000n, 3000n][n % 3] as bigint;
    const coverage = await archive.accountCoverage(addressOf(of), version);
    if (coverage === undefined || !coverage.modules) throw new Error(`account ${of} is not held at ${version}`);
    const listing = await archive.listing(coverage.account, version);
    if (listing.length !== (of < withCode ? modulesEach : 0)) throw new Error(`account ${of} has ${listing.length} modules at ${version}`);
  }
}

async function measured(what: string, work: () => Promise<unknown>): Promise<void> {
  const before = await reading();
  // 5 sets the peak back: proc_pid_clear_refs(5).
  writeFileSync("/proc/self/clear_refs", "5");
  await work();
  const after = await reading();
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1000;
  const seconds = (of: (cost: typeof before) => number) => ((of(after) - of(before)) / 1000).toFixed(1);
  const cells = [
    what,
    seconds(({ ms }) => ms),
    seconds(({ cpuMs }) => cpuMs),
    server === undefined ? "" : seconds(({ serverMs }) => serverMs),
    peak.toFixed(0),
    ((after.written - before.written) / 1e6).toFixed(1),
    (after.size / 1e6).toFixed(1),
  ];
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

async function reading() {
  const { user, system } = process.cpuUsage();
  const common = { ms: performance.now(), cpuMs: (user + system) / 1000 };
  if (server === undefined) {
    const written = Number(/write_bytes: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
    return { ...common, serverMs: 0, written, size: statSync(database, { throwIfNoEntry: false })?.size ?? 0 };
  }
  const engine = await postgresEngine(database);
  const [written = 0, size = 0] = (await engine.first(serverSize)) ?? [];
  await engine.close();
  return { ...common, serverMs: serverCpuMs(server), written, size };
}

/** Rows and bytes of each table, its indexes included, the largest first; those without rows left out. */
async function describeTables(): Promise<string> {
  const { engine, close } = await databaseAt(database).open({ mode: "read" });
  const lines: { readonly line: string; readonly size: number }[] = [];
  for (const { name } of tableList) {
    const rows = Number((await engine.first(sql<[number]>`SELECT count(*) FROM ${named(name)}`))?.[0]);
    if (rows === 0) continue;
    const size = Number((await engine.first(tableSize, { name }))?.[0]);
    lines.push({ line: `| ${name} | ${rows} | ${(size / 1e6).toFixed(1)} | ${(size / rows).toFixed(0)} |`, size });
  }
  await close();
  lines.sort((a, b) => b.size - a.size);
  return `| table | rows | MB | bytes a row |\n|---|---|---|---|\n${lines.map(({ line }) => line).join("\n")}`;
}
