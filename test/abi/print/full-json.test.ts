import { expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { decodeModule } from "../../../src/abi/decode.ts";
import { formatFullModule } from "../../../src/abi/print/full-json.ts";

test("formatFullModule prints all that the bytes say", () => {
  const bytes = writeModule({
    version: 10,
    address: "0x2",
    name: "m",
    friends: ["0x2::friend"],
    dependencies: ["0x1::other"],
    structs: [
      {
        name: "E",
        abilities: ["drop"],
        typeParams: ["phantom store"],
        variants: [{ name: "V", fields: [["x", "i8"]] }],
        attributes: [{ kind: 3, args: ["0x1::object::ObjectGroup"] }],
      },
    ],
    functions: [
      {
        name: "pack$E$V",
        native: true,
        acquires: ["E"],
        marks: [{ name: "pack_variant", operand: 0 }, { name: "persistent" }],
        attributes: [{ kind: 1 }],
      },
    ],
    errors: [{ code: 18_446_744_073_709_551_615n, name: "E_LAST", description: "the last code" }],
    compilation: { unstable: false, compiler_version: "2.3", language_version: "2.4" },
  });
  expect(JSON.parse(JSON.stringify(formatFullModule(decodeModule(bytes))))).toEqual({
    address: "0x2",
    name: "m",
    friends: ["0x2::friend"],
    dependencies: ["0x1::other"],
    functions: [
      {
        name: "pack$E$V",
        visibility: "private",
        is_entry: false,
        is_view: true,
        is_native: true,
        generic_type_params: [],
        params: [],
        return: [],
        acquires: ["E"],
        attributes: [{ kind: 1, args: [] }],
        bytecode_attributes: [{ name: "pack_variant", operand: 0 }, { name: "persistent" }],
      },
    ],
    structs: [
      {
        name: "E",
        is_native: false,
        is_event: false,
        is_enum: true,
        abilities: ["drop"],
        generic_type_params: [{ constraints: ["store"], is_phantom: true }],
        fields: [],
        variants: [{ name: "V", fields: [{ name: "x", type: "i8" }] }],
        attributes: [{ kind: 3, args: ["0x1::object::ObjectGroup"] }],
      },
    ],
    errors: [{ code: "18446744073709551615", name: "E_LAST", description: "the last code" }],
    compilation: { unstable: false, compiler_version: "2.3", language_version: "2.4" },
  });
});
