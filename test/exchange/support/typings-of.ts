import type { ModuleSpec } from "../../../sim/module-writer/module-spec.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { decodeModule } from "../../../src/abi/decode.ts";
import { makeTypings } from "../../../src/exchange/typings/typings.ts";

/** The files that typings of one module of 0xcafe come as. */
export function typingsOf(spec: Partial<ModuleSpec>, name = "m"): ReadonlyMap<string, string> {
  const id = `0xcafe::${name}`;
  const module = { sha256: "0".repeat(64), abi: decodeModule(writeModule({ address: "0xcafe", name, version: 8, ...spec })).abi };
  const find = (other: string) => (other === id ? module : undefined);
  return makeTypings({ chainId: 4, ledgerVersion: 1n, selection: "all", roots: [id], find, u64: "string" }).files;
}
