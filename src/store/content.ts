import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Database } from "better-sqlite3";
import { equalBytes } from "../base/bytes.ts";
import { formatHex } from "../base/hex.ts";
import { sha256 } from "../base/sha256.ts";
import { type AbiWriter, prepareAbiWriter } from "./abi-rows.ts";
import { StoreError } from "./errors.ts";
import type { ModuleContent, ObservedModule } from "./observed.ts";
import type { Statements } from "./sqlite-statements.ts";

/** What is written as decoder beside a failure to decode. */
const DECODER = "movedex";

/** The content-addressed part of the database: bytecode and what was derived from it. */
export type ContentStore = {
  /** The row of a module's bytecode, written when it is new. */
  readonly intern: (module: ObservedModule) => { readonly id: bigint; readonly isNew: boolean };
  /** The plain bytes of stored bytecode. */
  readonly readCode: (sha256: Uint8Array) => Uint8Array | undefined;
};

/** Prepares the content-addressed part of a connection. `intern` belongs inside a transaction. */
export function prepareContent(database: Database, statements: Statements): ContentStore {
  const insert = database.prepare(
    "INSERT INTO bytecodes (sha256, size, bytecode_version, code, abi_id, decoder, error_code, error_offset, error_message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const code = database.prepare<[Uint8Array], { code: Uint8Array; size: bigint }>("SELECT code, size FROM bytecodes WHERE sha256 = ?");
  const writeAbi = prepareAbiWriter(database);
  return {
    intern: (module) => {
      const known = statements.bytecodeId.get(module.sha256);
      if (known !== undefined) return { id: known, isNew: false };
      const content = checkContent(module);
      const row = insert.run(
        module.sha256,
        content.code.length,
        content.bytecodeVersion,
        compress(content.code),
        ...decodedColumns(content, writeAbi),
      );
      return { id: BigInt(row.lastInsertRowid), isNew: true };
    },
    readCode: (digest) => {
      const row = code.get(digest);
      return row === undefined ? undefined : decompress(row.code, Number(row.size));
    },
  };
}

function decodedColumns({ decoded }: ModuleContent, writeAbi: AbiWriter) {
  if ("abi" in decoded) return [writeAbi(decoded.abi, decoded.decoder), decoded.decoder, null, null, null];
  return [null, DECODER, decoded.error.code, decoded.error.offset, decoded.error.message];
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

function compress(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes);
}

function decompress(stored: Uint8Array, size: number): Uint8Array {
  return new Uint8Array(zstdDecompressSync(stored, { maxOutputLength: Math.max(size, 1) }));
}
