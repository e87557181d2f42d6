import type { ModuleAbi } from "../../abi/model.ts";
import { formatNodeAbi } from "../../abi/node-json/format.ts";
import { isKnownVersion } from "../../move/module/self-id.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { named, sql } from "../../schema/sql/sql.ts";
import { countRows, each, item } from "../../schema/sql/words.ts";
import { derivedTables } from "../../schema/tables/derived.ts";
import type { Engine, Transaction } from "../engine/engine.ts";
import { BatchOrder } from "./beside/batch-order.ts";
import { OrderedBatches } from "./beside/ordered-batches.ts";
import { type PackedCode, unpackCode } from "./code-blobs.ts";
import { DERIVED_BY, type Derivation, deriveRows, TOLD_BY_NODE } from "./derivation.ts";
import { DerivedBatch, type ErrorMaps } from "./derived-batch.ts";
import { dropLooseIndexes, makeLooseIndexes } from "./derived-indexes.ts";
import { readEarlierAbis } from "./earlier-abis.ts";
import { readEarlierCalls } from "./earlier-calls.ts";
import { byModuleKey, ModuleNumbers, type ModulesByKey } from "./module-ids.ts";
import { readBases, type StoredRow, withCode } from "./read-code.ts";
import type { Unseen, WordWriter } from "./words/word-index.ts";

/** What deriving came to. */
export type DeriveResult = { readonly derived: number; readonly undecodable: number };

/** How rows are derived. */
export type DeriveOptions = {
  /** Ends the work after the batch that is being written; the rest waits. */
  readonly signal?: AbortSignal;
  /** Asked for a node's own ABI of bytes that cannot be decoded, though they are of a version that can, before the failure is stored. */
  readonly tell?: (code: Uint8Array) => Promise<ModuleAbi | undefined>;
};

/** Making the rows of stored bytecode. A visit stores bytes and no rows: these follow from the bytes, at any time. */
export type DeriveStore = {
  /**
   * Derives the rows of all bytecode that waits for them, and of all there is where another movedex made them; in batches,
   * each one transaction, so that readers see all rows of a bytecode or none, and a run that is killed loses one batch.
   * @throws StoreError `MOVEDEX_STORE_DAMAGED` for bytes that cannot be unpacked
   */
  readonly derive: (options?: DeriveOptions) => Promise<DeriveResult>;
  /** How many bytecodes wait for their rows. */
  readonly underived: () => Promise<number>;
};

/** Bytecodes of one batch. What is made of them lives until it is stored: of 400, the garbage collector copies most of it, and twice the memory is in use. */
export const BATCH = 128;

/** Error maps remembered by their text, so that copies of a module share one. */
const ERROR_MAPS_MAX = 2000;

/** The fewest waiting bytecodes that are worth making indexes again. */
const BULK = 400;

const amounts = sql`SELECT (SELECT count(*) FROM _bytecodes WHERE derived_by IS NULL), (SELECT count(*) FROM _abis)`;
const underived = sql`SELECT count(*) FROM _bytecodes WHERE derived_by IS NULL`;
// In the order of the index by both columns, of which the first is null here: so only what a batch takes is read, where PostgreSQL has
// counted the rows. What they are packed with is asked for apart: few are packed with anything.
const waiting = sql`
  SELECT b.id, b.node_abi, b.sha256, b.size, c.code FROM _bytecodes b LEFT JOIN _bytecode_blobs c ON c.id = b.id
  WHERE b.derived_by IS NULL AND b.id > :after ORDER BY b.derived_by, b.id LIMIT :limit`;
// Each of the three is a range of the index: a database that is up to date is not read through.
const outdated = sql`
  SELECT EXISTS (SELECT 1 FROM _bytecodes WHERE derived_by < :first::text) OR EXISTS (SELECT 1 FROM _bytecodes WHERE derived_by > :last::text)
  OR EXISTS (SELECT 1 FROM _bytecodes WHERE derived_by > :first::text AND derived_by < :last::text)`;
const forget = sql`UPDATE _bytecodes SET derived_by = NULL, abi_id = NULL, calls_id = NULL, error_code = NULL, error_offset = NULL, error_message = NULL`;

type WaitingRow = readonly [id: number, nodeAbi: string | null, ...stored: StoredRow];

/** A bytecode that waits for its rows, as it is stored, and what it is packed with. */
type Waiting = {
  readonly id: number;
  readonly nodeAbi: string | null;
  readonly packed: PackedCode;
  readonly base: PackedCode | undefined;
};
/** `told`: what a node has just told of it. */
type Derived = { readonly id: number; readonly derivation: Derivation; readonly told?: string };

