import { initSync, TransactionComposer, wasmModule } from "@aptos-labs/script-composer-pack";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { formatLongAddress } from "../../../src/core/move/address.ts";
import { DecodeError } from "../../../src/core/move/decode-error.ts";

/** The node's own deserializer and bounds checker, compiled to WASM: it accepts a module or says why not. */
type NodeReader = {
  /** The module's name as `<64 digits>::name`, or undefined when it is refused. */
  readonly read: (bytes: Uint8Array) => string | undefined;
  /** How often the WASM broke down instead of answering. */
  readonly panics: () => number;
};

/** A reader keeps every module it accepts; after this many it is replaced, so that memory stays flat. */
const CALLS_MAX = 5_000;

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

/** Starts the reader. It is @aptos-labs/script-composer-pack 0.2.4, which knows versions 1 to 10. */
function openNodeReader(): NodeReader {
  initSync({ module: wasmModule });
  let composer = TransactionComposer.single_signer();
  let calls = 0;
  let panics = 0;
  return {
    read: (bytes) => {
      if (++calls % CALLS_MAX === 0) {
        composer.free();
        composer = TransactionComposer.single_signer();
      }
      try {
        return composer.store_module(bytes);
      } catch (error) {
        if ((error as Error).name === "RuntimeError") {
          // A trap leaves the instance in an unknown state.
          panics++;
          initSync({ module: wasmModule });
          composer = TransactionComposer.single_signer();
        }
        return undefined;
      }
    },
    panics: () => panics,
  };
}
