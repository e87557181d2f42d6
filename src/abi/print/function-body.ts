import { Disassembler, type Disassembly } from "../../move/code/disassemble.ts";
import { type FunctionCode, parseCode } from "../../move/code/read-code.ts";

/** Finds the body of a function by its name, as lines between braces; undefined if it is native. */
export type BodyOf = (name: string) => readonly string[] | undefined;

/**
 * Reads the instructions of a module, of one function if it is named. Each has its index before it, the place that an abort's
 * `code_offset` names; labels stand where branches go to. @throws DecodeError
 */
export function readBodies(bytes: Uint8Array, only?: string): BodyOf {
  const bodies = new Map<string, readonly string[]>();
  const disassembler = new Disassembler();
  for (const code of parseCode(bytes).functions()) {
    const { name } = code.definition.handle;
    if (code.definition.isNative || (only !== undefined && name !== only)) continue;
    bodies.set(name, bodyLines(disassembler.disassemble(code)));
  }
  return (name) => bodies.get(name);
}

/** The body of a function that was read; undefined if it is native. */
export function formatBody(code: FunctionCode): readonly string[] | undefined {
  return code.definition.isNative ? undefined : bodyLines(new Disassembler().disassemble(code));
}

function bodyLines({ locals, instructions, targets }: Disassembly): string[] {
  const width = Math.max(4, String(instructions.length - 1).length);
  return [
    ...locals.map(({ name, type }) => `    ${name}: ${type}`),
    ...instructions.flatMap((instruction, i) => {
      const line = `${String(i).padStart(width)}: ${instruction}`;
      return targets.has(i) ? [`L${i}:`, line] : [line];
    }),
  ];
}
