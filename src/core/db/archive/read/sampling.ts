import type { Address } from "../../../move/address.ts";
import type { Engine, Session } from "../../engine/engine.ts";
import { countOf } from "../../engine/row-shape.ts";
import { moduleSpans } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { includesCovered } from "../snapshots/covering.ts";

export type SampledModule = { readonly address: Address; readonly name: string; readonly sha256: Uint8Array };

/** Draws that meet a bytecode drawn before are made again so often, so that a small database is drawn to its last one. */
const DRAWS_EACH = 20;

const lastBytecode = sql`SELECT max(id) FROM _bytecodes`;
const nextModule = sql<[id: number, Address, string, Uint8Array]>`SELECT b.id, a.address, s.name, b.sha256 FROM _bytecodes b
  JOIN ${moduleSpans} s ON s.bytecode_id = b.id JOIN _addresses a ON a.id = s.address_id WHERE b.id >= :start
  AND length(a.address) > :beyond AND ${includesCovered("s", ":version")} ORDER BY b.id LIMIT 1`;

/** What of a snapshot to draw: how many modules of different bytecode, a draw, from 0 up to 1, and whether the framework's are left out. */
type Drawing = { readonly version: bigint; readonly count: number; readonly random: () => number; readonly isOfUsers?: boolean };

export function sampleModules(engine: Engine, { version, count, random, isOfUsers = false }: Drawing): Promise<SampledModule[]> {
  const beyond = isOfUsers ? "0xf".length : 0;
  const draw = async (tx: Session) => {
    const first = await tx.first(nextModule, { version, start: 0, beyond });
    // Where no module stands, each draw would look at all bytecode.
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
