import type { Database } from "better-sqlite3";
import { type Beside, insertVersion, type Place, type Run } from "./spans.ts";
import type { AccountSpanRow, ModuleSpanRow, RecordRow, SpanRow, Statements } from "./sqlite-statements.ts";

/** Writes to the spans what the algebra says a newly sealed version changes in them. Its calls belong inside the sealing transaction. */
export type Placing = {
  /** The account's record at a version; undefined when there is none. `place` is among the snapshots that cover the account. */
  readonly record: (address: bigint, place: Place, seen: RecordRow | undefined, same: (a: RecordRow, b: RecordRow) => boolean) => void;
  /** The account's full listing at a version, name to bytecode. `place` as above. */
  readonly modules: (address: bigint, place: Place, seen: ReadonlyMap<string, bigint>) => void;
  /** That a version covers the account. `place` is among all sealed snapshots. */
  readonly cover: (address: bigint, place: Place) => void;
  /** That the version covers no account but those visited in its plan: ends or splits the coverage of all others. */
  readonly uncoverOthers: (place: Place) => void;
};

/** Prepares the writing of spans on a connection. */
export function preparePlacing(database: Database, statements: Statements): Placing {
  const others = "address_id NOT IN (SELECT address_id FROM visits WHERE ledger_version = @version AND state = 'visited')";
  const across = `from_version <= @previous AND (to_version IS NULL OR to_version >= @next) AND ${others}`;
  const splitOff = database.prepare(`INSERT INTO coverage SELECT address_id, @next, to_version FROM coverage WHERE ${across}`);
  const cutShort = database.prepare(`UPDATE coverage SET to_version = @previous WHERE ${across}`);
  const end = database.prepare(`UPDATE coverage SET to_version = @previous WHERE to_version IS NULL AND ${others}`);

  return {
    record: (address, place, seen, same) => {
      const at = (version: bigint | undefined) => (version === undefined ? undefined : statements.recordAt.get({ address, version }));
      const beside = { left: recordRun(at(place.previous)), right: recordRun(at(place.next)) };
      for (const edit of insertVersion(place, beside, seen, same)) {
        const { from, to, value } = edit.run;
        if (edit.kind === "insert")
          statements.addRecord.run(address, from, to, value.sequence_number, value.authentication_key, value.resource);
        else if (edit.kind === "set_from") statements.setRecordFrom.run(edit.from, address, from);
        else statements.setRecordTo.run(edit.to, address, from);
      }
    },

    modules: (address, place, seen) => {
      const left = runsByName(statements, address, place.previous);
      const right = place.next === undefined ? new Map<string, Run<bigint>>() : runsByName(statements, address, place.next);
      for (const name of new Set([...left.keys(), ...right.keys(), ...seen.keys()])) {
        const beside: Beside<bigint> = { left: left.get(name), right: right.get(name) };
        for (const edit of insertVersion(place, beside, seen.get(name), Object.is)) {
          const { from, to, value } = edit.run;
          if (edit.kind === "insert") statements.addModule.run(address, name, from, to, value);
          else if (edit.kind === "set_from") statements.setModuleFrom.run(edit.from, address, name, from);
          else statements.setModuleTo.run(edit.to, address, name, from);
        }
      }
    },

    cover: (address, place) => {
      const at = (version: bigint | undefined) => (version === undefined ? undefined : statements.coverageAt.get({ address, version }));
      const beside = { left: coverageRun(at(place.previous)), right: coverageRun(at(place.next)) };
      for (const edit of insertVersion(place, beside, true, Object.is)) {
        const { from, to } = edit.run;
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

function recordRun(row: AccountSpanRow | undefined): Run<RecordRow> | undefined {
  return row === undefined ? undefined : { from: row.from_version, to: row.to_version, value: row };
}

function coverageRun(row: SpanRow | undefined): Run<boolean> | undefined {
  return row === undefined ? undefined : { from: row.from_version, to: row.to_version, value: true };
}

function runsByName(statements: Statements, address: bigint, version: bigint | undefined): Map<string, Run<bigint>> {
  if (version === undefined) return new Map();
  const rows: readonly ModuleSpanRow[] = statements.modulesAt.all({ address, version });
  return new Map(rows.map((row) => [row.name, { from: row.from_version, to: row.to_version, value: row.bytecode_id }]));
}
