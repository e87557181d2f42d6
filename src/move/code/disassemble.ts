import { DecodeError } from "../decode-error.ts";
import { OPERAND, operand } from "../module/opcodes.ts";
import type { Reference } from "../module/references.ts";
import { formatMoveType } from "../types/format-type.ts";
import type { MoveType } from "../types/types.ts";
import { formatInstruction, formatReference, type OperandWords } from "./format-instruction.ts";
import type { FunctionCode, Instruction } from "./read-code.ts";

export type Disassembly = {
  /** The local variables after the parameters, the first of which is `loc2` if there are two parameters. */
  readonly locals: readonly { readonly name: string; readonly type: string }[];
  /** The instructions in their order: `MoveLoc arg0`, `BrFalse L6`. */
  readonly instructions: readonly string[];
  /** The instructions that branches go to: the one at index 6 is called `L6`. */
  readonly targets: ReadonlySet<number>;
};

/**
 * Characters of one module in words. The largest real framework module has a quarter of a million; as names are repeated by
 * reference, one that was built for it could have gigabytes.
 */
export const DISASSEMBLY_SIZE_MAX = 16 * 1024 * 1024;

/** Puts functions of one module into words. What several instructions name is spelled out once. */
export class Disassembler {
  private readonly references = new Map<Reference, string>();
  private size = 0;

  /** @throws DecodeError (`MOVEDEX_DECODE_LIMIT`) when all functions together become larger than `DISASSEMBLY_SIZE_MAX` */
  disassemble({ definition, locals, instructions }: FunctionCode): Disassembly {
    const params = definition.handle.params.types.length;
    const words: OperandWords = {
      index: (instruction, index) => (isBranch(instruction) ? `L${index}` : localName(index, params)),
      reference: (reference) => this.spellOut(reference),
    };
    return {
      locals: locals.map((type, i) => {
        this.add(type.text.length);
        return { name: localName(params + i, params), type: formatMoveType(type) };
      }),
      instructions: instructions.map((instruction) => {
        const text = formatInstruction(instruction, words);
        this.add(text.length);
        return text;
      }),
      targets: new Set(instructions.filter(isBranch).map(({ index = 0 }) => index)),
    };
  }

  private spellOut(reference: Reference): string {
    const known = this.references.get(reference);
    if (known !== undefined) return known;
    // Before its types are joined to one text, which may be the largest that there is.
    for (const { text } of typesOf(reference)) this.add(text.length);
    const text = formatReference(reference);
    this.references.set(reference, text);
    return text;
  }

  private add(length: number): void {
    this.size += length;
    if (this.size > DISASSEMBLY_SIZE_MAX)
      throw new DecodeError("limit", `its instructions in words have more than ${DISASSEMBLY_SIZE_MAX} characters`, undefined);
  }
}

/** Whether an instruction's index is the instruction that it goes to, rather than a local variable. */
export function isBranch({ opcode }: Instruction): boolean {
  return OPERAND[opcode] === operand.offset;
}

/** Parameters are the first local variables; bytecode keeps no names of either. */
function localName(index: number, params: number): string {
  return index < params ? `arg${index}` : `loc${index}`;
}

function typesOf(reference: Reference): readonly MoveType[] {
  if (reference.kind === "constant") return [reference.type];
  return reference.kind === "types" ? reference.types : reference.typeArguments;
}
