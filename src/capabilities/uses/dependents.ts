import { memoizeOf } from "../../core/base/async.ts";
import { chunks } from "../../core/base/lists.ts";
import { abiOf, readContents } from "../../core/db/archive/content/stored-content.ts";
import { inOrder, type ModuleArchive, type StandingCode, standing, standingCode } from "../../core/db/archive/read/module-archive.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { countOf } from "../../core/db/engine/row-shape.ts";
import { countRowless, moduleSpans, rowless } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { compareModuleIds, formatModuleId, isSameModule, type ModuleId } from "../../core/move/module-id.ts";

const stored = sql`SELECT ${standingCode.columns}
  FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id JOIN _bytecodes b ON b.id = s.bytecode_id
  JOIN _abi_dependencies d ON d.abi_id = b.abi_id JOIN _modules m ON m.id = d.module_id JOIN _addresses ma ON ma.id = m.address_id
  WHERE ma.address = :address AND m.name = :name AND ${standing} ${inOrder}`;
// Starts from the bytecodes that wait, so that it never reads all modules of a snapshot.
const waiting = sql`WITH waiting AS MATERIALIZED ${rowless}
  SELECT ${standingCode.columns} FROM waiting w JOIN _bytecodes b ON b.id = w.id JOIN ${moduleSpans} s ON s.bytecode_id = b.id
    JOIN _addresses a ON a.id = s.address_id WHERE ${standing} ${inOrder}`;

const READ_AT_ONCE = 100;
/** Snapshots whose waiting modules are kept: a comparison asks two. */
const SNAPSHOTS_KEPT = 2;

type Archive = Pick<ModuleArchive, "engine">;

/**
 * Modules at a snapshot whose bytecode refers to this one, itself not among them: by stored rows, and by the bytes themselves where their
 * rows are still to come.
 */
export async function referring({ engine }: Archive, module: ModuleId, version: bigint): Promise<StandingCode[]> {
  const found = await standingCode.all(engine, stored, { address: module.address, name: module.name, version });
  return [...found, ...(await waitingFor({ engine }, [module], version))];
}

/** Those still without rows that refer to some modules; each once, in the order of accounts and names. */
export async function waitingFor({ engine }: Archive, modules: readonly ModuleId[], version: bigint): Promise<StandingCode[]> {
  const count = await countOf(engine, countRowless);
  if (count === 0) return [];
  const dependents = await waitingAt(engine, version, count);
  return [...new Set(modules.flatMap((module) => dependents.get(formatModuleId(module)) ?? []))].sort(compareModuleIds);
}

/** By what they refer to: what `_abi_dependencies` will say of them. Nothing of those that cannot be decoded, as there. */
const waitingAt = memoizeOf(
  SNAPSHOTS_KEPT,
  (version, count) => `${version} ${count}`,
  async (engine: Engine, version: bigint, _count: number): Promise<ReadonlyMap<string, StandingCode[]>> => {
    const dependents = new Map<string, StandingCode[]>();
    for (const some of chunks(await standingCode.all(engine, waiting, { version }), READ_AT_ONCE)) {
      const bytecodes = some.map(({ bytecode }) => bytecode);
      const contentOf = await readContents(engine, bytecodes);
      for (const module of some)
        for (const other of abiOf(contentOf(module.bytecode))?.dependencies ?? []) {
          if (isSameModule(other, module)) continue;
          const known = dependents.get(formatModuleId(other));
          if (known === undefined) dependents.set(formatModuleId(other), [module]);
          else known.push(module);
        }
    }
    return dependents;
  },
);
