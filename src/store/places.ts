import { neighboursCovered, type Place } from "./spans.ts";
import type { RecordRow, Statements } from "./sqlite-statements.ts";

/** Where a version falls among all sealed snapshots. */
export function placeAmongSealed(statements: Statements, version: bigint): Place {
  return {
    version,
    previous: statements.sealedBefore.get(version) ?? undefined,
    next: statements.sealedAfter.get(version) ?? undefined,
  };
}

/** Where a version falls among the sealed snapshots that cover an account. */
export function placeAmongCovering(statements: Statements, address: bigint, place: Place): Place {
  const at = { address, version: place.version };
  const before = statements.coverageBefore.get(at);
  const after = statements.coverageAfter.get(at);
  return neighboursCovered(
    place,
    before === undefined ? undefined : { to: before.to_version },
    after === undefined ? undefined : { from: after.from_version },
  );
}

/** What stood at an account: its record and, by name, its modules' bytecode rows. */
export type Content = { readonly record: RecordRow | undefined; readonly modules: ReadonlyMap<string, bigint> };

/** What stood at an account at a sealed version that covers it. */
export function contentAt(statements: Statements, address: bigint, version: bigint): Content {
  const at = { address, version };
  return {
    record: statements.recordAt.get(at),
    modules: new Map(statements.modulesAt.all(at).map((row) => [row.name, row.bytecode_id])),
  };
}

/** Whether two contents are the same in every byte. */
export function sameContent(a: Content, b: Content): boolean {
  return (
    sameRecord(a.record, b.record) && a.modules.size === b.modules.size && [...a.modules].every(([name, id]) => b.modules.get(name) === id)
  );
}

/** Whether two account records are the same, absence included. */
export function sameRecord(a: RecordRow | undefined, b: RecordRow | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.sequence_number === b.sequence_number && sameBytes(a.authentication_key, b.authentication_key) && sameBytes(a.resource, b.resource)
  );
}

function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}

/** How many modules were added, removed or given other bytecode between two listings. */
export function countChanges(before: ReadonlyMap<string, bigint>, after: ReadonlyMap<string, bigint>): number {
  let changes = 0;
  for (const [name, id] of after) if (before.get(name) !== id) changes += 1;
  for (const name of before.keys()) if (!after.has(name)) changes += 1;
  return changes;
}
