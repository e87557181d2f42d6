import type { ErrorCodeAbi } from "../model.ts";
import { findError } from "./error-lookup.ts";

/** A module's error map over a range of snapshots; `to` is null if it still holds. `errors` is undefined if they are unknown. */
export type ErrorMapSpan = { readonly from: bigint; readonly to: bigint | null; readonly errors: readonly ErrorCodeAbi[] | undefined };

/** The meaning of a code over a range of snapshots: an error, none in the map (null), or unknown (undefined). */
export type Meaning = { readonly from: bigint; readonly to: bigint | null; readonly error: ErrorCodeAbi | null | undefined };

/** The meanings of a code over time, oldest first. Consecutive ranges with the same meaning are merged. */
export function meaningsOf(code: bigint, spans: readonly ErrorMapSpan[]): Meaning[] {
  const meanings: Meaning[] = [];
  for (const { from, to, errors } of spans) {
    const error = errors === undefined ? undefined : (findError(errors, code)?.error ?? null);
    const last = meanings.at(-1);
    if (last !== undefined && isSame(last.error, error)) meanings[meanings.length - 1] = { ...last, to };
    else meanings.push({ from, to, error });
  }
  return meanings;
}

function isSame(a: Meaning["error"], b: Meaning["error"]): boolean {
  if (a === undefined || b === undefined || a === null || b === null) return a === b;
  return a.name === b.name && a.description === b.description;
}
