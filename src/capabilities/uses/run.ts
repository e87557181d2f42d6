import { keepTexts, plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { address, either, from, list, maybe, object, text, truth, version, whole } from "../../core/base/result.ts";
import { dataWidth, type Io } from "../../core/cli/io.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { tableText } from "../../core/cli/output/rows.ts";
import { type ModuleArchive, openModuleArchive, type StoredModule } from "../../core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import { ConfigError } from "../../core/errors.ts";
import { formatItemId, formatModuleId, type ModuleId } from "../../core/move/module-id.ts";
import { noItem, resolveModule } from "../../core/questions/resolve-module.ts";
import { NotHeldError, parseSubject, type Subject } from "../../core/questions/subject.ts";
import { type Call, type CallGraph, findCallers, formatDot } from "./callers.ts";
import { type DirectUse, findDirectUses, findStructUses } from "./direct-uses.ts";

type FoundCall = Call & { readonly use: DirectUse | undefined };
export type FoundUses = Omit<CallGraph, "calls"> & { readonly calls: readonly FoundCall[] };
const unreadable = from(({ unreadable }: { readonly unreadable: readonly ModuleId[] }) => unreadable.map(formatModuleId), list(text));

export const callsResult = object({
  ledger_version: version,
  functions: list(
    object({ address: from("module.address", address), module: from("module.name", text), function: from("name", text), depth: whole }),
  ),
  calls: list(
    object({
      caller: from(({ caller }: FoundCall) => formatItemId(caller), text),
      callee: from(({ callee }: FoundCall) => formatItemId(callee), text),
      is_call: from("use.isCall", maybe(truth)),
      is_function_value: from("use.isValue", maybe(truth)),
      instantiations: from(({ use }: FoundCall) => use && [...use.instantiations], maybe(list(text))),
    }),
  ),
  unreadable,
  is_cut: truth,
});

export const structResult = object({
  ledger_version: version,
  struct: text,
  functions: list(object({ function: from("name", text), how: list(text) })),
  modules: from(({ modules }: { readonly modules: readonly ModuleId[] }) => modules.map(formatModuleId), list(text)),
  unreadable,
});

export const usesResult = either<unknown>([callsResult, structResult]);

export type UsesFlags = {
  readonly at?: string;
  readonly depth: number;
  readonly limit: number;
  readonly format: "text" | "json" | "dot";
  readonly db: string;
};

export async function runUses(io: Io, text: string, flags: UsesFlags): Promise<void> {
  const subject = readSubject(text, flags.at);
  await using archive = await openModuleArchive(flags.db);
  const { module, version } = await resolveModule(archive, subject);
  // Where a module stood the same between two snapshots, callers are those of the earlier one.
  const snapshot = (await readSealedVersions(archive.engine)).findLast((sealed) => sealed <= version) ?? module.from;
  const { targets, struct } = await targetsOf(archive, module, subject.item);
  if (struct !== undefined) return await printStructUses(io, archive, module, { struct, version: snapshot, format: flags.format });
  const graph = await findCallers(
    archive,
    snapshot,
    targets.map((name) => ({ module: { address: module.address, name: module.name }, name })),
    { depth: flags.depth, functions: flags.limit + targets.length },
  );
  const callers = new Set(graph.calls.map(({ caller }) => formatModuleId(caller.module)));
  const uses = await findDirectUses(archive, module, new Set(targets), snapshot, (id) => callers.has(formatModuleId(id)));
  const found = {
    ...graph,
    calls: graph.calls.map((call) => ({ ...call, use: uses.get(`${formatItemId(call.caller)} ${formatItemId(call.callee)}`) })),
  };
  for (const line of await sentences(archive, found, snapshot, subject.item === undefined)) io.stderr(`movedex: ${line}\n`);
  await io.stdout(print(io, found, snapshot, flags.format));
}

function readSubject(text: string, at: string | undefined): Subject {
  const subject = parseSubject(text);
  if (subject.module === undefined)
    throw new ConfigError("an account has no callers. Give a function (0x1::coin::withdraw), a struct or a module (0x1::coin).");
  if (at === undefined) return subject;
  if (subject.version !== undefined) throw new ConfigError("give @VERSION or --at, not both.");
  return { ...subject, version: at };
}

/** The function that was named, or all of the module; or a struct. */
async function targetsOf(
  archive: ModuleArchive,
  module: StoredModule,
  item: string | undefined,
): Promise<{ readonly targets: readonly string[]; readonly struct?: string }> {
  const content = await archive.content(module);
  if (content.kind === "unreadable") throw new NotHeldError(`the bytes cannot be decoded: ${content.reason}.`);
  const { functions, structs } = content.kind === "decoded" ? content.module.abi : content.abi;
  const names = functions.map(({ name }) => name);
  if (item === undefined) return { targets: names };
  if (names.includes(item)) return { targets: [item] };
  if (content.kind === "decoded" && structs.some(({ name }) => name === item)) return { targets: [], struct: item };
  throw noItem(module, { functions, structs }, item);
}

async function printStructUses(
  io: Io,
  archive: ModuleArchive,
  module: StoredModule,
  { struct, version, format }: { readonly struct: string; readonly version: bigint; readonly format: UsesFlags["format"] },
): Promise<void> {
  if (format === "dot") throw new ConfigError("a struct has no graph of calls: --format dot is for functions.");
  const { functions, modules, unreadable } = await findStructUses(archive, module, struct, version);
  const missing = unreadable.length === 0 ? "" : `; ${plural(unreadable.length, "module")} cannot be read`;
  io.stderr(
    `movedex: ${plural(functions.length, "function")} of its module ${functions.length === 1 ? "uses" : "use"} it and ${plural(modules.length, "other module")} ` +
      `${modules.length === 1 ? "names" : "name"} it at ledger version ${version}${missing}. \`movedex cookbook who-uses-struct\` has the functions and fields.\n`,
  );
  if (format === "json") {
    await io.stdout(jsonLine(structResult.print({ ledgerVersion: version, struct, functions, modules, unreadable })));
    return;
  }
  const rows = [
    ...functions.map(({ name, how }) => [printable(formatItemId({ module, name }), 1000), printable(how.join(", "), 1000)]),
    ...modules.map((id) => [printable(formatModuleId(id), 1000), "names it"]),
  ];
  await io.stdout(tableText(["user", "how"], rows, dataWidth(io)));
}

async function sentences(archive: ModuleArchive, graph: FoundUses, version: bigint, isModule: boolean): Promise<string[]> {
  const { accounts, gaps } = await archive.coverage(version);
  const callers = graph.functions.filter(({ depth }) => depth > 0);
  const modules = new Set(callers.map(({ module }) => formatModuleId(module))).size;
  const values = new Set(graph.calls.filter(({ use }) => use?.isValue === true).map(({ caller }) => formatItemId(caller))).size;
  const missing = gaps === 0 ? "" : ` and not in ${gaps} that gave no answer`;
  return keepTexts([
    `${plural(callers.length, "function")} of ${plural(modules, "module")} ${callers.length === 1 ? "calls" : "call"} ${isModule ? "into it" : "it"}, directly or through others; ` +
      `looked for in ${plural(accounts, "account")} held at ledger version ${version}${missing}`,
    values > 0 &&
      `${plural(values, "function")} of these ${values === 1 ? "makes" : "make"} function values of it: who is given one calls it unseen`,
    graph.isCut && "there are more: --limit and --depth say how far callers are followed",
    graph.unreadable.length > 0 &&
      `the bytecode of ${plural(graph.unreadable.length, "module")} cannot be read and may call too: ${named(graph)}`,
  ]);
}

function named({ unreadable }: CallGraph): string {
  return unreadable
    .slice(0, 5)
    .map((id) => printable(formatModuleId(id)))
    .join(", ");
}

function print(io: Io, graph: FoundUses, version: bigint, format: UsesFlags["format"]): string {
  if (format === "json") return jsonLine(callsResult.print({ ...graph, ledgerVersion: version }));
  if (format === "dot") return formatDot(graph);
  // What of the graph each function calls on the way to what was asked about.
  const called = Map.groupBy(graph.calls, ({ caller }) => formatItemId(caller));
  const rows = graph.functions
    .filter(({ depth }) => depth > 0)
    .map((caller) => {
      const name = formatItemId(caller);
      const callees = (called.get(name) ?? []).map(callText).join(", ");
      return [caller.depth, printable(name, 1000), printable(callees, 1000)];
    });
  return tableText(["depth", "caller", "calls"], rows, dataWidth(io));
}

/** `0x1::coin::withdraw<0x1::aptos_coin::AptosCoin>`, once for each instantiation, and whether it is made a function value. */
function callText({ callee, use }: FoundUses["calls"][number]): string {
  const name = formatItemId(callee);
  const { isCall = true, isValue = false } = use ?? {};
  const instantiations = [...(use?.instantiations ?? [])];
  const how = isValue ? (isCall ? " (called, and made a function value)" : " (made a function value)") : "";
  return `${instantiations.length === 0 ? name : instantiations.map((types) => `${name}${types}`).join(", ")}${how}`;
}
