import type { Database } from "better-sqlite3";
import { type DecodedModule, decodeModule } from "../../abi/decode.ts";
import type { ModuleAbi } from "../../abi/model.ts";
import { parseNodeAbi } from "../../abi/node-json/parse.ts";
import { DecodeError } from "../../move/decode-error.ts";
import type { CodeReader } from "./code-blobs.ts";

/**
 * What a stored module holds. `decoded` came from its bytes; `told` is what a node said of bytes that movedex cannot read,
 * and leaves out all that nodes leave out; neither when nobody could say anything.
 */
export type StoredContent = { readonly bytes: Uint8Array; readonly bytecodeVersion: number | null } & (
  | { readonly kind: "decoded"; readonly module: DecodedModule }
  | { readonly kind: "told"; readonly abi: ModuleAbi }
  | { readonly kind: "unreadable"; readonly reason: string }
);

type Row = { readonly node_abi: string | null; readonly bytecode_version: bigint | null };

/** Prepares reading modules by the number of their bytecode's row, from their bytes where these can be decoded. The rows of their ABI are not needed. */
export function prepareContentReader(database: Database, codes: CodeReader): (module: { readonly bytecode: bigint }) => StoredContent {
  const find = database.prepare<[bigint], Row>("SELECT node_abi, bytecode_version FROM bytecodes WHERE id = ?");
  return ({ bytecode }) => {
    const row = find.get(bytecode);
    const bytes = codes.byId(bytecode);
    if (row === undefined || bytes === undefined) throw new RangeError(`there is no bytecode ${bytecode}`);
    const bytecodeVersion = row.bytecode_version === null ? null : Number(row.bytecode_version);
    try {
      return { bytes, bytecodeVersion, kind: "decoded", module: decodeModule(bytes) };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      if (row.node_abi !== null) return { bytes, bytecodeVersion, kind: "told", abi: parseNodeAbi(JSON.parse(row.node_abi)) };
      return { bytes, bytecodeVersion, kind: "unreadable", reason: error.message };
    }
  };
}
