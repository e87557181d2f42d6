import { abiOf } from "../../archive/content/stored-content.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { suggestNames } from "../../base/names.ts";
import { printable } from "../../base/printable.ts";
import { formatModuleId } from "../../move/module-id.ts";
import { NotHeldError } from "../not-held.ts";
import { parseSubject } from "../subject.ts";

/**
 * Checks that what is to be watched is there, or was; gives a sentence where nothing is known of the account yet.
 * @throws NotHeldError for an unknown module or item, with names that may have been meant
 */
export async function checkSubject(archive: ModuleArchive, subject: string): Promise<string | undefined> {
  const { address, module, item } = parseSubject(subject);
  if (address === undefined) return undefined;
  const version = await archive.newestCovering(address);
  if (version === undefined)
    return `no sealed snapshot has an answer about ${address}: nothing of it can be seen until it is read. \`movedex targets add ${address}\` has it read.`;
  if (module === undefined) return undefined;
  const id = { address, name: module };
  const [held] = (await archive.historyOf(id)).toReversed();
  if (held === undefined) {
    const names = (await archive.modulesAt(version, address)).map(({ name }) => name);
    throw notThere(`${address} has no module`, module, names, "Watch the account to hear of modules that come.");
  }
  if (item === undefined) return undefined;
  const abi = abiOf(await archive.content(held));
  if (abi === undefined) return undefined;
  const items = [...abi.functions, ...abi.structs].map(({ name }) => name);
  if (items.includes(item)) return undefined;
  throw notThere(`${formatModuleId(id)} has no function or struct`, item, items, "Watch the module to hear of what comes.");
}

function notThere(sentence: string, name: string, names: readonly string[], advice: string): NotHeldError {
  return new NotHeldError(`${sentence} \`${printable(name, 100)}\`.${suggestNames(name, names)} ${advice}`, { name });
}
