import type { Database } from "better-sqlite3";
import type { ModuleAbi } from "../../abi/model.ts";
import { printable } from "../../base/printable.ts";
import { type ExpectedItem, expectedAbi, type RowsByTable } from "./abi-expected.ts";
import { prepareStoredAbis } from "./abi-stored.ts";
import type { Damage } from "./check.ts";

/** Compares the rows of an ABI with the ABI that they ought to be. */
export type AbiComparison = (id: bigint, abi: ModuleAbi, decoder: string) => Damage[];

/** How many functions and structs are remembered as compared already: most are shared by many ABIs. */
const REMEMBERED_MAX = 200_000;

/** Prepares the comparing of ABIs on a connection. */
export function prepareAbiComparison(database: Database): AbiComparison {
  const stored = prepareStoredAbis(database);
  const good = { functions: new Map<bigint, string>(), structs: new Map<bigint, string>() };

  const compareItems = (kind: "functions" | "structs", abiId: bigint, items: readonly ExpectedItem[]): Damage[] => {
    const links = stored.links(kind, abiId);
    const table = `abi_${kind}`;
    if (links.length !== items.length) {
      return [{ table, row: `abi ${abiId}`, problem: `lists ${links.length} ${kind}, and the module has ${items.length}` }];
    }
    return items.flatMap((item, i) => {
      const { position, id } = links[i] as (typeof links)[number];
      if (position !== `${i}`)
        return [{ table, row: `abi ${abiId}, position ${position}`, problem: `stands where position ${i} is wanted` }];
      if (good[kind].get(id) === item.digest) return [];
      const damage = differences(item.rows, stored.item(kind, id), `${id} (${printable(item.name, 80)})`);
      if (damage.length === 0) {
        if (good[kind].size >= REMEMBERED_MAX) good[kind].clear();
        good[kind].set(id, item.digest);
      }
      return damage;
    });
  };

  return (id, abi, decoder) => {
    const expected = expectedAbi(abi, decoder);
    return [
      ...differences(expected.rows, stored.abi(id), `abi ${id}`),
      ...compareItems("functions", id, expected.functions),
      ...compareItems("structs", id, expected.structs),
    ];
  };
}

function differences(expected: RowsByTable, stored: RowsByTable, row: string): Damage[] {
  return [...expected].flatMap(([table, wanted]) => {
    const found = stored.get(table) ?? [];
    if (wanted.length !== found.length)
      return [{ table, row, problem: `${found.length} rows are stored, and ${wanted.length} follow from the bytes` }];
    return wanted.flatMap((cells, i) => {
      const at = cells.findIndex((cell, column) => cell !== found[i]?.[column]);
      return at < 0
        ? []
        : [{ table, row, problem: `\`${shown(found[i]?.[at])}\` is stored where \`${shown(cells[at])}\` follows from the bytes` }];
    });
  });
}

function shown(cell: string | undefined): string {
  return printable(cell ?? "nothing", 120);
}
