import type { Integer, Session, Transaction } from "../engine/engine.ts";
import { StoreError } from "../engine/errors.ts";
import { isAsWritten, writeChecksum } from "../schema/sql/checksum.ts";
import { jsonEach } from "../schema/sql/functions.ts";
import { sql } from "../schema/sql/sql.ts";
import { workTables } from "../schema/tables/work.ts";

type ChainId = Integer | null;

const chain = sql<[number | null]>`SELECT chain_id FROM _archive`;
const setChain = sql`UPDATE _archive SET chain_id = :chain::int`;
const check = writeChecksum(workTables.archive);
const isIntact = isAsWritten(workTables.archive);
const damaged = sql<[ChainId]>`SELECT _archive.chain_id FROM _archive WHERE _archive.checksum IS NOT NULL AND NOT ${isIntact}`;
// The row with each number that a chain can have, and with none.
const proven = sql<[ChainId]>`SELECT _archive.chain_id FROM (SELECT a.id, CAST(j.value AS bigint) AS chain_id, a.created_by, a.created_at,
  a.views_digest, a.checksum FROM _archive a JOIN ${jsonEach(":candidates::json", "j")} ON true) AS _archive WHERE ${isIntact}`;

/** Chain ids are one byte. */
const candidates = JSON.stringify([null, ...Array.from({ length: 256 }, (_, id) => id)]);

/** The chain that everything in a database is from, null before the first snapshot. */
export async function readChain(session: Session): Promise<number | null> {
  return (await session.first(chain))?.[0] ?? null;
}

/** Says which chain a database is of, as a node or an archive told. @throws StoreError `MOVEDEX_STORE_CHAIN` when it is of another */
export async function bindChain(tx: Transaction, wanted: number, toldBy: "node" | "archive"): Promise<void> {
  const bound = await readChain(tx);
  if (bound === null) {
    await tx.run(setChain, { chain: wanted });
    await tx.run(check, { id: 1 });
  } else if (bound !== wanted) {
    const nothing = toldBy === "node" ? "Nothing was written" : "Nothing was imported";
    const text = `this database is of chain ${bound}, and the ${toldBy} is of chain ${wanted}. ${nothing}. Use another --db for another chain.`;
    throw new StoreError("MOVEDEX_STORE_CHAIN", text, { facts: { stored: bound, found: wanted } });
  }
}

/**
 * Restores the chain's number where it was damaged and the checksum of its row proves which one was written; else every run would
 * refuse the right node. @returns what was changed, undefined when nothing was
 */
export async function mendChainId(session: Session, label: string): Promise<string | undefined> {
  const [before] = (await session.first(damaged)) ?? [];
  const [chain] = before === undefined ? [] : ((await session.first(proven, { candidates })) ?? []);
  if (before === undefined || chain === undefined) return undefined;
  await session.run(setChain, { chain });
  return (
    `the chain id of \`${label}\` was damaged (${before ?? "none"}) and is ${chain ?? "none"} again, ` +
    "which the checksum of its row proves; look at the disk, and run `movedex verify`"
  );
}
