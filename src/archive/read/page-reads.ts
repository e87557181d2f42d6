import type { Engine } from "../../engine/engine.ts";
import { orNull, shapeOf, text, version, versionsOf, whole } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import type { ModuleId } from "../../move/module-id.ts";
import { holds } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { type ChangesAmong, judgedChangeRows, keyRotationRows, moduleChangeRows } from "../../schema/views/changes.ts";
import { type KeyRotation, keyRotation, type ModuleChange, moduleChange, type VersionRange } from "./changes.ts";

/** How much a module of an account has at a snapshot. */
export type ModuleCounts = Omit<ReturnType<typeof counted.read>, "module">;

export type Dependency = { readonly from: ModuleId; readonly to: ModuleId };

/** An account's record at a sealed snapshot. */
export type RecordAt = ReturnType<typeof record.read>;

const itsAccount = sql`(SELECT i.id FROM _addresses i WHERE i.address = :address)`;
const counted = shapeOf({
  module: text("module"),
  functions: whole("count(*) FILTER (WHERE visibility <> 'private' OR is_entry OR is_view)"),
  entries: whole("count(*) FILTER (WHERE is_entry)"),
  views: whole("count(*) FILTER (WHERE is_view)"),
  structs: whole("count(*) FILTER (WHERE is_struct)"),
});
const ofModules = sql`ledger_version = :version AND address = :address`;
const counts = sql`SELECT ${counted.columns} FROM (
    SELECT module, visibility, is_entry, is_view, FALSE AS is_struct FROM functions_at WHERE ${ofModules}
    UNION ALL SELECT module, 'private', FALSE, FALSE, TRUE FROM structs_at WHERE ${ofModules}) items GROUP BY module`;
const dependencies = sql`SELECT module, other_address, other_module FROM dependencies_at
  WHERE ${ofModules} ORDER BY module, other_address, other_module`;
// From the few interfaces that refer to the account, which is said so: both engines would rather begin with all accounts.
const dependents = sql`WITH referring AS MATERIALIZED (SELECT d.abi_id, m.address_id, m.name FROM _modules m JOIN _abi_dependencies d ON d.module_id = m.id
    WHERE m.address_id = ${itsAccount})
  SELECT ua.address, lm.name, r.name, count(*) OVER () FROM referring r JOIN _bytecodes b ON b.abi_id = r.abi_id
    JOIN _listing_modules lm ON lm.bytecode_id = b.id JOIN _listing_spans s ON s.listing_id = lm.listing_id AND ${holds("s", ":version")}
    JOIN _addresses ua ON ua.id = s.address_id
  WHERE s.address_id <> r.address_id
    AND EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = s.address_id AND ${holds("c", ":version")})
  ORDER BY length(ua.address), ua.address, lm.name, r.name LIMIT :limit`;
const changesSince = (
  among: ChangesAmong,
): Sql => sql`SELECT ${moduleChange.columns} FROM (${moduleChangeRows({ ...among, after: sql`:since` })}) changes
  WHERE at_or_before_version > :since ORDER BY at_or_before_version DESC, module LIMIT CAST(:limit AS int)`;
const accountChanges = changesSince({ account: itsAccount });
const moduleChanges = changesSince({ account: itsAccount, module: sql`:module` });
const listingsBack = sql`SELECT s.from_version FROM _listing_spans s WHERE s.address_id = ${itsAccount} ORDER BY s.from_version DESC
  LIMIT 1 OFFSET CAST(:back AS int)`;
const rotations = sql`SELECT ${keyRotation.columns} FROM (${keyRotationRows({ account: itsAccount })}) rotations
  ORDER BY at_or_before_version DESC`;
const record = shapeOf({
  version: version("ledger_version"),
  sequenceNumber: text("CAST(sequence_number AS text)"),
  authenticationKey: text("authentication_key"),
});
const records = sql`SELECT ${record.columns} FROM accounts_at
  WHERE address = :address ORDER BY ledger_version DESC LIMIT CAST(:limit AS int)`;

