import { type FunctionAbi, isExposed, type StructAbi } from "../../../abi/model.ts";
import { formatNodeAbi, formatNodeFunction, type NodeAbiJson } from "../../../abi/node-json/format.ts";
import { formatInterface, formatInterfaceItem, type PrintedModule, readBodies } from "../../../abi/print/interface-text.ts";
import { formatHex } from "../../../base/bytes.ts";
import type { Cell } from "../../../base/cell.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { abiOf, type StoredContent } from "../../../db/archive/content/stored-content.ts";
import { type ModuleArchive, openModuleArchive, type StoredModule } from "../../../db/archive/read/module-archive.ts";
import type { Integer } from "../../../db/engine/engine.ts";
import { sql } from "../../../db/schema/sql/sql.ts";
import type { Address } from "../../../move/address.ts";
import { Disassembler } from "../../../move/code/disassemble.ts";
import { readFunctions } from "../../../move/code/read-code.ts";
import { DecodeError } from "../../../move/decode-error.ts";
import { aboutContent, aboutModule, commentLines, noItem, printedModule, resolveModule } from "../../../questions/resolve-module.ts";
import { chooseSnapshot, unknownReason } from "../../../questions/snapshot-choice.ts";
import { NotHeldError, parseSubject, type Subject } from "../../../questions/subject.ts";
import { dataWidth, type Io } from "../../io.ts";
import { isModuleFile, readModuleFile } from "../../options/module-file.ts";
import { jsonLine } from "../../output/json-line.ts";
import { tableText } from "../../output/rows.ts";
import { type Colour, type Paint, painter, wantsColour } from "../../output/terminal.ts";
import { findBytecode, type HeldBytecode, namesBytecode } from "./held-bytecode.ts";

type ShowFlags = { readonly db: string; readonly all?: boolean; readonly json?: boolean; readonly code?: boolean };

export async function runShow(io: Io, text: string, flags: ShowFlags): Promise<void> {
  if (isModuleFile(text)) {
    const content = readModuleFile(text);
    await printModule(io, content, [], undefined, flags);
    return;
  }
  const subject = parseSubject(text);
  await using archive = await openModuleArchive(flags.db);
  if (subject.module === undefined) await printAccount(io, archive, subject, flags);
  else {
    const { module, about } = await findShown(archive, subject);
    await printModule(io, await archive.content(module), about, subject.item, flags);
  }
}

/** The module at a snapshot, or the bytecode of an imported file where no snapshot shows the module. */
async function findShown(archive: ModuleArchive, subject: Subject) {
  if (namesBytecode(subject)) {
    const bytecode = await findBytecode(archive, subject);
    if (bytecode === undefined) {
      const { version: sha256 = "", module } = subject;
      throw new NotHeldError(`no bytecode of \`${printable(module ?? "", 100)}\` with a SHA-256 of ${sha256} is held.`, { sha256 });
    }
    return { module: bytecode, about: aboutBytecode(bytecode) };
  }
  try {
    const shown = await resolveModule(archive, subject);
    return { module: shown.module, about: await aboutModule(archive, shown) };
  } catch (error) {
    if (!(error instanceof NotHeldError) || subject.version !== undefined) throw error;
    const bytecode = await findBytecode(archive, subject);
    if (bytecode === undefined) throw error;
    return {
      module: bytecode,
      about: [...aboutBytecode(bytecode), "no snapshot shows it: it was imported as a file, or seen by trace only"],
    };
  }
}

function aboutBytecode({ address, name, sha256 }: HeldBytecode): string[] {
  return [`${address}::${name}, the bytecode with SHA-256 ${sha256}`];
}

async function printModule(
  io: Io,
  content: StoredContent,
  about: readonly string[],
  item: string | undefined,
  { all = false, json: asJson = false, code = false }: ShowFlags,
): Promise<void> {
  if (asJson && item === undefined && !code) return await io.stdout(jsonLine(moduleJson(content)));
  const module = printedModule(content);
  const found = item === undefined ? undefined : findItem(module, item);
  if (asJson) return await io.stdout(jsonLine(code ? itemCode(content, module, found) : itemJson(module, found)));
  const lines = commentLines([...about, ...aboutContent(content)]);
  const bodyOf = code ? fromCode(content, () => readBodies(content.bytes, found?.name)) : undefined;
  const source =
    found === undefined
      ? lines + formatInterface(module, { all: all || code, allOption: "--all", bodyOf })
      : formatInterfaceItem(module, found, bodyOf);
  await io.stdout(highlightMove(source, painter(wantsColour(io))));
}

async function printAccount(io: Io, archive: ModuleArchive, subject: Subject, { json: asJson }: ShowFlags): Promise<void> {
  const address = subject.address as Address;
  const version =
    subject.version === undefined ? await archive.newestCovering(address) : await chooseSnapshot(archive, subject.version, address);
  const unknown = version === undefined ? "no sealed snapshot has an answer about it" : await unknownReason(archive, address, version);
  if (version === undefined || unknown !== undefined) {
    throw new NotHeldError(`${address} is not held${version === undefined ? "" : ` at ledger version ${version}`}: ${unknown}.`, {
      address,
    });
  }
  const modules = await archive.modulesAt(version, address);
  if (asJson) {
    const printed = [];
    for (const module of modules) printed.push(moduleJson(await archive.content(module)));
    await io.stdout(jsonLine(printed));
    return;
  }
  const width = dataWidth(io);
  io.stderr(`movedex: ${address} holds ${plural(modules.length, "module")} at ledger version ${version}\n`);
  await io.stdout(await recordText(archive, address, version, width));
  const rows: Cell[][] = [];
  for (const module of modules) rows.push(accountCells(module, await archive.content(module)));
  const columns = ["module", "functions", "structs", "errors", "bytes", "bytecode_version", "unchanged_since"];
  if (rows.length > 0) await io.stdout(`\n${tableText(columns, rows, width)}`);
}

