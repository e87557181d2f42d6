import { describe, expect, test } from "vitest";
import type { ModuleSpec } from "../../sim/module-writer/module-spec.ts";
import { writeModule } from "../../sim/module-writer/module-writer.ts";
import { decodeModule } from "../../src/abi/decode.ts";
import { makeTypings } from "../../src/exchange/typings/typings.ts";

/** The typings of one module of 0xcafe. */
function typed(spec: Partial<ModuleSpec>): string {
  const module = {
    sha256: "0".repeat(64),
    abi: decodeModule(writeModule({ address: "0xcafe", name: "m", version: 8, ...spec })).abi,
  };
  const find = (id: string) => (id === "0xcafe::m" ? module : undefined);
  const { files } = makeTypings({ chainId: 4, ledgerVersion: 1n, selection: "all", roots: ["0xcafe::m"], find, u64: "string" });
  return files.get("0xcafe/m.ts") ?? "";
}

describe("typings of a module", () => {
  test("name unused type parameters so that TypeScript does not report them", () => {
    const text = typed({
      structs: [
        { name: "Pair", typeParams: ["", "phantom"], fields: [["first", "T0"]] },
        { name: "Twice", typeParams: [""], variants: [{ name: "A", fields: [["x", "vector<T0>"]] }, { name: "B" }] },
      ],
    });
    expect(text).toContain('export type Pair<T0, _T1> = { "first": T0 };');
    expect(text).toContain('export type Twice<T0> = { __variant__: "A"; "x": T0[] } | { __variant__: "B" };');
  });

  test("refer to the module's own structs without importing the module", () => {
    const text = typed({
      structs: [
        { name: "Coin", fields: [["value", "u64"]] },
        { name: "Store", fields: [["coin", "0xcafe::m::Coin"]] },
      ],
    });
    expect(text).toContain('export type Store = { "coin": Coin };');
    expect(text.match(/^import .*$/gm)).toEqual([`import type * as $move from "../move.js";`]);
  });

  test("do not rely on names that a struct may take", () => {
    const text = typed({ structs: [{ name: "Array", fields: [["items", "vector<u64>"]] }, { name: "Record" }] });
    expect(text).toContain('export type Array = { "items": $move.U64[] };\nexport type Record = { [key: string]: never };');
  });

  test("give a field named as the tag of variants one key with it", () => {
    const text = typed({
      structs: [{ name: "E", variants: [{ name: "A", fields: Object.entries({ __variant__: "u8", x: "bool" }) }] }],
    });
    expect(text).toContain('export type E = { __variant__: "A" | number; "x": boolean };');
  });

  test("spell types with < and >, as people read them", () => {
    const text = typed({ functions: [{ name: "f", visibility: "public", params: ["vector<vector<u8>>"] }] });
    expect(text).toContain('"vector<vector<u8>>"');
    expect(text).not.toContain("\\u003c");
  });
});
