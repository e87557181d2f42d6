import type { Session, Transaction } from "../engine/engine.ts";
import { StoreError } from "../engine/errors.ts";
import { writeChecksum } from "../schema/sql/checksum.ts";
import { sql } from "../schema/sql/sql.ts";
import { workTables } from "../schema/tables/work.ts";

const chain = sql<[number | null]>`SELECT chain_id FROM _archive`;
const setChain = sql`UPDATE _archive SET chain_id = :chain::int`;
const check = writeChecksum(workTables.archive);

/** The chain that everything in a database is from, null before the first snapshot. */
export async function readChain(session: Session): Promise<number | null> {
  return (await session.first(chain))?.[0] ?? null;
}

/** Says which chain a database is of, as a node or an archive told. @throws StoreError `MOVEDEX_STORE_CHAIN` when it is of another */
export async function bindChain(tx: Transaction, wanted: number, source: "node" | "archive"): Promise<void> {
  const bound = await readChain(tx);
  if (bound === null) {
    await tx.run(setChain, { chain: wanted });
    await tx.run(check, { id: 1 });
  } else if (bound !== wanted) {
    const nothing = source === "node" ? "Nothing was written" : "Nothing was imported";
    const text = `this database is of chain ${bound}, and the ${source} is of chain ${wanted}. ${nothing}. Use another --db for another chain.`;
    throw new StoreError("MOVEDEX_STORE_CHAIN", text, { facts: { stored: bound, found: wanted } });
  }
}
