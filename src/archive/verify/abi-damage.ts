import { printable } from "../../base/printable.ts";
import type { Damage } from "../../engine/check.ts";
import type { Integer } from "../../engine/engine.ts";
import type { DerivedRows } from "./derived-rows.ts";

/** How many wrong rows of one table are told for one ABI. */
const SHOWN_MAX = 3;

/** What is wrong with the stored rows of an ABI: rows that do not follow from the bytes, and rows that are not there. */
export function abiDamage(id: Integer, tables: readonly DerivedRows[]): Damage[] {
  const row = `abi ${id}`;
  return tables.flatMap(({ table, stored, wanted }): Damage[] => {
    if (table === "_abis" && stored.length === 0) return [{ table, row, problem: "is missing" }];
    const [extra, lost] = [without(stored, wanted), without(wanted, stored)];
    return [
      ...extra
        .slice(0, SHOWN_MAX)
        .map((text) => ({ table, row, problem: `\`${shown(text)}\` is stored, and does not follow from the bytes` })),
      ...lost.slice(0, SHOWN_MAX).map((text) => ({ table, row, problem: `\`${shown(text)}\` follows from the bytes, and is not stored` })),
    ];
  });
}

/** The texts of a list that are not in another, each as often as it is missing there. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of other) counts.set(text, (counts.get(text) ?? 0) + 1);
  return list.filter((text) => {
    const left = counts.get(text) ?? 0;
    counts.set(text, left - 1);
    return left <= 0;
  });
}

function shown(text: string): string {
  return printable(text, 200);
}
