import type { ModuleCode } from "../../../sim/ledger/module-code.ts";
import { targetList } from "../../../src/capabilities/targets/target-list.ts";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { derivationQueries } from "../../../src/core/db/archive/content/derive.ts";
import type { ObservedModule } from "../../../src/core/db/archive/content/observed-module.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { readSealedVersions, snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import type { Visit } from "../../../src/core/db/archive/snapshots/visits.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { bringDatabasesFor } from "../../../src/core/db/engine/place.ts";
import { type Address, formatAddress, parseAddress } from "../../../src/core/move/address.ts";
import { runQueries } from "../../../src/core/work/runs/runs.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { accountOf, contentOf, type RecordedRelease, readReleases } from "../../support/recorded-releases.ts";
import { modulesFrom, type RecordedModule, recordedModules } from "../recorded-modules.ts";

/** How large the archive is. */
export type Size = { readonly accounts: number; readonly modules: number };

/** The two sealed snapshots, and their days. */
export const nights = { from: 2_592_000n, to: 3_456_004n } as const;
const DAYS = { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 21) } as const;
const TWELVE_HOURS_MS = 43_200_000;

/** One account in so many upgrades a module in the second night, and one in so many is used. */
const [UPGRADES, USED] = [100, 20];
/** Visits of one transaction. */
const BATCH = 256;

/**
 * Fills a database with two sealed snapshots, through the store and without a node. It holds the framework's accounts with two
 * neighbouring recorded releases, and many accounts with a few distinct modules of real size each.
 *
 * A database that has the two snapshots is only brought up to date: tables, views and derived rows.
 */
export async function fillDistinctArchive(db: string, folder: string, size: Size): Promise<void> {
  await bringDatabasesFor(db);
  await using store = await openStore(db, { mode: "write", now: () => DAYS.to });
  if (!(await readSealedVersions(store.engine)).includes(nights.to)) await fill(store.engine, folder, size);
  await derivationQueries(store.engine).derive();
}

/** A generated account that holds a module of this name, about the middle of them; undefined when none does. */
export function accountWith(name: string, { accounts, modules }: Size): Address | undefined {
  for (let step = 0; step < accounts; step++) {
    const n = (step + Math.floor(accounts / 2)) % accounts;
    if (namesOfAccount(n, modules).includes(name)) return addressOf(n);
  }
  return undefined;
}

async function fill(engine: Engine, folder: string, size: Size): Promise<void> {
  const [before, after] = readReleases(folder).slice(-2) as [RecordedRelease, RecordedRelease];
  const framework = new Set([...before.modules.keys(), ...after.modules.keys()].map((id) => parseAddress(accountOf(id)) as Address));
  await targetList(engine).addTargets(targets([...framework, ...addresses(size.accounts)]), DAYS.from);
  for (const [night, release, isSecond] of [
    ["from", before, false],
    ["to", after, true],
  ] as const) {
    const batches = function* (): Generator<readonly Visit[]> {
      yield [...framework].map((address) => ({ address, ...frameworkAccount(folder, release, address) }));
      yield* generatedBatches(size, isSecond);
    };
    await sealNight(engine, { version: nights[night], now: DAYS[night] + TWELVE_HOURS_MS, batches: batches() });
    await derivationQueries(engine).derive();
  }
}

function* targets(list: Iterable<Address>) {
  for (const address of list) yield { address, reason: "given", via: null, depth: 0 } as const;
}

function* addresses(count: number): Generator<Address> {
  for (let n = 0; n < count; n++) yield addressOf(n);
}

function frameworkAccount(folder: string, { modules }: RecordedRelease, address: Address): Omit<Visit, "address"> {
  const own = [...modules].filter(([id]) => parseAddress(accountOf(id)) === address);
  return {
    account: { sequenceNumber: 0n, authenticationKey: new Uint8Array(32), resource: null },
    modules: own.map(
      ([id, digest]): ObservedModule => ({
        name: id.split("::")[1] as string,
        sha256: Buffer.from(digest, "hex"),
        content: contentOf(folder, digest),
      }),
    ),
  };
}

