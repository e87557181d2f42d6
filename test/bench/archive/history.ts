import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeModule } from "../../../src/abi/decode.ts";
import { type Address, parseAddress } from "../../../src/move/address.ts";
import type { ModuleContent, ObservedModule, Store } from "../../../src/work/store.ts";

/** One release of a framework history: which modules stood where. */
export type Release = { readonly modules: readonly { readonly address: string; readonly name: string; readonly sha256: string }[] };

/** The releases of one network of a framework history, oldest first. */
export function readReleases(folder: string, network: string): Release[] {
  const lines = readFileSync(join(folder, "releases.jsonl"), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Release & { network: string }).filter((release) => release.network === network);
}

/** Seals each release as a snapshot, release k at version (k + 1) * 1000, and judges what changed; returns the ledger versions. */
export async function loadHistory(store: Store, folder: string, releases: readonly Release[]): Promise<bigint[]> {
  const versions: bigint[] = [];
  for (const [index, release] of releases.entries()) {
    const ledgerVersion = BigInt(index + 1) * 1000n;
    const byAddress = Map.groupBy(release.modules, ({ address }) => parseAddress(address) as Address);
    await store.createPin(
      { chainId: 34, ledgerVersion, headVersion: ledgerVersion, oldestVersion: 0n, headTimestampUsec: 0n, now: 0 },
      byAddress.keys(),
    );
    for (const [address, modules] of byAddress) {
      const observe = async ({ name, sha256: digest }: Release["modules"][number]): Promise<ObservedModule> => {
        const bytes = Buffer.from(digest, "hex");
        return { name, sha256: bytes, ...((await store.knowsBytecode(bytes)) ? {} : { content: readContent(folder, digest) }) };
      };
      const observed = await Promise.all(modules.map(observe));
      const account = { sequenceNumber: 0n, authenticationKey: new Uint8Array(32), resource: null };
      await store.commitVisit(ledgerVersion, { address, account, modules: observed });
    }
    await store.seal(ledgerVersion, { now: 0 });
    versions.push(ledgerVersion);
  }
  await store.derive();
  await store.judgeChanges();
  return versions;
}

function readContent(folder: string, digest: string): ModuleContent {
  const code = readFileSync(join(folder, "modules", `${digest}.mv`));
  return { code, bytecodeVersion: decodeModule(code).bytecodeVersion };
}
