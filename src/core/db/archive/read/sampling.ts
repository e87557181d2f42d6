import type { Address } from "../../../move/address.ts";
import type { Engine, Row, Session, Values } from "../../engine/engine.ts";
import { countOf } from "../../engine/row-shape.ts";
import { moduleSpans } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { includesCovered } from "../snapshots/covering.ts";

export type SampledModule = { readonly address: Address; readonly name: string; readonly sha256: Uint8Array };

/** How many different things to draw, and a draw: from 0 up to 1. */
type Drawing = { readonly count: number; readonly random: () => number };

/** Draws that meet a thing drawn before are made again so often, so that a small database is drawn to its last one. */
const DRAWS_EACH = 20;

const lastBytecode = sql`SELECT max(id) FROM _bytecodes`;
const nextModule = sql<[id: number, Address, string, Uint8Array]>`SELECT b.id, a.address, s.name, b.sha256 FROM _bytecodes b
  JOIN ${moduleSpans} s ON s.bytecode_id = b.id JOIN _addresses a ON a.id = s.address_id WHERE b.id >= :start
  AND ${includesCovered("s", ":version")} ORDER BY b.id LIMIT 1`;

export function sampleModules(engine: Engine, { version, ...of }: Drawing & { readonly version: bigint }): Promise<SampledModule[]> {
  const draw = async (tx: Session) => {
    // Where no module stands, each draw would look at all bytecode.
    if ((await tx.first(nextModule, { version, start: 0 })) === undefined) return [];
    const last = await countOf(tx, lastBytecode);
    return drawEach(of, async () => {
      const found = await nearest(tx, nextModule, { version }, of.random() * last);
      return found && [found[0], { address: found[1], name: found[2], sha256: found[3] }];
    });
  };
  return engine.transaction(draw, { mode: "read" });
}

/** Draws until there are enough different things; `draw` gives one with what tells it from others. */
async function drawEach<T>({ count }: Drawing, draw: () => Promise<readonly [key: string | number, T] | undefined>): Promise<T[]> {
  const drawn = new Map<string | number, T>();
  for (let draws = 0; draws < count * DRAWS_EACH && drawn.size < count; draws++) {
    const found = await draw();
    if (found !== undefined) drawn.set(...found);
  }
  return [...drawn.values()];
}

/** The first row at or above a place, from 0, else the first of all. */
async function nearest<R extends Row>(session: Session, select: Sql<R>, values: Values, place: number): Promise<R | undefined> {
  return (await session.first(select, { ...values, start: Math.floor(place) + 1 })) ?? session.first(select, { ...values, start: 0 });
}
