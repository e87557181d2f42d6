import type { Database } from "better-sqlite3";
import { formatNodeAbi } from "../../abi/node-json/format.ts";
import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { sha256 } from "../../base/sha256.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import type { Integer, Transaction } from "../engine/engine.ts";
import { StoreError } from "../errors.ts";
import type { ModuleContent, ObservedModule } from "../snapshots/visit-model.ts";
import { packCode, prepareCodeReader } from "./code-blobs.ts";
import { prepareKnownBytecodes } from "./known-bytecodes.ts";

/** What reading a node asks of the bytecode that is stored. */
export type BytecodeStore = {
  /** Whether bytecode is stored, so that it need not come with a visit. */
  readonly knowsBytecode: (sha256: Uint8Array) => Promise<boolean>;
};

/** The content-addressed part of the database: bytecode, whose rows follow later. */
export type ContentStore = {
  /**
   * The row of a module's bytecode, written when it is new. `address` is the row of the account that holds the module.
   * `older` names bytecode of an older version to pack it with; without it, the newest that the spans show.
   */
  readonly intern: (address: bigint, module: ObservedModule, older?: Uint8Array) => { readonly id: bigint; readonly isNew: boolean };
  /** The same for many modules, in their order. */
  readonly internAll: (
    tx: Transaction,
    modules: readonly { readonly address: Integer; readonly module: ObservedModule }[],
  ) => Promise<{ readonly id: Integer; readonly isNew: boolean }[]>;
  /** Whether bytecode is stored. To be called outside a transaction. */
  readonly knows: (sha256: Uint8Array) => boolean;
};

/** Prepares the content-addressed part of a connection. `intern` belongs inside a transaction. */
export function prepareContent(database: Database, statements: HotStatements): ContentStore {
  const insert = database.prepare("INSERT INTO bytecodes (sha256, size, bytecode_version, code, node_abi) VALUES (?, ?, ?, ?, ?)");
  const newest = database
    .prepare<[string, bigint], Uint8Array>(
      "SELECT b.sha256 FROM listing_spans s JOIN listing_modules m ON m.listing_id = s.listing_id AND m.name = ? JOIN bytecodes b ON b.id = m.bytecode_id " +
        "WHERE s.address_id = ? ORDER BY s.from_version DESC LIMIT 1",
    )
    .pluck();
  const reader = prepareCodeReader(database);
  const knownBytecodes = prepareKnownBytecodes(statements);
  const intern: ContentStore["intern"] = (address, module, packedWith) => {
    const known = knownBytecodes.remembered(module.sha256) ?? statements.bytecodeId.get(module.sha256);
    if (known !== undefined) return { id: known, isNew: false };
    const { code, bytecodeVersion, nodeAbi } = checkContent(module);
    const older = packedWith ?? newest.get(module.name, address);
    const base = older === undefined ? undefined : reader.baseOf(older);
    const told = nodeAbi === undefined ? null : JSON.stringify(formatNodeAbi(nodeAbi));
    const row = insert.run(module.sha256, code.length, bytecodeVersion, packCode(code, base), told);
    return { id: BigInt(row.lastInsertRowid), isNew: true };
  };
  return {
    intern,
    // On SQLite's own connection, in whose transaction this is.
    internAll: async (_, modules) =>
      modules.map(({ address, module }) => {
        const { id, isNew } = intern(BigInt(address), module);
        return { id: Number(id), isNew };
      }),
    knows: (sha256) => knownBytecodes.find(sha256) !== undefined,
  };
}
function checkContent(module: ObservedModule): ModuleContent {
  const { content } = module;
  const digest = formatHex(module.sha256);
  const facts = { module: module.name, sha256: digest };
  if (content === undefined) {
    throw new StoreError(
      "MOVEDEX_STORE_VISIT",
      `the bytecode ${digest} of module \`${module.name}\` is not stored yet and did not come with the visit`,
      { facts },
    );
  }
  if (!equalBytes(sha256(content.code), module.sha256)) {
    throw new StoreError("MOVEDEX_STORE_VISIT", `the bytes of module \`${module.name}\` do not have the SHA-256 ${digest} they came with`, {
      facts,
    });
  }
  return content;
}
