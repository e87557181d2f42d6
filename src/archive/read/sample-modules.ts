import type { Engine } from "../../engine/engine.ts";
import { countOf } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { holds, moduleSpans } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";

/** A module that stands at a snapshot. */
export type SampledModule = { readonly address: Address; readonly name: string; readonly sha256: Uint8Array };

/** Draws that meet bytecode drawn before are made again so often. */
const DRAWS_PER_MODULE = 20;

const largest = sql`SELECT max(id) FROM _bytecodes`;
const next = sql`SELECT b.id, a.address, s.name, b.sha256 FROM _bytecodes b JOIN ${moduleSpans} s ON s.bytecode_id = b.id JOIN _addresses a ON a.id = s.address_id
  WHERE b.id >= :start AND ${holds("s", ":version")}
  AND EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = s.address_id AND ${holds("c", ":version")}) ORDER BY b.id LIMIT 1`;

export function prepareModuleSample(engine: Engine) {
  return {
    /** Up to `count` modules with different bytecode that stand at a sealed snapshot, drawn with `random` (from 0 up to 1). */
    sampleModules: ({
      version,
      count,
      random,
    }: {
      readonly version: bigint;
      readonly count: number;
      readonly random: () => number;
    }): Promise<SampledModule[]> =>
      engine.transaction(
        async (tx) => {
          const last = await countOf(tx, largest);
          const from = (start: number) => tx.first<[id: number, Address, name: string, Uint8Array]>(next, { version, start });
          const drawn = new Map<number, SampledModule>();
          for (let draw = 0; draw < count * DRAWS_PER_MODULE && drawn.size < count; draw++) {
            const found = (await from(Math.floor(random() * last) + 1)) ?? (await from(0));
            if (found === undefined) break;
            const [id, address, name, sha256] = found;
            drawn.set(id, { address, name, sha256 });
          }
          return [...drawn.values()];
        },
        { mode: "read" },
      ),
  };
}
