import { type DecodedModule, decodeModule } from "../../core/abi/decode.ts";
import { formatNodeAbi, type NodeAbiJson, type NodeGeneration, nodePrintsAbi } from "../../core/abi/node-json/format.ts";
import { forEachConcurrent } from "../../core/base/async.ts";
import { equalBytes, formatHex } from "../../core/base/bytes.ts";
import { isObject } from "../../core/base/json.ts";
import { seededRandom } from "../../core/base/numbers.ts";
import { printable } from "../../core/base/printable.ts";
import { sha256 } from "../../core/base/sha256.ts";
import type { RunWork } from "../../core/crawl/run/run-work.ts";
import type { AbiTally, WatchedNode } from "../../core/crawl/visit/abi-watch.ts";
import { failedAnswer } from "../../core/crawl/visit/classify-failure.ts";
import { sourceQueries } from "../../core/db/archive/nodes/sources.ts";
import { type SampledModule, sampleModules } from "../../core/db/archive/read/sampling.ts";
import { ifDecodable } from "../../core/move/decode-error.ts";

/** What was compared so far, with the build that the ABIs' shape shows; undefined while none did. */
export type Tally = AbiTally & { build: NodeBuild | undefined };

/** Compares what a node printed with what the bytes say. A difference that no build explains is recorded as a finding. */
export async function compareAbi(
  { engine, clock, url, gitHash }: WatchedNode,
  tally: Tally,
  version: bigint,
  digest: Uint8Array,
  decoded: DecodedModule,
  printed: unknown,
): Promise<void> {
  tally.build ??= buildOf(printed);
  const view = compareNodeAbi(decoded, printed, tally.build);
  tally.compared += 1;
  if (view.kind === "agrees") {
    if (view.isExplained) tally.explained += 1;
    return;
  }
  tally.findings += 1;
  const { place, derived, found } = view;
  const finding = { kind: "node_abi", subject: formatHex(digest), fromVersion: version, toVersion: version } as const;
  const values = { stored: `${place}: ${derived}`, found: `${place}: ${found}` };
  const origin = gitHash === null ? url : `${url} (build ${gitHash})`;
  await sourceQueries(engine).addFinding({ ...finding, ...values, origin }, clock.now());
}

/**
 * Reads a random sample of a sealed snapshot's modules as JSON, one request each, and compares the ABIs in it. Other bytes
 * than those stored are a finding of their own. Modules that the node does not answer for, or that movedex cannot decode, are left out.
 */
export async function crossCheck(watched: WatchedNode, tally: Tally, work: RunWork, version: bigint, count: number): Promise<void> {
  const { engine, node, clock, stop, concurrency } = work;
  const random = seededRandom(Number(BigInt.asUintN(32, version)));
  const check = async ({ address, name, sha256: stored }: SampledModule): Promise<void> => {
    try {
      const { value } = await node.module(address, name, { version, encoding: "json" }, stop.signal);
      const digest = sha256(value.bytecode);
      if (!equalBytes(digest, stored)) {
        const subject = `${address}::${name}`;
        const found = formatHex(digest);
        const finding = { kind: "module", subject, fromVersion: version, toVersion: version, stored: formatHex(stored), found } as const;
        await sourceQueries(engine).addFinding({ ...finding, origin: node.url }, clock.now());
        return;
      }
      const decoded = value.abi === undefined ? undefined : ifDecodable(() => decodeModule(value.bytecode));
      if (decoded !== undefined) await compareAbi(watched, tally, version, digest, decoded, value.abi);
    } catch (error) {
      failedAnswer(error, stop);
    }
  };
  await forEachConcurrent(await sampleModules(engine, { version, count, random }), concurrency, check, () => stop.reason !== undefined);
}

/** The generations that a node can belong to, judged by what it prints. B and C print the same. */
export type NodeBuild = "A" | "B or C" | "D";

/** The ABI that a node printed, compared with the one derived from the bytes. */
export type NodeView =
  /** Equal, apart from what the node's build prints in another way than one of 2026 where `isExplained`. */
  | { readonly kind: "agrees"; readonly isExplained: boolean }
  /** A difference that no build explains: the first place where they differ, with both values. */
  | { readonly kind: "differs"; readonly place: string; readonly derived: string; readonly found: string };

// A build from late 2025 has D's shape and still reads no more than C's bytecode.
const generationsOf: Readonly<Record<NodeBuild, readonly NodeGeneration[]>> = { A: ["A"], "B or C": ["B", "C"], D: ["C", "D"] };

/**
 * Compares the ABI that a node printed as JSON with the one derived from the bytes. `build` is what other answers of the
 * node showed about it. Source of what builds print: aptos-core `api/types/src/move_types.rs` and `bytecode.rs`, through the years.
 */
export function compareNodeAbi(decoded: DecodedModule, found: unknown, build: NodeBuild | undefined): NodeView {
  if (found === null) return explainNull(decoded, build);
  const difference = firstDifference(asPrinted(decoded, found), found, "abi");
  if (difference !== undefined) return { kind: "differs", ...difference };
  return { kind: "agrees", isExplained: firstDifference(found, formatNodeAbi(decoded.abi), "abi") !== undefined };
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
  if (possible.some((generation) => !nodePrintsAbi(decoded, generation))) return { kind: "agrees", isExplained: true };
  return { kind: "differs", place: "abi", derived: `an ABI, from bytecode of version ${decoded.bytecodeVersion}`, found: "null" };
}

/** The derived ABI as the build that printed `found` would print it. */
function asPrinted({ abi }: DecodedModule, found: unknown): object {
  const newest = formatNodeAbi(abi);
  const structs = listOf(found, "structs");
  const lacks = (key: string): boolean => structs.length > 0 && structs.every((struct) => !(key in struct));
  const dropped = ["is_event", "is_enum", "variants"].filter(lacks);
  const listed = isUndisguisedOption(newest, structs) ? formatNodeAbi({ ...abi, name: `${abi.name}?` }).structs : newest.structs;
  const names = new Set(listOf(found, "exposed_functions").map(({ name }) => name));
  const hidesViews = !newest.exposed_functions.some((fn) => isPrivateView(fn) && names.has(fn.name));
  return {
    ...newest,
    exposed_functions: hidesViews ? newest.exposed_functions.filter((fn) => !isPrivateView(fn)) : newest.exposed_functions,
    structs: listed.map((struct) => Object.fromEntries(Object.entries(struct).filter(([key]) => !dropped.includes(key)))),
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
function firstDifference(wanted: unknown, found: unknown, place: string): Difference | undefined {
  if (Array.isArray(wanted) && Array.isArray(found)) {
    for (const [i, item] of wanted.entries()) {
      if (i >= found.length) break;
      const difference = firstDifference(item, found[i], `${place}[${i}]`);
      if (difference !== undefined) return difference;
    }
    return wanted.length === found.length ? undefined : { place, derived: `${wanted.length} items`, found: `${found.length} items` };
  }
  if (isObject(wanted) && isObject(found)) {
    for (const [key, value] of Object.entries(wanted)) {
      const difference = firstDifference(value, found[key], `${place}.${key}`);
      if (difference !== undefined) return difference;
    }
    // Fields of a newer build are none.
    return undefined;
  }
  return wanted === found ? undefined : { place, derived: shown(wanted), found: shown(found) };
}

function listOf(found: unknown, key: string): Readonly<Record<string, unknown>>[] {
  const list = isObject(found) ? found[key] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function shown(value: unknown): string {
  if (value === undefined) return "absent";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? `a list of ${value.length}` : "an object";
  return printable(typeof value === "string" ? value : String(value));
}
