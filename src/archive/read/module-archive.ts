import { closing } from "../../base/closing.ts";
import { present } from "../../base/invariant.ts";
import type { ReadOptions } from "../../engine/database.ts";
import { databaseAt } from "../../engine/database-at.ts";
import type { Engine, Values } from "../../engine/engine.ts";
import { condition, countOf, orNull, orUndefined, shapeOf, text, textsOf, version, whole } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { formatModuleId, type ItemId, type ModuleId } from "../../move/module-id.ts";
import { bytesOf, each, hexOf, item } from "../../schema/sql/functions.ts";
import { holds, lastVersion, moduleSpans, sealed } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { readChain } from "../chain.ts";
import { readCode } from "../content/read-code.ts";
import { readContents, type StoredContent } from "../content/stored-content.ts";
import { readSealedVersions } from "../snapshots/pins.ts";
import { type MadeAt, timesOf } from "../times/ledger-times.ts";
import { dependentQueries } from "./dependents.ts";
import { bytecode, inOrder, type StandingCode, standing, standingCode, standingId } from "./standing-code.ts";

/** A module as it stood over a stretch of sealed snapshots. */
export type StoredModule = ReturnType<typeof module.read>;

/** Bytecode by the name that it has in itself, whether or not a snapshot shows it. */
export type HeldBytecode = ReturnType<typeof heldBytecode.read>;

/** What bytecode is named by; `sha256`: the first digits of it. */
type CodeName = { readonly name: string; readonly address?: Address | undefined; readonly sha256?: string | undefined };

/** A database as people ask it about modules. What is asked at a version that is not sealed has no meaning: see `sealedVersions`. */
export type ModuleArchive = ReturnType<typeof moduleQueries> & {
  readonly path: string;
  readonly engine: Engine;
};

/** Opens a database (a file, or the address of a PostgreSQL database) to ask about modules; nothing in it is changed. @throws StoreError */
export async function openModuleArchive(path: string, limits: Omit<ReadOptions, "mode"> = {}) {
  const { engine, close } = await databaseAt(path).open({ mode: "read", ...limits });
  return closing({ ...moduleArchive(engine, path), close });
}

/** The same of a database that is open. `path` is for messages. */
export function moduleArchive(engine: Engine, path: string): ModuleArchive {
  return { path, engine, ...moduleQueries(engine) };
}

// Listings change wherever any of their modules does: a module stands from after the last that shows it otherwise to before the next.
const otherwise = (side: Sql, order: Sql): Sql => sql`(SELECT d.from_version FROM _listing_spans d
  LEFT JOIN _listing_modules dm ON dm.listing_id = d.listing_id AND dm.name = s.name
  WHERE d.address_id = s.address_id AND d.from_version ${side} s.from_version AND dm.bytecode_id IS DISTINCT FROM s.bytecode_id
  ORDER BY d.from_version ${order} LIMIT 1)`;
const since = sql`(SELECT min(f.from_version) FROM _listing_spans f WHERE f.address_id = s.address_id
  AND f.from_version > coalesce(${otherwise(sql`<`, sql`DESC`)}, -1))`;
const until = sql`(SELECT f.to_version FROM _listing_spans f WHERE f.address_id = s.address_id AND f.from_version >= s.from_version
  AND f.from_version < coalesce(${otherwise(sql`>`, sql`ASC`)}, ${lastVersion}) ORDER BY f.from_version DESC LIMIT 1)`;
const module = shapeOf({
  ...standingId,
  /** The first snapshot that showed it so. */
  from: version(since),
  /** The last one; null while it stands. */
  to: orNull(version(until)),
  ...bytecode,
  /** Bytes of bytecode. */
  size: whole("b.size"),
});
const modules = sql`SELECT ${module.columns}
  FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id JOIN _bytecodes b ON b.id = s.bytecode_id`;

const nodeBuild = sql`SELECT build FROM _builds WHERE build <> '' ORDER BY last_seen_at DESC LIMIT 1`;
const ends = shapeOf({ oldest: orUndefined(version("min(p.ledger_version)")), newest: orUndefined(version("max(p.ledger_version)")) });
const covering = sql`SELECT ${ends.columns} FROM _coverage c JOIN _pins p ON ${sealed("p")} AND ${holds("c", "p.ledger_version")}
  WHERE c.address_id = (SELECT id FROM _addresses WHERE address = :address) AND (:below::version IS NULL OR p.ledger_version < :below::version)`;
