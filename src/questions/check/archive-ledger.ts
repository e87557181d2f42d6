import { basename } from "node:path";
import type { NodeGeneration } from "../../abi/node-json/format.ts";
import type { ModuleArchive, StoredModule } from "../../archive/read/module-archive.ts";
import { printable } from "../../base/printable.ts";
import type { Address } from "../../move/address.ts";
import { formatModuleId } from "../../move/module-id.ts";
import { carriedFrom } from "../diff/carried.ts";
import { loadStored } from "../diff/module-side.ts";
import { usersAt } from "../diff/users.ts";
import { chooseSnapshot, unknownReason } from "../snapshot-choice.ts";
import type { Ledger } from "./build-check.ts";
import { nodeRules } from "./node-rules.ts";

export type LedgerChoice = {
  /** A snapshot; without one each account counts as in the newest snapshot that covers it. */
  readonly at: string | undefined;
  /** Accounts that hold nothing yet, whatever the archive knows of them. */
  readonly empty: ReadonlySet<Address>;
  /** The generation of the chain's nodes; what the archive saw of them if undefined. */
  readonly generation?: NodeGeneration | undefined;
};

/** The ledger as an archive holds it. @throws NotHeldError when there is no snapshot, StoreError */
export async function archiveLedger(archive: ModuleArchive, { at, empty, generation }: LedgerChoice): Promise<Ledger> {
  const newest = await chooseSnapshot(archive, at ?? "latest");
  const versions = new Map<Address, bigint | undefined>();
  const versionOf = async (address: Address): Promise<bigint | undefined> => {
    if (at !== undefined) return newest;
    if (!versions.has(address)) versions.set(address, await archive.newestCovering(address));
    return versions.get(address);
  };
  const unknown = async (address: Address): Promise<string | undefined> => {
    if (empty.has(address)) return undefined;
    const version = await versionOf(address);
    return version === undefined ? "no sealed snapshot has an answer about it" : unknownReason(archive, address, version);
  };
  const where = at === undefined ? "the newest snapshots" : `ledger version ${newest}`;
  return {
    side: async (modules) => {
      const stored = new Map<string, StoredModule>();
      for (const id of modules) {
        const version = empty.has(id.address) ? undefined : await versionOf(id.address);
        const module = version === undefined ? undefined : await archive.findModule(id, version);
        if (module !== undefined) stored.set(formatModuleId(id), module);
      }
      return {
        label: `${where} of ${printable(basename(archive.path), 100)}`,
        modules: stored,
        unknown,
        load: (wanted) => loadStored(archive, stored, wanted),
      };
    },
    modulesOf: async (address) => {
      const version = empty.has(address) ? undefined : await versionOf(address);
      return version === undefined ? [] : archive.modulesAt(version, address);
    },
    carried: (differences, build) => carriedFrom(archive, newest, differences, build),
    users: usersAt(archive, newest),
    usage: { version: newest, ...(await archive.coverage(newest)) },
    chainId: await archive.chainId(),
    nodes: await nodeRules(archive, generation),
  };
}
