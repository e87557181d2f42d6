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

/** The instructions that something leads to. */
function liveIn({ instructions }: FunctionCode): ReadonlySet<number> {
  const live = new Set<number>();
  const next = [0];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    const { name, index } = instructions[at] ?? {};
    if (name === undefined || live.has(at)) continue;
    live.add(at);
    if (/^Br/.test(name)) next.push(index as number);
    if (!/^(?:Branch|Ret|Abort)/.test(name)) next.push(at + 1);
  }
  return live;
}

/** A small edit of an instruction: the place of a byte, and what stands there then. */
function editOf(code: FunctionCode, { at, opcode, row }: Place): readonly [kind: string, at: number, byte: number] | undefined {
  const name = OPCODE_NAMES[opcode] as string;
  if (name === "LdTrue" || name === "LdFalse") return ["truth", at, OPCODE_NAMES.indexOf(name === "LdTrue" ? "LdFalse" : "LdTrue")];
  const rows = code.rows[OPERAND[opcode] as number] ?? [];
  const own = rows[row];
  const other = rows.findIndex((one, i) => {
    if (i === row || own === undefined || one.kind !== own.kind) return false;
    // The same one with other type arguments is of another type, which the VM refuses.
    if (one.kind === "field" && own.kind === "field")
      return one.struct === own.struct && one.field !== own.field && one.field.type.text === own.field.type.text;
    if (one.kind !== "variant" || own.kind !== "variant" || one.struct !== own.struct || one.variant === own.variant) return false;
    return name.startsWith("Test") || JSON.stringify(one.variant.fields) === JSON.stringify(own.variant.fields);
  });
  return other < 0 || row > 127 || other > 127 || !/^(?:Test|Pack|\w*BorrowField)/.test(name)
    ? undefined
    : [own?.kind ?? "", at + 1, other];
}

testReleases("a truth value, a variant or a field in place of another is told, wherever it stands in real code", () => {
  const read = moduleReader();
  const [newest] = readReleases().slice(-1);
  const kinds = new Set<string>();
  const silent: string[] = [];
  for (const name of ["fungible_asset", "option", ...(sized(0, 1) === 1 ? ["account", "big_ordered_map", "stake"] : [])]) {
    const was = read(newest?.modules.get(`0x1::${name}`) ?? "");
    for (const [fn, code] of readFunctions(was.bytes)) {
      if (was.abi.functions.find((one) => one.name === fn)?.visibility !== "public") continue;
      const live = liveIn(code);
      for (const [i, place] of placesOf(code).entries()) {
        const [kind, at, byte] = editOf(code, place) ?? [];
        // What nothing leads to is not done. Compilers leave there the other side of a condition that they know.
        if (kind === undefined || !live.has(i)) continue;
        const bytes = Uint8Array.from(was.bytes, (old, i) => (i === at ? (byte as number) : old));
        const found = differenceOf(was, { ...decodeModule(bytes), bytes, sha256: sha256Hex(bytes) })?.findings ?? [];
        kinds.add(kind);
        if (!found.some(({ rule }) => isBehaviour(rule))) silent.push(`${kind} in ${name}::${fn} at ${i}`);
      }
    }
  }
  expect([...kinds].sort()).toEqual(["field", "truth", "variant"]);
  expect(silent).toEqual([]);
});