/** A record at a snapshot that covers the account; where it was not read there, the newest snapshot in which it was. */
const recordStatement = sql<RecordRow>`SELECT r.sequence_number, r.authentication_key, c.has_record IS NULL, CASE WHEN c.has_record IS NULL THEN
    (SELECT max(n.ledger_version) FROM covered_at n WHERE n.address = :address AND n.has_record IS NOT NULL) END
  FROM covered_at c LEFT JOIN accounts_at r ON r.address = :address AND r.ledger_version = :version
  WHERE c.address = :address AND c.ledger_version = :version`;

type RecordRow = readonly [sequenceNumber: Integer | string | null, key: string | null, isUnread: 0 | 1, newestRead: Integer | null];

async function recordText({ engine }: ModuleArchive, address: Address, version: bigint, width: number): Promise<string> {
  const [sequenceNumber = null, key, isUnread, newestRead = null] = (await engine.first(recordStatement, { address, version })) ?? [];
  if (sequenceNumber === null) {
    const when = newestRead === null ? "no snapshot has read it" : `the newest that has: ${newestRead}`;
    return isUnread
      ? `${address}: the account record was not read at ledger version ${version}; ${when}\n`
      : `${address}: the node had no account record at ledger version ${version}\n`;
  }
  const keyLine = `  authentication key  ${key}`;
  return `${address}\n  sequence number     ${sequenceNumber}\n${keyLine.length > width ? `  authentication key\n    ${key}` : keyLine}\n`;
}

function accountCells(module: StoredModule, content: StoredContent): Cell[] {
  const abi = abiOf(content);
  const counts = abi ? [abi.functions.filter(isExposed).length, abi.structs.length, abi.errors.length] : [null, null, null];
  return [`${module.address}::${module.name}`, ...counts, module.size, content.bytecodeVersion, module.from];
}

function findItem({ abi }: PrintedModule, name: string): FunctionAbi | StructAbi {
  const items = [...abi.functions, ...abi.structs];
  const found = items.find((item) => item.name === name);
  if (found === undefined) throw noItem(abi, abi, name);
  return found;
}

function moduleJson(content: StoredContent): { bytecode: string; abi: NodeAbiJson | null } {
  const abi = abiOf(content);
  return { bytecode: `0x${formatHex(content.bytes)}`, abi: abi === undefined ? null : formatNodeAbi(abi) };
}

function itemJson({ abi }: PrintedModule, item: FunctionAbi | StructAbi | undefined): unknown {
  if (item === undefined) return undefined;
  return "params" in item ? formatNodeFunction(item) : formatNodeAbi(abi).structs.find(({ name }) => name === item.name);
}

function itemCode(content: StoredContent, module: PrintedModule, item: FunctionAbi | StructAbi | undefined): unknown {
  if (item === undefined) return codeJson(content, module.abi.functions);
  return "params" in item ? codeJson(content, [item])[0] : itemJson(module, item);
}

function codeJson(content: StoredContent, functions: readonly FunctionAbi[]): unknown[] {
  return fromCode(content, () => {
    const disassembler = new Disassembler();
    const codes = readFunctions(content.bytes);
    return functions.map((fn) => {
      const code = codes.get(fn.name);
      if (code === undefined || fn.isNative) return { ...formatNodeFunction(fn), locals: null, code: null };
      const { locals, instructions } = disassembler.disassemble(code);
      return { ...formatNodeFunction(fn), locals, code: instructions };
    });
  });
}

/** What is read of instructions, for `--code`. @throws NotHeldError when they cannot be read */
function fromCode<T>(content: StoredContent, read: () => T): T {
  if (content.kind === "reported") throw new NotHeldError("the instructions cannot be read: the bytecode is newer than this movedex.");
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new NotHeldError(`the instructions cannot be shown: ${error.message}. A single function may be: name it.`);
  }
}

const KEYWORDS = "module|use|as|friend|public|package|entry|native|fun|struct|enum|const|has|acquires|phantom|mut|copy|drop|store|key|Self";
const TYPES = "bool|u8|u16|u32|u64|u128|u256|i8|i16|i32|i64|i128|i256|address|signer|vector";

/** What Move source is made of, in the order in which it is looked for. A field called `key` looks like the ability. */
const PARTS = new RegExp(
  `(?<comment>//[^\\n]*)|(?<attribute>#\\[[^\\n]*\\])|(?<keyword>\\b(?:${KEYWORDS})\\b)|(?<type>\\b(?:${TYPES})\\b|\\b[A-Z]\\w*)|(?<number>\\b0x[0-9a-f]+\\b|\\b\\d+\\b)`,
  "g",
);

const COLOURS: Record<string, Colour> = { comment: "gray", attribute: "magenta", keyword: "blue", type: "cyan", number: "yellow" };

function highlightMove(source: string, paint: Paint): string {
  return source.replace(PARTS, (text, ...rest) => {
    const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "";
    return paint(COLOURS[kind] ?? "gray", text);
  });
}
