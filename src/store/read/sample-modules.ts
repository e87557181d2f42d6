import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import { MODULE_SPANS } from "../../schema/sql/spans.ts";
import type { Synchronous } from "../connection/asynchronous.ts";

/** A module that stands at a snapshot. */
export type SampledModule = { readonly address: Address; readonly name: string; readonly sha256: Uint8Array };

/** Random modules of a snapshot. */
export type ModuleSampleStore = {
  /** Up to `count` modules with different bytecode that stand at a sealed snapshot, drawn with `random` (from 0 up to 1). */
  readonly sampleModules: (wanted: {
    readonly version: bigint;
    readonly count: number;
    readonly random: () => number;
  }) => Promise<SampledModule[]>;
};

/** Draws that meet bytecode drawn before are made again so often. */
const DRAWS_PER_MODULE = 20;

/** Prepares the drawing of modules on a connection. */
export function prepareModuleSample(database: Database): Synchronous<ModuleSampleStore> {
  const largest = database.prepare<[], bigint | null>("SELECT max(id) FROM bytecodes").pluck();
  const next = database.prepare<[{ version: bigint; start: bigint }], SampledModule & { readonly id: bigint }>(
    `SELECT b.id, a.address, s.name, b.sha256 FROM bytecodes b JOIN ${MODULE_SPANS} s ON s.bytecode_id = b.id JOIN addresses a ON a.id = s.address_id ` +
      "WHERE b.id >= @start AND s.from_version <= @version AND (s.to_version IS NULL OR s.to_version >= @version) " +
      "AND EXISTS (SELECT 1 FROM coverage c WHERE c.address_id = s.address_id AND c.from_version <= @version " +
      "AND (c.to_version IS NULL OR c.to_version >= @version)) ORDER BY b.id LIMIT 1",
  );
  return {
    sampleModules: ({ version, count, random }) => {
      const last = Number(largest.get() ?? 0n);
      const drawn = new Map<bigint, SampledModule>();
      for (let draw = 0; draw < count * DRAWS_PER_MODULE && drawn.size < count; draw++) {
        const start = BigInt(Math.floor(random() * last) + 1);
        const found = next.get({ version, start }) ?? next.get({ version, start: 0n });
        if (found === undefined) break;
        drawn.set(found.id, { address: found.address, name: found.name, sha256: found.sha256 });
      }
      return [...drawn.values()];
    },
  };
}
