import { setImmediate } from "node:timers/promises";
import type { ModuleAbi } from "../../abi/model.ts";
import { formatNodeAbi } from "../../abi/node-json/format.ts";
import type { Engine, Integer, Session, Transaction } from "../../engine/engine.ts";
import { countOf } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import type { ModuleId } from "../../move/module-id.ts";
import { countRows } from "../../schema/sql/functions.ts";
import { moduleSpans, rowless } from "../../schema/sql/predicates.ts";
import { named, sql } from "../../schema/sql/sql.ts";
import { derivedTables } from "../../schema/tables/derived.ts";
import { DERIVED_BY, REPORTED_BY_NODE, rowsOfBytecode } from "./derivation.ts";
import { beginManyRows, endManyRows } from "./derived-indexes.ts";
import { type Derived, type DerivedWriting, derivedRowWriter } from "./derived-writer.ts";
import { type CodeCells, codeColumns, codeJoin, readBases } from "./read-code.ts";

export type DeriveResult = { readonly derived: number; readonly undecodable: number };

export type StandingAt = ModuleId & { readonly version: bigint };

export type DeriveOptions = {
  /** Ends the work after the batch that is being written; the rest waits. */
  readonly signal?: AbortSignal;
  /**
   * Asks a node for its ABI of bytes that cannot be decoded, before the failure is stored. `standing` is such a module in a sealed
   * snapshot.
   */
  readonly askNodeAbi?: (code: Uint8Array, standing: StandingAt | undefined) => Promise<ModuleAbi | undefined>;
};

/** The most bytecodes that are decoded before their rows are written. */
const BATCH = 128;

/** Bytecodes per transaction when very many wait. Larger transactions write the same index pages less often. */
const MANY = 512;

/** Of these so many are decoded before their rows are gathered: V8 collects cheaply what is dropped while it is young. */
const DECODED = 8;

/** The fewest waiting bytecodes that are worth making indexes again. */
const BULK = 400;

const amounts = sql`SELECT (SELECT count(*) FROM _bytecodes WHERE derived_by IS NULL), (SELECT count(*) FROM _abis)`;
const underived = sql`SELECT count(*) FROM ${rowless} AS b`;
const waiting = sql`
  SELECT b.id, b.node_abi, ${codeColumns} FROM _bytecodes b ${codeJoin}
  WHERE b.derived_by IS NULL AND b.id > :after ORDER BY b.id LIMIT :limit`;
const standing = sql`SELECT a.address, s.name, s.from_version FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id
  WHERE s.bytecode_id = :id ORDER BY s.from_version DESC LIMIT 1`;
const outdated = sql`SELECT EXISTS (SELECT 1 FROM _bytecodes WHERE derived_by NOT IN (:movedex::text, :node::text))
  OR EXISTS (SELECT 1 FROM ${rowless} AS r JOIN _bytecodes b ON b.id = r.id WHERE b.derived_by IS NOT NULL)`;
const forget = sql`UPDATE _bytecodes SET derived_by = NULL, abi_id = NULL, error_code = NULL, error_offset = NULL, error_message = NULL`;
type WaitingRow = readonly [id: number, nodeAbi: string | null, ...code: CodeCells];

