import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { sha256 } from "../../base/sha256.ts";
import { type Check, countRowsOf, type Damage, inSlice, listsOf, type Slice } from "../../engine/check.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { readBytecodeVersion } from "../../move/module/self-id.ts";
import { sql } from "../../schema/sql/sql.ts";
import type { AbiRows } from "../content/abi-rows.ts";
import { DERIVED_BY, deriveRows, REPORTED_BY_NODE, rowsOfNodeAbi } from "../content/derivation.ts";
import { type CodeCells, codeColumns, codeJoin, readBases, unlessDamaged } from "../content/read-code.ts";
import { type DerivedRows, readDerivedRows } from "./derived-rows.ts";

type Cells = readonly [
  id: Integer,
  bytecodeVersion: Integer | null,
  abiId: Integer | null,
  derivedBy: string | null,
  nodeAbi: string | null,
  errorCode: string | null,
  errorOffset: Integer | null,
  errorMessage: string | null,
  ...code: CodeCells,
];

const codeOf = ([, , , , , , , , ...code]: Cells): CodeCells => code;

/** What derives rows, of any revision. */
const OF_ANY_REVISION = /^(?:movedex|node) \d+$/;

/**
 * Every bytecode: unpacked and hashed again, decoded again, and the rows of its ABI compared with what came of it. Where
 * movedex cannot decode the bytes, the rows are compared with what a node told of them.
 */
export function bytecodeCheck(session: Session, slice: Slice): Check {
  const isLooked = inSlice(sql`b.id`, slice);
  const page = sql`SELECT b.id, b.bytecode_version, b.abi_id, b.derived_by, b.node_abi, b.error_code, b.error_offset, b.error_message, ${codeColumns}
    FROM _bytecodes b ${codeJoin} WHERE b.id > :after AND ${isLooked} ORDER BY b.id LIMIT 100`;
  return {
    name: "bytecodes",
    total: () => countRowsOf(session, sql`_bytecodes b WHERE ${isLooked}`),
    steps: async function* () {
      for await (const list of listsOf((after) => session.all<Cells>(page, { after }))) yield* await damagesOf(session, list);
    },
  };
}

/** What is wrong with each of some rows; the rows that derive from them are read together. */
async function damagesOf(session: Session, rows: readonly Cells[]): Promise<Damage[][]> {
  const unpack = await readBases(session, rows.map(codeOf));
  const found = rows.map((cells) => {
    const code = unlessDamaged(() => unpack(codeOf(cells)).code);
    return byItself(cells, code);
  });
  const derived = found.filter((one) => "rows" in one);
  const tables = new Map((await readDerivedRows(session, derived)).map((of, i) => [derived[i], of]));
  return found.map((one) => ("rows" in one ? abiDamage(one.id, tables.get(one) ?? []) : one));
}

type Derived = { readonly id: Integer; readonly rows: AbiRows };

/** What is wrong with a row by itself, else the rows that follow from its bytes. `code`: undefined if the bytes cannot be unpacked. */
function byItself(cells: Cells, code: Uint8Array | undefined): Damage[] | Derived {
  const [id, bytecodeVersion, abiId, derivedBy, nodeAbi, errorCode, errorOffset, errorMessage, digest, size] = cells;
  const hasError = errorCode !== null || errorOffset !== null || errorMessage !== null;
  const wrong = (problem: string): Damage[] => [{ table: "_bytecodes", row: `${id} (SHA-256 ${formatHex(digest)})`, problem }];
  if (code === undefined) return wrong("cannot be unpacked");
  if (!equalBytes(sha256(code), digest)) return wrong(`the bytes have the SHA-256 ${formatHex(sha256(code))}`);
  if (code.length !== size) return wrong(`${code.length} bytes, and ${size} are said to be`);
  const version = readBytecodeVersion(code);
  if ((version ?? null) !== bytecodeVersion) {
    return wrong(`the bytes are of version ${version ?? "unknown"}, and ${bytecodeVersion ?? "none"} is stored`);
  }
  if (nodeAbi !== null && rowsOfNodeAbi(nodeAbi) === undefined) return wrong("what a node is said to have told of its ABI is none");
  if (derivedBy === null) return abiId === null && !hasError ? [] : wrong("its ABI is still to come, and one or an error is stored");
  if (derivedBy !== DERIVED_BY && derivedBy !== REPORTED_BY_NODE) {
    // The next command that writes makes the rows again.
    return OF_ANY_REVISION.test(derivedBy) ? [] : wrong(`its ABI was derived by \`${printable(derivedBy)}\``);
  }
  if (abiId !== null && hasError) return wrong("an error is stored beside its ABI");
  const found = deriveRows(code, nodeAbi);
  if ("rows" in found) {
    if (derivedBy !== found.derivedBy) return wrong(`its ABI follows from what \`${derivedBy}\` says, and it should not`);
    if (abiId === null) return wrong("the bytes can be decoded, and no ABI of their own is stored");
    return { id: abiId, rows: found.rows };
  }
  if (abiId !== null) return wrong("the bytes cannot be decoded, and an ABI derived from them is stored");
  if (derivedBy !== DERIVED_BY) return wrong("no ABI is stored, and a node is said to have given one");
  const { error } = found;
  const isSame = errorCode === error.code && errorOffset === error.offset && errorMessage === error.message;
  return isSame ? [] : wrong(`another error is stored than decoding gives: ${printable(error.message)}`);
}

/** How many wrong rows of one table are told for one ABI. */
const SHOWN_MAX = 3;

function abiDamage(id: Integer, tables: readonly DerivedRows[]): Damage[] {
  const row = `abi ${id}`;
  return tables.flatMap(({ table, stored, wanted }): Damage[] => {
    if (table === "_abis" && stored.length === 0) return [{ table, row, problem: "is missing" }];
    const told = (texts: readonly string[], what: string): Damage[] =>
      texts.slice(0, SHOWN_MAX).map((text) => ({ table, row, problem: `\`${printable(text, 200)}\` ${what}` }));
    return [
      ...told(without(stored, wanted), "is stored, and does not follow from the bytes"),
      ...told(without(wanted, stored), "follows from the bytes, and is not stored"),
    ];
  });
}

/** The texts of a list that are not in another, each as often as it is missing there. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of other) counts.set(text, (counts.get(text) ?? 0) + 1);
  return list.filter((text) => {
    const left = counts.get(text) ?? 0;
    counts.set(text, left - 1);
    return left <= 0;
  });
}
