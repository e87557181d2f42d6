import { ConfigError } from "../../errors.ts";
import { formatModuleId } from "../../move/module-id.ts";
import type { OwnUses } from "../../work/alerts/watches.ts";
import type { Build } from "../check/build-check.ts";
import { usesIn } from "../uses/direct-uses.ts";

/** Characters of what own modules use. All of the framework, which is 110 modules, names 60,000 characters of itself. */
const USES_MAX = 4 * 1024 * 1024;

/** What a build uses of other modules, from its bytecode. @throws ConfigError for a module that cannot be read */
export async function readOwnUses({ modules }: Pick<Build, "modules">): Promise<OwnUses> {
  const own = [...modules.modules.keys()];
  const [used, functions, structs] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const moduleOf = await modules.load([...modules.modules.values()]);
  for (const [id, held] of modules.modules) {
    const loaded = moduleOf(held);
    if ("unreadable" in loaded) throw new ConfigError(`${id} cannot be locked: its bytecode cannot be read: ${loaded.unreadable}.`);
    const items = usesIn(loaded.module.bytes);
    for (const module of loaded.module.abi.dependencies) used.add(formatModuleId(module));
    for (const name of items?.functions ?? []) functions.add(name);
    for (const name of items?.structs ?? []) structs.add(name);
  }
  const foreign = (names: ReadonlySet<string>): string[] =>
    [...names].filter((name) => !own.some((id) => name === id || name.startsWith(`${id}::`))).sort();
  const uses = { own: own.toSorted(), modules: foreign(used), functions: foreign(functions), structs: foreign(structs) };
  const size = JSON.stringify(uses).length;
  if (size > USES_MAX) throw new ConfigError(`the build names ${size} characters of other modules; ${USES_MAX} can be kept.`);
  return uses;
}
