/** A column that cannot have its whole width keeps this much. */
const NARROWEST = 8;

/** What stands between two columns of a table. */
export const COLUMN_GAP = "  ";

/**
 * How wide each column may be so that a row fits into `width` characters. Names give way to what stands below them;
 * then the widest columns give first, and what is narrow stays whole. Columns that would be too narrow to tell anything
 * make the row longer than `width` instead.
 *
 * @param natural width of each column with its name
 * @param cells width of its widest cell
 */
export function fitColumns(natural: readonly number[], cells: readonly number[], width: number): number[] {
  const room = width - COLUMN_GAP.length * (natural.length - 1);
  if (sum(natural) <= room) return [...natural];
  const widths = shrink(
    natural.map((one, i) => Math.min(one, Math.max(NARROWEST, cells[i] as number))),
    room,
  );
  let spare = Math.max(0, room - sum(widths));
  return widths.map((one, i) => {
    const more = Math.min(spare, (natural[i] as number) - one);
    spare -= more;
    return one + more;
  });
}

function shrink(wanted: readonly number[], room: number): number[] {
  const widths = [...wanted];
  for (let total = sum(widths); total > room; ) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) return widths;
    const second = Math.max(NARROWEST, ...widths.filter((one) => one < widest));
    const wide = widths.filter((one) => one === widest).length;
    const each = Math.min(widest - second, Math.ceil((total - room) / wide));
    for (const [i, one] of widths.entries()) if (one === widest) widths[i] = one - each;
    total -= each * wide;
  }
  return widths;
}

/** A text in at most that number of characters: an address or a hash loses its middle, other texts their end. */
export function cutText(text: string, width: number): string {
  if (text.length <= width) return text;
  if (/^(?:0x)?[0-9a-f]{16,}$/.test(text) && width >= 12) {
    const tail = Math.floor((width - 3) / 2);
    return `${text.slice(0, width - 1 - tail)}…${text.slice(-tail)}`;
  }
  return `${text.slice(0, width - 1)}…`;
}

function sum(list: readonly number[]): number {
  return list.reduce((total, one) => total + one, 0);
}
