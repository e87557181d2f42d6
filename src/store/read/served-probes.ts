import type { Database } from "better-sqlite3";
import type { Synchronous } from "../connection/asynchronous.ts";
import type { RowId, ServedRecord } from "./served-rows.ts";

/** A point read of `trace`. */
export type Probe<T> = { readonly version: bigint; readonly value: T };

/** The point reads nearest to a version: at or below it, and above it. */
export type Beside<T> = { readonly before: Probe<T> | undefined; readonly after: Probe<T> | undefined };

/** A point read of one module; without a bytecode where there was no such module. */
export type ModuleProbe = { readonly name: string; readonly version: bigint; readonly bytecode: RowId | undefined };

/** The point reads of `trace`, beside what snapshots observed. */
export type ServedProbes = {
  readonly moduleProbesBeside: (account: RowId, version: bigint, name: string) => Promise<Beside<RowId | undefined>>;
  readonly recordProbesBeside: (account: RowId, version: bigint) => Promise<Beside<ServedRecord | undefined>>;
  /** The point reads of an account's modules between two versions, both excluded, in the order of versions. */
  readonly moduleProbes: (account: RowId, after: bigint, before: bigint) => Promise<readonly ModuleProbe[]>;
};

type ModuleProbeRow = { readonly name: string; readonly version: bigint; readonly bytecode: bigint | null };
type RecordProbeRow = {
  readonly version: bigint;
  readonly sequence_number: string | null;
  readonly authentication_key: Uint8Array | null;
};

/** Prepares the reading of point reads. */
export function prepareServedProbes(database: Database): Synchronous<ServedProbes> {
  const moduleProbe = (comparison: "<=" | ">", order: "ASC" | "DESC") =>
    database.prepare<[{ account: bigint; version: bigint; name: string }], ModuleProbeRow>(
      "SELECT name, ledger_version AS version, bytecode_id AS bytecode FROM module_probes " +
        `WHERE address_id = @account AND name = @name AND ledger_version ${comparison} @version ORDER BY ledger_version ${order} LIMIT 1`,
    );
  const moduleProbeBelow = moduleProbe("<=", "DESC");
  const moduleProbeAbove = moduleProbe(">", "ASC");
  const moduleProbes = database.prepare<[{ account: bigint; after: bigint; before: bigint }], ModuleProbeRow>(
    "SELECT name, ledger_version AS version, bytecode_id AS bytecode FROM module_probes " +
      "WHERE address_id = @account AND ledger_version > @after AND ledger_version < @before ORDER BY ledger_version",
  );
  const recordProbe = (comparison: "<=" | ">", order: "ASC" | "DESC") =>
    database.prepare<[{ account: bigint; version: bigint }], RecordProbeRow>(
      "SELECT ledger_version AS version, sequence_number, authentication_key FROM account_probes " +
        `WHERE address_id = @account AND ledger_version ${comparison} @version ORDER BY ledger_version ${order} LIMIT 1`,
    );
  const recordProbeBelow = recordProbe("<=", "DESC");
  const recordProbeAbove = recordProbe(">", "ASC");
  return {
    moduleProbesBeside: (account, version, name) => ({
      before: toModuleProbe(moduleProbeBelow.get({ account, version, name })),
      after: toModuleProbe(moduleProbeAbove.get({ account, version, name })),
    }),
    recordProbesBeside: (account, version) => ({
      before: toRecordProbe(recordProbeBelow.get({ account, version })),
      after: toRecordProbe(recordProbeAbove.get({ account, version })),
    }),
    moduleProbes: (account, after, before) =>
      moduleProbes.all({ account, after, before }).map((row) => ({ ...row, bytecode: row.bytecode ?? undefined })),
  };
}

function toModuleProbe(row: ModuleProbeRow | undefined): Probe<RowId | undefined> | undefined {
  return row === undefined ? undefined : { version: row.version, value: row.bytecode ?? undefined };
}

/** A point read takes the two fields of a record in JSON. */
function toRecordProbe(row: RecordProbeRow | undefined): Probe<ServedRecord | undefined> | undefined {
  if (row === undefined) return undefined;
  const { version, sequence_number: sequenceNumber, authentication_key: authenticationKey } = row;
  const isAbsent = sequenceNumber === null || authenticationKey === null;
  return { version, value: isAbsent ? undefined : { sequenceNumber, authenticationKey, resource: null } };
}
