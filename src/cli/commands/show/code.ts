import type { FunctionAbi, StructAbi } from "../../../abi/model.ts";
import { formatNodeFunction } from "../../../abi/node-json/format.ts";
import { type BodyOf, readBodies } from "../../../abi/print/function-body.ts";
import type { StoredContent } from "../../../archive/content/stored-content.ts";
import { Disassembler } from "../../../move/code/disassemble.ts";
import { readCode } from "../../../move/code/read-code.ts";
import { DecodeError } from "../../../move/decode-error.ts";
import { NotHeldError } from "../../../questions/not-held.ts";

/** The bodies of the functions to print, for `--code`. @throws NotHeldError when the instructions cannot be read */
export function readShownBodies(content: StoredContent, item: FunctionAbi | StructAbi | undefined): BodyOf {
  return fromCode(content, () => readBodies(content.bytes, item?.name));
}

export function codeJson(content: StoredContent, functions: readonly FunctionAbi[]): unknown[] {
  return fromCode(content, () => {
    const disassembler = new Disassembler();
    const codes = new Map(Array.from(readCode(content.bytes).functions(), (code) => [code.definition.handle.name, code]));
    return functions.map((fn) => {
      const code = codes.get(fn.name);
      if (code === undefined || fn.isNative) return { ...formatNodeFunction(fn), locals: null, code: null };
      const { locals, instructions } = disassembler.disassemble(code);
      return { ...formatNodeFunction(fn), locals, code: instructions };
    });
  });
}

function fromCode<T>(content: StoredContent, read: () => T): T {
  if (content.kind === "reported") throw new NotHeldError("the instructions cannot be read: the bytecode is newer than this movedex.");
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new NotHeldError(`the instructions cannot be shown: ${error.message}. A single function may be: name it.`);
  }
}
