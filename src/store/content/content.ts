import type { Database } from "better-sqlite3";
import { formatNodeAbi } from "../../abi/node-json/format.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import type { ObservedModule } from "../snapshots/visit-model.ts";
import { checkContent } from "./bytecodes.ts";
import { packCode, prepareCodeReader } from "./code-blobs.ts";

/** The storing of bytecode on SQLite's own connection, for imports; visits store theirs by `Bytecodes`. */
export type ContentStore = {
  /**
   * The row of a module's bytecode, written when it is new. `address` is the row of the account that holds the module.
   * `older` names bytecode of an older version to pack it with; without it, the newest that the spans show.
   */
  readonly intern: (address: bigint, module: ObservedModule, older?: Uint8Array) => { readonly id: bigint; readonly isNew: boolean };
};

/** Prepares the storing of bytecode on a connection. `intern` belongs inside a transaction. */
export function prepareContent(database: Database, statements: HotStatements): ContentStore {
  const insert = database.prepare("INSERT INTO bytecodes (sha256, size, bytecode_version, code, node_abi) VALUES (?, ?, ?, ?, ?)");
  const newest = database
    .prepare<[string, bigint], Uint8Array>(
      "SELECT b.sha256 FROM listing_spans s JOIN listing_modules m ON m.listing_id = s.listing_id AND m.name = ? JOIN bytecodes b ON b.id = m.bytecode_id " +
        "WHERE s.address_id = ? ORDER BY s.from_version DESC LIMIT 1",
    )
    .pluck();
  const reader = prepareCodeReader(database);
  const intern: ContentStore["intern"] = (address, module, packedWith) => {
    const known = statements.bytecodeId.get(module.sha256);
    if (known !== undefined) return { id: known, isNew: false };
    const { code, bytecodeVersion, nodeAbi } = checkContent(module);
    const older = packedWith ?? newest.get(module.name, address);
    const base = older === undefined ? undefined : reader.baseOf(older);
    const told = nodeAbi === undefined ? null : JSON.stringify(formatNodeAbi(nodeAbi));
    const row = insert.run(module.sha256, code.length, bytecodeVersion, packCode(code, base), told);
    return { id: BigInt(row.lastInsertRowid), isNew: true };
  };
  return { intern };
}
