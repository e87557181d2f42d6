import { printable } from "../../base/printable.ts";
import type { DecodedModule } from "../decode.ts";
import { formatNodeAbi, type NodeAbiJson, type NodeGeneration, type NodeStructJson, nodePrintsAbi } from "./format.ts";

/** A way in which a node's build prints the same bytes differently from a build of 2026. */
export type NodeHabit =
  | "no is_event"
  | "no is_enum"
  | "no variants"
  | "no private view functions"
  | "option as the enum it is"
  | "fields of a newer build"
  | "no ABI for this bytecode";

/** The generations that a node can belong to, judged by what it prints. B and C print the same. */
export type NodeBuild = "A" | "B or C" | "D";

/** The ABI that a node printed, compared with the one derived from the bytes. */
export type NodeView =
  /** Equal apart from the listed habits of the node's build. */
  | { readonly kind: "agrees"; readonly habits: readonly NodeHabit[] }
  /** A difference that no build explains: the first place where they differ, with both values. */
  | { readonly kind: "differs"; readonly place: string; readonly derived: string; readonly found: string };

// A build from late 2025 has D's shape and still reads no more than C's bytecode.
const generationsOf: Readonly<Record<NodeBuild, readonly NodeGeneration[]>> = { A: ["A"], "B or C": ["B", "C"], D: ["C", "D"] };

/**
 * Compares the ABI that a node printed as JSON with the one derived from the bytes. `build` is what other answers of the
 * node showed about it. Source of the habits: aptos-core `api/types/src/move_types.rs` and `bytecode.rs`, through the years.
 */
export function compareNodeAbi(decoded: DecodedModule, found: unknown, build: NodeBuild | undefined): NodeView {
  if (found === null) return explainNull(decoded, build);
  const habits = new Set<NodeHabit>();
  const wanted = asPrinted(decoded, found, habits);
  const difference = firstDifference(wanted, found, "abi", habits);
  return difference === undefined ? { kind: "agrees", habits: [...habits] } : { kind: "differs", ...difference };
}

/** The build, recognised by the fields of a struct; undefined if the module has no struct. */
export function buildOf(found: unknown): NodeBuild | undefined {
  const [struct] = listOf(found, "structs");
  if (struct === undefined) return undefined;
  if ("is_enum" in struct || "variants" in struct) return "D";
  return "is_event" in struct ? "B or C" : "A";
}

function explainNull(decoded: DecodedModule, build: NodeBuild | undefined): NodeView {
  const possible = build === undefined ? (["A", "B", "C", "D"] as const) : generationsOf[build];
  if (possible.some((generation) => !nodePrintsAbi(decoded, generation))) return { kind: "agrees", habits: ["no ABI for this bytecode"] };
  return { kind: "differs", place: "abi", derived: `an ABI, from bytecode of version ${decoded.bytecodeVersion}`, found: "null" };
}

/** The derived ABI as the build that printed `found` would print it; adds the habits of that build to `habits`. */
function asPrinted({ abi }: DecodedModule, found: unknown, habits: Set<NodeHabit>): object {
  const newest = formatNodeAbi(abi);
  const structs = listOf(found, "structs");
  const lacks = (key: keyof NodeStructJson): boolean => structs.length > 0 && structs.every((struct) => !(key in struct));
  const dropped = new Set<string>();
  for (const [key, habit] of [
    ["is_event", "no is_event"],
    ["is_enum", "no is_enum"],
    ["variants", "no variants"],
  ] as const) {
    if (!lacks(key)) continue;
    dropped.add(key);
    habits.add(habit);
  }
  const undisguised = isUndisguisedOption(newest, structs) ? formatNodeAbi({ ...abi, name: `${abi.name}?` }).structs : undefined;
  if (undisguised !== undefined) habits.add("option as the enum it is");
  const listed = undisguised ?? newest.structs;
  const names = new Set(listOf(found, "exposed_functions").map(({ name }) => name));
  const hidesViews =
    newest.exposed_functions.some(isPrivateView) && !newest.exposed_functions.some((fn) => isPrivateView(fn) && names.has(fn.name));
  if (hidesViews) habits.add("no private view functions");
  return {
    ...newest,
    exposed_functions: hidesViews ? newest.exposed_functions.filter((fn) => !isPrivateView(fn)) : newest.exposed_functions,
    structs: listed.map((struct) => Object.fromEntries(Object.entries(struct).filter(([key]) => !dropped.has(key)))),
  };
}

/** Before 2025-10-24 nodes printed `0x1::option` as it is. */
function isUndisguisedOption(newest: NodeAbiJson, found: readonly Readonly<Record<string, unknown>>[]): boolean {
  if (newest.address !== "0x1" || newest.name !== "option") return false;
  const option = found.find(({ name }) => name === "Option");
  return option !== undefined && Array.isArray(option["fields"]) && option["fields"].length === 0;
}

/** Of private functions, nodes print entry functions and, since 2026, view functions. */
function isPrivateView({ visibility, is_entry }: NodeAbiJson["exposed_functions"][number]): boolean {
  return visibility === "private" && !is_entry;
}

type Difference = { readonly place: string; readonly derived: string; readonly found: string };

/** The first difference. The depth is bounded by the derived value, whatever the node sent. */
function firstDifference(wanted: unknown, found: unknown, place: string, habits: Set<NodeHabit>): Difference | undefined {
  if (Array.isArray(wanted) && Array.isArray(found)) {
    for (const [i, item] of wanted.entries()) {
      if (i >= found.length) break;
      const difference = firstDifference(item, found[i], `${place}[${i}]`, habits);
      if (difference !== undefined) return difference;
    }
    return wanted.length === found.length ? undefined : { place, derived: `${wanted.length} items`, found: `${found.length} items` };
  }
  if (isObject(wanted) && isObject(found)) {
    for (const [key, value] of Object.entries(wanted)) {
      const difference = firstDifference(value, found[key], `${place}.${key}`, habits);
      if (difference !== undefined) return difference;
    }
    if (Object.keys(found).some((key) => !(key in wanted))) habits.add("fields of a newer build");
    return undefined;
  }
  return wanted === found ? undefined : { place, derived: shown(wanted), found: shown(found) };
}

function listOf(found: unknown, key: string): Readonly<Record<string, unknown>>[] {
  const list = isObject(found) ? found[key] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (value === undefined) return "absent";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? `a list of ${value.length}` : "an object";
  return printable(typeof value === "string" ? value : String(value));
}
