import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeModule } from "../../../src/abi/decode.ts";
import { sha256 } from "../../../src/base/sha256.ts";
import { type Address, parseAddress } from "../../../src/move/address.ts";
import type { Visit } from "../../../src/store/snapshots/visit-model.ts";
import { type ObservedModule, openStore } from "../../../src/store/store.ts";
import { readReleases } from "../store/history.ts";
import { sealNight } from "../store/seal-night.ts";

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
        batches: batchesOf(addresses.flatMap((address, i) => (silent.has(i) ? [] : [visitOf(address, i)]))),
        silent: [...silent].map((i) => addresses[i] as Address),
      });
    }
    await store.derive();
  } finally {
    await store.close();
  }
}

function* batchesOf(visits: readonly Visit[]): Generator<readonly Visit[]> {
  for (let first = 0; first < visits.length; first += BATCH) yield visits.slice(first, first + BATCH);
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
