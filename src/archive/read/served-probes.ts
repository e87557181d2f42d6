import type { Engine, Integer } from "../../engine/engine.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { recordIn, type StoredRecord } from "../snapshots/records.ts";

/** A point read of `trace`. */
export type Probe<T> = { readonly version: bigint; readonly value: T };

/** The point reads nearest to a version: at or below it, and above it. */
export type Beside<T> = { readonly before: Probe<T> | undefined; readonly after: Probe<T> | undefined };

/** A point read of one module; without a bytecode where there was no such module. */
export type ModuleProbe = { readonly name: string; readonly version: bigint; readonly bytecode: Integer | undefined };

type ModuleRow = readonly [version: Integer, name: string, bytecode: Integer | null];
type RecordRow = readonly [version: Integer, sequenceNumber: string | null, authenticationKey: Uint8Array | null];

// The nearest on each side, by the key's own order; SQLite takes an ORDER BY within a UNION only in a subquery.
const beside = (
  probes: Sql,
): Sql => sql`SELECT * FROM (${probes} AND p.ledger_version <= :version ORDER BY p.ledger_version DESC LIMIT 1) below
  UNION ALL SELECT * FROM (${probes} AND p.ledger_version > :version ORDER BY p.ledger_version LIMIT 1) above`;
const modules = sql`SELECT p.ledger_version, p.name, p.bytecode_id FROM _module_probes p WHERE p.address_id = :account`;
const modulesBeside = beside(sql`${modules} AND p.name = :name`);
const modulesBetween = sql`${modules} AND p.ledger_version > :after AND p.ledger_version < :before ORDER BY p.ledger_version`;
const recordsBeside = beside(
  sql`SELECT p.ledger_version, p.sequence_number, p.authentication_key FROM _account_probes p WHERE p.address_id = :account`,
);

/** The point reads of `trace`, beside what snapshots observed. */
export function prepareServedProbes(engine: Engine) {
  return {
    moduleProbesBeside: async (account: Integer, version: bigint, name: string): Promise<Beside<Integer | undefined>> =>
      sides(await engine.all<ModuleRow>(modulesBeside, { account, version, name }), version, ([, , bytecode]) => bytecode ?? undefined),
    recordProbesBeside: async (account: Integer, version: bigint): Promise<Beside<StoredRecord | undefined>> =>
      sides(await engine.all<RecordRow>(recordsBeside, { account, version }), version, toRecord),
    /** The point reads of an account's modules between two versions, both excluded, in the order of versions. */
    moduleProbes: async (account: Integer, after: bigint, before: bigint): Promise<readonly ModuleProbe[]> =>
      (await engine.all<ModuleRow>(modulesBetween, { account, after, before })).map(([version, name, bytecode]) => ({
        name,
        version: BigInt(version),
        bytecode: bytecode ?? undefined,
      })),
  };
}

function sides<R extends readonly [version: Integer, ...unknown[]], T>(
  rows: readonly R[],
  version: bigint,
  value: (row: R) => T,
): Beside<T> {
  const probes = rows.map((row) => ({ version: BigInt(row[0]), value: value(row) }));
  return { before: probes.find((probe) => probe.version <= version), after: probes.find((probe) => probe.version > version) };
}

/** A point read takes the two fields of a record in JSON. */
function toRecord([, sequenceNumber, authenticationKey]: RecordRow): StoredRecord | undefined {
  return recordIn([sequenceNumber, authenticationKey, null]);
}
