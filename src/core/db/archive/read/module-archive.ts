import { closing } from "../../../base/async.ts";
import { present } from "../../../errors.ts";
import type { Address } from "../../../move/address.ts";
import type { ModuleId } from "../../../move/module-id.ts";
import type { ReadOptions } from "../../engine/database.ts";
import { databaseAt } from "../../engine/database-at.ts";
import type { Engine, Values } from "../../engine/engine.ts";
import { orNull, orUndefined, rowOf, text, textsOf, version, whole } from "../../engine/row-shape.ts";
import { hexOf, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { includesVersion, lastVersion, moduleSpans, sealed } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { readCodes } from "../content/code-blobs.ts";
import { readContents, type StoredContent } from "../content/stored-content.ts";
import { includesCovered } from "../snapshots/covering.ts";

/** A module's bytecode at a snapshot, without since when it stands, which takes longest to find. */
export type StandingCode = ReturnType<typeof standingCode.read>;

/** Columns of a module `s` in the listing of an account `a`, and of its bytecode `b`. */
export const standingId = { address: text<Address>("a.address"), name: text("s.name") };
export const bytecode = { bytecode: version("b.id"), sha256: text(hexOf("b.sha256")) };
export const standingCode = rowOf({ ...standingId, ...bytecode });

/** Whether a listing stands at the snapshot `:version`, and the order in which modules are given. */
export const standing = includesCovered("s", ":version");
export const inOrder = sql`ORDER BY length(a.address), a.address, s.name`;

/** A module as it stood over a stretch of sealed snapshots. */
export type StoredModule = ReturnType<typeof storedModule.read>;

// Listings change wherever any of their modules does: a module stands from after the last that shows it otherwise to before the next.
const otherwise = (side: Sql, order: Sql): Sql => sql`(SELECT d.from_version FROM _listing_spans d
  LEFT JOIN _listing_modules dm ON dm.listing_id = d.listing_id AND dm.name = s.name
  WHERE d.address_id = s.address_id AND d.from_version ${side} s.from_version AND dm.bytecode_id IS DISTINCT FROM s.bytecode_id
  ORDER BY d.from_version ${order} LIMIT 1)`;
const since = sql`(SELECT min(f.from_version) FROM _listing_spans f WHERE f.address_id = s.address_id
  AND f.from_version > coalesce(${otherwise(sql`<`, sql`DESC`)}, -1))`;
const until = sql`(SELECT f.to_version FROM _listing_spans f WHERE f.address_id = s.address_id AND f.from_version >= s.from_version
  AND f.from_version < coalesce(${otherwise(sql`>`, sql`ASC`)}, ${lastVersion}) ORDER BY f.from_version DESC LIMIT 1)`;
/** A module `s` of an account `a`, with its bytecode `b`. */
export const storedModule = rowOf({ ...standingId, from: version(since), to: orNull(version(until)), ...bytecode, size: whole("b.size") });
export const moduleRows = sql`SELECT ${storedModule.columns}
  FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id JOIN _bytecodes b ON b.id = s.bytecode_id`;

const modulesAt = sql`${moduleRows} WHERE ${standing} ${inOrder}`;
const modulesOfAccount = sql`${moduleRows} WHERE a.address = :address AND ${standing} ${inOrder}`;
const moduleNamed = sql`${moduleRows} WHERE a.address = :address AND s.name = :name AND ${standing}`;
const wantedId = { address: text<Address>("w.address"), name: text("w.name") };
const moduleId = rowOf(wantedId);
const wantedCode = rowOf({ ...wantedId, ...bytecode });
// Few accounts, many names: the accounts' listings are found first, and only once each.
const modulesAmong = sql`WITH wanted AS MATERIALIZED (SELECT a.id, a.address, ${jsonItem("j.value", 1)} AS name FROM ${jsonEach(":ids::json", "j")}
    JOIN _addresses a ON a.address = ${jsonItem("j.value", 0)}),
  found AS MATERIALIZED (SELECT s.address_id, s.listing_id FROM _listing_spans s WHERE s.address_id IN (SELECT id FROM wanted) AND ${standing})
  SELECT ${wantedCode.columns} FROM wanted w JOIN found f ON f.address_id = w.id
    JOIN _listing_modules lm ON lm.listing_id = f.listing_id AND lm.name = w.name JOIN _bytecodes b ON b.id = lm.bytecode_id`;
const moduleHistory = sql`${moduleRows} WHERE a.address = :address AND s.name = :name AND s.from_version = ${since} ORDER BY s.from_version`;
const moduleIds = sql`SELECT ${moduleId.columns} FROM (SELECT DISTINCT a.address, s.name FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id) w`;
const idsNamed = sql`${moduleIds} WHERE name = :name ORDER BY length(address), address`;
const allIds = sql`${moduleIds} ORDER BY length(address), address, name`;

/** Modules at sealed snapshots. What is asked at a version that is not sealed has no meaning. */
function moduleQueries(engine: Engine) {
  const modulesOf = (statement: Sql, values: Values) => storedModule.all(engine, statement, values);
  return {
    /** Modules at a snapshot, of one account when it is named; in the order of accounts and names. */
    modulesAt: (version: bigint, address?: Address): Promise<StoredModule[]> =>
      address === undefined ? modulesOf(modulesAt, { version }) : modulesOf(modulesOfAccount, { address, version }),
    findModule: async ({ address, name }: ModuleId, version: bigint): Promise<StoredModule | undefined> =>
      (await modulesOf(moduleNamed, { address, name, version }))[0],
    /** Those of some modules that stand at a snapshot, without since when. */
    standingAmong: (wanted: readonly ModuleId[], version: bigint): Promise<StandingCode[]> =>
      wantedCode.all(engine, modulesAmong, { ids: JSON.stringify(wanted.map(({ address, name }) => [address, name])), version }),
    historyOf: ({ address, name }: ModuleId): Promise<StoredModule[]> => modulesOf(moduleHistory, { address, name }),
    modulesNamed: (name: string): Promise<ModuleId[]> => moduleId.all(engine, idsNamed, { name }),
    /** Every module that any snapshot showed, for telling a slip of the keyboard from what is not held. */
    knownModules: (): Promise<ModuleId[]> => moduleId.all(engine, allIds),
    bytecode: async ({ bytecode }: Pick<StoredModule, "bytecode">): Promise<Uint8Array> =>
      present((await readCodes(engine, [bytecode]))(bytecode), `there is no bytecode ${bytecode}`).code,
    /** The bytes of many bytecodes, read in one statement. */
    bytecodes: async (bytecodes: readonly bigint[]): Promise<(bytecode: bigint) => Uint8Array> => {
      const find = await readCodes(engine, bytecodes);
      return (bytecode) => present(find(bytecode), `there is no bytecode ${bytecode}`).code;
    },
    content: async ({ bytecode }: Pick<StoredModule, "bytecode">): Promise<StoredContent> =>
      (await readContents(engine, [bytecode]))(bytecode),
    /** Reads modules at once, by the numbers of their bytecodes' rows. What it returns decodes one of them. */
    contents: (bytecodes: readonly bigint[]): Promise<(bytecode: bigint) => StoredContent> => readContents(engine, bytecodes),
  };
}

const coveredEnds = rowOf({ oldest: orUndefined(version("min(p.ledger_version)")), newest: orUndefined(version("max(p.ledger_version)")) });
const endsOfAccount = sql`SELECT ${coveredEnds.columns} FROM _coverage c JOIN _all_snapshots p ON ${sealed("p")} AND ${includesVersion("c", "p.ledger_version")}
  WHERE c.address_id = (SELECT id FROM _addresses WHERE address = :address) AND (:below::version IS NULL OR p.ledger_version < :below::version)
  AND (:above::version IS NULL OR p.ledger_version > :above::version)`;
const accountCovered = sql`SELECT 1 FROM _coverage c JOIN _addresses a ON a.id = c.address_id WHERE a.address = :address AND ${includesVersion("c", ":version")}`;
const reasonOfGap = sql`SELECT m.reason FROM _all_gaps m JOIN _addresses a ON a.id = m.address_id WHERE a.address = :address AND m.ledger_version = :version`;
const snapshotCounts = rowOf({ accounts: whole("coalesce(accounts, 0)"), gaps: whole("coalesce(gaps, 0)") });
const countsAt = sql`SELECT ${snapshotCounts.columns} FROM _all_snapshots WHERE ledger_version = :version`;

export function coveringQueries(engine: Engine) {
  const endsOf = (address: Address, below: bigint | null, above: bigint | null) =>
    coveredEnds.first(engine, endsOfAccount, { address, below, above });
  return {
    /** The newest sealed snapshot that covers an account, below a version if one is given; undefined if there is none. */
    newestCovering: async (address: Address, below?: bigint): Promise<bigint | undefined> =>
      (await endsOf(address, below ?? null, null))?.newest,
    /** The oldest one, above a version if one is given. */
    oldestCovering: async (address: Address, above?: bigint): Promise<bigint | undefined> =>
      (await endsOf(address, null, above ?? null))?.oldest,
    covers: async (address: Address, version: bigint): Promise<boolean> =>
      (await engine.first(accountCovered, { address, version })) !== undefined,
    /** Why a snapshot has no answer about an account, where it was asked for one. */
    gapReason: async (address: Address, version: bigint): Promise<string | undefined> =>
      (await textsOf(engine, reasonOfGap, { address, version }))[0],
    /** The number of accounts that a snapshot covers, and of those that it was asked for and has no answer about. */
    coverage: async (version: bigint): Promise<{ readonly accounts: number; readonly gaps: number }> =>
      (await snapshotCounts.first(engine, countsAt, { version })) ?? { accounts: 0, gaps: 0 },
  };
}

/** A database as people ask it about modules. What is asked at a version that is not sealed has no meaning. */
export type ModuleArchive = ReturnType<typeof moduleQueries> &
  ReturnType<typeof coveringQueries> & { readonly path: string; readonly engine: Engine };

/** Opens a database (a file, or the address of a PostgreSQL database) to ask about modules; nothing in it is changed. @throws StoreError */
export async function openModuleArchive(path: string, limits: Omit<ReadOptions, "mode"> = {}) {
  const { engine, close } = await databaseAt(path).open({ mode: "read", ...limits });
  return closing({ ...moduleArchive(engine, path), close });
}

/** The same of a database that is open. `path` is for messages. */
export function moduleArchive(engine: Engine, path: string): ModuleArchive {
  return { path, engine, ...moduleQueries(engine), ...coveringQueries(engine) };
}
