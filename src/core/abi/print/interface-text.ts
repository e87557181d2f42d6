import { printable } from "../../base/printable.ts";
import { Disassembler, type Disassembly } from "../../move/code/disassemble.ts";
import { type FunctionCode, parseCode } from "../../move/code/read-code.ts";
import type { FunctionMark } from "../../move/module/handles.ts";
import { compareModuleIds, formatItemId, formatModuleId, isSameModule, type ModuleId } from "../../move/module-id.ts";
import { formatMoveTypeAs, structsIn } from "../../move/types/format-type.ts";
import type { MoveType, StructType } from "../../move/types/make-type.ts";
import type { DecodedModule } from "../decode.ts";
import { allFields, type FunctionAbi, isExposed, type ModuleAbi, type StructAbi, type Visibility } from "../model.ts";
import { errorLines, functionLines, structLines, word } from "./interface-items.ts";

export type ShownItems = { readonly functions: readonly FunctionAbi[]; readonly structs: readonly StructAbi[] };

/** Names of type parameters, which are never used for anything else. */
const PARAMETER_NAME = /^T\d+$/;

type ForeignModule = { readonly id: ModuleId; readonly alias: string; readonly structs: Set<string> };

/**
 * Chooses short names as an author would: imported structs go by their name, by `module::Name` where two share it, and of two
 * modules with one name the second is renamed (`use 0x2::pool as pool_2`). All dependencies are imported, since bodies use them.
 */
function chooseNames(abi: ModuleAbi, shown: ShownItems) {
  const mentioned = mentionedStructs(abi, shown);
  const modules = foreignModules(abi, mentioned);
  const owners = new Map<string, number>();
  for (const { structs } of modules.values()) for (const name of structs) owners.set(name, (owners.get(name) ?? 0) + 1);
  const own = new Set(abi.structs.map(({ name }) => name));
  const isImported = (name: string): boolean => owners.get(name) === 1 && !own.has(name) && !PARAMETER_NAME.test(name);

  const nameOf = (type: StructType): string => {
    const { module, name } = type;
    if (isSameModule(abi, module)) return PARAMETER_NAME.test(name) ? formatItemId(type) : name;
    if (isImported(name)) return name;
    return `${modules.get(formatModuleId(module))?.alias ?? formatModuleId(module)}::${name}`;
  };
  return {
    uses: [...modules.values()].map((module) => useLine(module, isImported)),
    typeText: (type: MoveType): string => formatMoveTypeAs(type, nameOf),
  };
}

function useLine({ id, alias, structs }: ForeignModule, isImported: (name: string) => boolean): string {
  const as = alias === id.name ? "" : ` as ${alias}`;
  const imported = [...structs].filter(isImported).sort();
  if (imported.length === 0) return `use ${formatModuleId(id)}${as};`;
  const names = imported.length < structs.size ? [`Self${as}`, ...imported] : imported;
  return `use ${formatModuleId(id)}::${names.length === 1 ? names[0] : `{${names.join(", ")}}`};`;
}

/** Other modules in the order of their addresses and names, each with a unique alias. */
function foreignModules(abi: ModuleAbi, mentioned: readonly StructType[]): ReadonlyMap<string, ForeignModule> {
  const ids = new Map<string, ModuleId>();
  for (const id of [...abi.dependencies, ...mentioned.map(({ module }) => module)]) {
    if (!isSameModule(abi, id)) ids.set(formatModuleId(id), id);
  }
  const order = [...ids.values()].sort(compareModuleIds);
  const taken = new Map([[abi.name, 2]]);
  const modules = new Map<string, ForeignModule>();
  for (const id of order) {
    const alias = freeAlias(id.name, taken);
    modules.set(formatModuleId(id), { id, alias, structs: new Set() });
  }
  for (const { module, name } of mentioned) modules.get(formatModuleId(module))?.structs.add(name);
  return modules;
}

/** The name, or the name with the first number from 2 that makes it unique. `taken` holds the number to try next for each name. */
function freeAlias(name: string, taken: Map<string, number>): string {
  let alias = name;
  // Thousands of accounts can have a module of one name, so each search continues where the last one ended.
  for (let n = taken.get(name) ?? 2; taken.has(alias); n++) {
    alias = `${name}_${n}`;
    taken.set(name, n + 1);
  }
  taken.set(alias, taken.get(alias) ?? 2);
  return alias;
}

