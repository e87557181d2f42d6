import type { ErrorCodeAbi } from "../model.ts";
import { findError } from "./error-lookup.ts";

/** A module's error map over a stretch of snapshots; `to` is null while it stands. Undefined errors: nobody can say. */
export type ErrorMapSpan = { readonly from: bigint; readonly to: bigint | null; readonly errors: readonly ErrorCodeAbi[] | undefined };

/** What a code meant over a stretch of snapshots: an error, nothing that the map knows (null), or unknown. */
export type Meaning = { readonly from: bigint; readonly to: bigint | null; readonly error: ErrorCodeAbi | null | undefined };

/** What a code meant over time, oldest first; stretches that follow each other with the same meaning are one. */
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
