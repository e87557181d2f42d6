import { abortCodeParts } from "../../../abi/abort/category.ts";
import type { FoundError } from "../../../abi/abort/error-lookup.ts";
import type { Meaning } from "../../../abi/abort/meanings.ts";
import type { ErrorCodeAbi } from "../../../abi/model.ts";
import { findVmStatus, type VmStatus } from "../../../abi/vm-status/vm-status.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import type { ModuleId } from "../../../move/types/types.ts";
import type { NamedError } from "./named-error.ts";

/** What can be said about an abort code of a module at a version. */
export type Explanation = {
  readonly module: ModuleId;
  readonly version: bigint;
  readonly code: bigint;
  /** The error that it stands for, if the module names it. */
  readonly found: FoundError | undefined;
  /** The module's error map, undefined when its bytes cannot be read. */
  readonly errors: readonly ErrorCodeAbi[] | undefined;
  /** What it meant over all snapshots, oldest first. */
  readonly meanings: readonly Meaning[];
  /** The error's name in the message that was pasted. */
  readonly toldName: string | undefined;
};

const TEXT_MAX = 2000;

/** An explanation in words, some lines. */
export function explanationText(explanation: Explanation): string {
  const { module, version, code } = explanation;
  const lines = [
    `${module.address}::${printable(module.name)} aborted with ${codeText(code)}`,
    `  ${errorWords(explanation)}`,
    ...toldWords(explanation).map((line) => `  ${line}`),
    ...categoryLines(code).map((line) => `  ${line}`),
    `  as of ledger version ${version}`,
    ...historyLines(explanation),
  ];
  return `${lines.join("\n")}\n`;
}

/** What a code says by itself, when no module is named. */
export function categoryText(code: bigint): string {
  const lines = categoryLines(code).map((line) => `  ${line}`);
  const status = code <= 0xffffn ? findVmStatus(Number(code)) : undefined;
  const other = status === undefined ? [] : [`  as a status of the VM it is ${status.name}: ${status.meaning}`];
  const advice = `  name the module that aborted to learn what its reason means: movedex explain 0x1::coin 0x${code.toString(16)}`;
  return `${[codeText(code), ...lines, ...other, advice].join("\n")}\n`;
}

/** A status of the VM in words. */
export function statusText({ code, name, meaning, kind }: VmStatus): string {
  return `${name} (${code}), a status of the VM\n  ${meaning}\n  ${kind.name}: ${kind.consequence}\n`;
}

/** What can be said when a message names only the place where the VM stopped. */
export function failureText(place: string): string {
  return [
    `the VM stopped ${printable(place, TEXT_MAX)}`,
    "  it is no abort of the module, and the message does not say the status; mostly it is one of these:",
    ...(
      [
        "ARITHMETIC_ERROR",
        "VECTOR_OPERATION_ERROR",
        "RESOURCE_DOES_NOT_EXIST",
        "RESOURCE_ALREADY_EXISTS",
        "STRUCT_VARIANT_MISMATCH",
      ] as const
    ).map((name) => `  ${name}: ${findVmStatus(name)?.meaning}`),
    "  a simulation of the transaction names the status\n",
  ].join("\n");
}

/** The modules that have an error of this name. */
export function namedErrorsText(name: string, errors: readonly NamedError[]): string {
  const lines = errors.map(({ module, code, description, lastVersion }) => {
    const text = description.replaceAll(/\s+/g, " ").trim();
    const gone = lastVersion === null ? "" : ` (last seen at ledger version ${lastVersion})`;
    return `  ${module.address}::${printable(module.name)} ${code}${text === "" ? "" : `: ${printable(text, TEXT_MAX)}`}${gone}`;
  });
  const [first] = errors;
  const example = first === undefined ? "" : `movedex explain ${first.module.address}::${printable(first.module.name)} ${first.code}`;
  return `${[`${printable(name, 200)} is an error of ${plural(errors.length, "module")}:`, ...lines, `  with its history: ${example}`].join("\n")}\n`;
}

function errorWords({ found, errors, code }: Explanation): string {
  if (found !== undefined) return errorText(found.error);
  if (errors === undefined) return "what it means is not known: the module's bytecode cannot be read by this movedex";
  if (errors.length === 0) return "the module explains none of its codes: it was built without error texts";
  return `the module has no text for reason ${code & 0xffffn}; it explains ${errors.length} others`;
}

function toldWords({ found, toldName, meanings }: Explanation): string[] {
  const lines =
    found?.byNode === undefined ? [] : [`nodes call it ${printable(found.byNode.name)}, since they look at its low 12 bits alone`];
  if (toldName === undefined || toldName === found?.error.name || toldName === found?.byNode?.name) return lines;
  const then = meanings.findLast(({ error }) => error?.name === toldName);
  const when = then === undefined ? "no snapshot here shows the module so" : `it meant that ${stretch(then)}`;
  return [...lines, `the message calls it ${printable(toldName, 100)}: ${when}`];
}

function historyLines({ meanings, found }: Explanation): string[] {
  const names = new Set(meanings.map(({ error }) => error?.name));
  if (names.size <= 1) return [];
  const lines = meanings.map((meaning) => `    ${stretch(meaning)}: ${meaningText(meaning)}`);
  names.delete(undefined);
  if (names.size > 1) return ["  the code changed its meaning:", ...lines];
  return [found === undefined ? "  it had a text at other versions:" : "  it had no text at other versions:", ...lines];
}

function meaningText({ error }: Meaning): string {
  if (error === undefined) return "not known";
  return error === null ? "no text" : errorText(error);
}

function errorText({ code, name, description }: ErrorCodeAbi): string {
  const text = description.replaceAll(/\s+/g, " ").trim();
  const value = code > 0xffffn ? `0x${code.toString(16)}` : `${code}`;
  return `${printable(name, 200)} (${value})${text === "" ? "" : `: ${printable(text, TEXT_MAX)}`}`;
}

function stretch({ from, to }: Meaning): string {
  return to === null
    ? `from ledger version ${from} on`
    : from === to
      ? `at ledger version ${from}`
      : `from ledger version ${from} to ${to}`;
}

function categoryLines(code: bigint): string[] {
  const { reason, category } = abortCodeParts(code);
  if (category !== undefined) return [`category ${category.number}, ${category.name}: ${category.meaning}; reason ${reason}`];
  return code > 0xffffn ? ["its high bits are no category of the standard library"] : ["it names no category"];
}

function codeText(code: bigint): string {
  return `0x${code.toString(16)} (${code})`;
}
