import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { MODULE_SPANS } from "../../schema/sql/spans.ts";
import { asynchronous, type Synchronous } from "../connection/asynchronous.ts";
import { openSqlite } from "../connection/open-sqlite.ts";
import { guarded } from "../connection/sqlite-errors.ts";
import { prepareCodeReader } from "../content/code-blobs.ts";
import { prepareContentReader, type StoredContent } from "../content/stored-content.ts";

/** A module as it stood over a stretch of sealed snapshots: the first and the last that showed it so; `to` is null while it stands. */
export type StoredModule = ModuleId & {
  readonly from: bigint;
  readonly to: bigint | null;
  /** Number of the row of its bytecode. */
  readonly bytecode: bigint;
  /** Of the bytes, 64 hex digits. */
  readonly sha256: string;
  /** Bytes of bytecode. */
  readonly size: number;
};

/** Bytecode by the name that it has in itself, whether or not a snapshot shows it. */
export type HeldBytecode = ModuleId & Pick<StoredModule, "bytecode" | "sha256" | "size"> & { readonly isInSnapshots: boolean };

/** A database as people ask it about modules. What is asked at a version that is not sealed has no meaning: see `sealedVersions`. */
export type ModuleArchive = {
  readonly path: string;
  readonly chainId: () => Promise<number | null>;
  /** Versions of sealed snapshots, oldest first. */
  readonly sealedVersions: () => Promise<readonly bigint[]>;
  /** The newest sealed snapshot that covers an account, below a version if one is given; undefined if there is none. */
  readonly newestCovering: (address: Address, below?: bigint) => Promise<bigint | undefined>;
  /** The oldest sealed snapshot that covers an account. */
  readonly oldestCovering: (address: Address) => Promise<bigint | undefined>;
  /** Whether a sealed snapshot has an answer about an account. */
  readonly covers: (address: Address, version: bigint) => Promise<boolean>;
  /** Why a snapshot has no answer about an account, where it was asked for one. */
  readonly gapReason: (address: Address, version: bigint) => Promise<string | undefined>;
  /** The number of accounts that a snapshot covers, and of those that it was asked for and has no answer about. */
  readonly coverage: (version: bigint) => Promise<{ readonly accounts: number; readonly gaps: number }>;
  /** Accounts that a snapshot has an answer about, a page at a time, so that memory stays flat. */
  readonly coveredAccounts: (version: bigint) => AsyncIterable<Address>;
  /** Modules at a snapshot, of one account when it is named; in the order of accounts and names. */
  readonly modulesAt: (version: bigint, address?: Address) => Promise<StoredModule[]>;
  readonly findModule: (id: ModuleId, version: bigint) => Promise<StoredModule | undefined>;
  /** All that a module was, oldest first. */
  readonly historyOf: (id: ModuleId) => Promise<StoredModule[]>;
  /** Modules of this name that any snapshot showed. */
  readonly modulesNamed: (name: string) => Promise<ModuleId[]>;
  /** Every module that any snapshot showed, for telling a slip of the keyboard from what is not held. */
  readonly knownModules: () => Promise<ModuleId[]>;
  /** Modules at a snapshot whose bytecode refers to this one; the module itself is not among them. */
  readonly dependents: (id: ModuleId, version: bigint) => Promise<StoredModule[]>;
  /** The bytes of a module, for whoever needs no more of it. */
  readonly bytecode: (module: Pick<StoredModule, "bytecode">) => Promise<Uint8Array>;
  /**
   * Bytecode that names itself so, of any account when none is named, of one SHA-256 when it is given (its first digits): also what was
   * imported as a file, which no snapshot shows. In the order in which it came; 100 at most.
   */
  readonly bytecodesNamed: (wanted: {
    readonly name: string;
    readonly address?: Address | undefined;
    readonly sha256?: string | undefined;
  }) => Promise<HeldBytecode[]>;
  /** What a module holds, from its bytes. */
  readonly content: (module: Pick<StoredModule, "bytecode">) => Promise<StoredContent>;
  readonly close: () => Promise<void>;
};

/** Opens a database to ask about modules; nothing in it is changed. @throws StoreError */
export async function openModuleArchive(path: string): Promise<ModuleArchive> {
  const { database, close } = openSqlite(path, { mode: "read" });
  const questions = guarded(path, "read the database", () => prepareQuestions(database));
  return asynchronous<ModuleArchive>({ path, ...questions, close }, "read the database", path);
}

