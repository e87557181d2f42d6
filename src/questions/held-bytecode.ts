import type { HeldBytecode, ModuleArchive } from "../archive/read/module-archive.ts";
import { listFirst } from "../base/plural.ts";
import { formatModuleId } from "../move/module-id.ts";
import { NotHeldError } from "./not-held.ts";
import type { Subject } from "./subject.ts";

/** The first digits of a SHA-256, told from a ledger version by a letter or by being longer than any version. */
const DIGEST = /^(?=.*[a-f]|.{21})[0-9a-f]{8,64}$/;

/** Whether what stands behind the `@` of a subject names bytecode instead of a snapshot. */
export function namesBytecode({ version }: Subject): boolean {
  return version !== undefined && DIGEST.test(version);
}

/**
 * The bytecode that a person named by its SHA-256, or, without one, the only one that has this name in itself: that of an
 * imported file, which no snapshot shows. Undefined when there is none. @throws NotHeldError naming them when there are several
 */
export async function findBytecode(
  archive: Pick<ModuleArchive, "bytecodesNamed">,
  { address, module: name = "", version: sha256 }: Subject,
): Promise<HeldBytecode | undefined> {
  const named = await archive.bytecodesNamed({ name, address, sha256 });
  const found = sha256 === undefined ? named.filter(({ isInSnapshots }) => !isInSnapshots) : named;
  const [only] = found;
  if (found.length <= 1 || only === undefined) return only;
  const ids = found.map((one) => `${formatModuleId(one)}@${one.sha256.slice(0, 16)}`);
  throw new NotHeldError(`${found.length} stored bytecodes have this name; name one: ${listFirst(ids, 10)}.`, { name });
}
