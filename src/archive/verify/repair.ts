import { equalBytes } from "../../base/bytes.ts";
import { sha256 } from "../../base/sha256.ts";
import { listsOf } from "../../engine/check.ts";
import type { Engine, Integer } from "../../engine/engine.ts";
import { orNull, shapeOf, text, version } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { readBytecodeVersion } from "../../move/module/self-id.ts";
import { moduleSpans } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { packAlone } from "../content/code-blobs.ts";
import { type CodeCells, codeColumns, codeJoin, readBases, unlessDamaged } from "../content/read-code.ts";

const holder = shapeOf({ address: text<Address>("a.address"), name: text("s.name"), to: orNull(version("s.to_version")) });

/** A bytecode whose bytes are damaged, and the modules that had it: to the last ledger version, null while one still has it. */
export type DamagedCode = {
  readonly id: Integer;
  readonly sha256: Uint8Array;
  readonly stood: readonly ReturnType<typeof holder.read>[];
};

const page = sql`SELECT b.id, ${codeColumns} FROM _bytecodes b ${codeJoin} WHERE b.id > :after ORDER BY b.id LIMIT 100`;
const standing = sql`SELECT ${holder.columns} FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id
  WHERE s.bytecode_id = :id ORDER BY s.from_version DESC`;
const storeCode = sql`INSERT INTO _bytecode_blobs (id, code) VALUES (:id, :code) ON CONFLICT (id) DO UPDATE SET code = excluded.code, base_id = NULL`;
const describe = sql`UPDATE _bytecodes SET size = :size, bytecode_version = :version::int WHERE id = :id`;
// Rows of a revision that there never was are made anew, and all others with them.
const forgetRows = sql`UPDATE _bytecodes SET derived_by = 'movedex 0' WHERE id = (SELECT min(id) FROM _bytecodes)`;
const forgetJudgements = [sql`DELETE FROM _judged_renames`, sql`DELETE FROM _judged_upgrades`];

/** Mending what `verify` finds. */
export function repairQueries(engine: Engine) {
  return {
    /** Bytecodes whose bytes cannot be unpacked, or have another digest than theirs. */
    damagedCode: async (): Promise<readonly DamagedCode[]> => {
      const damaged: DamagedCode[] = [];
      for await (const rows of listsOf((after) => engine.all<readonly [Integer, ...CodeCells]>(page, { after }))) {
        const codes = rows.map(([, ...cells]) => cells);
        const unpack = await readBases(engine, codes);
        for (const [id, ...cells] of rows) {
          const code = unlessDamaged(() => unpack(cells).code);
          if (code !== undefined && equalBytes(sha256(code), cells[0])) continue;
          damaged.push({ id, sha256: cells[0], stood: await holder.all(engine, standing, { id }) });
        }
      }
      return damaged;
    },
    /** Stores bytes again, packed by themselves. The caller has compared their digest. */
    restoreCode: (id: Integer, code: Uint8Array): Promise<void> =>
      engine.transaction(async (tx) => {
        await tx.run(storeCode, { id, code: packAlone(code) });
        await tx.run(describe, { id, size: code.length, version: readBytecodeVersion(code) ?? null });
      }),
    /** Has the next deriving make all derived rows anew, and the next judging all judgements. */
    forgetDerived: (): Promise<void> =>
      engine.transaction(async (tx) => {
        await tx.run(forgetRows);
        for (const forget of forgetJudgements) await tx.run(forget);
      }),
  };
}