function mentionedStructs(abi: ModuleAbi, { functions, structs }: ShownItems): StructType[] {
  const types = [
    ...functions.flatMap(({ params, returns }) => [...params, ...returns]),
    ...structs.flatMap(allFields).map(({ type }) => type),
  ];
  const foreign = structsIn(types).filter(({ module }) => !isSameModule(abi, module));
  return [...new Map(foreign.map((type) => [formatItemId(type), type])).values()];
}

export type PrintedModule = Pick<DecodedModule, "abi" | "functionMarks">;

/** Characters of a line; only an interface built to be a nuisance has longer ones. */
const LINE_MAX = 20_000;

type Options = {
  readonly all: boolean;
  /** The option of a command that sets `all`, to be named where functions are left out. */
  readonly allOption?: string;
  readonly bodyOf?: BodyOf | undefined;
  readonly withErrors?: boolean;
  readonly room?: Room | undefined;
};

/** Characters of types that are still printed. Where none are left, items are left out: a few kilobytes may print as gigabytes. */
export type Room = { left: number };

function within(room: Room, typeText: (type: MoveType) => string): (type: MoveType) => string {
  return (type) => {
    if (room.left <= 0) return "…";
    const text = typeText(type);
    room.left -= text.length;
    return text;
  };
}

/** A piece of a printed module: what names it (`fun withdraw`, `struct Coin`, `use 0x1::coin`), and the place of its first line. */
export type InterfaceItem = { readonly key: string; readonly line: number; readonly lines: readonly string[] };

/**
 * A module as Move source, in the order of the bytecode, with a newline at the end. Functions that cannot be called from outside,
 * or that the compiler generated, are left out unless `all` is set; `bodyOf` gives bodies.
 */
export function formatInterface(module: PrintedModule, options: Options): string {
  const body = sectionsOf(module, options).map((section) => section.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join(""));
  return `${headLine(module)}\n${body.join("\n")}}\n`;
}

/** The same, item by item: what is between them are empty lines and the last brace. */
export function interfaceItems(module: PrintedModule, options: Options): InterfaceItem[] {
  const items: InterfaceItem[] = [{ key: "module", line: 0, lines: [headLine(module)] }];
  let line = 1;
  for (const section of sectionsOf(module, options)) {
    for (const { key, lines } of section) {
      items.push({ key, line, lines });
      line += lines.length;
    }
    line += 1;
  }
  return items;
}

type Keyed = { readonly key: string; readonly lines: readonly string[] };

/** The parts between which empty lines stand, their lines indented and safe to print. */
function sectionsOf(module: PrintedModule, options: Options): Keyed[][] {
  const { abi } = module;
  const isShown = (fn: FunctionAbi): boolean => options.all || (isExposed(fn) && !isStructFunction(module.functionMarks.get(fn.name)));
  const functions = abi.functions.filter(isShown);
  const { room = { left: Number.POSITIVE_INFINITY } } = options;
  const names = chooseNames(abi, { functions, structs: abi.structs });
  const typeText = within(room, names.typeText);
  const printed = <T>(items: readonly T[], print: (one: T) => Keyed): Keyed[] => items.flatMap((one) => (room.left > 0 ? print(one) : []));
  const open = openStructs(abi.functions, module.functionMarks);
  const item = (key: string, lines: readonly string[]): Keyed => ({ key, lines: lines.map((line) => `    ${safe(line)}`) });
  const bodyOf = (fn: FunctionAbi): readonly string[] | undefined => options.bodyOf?.(fn.name);
  return [
    names.uses.map((line) => item(/^use [^:]+::[^:; ]+/.exec(line)?.[0] ?? line, [line])),
    abi.friends.map((friend) => item(`friend ${idText(friend)}`, [`friend ${idText(friend)};`])),
    ...(options.withErrors === false ? [] : abi.errors.map((error) => [item(`error ${error.name}`, errorLines(error))])),
    ...printed(abi.structs, (struct) => item(`struct ${struct.name}`, structLines(struct, open.get(struct.name), typeText))).map(alone),
    ...printed(functions, (fn) =>
      item(`fun ${fn.name}`, functionLines(fn, module.functionMarks.get(fn.name) ?? [], typeText, bodyOf(fn))),
    ).map(alone),
    hiddenLines(abi.functions.filter((fn) => !isExposed(fn) && !isShown(fn)).length, options.allOption).map((line) =>
      item("hidden", [line]),
    ),
  ].filter((section) => section.length > 0);
}

