import { memoize } from "../../../base/async.ts";
import { present } from "../../../errors.ts";
import type { Address } from "../../../move/address.ts";
import { compareModuleIds, formatModuleId, isSameModule, type ModuleId } from "../../../move/module-id.ts";
import type { Engine, Values } from "../../engine/engine.ts";
import { countOf, orNull, rowOf, text, version, whole } from "../../engine/row-shape.ts";
import { hexOf, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { includesVersion, lastVersion, moduleSpans, rowless } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { readBytecode } from "../content/read-code.ts";
import { abiOf, readContents, type StoredContent } from "../content/stored-content.ts";
import { includesCovered } from "../snapshots/covering.ts";

/** A module's bytecode at a snapshot, without since when it stands, which takes longest to find. */
export type StandingCode = ReturnType<typeof standingCode.read>;

/** Columns of a module `s` in the listing of an account `a`, and of its bytecode `b`. */
export const standingId = { address: text<Address>("a.address"), name: text("s.name") };
export const bytecode = {
  bytecode: version("b.id"),
  sha256: text(hexOf("b.sha256")),
};
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
const storedModule = rowOf({
  ...standingId,
  from: version(since),
  to: orNull(version(until)),
  ...bytecode,
  size: whole("b.size"),
});
const moduleRows = sql`SELECT ${storedModule.columns}
  FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id JOIN _bytecodes b ON b.id = s.bytecode_id`;

const modulesAt = sql`${moduleRows} WHERE ${standing} ${inOrder}`;
// One list is one row, so that accounts without a change are told by its number.
const isAlike = sql`EXISTS (SELECT 1 FROM _listing_spans o JOIN _coverage k ON k.address_id = o.address_id AND ${includesVersion("k", ":other")}
  WHERE o.address_id = s.address_id AND o.listing_id = s.listing_id AND ${includesVersion("o", ":other")})`;
const modulesUnlike = sql`${moduleRows} WHERE ${standing} AND NOT ${isAlike} ${inOrder}`;
const modulesAlike = sql`SELECT CAST(coalesce(sum(l.modules), 0) AS bigint) FROM _listing_spans s JOIN _listings l ON l.id = s.listing_id WHERE ${standing} AND ${isAlike}`;
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
export function moduleQueries(engine: Engine) {
  const modulesOf = (statement: Sql, values: Values) => storedModule.all(engine, statement, values);
  const standingAmong = (wanted: readonly ModuleId[], version: bigint): Promise<StandingCode[]> =>
    wantedCode.all(engine, modulesAmong, { ids: JSON.stringify(wanted.map(({ address, name }) => [address, name])), version });
  const { referring, waitingFor } = dependentQueries(engine);
  return {
    /** Modules at a snapshot, of one account when it is named; in the order of accounts and names. */
    modulesAt: (version: bigint, address?: Address): Promise<StoredModule[]> =>
      address === undefined ? modulesOf(modulesAt, { version }) : modulesOf(modulesOfAccount, { address, version }),
    /** Modules at a snapshot, of the accounts whose modules another snapshot does not show all alike; in the same order. */
    modulesUnlike: (version: bigint, other: bigint): Promise<StoredModule[]> => modulesOf(modulesUnlike, { version, other }),
    /** How many modules the other accounts have: those that the two snapshots show alike. */
    countAlike: (version: bigint, other: bigint): Promise<number> => countOf(engine, modulesAlike, { version, other }),
    findModule: async ({ address, name }: ModuleId, version: bigint): Promise<StoredModule | undefined> =>
      (await modulesOf(moduleNamed, { address, name, version }))[0],
    standingAmong,
    historyOf: ({ address, name }: ModuleId): Promise<StoredModule[]> => modulesOf(moduleHistory, { address, name }),
    modulesNamed: (name: string): Promise<ModuleId[]> => moduleId.all(engine, idsNamed, { name }),
    /** Every module that any snapshot showed, for telling a slip of the keyboard from what is not held. */
    knownModules: (): Promise<ModuleId[]> => moduleId.all(engine, allIds),
    around: async (module: ModuleId, version: bigint): Promise<StandingCode[]> => [
      ...(await standingAmong([module], version)),
      ...(await referring(module, version)),
    ],
    referring,
    waitingFor,
    bytecode: async ({ bytecode }: Pick<StoredModule, "bytecode">): Promise<Uint8Array> =>
      present(await readBytecode(engine, bytecode), `there is no bytecode ${bytecode}`),
    content: async ({ bytecode }: Pick<StoredModule, "bytecode">): Promise<StoredContent> =>
      (await readContents(engine, [bytecode]))(bytecode),
    /** Reads modules at once, by the numbers of their bytecodes' rows. What it returns decodes one of them. */
    contents: (bytecodes: readonly bigint[]): Promise<(bytecode: bigint) => StoredContent> => readContents(engine, bytecodes),
  };
}

const stored = sql`SELECT ${standingCode.columns}
  FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id JOIN _bytecodes b ON b.id = s.bytecode_id
  JOIN _abi_dependencies d ON d.abi_id = b.abi_id JOIN _modules m ON m.id = d.module_id JOIN _addresses ma ON ma.id = m.address_id
  WHERE ma.address = :address AND m.name = :name AND ${standing} ${inOrder}`;
const countWaiting = sql`SELECT count(*) FROM ${rowless} AS b`;
// Starts from the bytecodes that wait, so that it never reads all modules of a snapshot.
const waiting = sql`WITH waiting AS MATERIALIZED ${rowless}
  SELECT ${standingCode.columns} FROM waiting w JOIN _bytecodes b ON b.id = w.id JOIN ${moduleSpans} s ON s.bytecode_id = b.id
    JOIN _addresses a ON a.id = s.address_id WHERE ${standing} ${inOrder}`;

const READ_AT_ONCE = 100;
/** Snapshots whose waiting modules are kept: a comparison asks two. */
const SNAPSHOTS_KEPT = 2;

type Dependents = ReadonlyMap<string, readonly StandingCode[]>;

/** Finds who refers to modules at a snapshot: by stored rows, and by the bytes themselves where their rows are still to come. */
function dependentQueries(engine: Engine) {
  const waitingAt = memoize(
    SNAPSHOTS_KEPT,
    (version, count) => `${version} ${count}`,
    (version: bigint, _count: number) => readWaiting(engine, version),
  );
  /** Modules of a snapshot, still without rows, that refer to some modules; each once, in the order of accounts and names. */
  const waitingFor = async (modules: readonly ModuleId[], version: bigint): Promise<StandingCode[]> => {
    const count = await countOf(engine, countWaiting);
    if (count === 0) return [];
    const dependents = await waitingAt(version, count);
    return [...new Set(modules.flatMap((module) => dependents.get(formatModuleId(module)) ?? []))].sort(compareModuleIds);
  };
  return {
    waitingFor,
    /** Modules at a snapshot whose bytecode refers to this one; the module itself is not among them. */
    referring: async (module: ModuleId, version: bigint): Promise<StandingCode[]> => {
      const found = await standingCode.all(engine, stored, { address: module.address, name: module.name, version });
      return [...found, ...(await waitingFor([module], version))];
    },
  };
}

/** What `_abi_dependencies` will say of modules whose rows are still to come. Nothing of those that cannot be decoded, as there. */
async function readWaiting(engine: Engine, version: bigint): Promise<Dependents> {
  const dependents = new Map<string, StandingCode[]>();
  const modules = await standingCode.all(engine, waiting, { version });
  for (let from = 0; from < modules.length; from += READ_AT_ONCE) {
    const some = modules.slice(from, from + READ_AT_ONCE);
    const contentOf = await readContents(
      engine,
      some.map(({ bytecode }) => bytecode),
    );
    for (const module of some)
      for (const other of abiOf(contentOf(module.bytecode))?.dependencies ?? []) {
        if (isSameModule(other, module)) continue;
        const known = dependents.get(formatModuleId(other));
        if (known === undefined) dependents.set(formatModuleId(other), [module]);
        else known.push(module);
      }
  }
  return dependents;
}