type Row = {
  readonly address: Address;
  readonly name: string;
  readonly from_version: bigint;
  readonly to_version: bigint | null;
  readonly bytecode: bigint;
  readonly sha256: string;
  readonly size: bigint;
};
type At = { readonly address: string; readonly version: bigint };

const PAGE = 1000;
const SEALED = "status IN ('sealed', 'sealed_with_gaps')";
const HOLDS = "s.from_version <= @version AND (s.to_version IS NULL OR s.to_version >= @version)";
const COVERED = "c.from_version <= @version AND (c.to_version IS NULL OR c.to_version >= @version)";
const ORDER = "ORDER BY length(a.address), a.address, s.name";
// Listings change wherever any of their modules does: a module stands from after the last that shows it otherwise to before the next.
const otherwise = (side: "<" | ">", order: "ASC" | "DESC"): string =>
  "(SELECT d.from_version FROM listing_spans d LEFT JOIN listing_modules dm ON dm.listing_id = d.listing_id AND dm.name = s.name " +
  `WHERE d.address_id = s.address_id AND d.from_version ${side} s.from_version AND dm.bytecode_id IS NOT s.bytecode_id ORDER BY d.from_version ${order} LIMIT 1)`;
const SINCE = `(SELECT min(f.from_version) FROM listing_spans f WHERE f.address_id = s.address_id AND f.from_version > coalesce(${otherwise("<", "DESC")}, -1))`;
const UNTIL =
  "(SELECT f.to_version FROM listing_spans f WHERE f.address_id = s.address_id AND f.from_version >= s.from_version " +
  `AND f.from_version < coalesce(${otherwise(">", "ASC")}, 9e18 * 2) ORDER BY f.from_version DESC LIMIT 1)`;
const MODULE =
  `SELECT a.address, s.name, ${SINCE} AS from_version, ${UNTIL} AS to_version, b.id AS bytecode, lower(hex(b.sha256)) AS sha256, b.size ` +
  `FROM ${MODULE_SPANS} s JOIN addresses a ON a.id = s.address_id JOIN bytecodes b ON b.id = s.bytecode_id `;
// A span says nothing of snapshots that did not cover its account.
const STANDING = `EXISTS (SELECT 1 FROM coverage c WHERE c.address_id = s.address_id AND ${COVERED})`;

