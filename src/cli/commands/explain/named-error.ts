import { type ModuleArchive, openModuleArchive } from "../../../archive/read/module-archive.ts";
import { searchQueries } from "../../../archive/search/search.ts";
import { suggestNames } from "../../../base/names.ts";
import { printable } from "../../../base/printable.ts";
import type { ModuleId } from "../../../move/module-id.ts";
import { NotHeldError } from "../../../questions/not-held.ts";
import { resolveModule } from "../../../questions/resolve-module.ts";
import type { Subject } from "../../../questions/subject.ts";
import { openStore } from "../../../work/store.ts";

export type NamedError = {
  readonly name: string;
  readonly module: ModuleId;
  /** The reason in an abort code. */
  readonly code: string;
  readonly description: string;
  /** The last snapshot that showed it; null while it stands. */
  readonly lastVersion: bigint | null;
};

/** Errors of one name that are looked at, at most. */
const LIMIT = 1000;

/** The errors with a name, in one module or in all of the archive. @throws NotHeldError with names that may have been meant */
export async function findNamedErrors(
  path: string,
  { name, subject }: { readonly name: string; readonly subject: Subject | undefined },
): Promise<readonly NamedError[]> {
  if (subject === undefined) return searchErrors(path, name);
  await using archive = await openModuleArchive(path);
  return await errorsOfModule(archive, subject, name);
}

async function searchErrors(path: string, name: string): Promise<readonly NamedError[]> {
  await using store = await openStore(path, { mode: "read" });
  const { hits } = await searchQueries(store.engine).search(name, { kinds: ["error"], withGone: true, limit: LIMIT });
  const found = hits.map(({ address, module, code, text, ...hit }) => {
    return { ...hit, module: { address, name: module }, code: code ?? "", description: text };
  });
  const advice = "`movedex search` finds errors by words.";
  return called(name, found, (near) => `no module of the archive has an error called \`${printable(name, 100)}\`.${near} ${advice}`);
}

async function errorsOfModule(archive: ModuleArchive, subject: Subject, name: string): Promise<readonly NamedError[]> {
  const { module, version } = await resolveModule(archive, subject);
  const content = await archive.content(module);
  const errors = content.kind === "decoded" ? content.module.abi.errors : [];
  const id = { address: module.address, name: module.name };
  const found = errors.map((error) => ({ ...error, module: id, code: error.code.toString(), lastVersion: null }));
  const where = `${id.address}::${printable(id.name, 100)}`;
  const say = (near: string) => `${where} has no error called \`${printable(name, 100)}\` at ledger version ${version}.${near}`;
  return called(name, found, say);
}

/** The errors with a name. @throws NotHeldError in the words of `say`, which is given the names that may have been meant */
function called(name: string, errors: readonly NamedError[], say: (near: string) => string): readonly NamedError[] {
  const found = errors.filter((error) => error.name === name);
  if (found.length > 0) return found;
  const names = errors.map((error) => error.name);
  throw new NotHeldError(say(suggestNames(name, names)), { name });
}
