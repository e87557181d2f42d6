import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ModuleWithBytes } from "../../src/capabilities/changes/compare/difference.ts";
import { judgeChanges } from "../../src/capabilities/changes/judge/judge.ts";
import { decodeModule } from "../../src/core/abi/decode.ts";
import { bytecodeQueries } from "../../src/core/db/archive/content/bytecodes.ts";
import { derivationQueries } from "../../src/core/db/archive/content/derive.ts";
import type { ModuleContent, ObservedModule } from "../../src/core/db/archive/content/observed-module.ts";
import { sealQueries } from "../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../src/core/db/archive/snapshots/visits.ts";
import type { Engine } from "../../src/core/db/engine/engine.ts";
import { type Address, parseAddress } from "../../src/core/move/address.ts";
import { frameworkHistory } from "./shared-data.ts";
import { pinAt } from "./store/temporary-store.ts";

/** One recorded release of a network's framework: SHA-256 of each module by `0x1::coin`. */
export type RecordedRelease = { readonly date: string; readonly modules: ReadonlyMap<string, string> };

type Line = {
  readonly network: string;
  readonly date: string;
  readonly modules: readonly { readonly address: string; readonly name: string; readonly sha256: string }[];
};

const folder = frameworkHistory ?? "";

/** The recorded releases of `network`, oldest first; none where they are not beside the repository. */
export function readReleases(directory = folder, network = "aptos-devnet"): RecordedRelease[] {
  if (directory === "") return [];
  return readFileSync(join(directory, "releases.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.network === network)
    .map(({ date, modules }) => ({ date, modules: new Map(modules.map(({ address, name, sha256 }) => [`${address}::${name}`, sha256])) }));
}

/** Reads recorded modules, each decoded once. */
export function moduleReader(directory = folder): (sha256: string) => ModuleWithBytes {
  const known = new Map<string, ModuleWithBytes>();
  return (sha256) => {
    let module = known.get(sha256);
    if (module === undefined) {
      const bytes = readFileSync(join(directory, "modules", `${sha256}.mv`));
      module = { ...decodeModule(bytes), bytes, sha256 };
      known.set(sha256, module);
    }
    return module;
  };
}

/** What each module was and became from one release to the next, those that stayed the same left out. */
export function* changedModules(
  before: RecordedRelease,
  after: RecordedRelease,
): Generator<readonly [id: string, old: string | undefined, now: string | undefined]> {
  for (const id of new Set([...before.modules.keys(), ...after.modules.keys()])) {
    const [old, now] = [before.modules.get(id), after.modules.get(id)];
    if (old !== now) yield [id, old, now] as const;
  }
}

/** Those of them that both releases have. */
export function upgradedModules(before: RecordedRelease, after: RecordedRelease): (readonly [id: string, old: string, now: string])[] {
  return Array.from(changedModules(before, after)).flatMap(([id, old, now]) =>
    old === undefined || now === undefined ? [] : [[id, old, now] as const],
  );
}

/** Each release with the one after it; of these pairs the first and every `step`-th after it. */
export function neighbours(releases: readonly RecordedRelease[], step = 1): (readonly [RecordedRelease, RecordedRelease])[] {
  const pairs = releases.slice(1).map((next, i) => [releases[i] as RecordedRelease, next] as const);
  return pairs.filter((_, i) => i % step === 0);
}

/** The modules of releases as `sealModules` takes them: the n-th release at version n * 1000, counted from 1. */
export function releaseSnapshots(
  releases: readonly RecordedRelease[],
  bytesOf: (sha256: string) => Uint8Array,
): { readonly version: bigint; readonly accounts: Readonly<Record<string, readonly Uint8Array[]>> }[] {
  return releases.map(({ modules }, i) => ({
    version: BigInt(i + 1) * 1000n,
    accounts: Object.fromEntries(
      [...Map.groupBy(modules, ([id]) => accountOf(id))].map(([account, of]) => [account, of.map(([, sha256]) => bytesOf(sha256))]),
    ),
  }));
}

/** The account of a module by its full name. */
export function accountOf(id: string): string {
  return id.split("::")[0] as string;
}

/** Seals each release as a snapshot, release k at version (k + 1) * 1000, and judges what changed; returns the ledger versions. */
export async function loadHistory(engine: Engine, releases: readonly RecordedRelease[]): Promise<bigint[]> {
  const versions: bigint[] = [];
  for (const [index, release] of releases.entries()) {
    const ledgerVersion = BigInt(index + 1) * 1000n;
    const byAddress = Map.groupBy(release.modules, ([id]) => parseAddress(accountOf(id)) as Address);
    await snapshotQueries(engine).createSnapshot({ ...pinAt(ledgerVersion), chainId: 34, now: 0 }, [...byAddress.keys()]);
    for (const [address, modules] of byAddress) {
      const observe = async ([id, digest]: readonly [string, string]): Promise<ObservedModule> => {
        const bytes = Buffer.from(digest, "hex");
        return {
          name: id.split("::")[1] as string,
          sha256: bytes,
          ...((await bytecodeQueries(engine).knowsBytecode(bytes)) ? {} : { content: contentOf(digest) }),
        };
      };
      const observed = await Promise.all(modules.map(observe));
      const account = { sequenceNumber: 0n, authenticationKey: new Uint8Array(32), resource: null };
      await visitQueries(engine).commitVisits(ledgerVersion, [{ address, account, modules: observed }]);
    }
    await sealQueries(engine).seal(ledgerVersion, { now: 0 });
    versions.push(ledgerVersion);
  }
  await derivationQueries(engine).derive();
  await judgeChanges(engine);
  return versions;
}

/** A recorded module as a visit brings it. */
function contentOf(digest: string): ModuleContent {
  const code = readFileSync(join(folder, "modules", `${digest}.mv`));
  return { code, bytecodeVersion: decodeModule(code).bytecodeVersion };
}