function prepareQuestions(database: Database): Synchronous<Omit<ModuleArchive, "path" | "close">> {
  const chainId = database.prepare<[], bigint | null>("SELECT chain_id FROM archive").pluck();
  const sealed = database.prepare<[], bigint>(`SELECT ledger_version FROM pins WHERE ${SEALED} ORDER BY ledger_version`).pluck();
  const covering = (pick: "min" | "max", below: string) =>
    database
      .prepare<[{ address: string; below?: bigint }], bigint | null>(
        `SELECT ${pick}(p.ledger_version) FROM coverage c JOIN pins p ON p.${SEALED} AND p.ledger_version >= c.from_version ` +
          `AND (c.to_version IS NULL OR p.ledger_version <= c.to_version)${below} ` +
          "WHERE c.address_id = (SELECT id FROM addresses WHERE address = @address)",
      )
      .pluck();
  const newest = covering("max", "");
  const newestBelow = covering("max", " AND p.ledger_version < @below");
  const oldest = covering("min", "");
  const covered = database
    .prepare<[At], bigint>(`SELECT 1 FROM coverage c JOIN addresses a ON a.id = c.address_id WHERE a.address = @address AND ${COVERED}`)
    .pluck();
  const gap = database
    .prepare<[At], string>(
      "SELECT reason FROM misses m JOIN addresses a ON a.id = m.address_id WHERE a.address = @address AND m.ledger_version = @version",
    )
    .pluck();
  const counts = database.prepare<[bigint], { accounts: bigint | null; gaps: bigint | null }>(
    "SELECT accounts, gaps FROM pins WHERE ledger_version = ?",
  );
  const accounts = database.prepare<[{ version: bigint; after: bigint }], { id: bigint; address: Address }>(
    `SELECT a.id, a.address FROM coverage c JOIN addresses a ON a.id = c.address_id WHERE c.address_id > @after AND ${COVERED} ORDER BY c.address_id LIMIT ${PAGE}`,
  );
  const every = database.prepare<[{ version: bigint }], Row>(`${MODULE} WHERE ${HOLDS} AND ${STANDING} ${ORDER}`);
  const ofAccount = database.prepare<[At], Row>(`${MODULE} WHERE a.address = @address AND ${HOLDS} AND ${STANDING} ${ORDER}`);
  const one = database.prepare<[At & { name: string }], Row>(
    `${MODULE} WHERE a.address = @address AND s.name = @name AND ${HOLDS} AND ${STANDING}`,
  );
  const history = database.prepare<[string, string], Row>(
    `${MODULE} WHERE a.address = ? AND s.name = ? AND s.from_version = ${SINCE} ORDER BY s.from_version`,
  );
  const ids = `SELECT DISTINCT a.address, s.name FROM ${MODULE_SPANS} s JOIN addresses a ON a.id = s.address_id`;
  const named = database.prepare<[string], ModuleId>(`${ids} WHERE s.name = ? ${ORDER}`);
  const known = database.prepare<[], ModuleId>(`${ids} ${ORDER}`);
  const dependents = database.prepare<[At & { name: string }], Row>(
    `${MODULE} JOIN abi_dependencies d ON d.abi_id = b.abi_id JOIN modules m ON m.id = d.module_id JOIN addresses ma ON ma.id = m.address_id ` +
      `WHERE ma.address = @address AND m.name = @name AND ${HOLDS} AND ${STANDING} ${ORDER}`,
  );
  const codes = prepareCodeReader(database);
  type Held = Omit<Row, "from_version" | "to_version"> & { readonly listed: bigint };
  const self = database.prepare<[{ name: string; address: string | null; sha256: string }], Held>(
    "SELECT a.address, m.name, b.id AS bytecode, lower(hex(b.sha256)) AS sha256, b.size, " +
      "EXISTS (SELECT 1 FROM listing_modules l WHERE l.bytecode_id = b.id) AS listed FROM modules m JOIN addresses a ON a.id = m.address_id " +
      "JOIN abis x ON x.module_id = m.id JOIN bytecodes b ON b.abi_id = x.id WHERE m.name = @name AND (@address IS NULL OR a.address = @address) " +
      "AND substr(lower(hex(b.sha256)), 1, length(@sha256)) = @sha256 ORDER BY b.id LIMIT 100",
  );
  return {
    bytecodesNamed: ({ name, address, sha256 }) =>
      self
        .all({ name, address: address ?? null, sha256: sha256 ?? "" })
        .map(({ address: of, name: module, bytecode, sha256: digest, size, listed }) => ({
          isInSnapshots: listed === 1n,
          address: of,
          name: module,
          bytecode,
          sha256: digest,
          size: Number(size),
        })),
    chainId: () => {
      const chain = chainId.get();
      return chain === undefined || chain === null ? null : Number(chain);
    },
    sealedVersions: () => sealed.all(),
    newestCovering: (address, below) => (below === undefined ? newest.get({ address }) : newestBelow.get({ address, below })) ?? undefined,
    oldestCovering: (address) => oldest.get({ address }) ?? undefined,
    covers: (address, version) => covered.get({ address, version }) !== undefined,
    gapReason: (address, version) => gap.get({ address, version }),
    coverage: (version) => {
      const row = counts.get(version);
      return { accounts: Number(row?.accounts ?? 0), gaps: Number(row?.gaps ?? 0) };
    },
    coveredAccounts: function* (version) {
      let after = -1n;
      for (;;) {
        const page = accounts.all({ version, after });
        for (const { address } of page) yield address;
        if (page.length < PAGE) return;
        after = page.at(-1)?.id ?? after;
      }
    },
    modulesAt: (version, address) => (address === undefined ? every.all({ version }) : ofAccount.all({ address, version })).map(toModule),
    findModule: ({ address, name }, version) => {
      const row = one.get({ address, name, version });
      return row === undefined ? undefined : toModule(row);
    },
    historyOf: ({ address, name }) => history.all(address, name).map(toModule),
    modulesNamed: (name) => named.all(name),
    knownModules: () => known.all(),
    dependents: ({ address, name }, version) => dependents.all({ address, name, version }).map(toModule),
    bytecode: ({ bytecode }) => {
      const bytes = codes.byId(bytecode);
      if (bytes === undefined) throw new RangeError(`there is no bytecode ${bytecode}`);
      return bytes;
    },
    content: prepareContentReader(database, codes),
  };
}

function toModule(row: Row): StoredModule {
  const { address, name, bytecode, sha256 } = row;
  return { address, name, from: row.from_version, to: row.to_version, bytecode, sha256, size: Number(row.size) };
}
