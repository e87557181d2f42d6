import { parseHex } from "../base/bytes.ts";
import { DecodeError } from "../move/decode-error.ts";

/** A compiled module: the bytes of a `.mv` file, or a module as a node answers it in JSON. */
export type ModuleSource = Uint8Array | { readonly bytecode: string };

/** The bytes of a module. @throws DecodeError when the JSON holds no hex text */
export function bytesOf(source: ModuleSource): Uint8Array {
  if (source instanceof Uint8Array) return source;
  const bytes = typeof source.bytecode === "string" ? parseHex(source.bytecode) : undefined;
  if (bytes === undefined) throw new DecodeError("malformed", "the bytecode is not hex text", 0);
  return bytes;
}
