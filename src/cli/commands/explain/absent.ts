import type { AbsentMessage } from "../../../abi/abort/status.ts";
import type { ModuleAbi } from "../../../abi/model.ts";
import type { ModuleArchive } from "../../../archive/read/module-archive.ts";
import type { StoredModule } from "../../../archive/read/module-queries.ts";
import { suggestNames } from "../../../base/names.ts";
import { plural } from "../../../base/plural.ts";
import { formatModuleId } from "../../../move/module-id.ts";
import { NotHeldError } from "../../../questions/not-held.ts";
import { resolveModule } from "../../../questions/resolve-module.ts";

/** What the archive holds of something that a node or a tool did not find. */
export type AbsentAnswer = {
  readonly subject: string;
  /** The snapshots that show it: the first, and the last, null while it stands. Both null where none does. */
  readonly from: bigint | null;
  readonly to: bigint | null;
  readonly says: readonly string[];
};

/** Answers from the archive whether there is, or was, such a module or item, since when and until when, or what may have been meant. */
export async function answerAbsent(
  archive: ModuleArchive,
  { address, module: name, item, as, version }: AbsentMessage,
): Promise<AbsentAnswer> {
  if (name === undefined) return accountAnswer(archive, address);
  const id = { address, name };
  const subject = item === undefined ? formatModuleId(id) : `${formatModuleId(id)}::${item}`;
  const spans = await archive.historyOf(id);
  if (spans.length === 0) return { subject, from: null, to: null, says: [await whyNot(archive, id)] };
  const held = await Promise.all(spans.map(async (span) => ({ span, abi: await abiOf(archive, span) })));
  const has = item === undefined ? held : held.filter(({ abi }) => abi !== undefined && namesIn(abi).includes(item));
  const [first, last] = [has[0]?.span, has.at(-1)?.span];
  if (first === undefined || last === undefined) {
    const names = held.flatMap(({ abi }) => (abi === undefined ? [] : namesIn(abi)));
    const says = `no version of the module that is held has a function or struct of this name.${suggestNames(item ?? "", names)}`;
    return { subject, from: null, to: null, says: [says, ...heldSince(held.map(({ span }) => span))] };
  }
  const fn = has.at(-1)?.abi?.functions.find((one) => one.name === item);
  const isOther = fn !== undefined && as !== undefined && !(as === "entry" ? fn.isEntry : fn.isView);
  const at = version === undefined ? undefined : BigInt(version);
  const isBefore = at !== undefined && at < first.from;
  return {
    subject,
    from: first.from,
    to: last.to,
    says: [
      ...heldSince(has.map(({ span }) => span)),
      ...(isBefore ? [`the message is of ledger version ${at}, before the first snapshot that shows it`] : []),
      ...(isOther ? [`it is no ${as} function`] : []),
      ...(!isBefore && !isOther && last.to === null
        ? ["it stands in the newest snapshot: ask whether the node is of this chain, and at which version it reads"]
        : []),
    ],
  };
}

function heldSince(spans: readonly StoredModule[]): string[] {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) return [];
  return last.to === null
    ? [`it is held since ledger version ${first.from}, and stands`]
    : [`it is held from ledger version ${first.from} to ${last.to}; it was removed after that`];
}

async function accountAnswer(archive: ModuleArchive, address: AbsentMessage["address"]): Promise<AbsentAnswer> {
  const newest = await archive.newestCovering(address);
  if (newest === undefined) return { subject: address, from: null, to: null, says: ["no snapshot has an answer about this account"] };
  const modules = await archive.modulesAt(newest, address);
  return {
    subject: address,
    from: null,
    to: null,
    says: [`at ledger version ${newest} the account holds ${plural(modules.length, "module")}`],
  };
}

/** The sentence for a module that no snapshot shows, with what may have been meant. */
async function whyNot(
  archive: ModuleArchive,
  { address, name }: Required<Pick<AbsentMessage, "address">> & { readonly name: string },
): Promise<string> {
  try {
    await resolveModule(archive, { address, module: name });
    return "it is held";
  } catch (error) {
    if (error instanceof NotHeldError) return error.message;
    throw error;
  }
}

async function abiOf(archive: ModuleArchive, span: StoredModule): Promise<ModuleAbi | undefined> {
  const content = await archive.content(span);
  return content.kind === "decoded" ? content.module.abi : undefined;
}

function namesIn({ functions, structs }: ModuleAbi): string[] {
  return [...functions, ...structs].map(({ name }) => name);
}
