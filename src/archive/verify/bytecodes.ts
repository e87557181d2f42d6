import { equalBytes, formatHex } from "../../base/bytes.ts";
import { sha256 } from "../../base/sha256.ts";
import { type Check, countRowsOf, type Damage, inSlice, listsOf, type Slice } from "../../engine/check.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { readBytecodeVersion } from "../../move/module/self-id.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { DERIVED_BY, REPORTED_BY_NODE } from "../content/derivation.ts";
import { type CodeCells, codeColumns, codeJoin, readBases, unlessDamaged } from "../content/read-code.ts";
import { derivedDamage, type SoundBytecode } from "./derived-rows.ts";

type Cells = readonly [id: Integer, bytecodeVersion: Integer | null, derivedBy: string | null, nodeAbi: string | null, ...code: CodeCells];

const codeOf = ([, , , , ...code]: Cells): CodeCells => code;

/**
 * Every bytecode: unpacked and hashed again, and its rows derived again, where this movedex derived them: the next command that writes
 * derives those of another revision again itself.
 */
export function bytecodeCheck(session: Session, slice: Slice): Check {
  const isLooked = inSlice(sql`b.id`, slice);
  return {
    name: "bytecodes",
    total: () => countRowsOf(session, sql`_bytecodes b WHERE ${isLooked}`),
    steps: async function* () {
      for await (const found of readBytecodes(session, isLooked)) {
        const sound = found.filter((one) => "code" in one);
        const derived = await derivedDamage(session, sound);
        for (const one of found) yield "code" in one ? (derived.get(one.id) ?? []) : one;
      }
    },
  };
}

/** The first thing that is wrong with the bytes of any bytecode; undefined if nothing is. */
export async function damagedBytes(session: Session): Promise<Damage | undefined> {
  for await (const found of readBytecodes(session, sql`TRUE`)) {
    const damage = found.flatMap((one) => ("code" in one ? [] : one));
    if (damage.length > 0) return damage[0];
  }
  return undefined;
}

/** In pages: each bytecode whose rows are to be compared, or what is wrong with its bytes, which may be nothing. */
async function* readBytecodes(session: Session, isLooked: Sql): AsyncGenerator<(SoundBytecode | Damage[])[]> {
  const page = sql<Cells>`SELECT b.id, b.bytecode_version, b.derived_by, b.node_abi, ${codeColumns} FROM _bytecodes b ${codeJoin}
    WHERE b.id > :after AND ${isLooked} ORDER BY b.id LIMIT 1000`;
  for await (const rows of listsOf((after) => session.all(page, { after }))) {
    const unpack = await readBases(session, rows.map(codeOf));
    yield rows.map((row) => judgeBytes(row, (cells) => unpack(codeOf(cells)).code));
  }
}

function judgeBytes(row: Cells, unpack: (row: Cells) => Uint8Array): SoundBytecode | Damage[] {
  const [id, bytecodeVersion, derivedBy, nodeAbi, digest, size] = row;
  const wrong = (problem: string): Damage[] => [{ table: "_bytecodes", row: `${id} (SHA-256 ${formatHex(digest)})`, problem }];
  const code = unlessDamaged(() => unpack(row));
  if (code === undefined) return wrong("cannot be unpacked");
  if (!equalBytes(sha256(code), digest)) return wrong(`the bytes have the SHA-256 ${formatHex(sha256(code))}`);
  if (code.length !== size) return wrong(`${code.length} bytes, and ${size} are said to be`);
  const version = readBytecodeVersion(code) ?? null;
  if (version !== bytecodeVersion)
    return wrong(`the bytes are of version ${version ?? "unknown"}, and ${bytecodeVersion ?? "none"} is stored`);
  return derivedBy === DERIVED_BY || derivedBy === REPORTED_BY_NODE ? { id, sha256: digest, code, bytecodeVersion, nodeAbi } : [];
}
