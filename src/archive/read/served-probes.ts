import type { Engine, Integer } from "../../engine/engine.ts";
import { orUndefined, shapeOf, text, version, whole } from "../../engine/shape.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { recordIn, type StoredRecord } from "../snapshots/records.ts";

/** A point read of `trace`. */
export type Probe<T> = { readonly version: bigint; readonly value: T };

/** The point reads nearest to a version: at or below it, and above it. */
export type Beside<T> = { readonly before: Probe<T> | undefined; readonly after: Probe<T> | undefined };

/** A point read of one module. */
const moduleProbe = shapeOf({
  version: version("p.ledger_version"),
  name: text("p.name"),
  /** Undefined where there was no such module. */
  bytecode: orUndefined(whole("p.bytecode_id")),
});

type RecordRow = readonly [version: Integer, sequenceNumber: string | null, authenticationKey: Uint8Array | null];

// The nearest on each side, by the key's own order; SQLite takes an ORDER BY within a UNION only in a subquery.
const beside = (
  probes: Sql,
): Sql => sql`SELECT * FROM (${probes} AND p.ledger_version <= :version ORDER BY p.ledger_version DESC LIMIT 1) below
  UNION ALL SELECT * FROM (${probes} AND p.ledger_version > :version ORDER BY p.ledger_version LIMIT 1) above`;
const modules = sql`SELECT ${moduleProbe.columns} FROM _module_probes p WHERE p.address_id = :account`;
const modulesBeside = beside(sql`${modules} AND p.name = :name`);
const modulesBetween = sql`${modules} AND p.ledger_version > :after AND p.ledger_version < :before ORDER BY p.ledger_version`;
const recordsBeside = beside(
  sql`SELECT p.ledger_version, p.sequence_number, p.authentication_key FROM _account_probes p WHERE p.address_id = :account`,
);

/** The point reads of `trace`, beside what snapshots observed. */
export function prepareServedProbes(engine: Engine) {
  return {
    moduleProbesBeside: async (account: Integer, version: bigint, name: string): Promise<Beside<Integer | undefined>> => {
      const rows = await moduleProbe.all(engine, modulesBeside, { account, version, name });
      const probes = rows.map(({ version, bytecode }) => ({ version, value: bytecode }));
      return sides(version, probes);
    },
    recordProbesBeside: async (account: Integer, version: bigint): Promise<Beside<StoredRecord | undefined>> => {
      const rows = await engine.all<RecordRow>(recordsBeside, { account, version });
      // A point read takes the two fields of a record in JSON.
      const probes = rows.map(([at, ...fields]) => ({ version: BigInt(at), value: recordIn([...fields, null]) }));
      return sides(version, probes);
    },
    /** The point reads of an account's modules between two versions, both excluded, in the order of versions. */
    moduleProbes: (account: Integer, after: bigint, before: bigint) => moduleProbe.all(engine, modulesBetween, { account, after, before }),
  };
}

function sides<T>(version: bigint, probes: readonly Probe<T>[]): Beside<T> {
  return { before: probes.find((probe) => probe.version <= version), after: probes.find((probe) => probe.version > version) };
}
