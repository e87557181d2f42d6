import { readFileSync, statSync } from "node:fs";
import { decodeModule } from "../abi/decode.ts";
import { formatFullModule } from "../abi/full-json.ts";
import { formatNodeAbi, type NodeAbiJson } from "../abi/node-json.ts";
import { printable } from "../base/printable.ts";
import { sha256Hex } from "../base/sha256.ts";
import { DecodeError } from "../move/decode-error.ts";
import { readBytecodeVersion } from "../move/self-id.ts";

/** One line of `decode`. `module` is there with `--full`; `sha256` is null when the file could not be read. */
export type DecodedLine =
  | {
      readonly file: string;
      readonly sha256: string;
      readonly bytecode_version: number;
      readonly abi: NodeAbiJson;
      readonly module?: ReturnType<typeof formatFullModule>;
    }
  | {
      readonly file: string;
      readonly sha256: string | null;
      readonly bytecode_version?: number;
      /** `offset` is in bytes, null when the file could not be read. */
      readonly error: { readonly code: string; readonly offset: number | null; readonly message: string };
    };

/** A module has at most some hundred KiB; what is larger than this many bytes is another kind of file. */
const FILE_SIZE_MAX = 16 * 1024 * 1024;

/** Decodes one file. Whatever the file is, it gives a line and throws nothing. */
export function decodeFile(file: string, full: boolean): DecodedLine {
  let bytes: Uint8Array;
  try {
    bytes = readModuleFile(file);
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

function readModuleFile(file: string): Uint8Array {
  const status = statSync(file);
  if (status.isDirectory()) throw new Error("it is a directory; name the files in it");
  if (!status.isFile()) throw new Error("it is not a regular file");
  if (status.size > FILE_SIZE_MAX) throw new Error(`it has ${status.size} bytes, and no module has more than ${FILE_SIZE_MAX}`);
  return readFileSync(file);
}
