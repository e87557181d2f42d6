import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ModuleCode } from "../../sim/ledger/module-code.ts";
import type { Address } from "../../src/core/move/address.ts";
import { readSelfId } from "../../src/core/move/module/self-id.ts";
import { frameworkHistory } from "../support/shared-data.ts";

/** A recorded module: its code, and the account and name that its bytes say. */
export type RecordedModule = { readonly code: ModuleCode; readonly address: Address; readonly name: string };

/** All recorded modules, in the order of their files. Throws where the recorded releases are not beside the repository. */
export function recordedModules(): RecordedModule[] {
  if (frameworkHistory === undefined) throw new Error("wanted the recorded releases beside the repository, and they are not there");
  const folder = join(frameworkHistory, "modules");
  return readdirSync(folder)
    .sort()
    .map((file) => {
      const code = new ModuleCode(readFileSync(join(folder, file)));
      const self = readSelfId(code.bytes);
      if (self === undefined) throw new Error(`${file} is not a module`);
      return { code, ...self };
    });
}

/** The wanted number of them, one per name, from an index on, and the index after the last. The list wraps around. */
export function modulesFrom<T extends { readonly name: string }>(
  list: readonly T[],
  place: number,
  count: number,
): { readonly modules: T[]; readonly next: number } {
  const held = new Map<string, T>();
  let next = place;
  for (; held.size < count; next++) {
    const module = list[next % list.length] as T;
    if (!held.has(module.name)) held.set(module.name, module);
  }
  return { modules: [...held.values()], next };
}
