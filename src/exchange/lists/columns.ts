/** One entry of a list from another program: the cell that is wanted, and where it stands for messages (`line 3`). */
export type ListRow = { readonly place: string; readonly value: unknown; readonly label: unknown };

/** Which columns of a list are wanted, in lower case: the value is in the first one called as one of `usual`, else in the first of all. */
export type ListColumns = { readonly usual: readonly string[]; readonly label: string };

/** Characters of one record: an address with what else the maker of a list knows of it. */
export const LINE_MAX = 1024 * 1024;

/** A list that cannot be read: what is wrong with it, and where. */
export class ListFault extends Error {}

/** Places in a header; `label` is undefined where no column is called so. */
export function findColumns(
  names: readonly string[],
  { usual, label }: ListColumns,
): { readonly value: number; readonly label: number | undefined } {
  const lower = names.map((name) => name.toLowerCase());
  const labelAt = lower.indexOf(label);
  const valueAt = lower.findIndex((name) => usual.includes(name));
  return { value: Math.max(valueAt, 0), label: labelAt < 0 ? undefined : labelAt };
}
