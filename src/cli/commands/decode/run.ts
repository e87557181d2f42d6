import { decodeModule } from "../../../abi/decode.ts";
import { formatNodeAbi, type NodeAbiJson } from "../../../abi/node-json/format.ts";
import { formatFullModule } from "../../../abi/print/full-json.ts";
import { printable } from "../../../base/printable.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import { DecodeError } from "../../../move/decode-error.ts";
import { readBytecodeVersion } from "../../../move/module/self-id.ts";
import { readModuleBytes } from "../../options/module-file.ts";

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

/** Decodes one file. Whatever the file is, it gives a line and throws nothing. */
export function decodeFile(file: string, full: boolean): DecodedLine {
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
