import type { HotStatements } from "../connection/hot-statements.ts";
import { neighboursCovered, type Place, type Span } from "./spans.ts";

/** An account record as it is stored. */
export type StoredRecord = {
  readonly sequenceNumber: string;
  readonly authenticationKey: Uint8Array;
  readonly resource: Uint8Array | null;
};

/** What a visit saw, or a snapshot holds, of an account: its record and, by name, its modules' bytecode rows. */
export type Content = { readonly record: StoredRecord | undefined; readonly modules: ReadonlyMap<string, bigint> };

/** The spans that stand at an account at one version. */
export type Standing = { readonly record: Span<StoredRecord> | undefined; readonly modules: ReadonlyMap<string, Span<bigint>> };

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
  const modules = new Map<string, Span<bigint>>();
  if (version === undefined) return { record: undefined, modules };
  for (const [from, to, name, value] of statements.modulesAt.all(address, version, version)) modules.set(name, { from, to, value });
  const row = statements.recordAt.get(address, version, version);
  if (row === undefined) return { record: undefined, modules };
  const [from, to, sequenceNumber, authenticationKey, resource] = row;
  return { record: { from, to, value: { sequenceNumber, authenticationKey, resource } }, modules };
}

/** The content of what stands. */
export function contentOf({ record, modules }: Standing): Content {
  return { record: record?.value, modules: new Map([...modules].map(([name, span]) => [name, span.value])) };
}

/** Whether what stands is the same in every byte as a content. */
export function standsAs({ record, modules }: Standing, content: Content): boolean {
  if (modules.size !== content.modules.size) return false;
  for (const [name, id] of content.modules) if (modules.get(name)?.value !== id) return false;
  return record === undefined || content.record === undefined ? record === content.record : sameRecord(record.value, content.record);
}

/**
 * Whether a sealed version covers an account and shows there what a content is: two short questions. Names are compared in
 * the order in which JavaScript sorts them and the database is thought to find them; where that is another, false says nothing.
 */
export function coversAs(statements: HotStatements, address: bigint, version: bigint, { record, modules }: Content): boolean {
  const [isCovered, listing] = statements.listingAt.get(address, version, version, address, version, version) ?? [0n, null];
  if (isCovered === 0n) return false;
  const names = [...modules.keys()].sort();
  if ((listing ?? "") !== names.map((name) => `${name}\n${modules.get(name)}`).join("\n")) return false;
  const row = statements.recordAt.get(address, version, version);
  if (row === undefined || record === undefined) return row === undefined && record === undefined;
  const [, , sequenceNumber, authenticationKey, resource] = row;
  return sameRecord({ sequenceNumber, authenticationKey, resource }, record);
}

/** Whether two account records are the same. */
export function sameRecord(a: StoredRecord, b: StoredRecord): boolean {
  return a.sequenceNumber === b.sequenceNumber && sameBytes(a.authenticationKey, b.authenticationKey) && sameBytes(a.resource, b.resource);
}

function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}

/** How many modules were added, removed or given other bytecode between what stands and a listing. */
export function countChanges({ modules }: Standing, after: ReadonlyMap<string, bigint>): number {
  let changes = 0;
  for (const [name, id] of after) if (modules.get(name)?.value !== id) changes += 1;
  for (const name of modules.keys()) if (!after.has(name)) changes += 1;
  return changes;
}
