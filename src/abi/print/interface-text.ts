import { printable } from "../../base/printable.ts";
import type { FunctionMark } from "../../move/module/handles.ts";
import type { ModuleId } from "../../move/module-id.ts";
import type { DecodedModule } from "../decode.ts";
import { type FunctionAbi, isExposed, type StructAbi, type Visibility } from "../model.ts";
import type { BodyOf } from "./function-body.ts";
import { errorLines, functionLines, structLines, word } from "./interface-items.ts";
import { chooseNames } from "./interface-names.ts";

export type PrintedModule = Pick<DecodedModule, "abi" | "functionMarks">;

/** Characters of a line; only an interface built to be a nuisance has longer ones. */
const LINE_MAX = 20_000;

type Options = {
  readonly all: boolean;
  /** The option of a command that sets `all`, to be named where functions are left out. */
  readonly allOption?: string;
  readonly bodyOf?: BodyOf | undefined;
  readonly withErrors?: boolean;
};

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
  const { uses, typeText } = chooseNames(abi, { functions, structs: abi.structs });
  const open = openStructs(abi.functions, module.functionMarks);
  const item = (key: string, lines: readonly string[]): Keyed => ({ key, lines: lines.map((line) => `    ${safe(line)}`) });
  const bodyOf = (fn: FunctionAbi): readonly string[] | undefined => options.bodyOf?.(fn.name);
  return [
    uses.map((line) => item(/^use [^:]+::[^:; ]+/.exec(line)?.[0] ?? line, [line])),
    abi.friends.map((friend) => item(`friend ${idText(friend)}`, [`friend ${idText(friend)};`])),
    ...(options.withErrors === false ? [] : abi.errors.map((error) => [item(`error ${error.name}`, errorLines(error))])),
    ...abi.structs.map((struct) => [item(`struct ${struct.name}`, structLines(struct, open.get(struct.name), typeText))]),
    ...functions.map((fn) => [item(`fun ${fn.name}`, functionLines(fn, module.functionMarks.get(fn.name) ?? [], typeText, bodyOf(fn)))]),
    hiddenLines(abi.functions.filter((fn) => !isExposed(fn) && !isShown(fn)).length, options.allOption).map((line) =>
      item("hidden", [line]),
    ),
  ].filter((section) => section.length > 0);
}

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
