import { setImmediate } from "node:timers/promises";
import type { ModuleAbi } from "../../../abi/model.ts";
import { formatNodeAbi } from "../../../abi/node-json/format.ts";
import type { Address } from "../../../move/address.ts";
import type { ModuleId } from "../../../move/module-id.ts";
import type { Engine, Integer, Transaction } from "../../engine/engine.ts";
import { contentTurn, spansTurn } from "../../schema/sql/functions.ts";
import { moduleSpans } from "../../schema/sql/predicates.ts";
import { named, sql } from "../../schema/sql/sql.ts";
import { countTables, derivedTables } from "../../schema/tables/derived.ts";
import { type CodeCells, codeColumns, codeJoin, readBases } from "./code-blobs.ts";
import { rowsOfBytecode } from "./derivation.ts";
import { beginManyRows, endManyRows, isBulk } from "./derived-indexes.ts";
import { derivedRowWriter, type Failed, type Stored } from "./derived-writer.ts";
import { countDerived } from "./type-counts.ts";

export type DeriveResult = { readonly derived: number; readonly undecodable: number };

export type StandingAt = ModuleId & { readonly version: bigint };

export type DeriveOptions = {
  /** Ends the work after the batch that is being written; the rest waits. */
  readonly signal?: AbortSignal;
  /** Asks a node for its ABI of bytes that cannot be decoded. `standing` is such a module in a sealed snapshot. */
  readonly askNodeAbi?: (code: Uint8Array, standing: StandingAt | undefined) => Promise<ModuleAbi | undefined>;
};

/** Tables grow while a run writes: what a server planned for small ones would read all of large ones. */
const byIndexes = { joins: "as-written" } as const;

const BATCH = 256;

const waiting = sql<[id: number, nodeAbi: string | null, ...code: CodeCells]>`SELECT b.id, b.node_abi, ${codeColumns}
  FROM _bytecodes b ${codeJoin} WHERE b.derived_by IS NULL AND b.id > :after ORDER BY b.id LIMIT :limit`;
const standing = sql<[Address, string, Integer]>`SELECT a.address, s.name, s.from_version FROM ${moduleSpans} s
  JOIN _addresses a ON a.id = s.address_id WHERE s.bytecode_id = :id ORDER BY s.from_version DESC LIMIT 1`;
const forget = sql`UPDATE _bytecodes SET derived_by = NULL, abi_id = NULL, error_code = NULL, error_offset = NULL, error_message = NULL`;
const settled = sql<[hasRows: number]>`SELECT abi_id IS NOT NULL FROM _bytecodes WHERE id = :id AND derived_by IS NOT NULL`;
const storeNodeAbi = sql`UPDATE _bytecodes SET node_abi = :reported::json WHERE id = :id`;
const markFailed = sql`UPDATE _bytecodes SET derived_by = :derivedBy, error_code = :code, error_offset = :offset, error_message = :message
  WHERE id = :id`;

type Waiting = { readonly id: number; readonly nodeAbi: string | null; readonly unpack: () => Uint8Array };

export async function storeFailure(tx: Transaction, id: number, { derivedBy, error }: Failed): Promise<void> {
  await tx.run(markFailed, { id, derivedBy, ...error });
}

export async function forgetRows(tx: Transaction): Promise<void> {
  await tx.all(contentTurn);
  await tx.all(spansTurn);
  await tx.run(forget);
  for (const { name } of Object.values({ ...derivedTables, ...countTables }).reverse()) await tx.run(sql`DELETE FROM ${named(name)}`);
  await derivedRowWriter().rebuildIndex(tx);
}

/** Derives the rows of the bytecodes that wait, as many as `count`, a batch in a transaction. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export async function deriveWaiting(engine: Engine, count: number, { signal, askNodeAbi }: DeriveOptions): Promise<DeriveResult> {
  const writer = derivedRowWriter();

  const write = async (tx: Transaction, stored: readonly Stored[]): Promise<ReadonlyMap<number, Failed>> => {
    const failed = await writer.writeStored(tx, stored);
    const ids = stored.flatMap(({ id }) => (failed.has(id) ? [] : [id]));
    await countDerived(tx, ids);
    return failed;
  };

  const deriveBatch = async (tx: Transaction, after: number) => {
    await tx.all(contentTurn);
    const rows = await tx.all(waiting, { after, limit: BATCH });
    const unpack = await readBases(
      tx,
      rows.map(([, , ...code]) => code),
    );
    const batch = rows.map(([id, nodeAbi, ...code]): Waiting => ({ id, nodeAbi, unpack: () => unpack(code).code }));
    const stored = batch.map(({ id, nodeAbi, unpack }) => ({ id, derive: () => rowsOfBytecode(unpack(), nodeAbi) }));
    return { batch, failed: await write(tx, stored) };
  };

  /** Asks a node of bytes that cannot be decoded. @returns whether they have rows now; undefined if the run is to end */
  const settle = async ({ id, nodeAbi, unpack }: Waiting, failed: Failed): Promise<boolean | undefined> => {
    const code = unpack();
    const [address, name, version] = (await engine.first(standing, { id })) ?? [];
    const at = address && name !== undefined && version !== undefined ? { address, name, version: BigInt(version) } : undefined;
    const abi = nodeAbi === null ? await askNodeAbi?.(code, at) : undefined;
    if (abi === undefined && signal?.aborted) return undefined;
    const reported = abi && JSON.stringify(formatNodeAbi(abi));
    return engine.transaction(async (tx) => {
      await tx.all(contentTurn);
      // By another process meanwhile, or by this one, whose COMMIT went unanswered.
      const [hasRows] = (await tx.first(settled, { id })) ?? [];
      if (hasRows !== undefined) return hasRows === 1;
      if (reported === undefined) return storeFailure(tx, id, failed).then(() => false);
      await tx.run(storeNodeAbi, { id, reported });
      return (await write(tx, [{ id, derive: () => rowsOfBytecode(code, reported) }])).size === 0;
    });
  };

  const result = { derived: 0, undecodable: 0 };
  if (await isBulk(engine, count)) await beginManyRows(engine);
  try {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after;
      const { batch, failed } = await engine.transaction((tx) => deriveBatch(tx, from), byIndexes);
      result.derived += batch.length - failed.size;
      for (const one of batch) {
        const why = failed.get(one.id);
        const isSettled = why === undefined || signal?.aborted ? undefined : await settle(one, why);
        if (isSettled !== undefined) result.derived += 1;
        if (isSettled === false) result.undecodable += 1;
      }
      after = batch.length < BATCH || signal?.aborted ? undefined : batch.at(-1)?.id;
      // A file answers synchronously. The pause lets the process handle other events, such as a signal to stop.
      await setImmediate();
    }
  } finally {
    // Also where a run left them away that was killed.
    await endManyRows(engine);
  }
  return result;
}
