import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeModule } from "../../../src/abi/decode.ts";
import { sha256 } from "../../../src/base/sha256.ts";
import { type Address, parseAddress } from "../../../src/move/address.ts";
import type { Visit } from "../../../src/store/snapshots/visit-model.ts";
import { type ObservedModule, openStore, type Store } from "../../../src/store/store.ts";
import { readReleases } from "../store/history.ts";

/** How large an archive is. */
export type Size = { readonly accounts: number; readonly nights: number };

/** What happens in a night: accounts that publish, that are used, and that give no answer. */
const [PUBLISHING, ACTIVE, SILENT] = [25, 100, 2];
/** Of so many accounts one has code, and so many modules. */
const [PER_CODE, MODULES] = [5, 3];
const DAY_MS = 86_400_000;
const VERSIONS_A_NIGHT = 4_000_000n;
/** Visits of one transaction. */
const BATCH = 2000;

/** The versions of each module of the recorded releases, oldest first. */
type Published = readonly (readonly ObservedModule[])[];

/**
 * Fills a database as so many nights of a crawl would, through the store and without a node: accounts of which a fifth has code
 * (real modules of the recorded releases, some replaced every night), a few gaps, a run and the node's head in each night.
 * The last night ends shortly before `until`, in milliseconds since 1970.
 */
export async function fillLargeArchive(db: string, folder: string, { accounts, nights }: Size, until: number): Promise<void> {
  const published = readPublished(folder);
  const addresses = Array.from({ length: accounts }, (_, i) => parseAddress(hexOf(`account ${i}`)) as Address);
  const releases = new Map<number, number>();
  const random = generator(7);
  const some = (n: number, night: number): ReadonlySet<number> =>
    new Set(Array.from({ length: night === 0 ? 0 : n }, () => random(accounts)));
  const store = await openStore(db, { mode: "write", now: () => until });
  try {
    const targets = addresses.map((address) => ({ address, reason: "given", via: null, depth: 0 }) as const);
    await store.addTargets(targets, until - nights * DAY_MS);
    for (let night = 0; night < nights; night++) {
      for (const i of some(PUBLISHING, night)) releases.set(i - (i % PER_CODE), (releases.get(i - (i % PER_CODE)) ?? 0) + 1);
      const [active, silent] = [some(ACTIVE, night), some(SILENT, night)];
      const visitOf = (address: Address, i: number): Visit => ({
        address,
        account: { sequenceNumber: active.has(i) ? BigInt(night) : 1n, authenticationKey: sha256(Buffer.from(address)), resource: null },
        modules: i % PER_CODE === 0 ? modulesOf(published, i, releases.get(i) ?? 0) : [],
      });
      await sealNight(store, {
        version: 1_000_000n + BigInt(night) * VERSIONS_A_NIGHT,
        now: until - (nights - night) * DAY_MS + DAY_MS / 2,
        visits: addresses.flatMap((address, i) => (silent.has(i) ? [] : [visitOf(address, i)])),
        silent: [...silent].map((i) => addresses[i] as Address),
      });
    }
    await store.derive();
  } finally {
    await store.close();
  }
}

type Night = { readonly version: bigint; readonly now: number; readonly visits: readonly Visit[]; readonly silent: readonly Address[] };

async function sealNight(store: Store, { version, now, visits, silent }: Night): Promise<void> {
  const head = { headVersion: version + 1000n, oldestVersion: version > 3_000_000n ? version - 3_000_000n : 0n };
  const run = await store.startRun({ command: "sync", appVersion: "0.0.0", now });
  await store.addHeadSample({ node: "https://node.example", sampledAt: now, timestampUsec: BigInt(now) * 1000n, ...head });
  await store.createPin({ chainId: 1, ledgerVersion: version, ...head, headTimestampUsec: BigInt(now) * 1000n, now }, "targets");
  for (let first = 0; first < visits.length; first += BATCH) await store.commitVisits(version, visits.slice(first, first + BATCH));
  const miss = { reason: "http", errorCode: null, httpStatus: 503, message: "the node answered 503", attempts: 5, isFinal: false };
  for (const address of silent) await store.commitMiss(version, { address, ...miss }, now);
  const { accounts, modules, gaps } = await store.seal(version, { now: now + 600_000 });
  const work = { requests: 2 * visits.length, retries: 4 * gaps, bytesReceived: 900 * visits.length, newBytecodes: 0 };
  const exit = gaps > 0 ? "gaps" : "done";
  await store.finishRun(run, { now: now + 600_000, exit, ledgerVersion: version, accounts, modules, gaps, ...work });
}

function readPublished(folder: string): Published {
  const histories = new Map<string, Map<string, ObservedModule>>();
  for (const { modules } of readReleases(folder, "aptos-devnet")) {
    for (const { name, sha256: digest } of modules) {
      const history = histories.get(name) ?? new Map<string, ObservedModule>();
      histories.set(name, history);
      if (history.has(digest)) continue;
      const code = readFileSync(join(folder, "modules", `${digest}.mv`));
      history.set(digest, {
        name,
        sha256: Buffer.from(digest, "hex"),
        content: { code, bytecodeVersion: decodeModule(code).bytecodeVersion },
      });
    }
  }
  return [...histories.values()].map((history) => [...history.values()]);
}

/** An account's modules after so many releases of its own: neighbours among those recorded, one of them newer with each release. */
function modulesOf(published: Published, account: number, release: number): ObservedModule[] {
  return Array.from({ length: MODULES }, (_, k) => {
    const history = published[(account / PER_CODE + k) % published.length] as readonly ObservedModule[];
    const step = Math.floor((release + MODULES - 1 - k) / MODULES);
    return history[step % history.length] as ObservedModule;
  });
}

function hexOf(text: string): string {
  return `0x${Buffer.from(sha256(Buffer.from(text))).toString("hex")}`;
}

/** Numbers below `below` that are the same in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
