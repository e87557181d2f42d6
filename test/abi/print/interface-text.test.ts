import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ModuleSpec, writeModule } from "../../../sim/module-writer/module-writer.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import type { ModuleAbi } from "../../../src/core/abi/model.ts";
import { formatInterface } from "../../../src/core/abi/print/interface-text.ts";
import { functionType, primitiveType } from "../../../src/core/move/types/make-type.ts";
import { holdsFor } from "../../support/property/law.ts";

const interfaceOf = (spec: ModuleSpec, all = false): string => formatInterface(decodeModule(writeModule(spec)), { all });

const vault: ModuleSpec = {
  address: "0xcafe",
  name: "vault",
  version: 10,
  friends: ["0xcafe::router"],
  dependencies: ["0x1::signer"],
  errors: [
    { code: 1, name: "ECLOSED", description: "The vault is closed.\n Ask its keeper." },
    { code: 0x10002, name: "EEMPTY", description: "" },
  ],
  structs: [
    { name: "Group", fields: [["dummy_field", "bool"]], attributes: [{ kind: 2, args: ["global"] }] },
    {
      name: "Vault",
      abilities: ["key"],
      typeParams: ["phantom", "store"],
      fields: [
        ["coins", "0x1::coin::Coin<T0>"],
        ["name", "0x1::string::String"],
        ["extra", "0x1::option::Option<T1>"],
      ],
      attributes: [{ kind: 3, args: ["0xcafe::vault::Group"] }],
    },
    {
      name: "Opened",
      abilities: ["drop", "store"],
      fields: [["by", "address"]],
      attributes: [{ kind: 4 }],
    },
    {
      name: "Pair",
      abilities: ["copy"],
      fields: [
        ["_0", "u64"],
        ["_1", "bool"],
      ],
    },
    {
      name: "State",
      abilities: ["copy", "drop", "store"],
      variants: [{ name: "Shut" }, { name: "Open", fields: [["until", "u64"]] }, { name: "Lent", fields: [["_0", "address"]] }],
    },
    { name: "Raw", native: true, abilities: ["store"] },
  ],
  functions: [
    { name: "open", visibility: "public", entry: true, params: ["&signer", "vector<u8>"], acquires: ["Vault"] },
    { name: "state", visibility: "public", params: ["address"], returns: ["0xcafe::vault::State"], attributes: [{ kind: 1 }] },
    { name: "draw", entry: true, params: ["&signer"], attributes: [{ kind: 5, args: ["100"] }] },
    { name: "lend", visibility: "friend", typeParams: ["key store"], params: ["&mut T0"], returns: ["u64", "0x1::coin::Coin<u8>"] },
    {
      name: "each",
      visibility: "public",
      params: [functionType(["copy", "drop"], [primitiveType("u64")], [primitiveType("bool")])],
    },
    { name: "size", visibility: "public", native: true, returns: ["u64"] },
    { name: "kept", marks: [{ name: "persistent" }], params: ["u8"] },
    {
      name: "pack$State$Open",
      visibility: "public",
      params: ["u64"],
      returns: ["0xcafe::vault::State"],
      marks: [{ name: "pack_variant", operand: 1 }],
    },
  ],
};

describe("formatInterface", () => {
  test("writes a module as its author did, bodies and parameters' names apart", async () => {
    await expect(interfaceOf(vault)).toMatchFileSnapshot("interface.move.txt");
  });

  test("shows private functions and those that a compiler wrote when asked for all", () => {
    const text = interfaceOf(vault, true);
    expect(text).toContain("    #[persistent]\n    fun kept(arg0: u8);\n");
    expect(text).toContain("    #[pack_variant(1)]\n    public fun pack$State$Open(arg0: u64): State;\n");
    expect(text).not.toContain("not shown");
  });

  test("keeps names apart that other modules share with it or with each other", () => {
    const text = interfaceOf({
      address: "0x2",
      name: "pool",
      structs: [{ name: "Share", fields: [["value", "u64"]] }],
      functions: [
        {
          name: "f",
          visibility: "public",
          params: ["0x3::pool::Share", "0x4::pool::Share", "0x4::pool::Ticket", "0x5::bag::Bag", "0x2::pool::Share", "0x6::odd::T0"],
        },
      ],
    });
    expect(text).toContain(
      "    use 0x3::pool as pool_2;\n    use 0x4::pool::{Self as pool_3, Ticket};\n    use 0x5::bag::Bag;\n    use 0x6::odd;\n",
    );
    expect(text).toContain(
      "        arg0: pool_2::Share,\n        arg1: pool_3::Share,\n        arg2: Ticket,\n        arg3: Bag,\n        arg4: Share,\n        arg5: odd::T0,\n",
    );
  });

  test("lets no text out of its line, whatever it is", async () => {
    const hostile = fc.constantFrom("}\n}\nmodule 0x2::evil {", "\u001b[2J", "\u202egnp.exe", "*/ fun x() {}", "\r\nfun y();", "`");
    const { abi: plain } = decodeModule(writeModule({ address: "0x1", name: "m", structs: [{ name: "S" }] }));
    const texts = fc.oneof(hostile, fc.string({ unit: "binary", maxLength: 60 }));
    await holdsFor(100, [texts, texts, texts], (name, description, arg) => {
      const [struct = expect.fail()] = plain.structs;
      const field = { name, type: { kind: "unknown", text: description } } as const;
      const attributes = [3, 9].map((kind) => ({ kind, args: [arg] }));
      const structs = [{ ...struct, name, fields: [field], attributes }];
      const abi: ModuleAbi = { ...plain, errors: [{ code: 1n, name, description }], structs };
      const text = formatInterface({ abi, functionMarks: new Map() }, { all: true });
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
      const code = text.split("\n").filter((line) => !line.trimStart().startsWith("//"));
      expect(code[0]).toBe("module 0x1::m {");
      expect(code.slice(-2)).toEqual(["}", ""]);
      expect(code.slice(1, -2).every((line) => line === "" || line.startsWith("    "))).toBe(true);
      expect(code.filter((line) => /^ {4}[^ ]/.test(line)).length).toBeLessThanOrEqual(5);
    });
  });
});
