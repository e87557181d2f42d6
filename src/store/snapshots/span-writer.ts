import type { Database } from "better-sqlite3";
import type { HotStatements } from "../connection/hot-statements.ts";
import { insertVersion, type Place } from "./spans.ts";
import { type Content, type Standing, sameRecord } from "./standing-at.ts";

/** What stands at the two neighbours of a version among the snapshots that cover an account. */
type Neighbours = { readonly left: Standing; readonly right: Standing };

/** Writes to the spans what the algebra says a newly sealed version changes in them. Its calls belong inside the sealing transaction. */
export type SpanWriter = {
  /** What was seen of an account at a version; `place` is among the snapshots that cover the account. */
  readonly content: (address: bigint, place: Place, neighbours: Neighbours, seen: Content) => void;
  /** That a version covers the account; `place` is among all sealed snapshots. */
  readonly cover: (address: bigint, place: Place) => void;
  /** That the version covers no account but those visited in its plan: ends or splits the coverage of all others. */
  readonly uncoverOthers: (place: Place) => void;
};

/** Prepares the writing of spans on a connection. */
export function prepareSpanWriter(database: Database, statements: HotStatements): SpanWriter {
  const others = "address_id NOT IN (SELECT address_id FROM visits WHERE ledger_version = @version AND state = 'visited')";
  const across = `from_version <= @previous AND (to_version IS NULL OR to_version >= @next) AND ${others}`;
  const splitOff = database.prepare(`INSERT INTO coverage SELECT address_id, @next, to_version FROM coverage WHERE ${across}`);
  const cutShort = database.prepare(`UPDATE coverage SET to_version = @previous WHERE ${across}`);
  const end = database.prepare(`UPDATE coverage SET to_version = @previous WHERE to_version IS NULL AND ${others}`);
  const dropCoverage = database.prepare("DELETE FROM coverage WHERE address_id = ? AND from_version = ?");

  const placeRecord = (address: bigint, place: Place, { left, right }: Neighbours, { record }: Content): void => {
    for (const edit of insertVersion(place, { left: left.record, right: right.record }, record, sameRecord)) {
      const { from, to, value } = edit.span;
      if (edit.kind === "insert")
        statements.addRecord.run(address, from, to, value.sequenceNumber, value.authenticationKey, value.resource);
      else if (edit.kind === "set_from") statements.setRecordFrom.run(edit.from, address, from);
      else statements.setRecordTo.run(edit.to, address, from);
    }
  };
  const placeModule = (address: bigint, place: Place, { left, right }: Neighbours, name: string, seen: bigint | undefined): void => {
    for (const edit of insertVersion(place, { left: left.modules.get(name), right: right.modules.get(name) }, seen, Object.is)) {
      const { from, to, value } = edit.span;
      if (edit.kind === "insert") statements.addModule.run(address, name, from, to, value);
      else if (edit.kind === "set_from") statements.setModuleFrom.run(edit.from, address, name, from);
      else statements.setModuleTo.run(edit.to, address, name, from);
    }
  };
  const coverageAt = (address: bigint, version: bigint | undefined) => {
    const row = version === undefined ? undefined : statements.coverageAt.get(address, version, version);
    return row === undefined ? undefined : { from: row[0], to: row[1], value: true };
  };

  return {
    content: (address, place, neighbours, seen) => {
      placeRecord(address, place, neighbours, seen);
      const names = new Set([...neighbours.left.modules.keys(), ...neighbours.right.modules.keys(), ...seen.modules.keys()]);
      for (const name of names) placeModule(address, place, neighbours, name, seen.modules.get(name));
    },

    cover: (address, place) => {
      const beside = { left: coverageAt(address, place.previous), right: coverageAt(address, place.next) };
      const { left, right } = beside;
      // Two stretches meet only at a snapshot that was sealed without the account and covers it now.
      if (left !== undefined && right !== undefined && left.from !== right.from) {
        dropCoverage.run(address, right.from);
        statements.setCoverageTo.run(right.to, address, left.from);
        return;
      }
      for (const edit of insertVersion(place, beside, true, Object.is)) {
        const { from, to } = edit.span;
        if (edit.kind === "insert") statements.addCoverage.run(address, from, to);
        else if (edit.kind === "set_from") statements.setCoverageFrom.run(edit.from, address, from);
        else statements.setCoverageTo.run(edit.to, address, from);
      }
    },

    uncoverOthers: ({ version, previous, next }) => {
      if (previous === undefined) return;
      if (next === undefined) {
        end.run({ version, previous });
        return;
      }
      // The part after the version first: cutting the part before it takes away what the first one goes by.
      splitOff.run({ version, previous, next });
      cutShort.run({ version, previous, next });
    },
  };
}
