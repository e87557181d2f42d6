import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import { workTables } from "../../schema/tables/work.ts";
import type { Synchronous } from "../connection/asynchronous.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import { prepareChecksum } from "../connection/row-checksum.ts";
import { StoreError } from "../errors.ts";
import { storableVersion } from "./ledger-version.ts";

/** How far a ledger version's snapshot is. */
export type PinStatus = "unsealed" | "sealed" | "sealed_with_gaps" | "abandoned";

/** What a new snapshot is told: where it reads, and what the node said of itself at that moment. */
export type PinRequest = {
  readonly chainId: number;
  readonly ledgerVersion: bigint;
  readonly headVersion: bigint;
  readonly oldestVersion: bigint;
  readonly headTimestampUsec: bigint;
  /** Undefined if not known: `serve` then shows 0. */
  readonly headEpoch?: bigint;
  readonly headBlockHeight?: bigint;
  readonly now: number;
};

/** The accounts of a plan, in any order; repeated ones count once. `"targets"` stands for every active target of the list. */
export type PlanScope = Iterable<Address> | "targets";

/** A snapshot and how far it is. */
export type Pin = {
  readonly ledgerVersion: bigint;
  readonly status: PinStatus;
  readonly createdAt: number;
  /** The node's newest version when it was pinned. */
  readonly headVersion: bigint;
  readonly planned: number;
};

/** How many of a snapshot's targets are where. `planned` is what is left to visit. */
export type PlanProgress = { readonly planned: number; readonly visited: number; readonly missed: number };

/** Snapshots in work: their plan, and what is left of it. */
export type PinStore = {
  /** The chain that everything in the database is from, null before the first snapshot. */
  readonly chainId: () => Promise<number | null>;
  /** Says which chain the database is of. @throws StoreError `MOVEDEX_STORE_CHAIN` when it is of another */
  readonly bindChain: (chainId: number) => Promise<void>;
  /**
   * Starts a snapshot: binds the chain, writes the pin and its plan, in one transaction. An abandoned pin starts anew.
   * @throws StoreError `MOVEDEX_STORE_PIN` when that version is pinned already, `MOVEDEX_STORE_CHAIN`, `MOVEDEX_STORE_VERSION`
   */
  readonly createPin: (request: PinRequest, scope: PlanScope) => Promise<Pin>;
  readonly findPin: (ledgerVersion: bigint) => Promise<Pin | undefined>;
  /** Snapshots with work in hand, newest version first: started and not sealed, or sealed and extended since. */
  readonly unfinishedPins: () => Promise<readonly Pin[]>;
  /** Counts the plan's rows: cost grows with the plan. */
  readonly progress: (ledgerVersion: bigint) => Promise<PlanProgress>;
  /** Targets left to visit, in the order of addresses, beginning after one. Rows after which the plan is read again are found by key, so memory stays flat. */
  readonly plannedTargets: (ledgerVersion: bigint, after: Address | undefined, limit: number) => Promise<readonly Address[]>;
  /** Versions of sealed snapshots, oldest first. */
  readonly sealedVersions: () => Promise<readonly bigint[]>;
};

type PinRow = Record<"ledger_version" | "created_at" | "head_version" | "planned", bigint> & { readonly status: PinStatus };

