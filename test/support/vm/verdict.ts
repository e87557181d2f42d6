import { decodeModule } from "../../../src/abi/decode.ts";
import { formatLongAddress } from "../../../src/move/address.ts";
import { DecodeError } from "../../../src/move/decode-error.ts";
import { openNodeReader } from "./node-reader.ts";

/**
 * Where movedex and the node's reader are meant to differ, by error code, and why. All else is the same: the versions,
 * bytes after the module (both ignore them), `$` in names, every limit.
 */
const differences: Readonly<Record<string, string>> = {
  MOVEDEX_DECODE_LIMIT:
    "a module larger than a chain can store, a table with rows that no index reaches, an interface of more than 4 MiB of text",
};

const node = openNodeReader();

/**
 * What movedex makes of a module's bytes: `accepted`, or the message of its `DecodeError`. Any other error goes through, and
 * a node's reader that sees it otherwise is an error too.
 */
export function verdict(bytes: Uint8Array): string {
  const theirs = node.read(bytes);
  if (node.panics() > 0) throw new Error("the node's reader broke down");
  try {
    const { address, name } = decodeModule(bytes).abi;
    const ours = `${formatLongAddress(address).slice(2)}::${name}`;
    if (theirs === ours) return "accepted";
    throw new Error(`movedex accepts ${ours}, the node ${theirs ?? "refuses it"}`);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    if (theirs === undefined || differences[error.code] !== undefined) return error.message;
    throw new Error(`the node accepts ${theirs}, movedex refuses it: ${error.message}`);
  }
}