/** What is stored in one transaction, all modules that it names, and what names of it may not be in the index of words yet. */
type Batch = { readonly derived: readonly Derived[]; readonly modules: ModulesByKey; readonly unseen: Unseen };

const keepTold = sql`UPDATE _bytecodes SET node_abi = :told::json WHERE id = :id`;
const mark = sql`
  UPDATE _bytecodes AS b SET derived_by = m.derived_by, abi_id = m.abi_id, calls_id = m.calls_id, error_code = m.error_code,
  error_offset = m.error_offset, error_message = m.error_message FROM (SELECT CAST(${item("j.value", 0)} AS bigint) AS id,
    ${item("j.value", 1)} AS derived_by, CAST(${item("j.value", 2)} AS bigint) AS abi_id, CAST(${item("j.value", 3)} AS bigint) AS calls_id,
    ${item("j.value", 4)} AS error_code, CAST(${item("j.value", 5)} AS bigint) AS error_offset, ${item("j.value", 6)} AS error_message
    FROM ${each(":marks::json", "j")}) AS m WHERE b.id = m.id`;

/** How rows are derived beside a crawl. */
type BesideOptions = {
  /** Bytecodes of one batch. */
  readonly batch: number;
  /** The order that another thread keeps to as well; without it there is none. */
  readonly order?: BatchOrder;
};

/** Deriving beside a crawl, which goes on storing bytecode. */
export type DerivingBeside = {
  /** Derives all whole batches that wait and, when the crawl is ending, the rest. What cannot be decoded stays waiting. */
  readonly go: (how: { readonly isEnding: boolean }) => Promise<void>;
  /**
   * Derives beside another thread that is at `go`, in one order with it, until nothing waits that can be decoded. Once the crawl is
   * over, that thread would work on alone for as long as the crawl took, and a processor stand idle.
   */
  readonly help: (signal: AbortSignal | undefined) => Promise<void>;
};

/** Deriving, in this thread and beside others. */
export type DerivingStore = DeriveStore & { readonly beginBeside: (how: BesideOptions) => DerivingBeside };

/**
 * Prepares the deriving of rows. `words` is the index of words that follows the rows; `inTurn` waits until no other thread writes,
 * where the engine cannot wait without standing still.
 */