function* generatedBatches({ accounts, modules }: Size, isSecond: boolean): Generator<readonly Visit[]> {
  for (let first = 0; first < accounts; first += BATCH) {
    yield Array.from({ length: Math.min(BATCH, accounts - first) }, (_, i) => generatedVisit(first + i, modules, isSecond));
  }
}

function generatedVisit(n: number, modules: number, isSecond: boolean): Visit {
  return {
    address: addressOf(n),
    account: { sequenceNumber: isSecond && n % USED === 0 ? 2n : 1n, authenticationKey: sha256(`key ${n}`), resource: null },
    modules: modulesOfAccount(n, { modules, upgraded: isSecond && n % UPGRADES === 0 }),
  };
}

/** A night as a crawl would leave it: when it began, and its visits in batches, each one transaction. */
type Night = { readonly version: bigint; readonly now: number; readonly batches: Iterable<readonly Visit[]> };

const CHAIN_ID = 1;
const LASTS_MS = 600_000;

/** Stores and seals a night of all targets, with its run and what the node said of itself. */
async function sealNight(engine: Engine, { version, now, batches }: Night): Promise<void> {
  const head = { headVersion: version + 1000n, oldestVersion: version > 3_000_000n ? version - 3_000_000n : 0n };
  const run = await runQueries(engine).startRun({ command: "sync", appVersion: "0.0.0", now });
  await runQueries(engine).addHeadSample({ node: "https://node.example", sampledAt: now, timestampUsec: BigInt(now) * 1000n, ...head });
  await snapshotQueries(engine).createSnapshot(
    { chainId: CHAIN_ID, ledgerVersion: version, ...head, headTimestampUsec: BigInt(now) * 1000n, now },
    "targets",
  );
  let visits = 0;
  for (const batch of batches) {
    await visitQueries(engine).commitVisits(version, batch);
    visits += batch.length;
  }
  const { accounts, modules, gaps } = await sealQueries(engine).seal(version, { now: now + LASTS_MS });
  const work = { requests: 2 * visits, retries: 0, bytesReceived: 900 * visits, newBytecodes: 0 };
  await runQueries(engine).finishRun(run, { now: now + LASTS_MS, exit: "done", ledgerVersion: version, accounts, modules, gaps, ...work });
}

let read: readonly RecordedModule[] | undefined;

/** The address of the account of that number: scattered by its first bytes, as addresses are, the number in its last ones. */
function addressOf(n: number): Address {
  const bytes = Buffer.from(sha256(`account ${n}`));
  bytes.writeBigUInt64BE(BigInt(n), 24);
  return formatAddress(bytes);
}

/** What an account holds: that many modules; `upgraded` puts the newest recorded version in the place of the first. */
type Holding = { readonly modules: number; readonly upgraded: boolean };

/** The names of an account's modules: of each account other ones, until the recorded modules are used up. */
function namesOfAccount(n: number, modules: number): string[] {
  return modulesFrom(recorded(), n * modules, modules).modules.map(({ name }) => name);
}

/** The recorded modules that an account holds, with its own address written over theirs: no two accounts share a byte sequence. */
function modulesOfAccount(n: number, { modules, upgraded }: Holding): ObservedModule[] {
  const address = addressOf(n);
  const held = modulesFrom(recorded(), n * modules, modules).modules;
  const [first] = held;
  const later = upgraded && first !== undefined ? recorded().findLast(({ name }) => name === first.name) : undefined;
  return held.map((module, i) => {
    const { code, address: own, name } = i === 0 && later !== undefined ? later : module;
    return observed(name, code.publishedAt(address, own));
  });
}

function recorded(): readonly RecordedModule[] {
  read ??= recordedModules();
  return read;
}

function observed(name: string, code: ModuleCode): ObservedModule {
  return { name, sha256: sha256(code.bytes), content: { code: code.bytes, bytecodeVersion: code.bytecodeVersion } };
}
