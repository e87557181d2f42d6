import { abiOf } from "../../archive/content/stored-content.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { readSealedVersions } from "../../archive/snapshots/snapshot-queries.ts";
import { formatModuleId, moduleNamed } from "../../move/module-id.ts";
import type { Watch } from "../../work/alerts/watches.ts";
import { targetQueries } from "../../work/targets/targets.ts";
import { parseSubject } from "../subject.ts";

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