/** Prepares the snapshots in work of a connection. */
export function preparePins(database: Database, statements: HotStatements): Synchronous<PinStore> {
  const chainId = database.prepare<[], bigint | null>("SELECT chain_id FROM archive").pluck();
  const setChain = database.prepare<[number]>("UPDATE archive SET chain_id = ?");
  const checkArchive = prepareChecksum<[id: number]>(database, workTables.archive);
  const { fillPlan, clearPlan } = preparePlan(database, statements);
  // Addresses print without leading zeros: by length, then by text, is the order of their bytes.
  const writePlan = database.prepare<[bigint]>(
    "INSERT INTO visits (ledger_version, position, address_id, state) " +
      "SELECT ?, row_number() OVER (ORDER BY length(address), address) - 1, id, 'planned' FROM plan JOIN addresses ON id = address_id",
  );
  const addPin = database.prepare<[bigint, number, bigint, bigint, string, string | null, string | null]>(
    "INSERT INTO pins (ledger_version, status, created_at, head_version, oldest_version, head_timestamp_usec, head_epoch, head_block_height, planned) " +
      "VALUES (?, 'unsealed', ?, ?, ?, ?, ?, ?, 0)",
  );
  const setPlanned = database.prepare<[bigint, bigint]>(
    "UPDATE pins SET planned = (SELECT count(*) FROM visits WHERE ledger_version = ?) WHERE ledger_version = ?",
  );
  const dropMisses = database.prepare<[bigint]>("DELETE FROM misses WHERE ledger_version = ?");
  const dropPin = database.prepare<[bigint]>("DELETE FROM pins WHERE ledger_version = ?");
  const columns = "SELECT ledger_version, status, created_at, head_version, planned FROM pins";
  const find = database.prepare<[bigint], PinRow>(`${columns} WHERE ledger_version = ?`);
  const unfinished = database.prepare<[], PinRow>(
    `${columns} WHERE status = 'unsealed' OR EXISTS (SELECT 1 FROM visits v WHERE v.ledger_version = pins.ledger_version) ORDER BY ledger_version DESC`,
  );
  const counts = database.prepare<[bigint], { state: keyof PlanProgress; n: bigint }>(
    "SELECT state, count(*) AS n FROM visits WHERE ledger_version = ? GROUP BY state",
  );
  const positionOf = database
    .prepare<[bigint, string], bigint>(
      "SELECT position FROM visits WHERE ledger_version = ? AND address_id = (SELECT id FROM addresses WHERE address = ?)",
    )
    .pluck();
  const plannedPage = database
    .prepare<[bigint, bigint, number], Address>(
      "SELECT address FROM visits JOIN addresses ON id = address_id WHERE ledger_version = ? AND position > ? AND state = 'planned' ORDER BY position LIMIT ?",
    )
    .pluck();
  const sealed = database
    .prepare<[], bigint>("SELECT ledger_version FROM pins WHERE status IN ('sealed', 'sealed_with_gaps') ORDER BY ledger_version")
    .pluck();

  const readChain = (): number | null => {
    const stored = chainId.get();
    return stored === undefined || stored === null ? null : Number(stored);
  };
  const bindChain = (wanted: number): void => {
    const bound = readChain();
    if (bound === null) {
      setChain.run(wanted);
      checkArchive(1);
    } else if (bound !== wanted) throw wrongChain(bound, wanted);
  };
  const findPin = (version: bigint): Pin | undefined => {
    const row = find.get(version);
    return row === undefined ? undefined : toPin(row);
  };
  const createPin = (request: PinRequest, scope: PlanScope): Pin => {
    const version = storableVersion(request.ledgerVersion);
    bindChain(request.chainId);
    const present = findPin(version);
    if (present?.status === "abandoned") {
      dropMisses.run(version);
      dropPin.run(version);
    } else if (present !== undefined) {
      throw new StoreError("MOVEDEX_STORE_PIN", `ledger version ${version} is pinned already: its snapshot is ${present.status}`, {
        facts: { version, status: present.status },
      });
    }
    addPin.run(
      version,
      request.now,
      storableVersion(request.headVersion),
      storableVersion(request.oldestVersion),
      request.headTimestampUsec.toString(),
      request.headEpoch?.toString() ?? null,
      request.headBlockHeight?.toString() ?? null,
    );
    fillPlan(scope);
    writePlan.run(version);
    clearPlan();
    setPlanned.run(version, version);
    return findPin(version) as Pin;
  };

  return {
    chainId: readChain,
    bindChain,
    createPin: database.transaction(createPin).immediate,
    findPin,
    unfinishedPins: () => unfinished.all().map(toPin),
    progress: (version) => {
      const progress = { planned: 0, visited: 0, missed: 0 };
      for (const { state, n } of counts.all(version)) progress[state] = Number(n);
      return progress;
    },
    plannedTargets: (version, after, limit) =>
      plannedPage.all(version, after === undefined ? -1n : (positionOf.get(version, after) ?? -1n), limit),
    sealedVersions: () => sealed.all(),
  };
}

/** Prepares the table in which a plan's accounts are gathered, each once, before they are written into it. */
export function preparePlan(database: Database, statements: HotStatements) {
  database.exec("CREATE TEMP TABLE IF NOT EXISTS plan (address_id INTEGER PRIMARY KEY) STRICT");
  const clear = database.prepare("DELETE FROM plan");
  const add = database.prepare<[bigint]>("INSERT OR IGNORE INTO plan VALUES (?)");
  const addTargets = database.prepare("INSERT INTO plan SELECT address_id FROM targets WHERE removed_at IS NULL");
  const clearPlan = (): void => {
    clear.run();
  };
  const fillPlan = (scope: PlanScope): void => {
    clearPlan();
    if (scope === "targets") addTargets.run();
    else for (const address of scope) add.run(internAddress(statements, address));
  };
  return { fillPlan, clearPlan };
}

/** The row of an address, written when it is new. */
export function internAddress(statements: HotStatements, address: Address): bigint {
  return statements.addressId.get(address) ?? BigInt(statements.addAddress.run(address).lastInsertRowid);
}

function toPin(row: PinRow): Pin {
  return {
    ledgerVersion: row.ledger_version,
    status: row.status,
    createdAt: Number(row.created_at),
    headVersion: row.head_version,
    planned: Number(row.planned),
  };
}

function wrongChain(bound: number, found: number): StoreError {
  return new StoreError(
    "MOVEDEX_STORE_CHAIN",
    `this database is of chain ${bound}, and the node is of chain ${found}. Nothing was written. Use another --db for another chain.`,
    {
      facts: { stored: bound, found },
    },
  );
}
