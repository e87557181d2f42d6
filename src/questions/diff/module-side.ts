import type { HeldModule, Side } from "../../abi/compare/sides.ts";
import { loadContent, type StoredContent } from "../../archive/content/stored-content.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import type { StoredModule } from "../../archive/read/module-queries.ts";
import { present } from "../../errors.ts";
import { formatModuleId, type ModuleId } from "../../move/module-id.ts";
import { chooseSnapshot, unknownReason } from "../snapshot-choice.ts";

export type ModuleSide = Side & {
  readonly version: bigint;
  readonly module: StoredModule | undefined;
  readonly content: StoredContent | undefined;
};

/** `Side.load` for a side whose modules are stored: `stored` has those that were found, by their names. */
export async function loadStored(
  archive: Pick<ModuleArchive, "contents">,
  stored: ReadonlyMap<string, StoredModule>,
  modules: readonly HeldModule[],
): ReturnType<Side["load"]> {
  const bytecodeOf = (module: HeldModule) => present(stored.get(formatModuleId(module)), `${formatModuleId(module)} is not held`).bytecode;
  const contentOf = await archive.contents(modules.map(bytecodeOf));
  return (module) => loadContent(contentOf(bytecodeOf(module)), module.sha256);
}

/** The module at the snapshot named: a ledger version, `latest`, `previous` or `oldest`. @throws NotHeldError, ConfigError */
export async function moduleSide(archive: ModuleArchive, id: ModuleId, snapshot: string): Promise<ModuleSide> {
  const version = await chooseSnapshot(archive, snapshot, id.address);
  const module = await archive.findModule(id, version);
  const content = module === undefined ? undefined : await archive.content(module);
  return {
    label: `ledger version ${version}`,
    version,
    module,
    content,
    modules: new Map(module === undefined ? [] : [[formatModuleId(id), module]]),
    unknown: (address) => unknownReason(archive, address, version),
    load:
      async () =>
      ({ sha256 }) =>
        loadContent(content as StoredContent, sha256),
  };
}