/** A bytecode that waits for its rows, and what unpacks it. */
type Waiting = {
  readonly id: number;
  readonly nodeAbi: string | null;
  readonly unpack: () => Uint8Array;
};
/** Making the rows of stored bytecode. A visit stores bytes and no rows: these follow from the bytes, at any time. */
export function derivationQueries(engine: Engine) {
  const writer = derivedRowWriter();

  const beginAgain = async (): Promise<void> => {
    const [isOutdated] = (await engine.first<[number]>(outdated, { movedex: DERIVED_BY, node: REPORTED_BY_NODE })) ?? [0];
    if (!isOutdated) return;
    writer.forget();
    await engine.transaction(async (tx) => {
      await tx.run(forget);
      // Those that refer to others first.
      for (const { name } of Object.values(derivedTables).reverse()) await tx.run(sql`DELETE FROM ${named(name)}`);
      await writer.rebuildIndex(tx);
    });
  };

  /** Stores what a transaction writes. A failed transaction takes its rows along, so the remembered numbers are dropped with it. */
  const store = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    let isAgain = false;
    try {
      return await engine.transaction((tx) => {
        if (isAgain) writer.forget();
        isAgain = true;
        return work(tx);
      });
    } catch (error) {
      writer.forget();
      throw error;
    }
  };

  const readWaiting = async (session: Session, after: number, limit: number): Promise<readonly Waiting[]> => {
    const rows = await session.all<WaitingRow>(waiting, { after, limit });
    const unpack = await readBases(
      session,
      rows.map(([, , ...code]) => code),
    );
    return rows.map(([id, nodeAbi, ...code]) => ({ id, nodeAbi, unpack: () => unpack(code).code }));
  };

  /** Derives the rows of very many bytecodes. Leaves those that cannot be decoded, of which a node may be asked. */
  const deriveMany = async (signal: AbortSignal | undefined): Promise<number> => {
    let [derived, last] = [0, 0];
    for (let isOver = false; !isOver; ) {
      const { rows, count } = await store(async (tx) => {
        const rows = await readWaiting(tx, last, MANY);
        return { rows, count: await writeAll(await writer.begin(tx), rows, signal) };
      });
      derived += count;
      last = rows.at(-1)?.id ?? last;
      isOver = rows.length < MANY || signal?.aborted === true;
      await setImmediate();
    }
    return derived;
  };

  const deriveWaiting = async ({ signal, askNodeAbi }: DeriveOptions): Promise<DeriveResult> => {
    let [derived, undecodable] = [0, 0];
    const isOver = (): boolean => signal?.aborted === true;
    while (!isOver()) {
      const rows = await readWaiting(engine, 0, BATCH);
      if (rows.length === 0) break;
      const batch: Derived[] = [];
      for (const row of rows) {
        const one = await deriveOne(row, askNodeAbi);
        // What a node was not asked about, since the run is to end, waits for the next.
        if (isOver() && "error" in one.derivation) break;
        batch.push(one);
      }
      await store(async (tx) => {
        const writing = await writer.begin(tx);
        await writing.add(batch);
        await writing.load();
      });
      derived += batch.length;
      undecodable += batch.filter(({ derivation }) => "error" in derivation).length;
      // A file answers synchronously. The pause lets the process handle other events, such as a signal to stop.
      await setImmediate();
    }
    return { derived, undecodable };
  };

  const deriveOne = async ({ id, nodeAbi, unpack }: Waiting, askNodeAbi: DeriveOptions["askNodeAbi"]): Promise<Derived> => {
    const code = unpack();
    const derivation = rowsOfBytecode(code, nodeAbi);
    if (askNodeAbi === undefined || nodeAbi !== null || "rows" in derivation) return { id, derivation };
    const found = await engine.first<[Address, string, Integer]>(standing, { id });
    const abi = await askNodeAbi(code, found && { address: found[0], name: found[1], version: BigInt(found[2]) });
    if (abi === undefined) return { id, derivation };
    const reported = JSON.stringify(formatNodeAbi(abi));
    return { id, derivation: rowsOfBytecode(code, reported), reported };
  };

  /** Whether more bytecodes wait than have rows, and enough for that to be the longer way. */
  const isMuch = async (): Promise<boolean> => {
    const [waits, has] = (await engine.first<[number, number]>(amounts)) ?? [0, 0];
    return waits > BULK && waits > has;
  };

  return {
    /** How many bytecodes wait for their rows. */
    underived: (): Promise<number> => countOf(engine, underived),
    /**
     * Derives the rows of all bytecode that waits for them, and of all there is where another movedex made them; in transactions of
     * at most 512, so that readers see all rows of a bytecode or none, and a run that is killed loses those of one transaction.
     * @throws StoreError `MOVEDEX_STORE_DAMAGED` for bytes that cannot be unpacked
     */
    derive: async (options: DeriveOptions = {}): Promise<DeriveResult> => {
      if (options.signal?.aborted) return { derived: 0, undecodable: 0 };
      await beginAgain();
      const isBulk = await isMuch();
      if (isBulk) {
        await beginManyRows(engine);
        await engine.run(countRows("_bytecodes"));
      }
      try {
        const many = isBulk ? await deriveMany(options.signal) : 0;
        const { derived, undecodable } = await deriveWaiting(options);
        return { derived: many + derived, undecodable };
      } finally {
        // Also where a run left them away that was killed.
        await endManyRows(engine);
      }
    },
  };
}

/**
 * Decodes bytecodes and writes their rows, until all are written or the signal comes. Other events of the process may come between two
 * bytecodes. @returns how many could be decoded. @throws StoreError `MOVEDEX_STORE_DAMAGED`
 */
async function writeAll(writing: DerivedWriting, rows: readonly Waiting[], signal: AbortSignal | undefined): Promise<number> {
  let [count, next] = [0, 0];
  let decoded: Derived[] = [];
  const decodeUntil = async (isEnough: () => boolean): Promise<void> => {
    for (; next < rows.length && !isEnough(); next++) {
      const { id, nodeAbi, unpack } = rows[next] as Waiting;
      const derivation = rowsOfBytecode(unpack(), nodeAbi);
      if ("rows" in derivation) decoded.push({ id, derivation });
      await setImmediate();
    }
  };
  for (let isOver = false; !isOver; ) {
    await decodeUntil(() => decoded.length >= DECODED);
    await writing.add(decoded);
    count += decoded.length;
    decoded = [];
    isOver = next === rows.length || signal?.aborted === true;
    if (!isOver && !writing.isFull()) continue;
    // A server takes in rows while the next bytecodes are decoded.
    let isLoaded = false;
    const load = async (): Promise<void> => {
      await writing.load();
      isLoaded = true;
    };
    const ended = await Promise.allSettled([load(), decodeUntil(() => isOver || isLoaded || decoded.length >= BATCH)]);
    for (const one of ended) if (one.status === "rejected") throw one.reason;
  }
  return count;
}
