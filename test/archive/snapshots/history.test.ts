import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadHistory, type Release, readReleases } from "../../bench/archive/history.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { rowsOf, temporaryStore } from "../../support/store/temporary-store.ts";

type Param = { readonly constraints: readonly string[] };
type Field = { readonly name: string; readonly type: string };
type Func = {
  readonly name: string;
  readonly visibility: string;
  readonly is_entry: boolean;
  readonly is_view: boolean;
  readonly generic_type_params: readonly Param[];
  readonly params: readonly string[];
  readonly return: readonly string[];
};
type Struct = {
  readonly name: string;
  readonly is_native: boolean;
  readonly is_event: boolean;
  readonly is_enum: boolean;
  readonly abilities: readonly string[];
  readonly generic_type_params: readonly Param[];
  readonly fields: readonly Field[];
  readonly variants: readonly { readonly name: string; readonly fields: readonly Field[] }[];
};
type Expected = {
  readonly sha256: string;
  readonly abi: { readonly friends: readonly string[]; readonly exposed_functions: readonly Func[]; readonly structs: readonly Struct[] };
  readonly dependencies: readonly string[];
  readonly private_functions: readonly Func[];
  readonly resource_groups: Readonly<Record<string, readonly (readonly [kind: number, args: readonly string[]])[]>>;
  readonly errors: Readonly<Record<string, readonly [name: string, description: string]>>;
};

const generics = (list: readonly Param[]): string => list.map(({ constraints }) => constraints.join("+")).join(",");

/** What the views have to show of a module, as lines. */
function* expectedLines(module: string, { abi, dependencies, private_functions, resource_groups, errors }: Expected): Generator<string> {
  for (const friend of abi.friends) yield `${module} friend ${friend}`;
  for (const dependency of dependencies) yield `${module} dependency ${dependency}`;
  for (const [code, [name, description]] of Object.entries(errors)) yield `${module} error ${code} ${name} ${description}`;
  for (const [item, list] of Object.entries(resource_groups)) {
    for (const [kind, args] of list) yield `${module} attribute ${item} ${kind} ${JSON.stringify(args)}`;
  }
  for (const item of [...abi.exposed_functions, ...private_functions]) {
    yield `${module} fun ${item.visibility} ${Number(item.is_entry)} ${Number(item.is_view)} ${item.name}`;
    for (const [index, type] of item.params.entries()) yield `${module} param ${item.name} ${index} ${type}`;
    for (const [index, type] of item.return.entries()) yield `${module} return ${item.name} ${index} ${type}`;
    if (item.generic_type_params.length > 0) yield `${module} function generics ${item.name} ${generics(item.generic_type_params)}`;
  }
  for (const item of abi.structs) {
    const flags = `${Number(item.is_native)} ${Number(item.is_event)} ${Number(item.is_enum)}`;
    yield `${module} struct ${flags} ${item.abilities.join("+")} ${item.name}`;
    if (item.generic_type_params.length > 0) yield `${module} struct generics ${item.name} ${generics(item.generic_type_params)}`;
    for (const [index, { name, type }] of item.fields.entries()) yield `${module} field ${item.name} - ${index} ${name} ${type}`;
    for (const variant of item.variants) {
      yield `${module} variant ${item.name} ${variant.name}`;
      for (const [index, { name, type }] of variant.fields.entries())
        yield `${module} field ${item.name} ${variant.name} ${index} ${name} ${type}`;
    }
  }
}

const abilities =
  "concat_ws('+', iif(has_copy, 'copy', NULL), iif(has_drop, 'drop', NULL), iif(has_store, 'store', NULL), iif(has_key, 'key', NULL))";
const lineOf: Readonly<Record<string, string>> = {
  friends_at: "' friend ' || other_address || '::' || other_module",
  dependencies_at: "' dependency ' || other_address || '::' || other_module",
  error_codes_at: "format(' error %s %s %s', code, name, description)",
  "(SELECT * FROM attributes_at WHERE item_kind = 'struct')": "format(' attribute %s %d %s', item, kind, args)",
  functions_at: "format(' fun %s %d %d %s', visibility, is_entry, is_view, name)",
  function_params_at: "format(' param %s %d %s', function, position, type)",
  function_returns_at: "format(' return %s %d %s', function, position, type)",
  structs_at: `format(' struct %d %d %d %s %s', is_native, is_event, is_enum, ${abilities}, name)`,
  fields_at: "format(' field %s %s %d %s %s', struct, coalesce(variant, '-'), position, name, type)",
  variants_at: "format(' variant %s %s', struct, name)",
};

/** The node prints the enum `0x1::option::Option` as the struct it once was; the tables hold what the bytes say. */
const isAsInBytes = (line: string): boolean => !/^0x1::option (field Option|variant Option|struct \d)/.test(line);

/** The same lines out of the views of one snapshot. */
function shownLines(path: string, version: bigint): string[] {
  const selects = Object.entries(lineOf).map(
    ([view, line]) => `SELECT address || '::' || module || ${line} AS line FROM ${view} WHERE ledger_version = ${version}`,
  );
  const params =
    `SELECT format('%s::%s %s generics %s %s', address, module, item_kind, item, group_concat(${abilities}, ',' ORDER BY position)) AS line ` +
    `FROM type_params_at WHERE ledger_version = ${version} GROUP BY address, module, item_kind, item`;
  return [...selects, params].flatMap((sql) => rowsOf(path, sql)).map((row) => (row as { line: string }).line);
}

describe("the views over real releases", () => {
  test.skipIf(frameworkHistory === undefined)(
    frameworkHistory === undefined
      ? "SKIPPED: ../shared/data/framework-history is not there"
      : "show exactly what an independent reader found",
    async () => {
      const folder = frameworkHistory as string;
      const lines = readFileSync(join(folder, "abi.jsonl"), "utf8").trimEnd().split("\n");
      const expected = new Map(lines.map((line) => JSON.parse(line) as Expected).map((row) => [row.sha256, row]));
      const all = readReleases(folder, "aptos-devnet");
      const releases = [0, 40, 90, all.length - 1].map((index) => all[index] as Release);
      await using at = await temporaryStore();
      for (const [index, version] of (await loadHistory(at.store, folder, releases)).entries()) {
        const { modules } = releases[index] as Release;
        const wanted = modules.flatMap(({ address, name, sha256 }) => [
          ...expectedLines(`${address}::${name}`, expected.get(sha256) as Expected),
        ]);
        expect(shownLines(at.path, version).filter(isAsInBytes).sort()).toEqual(wanted.filter(isAsInBytes).sort());
      }
    },
  );
});