export function prepareDerive(
  engine: Engine,
  words: WordWriter,
  inTurn: <T>(work: () => Promise<T>) => Promise<T> = (work) => work(),
): DerivingStore {
  const memory = { modules: new ModuleNumbers(), errorMaps: new Map() as ErrorMaps };
  const forgetAll = () => {
    memory.modules.forget();
    memory.errorMaps.clear();
    words.forget();
  };

  const beginAgain = async (): Promise<void> => {
    const [first, last] = [DERIVED_BY, TOLD_BY_NODE].sort();
    const [isOutdated] = (await engine.first<[number]>(outdated, { first: first as string, last: last as string })) ?? [0];
    if (!isOutdated) return;
    forgetAll();
    await engine.transaction(async (tx) => {
      for (const { name } of Object.values(derivedTables)) await tx.run(sql`DELETE FROM ${named(name)}`);
      await words.clear(tx);
      await tx.run(forget);
    });
  };

  const write = async (tx: Transaction, { derived: batch, modules, unseen }: Batch): Promise<void> => {
    const added = await memory.modules.intern(tx, modules);
    const selves = batch.flatMap(({ derivation }) => ("rows" in derivation ? [memory.modules.of(derivation.rows.self)] : []));
    const known = [...new Set(selves)].filter((id) => !added.has(id));
    const earlier = await readEarlierAbis(tx, known);
    if (memory.errorMaps.size > ERROR_MAPS_MAX) memory.errorMaps.clear();
    const earlierCalls = await readEarlierCalls(tx, known);
    const rows = new DerivedBatch(memory.modules, earlier, earlierCalls, memory.errorMaps);
    const marked = batch.map(({ id, derivation }) => {
      const { derivedBy } = derivation;
      if ("rows" in derivation) {
        const abi = rows.add(id, derivation.rows, derivedBy === DERIVED_BY);
        return [id, derivedBy, abi, rows.addCalls(id, derivation.rows.self, derivation.calls), null, null, null];
      }
      const { code, offset, message } = derivation.error;
      return [id, derivedBy, null, null, code, offset, message];
    });
    await rows.write(tx);
    const withNames = { functions: rows.rowsOf("functions"), structs: rows.rowsOf("structs"), abis: rows.rowsOf("abis") };
    await words.add(tx, added, withNames, unseen);
    for (const { id, told } of batch) if (told !== undefined) await tx.run(keepTold, { id, told });
    await tx.run(mark, { marks: JSON.stringify(marked) });
  };

  const gather = (derived: readonly Derived[]): Batch => ({
    derived,
    modules: byModuleKey(modulesOf(derived)),
    unseen: words.unseen(derived.flatMap(({ derivation }) => ("rows" in derivation ? [derivation.rows] : []))),
  });

  /** Stores a batch. What is remembered may name rows of a transaction that failed, so that it is forgotten then. */
  const store = async (batch: Batch): Promise<void> => {
    let isAgain = false;
    try {
      await inTurn(() =>
        engine.transaction(async (tx) => {
          if (isAgain) forgetAll();
          isAgain = true;
          await write(tx, batch);
        }),
      );
    } catch (error) {
      forgetAll();
      throw error;
    }
  };

  /** The bytecodes after a number that wait, as many as a batch has. */
  const readWaiting = async (after: number, limit: number): Promise<readonly Waiting[]> => {
    const rows = await engine.all<WaitingRow>(waiting, { limit, after });
    const found = rows.map(([id, nodeAbi, ...stored]) => ({ id, nodeAbi, packed: withCode(stored) }));
    const baseOf = await readBases(
      engine,
      found.map(({ packed }) => packed),
    );
    return found.map((one) => ({ ...one, base: baseOf(one.packed) }));
  };

  const deriveWaiting = async ({ signal, tell }: DeriveOptions): Promise<DeriveResult> => {
    let derived = 0;
    let undecodable = 0;
    while (signal?.aborted !== true) {
      const rows = await readWaiting(0, BATCH);
      if (rows.length === 0) break;
      const batch: Derived[] = [];
      for (const row of rows) batch.push(await deriveOne(row, tell));
      await store(gather(batch));
      derived += batch.length;
      undecodable += batch.filter(({ derivation }) => "error" in derivation).length;
    }
    return { derived, undecodable };
  };

  /** Whether more bytecodes wait than have rows, and enough for that to be the longer way. */
  const isMuch = async (): Promise<boolean> => {
    const [waits, has] = (await engine.first<[number, number]>(amounts)) ?? [0, 0];
    return waits > BULK && waits > has;
  };

  const beginBulk = async (): Promise<void> => {
    await dropLooseIndexes(engine);
    await engine.run(countRows("_bytecodes"));
  };

  return {
    underived: async () => Number((await engine.first<[number]>(underived))?.[0] ?? 0),
    beginBeside: ({ batch: most, order = new BatchOrder() }) => {
      let isBulk = false;
      const work = {
        read: readWaiting,
        derive: (one: Waiting) => deriveOne(one, undefined),
        gather: (batch: readonly Derived[]) => gather(batch.filter(({ derivation }) => "rows" in derivation)),
        store,
      };
      const batches = new OrderedBatches(work, order, most);
      return {
        go: async ({ isEnding }) => {
          if (!isBulk && (await isMuch())) {
            await inTurn(beginBulk);
            isBulk = true;
          }
          const isDone = await batches.derive({ isEnding });
          if (!isDone || !isEnding || !isBulk || !(await order.isNext(order.taken))) return;
          await makeLooseIndexes({ run: (statement) => inTurn(() => engine.run(statement)) });
        },
        help: async (signal) => void (await batches.derive({ isEnding: true, signal })),
      };
    },
    derive: async (options = {}) => {
      if (options.signal?.aborted) return { derived: 0, undecodable: 0 };
      await beginAgain();
      const isBulk = await isMuch();
      if (isBulk) await beginBulk();
      try {
        return await deriveWaiting(options);
      } finally {
        if (isBulk) await makeLooseIndexes(engine);
      }
    },
  };
}

async function deriveOne({ id, nodeAbi, packed, base }: Waiting, tell: DeriveOptions["tell"]): Promise<Derived> {
  const code = unpackCode(packed, base);
  const derivation = deriveRows(code, nodeAbi);
  // Of a version that cannot be read the node was asked when the bytes came.
  if (tell === undefined || nodeAbi !== null || "rows" in derivation || !isKnownVersion(code)) return { id, derivation };
  const abi = await tell(code);
  if (abi === undefined) return { id, derivation };
  const told = JSON.stringify(formatNodeAbi(abi));
  return { id, derivation: deriveRows(code, told), told };
}

/** Every module that a batch names; what functions call is among the dependencies. */
function modulesOf(batch: readonly Derived[]): ReadonlySet<ModuleId> {
  const found = new Set<ModuleId>();
  for (const { derivation } of batch) {
    if (!("rows" in derivation)) continue;
    const { self, friends, dependencies, uses } = derivation.rows;
    found.add(self);
    for (const id of friends) found.add(id);
    for (const id of dependencies) found.add(id);
    for (const { module } of uses) found.add(module);
  }
  return found;
}
