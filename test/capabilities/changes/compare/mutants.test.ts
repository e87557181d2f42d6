import { expect } from "vitest";
import { differenceOf } from "../../../../src/capabilities/changes/compare/difference.ts";
import { isBehaviour } from "../../../../src/capabilities/changes/compare/rules/rules.ts";
import { decodeModule } from "../../../../src/core/abi/decode.ts";
import { sha256Hex } from "../../../../src/core/base/sha256.ts";
import { type FunctionCode, readFunctions } from "../../../../src/core/move/code/read-code.ts";
import { TABLE_INDEX_MAX } from "../../../../src/core/move/module/cursor.ts";
import { IMMEDIATE_BYTES, MASK, OPCODE_NAMES, OPERAND, operand } from "../../../../src/core/move/module/opcodes.ts";
import { sized } from "../../../run-size.ts";
import { moduleReader, readReleases, testReleases } from "../../../support/index.ts";

type Place = { readonly at: number; readonly opcode: number; readonly row: number };

/** Where the instructions of a function begin, and the rows of tables that they name. */
function placesOf(code: FunctionCode): Place[] {
  const cursor = code.open();
  return Array.from({ length: code.length }, () => {
    const at = cursor.at;
    const opcode = cursor.u8();
    const row = OPERAND[opcode] === operand.none ? 0 : cursor.uleb(TABLE_INDEX_MAX);
    const bytes = IMMEDIATE_BYTES[opcode] as number;
    if (bytes === MASK) cursor.skipU64();
    else cursor.skip(bytes);
    return { at, opcode, row };
  });
}

/** A small edit of an instruction: the place of a byte, and what stands there then. */
function editOf(code: FunctionCode, { at, opcode, row }: Place): readonly [kind: string, at: number, byte: number] | undefined {
  const name = OPCODE_NAMES[opcode] as string;
  if (name === "LdTrue" || name === "LdFalse") return ["truth", at, OPCODE_NAMES.indexOf(name === "LdTrue" ? "LdFalse" : "LdTrue")];
  const rows = code.rows[OPERAND[opcode] as number] ?? [];
  const own = rows[row];
  const other = rows.findIndex((one, i) => {
    if (i === row || own === undefined || one.kind !== own.kind) return false;
    if (one.kind === "field" && own.kind === "field") return one.struct === own.struct && one.field.type.text === own.field.type.text;
    if (one.kind !== "variant" || own.kind !== "variant" || one.struct !== own.struct) return false;
    return name.startsWith("Test") || JSON.stringify(one.variant.fields) === JSON.stringify(own.variant.fields);
  });
  return other < 0 || row > 127 || other > 127 || !/^(?:Test|Pack|\w*BorrowField)/.test(name)
    ? undefined
    : [own?.kind ?? "", at + 1, other];
}

testReleases("a truth value, a variant or a field in place of another is told, wherever it stands in real code", () => {
  const read = moduleReader();
  const [newest] = readReleases().slice(-1);
  const all = new Map<string, number>();
  const silent = new Map<string, number>();
  for (const name of ["fungible_asset", "option", ...(sized(0, 1) === 1 ? ["account", "big_ordered_map", "stake"] : [])]) {
    const was = read(newest?.modules.get(`0x1::${name}`) ?? "");
    for (const [fn, code] of readFunctions(was.bytes)) {
      if (was.abi.functions.find((one) => one.name === fn)?.visibility !== "public") continue;
      for (const place of placesOf(code)) {
        const [kind, at, byte] = editOf(code, place) ?? [];
        if (kind === undefined) continue;
        const bytes = Uint8Array.from(was.bytes, (old, i) => (i === at ? (byte as number) : old));
        const found = differenceOf(was, { ...decodeModule(bytes), bytes, sha256: sha256Hex(bytes) })?.findings ?? [];
        all.set(kind, (all.get(kind) ?? 0) + 1);
        if (!found.some(({ rule }) => isBehaviour(rule))) silent.set(kind, (silent.get(kind) ?? 0) + 1);
      }
    }
  }
  expect([...all.keys()].sort()).toEqual(["field", "truth", "variant"]);
  // What nothing leads to is not done.
  for (const [kind, count] of all) expect((silent.get(kind) ?? 0) / count, kind).toBeLessThan(0.2);
});
