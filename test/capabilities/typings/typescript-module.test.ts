import { stripTypeScriptTypes } from "node:module";
import { describe, expect, test } from "vitest";
import { type ModuleSpec, writeModule } from "../../../sim/index.ts";
import { makeTypings } from "../../../src/capabilities/typings/typings.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";

/** The files of one module of 0xcafe. */
function filesOf(spec: Partial<ModuleSpec>, u64: "string" | "bigint" = "string"): ReadonlyMap<string, string> {
  const module = { sha256: "0".repeat(64), abi: decodeModule(writeModule({ address: "0xcafe", name: "m", version: 8, ...spec })).abi };
  const find = (id: string) => (id === "0xcafe::m" ? module : undefined);
  return makeTypings({ chainId: 4, ledgerVersion: 1n, selection: "all", roots: ["0xcafe::m"], find, u64 }).files;
}

const typed = (spec: Partial<ModuleSpec>): string => filesOf(spec).get("0xcafe/m.ts") ?? "";

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

  test("do not rely on names that a struct may take", () => {
    const text = typed({ structs: [{ name: "Array", fields: [["items", "vector<u64>"]] }, { name: "Record" }] });
    expect(text).toContain('export type Array = { "items": $move.U64[] };\nexport type Record = { [key: string]: never };');
  });

  test("give a field named as the tag of variants one key with it", () => {
    const text = typed({ structs: [{ name: "E", variants: [{ name: "A", fields: Object.entries({ __variant__: "u8", x: "bool" }) }] }] });
    expect(text).toContain('export type E = { __variant__: "A" | number; "x": boolean };');
  });

  test("with bigints come with the reader that makes them of a node's JSON, at any depth of structs, enums and options", async () => {
    const files = filesOf(
      {
        structs: [
          {
            name: "Pair",
            typeParams: ["", ""],
            fields: [
              ["first", "T0"],
              ["second", "vector<T1>"],
              ["small", "u8"],
            ],
          },
          {
            name: "Hook",
            fields: [
              ["call", "|0x1::coin::Coin,u64|u64"],
              ["both", "0xcafe::m::Pair<|u64,u8|u64, u64>"],
            ],
          },
          { name: "E", variants: [{ name: "A", fields: [["at", "0xcafe::m::Pair<u64, 0x1::option::Option<u128>>"]] }, { name: "B" }] },
        ],
      },
      "bigint",
    );
    const read = async (name: string) => {
      const text = (files.get(name) as string).replace(/^import type .*$/gm, "");
      return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(text))}`);
    };
    const [{ readValue }, { abi }] = [await read("move.ts"), await read("0xcafe/m.ts")];
    const json = { __variant__: "A", at: { first: "51", second: [{ vec: ["18446744073709551616"] }, { vec: [] }], small: 7 } };
    expect(readValue([abi], "vector<0xcafe::m::E>", [json, { __variant__: "B" }])).toEqual([
      { __variant__: "A", at: { first: 51n, second: [{ vec: [2n ** 64n] }, { vec: [] }], small: 7 } },
      { __variant__: "B" },
    ]);
    // A function value, which typings have no type for, stays as the node gave it.
    const hook = { call: { __fun_name__: "f" }, both: { first: { __fun_name__: "g" }, second: ["51"], small: 7 } };
    expect(readValue([abi], "0xcafe::m::Hook", hook)).toEqual({ ...hook, both: { ...hook.both, second: [51n] } });
    expect(() => readValue([], "&0xcafe::m::E", json)).toThrow("no ABI of 0xcafe::m::E was given");
    expect(files.get("index.ts")).toContain("export const abis: readonly Abi[] = [$0];");
  });
});