const sizeSpan = shapeOf({
  from: version("s.from_version"),
  to: orNull(version("s.to_version")),
  modules: whole("CAST(sum(l.modules) AS bigint)"),
  functions: whole("CAST(coalesce(sum(z.functions), 0) AS bigint)"),
});
/** How many modules and functions stood from one sealed snapshot to another; `to` is null while it stands. */
export type SizeSpan = ReturnType<typeof sizeSpan.read>;
const sizes = sql`WITH sizes AS (SELECT m.listing_id, count(*) AS functions FROM _listing_modules m JOIN _bytecodes b ON b.id = m.bytecode_id
    JOIN _abi_functions f ON f.abi_id = b.abi_id GROUP BY m.listing_id)
  SELECT ${sizeSpan.columns} FROM _listing_spans s JOIN _listings l ON l.id = s.listing_id LEFT JOIN sizes z ON z.listing_id = s.listing_id
  WHERE s.to_version IS NULL OR s.to_version >= :since GROUP BY s.from_version, s.to_version`;
const night = shapeOf({ version: version("ledger_version"), severity: orNull(text("severity")), changes: whole("count(*)") });
const byNight = sql`SELECT ${night.columns} FROM (${judgedChangeRows({ after: sql`:after`, upTo: sql`:upTo` })}) changes
  WHERE ledger_version > :after AND ledger_version <= :upTo GROUP BY ledger_version, severity`;

/** Listings of an account that are compared first. */
const FIRST_LISTINGS = 4;

/** What the pages ask besides what commands ask: narrow questions over the public views. */
export type PageQueries = ReturnType<typeof pageQueries>;

export function pageQueries(engine: Engine) {
  return {
    /** Counts of an account's modules at a sealed snapshot, by name; what was not decoded is left out. */
    moduleCounts: async (address: Address, version: bigint): Promise<ReadonlyMap<string, ModuleCounts>> => {
      const rows = await counted.all(engine, counts, { address, version });
      return new Map(rows.map(({ module, ...amounts }) => [module, amounts]));
    },
    /** What an account's modules refer to. */
    dependenciesOf: async (address: Address, version: bigint): Promise<readonly Dependency[]> => {
      const rows = await engine.all<[name: string, other: Address, otherName: string]>(dependencies, { address, version });
      return rows.map(([name, other, otherName]) => ({ from: { address, name }, to: { address: other, name: otherName } }));
    },
    /** What modules of other accounts refer to in this account. */
    dependentsOf: async (
      address: Address,
      version: bigint,
      limit: number,
    ): Promise<{ readonly users: readonly Dependency[]; readonly total: number }> => {
      const rows = await engine.all<[user: Address, userName: string, name: string, total: number]>(dependents, {
        address,
        version,
        limit,
      });
      const users = rows.map(([user, userName, name]) => ({ from: { address: user, name: userName }, to: { address, name } }));
      return { users, total: rows[0]?.[3] ?? 0 };
    },
    /** Changes of an account's modules, or of one of them, the newest first, at most `limit`. */
    changesOf: async (
      { address, module }: { readonly address: Address; readonly module?: string },
      limit: number,
    ): Promise<readonly ModuleChange[]> => {
      // Each listing that is compared with the one before costs all of its modules: those of an account are taken from the newest on,
      // a few at first, until there are enough changes. One module's are few, whatever the account has.
      for (let back = module === undefined ? FIRST_LISTINGS : Number.POSITIVE_INFINITY; ; back *= 4) {
        const [since] = Number.isFinite(back) ? await versionsOf(engine, listingsBack, { address, back }) : [];
        const values = { address, limit, since: since ?? -1n, module: module ?? null };
        const found = await moduleChange.all(engine, module === undefined ? accountChanges : moduleChanges, values);
        if (found.length >= limit || since === undefined) return found;
      }
    },
    /** An account's new keys, the newest first. */
    rotationsOf: (address: Address): Promise<readonly KeyRotation[]> => keyRotation.all(engine, rotations, { address }),
    /** An account's records, newest first, at most `limit`. */
    recordsOf: (address: Address, limit: number): Promise<readonly RecordAt[]> => record.all(engine, records, { address, limit }),
    /** The modules and functions that stood at or after a version, by the stretch over which they did. */
    sizesSince: (since: bigint): Promise<readonly SizeSpan[]> => sizeSpan.all(engine, sizes, { since }),
    /** How many changes of each severity (null: not judged yet) each snapshot of a stretch showed. */
    changesByNight: ({ after, upTo }: VersionRange) => night.all(engine, byNight, { after, upTo }),
  };
}
