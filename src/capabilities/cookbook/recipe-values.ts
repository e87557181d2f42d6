import { suggestNames } from "../../core/base/names.ts";
import { printable } from "../../core/base/printable.ts";
import { abiOf } from "../../core/db/archive/content/stored-content.ts";
import type { ModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import { ConfigError } from "../../core/errors.ts";
import { type Address, parseAddress } from "../../core/move/address.ts";
import type { ModuleId } from "../../core/move/module-id.ts";
import { chooseSnapshot, namesSnapshot } from "../../core/questions/snapshot-choice.ts";
import { NotHeldError } from "../../core/questions/subject.ts";
import { recipeCommand, recipes } from "./recipes/cookbook.ts";
import { type Recipe, type RecipeParameter, retiredRecipes } from "./recipes/recipe.ts";

/** A recipe by its name. @throws ConfigError with names that are near, or what to use in place of a retired one */
export function findRecipe(name: string): Recipe {
  const recipe = recipes.find((one) => one.name === name);
  if (recipe !== undefined) return recipe;
  const instead = Object.hasOwn(retiredRecipes, name) ? retiredRecipes[name] : undefined;
  if (instead !== undefined) throw new ConfigError(`the recipe \`${name}\` is gone: ${instead}.`);
  const names = recipes.map((one) => one.name);
  throw new ConfigError(
    `there is no recipe \`${printable(name, 80)}\` in the cookbook.${suggestNames(name, names)} \`movedex cookbook\` lists all.`,
  );
}

/**
 * The values that a recipe is asked with, in the form in which the database holds them.
 * @throws ConfigError for a value that is missing, unknown or of another kind, with the command line as it should be
 */
export function recipeValues(recipe: Recipe, given: Readonly<Record<string, string>>): Record<string, string> {
  const names = Object.keys(recipe.parameters);
  const missing = names.filter((name) => given[name] === undefined);
  const stray = Object.keys(given).filter((name) => !names.includes(name));
  if (missing.length > 0 || stray.length > 0) {
    const wanted = names.length === 0 ? "no values" : names.map((name) => `:${name}`).join(", ");
    const found = [
      ...missing.map((name) => `:${name} is missing`),
      ...stray.map((name) => `:${printable(name, 40)} is not one of them`),
    ].join("; ");
    throw new ConfigError(`the recipe \`${recipe.name}\` takes ${wanted}; ${found}. For example: ${recipeCommand(recipe)}`);
  }
  return Object.fromEntries(
    Object.entries(recipe.parameters).map(([name, { kind }]) => [name, valueInKind(name, kind, given[name] as string)]),
  );
}

function valueInKind(name: string, kind: RecipeParameter["kind"], text: string): string {
  const wrong = (wanted: string) => new ConfigError(`:${name} cannot be \`${printable(text, 80)}\`. Give ${wanted}.`);
  switch (kind) {
    case "text":
      return text;
    case "number":
      // Versions of snapshots can be named instead; `resolveRecipeValues` looks them up.
      if (["from", "to"].includes(name) && namesSnapshot(text)) return text;
      if (!/^(?:0x[0-9a-fA-F]{1,15}|\d{1,18})$/.test(text)) throw wrong("a whole number");
      return BigInt(text).toString();
    case "address": {
      const address = parseAddress(text);
      if (address === undefined) throw wrong("an account address (0x and 1 to 64 hex digits)");
      return address;
    }
  }
}

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