const covers = sql`SELECT 1 FROM _coverage c JOIN _addresses a ON a.id = c.address_id WHERE a.address = :address AND ${holds("c", ":version")}`;
const gap = sql`SELECT m.reason FROM _misses m JOIN _addresses a ON a.id = m.address_id WHERE a.address = :address AND m.ledger_version = :version`;
const coverage = shapeOf({ accounts: whole("coalesce(accounts, 0)"), gaps: whole("coalesce(gaps, 0)") });
const counts = sql`SELECT ${coverage.columns} FROM _pins WHERE ledger_version = :version`;
const covered = sql`SELECT a.address FROM _coverage c JOIN _addresses a ON a.id = c.address_id
  WHERE ${holds("c", ":version")} AND (:other::version IS NULL OR NOT EXISTS (SELECT 1 FROM _coverage o
    WHERE o.address_id = c.address_id AND ${holds("o", ":other::version")})) ORDER BY c.address_id`;
const every = sql`${modules} WHERE ${standing} ${inOrder}`;
// One list is one row, so that accounts without a change are told by its number.
const isAlike = sql`EXISTS (SELECT 1 FROM _listing_spans o JOIN _coverage k ON k.address_id = o.address_id AND ${holds("k", ":other")}
  WHERE o.address_id = s.address_id AND o.listing_id = s.listing_id AND ${holds("o", ":other")})`;
const unlike = sql`${modules} WHERE ${standing} AND NOT ${isAlike} ${inOrder}`;
const countAlike = sql`SELECT CAST(coalesce(sum(l.modules), 0) AS bigint) FROM _listing_spans s JOIN _listings l ON l.id = s.listing_id WHERE ${standing} AND ${isAlike}`;
const ofAccount = sql`${modules} WHERE a.address = :address AND ${standing} ${inOrder}`;
const one = sql`${modules} WHERE a.address = :address AND s.name = :name AND ${standing}`;
const wantedId = { address: text<Address>("w.address"), name: text("w.name") };
const id = shapeOf(wantedId);
const wantedCode = shapeOf({ ...wantedId, ...bytecode });
// Few accounts, many names: the accounts' listings are found first, and only once each.
const among = sql`WITH wanted AS MATERIALIZED (SELECT a.id, a.address, ${item("j.value", 1)} AS name FROM ${each(":ids::json", "j")}
    JOIN _addresses a ON a.address = ${item("j.value", 0)}),
  found AS MATERIALIZED (SELECT s.address_id, s.listing_id FROM _listing_spans s WHERE s.address_id IN (SELECT id FROM wanted) AND ${standing})
  SELECT ${wantedCode.columns} FROM wanted w JOIN found f ON f.address_id = w.id
    JOIN _listing_modules lm ON lm.listing_id = f.listing_id AND lm.name = w.name JOIN _bytecodes b ON b.id = lm.bytecode_id`;
const history = sql`${modules} WHERE a.address = :address AND s.name = :name AND s.from_version = ${since} ORDER BY s.from_version`;
const ids = sql`SELECT ${id.columns} FROM (SELECT DISTINCT a.address, s.name FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id) w`;
const named = sql`${ids} WHERE name = :name ORDER BY length(address), address`;
const known = sql`${ids} ORDER BY length(address), address, name`;
/** A function that calls another one, which is told by its place in the list that was asked about. */
const call = shapeOf({ ...standingId, caller: text("f.name"), place: whole("w.place") });
const calls = sql`WITH wanted AS MATERIALIZED (SELECT d.id, j.key AS place FROM ${each(":functions::json", "j")}
    JOIN _addresses a ON a.address = ${item("j.value", 0)} JOIN _modules m ON m.address_id = a.id AND m.name = ${item("j.value", 1)}
    JOIN _called_functions d ON d.module_id = m.id AND d.name = ${item("j.value", 2)})
  SELECT ${call.columns} FROM wanted w JOIN _function_calls k ON k.called_id = w.id JOIN _functions f ON f.id = k.function_id
    JOIN _abi_functions l ON l.function_id = f.id JOIN _bytecodes b ON b.abi_id = l.abi_id JOIN ${moduleSpans} s ON s.bytecode_id = b.id
    JOIN _addresses a ON a.id = s.address_id WHERE ${standing} ORDER BY length(a.address), a.address, s.name, l.position`;
