import { memoize } from "../../core/base/async.ts";
import { printable } from "../../core/base/printable.ts";
import type { ModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import { inOrder, type StandingCode, standing, standingCode, standingId } from "../../core/db/archive/read/module-queries.ts";
import { rowOf, text, whole } from "../../core/db/engine/row-shape.ts";
import { jsonEach, jsonItem } from "../../core/db/schema/sql/functions.ts";
import { moduleSpans } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { compareModuleIds, formatItemId, formatModuleId, type ItemId, isSameModule, type ModuleId } from "../../core/move/module-id.ts";
import { dependentsIn } from "./dependents.ts";
import { usesIn } from "./direct-uses.ts";

/** A function that calls another one, which is told by its place in the list that was asked about. */
const call = rowOf({ ...standingId, caller: text("f.name"), place: whole("w.place") });
const calls = sql`WITH wanted AS MATERIALIZED (SELECT d.id, j.key AS place FROM ${jsonEach(":functions::json", "j")}
    JOIN _addresses a ON a.address = ${jsonItem("j.value", 0)} JOIN _modules m ON m.address_id = a.id AND m.name = ${jsonItem("j.value", 1)}
    JOIN _called_functions d ON d.module_id = m.id AND d.name = ${jsonItem("j.value", 2)})
  SELECT ${call.columns} FROM wanted w JOIN _function_calls k ON k.called_id = w.id JOIN _functions f ON f.id = k.function_id
    JOIN _abi_functions l ON l.function_id = f.id JOIN _bytecodes b ON b.abi_id = l.abi_id JOIN ${moduleSpans} s ON s.bytecode_id = b.id
    JOIN _addresses a ON a.id = s.address_id WHERE ${standing} ORDER BY length(a.address), a.address, s.name, l.position`;
// In this order: from the functions to what refers to them, never all ABIs.
const untoldCode = sql`WITH wanted AS MATERIALIZED (SELECT DISTINCT a.id AS address_id, ${jsonItem("j.value", 1)} AS name
    FROM ${jsonEach(":functions::json", "j")} JOIN _addresses a ON a.address = ${jsonItem("j.value", 0)}),
  untold AS MATERIALIZED (SELECT b.id FROM wanted w JOIN ${moduleSpans} s ON s.address_id = w.address_id AND s.name = w.name
      JOIN _bytecodes b ON b.id = s.bytecode_id LEFT JOIN _abis x ON x.id = b.abi_id WHERE x.id IS NULL OR NOT x.has_calls
    UNION SELECT b.id FROM wanted w CROSS JOIN _modules m CROSS JOIN _abi_dependencies d CROSS JOIN _abis x CROSS JOIN _bytecodes b
      WHERE m.address_id = w.address_id AND m.name = w.name AND d.module_id = m.id AND x.id = d.abi_id AND NOT x.has_calls AND b.abi_id = x.id)
  SELECT ${standingCode.columns} FROM untold u JOIN _bytecodes b ON b.id = u.id JOIN ${moduleSpans} s ON s.bytecode_id = b.id
    JOIN _addresses a ON a.id = s.address_id WHERE ${standing} ${inOrder}`;

/** The calls of some functions that are stored of a snapshot's modules, in the order of accounts, names and code. */
function readCalls({ engine }: ModuleArchive, functions: readonly ItemId[], version: bigint) {
  return call.all(engine, calls, { functions: functionsJson(functions), version });
}

/** Modules of some functions, and those that refer to them, of which no calls are stored, so that only their bytecode tells. */
export async function modulesWithoutCalls(
  { engine }: ModuleArchive,
  functions: readonly ItemId[],
  version: bigint,
): Promise<StandingCode[]> {
  const found = await standingCode.all(engine, untoldCode, { functions: functionsJson(functions), version });
  const known = new Set(found.map(formatModuleId));
  const waiting = await dependentsIn({ engine }).waitingFor(
    functions.map(({ module }) => module),
    version,
  );
  return [...found, ...waiting.filter((module) => !known.has(formatModuleId(module)))];
}

function functionsJson(functions: readonly ItemId[]): string {
  return JSON.stringify(functions.map(({ module, name }) => [module.address, module.name, name]));
}

/** A function that reaches the function asked about by `depth` calls; 0 is the function itself. */
export type Caller = ItemId & { readonly depth: number };

export type Call = { readonly caller: ItemId; readonly callee: ItemId };

export type CallGraph = {
  /** The functions, the nearest first; those that were asked about at the beginning. */
  readonly functions: readonly Caller[];
  /** The calls between them by which they reach what was asked about; of a graph that was cut perhaps not all. */
  readonly calls: readonly Call[];
  /** Modules that depend on one of these and whose bytecode cannot be read: they may call too. */
  readonly unreadable: readonly ModuleId[];
  /** Whether the graph was cut at the limit of functions or of depth, with more behind it. */
  readonly isCut: boolean;
};

/** Opens the calls of a snapshot: those that are stored, and from the bytecode those of modules of which none are. */
function openCalls(archive: ModuleArchive, version: bigint) {
  const unreadable = new Map<string, ModuleId>();
  const usesOf = memoize(
    Number.POSITIVE_INFINITY,
    ({ sha256 }: StandingCode) => sha256,
    async (code) => usesIn(await archive.bytecode(code)),
  );
  return {
    /** Modules that may call what was asked about, but cannot be read. */
    unreadable,
    /** Who calls some functions, by the called function: functions of its own module first. */
    callersOf: async (functions: readonly ItemId[]): Promise<ReadonlyMap<string, readonly Call[]>> => {
      const calls: Call[] = (await readCalls(archive, functions, version)).map(({ place, caller, ...module }) => {
        return { caller: { module, name: caller }, callee: functions[place] as ItemId };
      });
      for (const code of await modulesWithoutCalls(archive, functions, version)) {
        const module = { address: code.address, name: code.name };
        const uses = await usesOf(code);
        if (uses === undefined) unreadable.set(formatModuleId(module), module);
        for (const callee of functions)
          for (const name of uses?.callers.get(formatItemId(callee)) ?? []) calls.push({ caller: { module, name }, callee });
      }
      const isForeign = ({ caller, callee }: Call): number => (isSameModule(caller.module, callee.module) ? 0 : 1);
      calls.sort((a, b) => isForeign(a) - isForeign(b) || compareModuleIds(a.caller.module, b.caller.module));
      return Map.groupBy(calls, ({ callee }) => formatItemId(callee));
    },
  };
}

export type CallerLimits = { readonly depth: number; readonly functions: number };

/** Functions whose callers are asked for in one statement: where the graph is full, nobody asks for those of the rest. */
const ASKED_AT_ONCE = 100;

/**
 * Finds who calls functions of a module at a snapshot, level by level, by the stored calls. Not visible are calls through function values,
 * and those of `0x1::vector` that compilers turn into instructions.
 */
export async function findCallers(
  archive: ModuleArchive,
  version: bigint,
  targets: readonly ItemId[],
  limits: CallerLimits,
): Promise<CallGraph> {
  const reader = openCalls(archive, version);
  const functions = new Map<string, Caller>(targets.map((target) => [formatItemId(target), { ...target, depth: 0 }]));
  const calls: Call[] = [];
  let level: readonly Caller[] = [...functions.values()];
  let isCut = false;
  for (let depth = 1; level.length > 0; depth++) {
    const next: Caller[] = [];
    let callers: ReadonlyMap<string, readonly Call[]> = new Map();
    for (const [i, callee] of level.entries()) {
      if (i % ASKED_AT_ONCE === 0) {
        if (isCut && functions.size >= limits.functions) break;
        callers = await reader.callersOf(level.slice(i, i + ASKED_AT_ONCE));
      }
      const direct = new Map((callers.get(formatItemId(callee)) ?? []).map(({ caller }) => [formatItemId(caller), caller]));
      for (const [key, fn] of direct) {
        const seen = functions.get(key);
        if (seen === undefined && (depth > limits.depth || functions.size >= limits.functions)) {
          isCut = true;
          continue;
        }
        const caller = seen ?? { ...fn, depth };
        if (seen === undefined) {
          functions.set(key, caller);
          next.push(caller);
        }
        calls.push({ caller, callee });
      }
    }
    level = next;
  }
  return { functions: [...functions.values()], calls, unreadable: [...reader.unreadable.values()], isCut };
}

export function formatDot({ functions, calls }: CallGraph): string {
  const nodes = functions.map((fn) => `  ${quoted(formatItemId(fn))}${fn.depth === 0 ? " [style=bold]" : ""};\n`);
  const edges = calls.map(({ caller, callee }) => `  ${quoted(formatItemId(caller))} -> ${quoted(formatItemId(callee))};\n`);
  return `digraph calls {\n  rankdir=LR;\n  node [shape=box];\n${nodes.join("")}${edges.join("")}}\n`;
}

/**
 * Graphviz knows two escapes in quoted text, and `\N`, `\G` … in labels: names have no backslash after `printable`. They are at most 255
 * characters each.
 */
function quoted(text: string): string {
  return `"${printable(text, 1000).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
