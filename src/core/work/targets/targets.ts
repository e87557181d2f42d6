import type { Engine } from "../../db/engine/engine.ts";
import { countOf } from "../../db/engine/row-shape.ts";
import { sql } from "../../db/schema/sql/sql.ts";
import type { Address } from "../../move/address.ts";

const active = sql<[Address]>`SELECT a.address FROM _targets t JOIN _addresses a ON a.id = t.address_id WHERE t.removed_at IS NULL
  ORDER BY t.address_id`;
const one = sql`SELECT 1 FROM _targets t JOIN _addresses a ON a.id = t.address_id WHERE a.address = :address AND t.removed_at IS NULL`;
const any = sql`SELECT 1 FROM _targets WHERE removed_at IS NULL LIMIT 1`;
const count = sql`SELECT count(*) FROM _targets WHERE removed_at IS NULL`;

/** The list of accounts to read, as runs ask for it. */
export function targetQueries(engine: Engine) {
  return {
    hasTargets: async (): Promise<boolean> => (await engine.first(any)) !== undefined,
    isTarget: async (address: Address): Promise<boolean> => (await engine.first(one, { address })) !== undefined,
    countTargets: (): Promise<number> => countOf(engine, count),
    /** Active targets in the order of their rows, as they are when the walk begins: the database may be written meanwhile. */
    activeTargets: async function* (): AsyncIterable<Address> {
      for await (const rows of engine.stream(active)) for (const [address] of rows) yield address;
    },
  };
}
