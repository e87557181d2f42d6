import { NumberSet } from "../../../base/number-set.ts";
import { printable } from "../../../base/printable.ts";
import { ledgerTimes } from "../../../crawl/cadence/choose-reads.ts";
import { parkedTargets } from "../../../crawl/cadence/parked-targets.ts";
import { discoverTargets as discover } from "../../../crawl/targets/targets.ts";
import { labelOf, walkTargetsFile } from "../../../crawl/targets/targets-file.ts";
import type { Address } from "../../../move/address.ts";
import type { Store } from "../../../work/store.ts";
import type { AddedTargets, ListedTarget, NewTarget } from "../../../work/targets/targets.ts";
import type { Io } from "../../io.ts";
import { changeBesideRuns, withStore } from "../../jobs/change-beside-runs.ts";
import type { DatabaseFlags } from "../../options/shared-flags.ts";
import { openInput } from "../../options/text-file.ts";
import { type ListOutput, printList } from "../../output/list.ts";
import { rowsToCome } from "../../output/store-notices.ts";
import { targetList } from "./list.ts";

export type NoteFlags = DatabaseFlags & { readonly label?: string; readonly by?: string };

export type ImportFlags = NoteFlags & { readonly column?: string; readonly labelColumn?: string };

/** The command line of `targets list`, parsed. `stale` is a time in milliseconds, true for the default. */
export type ListFlags = DatabaseFlags &
  ListOutput & {
    readonly all?: boolean;
    readonly never?: boolean;
    readonly empty?: boolean;
    readonly parked?: boolean;
    readonly stale?: number | true;
  };

export type DiscoverFlags = DatabaseFlags & { readonly depth: number; readonly dryRun?: boolean };

/** An account that was not read for this long is stale, unless it is said otherwise. */
const STALE_MS = 7 * 86_400_000;

export async function addGivenTargets(io: Io, addresses: readonly Address[], flags: NoteFlags): Promise<void> {
  const note = { addedBy: adder(io, flags), label: labelOf(flags.label) };
  const targets = addresses.map((address): NewTarget => ({ address, reason: "given", via: null, depth: 0, ...note }));
  const given = new Set(addresses).size;
  await sayAdded(io, flags.db, async (store) => ({ added: await store.addTargets(targets, io.clock.now()), given }));
}

/** `targets import`: the file is read twice, first to its end for what is wrong with it, then into the database. */
export async function importTargets(io: Io, file: string, flags: ImportFlags): Promise<void> {
  using input = await openInput(io, file, "targets file");
  const walk = () => walkTargetsFile(input.read(), file === "-" ? "stdin" : file, flags);
  for await (const _ of walk());
  const note = { addedBy: adder(io, flags), label: labelOf(flags.label) };
  await sayAdded(io, flags.db, (store) => store.importTargets(walk, note, io.clock.now()));
}

async function sayAdded(io: Io, path: string, add: (store: Store) => Promise<AddedTargets>): Promise<void> {
  const { result, note } = await changeBesideRuns(io, path, add);
  await io.stdout(`${result.added} added, ${result.given - result.added} already on the list${note}\n`);
}

function adder(io: Io, { by }: NoteFlags): string | null {
  return labelOf(by ?? io.env["USER"]);
}

export async function removeTargets(io: Io, addresses: readonly Address[], { db }: DatabaseFlags): Promise<void> {
  const { result: removed, note } = await changeBesideRuns(io, db, (store) => store.removeTargets(addresses, io.clock.now()));
  await io.stdout(`${removed} removed, ${new Set(addresses).size - removed} not on the list; what was read of them stays${note}\n`);
}

/** `targets list`: rows are printed as they come out of the database, however many. */
export async function listTargets(io: Io, flags: ListFlags): Promise<void> {
  const hasTargets = await withStore(io, flags.db, "read", async (store) => {
    const parked = flags.parked ? await parkedIn(store) : new NumberSet();
    let hasTargets = false;
    const rows = async function* (): AsyncGenerator<ListedTarget> {
      const now = io.clock.now();
      for await (const targets of store.listTargets({ withRemoved: flags.all === true })) {
        hasTargets = true;
        for (const target of targets) if (isWanted(target, flags, parked, now)) yield target;
      }
    };
    await printList(io, targetList, rows, { ...flags, leaves: flags.all ? [] : ["removed_at"] });
    return hasTargets;
  });
  if (!hasTargets) io.stderr("movedex: no targets are stored; `sync` reads the framework accounts 0x1, 0x3, 0x4, 0x5, 0x7 and 0xa.\n");
}

async function parkedIn(store: Store): Promise<NumberSet> {
  const head = await store.newestHead();
  if (head === undefined) return new NumberSet();
  return parkedTargets(store, await ledgerTimes(store, { ledgerVersion: head.headVersion, timestampUsec: head.timestampUsec }));
}

/** Whether one of the kinds asked for has the account; without any, every account. */
function isWanted(
  { account, removedAt, lastRead }: ListedTarget,
  { never, empty, parked: wantsParked, stale }: ListFlags,
  parked: NumberSet,
  now: number,
): boolean {
  if (!never && !empty && !wantsParked && stale === undefined) return true;
  if (removedAt !== null) return false;
  if (lastRead === undefined) return never === true;
  if (parked.has(Number(account))) return true;
  return (empty === true && !lastRead.hasModules) || (stale !== undefined && now - lastRead.sealedAt > (stale === true ? STALE_MS : stale));
}

export async function discoverTargets(io: Io, { db, depth, dryRun: isDryRun = false }: DiscoverFlags): Promise<void> {
  const walk = async (store: Store) => {
    const targets = await discover(store, depth);
    return {
      found: targets,
      added: isDryRun ? 0 : await store.addTargets(targets, io.clock.now()),
      lacks: rowsToCome(await store.underived()) ?? "",
    };
  };
  const { result, note } = isDryRun ? { result: await withStore(io, db, "read", walk), note: "" } : await changeBesideRuns(io, db, walk);
  const { found, added, lacks } = result;
  for (const { address, reason, via } of found) {
    await io.stdout(`${address}  ${reason}${via === null ? "" : ` of ${printable(via)}`}\n`);
  }
  io.stderr(
    `${found.length} found${isDryRun ? ", nothing was written" : `, ${added} added${note}`}. ` +
      `This follows dependencies only; it does not find who uses these modules.\n${lacks}`,
  );
}
