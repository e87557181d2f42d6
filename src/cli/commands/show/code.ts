import type { FunctionAbi, StructAbi } from "../../../abi/model.ts";
import { formatNodeFunction } from "../../../abi/node-json/format.ts";
import { type BodyOf, readBodies } from "../../../abi/print/function-body.ts";
import type { StoredContent } from "../../../archive/content/stored-content.ts";
import { Disassembler } from "../../../move/code/disassemble.ts";
import { parseCode } from "../../../move/code/read-code.ts";
import { DecodeError } from "../../../move/decode-error.ts";
import { NotHeldError } from "../../../questions/not-held.ts";
import type { Colour, Paint } from "../../output/terminal.ts";

/** The bodies of the functions to print, for `--code`. @throws NotHeldError when the instructions cannot be read */
export function readShownBodies(content: StoredContent, item: FunctionAbi | StructAbi | undefined): BodyOf {
  return fromCode(content, () => readBodies(content.bytes, item?.name));
}

export function codeJson(content: StoredContent, functions: readonly FunctionAbi[]): unknown[] {
  return fromCode(content, () => {
    const disassembler = new Disassembler();
    const codes = new Map(Array.from(parseCode(content.bytes).functions(), (code) => [code.definition.handle.name, code]));
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

const KEYWORDS = "module|use|as|friend|public|package|entry|native|fun|struct|enum|const|has|acquires|phantom|mut|copy|drop|store|key|Self";
const TYPES = "bool|u8|u16|u32|u64|u128|u256|i8|i16|i32|i64|i128|i256|address|signer|vector";

/** What Move source is made of, in the order in which it is looked for. A field called `key` looks like the ability. */
const PARTS = new RegExp(
  `(?<comment>//[^\\n]*)|(?<attribute>#\\[[^\\n]*\\])|(?<keyword>\\b(?:${KEYWORDS})\\b)|(?<type>\\b(?:${TYPES})\\b|\\b[A-Z]\\w*)|(?<number>\\b0x[0-9a-f]+\\b|\\b\\d+\\b)`,
  "g",
);

const COLOURS: Readonly<Record<string, Colour>> = {
  comment: "gray",
  attribute: "magenta",
  keyword: "blue",
  type: "cyan",
  number: "yellow",
};

export function highlightMove(source: string, paint: Paint): string {
  return source.replace(PARTS, (text, ...rest) => {
    const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "";
    return paint(COLOURS[kind] ?? "gray", text);
  });
}
