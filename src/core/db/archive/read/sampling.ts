import type { Address } from "../../../move/address.ts";
import type { Engine, Session } from "../../engine/engine.ts";
import { countOf } from "../../engine/row-shape.ts";
import { moduleSpans } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { includesCovered } from "../snapshots/covering.ts";

export type SampledModule = { readonly address: Address; readonly name: string; readonly sha256: Uint8Array };

/** Draws for each wanted module: some meet bytecode that was drawn before. With so many a small database is drawn whole. */
const DRAWS_EACH = 20;

const lastBytecode = sql`SELECT max(id) FROM _bytecodes`;
const nextModule = sql<[id: number, Address, string, Uint8Array]>`SELECT b.id, a.address, s.name, b.sha256 FROM _bytecodes b
  JOIN ${moduleSpans} s ON s.bytecode_id = b.id JOIN _addresses a ON a.id = s.address_id WHERE b.id >= :start
  AND length(a.address) > :beyond AND ${includesCovered("s", ":version")} ORDER BY b.id LIMIT 1`;

/** How many modules of different bytecode to draw from a snapshot. `random` gives 0 up to 1. `isOfUsers` leaves out the framework's. */
type Drawing = { readonly version: bigint; readonly count: number; readonly random: () => number; readonly isOfUsers?: boolean };

export function sampleModules(engine: Engine, { version, count, random, isOfUsers = false }: Drawing): Promise<SampledModule[]> {
  const beyond = isOfUsers ? "0xf".length : 0;
  const draw = async (tx: Session) => {
    const first = await tx.first(nextModule, { version, start: 0, beyond });
    // Without any module in the snapshot, each draw would look at all bytecode.
    if (first === undefined) return [];
    const last = await countOf(tx, lastBytecode);
    const drawn = new Map<number, SampledModule>();
    for (let draws = 0; draws < count * DRAWS_EACH && drawn.size < count; draws++) {
      const start = Math.floor(random() * last) + 1;
      const [id, address, name, sha256] = (await tx.first(nextModule, { version, start, beyond })) ?? first;
      drawn.set(id, { address, name, sha256 });
    }
    return [...drawn.values()];
  };
  return engine.transaction(draw, { mode: "read" });
}
