import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import type { ModuleId } from "../../move/types/types.ts";
import type { AbiRows } from "../content/abi-rows.ts";
import type { CallRow } from "../content/call-rows.ts";
import { columnsOf, type ItemKind, type Numbered, type Part, type StoredAbi, type StoredCalls } from "../content/stored-rows.ts";
import type { Integer } from "../engine/engine.ts";
import type { Damage } from "./check.ts";

type Row = readonly (string | number | null)[];

/** What is wrong with the calls that are stored as those of a bytecode; `id` is null for none. */
export function callDamage(id: Integer | null, found: StoredCalls | undefined, wanted: readonly CallRow[]): Damage[] {
  const row = `bytecode ${id ?? "none"}`;
  const { rows, parts } = found ?? { rows: [], parts: [] };
  const problem = problemOfParts(parts, wanted.length);
  if (problem !== undefined || rows.length !== wanted.length) {
    const counts = `${rows.length} rows of calls are stored, and ${wanted.length} follow from the bytes`;
    return [{ table: "_call_parts", row, problem: problem ?? counts }];
  }
  const key = (cells: CallRow): string => JSON.stringify(cells);
  const stored = new Set(rows.map(key));
  const lost = wanted.find((cells) => !stored.has(key(cells)));
  if (lost === undefined) return [];
  return [{ table: "_function_calls", row, problem: `the calls \`${shown(key(lost))}\` follow from the bytes, and are not stored` }];
}

/** What is wrong with the stored rows of an ABI. */
export function abiDamage(id: Integer, stored: StoredAbi | undefined, wanted: AbiRows): Damage[] {
  const row = `abi ${id}`;
  if (stored === undefined) return [{ table: "_abis", row, problem: "is missing" }];
  const lists = [
    ["_abi_friends", wanted.friends, stored.friends],
    ["_abi_dependencies", wanted.dependencies, stored.dependencies],
  ] as const;
  return [
    ...compare(
      "abis",
      row,
      [nameOf(wanted.self), formatHex(wanted.faceDigest), wanted.errors],
      [nameOf(stored.id), formatHex(stored.faceDigest), stored.errors],
    ),
    ...(stored.isWhole ? [] : [{ table: "_abis", row, problem: "its error map is not where it says" }]),
    ...lists.flatMap(([table, modules, found]) => [
      ...compare(
        table,
        row,
        modules.map(nameOf),
        found.map((other) => nameOf(other.id)),
      ),
      ...compare(
        table,
        row,
        modules.map((_, place) => place),
        found.map(({ position }) => position),
      ),
    ]),
    ...compare("_struct_uses", row, wanted.uses.map(useName).sort(), stored.uses.map(useName).sort()),
    ...compareItems(stored, "functions", id, wanted.functions, stored.functions),
    ...compareItems(stored, "structs", id, wanted.structs, stored.structs),
  ];
}

/** What is wrong with the stretches of a list with this number of rows; undefined if nothing is. */
function problemOfParts(parts: readonly Part[], length: number): string | undefined {
  let next = 0;
  for (const { position, first, last } of parts) {
    if (position !== next || last < first) return `its calls do not follow one another at ${position}`;
    next += last - first + 1;
  }
  return next === length ? undefined : `lists ${next} rows of calls, and ${length} follow from the bytes`;
}

function compareItems(stored: StoredAbi, kind: ItemKind, id: Integer, wanted: readonly Row[], found: readonly Numbered<Row>[]): Damage[] {
  const row = `abi ${id}`;
  let next = 0;
  for (const { position, first, last } of stored.parts[kind]) {
    if (position !== next || last < first)
      return [{ table: "_abi_parts", row, problem: `its ${kind} do not follow one another at ${position}` }];
    next += last - first + 1;
  }
  if (next !== wanted.length || found.length !== wanted.length) {
    const problem = `lists ${next} ${kind}, ${found.length} are stored, and ${wanted.length} follow from the bytes`;
    return [{ table: "_abi_parts", row, problem }];
  }
  const columns = columnsOf(kind).slice(1);
  return wanted.flatMap((cells, place) => {
    const item = found[place] as Numbered<Row>;
    return compare(kind, `${item.id} (${printable(String(cells[0]), 80)})`, cells, item.row, columns);
  });
}

function compare(table: string, row: string, wanted: Row, found: Row, columns: readonly string[] = []): Damage[] {
  if (wanted.length !== found.length) {
    return [{ table, row, problem: `${found.length} rows are stored, and ${wanted.length} follow from the bytes` }];
  }
  const at = wanted.findIndex((cell, i) => cell !== found[i]);
  if (at < 0) return [];
  const column = columns[at] === undefined ? "" : `${columns[at]}: `;
  return [{ table, row, problem: `${column}\`${shown(found[at])}\` is stored where \`${shown(wanted[at])}\` follows from the bytes` }];
}

function shown(cell: string | number | null | undefined): string {
  return printable(String(cell ?? "nothing"), 120);
}

function nameOf({ address, name }: ModuleId): string {
  return `${address}::${name}`;
}

function useName({ module, struct }: { readonly module: ModuleId; readonly struct: string }): string {
  return `${nameOf(module)}::${struct}`;
}
