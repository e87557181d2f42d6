import type { ModuleAbi } from "../abi/model.ts";
import type { PrintedModule } from "../abi/print/interface-text.ts";
import { didYouMean, nearestNames, suggestNames } from "../base/names.ts";
import { listFirst, plural } from "../base/plural.ts";
import { printable } from "../base/printable.ts";
import { readChain } from "../db/archive/chain.ts";
import type { StoredContent } from "../db/archive/content/stored-content.ts";
import type { ModuleArchive, StoredModule } from "../db/archive/read/module-archive.ts";
import { readSealedVersions } from "../db/archive/snapshots/snapshot-queries.ts";
import type { Address } from "../move/address.ts";
import { formatModuleId, type ModuleId } from "../move/module-id.ts";
import { chooseSnapshot, coveringNeighbours, parseVersion, unknownReason } from "./snapshot-choice.ts";
import { NotHeldError, type Subject } from "./subject.ts";

/** A module as a person asked for it: at a snapshot, or `between` two that agree about it when the version was not read. */
export type ResolvedModule = { readonly module: StoredModule; readonly version: bigint; readonly between?: readonly [bigint, bigint] };

/** The module that a person named. @throws NotHeldError saying what is held instead, and what may have been meant */
export async function resolveModule(archive: ModuleArchive, subject: Subject): Promise<ResolvedModule> {
  const id = await resolveAccount(archive, subject);
  const text = subject.version;
  if (text !== undefined && /^\d+$/.test(text)) {
    const wanted = parseVersion(text);
    if (!(await readSealedVersions(archive.engine)).includes(wanted)) return betweenSnapshots(archive, id, wanted);
  }
  const version = text === undefined ? await archive.newestCovering(id.address) : await chooseSnapshot(archive, text, id.address);
  if (version === undefined) throw unread(id.address);
  const module = await archive.findModule(id, version);
  if (module === undefined) throw await notThere(archive, id, version);
  return { module, version };
}

/** What a person named, with its account. @throws NotHeldError where no snapshot has ever shown it, with what may have been meant */
export async function resolveSubject(archive: ModuleArchive, subject: Subject): Promise<Subject & Pick<ModuleId, "address">> {
  const { address, name } = await resolveAccount(archive, subject);
  const version = await archive.newestCovering(address);
  if (version === undefined) throw unread(address);
  const isSeen = name === "" || (await archive.historyOf({ address, name })).length > 0;
  if (!isSeen) throw await notThere(archive, { address, name }, version);
  return { ...subject, address };
}

/** A function or struct that a module does not have, and what may have been meant. */
export function noItem(id: ModuleId, { functions, structs }: Pick<ModuleAbi, "functions" | "structs">, item: string): NotHeldError {
  const near = suggestNames(
    item,
    [...functions, ...structs].map(({ name }) => name),
  );
  return new NotHeldError(`${formatModuleId(id)} has no function or struct \`${printable(item, 100)}\`.${near}`, { name: item });
}

function unread(address: Address): NotHeldError {
  return new NotHeldError(`no sealed snapshot has an answer about ${address}.`, { address });
}

/** A module, its account found where it was named without. @throws NotHeldError where none or several have such a module */
export async function resolveAccount(archive: ModuleArchive, { address, module: name = "" }: Subject): Promise<ModuleId> {
  if (address !== undefined) return { address, name };
  const found = await archive.modulesNamed(name);
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only;
  if (found.length === 0) {
    const known = (await archive.knownModules()).map((module) => module.name);
    throw new NotHeldError(`no module called \`${printable(name, 100)}\` is held.${suggestNames(name, known)}`, { name });
  }
  const ids = listFirst(found.map(formatModuleId), 10);
  throw new NotHeldError(`${found.length} accounts hold a module called \`${name}\`; name one: ${ids}.`, { name });
}

async function betweenSnapshots(archive: ModuleArchive, id: ModuleId, version: bigint): Promise<ResolvedModule> {
  const [before, after] = await coveringNeighbours(archive, id.address, version);
  const old = before === undefined ? undefined : await archive.findModule(id, before);
  const now = after === undefined ? undefined : await archive.findModule(id, after);
  if (before !== undefined && after !== undefined && old !== undefined && now !== undefined && old.sha256 === now.sha256) {
    return { module: old, version, between: [before, after] };
  }
  const near = [before, after].filter((held) => held !== undefined);
  const why = near.length === 2 ? ", which differ" : "";
  const held =
    near.length === 0
      ? `no snapshot has an answer about ${id.address}`
      : `the nearest snapshots with an answer about ${id.address}: ${near.join(" and ")}${why}`;
  throw new NotHeldError(`nothing was read at ledger version ${version}; ${held}.`, { version, versions: near.map(String) });
}

async function notThere(archive: ModuleArchive, id: ModuleId, version: bigint): Promise<NotHeldError> {
  const unknown = await unknownReason(archive, id.address, version);
  if (unknown !== undefined) return new NotHeldError(`nothing is known at ledger version ${version}: ${unknown}.`, { version });
  const at = `${id.address}::${printable(id.name, 100)} is not there at ledger version ${version}`;
  const spans = await archive.historyOf(id);
  if (spans.length > 0)
    return new NotHeldError(`${at}. It was seen from ${spans[0]?.from} to ${await lastSeen(archive, id.address, spans)}.`, {
      version,
      versions: [...new Set(spans.flatMap((span) => [span.from, span.to ?? span.from]).map(String))].slice(0, 12),
    });
  const siblings = (await archive.modulesAt(version, id.address)).map(({ name }) => name);
  const names = nearestNames(id.name, siblings);
  return new NotHeldError(`${at}.${didYouMean(names)}`, { version, names });
}

async function lastSeen(archive: ModuleArchive, address: Address, spans: readonly StoredModule[]): Promise<bigint | undefined> {
  return spans.at(-1)?.to ?? (await archive.newestCovering(address));
}

export function commentLines(lines: readonly string[]): string {
  return lines.map((line) => `// ${printable(line, 1000)}\n`).join("");
}

/** Where and when a module was read, in a line. */
export async function aboutModule(archive: ModuleArchive, { module, version, between }: ResolvedModule): Promise<string[]> {
  const id = `${module.address}::${module.name}`;
  const chain = await readChain(archive.engine);
  const when =
    between === undefined
      ? `at ledger version ${version}`
      : `at ledger version ${version}, which was not read: the same at ${between.join(" and ")}`;
  const since = module.from === version || between !== undefined ? "" : `, unchanged since ${module.from}`;
  return [`${id} ${when}${chain === null ? "" : ` of chain ${chain}`}${since}`];
}

export function aboutContent(content: StoredContent): string[] {
  const version = content.bytecodeVersion === null ? "unknown" : content.bytecodeVersion;
  const compilation = content.kind === "decoded" ? content.module.compilation : undefined;
  const compiler = compilation === undefined ? "" : `; compiler ${compilation.compiler_version}, language ${compilation.language_version}`;
  const reported =
    content.kind === "reported"
      ? ["by the node's ABI: the bytecode is newer than this movedex, so private functions and error codes are not known"]
      : [];
  return [`bytecode version ${version}, ${plural(content.bytes.length, "byte")}${compiler}`, ...reported];
}

/** What can be printed of stored bytes. @throws NotHeldError when they cannot be read */
export function printedModule(content: StoredContent): PrintedModule {
  if (content.kind === "decoded") return content.module;
  if (content.kind === "reported") return { abi: content.abi, functionMarks: new Map() };
  throw new NotHeldError(`the bytes cannot be decoded: ${content.reason}.`);
}
