import type { Database } from "better-sqlite3";
import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import type { ModuleId } from "../../move/types/types.ts";
import type { AbiRows } from "../content/abi-rows.ts";
import type { CallRow } from "../content/call-rows.ts";
import { columnsOf, type ItemKind, type Numbered, type Part, prepareStoredRows, type StoredRows } from "../content/stored-rows.ts";
import type { Damage } from "./check.ts";

/** Compares the stored rows of an ABI, and of calls, with those that ought to be there. */
export type AbiComparison = {
  readonly abi: (id: number, wanted: AbiRows) => Damage[];
  /** `id` is the bytecode whose calls these are said to be; null for none. */
  readonly calls: (id: number | null, wanted: readonly CallRow[]) => Damage[];
};

type Row = readonly (string | number | null)[];

/** Prepares the comparing of ABIs on a connection. */
export function prepareAbiComparison(database: Database): AbiComparison {
  const stored = prepareStoredRows(database);
  const positions = (table: string) => {
    const all = database.prepare<[number], number>(`SELECT position FROM ${table} WHERE abi_id = ? ORDER BY position`).pluck();
    return (id: number): number[] => all.safeIntegers(false).all(id);
  };
  const lists = [
    { table: "abi_friends", of: "friends", positions: positions("abi_friends") },
    { table: "abi_dependencies", of: "dependencies", positions: positions("abi_dependencies") },
  ] as const;

  const compareCalls = (id: number | null, wanted: readonly CallRow[]): Damage[] => {
    const row = `bytecode ${id ?? "none"}`;
    const found = id === null ? { rows: [], parts: [] } : stored.calls(id);
    const problem = problemOfParts(found.parts, wanted.length);
    if (problem !== undefined || found.rows.length !== wanted.length) {
      const counts = `${found.rows.length} rows of calls are stored, and ${wanted.length} follow from the bytes`;
      return [{ table: "call_parts", row, problem: problem ?? counts }];
    }
    const key = (cells: CallRow): string => JSON.stringify(cells);
    const rows = new Set(found.rows.map(key));
    const lost = wanted.find((cells) => !rows.has(key(cells)));
    if (lost === undefined) return [];
    return [{ table: "function_calls", row, problem: `the calls \`${shown(key(lost))}\` follow from the bytes, and are not stored` }];
  };
  const compareAbi: AbiComparison["abi"] = (id, wanted) => {
    const row = `abi ${id}`;
    const self = stored.self(id);
    if (self === undefined) return [{ table: "abis", row, problem: "is missing" }];
    return [
      ...compare(
        "abis",
        row,
        [nameOf(wanted.self), formatHex(wanted.faceDigest), wanted.errors],
        [nameOf(self.id), formatHex(self.faceDigest), self.errors],
      ),
      ...(self.isWhole ? [] : [{ table: "abis", row, problem: "its error map is not where it says" }]),
      ...lists.flatMap(({ table, of, positions: places }) => [
        ...compare(table, row, wanted[of].map(nameOf), stored[of](id).map(nameOf)),
        ...compare(
          table,
          row,
          wanted[of].map((_, place) => place),
          places(id),
        ),
      ]),
      ...compare("struct_uses", row, wanted.uses.map(useName).sort(), stored.uses(id).map(useName).sort()),
      ...compareItems(stored, "functions", id, wanted.functions, stored.functions(id)),
      ...compareItems(stored, "structs", id, wanted.structs, stored.structs(id)),
    ];
  };
  return { abi: compareAbi, calls: compareCalls };
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

function compareItems(stored: StoredRows, kind: ItemKind, id: number, wanted: readonly Row[], found: readonly Numbered<Row>[]): Damage[] {
  const row = `abi ${id}`;
  let next = 0;
  for (const { position, first, last } of stored.parts(kind, id)) {
    if (position !== next || last < first)
      return [{ table: "abi_parts", row, problem: `its ${kind} do not follow one another at ${position}` }];
    next += last - first + 1;
  }
  if (next !== wanted.length || found.length !== wanted.length) {
    const problem = `lists ${next} ${kind}, ${found.length} are stored, and ${wanted.length} follow from the bytes`;
    return [{ table: "abi_parts", row, problem }];
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
