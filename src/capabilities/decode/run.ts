import { decodeModule } from "../../core/abi/decode.ts";
import { formatNodeAbi } from "../../core/abi/node-json/format.ts";
import { printable } from "../../core/base/printable.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import type { Io } from "../../core/cli/io.ts";
import { FILE_SIZE_MAX, readModuleBytes } from "../../core/cli/options/module-file.ts";
import { ConfigError } from "../../core/errors.ts";
import { DecodeError } from "../../core/move/decode-error.ts";
import { isScript, readBytecodeVersion } from "../../core/move/module/self-id.ts";
import { formatFullModule } from "./full-json.ts";
import { bytecodesIn } from "./read-modules.ts";

/** Decodes the modules of one file, or of stdin for `-`: a line for each. Whatever the file is, it gives a line and throws nothing. */
export async function decodeFile(io: Pick<Io, "stdin">, file: string, full: boolean) {
  let input: Uint8Array;
  try {
    input = file === "-" ? await readStdin(io) : readModuleBytes(file);
  } catch (error) {
    const message = printable((error as Error).message);
    return [{ file, sha256: null, error: { code: "MOVEDEX_FILE_UNREADABLE", offset: null, message } }];
  }
  return bytecodesIn(input).map((bytes) => ({ file, ...decodeBytes(bytes, full) }));
}

function decodeBytes(bytes: Uint8Array, full: boolean) {
  const sha256 = sha256Hex(bytes);
  if (isScript(bytes)) return { sha256, bytecode_version: readBytecodeVersion(bytes), error: SCRIPT };
  try {
    const decoded = decodeModule(bytes);
    const line = { sha256, bytecode_version: decoded.bytecodeVersion, abi: formatNodeAbi(decoded.abi) };
    return full ? { ...line, module: formatFullModule(decoded) } : line;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const version = readBytecodeVersion(bytes);
    const { code, offset, message } = error;
    return {
      sha256,
      ...(version === undefined ? {} : { bytecode_version: version }),
      error: { code, offset, message: version === undefined ? `${message}. ${WANTED}` : message },
    };
  }
}

const WANTED = "It is neither bytecode nor hex, base64 or a node's JSON of modules";
const SCRIPT = { code: "MOVEDEX_DECODE_MALFORMED", offset: 0, message: "it is a script, not a module; a script has no ABI" };

async function readStdin(io: Pick<Io, "stdin">): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin()) {
    bytes += chunk.length;
    if (bytes > FILE_SIZE_MAX) throw new ConfigError(`stdin has more than ${FILE_SIZE_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
