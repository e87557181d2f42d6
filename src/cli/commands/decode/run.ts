import { decodeModule } from "../../../abi/decode.ts";
import { formatNodeAbi } from "../../../abi/node-json/format.ts";
import { formatFullModule } from "../../../abi/print/full-json.ts";
import { printable } from "../../../base/printable.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import { DecodeError } from "../../../move/decode-error.ts";
import { readBytecodeVersion } from "../../../move/module/self-id.ts";
import { readModuleBytes } from "../../options/module-file.ts";

/**
 * Decodes one file. Whatever the file is, it gives a line and throws nothing. If the file could not be read, `sha256` and `offset`
 * (in bytes) are null.
 */
export function decodeFile(file: string, full: boolean) {
  let bytes: Uint8Array;
  try {
    bytes = readModuleBytes(file);
  } catch (error) {
    return { file, sha256: null, error: { code: "MOVEDEX_FILE_UNREADABLE", offset: null, message: printable((error as Error).message) } };
  }
  const sha256 = sha256Hex(bytes);
  try {
    const decoded = decodeModule(bytes);
    const line = { file, sha256, bytecode_version: decoded.bytecodeVersion, abi: formatNodeAbi(decoded.abi) };
    return full ? { ...line, module: formatFullModule(decoded) } : line;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const version = readBytecodeVersion(bytes);
    const { code, offset, message } = error;
    return { file, sha256, ...(version === undefined ? {} : { bytecode_version: version }), error: { code, offset, message } };
  }
}
