import type { FunctionCode } from "../../core/move/code/read-code.ts";
import { INSTRUCTION_COUNT_MAX, TABLE_INDEX_MAX } from "../../core/move/module/cursor.ts";
import { IMMEDIATE_BYTES, MASK, OPERAND, operand } from "../../core/move/module/opcodes.ts";

/** The instructions of one function after another in columns: without an object for each, and always in the same place. */
export class InstructionColumns {
  readonly opcodes = new Uint8Array(INSTRUCTION_COUNT_MAX);
  /** A local variable, the instruction that a branch goes to, or the row of a table; 0 where there is no operand. */
  readonly operands = new Uint16Array(INSTRUCTION_COUNT_MAX);
  /** Where each begins in the module's bytes. */
  readonly offsets = new Uint32Array(INSTRUCTION_COUNT_MAX);

  read(code: FunctionCode): void {
    const cursor = code.open();
    for (let i = 0; i < code.length; i++) {
      this.offsets[i] = cursor.at;
      const opcode = cursor.u8();
      this.opcodes[i] = opcode;
      this.operands[i] = OPERAND[opcode] === operand.none ? 0 : cursor.uleb(TABLE_INDEX_MAX);
      const bytes = IMMEDIATE_BYTES[opcode] as number;
      if (bytes === MASK) cursor.skipU64();
      else if (bytes > 0) cursor.skip(bytes);
    }
  }
}
