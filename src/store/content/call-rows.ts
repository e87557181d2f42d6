import type { Address } from "../../move/address.ts";
import { callsOf } from "../../move/code/calls.ts";

/** One function's calls into one module: a row of `function_calls`, with the module by what it is called. */
export type CallRow = readonly [caller: string, address: Address, module: string, callees: string];

/**
 * Characters of the calls of one module. The largest real framework module has 14,000; since a call names its function by a
 * number, one that was built for it could have a hundred million.
 */
const CALLS_SIZE_MAX = 1024 * 1024;

/** How many rows one bytecode can bring: places are counted in 16 bits. */
const ROWS_MAX = 65_536;

/** What a module's functions call, as rows, each once; none if that is too much to store. @throws DecodeError */
export function callRows(code: Uint8Array): readonly CallRow[] {
  const rows: CallRow[] = [];
  let size = 0;
  for (const { caller, callees } of callsOf(code).calls) {
    for (const of of Map.groupBy(callees, ({ module }) => `${module.address}::${module.name}`).values()) {
      const [{ module }] = of as [(typeof of)[number]];
      const names = [...new Set(of.map(({ name }) => name))];
      size += names.reduce((sum, name) => sum + name.length, caller.name.length);
      if (size > CALLS_SIZE_MAX || rows.length === ROWS_MAX) return [];
      rows.push([caller.name, module.address, module.name, JSON.stringify(names)]);
    }
  }
  return rows;
}
