import { standing } from "../../../core/db/archive/read/module-archive.ts";
import type { Engine } from "../../../core/db/engine/engine.ts";
import { rowOf, text, versionsOf, whole } from "../../../core/db/engine/row-shape.ts";
import { includesVersion, moduleSpans, sealed } from "../../../core/db/schema/sql/predicates.ts";
import { sql } from "../../../core/db/schema/sql/sql.ts";
import { accountRows } from "../../../core/db/schema/views/modules.ts";
import type { Address } from "../../../core/move/address.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import { keyRotation } from "../../changes/judge/changes.ts";
import { keyRotationRows } from "../../changes/views.ts";

type Dependency = { readonly from: ModuleId; readonly to: ModuleId };

const itsAccount = sql`(SELECT i.id FROM _addresses i WHERE i.address = :address)`;
const snapshots = sql`SELECT p.ledger_version FROM _all_snapshots p JOIN _coverage c ON ${includesVersion("c", "p.ledger_version")}
  WHERE ${sealed("p")} AND c.address_id = ${itsAccount} ORDER BY p.ledger_version`;
const exposed = sql`cf.visibility <> 'private' OR cf.is_entry OR cf.is_view`;
const counted = rowOf({
  module: text("s.name"),
  functions: whole(sql`count(cf.id) FILTER (WHERE ${exposed})`),
  entries: whole("count(cf.id) FILTER (WHERE cf.is_entry)"),
  views: whole("count(cf.id) FILTER (WHERE cf.is_view)"),
  structs: whole("(SELECT count(*) FROM _abi_structs cs WHERE cs.abi_id = b.abi_id)"),
});
const ofModules = sql`ledger_version = :version AND address = :address`;
const counts = sql`SELECT ${counted.columns} FROM ${moduleSpans} s JOIN _bytecodes b ON b.id = s.bytecode_id
  LEFT JOIN _abi_functions cl ON cl.abi_id = b.abi_id LEFT JOIN _functions cf ON cf.id = cl.function_id
  WHERE s.address_id = ${itsAccount} AND ${standing} AND b.abi_id IS NOT NULL GROUP BY s.name, b.abi_id`;
const dependencies = sql<[name: string, other: Address, otherName: string], { address: Address; version: bigint }>`SELECT module,
  other_address, other_module FROM dependencies_at WHERE ${ofModules} ORDER BY module, other_address, other_module`;
// From the few interfaces that refer to the account, which is said so: both engines would rather begin with all accounts.
const dependents = sql<[user: Address, userName: string, name: string, total: number]>`WITH referring AS MATERIALIZED
  (SELECT d.abi_id, m.address_id, m.name FROM _modules m JOIN _abi_dependencies d ON d.module_id = m.id
  WHERE m.address_id = ${itsAccount}) SELECT ua.address, lm.name, r.name, count(*) OVER () FROM referring r
  JOIN _bytecodes b ON b.abi_id = r.abi_id JOIN _listing_modules lm ON lm.bytecode_id = b.id
  JOIN _listing_spans s ON s.listing_id = lm.listing_id AND ${includesVersion("s", ":version")} JOIN _addresses ua ON ua.id = s.address_id
  WHERE s.address_id <> r.address_id AND EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = s.address_id
  AND ${includesVersion("c", ":version")}) ORDER BY length(ua.address), ua.address, lm.name, r.name LIMIT :limit`;
const rotations = sql`SELECT ${keyRotation.columns} FROM (${keyRotationRows((row) => sql`${row}.address_id = ${itsAccount}`)}) rotations
  ORDER BY at_or_before_version DESC`;
const record = rowOf({
  sequenceNumber: text("CAST(sequence_number AS text)"),
  authenticationKey: text("authentication_key"),
});
const recordOf = sql`SELECT ${record.columns} FROM (${accountRows}) AS r WHERE address = :address AND ledger_version = :version`;

/** What the page of an account asks: narrow questions over the public views. */
export function accountQueries(engine: Engine) {
  return {
    /** The sealed snapshots that cover an account, the oldest first. */
    snapshotsOf: (address: Address) => versionsOf(engine, snapshots, { address }),
    /** Counts of an account's modules at a sealed snapshot, by name; what was not decoded is left out. */
    moduleCounts: async (address: Address, version: bigint) =>
      new Map((await counted.all(engine, counts, { address, version })).map(({ module, ...amounts }) => [module, amounts])),
    /** What an account's modules refer to. */
    dependenciesOf: async (address: Address, version: bigint): Promise<readonly Dependency[]> => {
      const rows = await engine.all(dependencies, { address, version });
      return rows.map(([name, other, otherName]) => ({ from: { address, name }, to: { address: other, name: otherName } }));
    },
    /** What modules of other accounts refer to in this account, and how many such uses there are. */
    dependentsOf: async (address: Address, version: bigint, limit: number) => {
      const rows = await engine.all(dependents, { address, version, limit });
      const users = rows.map(([user, userName, name]): Dependency => ({ from: { address: user, name: userName }, to: { address, name } }));
      return { users, total: rows[0]?.[3] ?? 0 };
    },
    rotationsOf: (address: Address) => keyRotation.all(engine, rotations, { address }),
    /** An account's record at a sealed snapshot; undefined where that has none. */
    recordAt: (address: Address, version: bigint) => record.first(engine, recordOf, { address, version }),
  };
}