// In this order: from the functions to what refers to them, never all ABIs.
const untoldCode = sql`WITH wanted AS MATERIALIZED (SELECT DISTINCT a.id AS address_id, ${item("j.value", 1)} AS name
    FROM ${each(":functions::json", "j")} JOIN _addresses a ON a.address = ${item("j.value", 0)}),
  untold AS MATERIALIZED (SELECT b.id FROM wanted w JOIN ${moduleSpans} s ON s.address_id = w.address_id AND s.name = w.name
      JOIN _bytecodes b ON b.id = s.bytecode_id LEFT JOIN _abis x ON x.id = b.abi_id WHERE x.id IS NULL OR NOT x.has_calls
    UNION SELECT b.id FROM wanted w CROSS JOIN _modules m CROSS JOIN _abi_dependencies d CROSS JOIN _abis x CROSS JOIN _bytecodes b
      WHERE m.address_id = w.address_id AND m.name = w.name AND d.module_id = m.id AND x.id = d.abi_id AND NOT x.has_calls AND b.abi_id = x.id)
  SELECT ${standingCode.columns} FROM untold u JOIN _bytecodes b ON b.id = u.id JOIN ${moduleSpans} s ON s.bytecode_id = b.id
    JOIN _addresses a ON a.id = s.address_id WHERE ${standing} ${inOrder}`;
const heldBytecode = shapeOf({
  address: text<Address>("a.address"),
  name: text("m.name"),
  ...bytecode,
  size: whole("b.size"),
  isInSnapshots: condition("CASE WHEN EXISTS (SELECT 1 FROM _listing_modules l WHERE l.bytecode_id = b.id) THEN 1 ELSE 0 END"),
});
const held = sql`SELECT ${heldBytecode.columns}
  FROM _modules m JOIN _addresses a ON a.id = m.address_id JOIN _abis x ON x.module_id = m.id JOIN _bytecodes b ON b.abi_id = x.id
  WHERE m.name = :name AND (:address::text IS NULL OR a.address = :address::text)
    AND substr(${hexOf("b.sha256")}, 1, length(:sha256::text)) = :sha256::text ORDER BY b.id LIMIT 100`;
const stored = shapeOf(bytecode);
const ofDigests = sql`SELECT ${stored.columns} FROM ${each(":digests::json", "j")} JOIN _bytecodes b ON b.sha256 = ${bytesOf("j.value")}`;

