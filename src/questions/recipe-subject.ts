import { abiOf } from "../archive/content/stored-content.ts";
import type { ModuleArchive } from "../archive/read/module-archive.ts";
import { suggestNames } from "../base/names.ts";
import { printable } from "../base/printable.ts";
import { type Address, parseAddress } from "../move/address.ts";
import type { ModuleId } from "../move/module-id.ts";
import type { Recipe } from "../schema/cookbook/recipe.ts";
import { NotHeldError } from "./not-held.ts";
import { chooseSnapshot } from "./snapshot-choice.ts";

type Values = Readonly<Record<string, string>>;

/**
 * Looks up what a recipe is asked about, since no rows would say "none" of what is not there. `latest`, `previous` and `oldest`
 * become versions. @throws NotHeldError for what the archive does not have
 */
export async function resolveRecipeValues(archive: ModuleArchive, recipe: Recipe, values: Values): Promise<Values> {
  const resolved: Record<string, string> = { ...values };
  for (const name of ["from", "to"]) {
    const snapshot = values[name];
    if (snapshot !== undefined) resolved[name] = (await chooseSnapshot(archive, snapshot)).toString();
  }
  const address = values["address"] === undefined ? undefined : parseAddress(values["address"]);
  if (address !== undefined) await requireHeld(archive, address, recipe, values);
  return resolved;
}

async function requireHeld(
  archive: ModuleArchive,
  address: Address,
  recipe: Recipe,
  { module: name, struct, function: fun }: Values,
): Promise<void> {
  if ((await archive.newestCovering(address)) === undefined) {
    // Who uses a module can be known where the module itself was never read.
    if (/\b(?:used|other)_address\b/.test(recipe.sql)) return;
    throw new NotHeldError(`no sealed snapshot has an answer about ${address}.`, { address });
  }
  if (name === undefined) return;
  const module = { address, name };
  if ((await archive.historyOf(module)).length === 0) {
    const names = (await archive.knownModules()).filter((known) => known.address === address).map((known) => known.name);
    throw new NotHeldError(`no sealed snapshot shows a module ${address}::${printable(name, 100)}.${suggestNames(name, names)}`, {
      address,
      name,
    });
  }
  if (struct !== undefined) await requireItem(archive, module, struct, "struct");
  if (fun !== undefined) await requireItem(archive, module, fun, "function");
}

async function requireItem(archive: ModuleArchive, module: ModuleId, name: string, kind: "struct" | "function"): Promise<void> {
  const names = new Set<string>();
  for (const span of await archive.historyOf(module)) {
    const abi = abiOf(await archive.content(span));
    // A version whose bytes cannot be read may have had it.
    if (abi === undefined) return;
    for (const item of kind === "struct" ? abi.structs : abi.functions) names.add(item.name);
  }
  if (names.has(name)) return;
  throw new NotHeldError(
    `no version of ${module.address}::${printable(module.name, 100)} has a ${kind} \`${printable(name, 100)}\`.${suggestNames(name, names)}`,
    { name },
  );
}
