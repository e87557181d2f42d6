import { printable } from "../../base/printable.ts";
import { nearestNames } from "../../base/similar-names.ts";

/** One entry of a list from another program: the cell that is wanted, and where it stands for messages (`line 3`). */
export type ListRow = { readonly place: string; readonly value: unknown; readonly label: unknown };

/** Which columns of a list are wanted. Without a name the value is in the column that is called as one of `usual`, else in the first. */
export type ListColumns = { readonly value?: string; readonly label?: string; readonly usual: readonly string[] };

/** Characters of one record: an address with what else the maker of a list knows of it. */
export const LINE_MAX = 1024 * 1024;

/** A list that cannot be read: what is wrong with it, and where. */
export class ListFault extends Error {}

/** Places in a header; `label` is undefined where none is wanted. @throws ListFault when there is no such column */
export function findColumns(
  names: readonly string[],
  columns: ListColumns,
): { readonly value: number; readonly label: number | undefined } {
  const usual = names.findIndex((name) => columns.usual.includes(name.toLowerCase()));
  return {
    value: columns.value === undefined ? Math.max(usual, 0) : requireColumn(names, columns.value),
    label: columns.label === undefined ? undefined : requireColumn(names, columns.label),
  };
}

function requireColumn(names: readonly string[], wanted: string): number {
  const exact = names.indexOf(wanted);
  const at = exact >= 0 ? exact : names.findIndex((name) => name.toLowerCase() === wanted.toLowerCase());
  if (at >= 0) return at;
  const near = nearestNames(wanted, names);
  const shown = (near.length > 0 ? near : names).slice(0, 20).map((name) => `\`${printable(name, 60)}\``);
  throw new ListFault(
    `it has no column \`${printable(wanted, 60)}\`; ${near.length > 0 ? "the nearest is" : "it has"} ${shown.join(", ")}`,
  );
}
