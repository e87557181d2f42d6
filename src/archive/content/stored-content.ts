import type { LoadedModule } from "../../abi/compare/sides.ts";
import { type DecodedModule, decodeModule } from "../../abi/decode.ts";
import type { ModuleAbi } from "../../abi/model.ts";
import { parseNodeAbi } from "../../abi/node-json/parse.ts";
import { present } from "../../base/invariant.ts";
import type { Session } from "../../engine/engine.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { sql } from "../../schema/sql/sql.ts";
import { readCode } from "./read-code.ts";

/**
 * What a stored module holds. `decoded` came from its bytes; `reported` is what a node said of bytes that movedex cannot read,
 * and leaves out all that nodes leave out; neither when there is no reading of them.
 */
export type StoredContent = { readonly bytes: Uint8Array; readonly bytecodeVersion: number | null } & (
  | { readonly kind: "decoded"; readonly module: DecodedModule }
  | { readonly kind: "reported"; readonly abi: ModuleAbi }
  | { readonly kind: "unreadable"; readonly reason: string }
);

const find = sql`SELECT node_abi, bytecode_version FROM _bytecodes WHERE id = :id`;

/** Reads a module by the number of its bytecode's row, from its bytes where these can be decoded. The rows of its ABI are not needed. */
export async function readContent(session: Session, id: bigint): Promise<StoredContent> {
  const row = await session.first<[nodeAbi: string | null, bytecodeVersion: number | null]>(find, { id });
  const [nodeAbi, bytecodeVersion] = present(row, `there is no bytecode ${id}`);
  const bytes = present(await readCode(session, id), `there is no bytecode ${id}`);
  try {
    return { bytes, bytecodeVersion, kind: "decoded", module: decodeModule(bytes) };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    if (nodeAbi !== null) return { bytes, bytecodeVersion, kind: "reported", abi: parseNodeAbi(JSON.parse(nodeAbi)) };
    return { bytes, bytecodeVersion, kind: "unreadable", reason: error.message };
  }
}

export function loadContent(content: StoredContent, sha256: string): LoadedModule {
  if (content.kind === "unreadable") return { unreadable: content.reason };
  if (content.kind === "decoded") return { module: { ...content.module, bytes: content.bytes, sha256 } };
  return {
    module: { abi: content.abi, functionMarks: new Map(), bytes: content.bytes, sha256 },
    partial: "its bytecode is newer than this movedex; only what a node's ABI shows was compared",
  };
}