const alone = (item: Keyed): Keyed[] => [item];

function headLine({ abi }: PrintedModule): string {
  return safe(`module ${idText(abi)} {`);
}

/** One function or struct of a module as Move source, its types fully qualified. Ends with a newline. */
export function formatInterfaceItem(module: PrintedModule, item: FunctionAbi | StructAbi, bodyOf?: BodyOf): string {
  const { typeText } = chooseNames({ ...module.abi, dependencies: [] }, { functions: [], structs: [] });
  const lines =
    "params" in item
      ? functionLines(item, module.functionMarks.get(item.name) ?? [], typeText, bodyOf?.(item.name))
      : structLines(item, openStructs(module.abi.functions, module.functionMarks).get(item.name), typeText);
  return lines.map((line) => `${safe(line)}\n`).join("");
}

function hiddenLines(count: number, allOption: string | undefined): string[] {
  if (count === 0) return [];
  const hint = allOption === undefined ? "" : `; ${allOption} shows ${count === 1 ? "it" : "them"}`;
  return [`// ${count} private function${count === 1 ? " is" : "s are"} not shown${hint}`];
}

function idText({ address, name }: ModuleId): string {
  return `${address}::${word(name)}`;
}

function safe(line: string): string {
  return printable(line, LINE_MAX);
}

/**
 * Attributes of functions that the compiler generates for a `public struct` or enum (`pack$Order$Limit`), from bytecode version
 * 10 on. Source: aptos-core `third_party/move/move-binary-format/src/file_format.rs` (FunctionAttribute).
 */
const STRUCT_MARKS = new Set(["pack", "pack_variant", "unpack", "unpack_variant", "test_variant", "borrow", "borrow_mut"]);

function isStructFunction(marks: readonly FunctionMark[] | undefined): boolean {
  return marks?.some(({ name }) => STRUCT_MARKS.has(name)) === true;
}

/** The visibility of structs that other modules can pack, unpack or borrow from, by name. All other structs are private. */
function openStructs(
  functions: readonly FunctionAbi[],
  marks: ReadonlyMap<string, readonly FunctionMark[]>,
): ReadonlyMap<string, Visibility> {
  const found = new Map<string, Visibility>();
  for (const { name, visibility } of functions) {
    const struct = isStructFunction(marks.get(name)) ? name.split("$")[1] : undefined;
    if (struct !== undefined) found.set(struct, visibility);
  }
  return found;
}

/** Finds the body of a function by its name, as lines between braces; undefined if it is native. */
export type BodyOf = (name: string) => readonly string[] | undefined;

/**
 * Reads the instructions of a module, of one function if it is named. Each has its index before it, the place that an abort's
 * `code_offset` names; labels stand where branches go to. @throws DecodeError
 */
export function readBodies(bytes: Uint8Array, only?: string): BodyOf {
  const bodies = new Map<string, readonly string[]>();
  const disassembler = new Disassembler();
  for (const code of parseCode(bytes).functions()) {
    const { name } = code.definition.handle;
    if (code.definition.isNative || (only !== undefined && name !== only)) continue;
    bodies.set(name, bodyLines(disassembler.disassemble(code)));
  }
  return (name) => bodies.get(name);
}

/** The body of a function that was read; undefined if it is native. */
export function formatBody(code: FunctionCode): readonly string[] | undefined {
  return code.definition.isNative ? undefined : bodyLines(new Disassembler().disassemble(code));
}

function bodyLines({ locals, instructions, targets }: Disassembly): string[] {
  const width = Math.max(4, String(instructions.length - 1).length);
  return [
    ...locals.map(({ name, type }) => `    ${name}: ${type}`),
    ...instructions.flatMap((instruction, i) => {
      const line = `${String(i).padStart(width)}: ${instruction}`;
      return targets.has(i) ? [`L${i}:`, line] : [line];
    }),
  ];
}
