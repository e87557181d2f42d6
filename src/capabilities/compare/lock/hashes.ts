import { allFields, isExposed, type StructAbi } from "../../../core/abi/model.ts";
import { formatStructHead } from "../../../core/abi/print/signature.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { formatModuleId, itemNameOf, moduleNameOf } from "../../../core/move/module-id.ts";
import { formatMoveType } from "../../../core/move/types/format-type.ts";
import type { ModuleWithBytes } from "../../changes/compare/difference.ts";
import { markedFunctions, signatureText } from "../../changes/compare/functions.ts";
import { reachedEffects } from "../../changes/diff/reached-effects.ts";
import type { FunctionHashes, ModuleHashes } from "./lock-file.ts";

/** A module by its name (`0x1::coin`); undefined where it is not there, or cannot be read. */
export type ReadModule = (id: string) => Promise<ModuleWithBytes | undefined>;

/** Hex digits of a hash. */
const DIGITS = 32;

/**
 * Hashes of functions and structs, by their full names, in their modules; one that is not there has none. Each is of a canonical text,
 * which docs/lock.md describes: who changes one of them changes `RULES`. `own` are the modules of the build, which may be friends.
 */
export async function hashesOf(items: Iterable<string>, own: readonly string[], read: ReadModule): Promise<Map<string, ModuleHashes>> {
  const effects = reachedEffects(async (id) => (await read(id))?.bytes);
  const found = new Map<string, ModuleHashes>();
  for (const [id, names] of Map.groupBy(new Set(items), moduleNameOf)) {
    const module = await read(id);
    if (module === undefined) continue;
    const marked = markedFunctions(module);
    const friends = module.abi.friends
      .map(formatModuleId)
      .filter((friend) => own.includes(friend))
      .sort();
    const [functions, structs] = [new Map<string, FunctionHashes>(), new Map<string, string>()];
    for (const item of names) {
      const fn = marked.get(itemNameOf(item));
      const struct = module.abi.structs.find(({ name }) => name === itemNameOf(item));
      if (struct !== undefined) structs.set(struct.name, hashOf([structText(struct)]));
      if (fn === undefined) continue;
      const [reached, counts] = [await whole(await effects.reached(item), read), await effects.counts(item)];
      functions.set(fn.fn.name, {
        signature: hashOf([signatureText(fn), ...(fn.fn.visibility === "friend" ? friends : [])]),
        effects: reached === undefined ? null : hashOf([...reached].sort()),
        literals: counts === undefined ? null : hashOf(Array.from(counts, ([key, times]) => `${times} ${key}`).sort()),
      });
    }
    const exposed = [...marked.values()].filter(({ fn }) => isExposed(fn)).map((fn) => signatureText(fn));
    found.set(id, { interface: hashOf([...exposed, ...module.abi.structs.map(structText)].sort()), functions, structs });
  }
  return found;
}

/** What is reached, if all modules of it are there; undefined if nothing can be said. */
async function whole(reached: ReadonlySet<string> | undefined, read: ReadModule): Promise<ReadonlySet<string> | undefined> {
  for (const effect of reached ?? []) {
    const [, id] = /^unknown (0x\S+)::[^:]+$/.exec(effect) ?? [];
    if (id !== undefined && (await read(id)) === undefined) return undefined;
  }
  return reached;
}

function hashOf(lines: readonly string[]): string {
  return sha256Hex(lines.join("\n")).slice(0, DIGITS);
}

/** `enum Order<T0> has store { Open { price: u64 }, Closed }`, with what attributes make of it. */
function structText(struct: StructAbi): string {
  const fields = (of: StructAbi["fields"]): string => `{ ${of.map(({ name, type }) => `${name}: ${formatMoveType(type)}`).join(", ")} }`;
  const body = struct.isEnum
    ? struct.variants.map((variant) => `${variant.name} ${fields(variant.fields)}`).join(", ")
    : fields(struct.fields);
  const attributes = struct.attributes.map(({ kind, args }) => `#[${[kind, ...args].join(" ")}] `).sort();
  return `${attributes.join("")}${formatStructHead(struct)} ${body}`;
}

/** The structs that some have in their fields, at any depth, and they themselves. */
export async function withFields(structs: Iterable<string>, read: ReadModule): Promise<Set<string>> {
  const found = new Set(structs);
  // A set that grows while it is walked is walked to its end.
  for (const item of found) {
    const struct = (await read(moduleNameOf(item)))?.abi.structs.find(({ name }) => name === itemNameOf(item));
    for (const { type } of struct === undefined ? [] : allFields(struct))
      for (const [name] of formatMoveType(type).matchAll(/0x[\da-f]+::[\w$]+::[\w$]+/g)) found.add(name);
  }
  return found;
}

/** The full names of the items that hashes are of: all, or one kind. */
export function itemsIn(modules: ReadonlyMap<string, ModuleHashes>, only?: "functions" | "structs"): string[] {
  const kinds = only === undefined ? (["functions", "structs"] as const) : [only];
  return [...modules].flatMap(([id, hashes]) => kinds.flatMap((kind) => Array.from(hashes[kind].keys(), (name) => `${id}::${name}`)));
}
