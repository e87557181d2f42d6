import { firstAtLeast } from "../merge/merge-spans.ts";

/** A stored stretch; `value` is the same text exactly when the value is the same. */
export type StoredSpan = { readonly from: bigint; readonly to: bigint | null; readonly value: string };

/**
 * What is wrong with the stretches of one key over an ascending sequence of versions. They are maximal and disjoint, begin
 * and end at members of the sequence, and end in null exactly where they reach its newest member.
 *
 * @param stretches in the order of `from`
 */
export function brokenLaws(sequence: readonly bigint[], stretches: readonly StoredSpan[]): string[] {
  const problems: string[] = [];
  const last = sequence.length - 1;
  let before: { readonly end: number; readonly value: string } | undefined;
  for (const { from, to, value } of stretches) {
    const start = placeOf(sequence, from);
    const end = to === null ? last : placeOf(sequence, to);
    if (start === undefined) problems.push(`begins at ${from}, which is no snapshot of the account`);
    if (end === undefined) problems.push(`from ${from}: ends at ${to}, which is no snapshot of the account`);
    if (start === undefined || end === undefined) continue;
    if (end < start) problems.push(`from ${from}: ends at ${to ?? "the newest"}, before it begins`);
    if (to !== null && end === last)
      problems.push(`from ${from}: ends at ${to}, the newest snapshot of the account, where its end must be open`);
    if (before !== undefined && start <= before.end) problems.push(`from ${from}: overlaps the stretch before it`);
    if (before !== undefined && start === before.end + 1 && value === before.value)
      problems.push(`from ${from}: continues an equal stretch`);
    before = { end, value };
  }
  return problems;
}

function placeOf(sequence: readonly bigint[], version: bigint): number | undefined {
  const at = firstAtLeast(sequence, version);
  return sequence[at] === version ? at : undefined;
}
