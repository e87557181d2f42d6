import type { Database } from "better-sqlite3";
import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { sha256 } from "../../base/sha256.ts";
import { readBytecodeVersion } from "../../move/module/self-id.ts";
import { type CodeReader, prepareCodeReader } from "../content/code-blobs.ts";
import { DERIVED_BY, deriveRows, rowsOfNodeAbi, TOLD_BY_NODE } from "../content/derivation.ts";
import { StoreError } from "../errors.ts";
import { prepareAbiComparison } from "./abi-damage.ts";
import { type Check, countOf, type Damage, inSlice, type Slice } from "./check.ts";

type Row = {
  readonly id: bigint;
  readonly sha256: Uint8Array;
  readonly size: bigint;
  readonly bytecode_version: bigint | null;
  readonly abi_id: bigint | null;
  readonly calls_id: bigint | null;
  readonly derived_by: string | null;
  readonly node_abi: string | null;
  readonly error_code: string | null;
  readonly error_offset: bigint | null;
  readonly error_message: string | null;
};

/** What derives rows, of any revision. */
const OF_ANY_REVISION = /^(?:movedex|node) \d+$/;

/**
 * Every bytecode: unpacked and hashed again, decoded again, and the rows of its ABI compared with what came of it. Where
 * movedex cannot decode the bytes, the rows are compared with what a node told of them.
 */
export function bytecodeCheck(database: Database, slice: Slice): Check {
  const where = inSlice("id", slice);
  const rows = database.prepare<[], Row>(
    "SELECT id, sha256, size, bytecode_version, abi_id, calls_id, derived_by, node_abi, error_code, error_offset, error_message FROM bytecodes " +
      `WHERE ${where} ORDER BY id`,
  );
  const codes = prepareCodeReader(database);
  const compareRows = prepareAbiComparison(database);

  const derived = (row: Row, code: Uint8Array): Damage[] => {
    const wrong = (problem: string): Damage[] => [{ table: "bytecodes", row: nameOf(row), problem }];
    const abi = row.abi_id === null ? undefined : Number(row.abi_id);
    const calls = row.calls_id === null ? null : Number(row.calls_id);
    if (row.node_abi !== null && rowsOfNodeAbi(row.node_abi) === undefined)
      return wrong("what a node is said to have told of its ABI is none");
    if (row.derived_by === null)
      return abi === undefined && calls === null && !hasError(row) ? [] : wrong("its ABI is still to come, and one or an error is stored");
    if (row.derived_by !== DERIVED_BY && row.derived_by !== TOLD_BY_NODE) {
      // The next command that writes makes the rows again.
      return OF_ANY_REVISION.test(row.derived_by) ? [] : wrong(`its ABI was derived by \`${printable(row.derived_by)}\``);
    }
    if (abi !== undefined && hasError(row)) return wrong("an error is stored beside its ABI");
    const found = deriveRows(code, row.node_abi);
    if ("rows" in found) {
      if (row.derived_by !== found.derivedBy) return wrong(`its ABI follows from what \`${row.derived_by}\` says, and it should not`);
      if (abi === undefined) return wrong("the bytes can be decoded, and no ABI of their own is stored");
      return [...compareRows.abi(abi, found.rows), ...compareRows.calls(calls, found.calls)];
    }
    const { error } = found;
    if (calls !== null) return wrong("the bytes cannot be decoded, and calls derived from them are stored");
    if (abi !== undefined) return wrong("the bytes cannot be decoded, and an ABI derived from them is stored");
    if (row.derived_by !== DERIVED_BY) return wrong("no ABI is stored, and a node is said to have given one");
    const isSame = row.error_code === error.code && row.error_offset === BigInt(error.offset) && row.error_message === error.message;
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

function nameOf(row: Row): string {
  return `${row.id} (SHA-256 ${formatHex(row.sha256)})`;
}
