import { suggestNames } from "../../core/base/names.ts";
import { keepTexts, plural } from "../../core/base/plural.ts";
import type { ModuleArchive, StoredModule } from "../../core/db/archive/read/module-archive.ts";
import { formatModuleId } from "../../core/move/module-id.ts";
import { resolveModule } from "../../core/questions/resolve-module.ts";
import { NotHeldError } from "../../core/questions/subject.ts";
import type { AbsentMessage } from "./abort-message.ts";

/** What the archive holds of something that a node or a tool did not find. */
export type AbsentAnswer = {
  readonly subject: string;
  /** The snapshots that show it: the first, and the last, null while it stands. Both null where none does. */
  readonly from: bigint | null;
  readonly to: bigint | null;
  readonly says: readonly string[];
};

/** Answers from the archive whether there is, or was, such a module or item, since when and until when, or what may have been meant. */
export async function answerAbsent(archive: ModuleArchive, message: AbsentMessage): Promise<AbsentAnswer> {
  const { address, module: name, item, as, version } = message;
  const unknown = (subject: string, ...says: string[]): AbsentAnswer => ({ subject, from: null, to: null, says });
  if (name === undefined) return unknown(address, await accountSentence(archive, address));
  const id = { address, name };
  const subject = item === undefined ? formatModuleId(id) : `${formatModuleId(id)}::${item}`;
  const spans = await archive.historyOf(id);
  if (spans.length === 0) return unknown(subject, await whyNot(archive, id));
  const held = await Promise.all(spans.map(async (span) => ({ span, items: await itemsOf(archive, span) })));
  const has = held.filter(({ items }) => item === undefined || items.some((one) => one.name === item));
  const [first, last] = [has[0]?.span, has.at(-1)?.span];
  if (first === undefined || last === undefined) {
    const names = held.flatMap(({ items }) => items.map((one) => one.name));
    const near = suggestNames(item ?? "", names);
    return unknown(subject, `no version of the module that is held has a function or struct of this name.${near}`, stretch(spans));
  }
  const fn = has.at(-1)?.items.find((one) => one.name === item);
  const isOther = fn !== undefined && as !== undefined && !(as === "entry" ? fn.isEntry : fn.isView);
  const isBefore = version !== undefined && BigInt(version) < first.from;
  const says = keepTexts([
    stretch(has.map(({ span }) => span)),
    isBefore && `the message is of ledger version ${version}, before the first snapshot that shows it`,
    isOther && `it is no ${as} function`,
    !isBefore &&
      !isOther &&
      last.to === null &&
      "it stands in the newest snapshot: ask whether the node is of this chain, and at which version it reads",
  ]);
  return { subject, from: first.from, to: last.to, says };
}

function stretch(spans: readonly StoredModule[]): string {
  const [from, to] = [spans[0]?.from, spans.at(-1)?.to];
  return to === null
    ? `it is held since ledger version ${from}, and stands`
    : `it is held from ledger version ${from} to ${to}; it was removed after that`;
}

async function accountSentence(archive: ModuleArchive, address: AbsentMessage["address"]): Promise<string> {
  const newest = await archive.newestCovering(address);
  if (newest === undefined) return "no snapshot has an answer about this account";
  const modules = await archive.modulesAt(newest, address);
  return `at ledger version ${newest} the account holds ${plural(modules.length, "module")}`;
}

/** The sentence for a module that no snapshot shows, with what may have been meant. */
async function whyNot(archive: ModuleArchive, { address, name }: Pick<StoredModule, "address" | "name">): Promise<string> {
  try {
    await resolveModule(archive, { address, module: name });
    return "it is held";
  } catch (error) {
    if (error instanceof NotHeldError) return error.message;
    throw error;
  }
}

type Item = { readonly name: string; readonly isEntry?: boolean; readonly isView?: boolean };

async function itemsOf(archive: ModuleArchive, span: StoredModule): Promise<readonly Item[]> {
  const content = await archive.content(span);
  return content.kind === "decoded" ? [...content.module.abi.functions, ...content.module.abi.structs] : [];
}
