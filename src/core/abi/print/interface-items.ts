import { printable } from "../../base/printable.ts";
import type { FunctionMark } from "../../move/module/handles.ts";
import { isIdentifier } from "../../move/module-id.ts";
import type { MoveType } from "../../move/types/make-type.ts";
import {
  type AttributeAbi,
  attributeKinds,
  type ErrorCodeAbi,
  type FieldAbi,
  type FunctionAbi,
  isViewAttribute,
  type StructAbi,
  type VariantAbi,
  type Visibility,
} from "../model.ts";
import { formatAbilities, formatReturns, formatTypeParameters, formatVisibility } from "./signature.ts";

/** Prints a type with the names that `chooseNames` chose. */
export type TypeText = (type: MoveType) => string;

/** Longer lines are broken, as Move's formatter does. */
const LINE_WIDTH = 100;

const INDENT = "    ";

/**
 * A function's declaration as lines of Move source, its attributes before it. Parameters are called `arg0`, `arg1`, …
 * since bytecode does not keep their names. With a `body`, its lines follow between braces.
 */
export function functionLines(
  fn: FunctionAbi,
  marks: readonly FunctionMark[],
  typeText: TypeText,
  body: readonly string[] | undefined,
): string[] {
  const modifiers = `${fn.isNative ? "native " : ""}${formatVisibility(fn.visibility)}${fn.isEntry ? "entry " : ""}`;
  const params = fn.params.map((type, i) => `arg${i}: ${typeText(type)}`);
  const head = `${modifiers}fun ${word(fn.name)}${formatTypeParameters(fn.typeParams)}(`;
  const acquires = fn.acquires.length === 0 ? "" : ` acquires ${fn.acquires.map(word).join(", ")}`;
  const returns = formatReturns(fn.returns, (type) => (type.kind === "function" ? `(${typeText(type)})` : typeText(type)));
  const tail = `)${returns}${acquires}${body === undefined ? ";" : " {"}`;
  return [...functionAttributes(fn, marks), ...broken(head, params, tail), ...(body === undefined ? [] : [...body, "}"])];
}

/** A struct's or enum's declaration as lines of Move source. `visibility` comes from `openStructs`; undefined means private. */
export function structLines(struct: StructAbi, visibility: Visibility | undefined, typeText: TypeText): string[] {
  const kind = `${struct.isNative ? "native " : ""}${formatVisibility(visibility ?? "private")}${struct.isEnum ? "enum" : "struct"}`;
  const head = `${kind} ${word(struct.name)}${formatTypeParameters(struct.typeParams)}`;
  return [...struct.attributes.map(structAttribute), ...declarationLines(struct, head, typeText)];
}

export function errorLines({ code, name, description }: ErrorCodeAbi): string[] {
  const comment = description === "" ? [] : description.split(/\r\n|\r|\n/).map((line) => `/// ${line.trim()}`.trimEnd());
  const value = code > 0xffffn ? `0x${code.toString(16)}` : `${code}`;
  const constant = /^[A-Za-z_]\w*$/.test(name) ? `const ${name}: u64 = ${value};` : `// abort code ${value}: ${name}`;
  return [...comment, constant].map((line) => printable(line, 2000));
}

/** A name in source code. A name from a node or from metadata may be no identifier: it is put in backticks. */
export function word(name: string): string {
  return isIdentifier(name) ? name : `\`${printable(name).replaceAll("`", "'")}\``;
}

function declarationLines({ fields, variants, isEnum, isNative, abilities }: StructAbi, head: string, typeText: TypeText): string[] {
  const has = formatAbilities(abilities);
  if (isNative) return [`${head}${has};`];
  if (isEnum) return [`${head}${has} {`, ...variants.flatMap((variant) => variantLines(variant, typeText)), "}"];
  if (isEmpty(fields)) return [`${head}${has} {}`];
  if (isPositional(fields)) return broken(`${head}(`, fieldTexts(fields, typeText), `)${has};`);
  return [`${head}${has} {`, ...fieldTexts(fields, typeText).map((field) => `${INDENT}${field},`), "}"];
}

function variantLines({ name, fields }: VariantAbi, typeText: TypeText): string[] {
  const head = `${INDENT}${word(name)}`;
  if (fields.length === 0) return [`${head},`];
  const texts = fieldTexts(fields, typeText);
  if (isPositional(fields)) return [`${head}(${texts.join(", ")}),`];
  const line = `${head} { ${texts.join(", ")} },`;
  return line.length <= LINE_WIDTH - INDENT.length
    ? [line]
    : [`${head} {`, ...texts.map((field) => `${INDENT}${INDENT}${field},`), `${INDENT}},`];
}

function fieldTexts(fields: readonly FieldAbi[], typeText: TypeText): string[] {
  const positional = isPositional(fields);
  return fields.map(({ name, type }) => (positional ? typeText(type) : `${word(name)}: ${typeText(type)}`));
}

/** Whether a struct has no fields in its source: the compiler adds a `dummy_field` so that its layout is not empty. */
function isEmpty(fields: readonly FieldAbi[]): boolean {
  return fields.length === 0 || (fields.length === 1 && fields[0]?.name === "dummy_field" && fields[0].type.text === "bool");
}

/** Whether the fields are positional: these are called `_0`, `_1`, … in bytecode. */
function isPositional(fields: readonly FieldAbi[]): boolean {
  return fields.length > 0 && fields.every(({ name }, i) => name === `_${i}`);
}

function functionAttributes(fn: FunctionAbi, marks: readonly FunctionMark[]): string[] {
  const lines = fn.attributes.map((attribute) => {
    if (isViewAttribute(attribute)) return "#[view]";
    if (attribute.kind === attributeKinds.randomness)
      return attribute.args.length === 0 ? "#[randomness]" : `#[randomness(max_gas = ${argument(attribute)})]`;
    return unknownAttribute(attribute);
  });
  if (fn.isView && !lines.includes("#[view]")) lines.push("#[view]");
  // The compiler adds `persistent` to every public function; the source does not show it.
  const written = marks.filter(({ name }) => name !== "persistent" || fn.visibility !== "public");
  return [...new Set([...lines, ...written.map(markText)])];
}

function markText({ name, operand }: FunctionMark): string {
  return operand === undefined ? `#[${name}]` : `#[${name}(${operand})]`;
}

function structAttribute(attribute: AttributeAbi): string {
  switch (attribute.kind) {
    case attributeKinds.event:
      return "#[event]";
    case attributeKinds.group:
      return `#[resource_group(scope = ${argument(attribute)})]`;
    case attributeKinds.groupMember:
      return `#[resource_group_member(group = ${argument(attribute)})]`;
    default:
      return unknownAttribute(attribute);
  }
}

function unknownAttribute({ kind, args }: AttributeAbi): string {
  return `// attribute of kind ${kind}${args.length === 0 ? "" : `: ${args.map((arg) => JSON.stringify(printable(arg))).join(", ")}`}`;
}

function argument({ args }: AttributeAbi): string {
  const text = args[0] ?? "";
  return /^[\w:$<>, ]+$/.test(text) ? text : `\`${printable(text).replaceAll("`", "'")}\``;
}

/** A list between brackets on one line, or one element per line if that would be too long. */
function broken(head: string, parts: readonly string[], tail: string): string[] {
  const line = `${head}${parts.join(", ")}${tail}`;
  if (parts.length === 0 || line.length <= LINE_WIDTH - INDENT.length) return [line];
  return [head, ...parts.map((part) => `${INDENT}${part},`), tail];
}
