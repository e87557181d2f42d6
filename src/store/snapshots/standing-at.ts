import type { HotStatements } from "../connection/hot-statements.ts";
import type { StoredRecord } from "./records.ts";
import { recordAt } from "./snapshot-digest.ts";
import { neighboursCovered, type Place } from "./spans.ts";

/** What stands at an account at one version: its record and, by name, its modules' bytecode rows. */
export type Standing = { readonly record: StoredRecord | undefined; readonly modules: ReadonlyMap<string, bigint> };

/** Where a version falls among all sealed snapshots. */
export function placeAmongSealed(statements: HotStatements, version: bigint): Place {
  return {
    version,
    previous: statements.sealedBefore.get(version) ?? undefined,
    next: statements.sealedAfter.get(version) ?? undefined,
  };
}

/** Where a version falls among the sealed snapshots that cover an account; `sealed` is its place among all. */
export function placeAmongCovering(statements: HotStatements, address: bigint, sealed: Place): Place {
  if (sealed.previous === undefined && sealed.next === undefined) return sealed;
  // All spans in one question: an account has one as a rule, and looking for either neighbour costs as much as reading them.
  const spans = statements.coverageOf.all(address);
  const before = spans.findLast(([from]) => from < sealed.version);
  const after = spans.find(([, to]) => to === null || to > sealed.version);
  return neighboursCovered(sealed, before && { to: before[1] }, after && { from: after[0] });
}

/** What stands at an account at a sealed version that covers it; nothing when there is no such version. */
export function standingAt(statements: HotStatements, address: bigint, version: bigint | undefined): Standing {
  if (version === undefined) return { record: undefined, modules: new Map() };
  return { record: recordAt(statements, address, version), modules: new Map(statements.modulesAt.all(address, version, version)) };
}
