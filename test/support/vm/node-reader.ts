import { initSync, TransactionComposer, wasmModule } from "@aptos-labs/script-composer-pack";

/** The node's own deserializer and bounds checker, compiled to WASM: it accepts a module or says why not. */
export type NodeReader = {
  /** The module's name as `<64 digits>::name`, or undefined when it is refused. */
  readonly read: (bytes: Uint8Array) => string | undefined;
  /** How often the WASM broke down instead of answering. */
  readonly panics: () => number;
};

/** A reader keeps every module it accepts; after this many it is replaced, so that memory stays flat. */
const CALLS_MAX = 5_000;

/** Starts the reader. It is @aptos-labs/script-composer-pack 0.2.4, which knows versions 1 to 10. */
export function openNodeReader(): NodeReader {
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
