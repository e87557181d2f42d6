import { listFirst } from "../../../base/plural.ts";
import { bytecode, type ModuleArchive } from "../../../db/archive/read/module-archive.ts";
import { condition, rowOf, text, whole } from "../../../db/engine/row-shape.ts";
import { hexOf } from "../../../db/schema/sql/functions.ts";
import { sql } from "../../../db/schema/sql/sql.ts";
import type { Address } from "../../../move/address.ts";
import { formatModuleId } from "../../../move/module-id.ts";
import { NotHeldError, type Subject } from "../../../questions/subject.ts";

/** The first digits of a SHA-256, told from a ledger version by a letter or by being longer than any version. */
const DIGEST = /^(?=.*[a-f]|.{21})[0-9a-f]{8,64}$/;

/** Bytecode by the name that it has in itself, whether or not a snapshot shows it. */
export type HeldBytecode = ReturnType<typeof heldBytecode.read>;

const heldBytecode = rowOf({
  address: text<Address>("a.address"),
  name: text("m.name"),
  ...bytecode,
  size: whole("b.size"),
  isInSnapshots: condition("CASE WHEN EXISTS (SELECT 1 FROM _listing_modules l WHERE l.bytecode_id = b.id) THEN 1 ELSE 0 END"),
});
const bytecodesNamed = sql`SELECT ${heldBytecode.columns}
  FROM _modules m JOIN _addresses a ON a.id = m.address_id JOIN _abis x ON x.module_id = m.id JOIN _bytecodes b ON b.abi_id = x.id
  WHERE m.name = :name AND (:address::text IS NULL OR a.address = :address::text)
    AND substr(${hexOf("b.sha256")}, 1, length(:sha256::text)) = :sha256::text ORDER BY b.id LIMIT 100`;

/** Whether the text behind the `@` of a subject is a bytecode's SHA-256, not a version. */
export function namesBytecode({ version }: Subject): boolean {
  return version !== undefined && DIGEST.test(version);
}

/**
 * The bytecode that a person named by its SHA-256, or, without one, the only one that has this name in itself: that of an
 * imported file, which no snapshot shows. Undefined when there is none. @throws NotHeldError naming them when there are several
 */
export async function findBytecode(
  { engine }: Pick<ModuleArchive, "engine">,
  { address, module: name = "", version: sha256 }: Subject,
): Promise<HeldBytecode | undefined> {
  const named = await heldBytecode.all(engine, bytecodesNamed, { name, address: address ?? null, sha256: sha256 ?? "" });
  const found = sha256 === undefined ? named.filter(({ isInSnapshots }) => !isInSnapshots) : named;
  const [only] = found;
  if (found.length <= 1 || only === undefined) return only;
  const ids = found.map((one) => `${formatModuleId(one)}@${one.sha256.slice(0, 16)}`);
  throw new NotHeldError(`${found.length} stored bytecodes have this name; name one: ${listFirst(ids, 10)}.`, { name });
}
