import { compareUtf8 } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { StoreError } from "../../engine/errors.ts";
import type { Address } from "../../move/address.ts";
import { ABSENT, type Finding } from "../nodes/sources.ts";
import { type SeenRecord, type StoredRecord, sameInJson, sameRecord } from "../snapshots/records.ts";
import { digestLine, recordLine, SnapshotTally, type SnapshotTotals } from "../snapshots/snapshot-digest.ts";
import { firstAtLeast, layTimeline, mergeSpans, placeOf, type Reconcile, type Span, valueAt, versionsInside } from "./merge-spans.ts";

/** What one observer saw of an account at the versions that it covers, ascending. Modules map names to SHA-256 in hex. */
export type AccountView = {
  readonly covered: readonly bigint[];
  /** Those of them at which the record was read too. */
  readonly recorded: readonly bigint[];
  readonly records: readonly Span<StoredRecord>[];
  readonly modules: ReadonlyMap<string, readonly Span<string>[]>;
};

/** An observer's account before anything is known to be consistent: coverage as spans over the observer's own snapshots. */
export type AccountRows = Omit<AccountView, "covered" | "recorded"> & {
  readonly coverage: readonly Span<true>[];
  readonly recordCoverage: readonly Span<true>[];
};

/** Records a contradiction. */
export type ReportFinding = (finding: Omit<Finding, "origin">) => void;

/** Builds an account's view. @throws StoreError `MOVEDEX_STORE_ARCHIVE` if spans overlap or end outside the covered versions */
export function checkedView(address: Address, sequence: readonly bigint[], rows: AccountRows): AccountView {
  const covered = versionsInside(sequence, rows.coverage);
  const recorded = versionsInside(sequence, rows.recordCoverage);
  const check = (what: string, spans: readonly Span<unknown>[], within: readonly bigint[]): void => {
    let before = -1n;
    for (const { from, to } of spans) {
      const isMember = (version: bigint): boolean => placeOf(within, version) !== undefined;
      if (from <= before || to === null || !isMember(from) || !isMember(to)) throw inconsistent(address, what, from);
      before = to;
    }
  };
  check("coverage", rows.coverage, sequence);
  check("record coverage", rows.recordCoverage, sequence);
  const outside = recorded.find((version) => placeOf(covered, version) === undefined);
  if (outside !== undefined) throw inconsistent(address, "record coverage", outside);
  check("record", rows.records, recorded);
  for (const [name, spans] of rows.modules) check(name, spans, covered);
  return { covered, recorded, records: rows.records, modules: rows.modules };
}

/** One account of several parts of one archive: where two parts hold a version, the later part was written to replace the earlier. */
export function joinParts(parts: readonly AccountView[]): AccountView {
  if (parts.length === 1) return parts[0] as AccountView;
  const latest = (values: readonly (unknown | undefined)[]) => values.at(-1);
  return mergeViews(parts, latest as Reconcile<StoredRecord>, () => latest as Reconcile<string>);
}

/**
 * An account as stored and as a foreign archive saw it, made one. Where both answered for a version and differ, what is
 * stored stays and the difference is reported; a record that one of them read in BCS and the other in JSON is the same record.
 */
export function mergeAccount(address: Address, stored: AccountView, found: AccountView, report: ReportFinding): AccountView {
  const records: Reconcile<StoredRecord> = ([ours, theirs], owners, fromVersion, toVersion) => {
    if (owners.length === 1) return ours;
    if (ours !== undefined && theirs !== undefined && sameInJson(ours, theirs)) {
      if (ours.resource === null) return theirs;
      if (theirs.resource === null) return ours;
    }
    if (ours === undefined || theirs === undefined ? ours !== theirs : !sameRecord(ours, theirs)) {
      report({ kind: "account", subject: address, fromVersion, toVersion, stored: recordText(ours), found: recordText(theirs) });
    }
    return ours;
  };
  const modules =
    (name: string): Reconcile<string> =>
    ([ours, theirs], owners, fromVersion, toVersion) => {
      if (owners.length > 1 && ours !== theirs) {
        report({ kind: "module", subject: `${address}::${name}`, fromVersion, toVersion, stored: ours ?? ABSENT, found: theirs ?? ABSENT });
      }
      return ours;
    };
  return mergeViews([stored, found], records, modules);
}

