import { memoize } from "../../core/base/async.ts";
import { chunks } from "../../core/base/lists.ts";
import { printable } from "../../core/base/printable.ts";
import {
  inOrder,
  type ModuleArchive,
  type StandingCode,
  standing,
  standingCode,
  standingId,
} from "../../core/db/archive/read/module-archive.ts";
import { rowOf, text, whole } from "../../core/db/engine/row-shape.ts";
import { jsonEach, jsonItem } from "../../core/db/schema/sql/functions.ts";
import { moduleSpans } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import {
  compareModuleIds,
  formatItemId,
  formatModuleId,
  type ItemId,
  isSameModule,
  itemNameOf,
  type ModuleId,
} from "../../core/move/module-id.ts";
import { waitingFor } from "./dependents.ts";
import { type ModuleUses, usesIn } from "./direct-uses.ts";

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

const functionsJson = (functions: readonly ItemId[]): string =>
  JSON.stringify(functions.map(({ module, name }) => [module.address, module.name, name]));

/** Modules of some functions, and those that refer to them, of which no calls are stored, so that only their bytecode tells. */
export async function modulesWithoutCalls(
  { engine }: Pick<ModuleArchive, "engine">,
  functions: readonly ItemId[],
  version: bigint,
): Promise<StandingCode[]> {
  const found = await standingCode.all(engine, untoldCode, { functions: functionsJson(functions), version });
  const known = new Set(found.map(formatModuleId));
  const modules = functions.map(({ module }) => module);
  return [...found, ...(await waitingFor({ engine }, modules, version)).filter((module) => !known.has(formatModuleId(module)))];
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

/**
 * Who calls some functions at a snapshot, by the called function, those of its own module first: by the calls that are stored, and by the
 * bytecode of modules of which none are. Adds to `unreadable` who may call and cannot be read.
 */
async function callersOf(
  archive: ModuleArchive,
  usesOf: (code: StandingCode) => Promise<ModuleUses | undefined>,
  functions: readonly ItemId[],
  version: bigint,
  unreadable: Map<string, ModuleId>,
): Promise<ReadonlyMap<string, readonly Call[]>> {
  const found = await call.all(archive.engine, calls, { functions: functionsJson(functions), version });
  const all = found.map(({ place, caller, ...module }): Call => ({ caller: { module, name: caller }, callee: functions[place] as ItemId }));
  const asked = new Map(functions.map((fn) => [formatItemId(fn), fn]));
  for (const code of await modulesWithoutCalls(archive, functions, version)) {
    const module = { address: code.address, name: code.name };
    const uses = await usesOf(code);
    if (uses === undefined) unreadable.set(formatModuleId(module), module);
    for (const [caller, callees] of uses?.calls ?? [])
      for (const name of callees) {
        const callee = asked.get(name);
        if (callee !== undefined) all.push({ caller: { module, name: itemNameOf(caller) }, callee });
      }
  }
  const isForeign = ({ caller, callee }: Call): number => (isSameModule(caller.module, callee.module) ? 0 : 1);
  all.sort((a, b) => isForeign(a) - isForeign(b) || compareModuleIds(a.caller.module, b.caller.module));
  return Map.groupBy(all, ({ callee }) => formatItemId(callee));
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
  const functions = new Map<string, Caller>(targets.map((target) => [formatItemId(target), { ...target, depth: 0 }]));
  const calls: Call[] = [];
  const unreadable = new Map<string, ModuleId>();
  // All are kept while the graph is made: where no rows are, each level asks for the same modules.
  const usesOf = memoize(
    Number.POSITIVE_INFINITY,
    ({ bytecode }) => String(bytecode),
    async (code: StandingCode) => usesIn(await archive.bytecode(code)),
  );
  let level: readonly Caller[] = [...functions.values()];
  let isCut = false;
  for (let depth = 1; level.length > 0; depth++) {
    const next: Caller[] = [];
    for (const asked of chunks(level, ASKED_AT_ONCE)) {
      if (isCut && functions.size >= limits.functions) break;
      const callers = await callersOf(archive, usesOf, asked, version, unreadable);
      for (const callee of asked) {
        const direct = new Map((callers.get(formatItemId(callee)) ?? []).map(({ caller }) => [formatItemId(caller), caller]));
        for (const [key, fn] of direct) {
          const caller = functions.get(key) ?? { ...fn, depth };
          if (!functions.has(key)) {
            if (depth > limits.depth || functions.size >= limits.functions) {
              isCut = true;
              continue;
            }
            functions.set(key, caller);
            next.push(caller);
          }
          calls.push({ caller, callee });
        }
      }
    }
    level = next;
  }
  return { functions: [...functions.values()], calls, unreadable: [...unreadable.values()], isCut };
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
