import type { ModuleAbi } from "../../../core/abi/model.ts";
import { targetQueries } from "../../../core/crawl/targets/targets.ts";
import { abiOf } from "../../../core/db/archive/content/stored-content.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import { formatModuleId, moduleNamed } from "../../../core/move/module-id.ts";
import { noItem, resolveSubject } from "../../../core/questions/resolve-module.ts";
import { parseSubject, type Subject } from "../../../core/questions/subject.ts";
import type { Watch } from "../alerts/watches.ts";

/**
 * The full name of what is to be watched; `note` where nothing is known of the account yet.
 * @throws NotHeldError for a module or item that was never there, with what may have been meant
 */
export async function findWatched(archive: ModuleArchive, named: Subject): Promise<{ readonly subject: string; readonly note?: string }> {
  const { address, module, item } = named;
  const isRead = address === undefined || (await archive.newestCovering(address)) !== undefined;
  if (!isRead) {
    const note = `no sealed snapshot has an answer about ${address}: nothing of it can be seen until it is read. \`movedex targets add ${address}\` has it read.`;
    return { subject: subjectOf(named), ...((await readSealedVersions(archive.engine)).length > 0 && { note }) };
  }
  const found = await resolveSubject(archive, named);
  const id = { address: found.address, name: module ?? "" };
  const [held] = item === undefined ? [] : (await archive.historyOf(id)).toReversed();
  const abi = held && abiOf(await archive.content(held));
  if (abi !== undefined && item !== undefined && !hasItem(abi, item)) throw noItem(id, abi, item);
  return { subject: subjectOf(found) };
}

const subjectOf = ({ address, module, item }: Subject): string => [address, module, item].filter((part) => part !== undefined).join("::");

const hasItem = ({ functions, structs }: ModuleAbi, item: string): boolean => [...functions, ...structs].some(({ name }) => name === item);

/** A watch that can have no alert as things stand, and why in a sentence. Names in it are as on chain: hostile until printed. */
export type DeadWatch = { readonly id: number; readonly subject: string; readonly reason: string };

/** The watches of which nothing is heard as things stand: their account is not read, or what they watch is gone. @throws StoreError */
export async function deadWatches(archive: ModuleArchive, watches: readonly Watch[]): Promise<DeadWatch[]> {
  const newest = (await readSealedVersions(archive.engine)).at(-1);
  // Before the first snapshot nothing is known of any.
  if (newest === undefined) return [];
  const dead: DeadWatch[] = [];
  for (const watch of watches) {
    const reason = watch.uses === null ? await reasonOf(archive, watch.subject, newest) : await ofOwnModules(archive, watch.uses.modules);
    if (reason !== undefined) dead.push({ id: watch.id, subject: watch.subject, reason });
  }
  return dead;
}

async function reasonOf(archive: ModuleArchive, subject: string, newest: bigint): Promise<string | undefined> {
  const { address, module, item } = parseSubject(subject);
  if (address === undefined) return undefined;
  const version = await archive.newestCovering(address);
  if (version === undefined) return `no snapshot has read ${address}`;
  if (version < newest && (await targetQueries(archive.engine).hasTargets()) && !(await targetQueries(archive.engine).isTarget(address)))
    return `${address} is no target any more, and was last read at ledger version ${version}`;
  if (module === undefined) return undefined;
  const id = { address, name: module };
  const held = await archive.findModule(id, version);
  if (held === undefined) return `there is no module ${formatModuleId(id)} since ledger version ${version} at the latest`;
  if (item === undefined) return undefined;
  const abi = abiOf(await archive.content(held));
  if (abi === undefined || hasItem(abi, item)) return undefined;
  return `${formatModuleId(id)} has no function or struct ${item} since ledger version ${version} at the latest`;
}

/** Own modules hear of what they depend on as soon as one module of it is read. */
async function ofOwnModules(archive: ModuleArchive, modules: readonly string[]): Promise<string | undefined> {
  for (const id of modules.map(moduleNamed)) {
    const version = await archive.newestCovering(id.address);
    if (version !== undefined && (await archive.findModule(id, version)) !== undefined) return undefined;
  }
  return "nothing that they depend on has been read";
}
