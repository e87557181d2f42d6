import { suggestNames } from "../../../core/base/names.ts";
import { printable } from "../../../core/base/printable.ts";
import { targetQueries } from "../../../core/crawl/targets/targets.ts";
import { abiOf } from "../../../core/db/archive/content/stored-content.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import { formatModuleId, moduleNamed } from "../../../core/move/module-id.ts";
import { NotHeldError, parseSubject } from "../../../core/questions/subject.ts";
import type { Watch } from "../alerts/watches.ts";

/**
 * Checks that what is to be watched is there, or was; gives a sentence where nothing is known of the account yet.
 * @throws NotHeldError for an unknown module or item, with names that may have been meant
 */
export async function checkSubject(archive: ModuleArchive, subject: string): Promise<string | undefined> {
  const { address, module, item } = parseSubject(subject);
  if (address === undefined) return undefined;
  const version = await archive.newestCovering(address);
  if (version === undefined)
    return `no sealed snapshot has an answer about ${address}: nothing of it can be seen until it is read. \`movedex targets add ${address}\` has it read.`;
  if (module === undefined) return undefined;
  const id = { address, name: module };
  const [held] = (await archive.historyOf(id)).toReversed();
  if (held === undefined) {
    const names = (await archive.modulesAt(version, address)).map(({ name }) => name);
    throw notThere(`${address} has no module`, module, names, "Watch the account to hear of modules that come.");
  }
  if (item === undefined) return undefined;
  const abi = abiOf(await archive.content(held));
  if (abi === undefined) return undefined;
  const items = [...abi.functions, ...abi.structs].map(({ name }) => name);
  if (items.includes(item)) return undefined;
  throw notThere(`${formatModuleId(id)} has no function or struct`, item, items, "Watch the module to hear of what comes.");
}

function notThere(sentence: string, name: string, names: readonly string[], advice: string): NotHeldError {
  return new NotHeldError(`${sentence} \`${printable(name, 100)}\`.${suggestNames(name, names)} ${advice}`, { name });
}

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
  const abi = item === undefined ? undefined : abiOf(await archive.content(held));
  if (abi === undefined || [...abi.functions, ...abi.structs].some(({ name }) => name === item)) return undefined;
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
