import type { Database } from "better-sqlite3";
import { decodeModule } from "../../abi/decode.ts";
import type { ModuleAbi } from "../../abi/model.ts";
import { formatNodeAbi } from "../../abi/node-json/format.ts";
import { parseNodeAbi } from "../../abi/node-json/parse.ts";
import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { sha256 } from "../../base/sha256.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { readBytecodeVersion } from "../../move/module/self-id.ts";
import { type CodeReader, prepareCodeReader } from "../content/code-blobs.ts";
import { DERIVED_BY, TOLD_BY_NODE } from "../content/content.ts";
import { prepareAbiReader } from "../content/read-abi.ts";
import { StoreError } from "../errors.ts";
import { prepareAbiComparison } from "./abi-damage.ts";
import { type Check, countOf, type Damage, inSlice, type Slice } from "./check.ts";

type Row = {
  readonly id: bigint;
  readonly sha256: Uint8Array;
  readonly size: bigint;
  readonly bytecode_version: bigint | null;
  readonly abi_id: bigint | null;
  readonly derived_by: string | null;
  readonly error_code: string | null;
  readonly error_offset: bigint | null;
  readonly error_message: string | null;
};

type Decoded = { readonly abi: ModuleAbi } | { readonly error: DecodeError };

/**
 * Every bytecode: unpacked and hashed again, decoded again, and the rows of its ABI compared with what came of it. Where an
 * ABI came from a node, because movedex could not decode the bytes, its rows are held against their own digests.
 */
export function bytecodeCheck(database: Database, slice: Slice): Check {
  const where = inSlice("id", slice);
  const rows = database.prepare<[], Row>(
    "SELECT id, sha256, size, bytecode_version, abi_id, derived_by, error_code, error_offset, error_message FROM bytecodes " +
      `WHERE ${where} ORDER BY id`,
  );
  const codes = prepareCodeReader(database);
  const compareAbi = prepareAbiComparison(database);
  const readAbi = prepareAbiReader(database);

  const toldAbi = (id: number): Damage[] => {
    try {
      // All that a node's JSON leaves out is empty in its rows.
      return compareAbi(id, parseNodeAbi(JSON.parse(JSON.stringify(formatNodeAbi(readAbi(BigInt(id)))))));
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof DecodeError || error instanceof RangeError || error instanceof TypeError))
        throw error;
      return [{ table: "abis", row: `abi ${id}`, problem: `a row behind it is not what it should be: ${printable(error.message)}` }];
    }
  };
  const derived = (row: Row, code: Uint8Array): Damage[] => {
    const wrong = (problem: string): Damage[] => [{ table: "bytecodes", row: nameOf(row), problem }];
    const abi = row.abi_id === null ? undefined : Number(row.abi_id);
    if (row.derived_by === null)
      return abi === undefined && !hasError(row) ? [] : wrong("its ABI is still to come, and one or an error is stored");
    if (row.derived_by !== DERIVED_BY && row.derived_by !== TOLD_BY_NODE)
      return wrong(`its ABI was derived by \`${printable(row.derived_by)}\``);
    if (abi !== undefined && hasError(row)) return wrong("an error is stored beside its ABI");
    const decoded = decode(code);
    if ("abi" in decoded) {
      if (abi !== undefined && row.derived_by === DERIVED_BY) return compareAbi(abi, decoded.abi);
      return isFromOlderDecoder(row) ? [] : wrong("the bytes can be decoded, and no ABI of their own is stored");
    }
    if (abi !== undefined) {
      return row.derived_by === TOLD_BY_NODE ? toldAbi(abi) : wrong("the bytes cannot be decoded, and an ABI derived from them is stored");
    }
    const { error } = decoded;
    const isSame = row.error_code === error.code && row.error_offset === BigInt(error.offset) && row.error_message === error.message;
    if (row.derived_by !== DERIVED_BY) return wrong("no ABI is stored, and a node is said to have given one");
    return isSame ? [] : wrong(`another error is stored than decoding gives: ${printable(error.message)}`);
  };

  const damageOf = (row: Row): Damage[] => {
    const wrong = (problem: string): Damage[] => [{ table: "bytecodes", row: nameOf(row), problem }];
    const code = unpack(codes, row.id);
    if (code === undefined) return wrong("cannot be unpacked");
    if (!equalBytes(sha256(code), row.sha256)) return wrong(`the bytes have the SHA-256 ${formatHex(sha256(code))}`);
    if (BigInt(code.length) !== row.size) return wrong(`${code.length} bytes, and ${row.size} are said to be`);
    const version = readBytecodeVersion(code);
    if ((version === undefined ? null : BigInt(version)) !== row.bytecode_version) {
      return wrong(`the bytes are of version ${version ?? "unknown"}, and ${row.bytecode_version ?? "none"} is stored`);
    }
    return derived(row, code);
  };

  return {
    name: "bytecodes",
    total: () => countOf(database, `SELECT count(*) FROM bytecodes WHERE ${where}`),
    steps: function* () {
      for (const row of rows.iterate()) yield damageOf(row);
    },
  };
}

function decode(code: Uint8Array): Decoded {
  try {
    return decodeModule(code);
  } catch (error) {
    if (error instanceof DecodeError) return { error };
    throw error;
  }
}

function unpack(codes: CodeReader, id: bigint): Uint8Array | undefined {
  try {
    return codes.byId(id);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

function hasError(row: Row): boolean {
  return row.error_code !== null || row.error_offset !== null || row.error_message !== null;
}

/** Written by a movedex that did not know the bytecode's version yet: out of date, not damaged. */
function isFromOlderDecoder(row: Row): boolean {
  return row.derived_by === TOLD_BY_NODE || row.error_code === "MOVEDEX_DECODE_UNSUPPORTED_VERSION";
}

function nameOf(row: Row): string {
  return `${row.id} (SHA-256 ${formatHex(row.sha256)})`;
}
