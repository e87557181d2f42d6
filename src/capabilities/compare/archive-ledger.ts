import { basename } from "node:path";
import type { NodeGeneration } from "../../core/abi/node-json/format.ts";
import { memoize } from "../../core/base/async.ts";
import { printable } from "../../core/base/printable.ts";
import { readChain } from "../../core/db/archive/chain.ts";
import type { ModuleArchive, StoredModule } from "../../core/db/archive/read/module-archive.ts";
import type { Address } from "../../core/move/address.ts";
import { formatModuleId, type ModuleId } from "../../core/move/module-id.ts";
import { chooseSnapshot, unknownReason } from "../../core/questions/snapshot-choice.ts";
import type { ModuleDifference, ModuleWithBytes } from "../changes/compare/difference.ts";
import type { RuleFinding } from "../changes/compare/finding.ts";
import type { Side } from "../changes/compare/sides.ts";
import { carriedFrom } from "../changes/diff/carried.ts";
import { loadStored } from "../changes/diff/sides.ts";
import { weighingAt } from "../changes/diff/users.ts";

/** Accounts of which it is kept which snapshot covers them. */
const ACCOUNTS_KEPT = 10_000;

export type LedgerChoice = {
  /** A snapshot; without one each account counts as in the newest snapshot that covers it. */
  readonly at: string | undefined;
  /** Accounts that hold nothing yet, whatever the archive knows of them. */
  readonly empty: ReadonlySet<Address>;
  /** The generation of the chain's nodes, where it was named. */
  readonly generation?: NodeGeneration | undefined;
};

/** Why nothing is known of an account that the archive never read. */
export const UNREAD = "no sealed snapshot has an answer about it";

export type Ledger = Awaited<ReturnType<typeof archiveLedger>>;

/** The ledger as an archive holds it. @throws NotHeldError when there is no snapshot, StoreError */
export async function archiveLedger(archive: ModuleArchive, { at, empty, generation }: LedgerChoice) {
  const newest = await chooseSnapshot(archive, at ?? "latest");
  const newestOf = memoize(ACCOUNTS_KEPT, String, (address: Address) => archive.newestCovering(address));
  const versionOf = (address: Address): Promise<bigint | undefined> => (at === undefined ? newestOf(address) : Promise.resolve(newest));
  const unknown = async (address: Address): Promise<string | undefined> => {
    if (empty.has(address)) return undefined;
    const version = await versionOf(address);
    return version === undefined ? UNREAD : unknownReason(archive, address, version);
  };
  const where = at === undefined ? "the newest snapshots" : `ledger version ${newest}`;
  return {
    /** These modules, where they are; and what is not known. */
    side: async (modules: Iterable<ModuleId>): Promise<Side> => {
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
    versionOf,
    /** All modules of an account; empty if nothing is known of it. */
    modulesOf: async (address: Address): Promise<readonly ModuleId[]> => {
      const version = empty.has(address) ? undefined : await versionOf(address);
      return version === undefined ? [] : archive.modulesAt(version, address);
    },
    /** How findings weigh where a build stands in place of its modules, and what its changes carry into others. */
    weighing: (build: ReadonlyMap<string, ModuleWithBytes>, differences: readonly ModuleDifference[]) => {
      const inPlace = async (id: ModuleId) => {
        const module = build.get(formatModuleId(id));
        return module && { module };
      };
      const { weigh, differs } = weighingAt(archive, { from: newest, to: newest }, { differences, inPlace });
      return { weigh, carried: () => carriedFrom(archive, newest, differences, differs, build) };
    },
    /** Where users are looked for. */
    usage: { version: newest, ...(await archive.coverage(newest)) },
    handlesCount: await comparesHandles(archive, generation),
  };
}

/** Chains of Movement's network, whose nodes are of generation B since 2025-06. Source: node-contract; aptos-core #17171. */
const MOVEMENT_CHAINS: readonly (number | null)[] = [126, 250];

/**
 * Whether a ledger's nodes compare function types by the numbers of the structs in them, as generation B does: by the
 * generation named, else on Movement's chains; undefined if neither tells.
 */
export async function comparesHandles(
  archive: Pick<ModuleArchive, "engine"> | undefined,
  named?: NodeGeneration,
): Promise<boolean | undefined> {
  if (named !== undefined) return named === "B";
  if (archive === undefined) return undefined;
  return MOVEMENT_CHAINS.includes(await readChain(archive.engine)) || undefined;
}

/** A finding by the rules of a chain's nodes: whether they refuse what generation B does. */
export function judgedBy<F extends RuleFinding>(handlesCount: boolean | undefined, finding: F): F {
  if (finding.upgrade !== "refused by generation B" || handlesCount === undefined) return finding;
  return { ...finding, upgrade: handlesCount ? "refused" : "allowed" };
}