function moduleQueries(engine: Engine) {
  const endsOf = (address: Address, below?: bigint) => ends.first(engine, covering, { address, below: below ?? null });
  const modulesOf = (statement: Sql, values: Values) => module.all(engine, statement, values);
  const standingAmong = (wanted: readonly ModuleId[], version: bigint): Promise<StandingCode[]> =>
    wantedCode.all(engine, among, { ids: JSON.stringify(wanted.map(({ address, name }) => [address, name])), version });
  const { referring, waitingFor } = dependentQueries(engine);
  return {
    chainId: (): Promise<number | null> => readChain(engine),
    /** What the shape of the nodes' ABIs gave away when it was last seen: A, B or C, D; undefined if none was seen. */
    nodeBuild: async (): Promise<string | undefined> => (await textsOf(engine, nodeBuild))[0],
    /** When the ledger made each of some versions. */
    timesOf: (versions: readonly bigint[]): Promise<ReadonlyMap<bigint, MadeAt>> => timesOf(engine, versions),
    /** Versions of sealed snapshots, oldest first. */
    sealedVersions: (): Promise<readonly bigint[]> => readSealedVersions(engine),
    /** The newest sealed snapshot that covers an account, below a version if one is given; undefined if there is none. */
    newestCovering: async (address: Address, below?: bigint): Promise<bigint | undefined> => (await endsOf(address, below))?.newest,
    /** The oldest sealed snapshot that covers an account. */
    oldestCovering: async (address: Address): Promise<bigint | undefined> => (await endsOf(address))?.oldest,
    /** Whether a sealed snapshot has an answer about an account. */
    covers: async (address: Address, version: bigint): Promise<boolean> => (await engine.first(covers, { address, version })) !== undefined,
    /** Why a snapshot has no answer about an account, where it was asked for one. */
    gapReason: async (address: Address, version: bigint): Promise<string | undefined> =>
      (await textsOf(engine, gap, { address, version }))[0],
    /** The number of accounts that a snapshot covers, and of those that it was asked for and has no answer about. */
    coverage: async (version: bigint): Promise<{ readonly accounts: number; readonly gaps: number }> =>
      (await coverage.first(engine, counts, { version })) ?? { accounts: 0, gaps: 0 },
    /** Accounts that one snapshot covers and, if `other` is given, the other does not. Read as they are walked, so memory stays flat. */
    coveredAccounts: async function* (version: bigint, other?: bigint): AsyncIterable<Address> {
      for await (const rows of engine.stream<[Address]>(covered, { version, other: other ?? null }))
        for (const [address] of rows) yield address;
    },
    /** Modules at a snapshot, of one account when it is named; in the order of accounts and names. */
    modulesAt: (version: bigint, address?: Address): Promise<StoredModule[]> =>
      address === undefined ? modulesOf(every, { version }) : modulesOf(ofAccount, { address, version }),
    /** Modules at a snapshot, of the accounts whose modules another snapshot does not show all alike; in the same order. */
    modulesUnlike: (version: bigint, other: bigint): Promise<StoredModule[]> => modulesOf(unlike, { version, other }),
    /** How many modules the other accounts have: those that the two snapshots show alike. */
    countAlike: (version: bigint, other: bigint): Promise<number> => countOf(engine, countAlike, { version, other }),
    findModule: async ({ address, name }: ModuleId, version: bigint): Promise<StoredModule | undefined> =>
      (await modulesOf(one, { address, name, version }))[0],
    /** Those of some modules that a snapshot shows. */
    standingAmong,
    /** All that a module was, oldest first. */
    historyOf: ({ address, name }: ModuleId): Promise<StoredModule[]> => modulesOf(history, { address, name }),
    modulesNamed: (name: string): Promise<ModuleId[]> => id.all(engine, named, { name }),
    /** Every module that any snapshot showed, for telling a slip of the keyboard from what is not held. */
    knownModules: (): Promise<ModuleId[]> => id.all(engine, known),
    /** A module at a snapshot and those that refer to it. */
    around: async (module: ModuleId, version: bigint): Promise<StandingCode[]> => [
      ...(await standingAmong([module], version)),
      ...(await referring(module, version)),
    ],
    referring,
    /** The calls of some functions that are stored of a snapshot's modules, in the order of accounts, names and code. */
    callsOf: (functions: readonly ItemId[], version: bigint) => call.all(engine, calls, { functions: functionsJson(functions), version }),
    /** Modules of some functions, and those that refer to them, of which no calls are stored, so that only their bytecode tells. */
    withoutCalls: async (functions: readonly ItemId[], version: bigint): Promise<StandingCode[]> => {
      const found = await standingCode.all(engine, untoldCode, { functions: functionsJson(functions), version });
      const known = new Set(found.map(formatModuleId));
      const waiting = await waitingFor(
        functions.map(({ module }) => module),
        version,
      );
      return [...found, ...waiting.filter((module) => !known.has(formatModuleId(module)))];
    },
    /** Bytecode by the name in its bytes, of any account if none is named; imported files too. In order of arrival, 100 at most. */
    bytecodesNamed: ({ name, address, sha256 }: CodeName): Promise<HeldBytecode[]> =>
      heldBytecode.all(engine, held, { name, address: address ?? null, sha256: sha256 ?? "" }),
    /** The numbers of the rows of bytes, by their SHA-256 as 64 hex digits, wherever they were seen. Bytes that are not held have none. */
    bytecodesOf: async (digests: readonly string[]): Promise<ReadonlyMap<string, bigint>> => {
      const rows = await stored.all(engine, ofDigests, { digests: JSON.stringify(digests) });
      return new Map(rows.map((row) => [row.sha256, row.bytecode]));
    },
    bytecode: async ({ bytecode }: Pick<StoredModule, "bytecode">): Promise<Uint8Array> =>
      present(await readCode(engine, bytecode), `there is no bytecode ${bytecode}`),
    content: async ({ bytecode }: Pick<StoredModule, "bytecode">): Promise<StoredContent> =>
      (await readContents(engine, [bytecode]))(bytecode),
    /** Reads modules at once, by the numbers of their bytecodes' rows. What it returns decodes one of them. */
    contents: (bytecodes: readonly bigint[]): Promise<(bytecode: bigint) => StoredContent> => readContents(engine, bytecodes),
  };
}

function functionsJson(functions: readonly ItemId[]): string {
  return JSON.stringify(functions.map(({ module, name }) => [module.address, module.name, name]));
}