function mergeViews(
  views: readonly AccountView[],
  records: Reconcile<StoredRecord>,
  modules: (name: string) => Reconcile<string>,
): AccountView {
  const timeline = layTimeline(views.map(({ covered }) => covered));
  const recordTimeline = layTimeline(views.map(({ recorded }) => recorded));
  const observed = views.map((view) => view.records);
  const spansOf = (name: string): Span<string>[] => {
    const ofModule = views.map((view) => view.modules.get(name) ?? []);
    return mergeSpans(timeline, ofModule, modules(name), Object.is);
  };
  const names = new Set(views.flatMap((view) => [...view.modules.keys()]));
  return {
    covered: timeline.versions,
    recorded: recordTimeline.versions,
    records: mergeSpans(recordTimeline, observed, records, sameRecord),
    modules: new Map([...names].map((name) => [name, spansOf(name)])),
  };
}

/** What a snapshot of an archive came to by itself, and how many of its answers nothing stored had. */
export type TalliedSnapshot = SnapshotTotals & { readonly newAnswers: number };

/** Counts an archive's own snapshots while its accounts come by in the order of addresses. */
export class ArchiveTally {
  #accounts = 0;
  readonly #snapshots: ReadonlyMap<bigint, { readonly tally: SnapshotTally; newAnswers: number }>;

  constructor(versions: readonly bigint[]) {
    this.#snapshots = new Map(versions.map((version) => [version, { tally: new SnapshotTally(), newAnswers: 0 }]));
  }

  get accounts(): number {
    return this.#accounts;
  }

  /** `known`: the versions at which the account is covered already. */
  add(address: Address, view: AccountView, known: readonly bigint[]): void {
    this.#accounts += 1;
    for (const { versions, listing } of listings(view)) {
      const lines = listing.map(([name, sha256]) => digestLine(address, name, sha256));
      for (const version of versions) this.#snapshots.get(version)?.tally.addModules(lines);
    }
    const isRecorded = new Set(view.recorded);
    const recordAt = (version: bigint): SeenRecord => (isRecorded.has(version) ? valueAt(view.records, version).value : "unread");
    for (const [record, versions] of Map.groupBy(view.covered, recordAt)) {
      const line = [recordLine(address, record)];
      for (const version of versions) this.#snapshots.get(version)?.tally.addRecords(line, record === "unread" ? 0 : 1);
    }
    const isKnown = new Set(known);
    for (const version of view.covered) {
      const snapshot = this.#snapshots.get(version);
      if (snapshot !== undefined && !isKnown.has(version)) snapshot.newAnswers += 1;
    }
  }

  /** What the snapshots came to. Only once. */
  finish(): ReadonlyMap<bigint, TalliedSnapshot> {
    const totals = [...this.#snapshots].map(([version, { tally, newAnswers }]) => [version, { ...tally.finish(), newAnswers }] as const);
    return new Map(totals);
  }
}

/** The stretches of an account's versions over which its full listing stood still: names, in order, with the SHA-256 of the bytecode. */
export function* listings({ covered, modules }: Pick<AccountView, "covered" | "modules">): Generator<{
  versions: readonly bigint[];
  listing: [string, Uint8Array][];
}> {
  const changes = new Set([0]);
  for (const { from, to } of [...modules.values()].flat()) {
    changes.add(firstAtLeast(covered, from));
    if (to !== null) changes.add(firstAtLeast(covered, to) + 1);
  }
  const places = [...changes].filter((place) => place < covered.length).sort((a, b) => a - b);
  const inOrder = [...modules].sort(([a], [b]) => compareUtf8(a, b));
  for (const [i, place] of places.entries()) {
    const listing = inOrder.flatMap(([name, spans]): [string, Uint8Array][] => {
      const { value } = valueAt(spans, covered[place] as bigint);
      return value === undefined ? [] : [[name, Buffer.from(value, "hex")]];
    });
    yield { versions: covered.slice(place, places[i + 1]), listing };
  }
}

/** A record as a finding has it. */
export function recordText(record: StoredRecord | undefined): string {
  if (record === undefined) return ABSENT;
  const resource = record.resource === null ? "" : ` resource 0x${formatHex(record.resource)}`;
  return `sequence_number ${record.sequenceNumber} authentication_key 0x${formatHex(record.authenticationKey)}${resource}`;
}

function inconsistent(address: Address, what: string, version: bigint): StoreError {
  const text =
    `the archive contradicts itself: its span of \`${what}\` of account ${address} from ledger version ${version} overlaps another ` +
    "or lies outside its snapshots. Nothing was imported.";
  return new StoreError("MOVEDEX_STORE_ARCHIVE", text, { facts: { address, version } });
}
